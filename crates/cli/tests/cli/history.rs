//! `log` and `at`: what happened, what happens, and how it was.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::support::{env, fields, json, story};

#[test]
fn the_log_as_people_see_it() {
    let env = story();
    let id = env.new_ticket("Limit logins");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    ada.sb(["note", &format!("Counted\nlogins {}", "x".repeat(200))]).success();
    ada.sb(["submit"]).success();
    insta::assert_snapshot!(env.sb(["log", "--event", "[^s]*"]), @r"
    2026-11-15 10:00:00  project.registered  human  path: ROOT/shop
    2026-11-15 10:00:01  sb_Bq5DH9  ticket.created      human  Limit logins
    2026-11-15 10:00:05  sb_Bq5DH9  note.added          ada  Counted\nlogins xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    ");
    insta::assert_snapshot!(env.sb(["log", "-n", "1", "--json"]), @r#"{"v":1,"id":"01M7FACP3GW3F4QYQFSR86V1XF","ts":"2026-11-15T10:00:06.000Z","event":"status.review","ticket":"sb_Bq5DH9","project":"shop","actor":"ada","session":"ada","rev":4,"data":{"from":"in-progress","cause":"work"}}"#);
    env.sb(["log", "--event", "session.*"]).success().says("session.started     ada  cli: bash; ");
}

#[test]
fn events_are_filtered() {
    let env = env();
    let (first, second) = (env.new_ticket("First"), env.new_ticket("Second"));
    let mut ada = env.agent("ada");
    ada.sb(["pick", &first]).success();
    ada.sb(["submit", "-m", "done"]).success();
    env.sb(["close", &first]).success();
    let names = |words: &[&str]| {
        let run = env.sb(["log", "--json"].iter().chain(words)).success();
        let name = |line: &str| {
            let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
            event["event"].as_str().expect("a name").to_owned()
        };
        run.stdout.lines().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&["--ticket", &second]), "ticket.created");
    assert_eq!(
        names(&["--ticket", &first, "--event", "status.*"]),
        "status.in-progress status.review status.done"
    );
    assert_eq!(names(&["--event", "status.d*"]), "status.done");
    assert_eq!(names(&["--session", "ada"]), "session.started status.in-progress status.review");
    assert_eq!(names(&["--session", "ada", "--event", "*review"]), "status.review");
    assert_eq!(names(&["-n", "2"]), "status.review status.done");
    assert_eq!(names(&["-n", "0"]), "");
    assert_eq!(names(&["--project", "shop", "-n", "1", "--event", "project.*"]), "project.registered");
    assert_eq!(names(&["--event", "nothing.like.it"]), "");
    env.sb(["log", "--project", "nowhere"]).code(3);
    env.sb(["log", "--ticket", "sb_zzzzzz"]).code(3);
    env.sb(["log", "-n", "many"]).code(2);
    let line = json(&env.sb(["log", "--json", "-n", "1"]).success());
    let names = fields(&line);
    assert_eq!(names[..8], ["v", "id", "ts", "event", "ticket", "project", "actor", "session"]);
    assert_eq!(names.last(), Some(&"data"));
}

#[test]
fn events_since_a_moment() {
    let mut env = story();
    for (day, title) in [("2026-11-10", "Old"), ("2026-11-14", "Yesterday"), ("2026-11-15", "Today")] {
        env.set_clock(&format!("{day}T12:00:00Z"));
        env.new_ticket(title);
    }
    env.set_clock("2026-11-15T13:00:00Z");
    let count = |since: &str| {
        env.sb(["log", "--event", "ticket.created", "--since", since]).success().stdout.lines().count()
    };
    // The project was registered on the 15th, so every event since carries at least that time.
    for (since, want) in [
        ("2026-11-15", 3),
        ("today", 3),
        ("2026-11-15T12:00:00Z", 1),
        ("12:00", 1),
        ("2h ago", 1),
        ("90 min ago", 1),
        ("3d", 3),
        ("yesterday", 3),
        ("2026-11-15 12:00:01", 0),
    ] {
        assert_eq!(count(since), want, "{since}");
    }
    insta::assert_snapshot!(env.sb(["log", "--since", "the other day"]), @"
    --- stderr
    error: `the other day` is not a time
    hint: Write `2026-11-15T10:30:00Z`, `2026-11-15`, `2026-11-15 10:30`, `10:30`, `2h ago` or `yesterday`.
    --- exit 2
    ");
}

#[test]
fn follow_shows_what_comes() {
    let env = env();
    let id = env.new_ticket("One");
    let mut command = env.command();
    command.args(["log", "--follow", "--json", "--ticket", &id]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut follower = command.spawn().expect("start sb log --follow");
    let output = follower.stdout.take().expect("its output");
    let (send, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let next = || lines.recv_timeout(Duration::from_secs(30)).expect("a line of the log in time");
    assert!(next().contains("\"ticket.created\""));
    env.new_ticket("Another, which was not asked for");
    env.sb(["note", &id, "written afterwards"]).success();
    let line = next();
    assert!(line.contains("note.added") && line.contains("written afterwards"), "{line}");
    env.sb(["close", &id]).success();
    assert!(next().contains("status.done"));
    follower.kill().expect("end it");
    follower.wait().expect("its end");
    reader.join().expect("the reader");
    assert_eq!(lines.try_iter().count(), 0, "nothing comes twice");
}

#[test]
fn tickets_as_they_were() {
    let env = story();
    let first = env.new_ticket("First"); // 10:00:01
    let second = env.sb(["new", "Second", "-d", &first]).success().stdout.trim().to_owned(); // 10:00:02
    env.sb(["pick", &first]).success(); // 10:00:03
    env.sb(["edit", &first, "--title", "First, renamed"]).success(); // 10:00:04
    env.sb(["close", &first]).success(); // 10:00:05
    env.sb(["edit", &second, "--no-depends-on", &first]).success(); // 10:00:06
    let at = |second: u32, words: &[&str]| {
        env.sb(["at", &format!("2026-11-15T10:00:0{second}Z")].into_iter().chain(words.iter().copied()))
    };
    insta::assert_snapshot!(at(0, &["list"]), @"
    --- stderr
    There was no ticket like that then.
    ");
    insta::assert_snapshot!(at(1, &["list"]), @"sb_Bq5DH9  open    P3  -         0s    First");
    insta::assert_snapshot!(at(3, &["list"]), @"
    sb_Bq5DH9  in-progress  P3  human     0s    First
    sb_W7094S  blocked      P3  -         1s    Second
    ");
    insta::assert_snapshot!(at(5, &["list"]), @"sb_W7094S  open    P3  -         0s    Second");
    insta::assert_snapshot!(at(5, &["list", "--all"]), @"
    sb_Bq5DH9  done    P3  human     0s    First, renamed
    sb_W7094S  open    P3  -         0s    Second
    ");
    insta::assert_snapshot!(at(1, &["show", &second]), @"
    --- stderr
    error: there was no sb_W7094S at 2026-11-15T10:00:01Z yet
    --- exit 3
    ");
    // It depended on the first one then, and does no longer.
    insta::assert_snapshot!(at(3, &["show", &second]), @"
    sb_W7094S  Second
         status  blocked (was open)
       priority  P3
        project  shop
       waits on  sb_Bq5DH9
        created  2026-11-15T10:00:02Z
           file  ROOT/hóme of sb/vault/tickets/2026-11-15T1000-sb_W7094S.md

    Depends on
      sb_Bq5DH9  in-progress  P3  First

    History
      2026-11-15 10:00:02  ticket.created      human  Second
      2026-11-15 10:00:02  status.blocked      sb  waits on sb_Bq5DH9
    ");
    let then = json(&at(3, &["show", &first, "--json"]).success());
    assert_eq!(
        (&then["title"], &then["status"], &then["rev"]),
        (&"First".into(), &"in-progress".into(), &2.into())
    );
    assert_eq!(then["history"].as_array().expect("a list").len(), 2);
    let waiting = json(&at(4, &["list", "--json"]).success());
    assert_eq!(waiting[1]["blocked_by"], serde_json::json!([first]));
    let now = json(&env.sb(["at", "now", "show", &first, "--json"]).success());
    assert_eq!(now["status"], "done");
    env.sb(["at", "now", "list", "--project", "*"]).success().says("Second");
    env.sb(["at", "now", "list", "--project", "nowhere"]).code(3);
    env.sb(["at", "soon", "list"]).code(2).says("is not a time");
    env.sb(["at", "now"]).code(2);
    env.sb(["at", "now", "show", "sb_zzzzzz"]).code(3);
}
