//! Bytes through the pump are the bytes of a bare terminal.

use std::fmt::Write as _;
use std::io::Write;
use std::process::Command;

use crate::bare::{run, same};
use crate::kit::{Term, code, eventually, proxied, sh};

fn nothing(_: &mut Term) {}

/// A program that writes exactly these bytes, without the terminal changing any.
fn writes(bytes: &[u8]) -> (Command, tempfile::NamedTempFile) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    (sh(&format!("stty -opost; cat '{}'", file.path().display())), file)
}

#[track_caller]
fn passes(bytes: &[u8]) {
    let (command, _file) = writes(bytes);
    let outcome = same(&command, nothing);
    assert!(outcome.bytes == bytes, "{} bytes became {}", bytes.len(), outcome.bytes.len());
}

#[test]
fn every_byte_passes() {
    let all: Vec<u8> = (0..=255).collect();
    passes(&all.repeat(97));
    let pairs: Vec<u8> = (0..=255u8).flat_map(|a| (0..=255u8).flat_map(move |b| [a, b])).collect();
    passes(&pairs);
}

/// What vttest sends: cursor movement, margins, insert and delete, character sets, double size, reports, modes.
#[test]
fn sequences_pass() {
    let mut text = String::new();
    let parts = [
        "\x1bc",
        "\x1b#8",
        "\x1b[?3h",
        "\x1b[?3l",
        "\x1b[2;20r",
        "\x1b[?6h",
        "\x1b[1;1H",
        "\x1b[?6l",
        "\x1b[r",
        "\x1b[4h",
        "inserted",
        "\x1b[4l",
        "\x1b[3P",
        "\x1b[2L",
        "\x1b[2M",
        "\x1b(0lqqk\x1b(B",
        "\x1b)0\x0eqq\x0f",
        "\x1b#3\x1b#4\x1b#5\x1b#6",
        "\x1b7\x1b8",
        "\x1bD\x1bE\x1bM",
        "\x1bH\t\x1b[3g",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[c",
        "\x1b[>c",
        "\x1b[5n",
        "\x1b[6n",
        "\x1b[?1049h\x1b[2J",
        "\x1b[?1000h\x1b[?1002h\x1b[?1006h",
        "\x1b[?2004h",
        "\x1b[?1004h",
        "\x1b[>1u\x1b[<u\x1b[=5;1u",
        "\x1b[?2026h\x1b[?2026l",
        "\x1b[38;2;1;2;3m",
        "\x1b[38:2::1:2:3m",
        "\x1b]0;title\x07",
        "\x1b]52;c;aGVsbG8=\x1b\\",
        "\x1bP$qm\x1b\\",
        "\x1b_Gi=1\x1b\\",
        "\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\",
        "\x1b[?1049l",
        "\x1b[1;31mred\x1b[0m\r\n",
        "\x1b[5i\x1b[4i",
        "\x1b[b",
        "\x1b[",
    ];
    for round in 0..200 {
        for part in parts {
            text.push_str(part);
        }
        write!(text, "\x1b[{};{}H", round % 24, round % 80).unwrap();
    }
    passes(text.as_bytes());
}

#[test]
fn long_characters_pass_however_they_are_cut() {
    let text = "😀𝄞日本é\u{10ffff}👩\u{200d}👩\u{200d}👧".repeat(4_000);
    passes(text.as_bytes());
    // Cut in the middle by the program itself.
    let script = r"stty -opost; for i in 1 2 3 4 5; do printf '\360'; printf '\237'; sleep 0.01; printf '\230\200'; done";
    let outcome = same(&sh(script), nothing);
    assert_eq!(String::from_utf8(outcome.bytes).unwrap(), "😀😀😀😀😀");
}

/// How much flows in the test of a flood. `SIGNALBOX_FLOOD_MB=100` for all of it.
fn flood() -> usize {
    let asked = std::env::var("SIGNALBOX_FLOOD_MB").ok().and_then(|text| text.parse::<usize>().ok());
    asked.unwrap_or(if cfg!(debug_assertions) { 8 } else { 100 }) << 20
}

#[test]
fn a_flood_passes() {
    let mut text = Vec::with_capacity(flood() + 100);
    for line in 0u64.. {
        if text.len() >= flood() {
            break;
        }
        write!(text, "\x1b[3{}m{line:08} the quick brown fox ↯ {}\x1b[0m\r\n", line % 8, line * 7919)
            .unwrap();
    }
    let (command, _file) = writes(&text);
    let outcome = run(&proxied(&command), nothing);
    assert_eq!(outcome.code, 0);
    assert!(outcome.bytes == text, "{} bytes became {}", text.len(), outcome.bytes.len());
}

#[test]
fn what_is_typed_arrives_unchanged() {
    // All bytes but those that a terminal in this mode acts on; there are none in raw mode.
    let script = "stty raw -echo; echo ready; head -c 4096 | od -An -tx1 -v | tr -d '\\r'";
    let typed: Vec<u8> = (0..=255u8).cycle().take(4096).collect();
    let outcome = same(&sh(script), |term| {
        term.shown.wait_for("ready");
        term.send(&typed);
    });
    let text = String::from_utf8(outcome.bytes).unwrap();
    let bytes = text.split_whitespace().filter_map(|word| u8::from_str_radix(word, 16).ok());
    assert!(bytes.eq(typed.iter().copied()), "{text}");
}

#[test]
fn a_long_paste_arrives_whole_while_output_flows() {
    let script = "stty raw -echo; echo ready; head -c 500000 | tee /dev/null | md5sum; echo; echo over";
    let typed: Vec<u8> = (0..500_000u32).map(|n| b'a' + u8::try_from(n % 23).unwrap()).collect();
    let outcome = same(&sh(script), |term| {
        term.shown.wait_for("ready");
        term.send(&typed);
    });
    assert!(String::from_utf8_lossy(&outcome.bytes).contains("over"));
}

#[test]
fn the_interrupt_key_is_a_byte() {
    let outcome =
        same(&sh("trap 'echo caught; exit 6' INT; echo ready; while :; do sleep 0.02; done"), |term| {
            term.shown.wait_for("ready");
            term.send(b"\x03");
        });
    assert_eq!(outcome.code, 6);
    // From outside, it is as if the key had been pressed.
    let raw = sh("stty raw -echo; echo ready; head -c 1 | od -An -tx1");
    let mut term = Term::start(&proxied(&raw));
    term.shown.wait_for("ready");
    term.signal(rustix::process::Signal::INT);
    let (bytes, status) = term.finish();
    assert_eq!(code(status), 0);
    assert!(String::from_utf8_lossy(&bytes).contains("03"));
}

#[test]
fn a_storm_of_sizes_ends_at_the_last() {
    let script = "trap 'stty size' WINCH; echo ready; while :; do read -r line && break; done; stty size";
    let outcome = run(&proxied(&sh(script)), |term| {
        term.shown.wait_for("ready");
        for round in 0..500 {
            term.resize(10 + round % 40, 20 + round % 150);
        }
        term.resize(41, 133);
        eventually("the last size", || term.shown.text().contains("41 133"));
        term.send("go\n");
    });
    let text = String::from_utf8_lossy(&outcome.bytes).into_owned();
    assert!(text.trim_end().ends_with("41 133"), "{text}");
    assert_eq!(outcome.code, 0);
}

#[test]
fn the_size_at_the_start_is_the_persons() {
    let outcome = same(&sh("stty size; stty -a"), nothing);
    assert!(String::from_utf8_lossy(&outcome.bytes).starts_with("24 80"));
}

#[test]
fn every_exit_code_is_passed_on() {
    // Through one pump each; the program is as small as can be.
    for number in 0..=255 {
        let mut term = Term::start(&proxied(&sh(&format!("exit {number}"))));
        assert_eq!(code(term.wait()), number);
    }
}

#[test]
fn every_deadly_signal_is_passed_on() {
    for signal in
        ["HUP", "INT", "QUIT", "ILL", "ABRT", "FPE", "KILL", "SEGV", "PIPE", "ALRM", "TERM", "USR1", "USR2"]
    {
        let mut bare = Term::start(&sh(&format!("ulimit -c 0; kill -{signal} $$")));
        let mut pumped = Term::start(&proxied(&sh(&format!("ulimit -c 0; kill -{signal} $$"))));
        assert_eq!(code(bare.wait()), code(pumped.wait()), "{signal}");
    }
}

#[test]
fn the_last_words_are_heard() {
    for _ in 0..50 {
        let outcome = run(&proxied(&sh("printf last-words; exit 1")), nothing);
        assert_eq!(String::from_utf8_lossy(&outcome.bytes), "last-words");
        assert_eq!(outcome.code, 1);
    }
}

#[test]
fn a_program_may_close_its_terminal_and_open_it_again() {
    let script = "exec 3>/dev/null; exec <&- >&- 2>&-; sleep 0.2; exec >/dev/tty; echo back; exit 8";
    let outcome = run(&proxied(&sh(script)), nothing);
    assert_eq!((String::from_utf8_lossy(&outcome.bytes).as_ref(), outcome.code), ("back\r\n", 8));
    let closes_input = same(&sh("exec <&-; echo still here; exit 2"), nothing);
    assert_eq!(closes_input.code, 2);
}

/// The shell would not wait for it either.
#[test]
fn somebody_left_behind_does_not_keep_us() {
    let outcome = run(&proxied(&sh("(trap '' HUP; sleep 2) & echo done; exit 0")), nothing);
    assert_eq!(outcome.code, 0);
    assert!(String::from_utf8_lossy(&outcome.bytes).contains("done"));
}

#[test]
fn without_a_terminal_a_program_still_runs() {
    let mut command = proxied(&sh("stty size; tty >/dev/null && echo terminal; exit 3"));
    command.stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "24 80\r\nterminal\r\n");
    assert_eq!(output.status.code(), Some(3));
}
