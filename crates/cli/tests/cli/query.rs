//! `query`: SQL that only reads, named reports, and the view `hook_events`.

use signalbox_testkit::TestEnv;

use crate::support::{append_to_log, env, fields, json, record, story};

#[test]
fn rows_as_people_and_programs_see_them() {
    let env = story();
    let id = env.new_ticket("Limit logins");
    insta::assert_snapshot!(env.sb(["query", "SELECT id, title, assignee, rev FROM tickets;"]), @"
    id         title         assignee  rev
    sb_Bq5DH9  Limit logins            1
    ");
    let rows = json(
        &env.sb(["query", "--json", "SELECT id, rev, 1.5 AS x, NULL AS n, x'00ff' AS b FROM tickets"])
            .success(),
    );
    assert_eq!(rows, serde_json::json!([{"id": id, "rev": 1, "x": 1.5, "n": null, "b": "<2 bytes>"}]));
    assert_eq!(env.sb(["query", "--json", "SELECT 1 WHERE 0"]).success().stdout, "[]\n");
    let named =
        env.sb(["query", "SELECT title FROM tickets WHERE id = :ticket", "--ticket", &id[..6]]).success();
    assert_eq!(named.stdout, "title\nLimit logins\n");
    env.sb(["query", "VALUES (1), (2)"]).success();
    env.sb(["query", "explain query plan select * from events where ticket = 'x'"])
        .success()
        .says("events_ticket");
}

#[test]
fn nothing_can_be_written() {
    let env = env();
    env.new_ticket("One");
    let elsewhere = env.root().join("elsewhere.db");
    let elsewhere = elsewhere.to_str().expect("UTF-8");
    for sql in [
        "INSERT INTO meta VALUES ('a', 'b')",
        "UPDATE tickets SET status = 'done'",
        "DELETE FROM events",
        "DROP TABLE events",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = delete",
        "VACUUM",
        &format!("VACUUM INTO '{elsewhere}'"),
        &format!("ATTACH DATABASE '{elsewhere}' AS other"),
        "REINDEX",
        "BEGIN",
        "WITH x AS (SELECT 1) INSERT INTO meta SELECT 'a', 'b'",
        "WITH x AS (SELECT 1) DELETE FROM events",
        "EXPLAIN DELETE FROM events",
        "/* SELECT */ DELETE FROM events",
        "",
        ";",
        "   ",
    ] {
        env.sb(["query", "--", sql]).code(2).says("only reads");
    }
    insta::assert_snapshot!(env.sb(["query", "SELECT 1; DELETE FROM events"]), @r#"
    --- stderr
    error: the query does not work: Multiple statements provided
    hint: `sb query "SELECT name, sql FROM sqlite_master"` shows the tables.
    --- exit 2
    "#);
    insta::assert_snapshot!(env.sb(["query", "SELECT nonsense FROM events"]), @r#"
    --- stderr
    error: the query does not work: no such column: nonsense in SELECT nonsense FROM events at offset 7
    hint: `sb query "SELECT name, sql FROM sqlite_master"` shows the tables.
    --- exit 2
    "#);
    insta::assert_snapshot!(env.sb(["query", "DELETE FROM events"]), @"
    --- stderr
    error: `sb query` only reads: SELECT, WITH, VALUES or EXPLAIN
    hint: Tickets are changed by commands; `sb help` lists them.
    --- exit 2
    ");
    env.sb(["query", "SELECT writefile('x', 'y')"]).code(2);
    env.sb(["query", "SELECT load_extension('x')"]).code(2);
    env.sb(["query", "SELECT readfile('/etc/passwd')"]).code(2);
    assert!(!env.root().join("elsewhere.db").exists());
    env.sb(["query", "SELECT count(*) FROM events"]).success().says("2");
    env.sb(["doctor"]).success().says("All is well.");
}

#[test]
fn named_reports() {
    let env = story();
    insta::assert_snapshot!(env.sb(["query", "--reports"]), @"
    touches            Who had to do with a ticket, how often, from when to when (needs --ticket)
    time-per-mode      Seconds each session spent in each mode
    tool-use           How often each tool was used in each mode, and how long it took on average
    refusals           Which tools were refused, how often and in which session
    session-timeline   What a session did, in order (needs --session)
    flow               For each finished ticket: when it was filed, started, first submitted and done
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "touch"]), @"
    --- stderr
    error: there is no report `touch`
    hint: Did you mean `touches`?
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "xyzzy"]), @"
    --- stderr
    error: there is no report `xyzzy`
    hint: `sb query --reports` lists them.
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "touches"]), @"
    --- stderr
    error: the report `touches` needs --ticket
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "session-timeline"]), @"
    --- stderr
    error: the report `session-timeline` needs --session
    --- exit 2
    ");
    env.sb(["query"]).code(2);
    env.sb(["query", "SELECT 1", "--report", "flow"]).code(2);
    let reports = json(&env.sb(["query", "--reports", "--json"]).success());
    assert_eq!(fields(&reports[0]), ["name", "about", "sql"]);
}

