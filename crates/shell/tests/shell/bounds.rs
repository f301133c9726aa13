//! Commands made to break a parser: nothing panics, nothing takes long, nothing is left out.

use super::effects_of;
use signalbox_shell::Effect;
use std::time::{Duration, Instant};

fn is_opaque(command: &str) -> bool {
    effects_of(command).list.iter().any(|effect| matches!(effect, Effect::Opaque(_)))
}

#[test]
fn deep_nesting_is_opaque_and_quick() {
    let start = Instant::now();
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", "; }"),
        ("((", "))"),
        ("<(", ")"),
        ("${x:-", "}"),
        ("$((", "))"),
        ("[[ ", " ]]"),
    ] {
        for depth in [60, 10_000] {
            let balanced = format!("echo {}x{}", open.repeat(depth), close.repeat(depth));
            let unbalanced = open.repeat(depth);
            effects_of(&balanced);
            effects_of(&unbalanced);
        }
    }
    assert!(is_opaque(&"(".repeat(10_000)));
    assert!(is_opaque(&format!("{}rm x{}", "( ".repeat(200), " )".repeat(200))));
    for word in [
        "if true; then ",
        "while x; do ",
        "for i in a b; do ",
        "case x in x) ",
        "\"$(",
        "`\\`",
        "function f { ",
        "! ",
        "\"",
        "'",
    ] {
        effects_of(&word.repeat(5_000));
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn loops_in_loops_end() {
    let start = Instant::now();
    let nested = format!("{}rm $i; {}", "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(8), "done; ".repeat(8));
    assert!(is_opaque(&nested));
    effects_of(&"{a,b}".repeat(40));
    effects_of(&format!("echo {}b{}", "{a,".repeat(2_000), "}".repeat(2_000)));
    effects_of("f() { f; f; f; }; f");
    effects_of("f() { eval \"$(declare -f f)\"; f | f & }; f");
    effects_of("alias a='a a'; a");
    effects_of(
        "echo {1..999999999999} {9223372036854775807..-9223372036854775808} {1..2..9999999999999999999}",
    );
    effects_of("99999999999999999999999>x echo ~99999999999999999999 ${99999999999999999999999}");
    effects_of(&format!("X=aaaaaaaaaaaaaaaa; {} rm $X", "X=$X$X; ".repeat(60)));
    effects_of(&format!("X=(a b); {} rm ${{X[@]}}", "X=(\"${X[@]}\" \"${X[@]}\"); ".repeat(60)));
    effects_of(&format!("set -- a b; {} rm $@", "set -- \"$@\" \"$@\"; ".repeat(60)));
    effects_of(&format!("{} rm $@", ": ${X:=a$X$X}; X=$X$X; ".repeat(60)));
    effects_of(&"a[ ${x[ $[ ".repeat(20_000));
    effects_of(&"for i in {1..200}; do rm a$i b$i; done; ".repeat(100));
    let mut deep = "rm a".to_owned();
    for _ in 0..4 {
        deep = format!("eval '{}{}{}'", "{ ".repeat(35), deep.replace('\'', "'\\''"), "; }".repeat(35));
    }
    assert!(is_opaque(&deep));
    let halves = "cd a; X=b; cd $X || Y=c; ".repeat(300);
    effects_of(&halves);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn code_in_code_ends() {
    let mut command = "rm tests/a".to_owned();
    for _ in 0..20 {
        command = format!("sh -c '{}'", command.replace('\'', "'\\''"));
        if command.len() > 200_000 {
            break;
        }
    }
    assert!(is_opaque(&command));
    let mut command = "rm tests/a".to_owned();
    for _ in 0..6 {
        command = format!("eval \"{}\"", command.replace('\\', "\\\\").replace('"', "\\\""));
    }
    assert!(effects_of(&command).to_string().contains("remove /p/tests/a"));
}

#[test]
fn long_commands_are_followed_as_far_as_they_go() {
    let many = "rm a; ".repeat(5_000);
    assert_eq!(effects_of(&many).writes().count(), 5_000);
    let pipeline = "cat a | ".repeat(3_000) + "tee b";
    assert!(effects_of(&pipeline).to_string().ends_with("write /p/b"));
    let heredoc =
        format!("cat > f <<EOF\n{}\nEOF\nrm x", "some text with $HOME and $(echo x)\n".repeat(6_000));
    assert!(effects_of(&heredoc).to_string().ends_with("remove /p/x"));
    let too_long = format!("rm x; echo {}", "a".repeat(300_000));
    assert!(is_opaque(&too_long) && effects_of(&too_long).to_string().contains("remove /p/x"));
    let accents = format!("rm x; echo {}", "é".repeat(200_000));
    assert!(is_opaque(&accents));
}

#[test]
fn odd_bytes_are_no_hiding_place() {
    assert!(effects_of("r\0m x").to_string().contains("remove /p/x"));
    assert!(is_opaque("ls\0; rm x"));
    assert!(effects_of("rm \rx").to_string().contains("remove /p/\rx"));
    assert!(effects_of("rm \"a\r\nb\"").to_string().contains("remove /p/a\r\nb"));
    assert!(effects_of("ls\r\nrm x\r\n").to_string().contains("remove /p/x"));
    assert!(effects_of("if ls; \\\r\nthen rm x; fi").to_string().ends_with("remove /p/x"));
    assert!(!effects_of("ls\rrm x").to_string().contains("reads"));
    assert!(effects_of("echo 'ünï' && rm 'täst'").to_string().contains("remove /p/täst"));
}

/// The quickest of some runs.
fn quickest(command: &str) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        std::hint::black_box(effects_of(command));
        best = best.min(start.elapsed());
    }
    best
}

/// Only with optimisation is there something to measure.
#[test]
fn two_kilobytes_are_followed_quickly() {
    let message = "Explain what was done and why it was done that way.\n".repeat(32);
    let everyday = format!(
        "cd crates/core && cargo test 2>&1 | tail -20 && git add -A && git commit -m \"$(cat <<'EOF'\n{message}EOF\n)\" \
         && X=$(git rev-parse HEAD); for f in a b; do cp $f.txt \"build/${{f%.x}}\"; done; grep -rn \"$X\" src | sort -u > out.txt"
    );
    let piece = "cd src && X=$(git rev-parse HEAD) && grep -rn \"$X\" lib | sort > out; for f in a b; do cp $f d; done; ";
    let dense = piece.repeat(2_048 / piece.len());
    let (everyday_time, dense_time) = (quickest(&everyday), quickest(&dense));
    println!("{} bytes in {everyday_time:?}, densely packed in {dense_time:?}", everyday.len());
    if !cfg!(debug_assertions) {
        assert!(everyday_time < Duration::from_micros(300), "{everyday_time:?}");
        assert!(dense_time < Duration::from_millis(20), "{dense_time:?}");
    }
}
