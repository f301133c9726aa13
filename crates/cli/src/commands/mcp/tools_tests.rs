//! Which command line each tool is, and what it refuses.

use super::*;

fn line(name: &str, arguments: &Value) -> Result<(String, Option<String>), String> {
    let (tool, _) = find(name).unwrap();
    let line = (tool.line)(&tool.given(arguments)?)?;
    Ok((line.words.join(" "), line.input))
}

#[test]
fn each_is_in_both_tables() {
    let rows = TICKETS.iter().chain(AGENTS).count();
    assert_eq!((all().count(), rows), (TOOLBOX.len(), TOOLBOX.len()));
}

#[test]
fn each_tool_is_a_command_line() {
    let none = || json!(null);
    for (name, arguments, words, input) in [
        ("context", none(), "context", None),
        ("get_status", json!({ "limit": 3 }), "status", None),
        ("list_tickets", none(), "list --json", None),
        (
            "list_tickets",
            json!({ "status": "review", "mine": true }),
            "list --json --status=review --mine",
            None,
        ),
        ("list_tickets", json!({ "ready": true, "project": "*" }), "ready --json --project=*", None),
        ("show_ticket", json!({}), "show --json --", None),
        ("show_ticket", json!({ "id": "a7K" }), "show --json -- sb_a7K", None),
        ("new_ticket", json!({ "title": "--t" }), "new --json -- --t", None),
        (
            "new_ticket",
            json!({ "title": "t", "body": "b", "accept": ["a", "-b"], "depends_on": ["sb_1"], "priority": "P1", "backlog": true }),
            "new --json --priority=P1 --depends-on=sb_1 --accept=a --accept=-b --backlog --body=- -- t",
            Some("b"),
        ),
        ("pick_ticket", json!({ "id": null }), "pick --json --", None),
        ("add_note", json!({ "text": "-" }), "note --json -- -", Some("-")),
        ("add_note", json!({ "text": "t", "id": "a7K" }), "note --json -- sb_a7K -", Some("t")),
        ("submit_ticket", json!({ "message": "m" }), "submit --message=- --json --", Some("m")),
        ("review_ticket", json!({ "id": "sb_a7K" }), "review --json -- sb_a7K", None),
        (
            "approve_ticket",
            json!({ "id": "sb_a7K", "message": "-m" }),
            "approve --message=-m --json -- sb_a7K",
            None,
        ),
        ("reject_ticket", json!({ "id": "sb_a7K", "reason": "r" }), "reject --json -- sb_a7K -", Some("r")),
        (
            "draft_escalation",
            json!({ "question": "--as", "kind": "decision", "options": ["--yes", "no"], "context": "c", "ticket": "a7K" }),
            "escalate --json --kind=decision --option=--yes --option=no --ticket=sb_a7K --context=- -- --as",
            Some("c"),
        ),
        (
            "signal_goal",
            json!({ "status": "completed", "summary": "--agent x" }),
            "goal signal -- completed --agent x",
            None,
        ),
        ("list_goal_types", none(), "goal types", None),
        ("get_usage", none(), "agent usage --json", None),
        ("list_monitors", none(), "monitor list --json", None),
        ("list_monitor_types", json!({ "type": "github" }), "monitor types -- github", None),
        (
            "add_monitor",
            json!({ "name": "--agent=x", "type": "github", "settings": { "every": 30, "repo": "a/b", "kinds": ["x"] } }),
            "monitor add --json -- --agent=x type=github every=30 repo=a/b kinds=[\"x\"]",
            None,
        ),
        ("remove_monitor", json!({ "name": "ci" }), "monitor remove -- ci", None),
        ("list_notifiers", none(), "notifier list --json", None),
        ("list_notifier_types", none(), "notifier types --", None),
        ("add_notifier", json!({ "name": "desktop" }), "notifier add -- desktop", None),
        ("remove_notifier", json!({ "name": "desktop" }), "notifier remove -- desktop", None),
    ] {
        let want = Ok((words.to_owned(), input.map(ToOwned::to_owned)));
        assert_eq!(line(name, &arguments), want, "{name} {arguments}");
    }
}

#[test]
fn what_a_tool_does_not_take_is_said() {
    for (name, arguments, why) in [
        ("context", json!({ "as": "human" }), "context takes no `as`; it takes: nothing"),
        ("context", json!([]), "the arguments must be a JSON object"),
        ("add_note", json!({}), "`text` is missing (The note)"),
        ("add_note", json!({ "text": 1 }), "`text` must be: string"),
        ("list_tickets", json!({ "limit": 0 }), "`limit` must be: integer"),
        ("new_ticket", json!({ "title": "t", "tags": ["a", 1] }), "`tags` must be: array of strings"),
        (
            "list_tickets",
            json!({ "ready": true, "mine": true }),
            "`ready` goes with `project` and `limit` alone",
        ),
        ("approve_ticket", json!({}), "`id` is missing (The ticket's id, such as sb_a7Kq2x)"),
    ] {
        assert_eq!(line(name, &arguments).unwrap_err(), why, "{name} {arguments}");
    }
    for settings in
        [json!({ "a=b": "c" }), json!({ "": 1 }), json!({ "a": { "b": 1 } }), json!({ "a": null })]
    {
        let why = line("add_monitor", &json!({ "name": "x", "settings": settings })).unwrap_err();
        assert!(why.starts_with("`settings` must be: object of names"), "{why}");
    }
    for id in ["", "sb_", "--help", "../x", "sb_1234567", "sb_a b"] {
        let why = line("show_ticket", &json!({ "id": id })).unwrap_err();
        assert!(why.contains("no ticket's id"), "{id}: {why}");
    }
}