#[test]
fn what_the_reports_say() {
    let env = story();
    let id = env.new_ticket("One");
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    ada.sb(["pick", &id]).success();
    ada.sb(["submit", "-m", "done"]).success();
    bowie.sb(["reject", &id, "no"]).success();
    ada.sb(["pick"]).success();
    ada.sb(["submit", "-m", "again"]).success();
    bowie.sb(["approve", &id]).success();
    insta::assert_snapshot!(env.sb(["query", "--report", "touches", "--ticket", &id]), @"
    actor  session  events  first                     last                      what
    human           1       2026-11-15T10:00:01.000Z  2026-11-15T10:00:01.000Z  ticket.created
    ada    ada      4       2026-11-15T10:00:06.000Z  2026-11-15T10:00:10.000Z  status.in-progress,status.review
    bowie  bowie    6       2026-11-15T10:00:08.000Z  2026-11-15T10:00:11.000Z  review.started,review.rejected,status.rework,review.approved,status.done
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "flow"]), @"
    ticket     created                   started                   submitted                 done                      reworks
    sb_Bq5DH9  2026-11-15T10:00:01.000Z  2026-11-15T10:00:06.000Z  2026-11-15T10:00:07.000Z  2026-11-15T10:00:11.000Z  1
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "session-timeline", "--session", "bowie"]), @"
    ts                        event            ticket     tool
    2026-11-15T10:00:05.000Z  session.started
    2026-11-15T10:00:08.000Z  review.started   sb_Bq5DH9
    2026-11-15T10:00:08.000Z  review.rejected  sb_Bq5DH9
    2026-11-15T10:00:08.000Z  status.rework    sb_Bq5DH9
    2026-11-15T10:00:11.000Z  review.started   sb_Bq5DH9
    2026-11-15T10:00:11.000Z  review.approved  sb_Bq5DH9
    2026-11-15T10:00:11.000Z  status.done      sb_Bq5DH9
    ");
}

