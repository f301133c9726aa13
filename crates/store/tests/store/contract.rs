//! The repository's contract: what is read, what is refused and with which words.

use std::time::Duration;

use proptest::prelude::*;
use signalbox_core::Role;
use signalbox_store::contract::{
    By, Contract, Foreign, Gate, KEYS, Landing, Length, MOST_BYTES, NAMES, Style, Word,
};

const WHOLE: &str = include_str!("../../../cli/src/reference_contract.toml");

fn parse(text: &str) -> Result<Contract, String> {
    Contract::parse(text, "project.toml").map_err(|error| error.to_string())
}

#[test]
fn an_empty_one_is_all_defaults() {
    let contract = parse("").expect("nothing is a contract too");
    assert_eq!(contract, Contract::default());
    let run = &contract.run;
    assert_eq!((run.concurrency.get(), run.attempts.get()), (3, 3));
    let minutes = |length: u64| Duration::from_secs(length * 60);
    assert_eq!(
        [run.stall, run.max_time, run.backoff].map(Length::as_duration),
        [minutes(30), minutes(240), minutes(1)]
    );
    let names: Vec<&str> = run.names.iter().map(Word::as_str).collect();
    assert_eq!(names, NAMES);
    assert_eq!((contract.review.gates.as_slice(), contract.review.by), (&[Gate::Validate][..], By::Either));
    let merge = &contract.merge;
    assert_eq!(
        (merge.style, merge.batch.get(), merge.mode, merge.remote.as_str(), merge.foreign),
        (Style::Squash, 8, Landing::Land, "origin", Foreign::Validate)
    );
    assert!(contract.validate.retry_flaky && contract.validate.output_mb.get() == 64);
    assert_eq!(contract.test_command(), None);
    assert_eq!(contract.lacks().len(), 2);
}

