//! `list`, `show` and ids by their beginning.

use signalbox_testkit::{Run, TestEnv};

use crate::support::{json, story, ticket};

/// The titles of a list, in its order.
fn titles(run: &Run) -> Vec<&str> {
    run.stdout.lines().map(|line| line.split("  ").last().unwrap_or_default().trim()).collect()
}

fn filed(env: &TestEnv, words: &[&str]) -> String {
    env.sb(["new"].iter().chain(words)).success().stdout.trim().to_owned()
}

#[test]
fn lists_are_filtered() {
    let env = story();
    let api = filed(&env, &["Api", "--tag", "api", "--initiative", "launch", "-p", "P1"]);
    filed(&env, &["Web", "--tag", "web", "-p", "P4"]);
    let done = filed(&env, &["Done", "--tag", "api"]);
    filed(&env, &["Later", "--backlog"]);
    env.sb(["close", &done]).success();
    env.sb(["pick", &api]).success();
    let listed = |words: &[&str]| {
        let run = env.sb(["list"].iter().chain(words)).success();
        let as_json = json(&env.sb(["list", "--json"].iter().chain(words)).success());
        let names: Vec<&str> =
            as_json.as_array().expect("a list").iter().filter_map(|t| t["title"].as_str()).collect();
        assert_eq!(titles(&run), names, "text and JSON list the same: {words:?}");
        titles(&run).join(" ")
    };
    assert_eq!(listed(&[]), "Api Later Web");
    assert_eq!(listed(&["--all"]), "Api Done Later Web");
    assert_eq!(listed(&["--status", "open"]), "Web");
    assert_eq!(listed(&["--status", "done"]), "Done");
    assert_eq!(listed(&["--status", "open,wip", "-s", "later"]), "Api Later Web");
    assert_eq!(listed(&["--priority", "urgent"]), "Api");
    assert_eq!(listed(&["-p", "P1", "-p", "low"]), "Api Web");
    assert_eq!(listed(&["--tag", "api"]), "Api");
    assert_eq!(listed(&["--tag", "api", "--all"]), "Api Done");
    assert_eq!(listed(&["--tag", "ap"]), "");
    assert_eq!(listed(&["--initiative", "launch"]), "Api");
    assert_eq!(listed(&["--assignee", "human"]), "Api");
    assert_eq!(listed(&["--mine"]), "Api");
    assert_eq!(listed(&["--project", "shop", "--status", "open"]), "Web");
    assert_eq!(listed(&["--sort", "title"]), "Api Later Web");
    assert_eq!(listed(&["--sort", "created"]), "Api Web Later");
    assert_eq!(listed(&["--sort", "updated", "--all"]), "Api Done Later Web");
    assert_eq!(listed(&["--sort", "status"]), "Later Web Api");
    let mut ada = env.agent("ada");
    assert_eq!(ada.sb(["list", "--mine"]).success().stdout, "");
    env.sb(["list", "--status", "opne"]).code(2).says("Did you mean `open`?");
    env.sb(["list", "--priority", "huge"]).code(2);
    env.sb(["list", "--project", "shopp"]).code(3).says("Did you mean `shop`?");
}