/// The seed's queries, as they are printed there.
const PRINTED: [&str; 6] = [
    "SELECT * FROM hook_events
WHERE correlation_id = 'task-name_correlation'
ORDER BY timestamp_ns;",
    "SELECT
    timestamp_ns,
    json_extract(event_data, '$.previous_mode') as from_mode,
    json_extract(event_data, '$.new_mode') as to_mode,
    json_extract(event_data, '$.trigger') as trigger
FROM hook_events
WHERE hook_name = 'user_prompt_submit'
  AND event_data LIKE '%mode_transition%'
ORDER BY timestamp_ns;",
    "SELECT
    json_extract(event_data, '$.tool_name') as tool,
    json_extract(event_data, '$.daic_mode') as mode,
    COUNT(*) as count,
    AVG(duration_ms) as avg_duration_ms
FROM hook_events
WHERE hook_name = 'post_tool_use'
  AND correlation_id = 'task-name_correlation'
GROUP BY tool, mode;",
    "SELECT
    datetime(timestamp_ns / 1000000000, 'unixepoch') as timestamp,
    hook_name,
    json_extract(event_data, '$.event_type') as event_type,
    json_extract(event_data, '$.tool_name') as tool_name
FROM hook_events
WHERE session_id = 'abc12345'
ORDER BY timestamp_ns;",
    "WITH mode_changes AS (
    SELECT
        timestamp_ns,
        json_extract(event_data, '$.new_mode') as mode,
        LEAD(timestamp_ns) OVER (ORDER BY timestamp_ns) as next_timestamp
    FROM hook_events
    WHERE hook_name = 'user_prompt_submit'
      AND event_data LIKE '%mode_transition%'
      AND correlation_id = 'task-name_correlation'
)
SELECT
    mode,
    SUM((next_timestamp - timestamp_ns) / 1000000000.0) as seconds_in_mode
FROM mode_changes
WHERE next_timestamp IS NOT NULL
GROUP BY mode;",
    "SELECT
    json_extract(event_data, '$.tool_name') as tool,
    json_extract(event_data, '$.permission') as permission,
    COUNT(*) as count
FROM hook_events
WHERE hook_name = 'pre_tool_use'
  AND correlation_id = 'task-name_correlation'
GROUP BY tool, permission
ORDER BY count DESC;",
];

/// A log as the hooks will write it: one session on one task, and another session on another.
fn with_hook_events(env: &TestEnv) {
    let mut number = 0;
    let mut hook = |second: u32, session: &str, task: &str, event: &str, mut data: serde_json::Value| {
        number += 1;
        data["correlation_id"] = task.into();
        let line = record(&serde_json::json!({
            "id": format!("01M7FC{number:020}"), "ts": format!("2026-11-15T11:00:{second:02}.000Z"),
            "event": event, "actor": session, "session": session, "project": "shop", "data": data,
        }));
        append_to_log(env, &line);
    };
    let (ours, task) = ("abc12345", "task-name_correlation");
    let tool = |name: &str, mode: &str, ms: u32| serde_json::json!({"tool_name": name, "mode": mode, "duration_ms": ms, "execution_id": "x1"});
    let judged = |name: &str, permission: &str| serde_json::json!({"tool_name": name, "permission": permission, "reason": "in discussion"});
    let change = |from: &str, to: &str| serde_json::json!({"previous_mode": from, "new_mode": to, "trigger": "go ahead"});
    hook(0, ours, task, "mode.changed", change("implementation", "discussion"));
    hook(1, ours, task, "hook.pre-tool", judged("Edit", "deny"));
    hook(2, ours, task, "hook.pre-tool", judged("Edit", "deny"));
    hook(3, ours, task, "hook.prompt", serde_json::json!({"prompt": "go ahead"}));
    hook(10, ours, task, "mode.changed", change("discussion", "implementation"));
    hook(11, ours, task, "hook.pre-tool", judged("Edit", "allow"));
    hook(12, ours, task, "hook.post-tool", tool("Edit", "implementation", 30));
    hook(13, ours, task, "hook.post-tool", tool("Edit", "implementation", 50));
    hook(14, "other", "other_task", "hook.post-tool", tool("Write", "implementation", 7));
    hook(15, "other", "other_task", "mode.changed", change("implementation", "discussion"));
    hook(40, ours, task, "mode.changed", change("implementation", "discussion"));
}

