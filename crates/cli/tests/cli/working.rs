//! `pick`, `pop`, `ready`, `note`, `submit`, `status`, `release`, `switch`, `clear`, `context`: doing the work.

use crate::support::{env, fields, json, json_error, status, story, ticket};

#[test]
fn a_ticket_is_claimed_worked_on_and_handed_in() {
    let env = story();
    let id = env.new_ticket("Limit logins");
    insta::assert_snapshot!(env.sb(["pick", &id]), @r#"
    --- stderr
    Claimed sb_Bq5DH9: Limit logins
    hint: Write down what you do with `sb note "…"`, and hand it in with `sb submit`.
    "#);
    insta::assert_snapshot!(env.sb(["pick", &id]), @r#"
    --- stderr
    sb_Bq5DH9 is yours already.
    hint: Write down what you do with `sb note "…"`, and hand it in with `sb submit`.
    "#);
    insta::assert_snapshot!(env.sb(["submit"]), @r#"
    --- stderr
    error: sb_Bq5DH9 cannot go to review: no note was written since the work on it began
    hint: Say what was done: `sb note "…"`, or submit with it: `sb submit -m "…"`.
    --- exit 4
    "#);
    insta::assert_snapshot!(env.sb(["note", "Counted", "logins"]), @"
    --- stderr
    Noted on sb_Bq5DH9.
    ");
    insta::assert_snapshot!(env.sb(["submit"]), @"
    --- stderr
    sb_Bq5DH9 is handed in and waits for review.
    ");
    insta::assert_snapshot!(env.sb(["submit"]), @"
    --- stderr
    sb_Bq5DH9 is in review already.
    ");
    insta::assert_snapshot!(env.sb(["pick", &id]), @"
    --- stderr
    error: sb_Bq5DH9 is submitted and waits for review
    hint: Review it with `sb review sb_Bq5DH9`, or take other work: `sb ready`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["release", &id]), @"
    --- stderr
    error: sb_Bq5DH9 is review, and nobody has claimed it
    hint: `sb show sb_Bq5DH9` shows where it stands.
    --- exit 4
    ");
}

/// A note that comes after the submission is kept, not lost.
#[test]
fn a_late_note_is_kept() {
    let env = env();
    let id = env.new_ticket("One");
    env.sb(["pick", &id]).success();
    env.sb(["submit", "-m", "first words"]).success();
    env.sb(["submit", "-m", "more words"]).success();
    let history = ticket(&env, &id)["history"].to_string();
    assert!(history.contains("first words") && history.contains("more words"), "{history}");
    env.sb(["note", &id, "   "]).code(2);
    env.sb(["note"]).code(2);
}

#[test]
fn texts_come_from_standard_input() {
    let env = env();
    let id = env.sb_with_input(["new", "One", "--body", "-"], "a body\nof two lines\n").success().stdout;
    let id = id.trim();
    env.sb(["pick", id]).success();
    env.sb_with_input(["note", id, "-"], "a note from a pipe").success();
    env.sb_with_input(["submit", "-m", "-"], "the summary").success();
    env.sb_with_input(["reject", id, "-"], "the reason").success();
    env.sb(["pick", id]).success();
    env.sb_with_input(["status", "review", "-m", "-"], "the second summary").success();
    let shown = ticket(&env, id);
    assert_eq!(shown["body"], "a body\nof two lines");
    let history = shown["history"].to_string();
    for words in ["a note from a pipe", "the summary", "the reason", "the second summary"] {
        assert!(history.contains(words), "{words}: {history}");
    }
    env.sb_with_input(["note", id, "-"], [0xff, 0xfe]).code(2).says("not UTF-8");
}

#[test]
fn pick_and_pop_without_an_id() {
    let env = story();
    let low = env.sb(["new", "Low", "-p", "low"]).success().stdout;
    let high = env.sb(["new", "High", "-p", "high"]).success().stdout;
    insta::assert_snapshot!(env.sb(["ready"]), @"
    sb_W7094S  open    P2  -         1s    High
    sb_Bq5DH9  open    P4  -         2s    Low
    ");
    insta::assert_snapshot!(env.sb(["pop"]), @"
    sb_W7094S  High
         status  in-progress
       priority  P2
        project  shop
       assignee  human
        created  2026-11-15T10:00:02Z
           file  ROOT/hóme of sb/vault/tickets/2026-11-15T1000-sb_W7094S.md

    History
      2026-11-15 10:00:02  ticket.created      human  High
      2026-11-15 10:00:04  status.in-progress  human
    --- stderr
    Claimed sb_W7094S.
    ");
    insta::assert_snapshot!(env.sb(["pick"]), @r#"
    --- stderr
    sb_W7094S is yours already.
    hint: Write down what you do with `sb note "…"`, and hand it in with `sb submit`.
    "#);
    env.sb(["submit", "-m", "x"]).success();
    assert_eq!(json(&env.sb(["pick", "--json"]).success())["id"], low.trim());
    env.sb(["approve", high.trim()]).success();
    insta::assert_snapshot!(env.sb(["pop"]), @"
    --- stderr
    error: no ticket is ready to be claimed
    hint: `sb list` shows what is in progress, in review or blocked; `sb new TITLE` files one.
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["ready"]), @"
    --- stderr
    Nothing is ready.
    hint: `sb list` shows what is in progress, in review or blocked.
    ");
    assert_eq!(env.sb(["ready", "--json"]).success().stdout, "[]\n");
}

#[test]
fn ready_is_what_one_could_claim() {
    let env = env();
    let plain = env.new_ticket("Plain");
    let escalated = env.new_ticket("Escalated");
    env.sb(["edit", &escalated, "--escalated", "true"]).success();
    let mine = env.new_ticket("Assigned");
    env.sb(["assign", &mine, "ada"]).success();
    env.sb(["new", "Waits", "-d", &plain]).success();
    env.sb(["new", "Later", "--backlog"]).success();
    env.sb(["ready"])
        .success()
        .says("Plain")
        .never_says("Escalated")
        .never_says("Assigned")
        .never_says("Waits");
    let mut ada = env.agent("ada");
    ada.sb(["ready"]).success().says("Plain").says("Assigned").never_says("Escalated");
    assert_eq!(ada.sb(["ready", "-n", "1"]).success().stdout.lines().count(), 1);
    ada.sb(["ready", "--project", "nowhere"]).code(3);
    let mut bowie = env.agent("bowie");
    bowie.sb(["pick", &mine]).code(4).says("belongs to ada");
    ada.sb(["pick", &mine]).success();
}

#[test]
fn the_words_people_use() {
    let env = env();
    for word in ["start", "begin", "claim", "pick"] {
        let id = env.new_ticket(word);
        env.sb([word, &id]).success();
        assert_eq!(status(&env, &id), "in-progress", "{word}");
    }
    for word in ["start", "begin", "wip", "doing", "in_progress", "In Progress"] {
        let id = env.new_ticket(word);
        env.sb(["status", word, &id]).success();
        assert_eq!(status(&env, &id), "in-progress", "{word}");
    }
    for word in ["submit", "review", "in-review", "submitted"] {
        let id = env.new_ticket(word);
        env.sb(["pick", &id]).success();
        env.sb(["move", &id, word, "-m", "done"]).success();
        assert_eq!(status(&env, &id), "review", "{word}");
    }
    let id = env.new_ticket("Released in other words");
    for word in ["release", "unclaim", "drop"] {
        env.sb(["pick", &id]).success();
        env.sb([word]).success();
        assert_eq!(status(&env, &id), "open", "{word}");
    }
    assert_eq!(env.sb(["ls", "--json"]).success().stdout, env.sb(["list", "--json"]).success().stdout);
    assert_eq!(env.sb(["view", &id]).success().stdout, env.sb(["show", &id]).success().stdout);
}

#[test]
fn review_hands_in_what_one_works_on() {
    let env = env();
    let id = env.new_ticket("One");
    env.sb(["pick", &id]).success();
    env.sb(["review"]).code(4).says("no note was written");
    env.sb(["review", "-m", "all done"]).success().says("handed in");
    assert_eq!(status(&env, &id), "review");
    let mut bowie = env.agent("bowie");
    bowie.sb(["review", &id]).success().says("You are reviewing");
}

#[test]
fn status_goes_either_way_round_and_every_way() {
    let env = story();
    let id = env.sb(["new", "One", "--backlog"]).success().stdout.trim().to_owned();
    let id = id.as_str();
    insta::assert_snapshot!(env.sb(["status", id]), @"sb_Bq5DH9  backlog  P3  One");
    insta::assert_snapshot!(env.sb(["status", "todo", id]), @"
    --- stderr
    sb_Bq5DH9 is now open.
    ");
    insta::assert_snapshot!(env.sb(["status", id, "todo"]), @"
    --- stderr
    sb_Bq5DH9 is open already.
    ");
    insta::assert_snapshot!(env.sb(["status", id, "wip"]), @"
    --- stderr
    sb_Bq5DH9 is now in-progress.
    ");
    insta::assert_snapshot!(env.sb(["status", &id[3..6], "wip"]), @"
    --- stderr
    sb_Bq5DH9 is in-progress already.
    ");
    insta::assert_snapshot!(env.sb(["status"]), @"
    sb_Bq5DH9  in-progress  P3  One
    daemon  does not run; `sb up` starts it
    ");
    insta::assert_snapshot!(env.sb(["status", "done"]), @"
    --- stderr
    error: sb_Bq5DH9 is in-progress, not waiting for review
    hint: `sb list --status review` shows what does; `sb close sb_Bq5DH9` or `sb override sb_Bq5DH9 STATUS REASON` skip the review, and it is recorded.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["status", "submit", "-m", "did it"]), @"
    --- stderr
    sb_Bq5DH9 is now review.
    ");
    insta::assert_snapshot!(env.sb(["status", "open"]), @"
    --- stderr
    error: sb_Bq5DH9 is in review, and the workflow leads from there to done or to rework
    hint: Send it back: `sb reject sb_Bq5DH9 REASON`; or let go of its review: `sb release sb_Bq5DH9`. A human can override: `sb override sb_Bq5DH9 open REASON`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["status", "rework"]), @r#"
    --- stderr
    error: sending sb_Bq5DH9 back needs a reason
    hint: Say what must change: `sb reject sb_Bq5DH9 "…"`.
    --- exit 2
    "#);
    insta::assert_snapshot!(env.sb(["status", "rework", "-m", "do it well"]), @"
    --- stderr
    sb_Bq5DH9 is now rework.
    ");
    insta::assert_snapshot!(env.sb(["status", "backlog"]), @"
    --- stderr
    error: sb_Bq5DH9 is rework, and the workflow leads from the backlog, not into it
    hint: A human can override: `sb override sb_Bq5DH9 backlog REASON`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["status", "blocked"]), @"
    --- stderr
    error: a ticket is blocked by what it waits for, not by setting its status
    hint: Name the dependency: `sb edit sb_Bq5DH9 --depends-on OTHER`; or a human holds it: `sb hold sb_Bq5DH9 REASON`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["status", "reveiw"]), @"
    --- stderr
    error: `reveiw` is not a status
    hint: Did you mean `review`?
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["status", "xyzzy"]), @"
    --- stderr
    error: `xyzzy` is not a status
    hint: The statuses are backlog, open, in-progress, review, rework, done and blocked.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["status", "open"]), @"
    --- stderr
    sb_Bq5DH9 is now open.
    ");
}

#[test]
fn a_ticket_is_released_with_a_report() {
    let env = story();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    insta::assert_snapshot!(ada.sb([
        "release", "--outcome", "gave-up-tests", "--summary", "half of it", "--blockers", "no database",
        "--learnings", "needs a fake clock", "--branch-kept",
    ]), @"
    --- stderr
    Released sb_Bq5DH9; it is open.
    ");
    insta::assert_snapshot!(env.sb(["show", &id]), @"
    sb_Bq5DH9  One
         status  open
       priority  P3
        project  shop
        created  2026-11-15T10:00:01Z
           file  ROOT/hóme of sb/vault/tickets/2026-11-15T1000-sb_Bq5DH9.md

    Attempts
      1. gave_up_tests by ada: half of it
         blockers: no database
         learnings: needs a fake clock

    History
      2026-11-15 10:00:01  ticket.created      human  One
      2026-11-15 10:00:04  status.in-progress  ada
      2026-11-15 10:00:05  attempt.recorded    ada  half of it
      2026-11-15 10:00:05  ticket.released     ada
      2026-11-15 10:00:05  status.open         ada
    ");
    let shown = ticket(&env, &id);
    assert_eq!((&shown["attempts"], &shown["last_outcome"]), (&1.into(), &"gave_up_tests".into()));
    assert_eq!(shown["attempt_reports"][0]["learnings"], "needs a fake clock");
    ada.sb(["pick", &id]).success();
    insta::assert_snapshot!(ada.sb(["release", "--outcome", "bored"]), @"
    --- stderr
    error: `bored` is not an outcome
    hint: Outcomes are completed, failed, gave-up-context, gave-up-tests and failed-review.
    --- exit 2
    ");
    insta::assert_snapshot!(ada.sb(["release", "--summary", "without an outcome"]), @"
    --- stderr
    error: the following required arguments were not provided:
      --outcome <OUTCOME>

    Usage: sb release --outcome <OUTCOME> --summary <SUMMARY> [ID]

    For more information, try '--help'.
    --- exit 2
    ");
    let mut bowie = env.agent("bowie");
    insta::assert_snapshot!(bowie.sb(["release", &id]), @"
    --- stderr
    error: sb_Bq5DH9 is in-progress and belongs to ada (session ada)
    hint: Take other work: `sb ready`. A human can hand it over: `sb assign ID NAME`.
    --- exit 4
    ");
}

/// Letting go of one ticket leaves another, which is the current one, alone.
#[test]
fn the_current_ticket() {
    let env = env();
    let (a, b) = (env.new_ticket("A"), env.new_ticket("B"));
    env.sb(["note", "words"]).code(4).says("you have no current ticket");
    env.sb(["pick", &a]).success();
    env.sb(["pick", &b]).success();
    env.sb(["note", "on B"]).success().says(&b);
    env.sb(["switch", &a]).success().says(&a);
    env.sb(["note", "on A"]).success().says(&a);
    env.sb(["release", &b]).success();
    env.sb(["note", "still on A"]).success().says(&a);
    env.sb(["clear"]).success();
    // The only one that is being worked on is the current one all the same.
    env.sb(["note", "the only one"]).success().says(&a);
    env.sb(["pick", &b]).success();
    env.sb(["clear"]).success();
    env.sb(["note", "which one"]).code(4);
    env.sb(["switch", "sb_zzzzzz"]).code(3);
    assert_eq!(json(&env.sb(["switch", &b, "--json"]).success())["id"], b.as_str());
    assert_eq!(json(&env.sb(["context", "--json"]).success())["ticket"], b.as_str());
}

#[test]
fn context_offers_one_kind_of_work() {
    let env = story();
    let first = env.new_ticket("First");
    insta::assert_snapshot!(env.sb(["context"]), @"
    Signalbox — shop — you are human

    Ready to be worked on:
      sb_Bq5DH9  P3  First
    Claim one with `sb pick ID`, or the first with `sb pop`.
    ");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &first]).success();
    insta::assert_snapshot!(ada.sb(["context"]), @r#"
    Signalbox — shop — you are ada, session ada

    Your current ticket: sb_Bq5DH9  in-progress  P3  First
      sb note "…"                      say what you did or found
      sb submit                        hand it in for review
      sb release --outcome failed …    give up and leave a report

    Nothing is ready to be worked on or reviewed.
    "#);
    ada.sb(["submit", "-m", "done"]).success();
    env.sb(["new", "Second"]).success();
    let mut bowie = env.agent("bowie");
    insta::assert_snapshot!(bowie.sb(["context"]), @"
    Signalbox — shop — you are bowie, session bowie

    Waiting for review:
      sb_Bq5DH9  P3  First
    Take one with `sb review ID`; reading it with `sb show` first would disqualify you.
    ");
    env.sb(["new", "Outage", "-p", "P0"]).success();
    let offered = json(&bowie.sb(["context", "--json"]).success());
    assert_eq!(fields(&offered), ["actor", "session", "lineage", "project", "ticket", "batch"]);
    assert_eq!(offered["batch"]["kind"], "open");
    assert_eq!(offered["batch"]["tickets"].as_array().expect("a list").len(), 2);
    assert_eq!((&offered["actor"], &offered["session"]), (&"bowie".into(), &"bowie".into()));
    // Ada worked on the only ticket in review.
    assert_eq!(json(&ada.sb(["context", "--json"]).success())["batch"]["kind"], "open");
    let human = json(&env.sb_in(env.root(), ["context", "--json"]).success());
    assert_eq!((&human["actor"], &human["project"]), (&"human".into(), &serde_json::Value::Null));
}

#[test]
fn only_the_assignee_hands_in() {
    let env = env();
    let id = env.new_ticket("One");
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    ada.sb(["pick", &id]).success();
    let refused = bowie.sb(["pick", &id, "--json"]).code(4);
    assert_eq!(json_error(&refused)["code"], "ticket.not-yours");
    bowie.sb(["submit", &id, "-m", "mine"]).code(4).says("belongs to ada (session ada)");
    bowie.sb(["status", "open", &id]).code(4);
    ada.sb(["submit", "-m", "done"]).success();
    ada.sb(["pick", &id]).code(4).says("waits for review");
    assert_eq!(env.sb(["list", "--status", "review"]).success().stdout.lines().count(), 1);
}

#[test]
fn a_blocked_ticket_says_why() {
    let env = story();
    let first = env.new_ticket("First");
    let id = env.sb(["new", "Second", "-d", &first]).success().stdout.trim().to_owned();
    insta::assert_snapshot!(env.sb(["pick", &id]), @"
    --- stderr
    error: sb_W7094S is blocked, waiting for sb_Bq5DH9
    hint: Work on that first; this one opens by itself when it is done.
    --- exit 4
    ");
    env.sb(["hold", &id, "until Monday"]).success();
    insta::assert_snapshot!(env.sb(["pick", &id]), @"
    --- stderr
    error: sb_W7094S is blocked, held by a human (until Monday) and waiting for sb_Bq5DH9
    hint: Both must go away first.
    --- exit 4
    ");
    env.sb(["close", &first]).success();
    insta::assert_snapshot!(env.sb(["submit", &id]), @"
    --- stderr
    error: sb_W7094S is blocked, held by a human: until Monday
    hint: A human can release it: `sb unhold sb_W7094S`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["pick", &first]), @"
    --- stderr
    error: sb_Bq5DH9 is done
    hint: A human can reopen it: `sb reopen sb_Bq5DH9 REASON`.
    --- exit 4
    ");
    let later = env.sb(["new", "Later", "--backlog"]).success().stdout;
    insta::assert_snapshot!(env.sb(["pick", later.trim()]), @"
    --- stderr
    error: sb_6eydTo is in the backlog, not yet scoped for work
    hint: Open it first: `sb status open sb_6eydTo`.
    --- exit 4
    ");
}
