//! Claude Code's own task list: tickets into it, tasks out of it, and nothing of anybody else's lost.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;

use crate::support::{json, json_error, status, story, ticket};

/// An environment with a home of Claude Code.
fn env() -> TestEnv {
    let env = crate::env();
    std::fs::create_dir_all(env.root().join(".claude")).expect("a folder");
    env
}

fn list(env: &TestEnv, name: &str) -> PathBuf {
    env.root().join(".claude/tasks").join(name)
}

/// A task that Claude Code wrote.
fn put(env: &TestEnv, list_name: &str, task: &Value) {
    let folder = list(env, list_name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let id = task["id"].as_str().expect("an id");
    env.write(folder.join(format!("{id}.json")), format!("{task:#}"));
}

fn native(id: &str, subject: &str, status: &str) -> Value {
    json!({ "id": id, "subject": subject, "description": "d", "status": status, "blocks": [], "blockedBy": [] })
}

fn task(env: &TestEnv, list_name: &str, id: &str) -> Value {
    serde_json::from_str(&env.read(list(env, list_name).join(format!("{id}.json")))).expect("JSON")
}

/// The names of what is in a list's folder.
fn names(env: &TestEnv, list_name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(list(env, list_name)).expect("the list");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

#[test]
fn tickets_go_into_the_list() {
    let env = env();
    let first = env.new_ticket("First");
    let waiting = env.sb(["new", "Waits", "--depends-on", &first]).success().stdout.trim().to_owned();
    env.new_ticket("Second");
    let mut ada = env.agent("ada");
    ada.sb(["switch", &waiting]).success();
    let pushed = json(&ada.sb(["tasklist", "push", "--json"]).success());
    assert_eq!(pushed["list"], "ada");
    assert_eq!(pushed["created"].as_array().expect("a list").len(), 3, "{pushed}");
    // What is waited for comes first.
    let (one, two) = (task(&env, "ada", "1"), task(&env, "ada", "2"));
    assert_eq!(one["subject"], format!("{first}: First"));
    assert_eq!(one["metadata"], json!({ "signalbox": first }));
    assert_eq!(
        (&one["status"], &one["blocks"], &one["blockedBy"]),
        (&json!("pending"), &json!(["2"]), &json!([]))
    );
    assert_eq!((&two["subject"], &two["blockedBy"]), (&json!(format!("{waiting}: Waits")), &json!(["1"])));
    assert_eq!(names(&env, "ada"), ["1.json", "2.json", "3.json"], "no lock is left behind");
    // Reading a ticket is recorded, so nothing of what it says may be in the list.
    let described = one["description"].as_str().expect("a text");
    assert!(described.contains(&format!("sb pick {first}")), "{described}");

    // What changes is brought up to date, and the rest is left alone.
    ada.sb(["pick", &first]).success();
    let again = json(&ada.sb(["tasklist", "push", "--json"]).success());
    assert_eq!(again["created"], json!([]));
    assert_eq!(again["updated"], json!([{ "task": "1", "ticket": first }]));
    assert_eq!(task(&env, "ada", "1")["status"], "in_progress");
    ada.sb(["submit", &first, "-m", "done"]).success();
    ada.sb(["tasklist", "push"]).success().says("3 tickets are in the list ada: 0 new, 1 changed");
    assert_eq!(task(&env, "ada", "1")["status"], "completed");
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let env = env();
    let mut foreign = native("7", "Theirs", "in_progress");
    foreign["owner"] = json!("codex");
    foreign["metadata"] = json!({ "source": "bus" });
    put(&env, "ada", &foreign);
    env.write(list(&env, "ada").join(".highwatermark"), "9");
    let id = env.new_ticket("Ours");
    let mut ada = env.agent("ada");
    ada.sb(["tasklist", "push"]).success();
    assert_eq!(task(&env, "ada", "7"), foreign);
    // Ids continue after the highest that ever was.
    let mut ours = task(&env, "ada", "10");
    assert_eq!(ours["metadata"]["signalbox"], id);
    // Keys of others, a dependency on their task and their own words stay.
    ours["later"] = json!([1]);
    ours["blockedBy"] = json!(["7"]);
    ours["description"] = json!("In my own words");
    ours["subject"] = json!("Renamed");
    put(&env, "ada", &ours);
    ada.sb(["tasklist", "push"]).success().says("0 new, 1 changed");
    let mended = task(&env, "ada", "10");
    assert_eq!(mended["subject"], format!("{id}: Ours"));
    for key in ["later", "blockedBy", "description", "metadata"] {
        assert_eq!(mended[key], ours[key], "{key}");
    }
}

#[test]
fn a_deleted_list_is_begun_anew() {
    let env = env();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["tasklist", "push"]).success();
    std::fs::remove_file(list(&env, "ada").join("1.json")).expect("remove");
    env.write(list(&env, "ada").join(".highwatermark"), "1");
    ada.sb(["tasklist", "pull"]).success().says("No task of the list ada needs a ticket");
    assert_eq!(status(&env, &id), "open", "a deleted task says nothing about its ticket");
    ada.sb(["tasklist", "push"]).success().says("1 new");
    assert_eq!(names(&env, "ada"), [".highwatermark", "2.json"]);
}

#[test]
fn tasks_become_tickets() {
    let env = env();
    let mut waits = native("1", "Waits for the other", "pending");
    waits["blockedBy"] = json!(["2"]);
    put(&env, "ada", &waits);
    put(&env, "ada", &native("2", "Comes first", "in_progress"));
    put(&env, "ada", &native("3", "Was done already", "completed"));
    let mut internal = native("4", "Nobody sees it", "pending");
    internal["metadata"] = json!({ "_internal": true });
    put(&env, "ada", &internal);
    put(&env, "ada", &native("5", "sb_zzzzzz: of another home", "pending"));
    put(&env, "ada", &native("6", &format!("{}\nsecond line", "long ".repeat(80)), "pending"));
    put(&env, "ada", &native("7", " ", "pending"));
    let mut ada = env.agent("ada");
    let pulled = json(&ada.sb(["tasklist", "pull", "--json"]).success());
    let filed: Vec<(&str, &str)> = pulled["filed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pair| (pair["task"].as_str().expect("a task"), pair["ticket"].as_str().expect("a ticket")))
        .collect();
    assert_eq!(filed.iter().map(|(task, _)| *task).collect::<Vec<_>>(), ["2", "1", "6"]);
    assert_eq!(pulled["completed_without_ticket"], 1);
    assert_eq!(pulled["refused"], json!([{ "task": "7", "reason": "a ticket needs a title" }]));
    let (first, waiting, long) = (filed[0].1, filed[1].1, filed[2].1);
    let ticket_of = |id: &str| ticket(&env, id);
    assert_eq!(ticket_of(first)["title"], "Comes first");
    assert_eq!(ticket_of(first)["body"], "d\n\nFrom task 2 of Claude Code's list ada.");
    assert_eq!(ticket_of(waiting)["depends_on"], json!([first]));
    assert!(ticket_of(long)["body"].as_str().expect("a body").contains("second line"));
    assert_eq!(task(&env, "ada", "2")["metadata"]["signalbox"], first);
    assert_eq!(task(&env, "ada", "2")["subject"], format!("{first}: Comes first"));
    let claim = format!("task 2 is in progress, but {first} is open: claim it with `sb pick {first}`");
    assert_eq!(pulled["differences"], json!([claim]));
    // Each gets one ticket, however often it is asked for; a description of theirs is not replaced by ours.
    ada.sb(["tasklist", "pull"]).success().says("needs a ticket").says(&claim);
    ada.sb(["tasklist", "push"]).success();
    assert_eq!(task(&env, "ada", "2")["description"], "d");
}

#[test]
fn a_completed_task_completes_no_ticket() {
    let env = env();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    ada.sb(["tasklist", "push"]).success();
    let mut done = task(&env, "ada", "1");
    done["status"] = json!("completed");
    put(&env, "ada", &done);
    let differs = format!("task 1 is completed, but {id} is in-progress: hand it in with `sb submit {id}`");
    ada.sb(["tasklist", "pull"]).success().says(&differs);
    ada.sb(["tasklist"]).success().says(&differs);
    assert_eq!(status(&env, &id), "in-progress");
    // The ticket is the truth.
    ada.sb(["tasklist", "push"]).success();
    assert_eq!(task(&env, "ada", "1")["status"], "in_progress");
}

#[test]
fn half_a_file_is_left_alone() {
    let env = env();
    put(&env, "ada", &native("3", "Half", "pending"));
    let half = r#"{"id":"3","subj"#;
    env.write(list(&env, "ada").join("3.json"), half);
    env.write(list(&env, "ada").join("4.json"), r#"{"id":"4","subject":"Not a task"}"#);
    env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["tasklist", "push"]).success().says("cannot be read and were left alone: 3, 4");
    ada.sb(["tasklist", "pull"]).success().says("cannot be read");
    let shown = json(&ada.sb(["tasklist", "status", "--json"]).success());
    assert_eq!(shown["unreadable"], json!(["3", "4"]));
    assert_eq!(env.read(list(&env, "ada").join("3.json")), half);
    assert_eq!(names(&env, "ada"), ["3.json", "4.json", "5.json"]);
}

#[test]
fn a_lock_is_waited_for_and_a_dead_ones_is_removed() {
    let env = env();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["tasklist", "push"]).success();
    let held = |name: &str, age: u64| {
        let lock = list(&env, "ada").join(name);
        std::fs::create_dir_all(&lock).expect("a folder");
        let folder = std::fs::File::open(&lock).expect("the lock");
        #[expect(clippy::disallowed_methods, reason = "the lock is Claude Code's, and so is its clock")]
        let then = SystemTime::now() - Duration::from_secs(age);
        folder.set_modified(then).expect("its time");
        lock
    };
    // The list's own lock, and that of one task.
    let lock = held(".lock.lock", 0);
    let error = json_error(&ada.sb(["tasklist", "push", "--json"]).code(4));
    assert_eq!(error["code"], "tasklist.busy");
    assert!(lock.is_dir(), "it is somebody else's");
    std::fs::remove_dir(lock).expect("remove");
    let lock = held("1.json.lock", 0);
    ada.sb(["pick", &id]).success();
    let pushed = json(&ada.sb(["tasklist", "push", "--json"]).success());
    assert_eq!(pushed["busy"], json!([{ "task": "1", "ticket": id }]));
    assert_eq!(task(&env, "ada", "1")["status"], "pending");
    std::fs::remove_dir(lock).expect("remove");
    for name in [".lock.lock", "1.json.lock"] {
        held(name, 60);
    }
    ada.sb(["tasklist", "push"]).success().says("1 changed");
    assert_eq!(names(&env, "ada"), ["1.json"]);
}

#[test]
fn the_list_is_found() {
    let mut env = env();
    let id = env.new_ticket("One");
    // A person has none of their own, but may mean the only session.
    env.sb(["tasklist", "push"]).code(3).says("--list ID");
    env.sb(["tasklist", "push", "--list", ""]).code(2).says("empty");
    env.sb(["tasklist", "push", "--list", "../../x y"]).success().says("the list ------x-y");
    assert_eq!(task(&env, "------x-y", "1")["metadata"]["signalbox"], id);
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    env.sb(["tasklist", "push"]).success().says("the list ada");
    assert_eq!(task(&env, "ada", "1")["status"], "in_progress");
    ada.run("CLAUDE_CODE_SESSION_ID=11111111-2222 sb tasklist push").success().says("the list 11111111-2222");
    ada.run("CLAUDE_CODE_TASK_LIST_ID='a b' CLAUDE_CODE_SESSION_ID=x sb tasklist push")
        .success()
        .says("the list a-b");
    // A team's list has the team's name.
    let team = env.root().join(".claude/teams/session-1234abcd");
    std::fs::create_dir_all(&team).expect("a folder");
    env.write(team.join("config.json"), r#"{"leadSessionId":"ada"}"#);
    ada.sb(["tasklist", "push"]).success().says("the list session-1234abcd");
    env.set("CLAUDE_CONFIG_DIR", "/nowhere");
    env.sb(["tasklist", "push", "--list", "x"]).code(4).says("no settings folder");
}

#[test]
fn side_by_side() {
    let env = story();
    std::fs::create_dir_all(env.root().join(".claude")).expect("a folder");
    let id = env.new_ticket("Limit logins");
    let mut ada = env.agent("ada");
    ada.sb(["tasklist", "push"]).success();
    put(&env, "ada", &native("2", "Something \u{1b}[31mof its own", "pending"));
    ada.sb(["pick", &id]).success();
    env.new_ticket("Not in the list");
    insta::assert_snapshot!(ada.sb(["tasklist"]), @r"
 task  status       ticket     status       title
    1  pending      sb_Bq5DH9  in-progress  Limit logins
    2  pending      –          –            Something \x1b[31mof its own
    –  –            sb_WeAjDW  open         Not in the list
--- stderr
hint: task 1 is pending, but sb_Bq5DH9 is in-progress: `sb tasklist push` brings the list up to date
");
}