#[test]
fn the_printed_queries_run_as_they_stand() {
    let env = story();
    with_hook_events(&env);
    let columns = "id session_id correlation_id hook_name timestamp_ns execution_id event_data duration_ms";
    let all = json(&env.sb(["query", "--json", PRINTED[0]]).success());
    assert_eq!(fields(&all[0]).join(" "), columns);
    assert_eq!(all.as_array().expect("a list").len(), 9);
    assert!(all.as_array().expect("a list").iter().all(|row| row["session_id"] == "abc12345"));
    insta::assert_snapshot!(env.sb(["query", PRINTED[1]]), @"
    timestamp_ns         from_mode       to_mode         trigger
    1794740400000000000  implementation  discussion      go ahead
    1794740410000000000  discussion      implementation  go ahead
    1794740415000000000  implementation  discussion      go ahead
    1794740440000000000  implementation  discussion      go ahead
    ");
    insta::assert_snapshot!(env.sb(["query", PRINTED[2]]), @"
    tool  mode            count  avg_duration_ms
    Edit  implementation  2      40.0
    ");
    insta::assert_snapshot!(env.sb(["query", PRINTED[3]]), @"
    timestamp            hook_name           event_type       tool_name
    2026-11-15 11:00:00  user_prompt_submit  mode_transition
    2026-11-15 11:00:01  pre_tool_use                         Edit
    2026-11-15 11:00:02  pre_tool_use                         Edit
    2026-11-15 11:00:03  user_prompt_submit
    2026-11-15 11:00:10  user_prompt_submit  mode_transition
    2026-11-15 11:00:11  pre_tool_use                         Edit
    2026-11-15 11:00:12  post_tool_use                        Edit
    2026-11-15 11:00:13  post_tool_use                        Edit
    2026-11-15 11:00:40  user_prompt_submit  mode_transition
    ");
    insta::assert_snapshot!(env.sb(["query", PRINTED[4]]), @"
    mode            seconds_in_mode
    discussion      10.0
    implementation  30.0
    ");
    insta::assert_snapshot!(env.sb(["query", PRINTED[5]]), @"
    tool  permission  count
    Edit  deny        2
    Edit  allow       1
    ");
    let columns_of_view =
        env.sb(["query", "SELECT name FROM pragma_table_info('hook_events')"]).success().stdout;
    assert_eq!(columns_of_view.split_whitespace().skip(1).collect::<Vec<_>>().join(" "), columns);
}

#[test]
fn the_reports_on_hooks() {
    let env = story();
    with_hook_events(&env);
    insta::assert_snapshot!(env.sb(["query", "--report", "time-per-mode"]), @"
    session   mode            seconds
    abc12345  discussion      10.0
    abc12345  implementation  30.0
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "tool-use"]), @"
    tool   mode            uses  mean_ms
    Edit   implementation  2     40.0
    Write  implementation  1     7.0
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "tool-use", "--session", "other"]), @"
    tool   mode            uses  mean_ms
    Write  implementation  1     7.0
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "refusals"]), @"
    tool  session   refusals  reason
    Edit  abc12345  2         in discussion
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "session-timeline", "--session", "other"]), @"
    ts                        event           ticket  tool
    2026-11-15T11:00:14.000Z  hook.post-tool          Write
    2026-11-15T11:00:15.000Z  mode.changed
    ");
}

/// Without a correlation of its own, an event belongs to its ticket.
#[test]
fn a_session_is_in_the_view() {
    let env = env();
    let id = env.new_ticket("One");
    let _ada = env.agent("ada");
    append_to_log(
        &env,
        &record(&serde_json::json!({"event": "hook.stop", "session": "ada", "ticket": id, "data": {}})),
    );
    let rows = json(
        &env.sb([
            "query",
            "--json",
            "SELECT hook_name, session_id, correlation_id FROM hook_events ORDER BY id",
        ])
        .success(),
    );
    assert_eq!(
        rows,
        serde_json::json!([
            {"hook_name": "session_start", "session_id": "ada", "correlation_id": null},
            {"hook_name": "stop", "session_id": "ada", "correlation_id": id},
        ])
    );
}
