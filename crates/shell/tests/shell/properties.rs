//! What holds for every command: it never panics, and appending never takes an effect away.

use super::effects_of;
use proptest::prelude::*;
use signalbox_shell::Effect;

/// Words from which realistic commands are made.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,5}(/[a-z]{1,4})?",
        Just("\"$X/a\"".to_owned()),
        Just("$(echo b)".to_owned()),
        Just("'q u'".to_owned()),
        Just("{a,b}.rs".to_owned()),
        Just("*.txt".to_owned()),
        Just("~/x".to_owned()),
        Just("${Y:-d}".to_owned()),
        Just("-rf".to_owned()),
        Just("../t".to_owned()),
        Just("$'\\x72'".to_owned()),
        Just("`pwd`".to_owned()),
    ]
}

fn program() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "rm",
        "cp",
        "ls",
        "cat",
        "echo",
        "cd",
        "git checkout",
        "git push",
        "sed -i s/a/b/",
        "tee",
        "cargo test",
        "X=a",
        "export Y=b",
        "find . -name a -delete",
        "xargs rm",
        "bash -c",
        "eval",
        "env -C d touch",
        "python3 -c",
        "mv",
        "sudo rm",
        "unknown-tool",
        "pushd",
        "popd",
        "read X",
        "curl -o",
        "tar xf",
        "f() { rm $1; }; f",
        "ln -s",
        "source",
    ])
    .prop_map(str::to_owned)
}

fn simple() -> impl Strategy<Value = String> {
    (program(), proptest::collection::vec(word(), 0..4), proptest::option::of(word())).prop_map(
        |(program, words, to)| {
            let redirect = to.map(|to| format!(" > {to}")).unwrap_or_default();
            format!("{program} {}{redirect}", words.join(" "))
        },
    )
}

pub fn command() -> impl Strategy<Value = String> {
    simple().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}; {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} && {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} || {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} | {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if {a}; then {b}; fi")),
            (inner.clone(), word()).prop_map(|(a, w)| format!("for X in {w} c; do {a}; done")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("{{ {a}; }}")),
            inner.clone().prop_map(|a| format!("echo \"$({a})\"")),
            inner.clone().prop_map(|a| format!("while true; do {a}; done")),
            inner.prop_map(|a| format!("cat <<EOF\n$({a})\nEOF\n")),
        ]
    })
}

/// Whether each effect of the one is in the other, as often.
fn within(small: &[Effect], large: &[Effect]) -> Option<Effect> {
    let mut left: Vec<&Effect> = large.iter().collect();
    for effect in small {
        match left.iter().position(|other| *other == effect) {
            Some(index) => {
                left.remove(index);
            }
            None => return Some(effect.clone()),
        }
    }
    None
}

proptest! {
    #[test]
    fn nothing_panics_on_any_text(text in "\\PC{0,200}") {
        effects_of(&text);
    }

    #[test]
    fn nothing_panics_on_shell_like_text(text in "[a-z0-9 $(){}\\[\\]<>|&;'\"`\\\\\n\t\r~*?!#=/.,:%@^+-]{0,120}") {
        effects_of(&text);
    }

    #[test]
    fn nothing_panics_on_damaged_commands(command in command(), at in any::<prop::sample::Index>(), insert in "[\"'`$(){};|&<>\\\\\n]{0,3}", cut in 0_usize..4) {
        let mut characters: Vec<char> = command.chars().collect();
        let index = at.index(characters.len() + 1);
        let end = (index + cut).min(characters.len());
        characters.splice(index..end, insert.chars());
        effects_of(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn appending_takes_nothing_away(one in command(), two in command()) {
        let alone = effects_of(&one);
        let damaged = alone.list.iter().any(|effect| matches!(effect, Effect::Opaque(opaque) if opaque.text == one));
        let both = effects_of(&format!("{one}; {two}"));
        if damaged {
            // What cannot be read may be read otherwise with more behind it, but it stays opaque.
            prop_assert!(both.list.iter().any(|effect| matches!(effect, Effect::Opaque(_))));
            return Ok(());
        }
        let missing = within(&alone.list, &both.list);
        prop_assert!(missing.is_none(), "{missing:?} is missing in {both}");
    }

    #[test]
    fn appending_to_damage_leaves_it_opaque(one in "[a-z ]{0,10}[\"'`(]", two in command()) {
        let both = effects_of(&format!("{one}; {two}"));
        prop_assert!(both.list.iter().any(|effect| matches!(effect, Effect::Opaque(_))) || effects_of(&one).list.is_empty());
    }
}
