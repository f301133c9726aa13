//! `new`, `edit`, `check`: filing tickets and changing their fields.

use crate::support::{env, fields, json, status, story, ticket};

/// The object that stands for a ticket: a contract.
const TICKET: [&str; 23] = [
    "id",
    "title",
    "project",
    "status",
    "prior_status",
    "assignee",
    "priority",
    "depends_on",
    "blocked_by",
    "hold",
    "tags",
    "initiative",
    "area",
    "slug",
    "needs_tests",
    "attempts",
    "last_outcome",
    "escalated",
    "acceptance",
    "created",
    "updated",
    "rev",
    "path",
];

#[test]
fn a_ticket_is_filed() {
    let env = story();
    insta::assert_snapshot!(env.sb(["new", "Limit", "logins"]), @"
    sb_Bq5DH9
    --- stderr
    Filed sb_Bq5DH9 (open, P3): Limit logins
    ");
    insta::assert_snapshot!(env.sb(["new", "Later", "--backlog"]), @"
    sb_W7094S
    --- stderr
    Filed sb_W7094S (backlog, P3): Later
    ");
    insta::assert_snapshot!(env.sb(["new", "Someday", "-p", "someday"]), @"
    sb_8M6kOx
    --- stderr
    Filed sb_8M6kOx (backlog, P5): Someday
    ");
    insta::assert_snapshot!(env.sb(["create", "Urgent", "--priority", "urgent"]), @"
    sb_vJGOdC
    --- stderr
    Filed sb_vJGOdC (open, P1): Urgent
    ");
    env.sb(["add", "With another word for new"]).success();
}

#[test]
fn every_field_can_be_given() {
    let env = env();
    let first = env.new_ticket("First");
    let filed = json(
        &env.sb([
            "new",
            "Whole",
            "--body",
            "The goal",
            "--priority",
            "P1",
            "--depends-on",
            &first,
            "--tag",
            "api",
            "--tag",
            "api",
            "--tag",
            "web",
            "--accept",
            "it works",
            "--accept",
            "it is fast",
            "--initiative",
            "launch",
            "--area",
            "login",
            "--slug",
            "limit",
            "--branch",
            "feat/limit",
            "--service",
            "auth",
            "--files=src/auth/**,docs/auth.md",
            "--submodule",
            "libs/auth",
            "--no-tests",
            "--json",
        ])
        .success(),
    );
    for (name, value) in [
        ("status", "blocked".into()),
        ("prior_status", "open".into()),
        ("depends_on", serde_json::json!([first])),
        ("blocked_by", serde_json::json!([first])),
        ("tags", serde_json::json!(["api", "web"])),
        ("initiative", "launch".into()),
        ("area", "login".into()),
        ("slug", "limit".into()),
        ("needs_tests", false.into()),
        ("attempts", 0.into()),
        ("escalated", false.into()),
        (
            "acceptance",
            serde_json::json!([{"text": "it works", "met": false}, {"text": "it is fast", "met": false}]),
        ),
        ("rev", 2.into()),
        ("branch", "feat/limit".into()),
        ("services", serde_json::json!(["auth"])),
        ("submodule", "libs/auth".into()),
        ("files", serde_json::json!(["src/auth/**", "docs/auth.md"])),
    ] {
        assert_eq!(filed[name], value, "{name}");
    }
    let id = filed["id"].as_str().expect("an id");
    assert_eq!(ticket(&env, id)["body"], "The goal");
}

#[test]
fn every_json_answer_about_a_ticket_begins_with_the_same_fields() {
    let env = env();
    let filed = json(&env.sb(["new", "One", "--accept", "x", "--json"]).success());
    let id = filed["id"].as_str().expect("an id");
    let answers: [&[&str]; 20] = [
        &["edit", id, "--tag", "x", "--json"],
        &["pick", id, "--json"],
        &["note", id, "words", "--json"],
        &["check", "1", id, "--json"],
        &["status", id, "--json"],
        &["submit", id, "--json"],
        &["review", id, "--json"],
        &["reject", id, "no", "--json"],
        &["pick", "--json"],
        &["release", id, "--json"],
        &["pop", "--json"],
        &["status", "review", id, "-m", "done", "--json"],
        &["approve", id, "--json"],
        &["reopen", id, "why", "--json"],
        &["assign", id, "ada", "--json"],
        &["hold", id, "why", "--json"],
        &["unhold", id, "--json"],
        &["override", id, "rework", "--json"],
        &["switch", id, "--json"],
        &["show", id, "--json"],
    ];
    let mut objects = vec![filed.clone()];
    for words in answers {
        let run = env.sb(words).success();
        assert_eq!(run.stderr, "", "JSON is the whole answer: {}\n{run}", run.what);
        objects.push(json(&run));
    }
    objects.push(json(&env.sb(["list", "--json"]).success())[0].clone());
    objects.push(json(&env.sb(["at", "now", "list", "--json"]).success())[0].clone());
    objects.push(json(&env.sb(["at", "now", "show", id, "--json"]).success()));
    objects.push(json(&env.sb(["close", id, "--json"]).success()));
    env.new_ticket("Another");
    objects.push(json(&env.sb(["ready", "--json"]).success())[0].clone());
    for object in objects {
        assert_eq!(fields(&object)[..TICKET.len()], TICKET, "{object}");
    }
    let shown = ticket(&env, id);
    assert_eq!(
        fields(&shown)[fields(&shown).len() - 4..],
        ["body", "dependencies", "attempt_reports", "history"]
    );
}

#[test]
fn a_title_is_one_line_that_says_something() {
    let env = env();
    insta::assert_snapshot!(env.sb(["new", "  "]), @r#"
    --- stderr
    error: a ticket needs a title
    hint: Say in a few words what should be true when it is done: `sb new "Limit logins to 5 a minute"`.
    --- exit 2
    "#);
    insta::assert_snapshot!(env.sb(["new", "one\ntwo"]), @"
    --- stderr
    error: a title is one line, and this one has a line break
    hint: Put the rest into the body: `sb new TITLE --body TEXT`, or `--body -` to read it from standard input.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["new", &"x".repeat(301)]), @"
    --- stderr
    error: a title has at most 300 characters, and this one has 301
    hint: Put the rest into the body with `--body`.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["new", "x", "--tag", &"x".repeat(101)]), @"
    --- stderr
    error: the tag must be one line of at most 100 characters
    hint: Put longer text into the body or a note.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["new", "x", "--accept", "one\ntwo"]), @"
    --- stderr
    error: an acceptance criterion is one line of at most 300 characters
    hint: Give `--accept` once for each criterion.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["new", "x", "--priority", "P9"]), @"
    --- stderr
    error: `P9` is not a priority
    hint: Priorities are P0 (outage) to P5 (someday), or words: critical, urgent, high, normal, low, someday.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["new", "x", "--depends-on", "sb_zzzzzz"]), @"
    --- stderr
    error: there is no ticket `sb_zzzzzz`
    hint: `sb list --all` shows every ticket.
    --- exit 3
    ");
    assert_eq!(env.sb(["list", "--all"]).success().stdout, "");
    let id = env.new_ticket(&"ü".repeat(300));
    env.sb(["edit", &id, "--title", "a\nb"]).code(2);
}

#[test]
fn fields_are_changed() {
    let env = story();
    let other = env.new_ticket("Other");
    let id = env.new_ticket("One");
    insta::assert_snapshot!(env.sb(["edit", &id, "--title", "Uno", "-p", "high", "--tag", "a", "--tag", "b"]), @"
    --- stderr
    Changed sb_W7094S (open): Uno
    ");
    insta::assert_snapshot!(env.sb(["edit", &id, "--title", "Uno"]), @"
    --- stderr
    sb_W7094S is like that already.
    ");
    insta::assert_snapshot!(env.sb(["edit", &id, "--depends-on", &other]), @"
    --- stderr
    Changed sb_W7094S (blocked): Uno
    ");
    insta::assert_snapshot!(env.sb(["edit", &id, "--no-depends-on", &other]), @"
    --- stderr
    Changed sb_W7094S (open): Uno
    ");
    let edited = json(
        &env.sb([
            "edit",
            &id,
            "--untag",
            "a",
            "--area",
            "x",
            "--needs-tests",
            "false",
            "--escalated",
            "true",
            "--json",
        ])
        .success(),
    );
    assert_eq!(edited["tags"], serde_json::json!(["b"]));
    assert_eq!(
        (&edited["area"], &edited["needs_tests"], &edited["escalated"]),
        (&"x".into(), &false.into(), &true.into())
    );
    let cleared = json(&env.sb(["edit", &id, "--area", "", "--json"]).success());
    assert_eq!(cleared["area"], serde_json::Value::Null);
    assert_eq!(json(&env.sb(["edit", &id, "--services", "a,b", "--json"]).success())["services"][1], "b");
    env.sb(["edit", &id, "--needs-tests", "perhaps"]).code(2);
    env.sb(["edit"]).code(4).says("you have no current ticket");
}

#[test]
fn a_cycle_is_shown() {
    let env = story();
    let a = env.new_ticket("A");
    let b = env.sb(["new", "B", "-d", &a]).success().stdout.trim().to_owned();
    let c = env.sb(["new", "C", "-d", &b]).success().stdout.trim().to_owned();
    insta::assert_snapshot!(env.sb(["edit", &a, "-d", &c]), @"
    --- stderr
    error: sb_Bq5DH9 cannot depend on sb_8M6kOx: sb_Bq5DH9 → sb_8M6kOx → sb_W7094S → sb_Bq5DH9 would wait for itself
    hint: Take one of these dependencies away first: `sb edit ID --no-depends-on OTHER`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["edit", &a, "-d", &a]), @"
    --- stderr
    error: sb_Bq5DH9 cannot depend on sb_Bq5DH9: sb_Bq5DH9 → sb_Bq5DH9 would wait for itself
    hint: Take one of these dependencies away first: `sb edit ID --no-depends-on OTHER`.
    --- exit 4
    ");
    assert_eq!(status(&env, &a), "open");
}

#[test]
fn dependencies_block_and_unblock_through_a_chain() {
    let env = story();
    let a = env.new_ticket("A");
    let b = env.sb(["new", "B", "-d", &a]).success().stdout.trim().to_owned();
    let c = env.sb(["new", "C", "-d", &format!("{a},{b}")]).success().stdout.trim().to_owned();
    insta::assert_snapshot!(env.sb(["show", &c]), @"
    sb_8M6kOx  C
         status  blocked (was open)
       priority  P3
        project  shop
       waits on  sb_Bq5DH9, sb_W7094S
        created  2026-11-15T10:00:03Z
           file  ROOT/hóme of sb/vault/tickets/2026-11-15T1000-sb_8M6kOx.md

    Depends on
      sb_Bq5DH9  open  P3  A
      sb_W7094S  blocked  P3  B
        sb_Bq5DH9  open  P3  A

    History
      2026-11-15 10:00:03  ticket.created      human  C
      2026-11-15 10:00:03  status.blocked      sb  waits on sb_Bq5DH9, sb_W7094S
    ");
    insta::assert_snapshot!(env.sb(["close", &a]), @"
    --- stderr
    sb_Bq5DH9 is done.
    sb_W7094S is no longer blocked: B
    ");
    assert_eq!((status(&env, &b), status(&env, &c)), ("open".into(), "blocked".into()));
    env.sb(["close", &b]).success().says(&c);
    assert_eq!(status(&env, &c), "open");
    insta::assert_snapshot!(env.sb(["reopen", &a, "it broke"]), @"
    --- stderr
    sb_Bq5DH9 is open again.
    sb_8M6kOx is now blocked: C
    ");
}

#[test]
fn criteria_are_ticked() {
    let env = story();
    let id = env.sb(["new", "One", "--accept", "it works", "--accept", "it is fast"]).success().stdout;
    let id = id.trim();
    insta::assert_snapshot!(env.sb(["check", "2", id]), @"
    --- stderr
    1 of 2 criteria of sb_Bq5DH9 are met.
    ");
    insta::assert_snapshot!(env.sb(["check", "2", id, "--not"]), @"
    --- stderr
    0 of 2 criteria of sb_Bq5DH9 are met.
    ");
    insta::assert_snapshot!(env.sb(["check", "3", id]), @"
    --- stderr
    error: sb_Bq5DH9 has 2 acceptance criteria, and no number 3
    hint: `sb show sb_Bq5DH9` numbers them; `sb edit sb_Bq5DH9 --accept TEXT` adds one.
    --- exit 3
    ");
    env.sb(["check", "0", id]).code(3);
    env.sb(["check", "x", id]).code(2);
    env.sb(["switch", id]).success();
    env.sb(["check", "1"]).success();
    env.sb(["edit", "--accept", "it is small"]).success();
    let acceptance = ticket(&env, id)["acceptance"].clone();
    assert_eq!(acceptance.as_array().expect("a list").len(), 3);
    assert_eq!((&acceptance[0]["met"], &acceptance[2]["text"]), (&true.into(), &"it is small".into()));
}
