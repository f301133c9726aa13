//! The corpora in `corpus/`: evasions must be refused, ordinary commands must not.

use std::path::PathBuf;

use crate::world::{assistant, discussing, doer, judged, shell, write};

#[expect(clippy::expect_used, reason = "a test without its corpus must fail")]
fn lines(name: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name);
    let text = std::fs::read_to_string(&path).expect("the corpus");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(ToOwned::to_owned).collect()
}

/// `\n`, `\t`, `\r`, `\0` and `\\` as the files write them.
#[expect(clippy::panic, reason = "a line that cannot be read must not be skipped")]
fn plain(escaped: &str) -> String {
    let mut text = String::new();
    let mut letters = escaped.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some('\\') => '\\',
                other => panic!("{other:?} is no escape: {escaped}"),
            },
            other => other,
        });
    }
    text
}

/// Every evasion is refused, by whatever rule.
#[test]
fn no_evasion_is_judged_harmless() {
    let cases = lines("evasions.txt");
    assert!(cases.len() >= 400, "{} cases", cases.len());
    let mut missed = Vec::new();
    for case in &cases {
        let fields: Vec<&str> = case.splitn(4, '\t').collect();
        let [rule, _, tool, input] = fields.as_slice() else { panic!("not four fields: {case}") };
        let charter = match *rule {
            "mode" => discussing(),
            "protected" | "human" => assistant(),
            "tests" | "branch" | "outside" | "build" => doer(),
            other => panic!("no such rule: {other}"),
        };
        let input = plain(input);
        let call = if *tool == "Write" { write(&input) } else { shell(&input) };
        if judged(&charter, &call).is_empty() {
            missed.push(case.as_str());
        }
    }
    report("evasions judged harmless", &missed, cases.len());
    assert!(missed.is_empty(), "{} of {} evasions pass", missed.len(), cases.len());
}

/// At most 5 of at least 5,000 ordinary commands are refused to an assistant in implementation mode.
#[test]
fn ordinary_commands_pass() {
    refusals("ordinary.txt", 5_000, 5, &assistant());
}

/// At most 10 of the read-only ones are refused in discussion mode.
#[test]
fn reading_passes_in_discussion_mode() {
    refusals("reading.txt", 1_500, 10, &discussing());
}

fn refusals(file: &str, least: usize, most: usize, charter: &signalbox_core::Charter) {
    let cases = lines(file);
    assert!(cases.len() >= least, "{} cases", cases.len());
    let refused: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let refused = judged(charter, &shell(&plain(case)));
            refused.first().map(|first| format!("{}: {case}\n      {}", first.rule, first.refusal.message))
        })
        .collect();
    let shown: Vec<&str> = refused.iter().map(String::as_str).collect();
    report(&format!("refused of {file}"), &shown, cases.len());
    assert!(refused.len() <= most, "{} of {} are refused, and {most} may be", refused.len(), cases.len());
}

fn report(what: &str, cases: &[&str], all: usize) {
    println!("{}: {} of {all}", what, cases.len());
    for case in cases.iter().take(400) {
        println!("  {case}");
    }
}