#[test]
fn a_list_as_people_see_it() {
    let env = story();
    let id = filed(&env, &["Limit logins", "-p", "high"]);
    filed(&env, &["日本語のタイトル"]);
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    insta::assert_snapshot!(env.sb(["list"]), @"
    sb_Bq5DH9  in-progress  P2  ada       1s    Limit logins
    sb_W7094S  open         P3  -         4s    日本語のタイトル
    ");
    insta::assert_snapshot!(env.sb(["list", "--project", "*"]), @"
    sb_Bq5DH9  in-progress  P2  ada       2s    shop     Limit logins
    sb_W7094S  open         P3  -         5s    shop     日本語のタイトル
    ");
    insta::assert_snapshot!(env.sb(["list", "--status", "review"]), @"
    --- stderr
    No ticket in shop is like that.
    ");
}

#[test]
fn a_whole_ticket_as_people_see_it() {
    let env = story();
    let first = env.new_ticket("First");
    let id = filed(
        &env,
        &["Limit logins", "--body", "Too many\nlogins", "--accept", "429 after 5", "-t", "api", "-d", &first],
    );
    env.sb(["override", &id, "open", "no time"]).success();
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    ada.sb(["note", "Counted\nlogins"]).success();
    env.sb(["edit", &id, "--escalated", "true", "--needs-tests", "false"]).success();
    env.sb(["hold", &id, "until Monday"]).success();
    insta::assert_snapshot!(env.sb(["show", &id]), @"
    sb_W7094S  Limit logins
         status  blocked (was in-progress)
       priority  P3
        project  shop
       assignee  ada
           hold  until Monday
           tags  api
      escalated  yes
    needs tests  no
        created  2026-11-15T10:00:02Z
           file  ROOT/hóme of sb/vault/tickets/2026-11-15T1000-sb_W7094S.md

    Too many
    logins

    Acceptance
      1. [ ] 429 after 5

    Depends on
      sb_Bq5DH9  open  P3  First  (waived)

    History
      2026-11-15 10:00:02  ticket.created      human  Limit logins
      2026-11-15 10:00:02  status.blocked      sb  waits on sb_Bq5DH9
      2026-11-15 10:00:03  ticket.waived       human  depends-on: sb_Bq5DH9
      2026-11-15 10:00:03  status.open         human  no time
      2026-11-15 10:00:06  status.in-progress  ada
      2026-11-15 10:00:07  note.added          ada  Counted\\nlogins
      2026-11-15 10:00:08  ticket.edited       human  needs-tests: false; escalated: true
      2026-11-15 10:00:09  ticket.held         human  until Monday
      2026-11-15 10:00:09  status.blocked      sb  until Monday
    ");
}

#[test]
fn the_story_of_a_ticket_as_json() {
    let env = story();
    let first = env.new_ticket("First");
    let id = filed(&env, &["Second", "--body", "The goal", "-d", &first]);
    let shown = ticket(&env, &id);
    assert_eq!(
        shown["dependencies"],
        serde_json::json!([{"id": first, "depth": 0, "status": "open", "title": "First"}])
    );
    assert_eq!(shown["body"], "The goal");
    assert_eq!(shown["attempt_reports"], serde_json::json!([]));
    let history = shown["history"].as_array().expect("a list");
    assert_eq!(history.len(), 2);
    insta::assert_snapshot!(history[1], @r#"{"v":1,"id":"01M7FACJ6GP8YTVRWKNXSB2BWF","ts":"2026-11-15T10:00:02.000Z","event":"status.blocked","ticket":"sb_W7094S","project":"shop","actor":"sb","session":null,"rev":2,"data":{"from":"open","cause":"dependencies","waits_on":["sb_Bq5DH9"]}}"#);
    assert_eq!(shown["created"], "2026-11-15T10:00:02.000Z");
    let path = shown["path"].as_str().expect("a path");
    assert!(path.ends_with(&format!("/vault/tickets/2026-11-15T1000-{id}.md")), "{path}");
    assert!(std::path::Path::new(path).is_file());
}

#[test]
fn any_unambiguous_beginning_of_an_id() {
    let env = story();
    let ids: Vec<String> = (0..30).map(|n| env.new_ticket(&format!("Ticket {n}"))).collect();
    let id = ids.first().expect("an id");
    let own = id.strip_prefix("sb_").expect("a prefix");
    for typed in [id.as_str(), own, &own[..4], &format!("sb_{}", &own[..4]), &own.to_lowercase()] {
        assert_eq!(ticket(&env, typed)["id"], id.as_str(), "{typed}");
    }
    // Thirty ids share a first letter somewhere.
    let shared = ids
        .iter()
        .map(|id| id[3..4].to_owned())
        .find(|letter| ids.iter().filter(|id| id[3..4] == **letter).count() > 1);
    let shared = shared.expect("two ids with the same beginning");
    let ambiguous =
        env.sb(["show", &shared]).code(2).says("could be any of these").says("Type more of the id");
    for id in ids.iter().filter(|id| id[3..4] == shared) {
        assert!(ambiguous.stderr.contains(id.as_str()), "{ambiguous}");
    }
}

#[test]
fn an_unknown_id_is_guessed() {
    let env = story();
    let id = env.new_ticket("Limit logins");
    let mistyped = format!("{}x", &id[..8]);
    insta::assert_snapshot!(env.sb(["show", &mistyped]), @"
    --- stderr
    error: there is no ticket `sb_Bq5DHx`
    hint: Did you mean sb_Bq5DH9 (Limit logins)?
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["close", "sb_000000"]), @"
    --- stderr
    error: there is no ticket `sb_000000`
    hint: `sb list --all` shows every ticket.
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["show", "no such thing"]), @"
    --- stderr
    error: there is no ticket `no such thing`
    hint: `sb list --all` shows every ticket.
    --- exit 3
    ");
}

/// A variable that was not set must not mean the only ticket there is.
#[test]
fn an_empty_id_is_no_ticket() {
    let env = story();
    let id = env.new_ticket("The only one");
    insta::assert_snapshot!(env.sb(["close", ""]), @"
    --- stderr
    error: the ticket's id is empty
    hint: Type at least its first letter; `sb list` shows the ids.
    --- exit 2
    ");
    for words in [
        &["show", ""][..],
        &["pick", "sb_"],
        &["hold", "", "why"],
        &["new", "x", "-d", "sb_"],
        &["switch", ""],
    ] {
        env.sb(words).code(2).says("the ticket's id is empty");
    }
    assert_eq!(ticket(&env, &id)["rev"], 1);
}

/// On a terminal: a heading, colours, and lines that fit.
#[test]
fn a_list_on_a_terminal() {
    let env = story();
    env.new_ticket(&format!("Long {}", "words ".repeat(40)));
    let on_terminal = |line: &str| {
        let mut command = std::process::Command::new("script");
        env.prepare(&mut command);
        command.args(["-qec", &format!("stty cols 60; {line}"), "/dev/null"]);
        env.run(command)
    };
    if std::process::Command::new("script").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no `script` here to make a terminal");
        return;
    }
    let run = on_terminal("sb list").success();
    let lines: Vec<&str> = run.stdout.lines().map(|line| line.trim_end_matches('\r')).collect();
    assert_eq!(lines.len(), 2, "{run}");
    assert!(lines[0].contains("STATUS") && lines[0].contains("\u{1b}[2m"), "{lines:?}");
    let plain = lines[1].replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    assert!(plain.ends_with('…') && plain.chars().count() <= 60, "{plain:?}");
    let run = on_terminal("NO_COLOR=1 sb list").success();
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    let run = on_terminal("TERM=dumb sb list").success();
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    // Colour is ours, escapes in somebody's words are shown.
    let run = on_terminal(
        "sb new $(printf 'red \\033[31mtitle') >/dev/null; sb show $(sb list --json | grep -o 'sb_......' | tail -1)",
    );
    let run = run.success();
    assert!(run.stdout.contains("\u{1b}[1mopen\u{1b}[0m"), "{:?}", run.stdout);
    assert!(
        run.stdout.contains("red \\x1b[31mtitle") && !run.stdout.contains("\u{1b}[31m"),
        "{:?}",
        run.stdout
    );
    // The id is for pipes; a person reads the sentence.
    let run = on_terminal("sb new Another").success();
    assert_eq!(run.stdout.lines().count(), 1, "{run}");
    let shown = on_terminal("sb list --json").success();
    assert!(shown.stdout.lines().count() > 20, "JSON for a person has lines: {shown}");
}
