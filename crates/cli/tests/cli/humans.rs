//! `assign`, `hold`, `unhold`, `override`, `close`, `reopen`: what a human may do and an agent may not.

use crate::support::{env, json, json_error, status, story, ticket};

#[test]
fn a_hold_blocks_until_it_is_released() {
    let env = story();
    let id = env.new_ticket("One");
    env.sb(["pick", &id]).success();
    insta::assert_snapshot!(env.sb(["hold", &id, "until", "Monday"]), @"
    --- stderr
    sb_Bq5DH9 is on hold.
    ");
    let held = ticket(&env, &id);
    assert_eq!((&held["status"], &held["prior_status"]), (&"blocked".into(), &"in-progress".into()));
    assert_eq!(held["hold"]["reason"], "until Monday");
    insta::assert_snapshot!(env.sb(["unhold", &id, "it", "is", "Monday"]), @"
    --- stderr
    sb_Bq5DH9 is no longer on hold; it is in-progress.
    ");
    insta::assert_snapshot!(env.sb(["unhold", &id]), @"
    --- stderr
    error: sb_Bq5DH9 is not on hold
    hint: `sb show sb_Bq5DH9` says what it waits for.
    --- exit 4
    ");
    env.sb(["hold", &id]).code(2);
    env.sb(["hold", &id, " "]).code(2);
    env.sb(["close", &id]).success();
    insta::assert_snapshot!(env.sb(["hold", &id, "why"]), @"
    --- stderr
    error: sb_Bq5DH9 is done, and there is nothing left to hold
    hint: Reopen it first: `sb reopen sb_Bq5DH9 REASON`.
    --- exit 4
    ");
}

#[test]
fn held_and_waiting_stays_blocked_until_both_are_gone() {
    let env = env();
    let first = env.new_ticket("First");
    let id = env.sb(["new", "Second", "-d", &first]).success().stdout.trim().to_owned();
    env.sb(["hold", &id, "why"]).success();
    env.sb(["close", &first]).success();
    assert_eq!(status(&env, &id), "blocked");
    env.sb(["reopen", &first]).success();
    env.sb(["unhold", &id]).success().says("still waits for another ticket");
    assert_eq!(status(&env, &id), "blocked");
    env.sb(["close", &first]).success();
    assert_eq!(status(&env, &id), "open");
}

#[test]
fn a_ticket_is_assigned_and_taken_back() {
    let env = story();
    let id = env.new_ticket("One");
    insta::assert_snapshot!(env.sb(["assign", &id, "ada"]), @"
    --- stderr
    sb_Bq5DH9 belongs to ada.
    ");
    let mut bowie = env.agent("bowie");
    bowie.sb(["pick", &id]).code(4);
    bowie.sb(["pop"]).code(3);
    insta::assert_snapshot!(env.sb(["assign", &id]), @"
    --- stderr
    sb_Bq5DH9 belongs to nobody.
    ");
    bowie.sb(["pick", &id]).success();
    insta::assert_snapshot!(env.sb(["assign", &id]), @"
    --- stderr
    sb_Bq5DH9 belongs to nobody.
    ");
    assert_eq!(status(&env, &id), "open");
    env.sb(["assign", &id, &"x".repeat(101)]).code(2);
    env.sb(["close", &id]).success();
    insta::assert_snapshot!(env.sb(["assign", &id, "ada"]), @"
    --- stderr
    error: sb_Bq5DH9 is done
    hint: Reopen it first: `sb reopen sb_Bq5DH9 REASON`.
    --- exit 4
    ");
}

#[test]
fn a_human_may_override_anything_and_it_is_recorded() {
    let env = story();
    let first = env.new_ticket("First");
    let id = env.sb(["new", "Second", "-d", &first]).success().stdout.trim().to_owned();
    insta::assert_snapshot!(env.sb(["override", &id, "wip", "no", "time"]), @"
    --- stderr
    sb_W7094S is in-progress by override.
    ");
    let overridden = ticket(&env, &id);
    assert_eq!(overridden["waived"], serde_json::json!([first]));
    assert_eq!(overridden["blocked_by"], serde_json::json!([]));
    assert_eq!(overridden["assignee"], "human");
    for to in ["review", "rework", "done", "backlog", "open"] {
        env.sb(["override", &id, to, "because"]).success();
        assert_eq!(status(&env, &id), to);
    }
    insta::assert_snapshot!(env.sb(["override", &id, "blocked", "x"]), @"
    --- stderr
    error: a ticket is blocked by a hold or a dependency, not by its status
    hint: Hold it: `sb hold sb_W7094S REASON`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["override", &id, "nearly", "x"]), @"
    --- stderr
    error: `nearly` is not a status
    hint: The statuses are backlog, open, in-progress, review, rework, done and blocked.
    --- exit 2
    ");
    let log = env.sb(["log", "--ticket", &id, "--event", "status.in-progress", "--json"]).success().stdout;
    assert!(log.contains("\"cause\":\"override\"") && log.contains("no time"), "{log}");
}

#[test]
fn closing_and_reopening() {
    let env = story();
    let id = env.new_ticket("One");
    insta::assert_snapshot!(env.sb(["reopen", &id]), @"
    --- stderr
    error: sb_Bq5DH9 is open, not done
    hint: To move it elsewhere: `sb override sb_Bq5DH9 STATUS REASON`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["close", &id, "not", "needed"]), @"
    --- stderr
    sb_Bq5DH9 is done.
    ");
    assert_eq!(ticket(&env, &id)["completion_notes"], "not needed");
    insta::assert_snapshot!(env.sb(["reopen", &id, "needed", "after", "all"]), @"
    --- stderr
    sb_Bq5DH9 is open again.
    ");
    assert_eq!(ticket(&env, &id)["assignee"], serde_json::Value::Null);
}

#[test]
fn agents_are_refused() {
    let env = env();
    let id = env.new_ticket("One");
    let done = env.new_ticket("Done");
    let waits = env.sb(["new", "Waits", "-d", &id]).success().stdout.trim().to_owned();
    let held = env.new_ticket("Held");
    let escalated = env.new_ticket("Escalated");
    env.sb(["close", &done]).success();
    env.sb(["hold", &held, "why"]).success();
    env.sb(["edit", &escalated, "--escalated", "true"]).success();
    let config = env.read(env.home().join("config.toml"));
    let before = env.sb(["list", "--all", "--json"]).success().stdout;
    let mut ada = env.agent("ada");
    let commands: [&[&str]; 10] = [
        &["hold", &id, "why"],
        &["unhold", &held],
        &["override", &id, "done", "why"],
        &["close", &id],
        &["reopen", &done],
        &["assign", &id, "ada"],
        &["edit", &waits, "--no-depends-on", &id],
        &["edit", &escalated, "--escalated", "false"],
        &["config", "set", "vault", "/tmp"],
        &["doctor", "--fix"],
    ];
    for words in commands {
        let refused = ada.sb(words
            .iter()
            .copied()
            .chain(["--json"])
            .filter(|word| words[0] != "config" || *word != "--json"));
        let refused = refused.code(4).says("only a human may");
        if words[0] != "config" {
            assert_eq!(json_error(&refused)["code"], "human.only", "{refused}");
        }
    }
    assert_eq!(env.sb(["list", "--all", "--json"]).success().stdout, before);
    assert_eq!(env.read(env.home().join("config.toml")), config);
    // The same for one who dropped its environment.
    for words in commands {
        let line = words.iter().map(|word| signalbox_testkit::quote(word)).collect::<Vec<_>>().join(" ");
        ada.run(&format!("env -u SIGNALBOX_SESSION sb {line}")).code(4).says("only a human may");
    }
}

/// What an agent may do: put on an escalation and a dependency, which only ever hold work back.
#[test]
fn agents_may_hold_themselves_back() {
    let env = env();
    let (id, other) = (env.new_ticket("One"), env.new_ticket("Other"));
    let mut ada = env.agent("ada");
    ada.sb(["edit", &id, "--escalated", "true", "--depends-on", &other]).success();
    let edited = json(&env.sb(["show", &id, "--json"]).success());
    assert_eq!((&edited["status"], &edited["escalated"]), (&"blocked".into(), &true.into()));
    ada.sb(["init", "."]).success();
    ada.sb(["index", "rebuild"]).success();
    ada.sb(["doctor"]).success();
}

/// Hooks refuse these commands to agents before they run; `sb` refuses each of them itself too.
#[test]
fn what_the_judge_calls_human_only_is_refused_by_the_command_itself() {
    let env = env();
    let id = env.new_ticket("One");
    let mut agent = env.agent("ada");
    // From here every switch of the mode would open it.
    agent.sb(["mode", "discussion"]).success();
    let mut refused = |words: &[&str]| {
        agent.sb(words.iter().copied()).code(4).says("only a human may");
    };
    for (command, words) in signalbox_core::judge::HUMAN_ONLY {
        match (*command, *words) {
            // A hook acts for whoever runs it, and can only report.
            ("hook", _) => {}
            ("override", _) => refused(&["override", &id, "done", "because"]),
            ("hold" | "unhold" | "reopen", _) => refused(&[command, &id, "because"]),
            ("close", _) => refused(&["close", &id]),
            ("assign", _) => refused(&["assign", &id, "bob"]),
            ("session", ["set", "end"]) => {
                refused(&["session", "set", "--session", "ada", "--role", "doer"]);
                refused(&["session", "end", "ada"]);
            }
            ("config", ["set"]) => refused(&["config", "set", "vault", "elsewhere"]),
            ("agent", _) => {
                refused(&["agent", "--role", "doer", "--", "true"]);
                refused(&["agent", "--ticket", &id, "--", "true"]);
                refused(&["agent", "stop", "bob"]);
            }
            ("shape", _) => {
                refused(&["shape", "--from", "plan.toml"]);
                refused(&["shape", "--from", "plan.toml", "--yes"]);
                refused(&["shape", "--reshape"]);
                refused(&["shape"]);
            }
            ("run", words) => words.iter().for_each(|word| match *word {
                "concurrency" => refused(&["run", "concurrency", "2"]),
                word => refused(&["run", word]),
            }),
            ("queue", ["adopt"]) => refused(&["queue", "adopt"]),
            ("workspace", ["clean", "restore"]) => {
                refused(&["workspace", "clean"]);
                refused(&["workspace", "restore", &id]);
            }
            ("esc", _) => {
                refused(&["esc", "answer", "1", "yes"]);
                refused(&["esc", "promote", "1"]);
                refused(&["esc", "withdraw", "1"]);
            }
            ("attach", words) => words.iter().for_each(|word| refused(&["attach", word, "bob"])),
            ("mode" | "hooks" | "mcp" | "doctor" | "trust" | "bootstrap", words) => {
                words.iter().for_each(|word| refused(&[command, word]));
            }
            other => panic!("nothing shows that `sb` refuses {other:?} itself"),
        }
    }
}
