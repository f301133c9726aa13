//! `review`, `approve`, `reject`: nobody reviews work they had to do with.

use signalbox_testkit::{Run, TestEnv};

use crate::support::{env, in_review, json, json_error, status, story, ticket};

#[test]
fn a_reviewer_takes_rejects_and_approves() {
    let env = story();
    let (mut ada, mut bowie, mut cleo) = (env.agent("ada"), env.agent("bowie"), env.agent("cleo"));
    let id = in_review(&env, &mut ada, "Limit logins");
    insta::assert_snapshot!(bowie.sb(["review", &id]), @r#"
    sb_rWS4Kg  Limit logins
         status  review
       priority  P3
        project  shop
       assignee  ada
       reviewer  bowie
        created  2026-11-15T10:00:07Z
           file  ROOT/hóme of sb/vault/tickets/2026-11-15T1000-sb_rWS4Kg.md

    History
      2026-11-15 10:00:07  ticket.created      human  Limit logins
      2026-11-15 10:00:08  status.in-progress  ada
      2026-11-15 10:00:09  status.review       ada  done
      2026-11-15 10:00:10  review.started      bowie
    --- stderr
    You are reviewing sb_rWS4Kg.
    hint: Decide with `sb approve sb_rWS4Kg` or `sb reject sb_rWS4Kg "what must change"`.
    "#);
    insta::assert_snapshot!(cleo.sb(["review", &id]), @"
    --- stderr
    error: sb_rWS4Kg is being reviewed by bowie
    hint: Take another: `sb list --status review`. A human can free it: `sb release ID`.
    --- exit 4
    ");
    insta::assert_snapshot!(cleo.sb(["approve", &id]), @"
    --- stderr
    error: sb_rWS4Kg is being reviewed by bowie
    hint: Take another: `sb list --status review`. A human can free it: `sb release ID`.
    --- exit 4
    ");
    insta::assert_snapshot!(bowie.sb(["reject"]), @r#"
    --- stderr
    error: sending sb_rWS4Kg back needs a reason
    hint: Say what must change: `sb reject sb_rWS4Kg "…"`.
    --- exit 2
    "#);
    insta::assert_snapshot!(bowie.sb(["reject", &id]), @r#"
    --- stderr
    error: sending sb_rWS4Kg back needs a reason
    hint: Say what must change: `sb reject sb_rWS4Kg "…"`.
    --- exit 2
    "#);
    insta::assert_snapshot!(bowie.sb(["reject", "two", "servers"]), @"
    --- stderr
    sb_rWS4Kg goes back to ada for rework.
    ");
    insta::assert_snapshot!(ada.sb(["pick"]), @r#"
    --- stderr
    Claimed sb_rWS4Kg: Limit logins
    hint: Write down what you do with `sb note "…"`, and hand it in with `sb submit`.
    "#);
    ada.sb(["submit"]).code(4).says("no note was written since");
    ada.sb(["submit", "-m", "one database"]).success();
    insta::assert_snapshot!(bowie.sb(["approve", &id, "-m", "holds"]), @"
    --- stderr
    sb_rWS4Kg is done.
    ");
    insta::assert_snapshot!(bowie.sb(["approve", &id]), @"
    --- stderr
    error: sb_rWS4Kg is done, not waiting for review
    hint: `sb list --status review` shows what waits for review.
    --- exit 4
    ");
    let done = ticket(&env, &id);
    assert_eq!((&done["status"], &done["completion_notes"]), (&"done".into(), &"holds".into()));
}

/// The refusal names the event, and the log shows it.
#[track_caller]
fn evidence(env: &TestEnv, refused: &Run) -> serde_json::Value {
    let id = refused
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("evidence: event ")?.split(' ').next())
        .unwrap_or_else(|| panic!("no evidence:\n{refused}"));
    let found = json(&env.sb(["log", "--event-id", id, "--json"]).success());
    assert_eq!(found["id"], id);
    found
}

#[test]
fn whoever_had_to_do_with_it_is_refused() {
    let env = env();
    let mut ada = env.agent("ada");
    let worked = in_review(&env, &mut ada, "Worked on");
    let refused = ada.sb(["review", &worked]).code(4).says("this session worked on it");
    assert_eq!(evidence(&env, &refused)["event"], "status.in-progress");
    ada.sb(["status", "done", &worked]).code(4).says("this session worked on it");
    ada.sb(["status", "rework", &worked, "-m", "x"]).code(4);
    ada.sb(["reject", &worked, "x"]).code(4);

    let mut reader = env.agent("reader");
    reader.sb(["show", &worked]).success();
    let refused = reader.sb(["approve", &worked]).code(4).says("this session read it before the review");
    assert_eq!(evidence(&env, &refused)["event"], "ticket.read");

    let mut past = env.agent("past");
    past.sb(["at", "now", "show", &worked]).success();
    let refused = past.sb(["approve", &worked]).code(4).says("this session read it before the review");
    assert_eq!(evidence(&env, &refused)["session"], "past");

    let mut noter = env.agent("noter");
    noter.sb(["note", &worked, "I looked at it"]).success();
    let refused = noter.sb(["approve", &worked]).code(4).says("this session worked on it");
    assert_eq!(evidence(&env, &refused)["event"], "note.added");

    let mut editor = env.agent("editor");
    editor.sb(["edit", &worked, "--tag", "x"]).success();
    editor.sb(["approve", &worked]).code(4).says("ticket.edited");

    let mut filer = env.agent("filer");
    let filed = filer.sb(["new", "Filed by an agent"]).success().stdout.trim().to_owned();
    env.sb(["pick", &filed]).success();
    env.sb(["submit", "-m", "done"]).success();
    let refused = filer.sb(["review", &filed]).code(4).says("this session filed it");
    assert_eq!(evidence(&env, &refused)["event"], "ticket.created");

    env.sb(["assign", &worked, "assigned"]).success();
    let mut assigned = env.agent("assigned");
    let refused = assigned.sb(["review", &worked]).code(4);
    assert_eq!(evidence(&env, &refused)["event"], "ticket.assigned");
    assert_eq!(status(&env, &worked), "review");
}

#[test]
fn a_refusal_as_json_has_its_evidence() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    let error = json_error(&ada.sb(["approve", &id, "--json"]).code(4));
    assert_eq!(error["code"], "review.not-independent");
    let evidence = error["evidence"][0].as_str().expect("an event's id");
    env.sb(["log", "--event-id", evidence]).success().says("status.in-progress");
    env.sb(["log", "--event-id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).code(3);
    env.sb(["log", "--event-id", "nonsense"]).code(2);
}

/// To read what one reviews is the point of reviewing.
#[test]
fn a_reviewer_may_read_and_note() {
    let env = env();
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    let id = in_review(&env, &mut ada, "One");
    bowie.sb(["review", &id]).success();
    bowie.sb(["show", &id]).success();
    bowie.sb(["note", &id, "I looked at every line"]).success();
    bowie.sb(["reject", &id, "a test is missing"]).success();
    // Also in the second round, after having read it in between.
    bowie.sb(["show", &id]).success();
    ada.sb(["pick", &id]).success();
    ada.sb(["submit", "-m", "there it is"]).success();
    bowie.sb(["approve", &id]).success();
}

#[test]
fn a_human_may_always_review() {
    let env = env();
    let id = env.new_ticket("One");
    env.sb(["pick", &id]).success();
    env.sb(["show", &id]).success();
    env.sb(["submit", "-m", "done"]).success();
    let mut bowie = env.agent("bowie");
    bowie.sb(["review", &id]).success();
    env.sb(["approve", &id]).success();
    assert_eq!(status(&env, &id), "done");
}

#[test]
fn a_review_is_let_go() {
    let env = env();
    let (mut ada, mut bowie, mut cleo) = (env.agent("ada"), env.agent("bowie"), env.agent("cleo"));
    let id = in_review(&env, &mut ada, "One");
    bowie.sb(["review", &id]).success();
    cleo.sb(["release", &id]).code(4).says("being reviewed by someone else");
    bowie.sb(["release", &id, "-m", "no time"]).success().says("it is review");
    cleo.sb(["approve", &id]).success();
    cleo.sb(["review", "sb_zzzzzz"]).code(3);
    cleo.sb(["approve"]).code(4);
}

#[test]
fn approving_without_taking_it_first() {
    let env = env();
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    let id = in_review(&env, &mut ada, "One");
    bowie.sb(["approve", &id]).success();
    let events = env.sb(["log", "--ticket", &id, "--event", "review.*", "--json"]).success().stdout;
    assert_eq!(events.lines().count(), 2, "{events}");
    // One who approved did not work on it, and may review it again after it was reopened.
    env.sb(["reopen", &id]).success();
    ada.sb(["pick", &id]).success();
    ada.sb(["submit", "-m", "again"]).success();
    bowie.sb(["approve", &id]).success();
}