#[test]
fn names_go_from_a_to_z() {
    let first: String = NAMES.iter().filter_map(|name| name.chars().next()).collect();
    assert_eq!(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

#[test]
fn a_whole_one() {
    let contract = parse(WHOLE).expect("the example of the reference page");
    assert_eq!(contract.main.as_ref().map(Word::as_str), Some("main"));
    assert_eq!(contract.role(Role::TestWriter).driver.as_str(), "codex");
    assert_eq!(contract.role(Role::TestWriter).pool(), "codex");
    assert_eq!(contract.role(Role::Reviewer).pool(), "reviews");
    assert_eq!(contract.role(Role::Worker), contract.role(Role::Doer));
    let test = contract.test_command().expect("the step called `test`");
    assert_eq!((test.run.as_str(), test.time.as_duration().as_secs()), ("cargo test", 1_200));
    assert!(contract.lacks().is_empty());
    let runs: Vec<(String, String)> = contract.runs().into_iter().map(|row| (row.when, row.what)).collect();
    let want = [
        ("setup", "cargo fetch --locked"),
        ("reviewer", "gemini --model pro"),
        ("validate: format", "cargo fmt --check"),
        ("validate: lint", "cargo clippy --all-targets -- -D warnings"),
        ("validate: test", "cargo test"),
    ];
    assert_eq!(runs, want.map(|(when, what)| (when.to_owned(), what.to_owned())));
}

/// Whatever could run something is among what a human is shown.
#[test]
fn nothing_runs_that_is_not_shown() {
    let contract = parse(
        "test_command = { run = 'MARK1' }\n[setup]\nrun = 'MARK2'\nteardown = 'MARK3'\n\
         [validate]\nsteps = [{ name = 'a', run = 'MARK4' }]\n[roles.doer]\nargs = ['MARK5']\n\
         [roles.test_writer]\nargs = ['MARK6']\n[roles.reviewer]\nargs = ['MARK7']\n[roles.shaper]\nargs = ['MARK8']\n\
         [merge]\nmode = 'push'\nremote = 'MARK9'\n",
    )
    .expect("a contract");
    let shown: String = contract.runs().into_iter().map(|row| row.what + "\n").collect();
    for mark in 1..=9 {
        assert!(shown.contains(&format!("MARK{mark}")), "MARK{mark}: {shown}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_setting() {
    for (text, want) in [
        ("mian = 'x'", "project.toml, line 1: there is no setting `mian`, did you mean `main`?"),
        (
            "\n[run]\nstal = '3m'",
            "project.toml, line 3: there is no setting `stal`, did you mean `stall`? (in `run`)",
        ),
        (
            "[run]\n\nstall = 'soon'",
            "project.toml, line 3: `soon` is not a time from a second to a year, such as `90s`, `30m` or `1h30m` (in `run.stall`)",
        ),
        ("[run]\nstall = '0s'", "project.toml, line 2: `0s` is not a time"),
        (
            "[run]\nstall = 30",
            "project.toml, line 2: a text in quotes is needed here, not `30` (in `run.stall`)",
        ),
        (
            "[run]\nconcurrency = 0",
            "line 2: a number from 1 to 100 is needed here, not 0 (in `run.concurrency`)",
        ),
        ("[run]\nconcurrency = 99999999999999", "line 2: a number from 1 to 100 is needed here"),
        ("[run]\nnames = []", "line 2: there must be at least one name"),
        ("[run]\nnames = ['Ada', 'Bo', 'ada']", "line 2: two agents would be called `ada` (in `run.names`)"),
        ("[run]\nnames = ['A b']", "line 2: `A b` cannot stand here: it must be a word"),
        ("tests = ['tests/**', '/etc/**']", "line 1: `/etc/**` cannot stand here: it must be below"),
        (
            "tests = ['src/[ab].rs']",
            "line 1: `src/[ab].rs` cannot stand here: sets and alternatives are not known",
        ),
        ("protect = ['**']", "line 1: `**` cannot stand here: it means every file"),
        ("tests = 'tests/**'", "line 1: a list in brackets is needed here"),
        ("main = '../x'", "line 1: `../x` cannot stand here"),
        ("main = '-x'", "line 1: `-x` cannot stand here"),
        ("[review]\ngates = []", "line 2: without a gate nothing would keep bad work from main"),
        (
            "[review]\ngates = ['valdate']",
            "line 2: `valdate` is not known; there are `validate`, `independent`",
        ),
        ("[validate]\nsteps = [{ name = 'a' }]", "line 2: `run` is missing"),
        (
            "[validate]\nsteps = [{ name = 'a', run = ' ' }]",
            "line 2: ` ` cannot stand here: there is nothing to run",
        ),
        (
            "[validate]\nsteps = [\n{ name = 'a', run = 'x' },\n{ name = 'b', run = 'x', tine = '1m' }]",
            "line 4: there is no setting `tine`, did you mean `time`?",
        ),
        (
            "[[validate.steps]]\nname = 'a'\nrun = 'x'\n[[validate.steps]]\nname = 'a'\nrun = 'y'\n",
            "two validation steps are called `a` (in `validate.steps`)",
        ),
        (
            "[validate]\nenv = ['A=B']",
            "line 2: `A=B` cannot stand here: it is no name of an environment variable",
        ),
        ("[validate]\nkeep = ['.GIT']", "line 2: `.GIT` cannot stand here: that is git's or Signalbox's own"),
        ("[validate]\nkeep = ['a/../..']", "line 2: `a/../..` cannot stand here"),
        ("[validate]\nkeep = ['t*']", "line 2: `t*` cannot stand here: it must be a folder"),
        ("[validate]\noutput_mb = 0", "line 2: a whole number of at least 1 is needed here"),
        ("[merge]\nstyle = 'merge'", "line 2: `merge` is not known; there are `squash`, `rebase`"),
        ("[roles.doper]\ndriver = 'x'", "there is no setting `doper`, did you mean `doer`? (in `roles`)"),
        ("[setup]\nrun = \"a\\u0000b\"", "line 2: `a\\x00b` cannot stand here: a zero byte"),
        (
            "[[rules]]\nname = 'x'\ndecision = 'allow'",
            "line 2: the rule `x` allows something, and a repository may only deny",
        ),
        ("a = 1\nb", "project.toml, line 2: a `=` is missing"),
        ("[run]\nstall = '1m'\nstall = '2m'", "line 3: this is set a second time"),
    ] {
        let said = parse(text).expect_err(text);
        assert!(said.contains(want), "{text}\nsays: {said}\nwant: {want}");
        assert!(!said.contains('\n'), "{said:?} is one line");
    }
    let long = format!("# {}", "x".repeat(MOST_BYTES));
    assert!(parse(&long).expect_err("too long").contains("are the most"));
    let bytes = Contract::parse([0xff, 0xfe], "project.toml").expect_err("no text").to_string();
    assert_eq!(bytes, "project.toml: it is not UTF-8 text");
}

/// The page of settings is made from a table; it must name what the parser takes, all of it and nothing else.
#[test]
fn the_table_names_every_setting() {
    let known = |header: &str| -> Vec<String> {
        let said = parse(&format!("{header}\nqqqqqqqq = 1\n")).expect_err("it is no setting");
        let list = said.split_once("there are ").unwrap_or_else(|| panic!("{said}")).1;
        let list = list.split(" (in").next().unwrap_or_default();
        list.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
    };
    let tables = ["run", "review", "validate", "merge", "setup"];
    let mut settings: Vec<String> =
        known("").into_iter().filter(|key| key != "roles" && !tables.contains(&key.as_str())).collect();
    for table in tables {
        settings.extend(known(&format!("[{table}]")).iter().map(|key| format!("{table}.{key}")));
    }
    assert_eq!(known("[roles]"), ["doer", "test-writer", "test_writer", "reviewer", "shaper"]);
    settings.extend(known("[roles.doer]").iter().map(|key| format!("roles.ROLE.{key}")));
    let mut documented: Vec<String> = KEYS.iter().map(|key| key.key.to_owned()).collect();
    settings.sort();
    documented.sort();
    assert_eq!(documented, settings);
    for (table, header) in [("validate.steps", "[[validate.steps]]"), ("test_command", "[test_command]")] {
        let about = KEYS.iter().find(|key| key.key == table).map(|key| key.about).unwrap_or_default();
        for key in known(header) {
            assert!(about.contains(&key), "{table}.{key} is not explained");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands there is a contract or a sentence.
    #[test]
    fn any_text_is_a_contract_or_a_sentence(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn any_bytes_are_a_contract_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Contract::parse(&bytes, "project.toml").map_err(|error| error.to_string());
    }

    /// A good one with something else in one place: what is said names a line that is there.
    #[test]
    fn a_damaged_one_is_told_with_a_line(at in 0..WHOLE.len(), cut in 0..20usize, put in "[\\[\\]{}=\"'a-z0-9\\n.#]{0,6}") {
        let mut text = WHOLE.to_owned();
        let end = (at + cut).min(text.len());
        text.replace_range(at..end, &put);
        if let Err(error) = Contract::parse(&text, "project.toml") {
            let line = error.line.expect("a line");
            prop_assert!(line >= 1 && line <= text.lines().count() + 1, "{error}");
            prop_assert!(!error.message.is_empty() && !error.to_string().contains('\n'), "{error}");
        }
    }

    /// Any value of any type in any place.
    #[test]
    fn any_value_in_any_place(
        key in proptest::sample::select(KEYS.iter().map(|key| key.key.replace("ROLE", "doer")).collect::<Vec<_>>()),
        value in proptest::sample::select(vec![
            "1", "-1", "0", "9223372036854775807", "1.5", "nan", "true", "''", "'x'", "'1m'", "[]", "['x']", "[[]]", "[1]",
            "{}", "{ x = 1 }", "[{ name = 'x' }]", "1979-05-27", "'\\u0000'", "\"\\u0000\"", "\"\\u202E\"",
        ]),
    ) {
        if let Err(error) = Contract::parse(format!("{key} = {value}\n"), "project.toml") {
            prop_assert_eq!(error.line, Some(1));
            prop_assert!(!error.to_string().chars().any(char::is_control), "{}", error);
        }
    }
}
