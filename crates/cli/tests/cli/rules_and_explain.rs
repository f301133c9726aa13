//! `rules` and `explain`: what is refused, what would be, and why something was.

use serde_json::{Value, json};
use signalbox_testkit::{Run, TestEnv};

use crate::payloads::{ask, ask_shell, claude, events, write_call};
use crate::support::{env, fields, json as one, json_error, safe, story};

/// An environment with these rules of the person's own.
fn with_rules(rules: &str) -> TestEnv {
    let env = env();
    let config = env.home().join("config.toml");
    env.write(&config, format!("{}\n{rules}", env.read(&config)));
    env
}

const NO_CURL: &str = "[[rules]]\nname = \"no downloads\"\ndecision = \"deny\"\ncommand = \"curl *\"\n\
                       reason = \"ask before you fetch\"\nmatch = [\"curl https://example.org\"]\nnot_match = [\"curlie x\"]\n";

#[test]
fn the_list() {
    let env = with_rules(&format!(
        "{NO_CURL}[[rules]]\nname = \"docs\"\ndecision = \"allow\"\ntool = \"Write\"\npath = \"docs/**\"\n"
    ));
    std::fs::create_dir(env.project().join(".signalbox")).expect("a folder");
    let theirs = "[[rules]]\nname = \"no pushing\"\ndecision = \"deny\"\ncommand = \"git push*\"\n";
    env.write(env.project().join(".signalbox/project.toml"), theirs);
    insta::assert_snapshot!(env.sb(["rules", "list"]), @"
    own        What your own `[[rules]]` deny
    human      Commands of `sb` that only a human may give
    mode       In discussion mode nothing is changed, and only what is known to read is run
    protected  Files that run code behind a person's back or hold the rules themselves
    hidden     Text that was encoded or packed is not run; sessions nobody watches run nothing unseen
    branch     A session with a branch stays on it: no switching, merging, rebasing, rewriting or configuring
    outside    A session with a worktree writes only there and in the folder for temporary files
    tests      A doer changes no tests, and a test-writer nothing else
    build      Sessions nobody watches do not change what runs code when the project is built or opened
    ownership  Which role may write which files
    own: no downloads  denies command curl *
    own: docs  allows tool Write, path docs/**
    repository: no pushing  denies command git push*
    ");
    let list = one(&env.sb(["rules", "list", "--json"]).success());
    assert_eq!(fields(&list), ["rules", "own", "repository"]);
    let shipped = list["rules"].as_array().expect("a list");
    assert!(shipped.iter().all(|rule| fields(rule) == ["name", "about", "liftable"]), "{list}");
    assert_eq!(shipped.len(), 10);
    assert_eq!(list["own"][0]["match"], json!(["curl https://example.org"]));
    assert_eq!(list["repository"][0]["name"], "no pushing");
}

#[test]
fn examples_that_are_wrong_are_said() {
    for (rule, says) in [
        (
            NO_CURL.replace("curl https", "wget https"),
            "the rule `no downloads` should be about `wget https://example.org`, and is not",
        ),
        (
            NO_CURL.replace("curlie x", "curl x"),
            "the rule `no downloads` should not be about `curl x`, and is",
        ),
        (
            NO_CURL.replace("command", "# command"),
            "the rule `no downloads` says neither `tool` nor `command` nor `path`",
        ),
        (
            NO_CURL.replace("command = \"curl *\"", "path = \"infra/**\""),
            "should be about `curl https://example.org`, and is not",
        ),
    ] {
        let env = with_rules(&rule);
        env.sb(["rules", "list"]).success().says("warning: ").says(says);
        // Until it is put right nothing may run.
        env.sb(["rules", "test", "ls"]).code(4).says(says).says("(rule: charter)");
        let mut ada = env.agent("ada");
        ask_shell(&env, &mut ada, "ls").says(says);
        // Everything else of `sb` works all the same.
        env.new_ticket("One");
    }
    for (rule, says) in [
        (NO_CURL.replace("deny", "forbid"), "`forbid` is not known"),
        (NO_CURL.replace("reason", "because"), "there is no setting `because`"),
        (NO_CURL.replace("name", "# name"), "`name` is missing"),
    ] {
        let env = with_rules(&rule);
        let run = env.sb(["rules", "list"]).code(1);
        assert!(run.stderr.contains("config.toml, line ") && run.stderr.contains(says), "{run}");
    }
}

#[track_caller]
fn rule_of(run: &Run) -> Vec<String> {
    let said: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let refused = said["refused"].as_array().expect("a list");
    refused.iter().map(|one| one["rule"].as_str().expect("a rule").to_owned()).collect()
}

#[test]
fn what_would_be_refused() {
    let env = with_rules(NO_CURL);
    insta::assert_snapshot!(env.sb(["rules", "test", "ls -la"]), @"
    --- stderr
    It may run.
    ");
    insta::assert_snapshot!(env.sb(["rules", "test", "curl -s x; echo x > .git/config"]), @"
    --- stderr
    Also refused by `protected`: `.git/config` is protected: agents do not change it.
    error: the rule `no downloads` denies it: ask before you fetch (rule: own)
    hint: `sb rules list` shows the rules and where they stand.
    --- exit 4
    ");
    for (words, refused) in [
        (&["ls"][..], &[][..]),
        (&["curl x"], &["own"]),
        (&["sb close 1"], &["human"]),
        (&["touch a", "--mode", "discussion"], &["mode"]),
        (&["touch a", "--mode", "implementation"], &[]),
        (&["rm -rf tests", "--role", "doer"], &["tests"]),
        (&["rm -rf tests", "--role", "test-writer"], &[]),
        (&["touch src/a.rs", "--role", "test-writer"], &["tests"]),
        (&["touch src/a.rs", "--role", "reviewer"], &["ownership"]),
        (&["touch src/a.rs", "--role", "reviewer", "--mode", "discussion"], &["mode", "ownership"]),
        (&["touch /srv/x", "--role", "doer"], &["outside"]),
        (&["touch /srv/x"], &[]),
        (&["Makefile", "--write", "--role", "worker"], &["build"]),
        (&["Makefile", "--write"], &[]),
        (&[".claude/settings.json", "--write"], &["protected"]),
        (&["tests/a.rs", "--write", "--role", "doer"], &["tests"]),
    ] {
        let words: Vec<&str> = ["rules", "test"].iter().chain(words).copied().collect();
        let run = env.sb(&words).code(if refused.is_empty() { 0 } else { 4 });
        let told = if refused.is_empty() { "It may run." } else { "(rule: " };
        assert!(run.stderr.contains(told) && run.stdout.is_empty(), "{run}");
        let run = env.sb(words.iter().chain(&["--json"]));
        assert_eq!(rule_of(&run), refused, "{words:?}");
        let error: Value = serde_json::from_str(&run.stderr).unwrap_or_default();
        assert_eq!(error["error"]["code"].is_string(), !refused.is_empty(), "{run}");
    }
    // A branch comes with the role, where the repository is on one.
    std::fs::create_dir(env.project().join(".git")).expect("a folder");
    env.write(env.project().join(".git/HEAD"), "ref: refs/heads/own\n");
    let run = env.sb(["rules", "test", "git checkout main", "--role", "doer", "--json"]).code(4);
    assert_eq!(rule_of(&run), ["branch"]);
    // Trying is not doing.
    assert!(!env.project().join("a").exists());
    assert_eq!(events(&env, "hook.*").len(), 0);
}

#[test]
fn whose_charter() {
    let env = env();
    let mut ada = env.agent("ada");
    env.sb(["session", "set", "--session", "ada", "--role", "reviewer"]).success();
    env.sb(["rules", "test", "touch a", "--session", "ada"]).code(4).says("(rule: ownership)");
    // The only one that runs here, and an agent's own.
    env.sb(["rules", "test", "touch a"]).code(4).says("(rule: ownership)");
    ada.sb(["rules", "test", "touch a"]).code(4).says("(rule: ownership)");
    ada.sb(["rules", "test", "touch a", "--role", "assistant"]).success().says("It may run.");
    for (words, code, says) in [
        (&["--session", "nobody"][..], 3, "there is no session `nobody`"),
        (&["--role", "emperor"], 2, "there is no role `emperor`"),
        (&["--mode", "planning"], 2, "there is no mode `planning`"),
    ] {
        let words: Vec<&str> = ["rules", "test", "ls"].iter().chain(words).copied().collect();
        env.sb(words).code(code).says(says);
    }
    env.sb(["rules", "test"]).code(2);
    env.sb(["rules"]).code(2);
}

#[test]
fn why_it_was_refused() {
    let env = story();
    let mut ada = env.agent("ada");
    env.sb(["session", "set", "--session", "ada", "--role", "doer", "--branch", "own"]).success();
    ask_shell(&env, &mut ada, "ls");
    ask_shell(&env, &mut ada, "git checkout main && rm -rf tests");
    ask_shell(&env, &mut ada, "ls");
    insta::assert_snapshot!(env.sb(["explain"]), @r#"
    2026-11-15T10:00:05Z  ada  Bash in ROOT/shop
      git checkout main && rm -rf tests

    Refused by `branch`: this session works on the branch `own` alone, and this goes to main.

    What it would do, as far as its words show:
      run git(listed)
      git switch main
      write ROOT/shop/main
      run rm(listed)
      remove ROOT/shop/tests

    Rule `branch` says no: this session works on the branch `own` alone, and this goes to main.
      Commit on your own branch and submit: `sb submit`. What must happen on another branch belongs in a note.

    Rule `tests` says no: `tests` is a test, and a doer does not change tests.
      Make the tests pass as they are. If a test is wrong, say which and why: `sb note "…"`, or give the ticket back with `sb release`.
    "#);
    // The agent's own, in its own words.
    assert_eq!(ada.sb(["explain"]).success().stdout, env.sb(["explain"]).success().stdout);
    let told = one(&env.sb(["explain", "--json"]).success());
    assert_eq!(fields(&told), ["event", "effects", "refused_now"]);
    assert_eq!(told["event"]["data"]["rule"], "branch");
    let now: Vec<&Value> =
        told["refused_now"].as_array().expect("a list").iter().map(|one| &one["rule"]).collect();
    assert_eq!(now, ["branch", "tests"]);
    // By its id, or the beginning of it; a call that passed too.
    let calls = events(&env, "hook.pre-tool");
    let id = calls[1]["id"].as_str().expect("an id");
    assert_eq!(one(&env.sb(["explain", id, "--json"]).success()), told);
    let id = id.to_lowercase();
    assert_eq!(one(&env.sb(["explain", &id, "--json"]).success()), told);
}

/// A file tool's refusal tells of the file.
#[test]
fn why_a_file_was_not_written() {
    let env = story();
    let mut ada = env.agent("ada");
    let file = env.project().join(".claude/settings.json");
    ask(&env, &mut ada, "claude", &write_call(&env, "claude", "ada", file.to_str().expect("UTF-8")));
    insta::assert_snapshot!(env.sb(["explain"]), @r#"
    2026-11-15T10:00:03Z  ada  Write in ROOT/shop
      ROOT/shop/.claude/settings.json

    Refused by `protected`: `ROOT/shop/.claude/settings.json` is protected: agents do not change it.

    Rule `protected` says no: `ROOT/shop/.claude/settings.json` is protected: agents do not change it.
      Ask the person to change it, or to take it out of protection: `sb config set protect.except "…"`.
    "#);
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    ask_shell(&env, &mut ada, "touch a");
    env.sb(["mode", "implementation", "--session", "ada"]).success();
    env.sb(["explain"]).success().says("Refused by `mode`").says("Today it would not be refused");
}

#[test]
fn nothing_to_explain() {
    let env = env();
    env.sb(["explain"]).code(3).says("nothing was refused here");
    let mut ada = env.agent("ada");
    ask_shell(&env, &mut ada, "ls");
    env.sb(["explain"]).code(3).says("nothing was refused here");
    ada.sb(["explain"]).code(3).says("nothing was refused here");
    let error = json_error(&env.sb(["explain", "01XYZ", "--json"]).code(3));
    assert_eq!(error["code"], "event.unknown");
    env.sb(["explain", "01XYZ"]).code(3).says("`sb log --event 'hook.pre-tool'` shows them.");
    // Somebody else's refusal is not an agent's own.
    let mut bowie = env.agent("bowie");
    ask_shell(&env, &mut ada, "sb close 1");
    bowie.sb(["explain"]).code(3);
    ada.sb(["explain"]).success();
}

/// What an agent wrote does not act on a person's terminal.
#[test]
fn control_characters_are_shown() {
    let env = env();
    let mut ada = env.agent("ada");
    let command = "sb close 1 # \u{1b}[31m\u{7}\u{202e}\nsecond line";
    let call = json!({ "tool_input": { "command": command }, "tool_name": "Ba\u{1b}[31msh", "cwd": "/tmp/\u{1b}[2J" });
    ask_shell(&env, &mut ada, command);
    safe(env.sb(["explain"]).success());
    ask(&env, &mut ada, "claude", &claude(&env, "PreToolUse-Bash", "ada", &call));
    safe(env.sb(["explain"]).success());
    safe(env.sb(["log"]).success());
    safe(env.sb(["rules", "test", command]).code(4));
    safe(env.sb(["rules", "test", "\u{1b}[31m/.git/x", "--write"]).code(4));
}
