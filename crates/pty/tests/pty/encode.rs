//! Hostile text: no key and no end of a paste leaves the encoder, and nothing of it is run by a real shell.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use signalbox_pty::{Paste, Safe};

use crate::kit::{Term, eventually};

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

/// Text that is mostly what hostile text is made of.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(vec![
            "\x1b[201~", "\x1b[200~", "\x1b[20", "1~", "\x1b", "[201~", "\u{9b}201~", "\u{9b}", "\r", "\n", "\r\n",
            "\x03", "\x04", "\x7f", "\x08", "\t", "\x1bc", "\x1b]52;c;eA==\x07", "\x1bP", "\u{90}", "\u{9c}", "\u{85}",
            "\0", "rm -rf .", "; touch x", "`id`", "$(id)", "!!", "^a^b",
        ]).prop_map(str::to_owned),
        2 => any::<char>().prop_map(String::from),
        1 => ".{0,12}",
        1 => prop::char::range('\0', '\u{a0}').prop_map(String::from),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    // `PROPTEST_CASES=1000000` for a million.
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn no_control_byte_leaves_the_encoder(text in hostile()) {
        let safe = Safe::new(&text);
        let pasted = safe.paste(Paste::Bracketed);
        prop_assert!(pasted.starts_with(BEGIN) && pasted.ends_with(END));
        let inside = &pasted[BEGIN.len()..pasted.len() - END.len()];
        let inside = std::str::from_utf8(inside).expect("text stays text");
        for c in inside.chars() {
            let allowed = c == '\t' || c == '\n' || (c >= ' ' && c != '\x7f' && !('\u{80}'..='\u{9f}').contains(&c));
            prop_assert!(allowed, "{c:?} in {inside:?}");
        }
        let unmarked = String::from_utf8(safe.paste(Paste::Unmarked)).expect("text stays text");
        prop_assert!(!unmarked.chars().any(char::is_control));
        // Whatever is harmless is kept, in its order.
        let kept: String = text.chars().filter(|c| !c.is_control()).collect();
        prop_assert_eq!(inside.chars().filter(|c| !c.is_control()).collect::<String>(), kept);
        // Once is enough.
        prop_assert_eq!(Safe::new(safe.as_str()), safe);
    }
}

#[test]
fn line_ends_become_newlines() {
    assert_eq!(Safe::new("a\r\nb\rc\nd\te").as_str(), "a\nb\nc\nd\te");
    assert_eq!(Safe::new("\x1b[31m\x07\0\x7f\u{9b}").as_str(), "[31m");
    assert!(Safe::new("\x1b\x07\r".trim_end()).is_empty());
    assert_eq!(Safe::new("a\n\tb").paste(Paste::Unmarked), b"a  b");
}

/// Texts that would run `touch` where they broke out of the paste.
fn break_outs(marker: &Path) -> Vec<String> {
    let touch = format!("touch {}", marker.display());
    let ends = [
        "\x1b[201~\r".to_owned(),
        "\x1b[201~\n".to_owned(),
        // Removing the mark once makes another.
        "\x1b[20\x1b[201~1~\r".to_owned(),
        "\x1b[2\x1b[20\x1b[201~1~01~\r".to_owned(),
        "\u{9b}201~\r".to_owned(),
        "\x1b\x1b[201~\r".to_owned(),
        "\x1b[0201~\r".to_owned(),
        "\x1b[201;1~\r".to_owned(),
        "\x1b[201~\x0f".to_owned(),
        "\x18\x1b[201~\r".to_owned(),
        "\r".to_owned(),
        "\x0d\x0a".to_owned(),
        "\x03".to_owned(),
        "\x1b[201~\x15".to_owned(),
    ];
    ends.iter().flat_map(|end| [format!("{end}{touch}\r"), format!("x{end}{touch}\n{end}")]).collect()
}

/// A shell at its prompt, which has asked for marked pastes.
fn shell() -> Term {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-i"]).env("PS1", "prompt> ").env("INPUTRC", "/dev/null");
    let mut term = Term::start(&bash);
    term.shown.wait_for("prompt> ");
    term.send("bind 'set enable-bracketed-paste on'; echo re''ady\r");
    asks_again(&term, "ready");
    term
}

/// Wait until the shell reads a line itself, after it said this. Until then the kernel edits the line, and would throw
/// away the end of a paste with it.
fn asks_again(term: &Term, last: &str) {
    eventually("the next prompt", || {
        term.shown.text().rsplit_once(last).is_some_and(|(_, after)| after.contains("\x1b[?2004h"))
    });
}

/// Throw the line away and wait until the shell does what it is told again.
fn comes_back(term: &mut Term, number: usize) {
    // To the end of the line, and delete back to its beginning. The echo proves that all before it was dealt with;
    // the interrupt key would throw away what the shell has not read yet.
    term.send(b"\x05\x15");
    term.send(format!("echo do''ne-{number}-\r"));
    asks_again(term, &format!("done-{number}-"));
}

#[test]
fn a_real_shell_runs_none_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("broke-out");
    let mut term = shell();
    for (number, text) in break_outs(&marker).iter().enumerate() {
        term.send(Safe::new(text).paste(Paste::Bracketed));
        comes_back(&mut term, number);
        assert!(!marker.exists(), "{text:?} was run");
    }
}

/// The test above can fail: without the encoder the same texts are run.
#[test]
fn without_the_encoder_a_real_shell_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("broke-out");
    let mut term = shell();
    let text = break_outs(&marker).remove(0);
    term.send([BEGIN, text.as_bytes(), END].concat());
    eventually("the marker", || marker.exists());
}
