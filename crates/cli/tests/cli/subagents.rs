//! Subagents and teammates, what they are told and held back for; and conversations that are compacted.

use serde_json::{Value, json};
use signalbox_testkit::{Agent, Run, TestEnv, quote};

use crate::payloads::{ask_shell, changed, claude, events, hook, passed, refused_by, shell_call};
use crate::support::{env, in_review, json as one, ticket};

/// A subagent's payload: its parent's session, and its own id and kind.
fn subagent(env: &TestEnv, event: &str, id: &str, kind: &str) -> Value {
    claude(env, event, "ada", &json!({ "agent_id": id, "agent_type": kind }))
}

/// Hand out a task, as the tool that does so announces it.
fn hand_out(env: &TestEnv, ada: &mut Agent, prompt: &str) {
    let input = json!({ "description": "work", "prompt": prompt, "subagent_type": "general-purpose" });
    let payload = claude(env, "PreToolUse-Agent", "ada", &json!({ "tool_input": input }));
    passed("claude", &hook(env, ada, "pre-tool", "claude", &payload).success());
}

/// What a subagent is told when it starts; empty where nothing.
fn told(env: &TestEnv, ada: &mut Agent, id: &str, kind: &str) -> String {
    let run = hook(env, ada, "subagent-start", "claude", &subagent(env, "SubagentStart", id, kind)).success();
    if run.stdout.is_empty() {
        return String::new();
    }
    one_value(&run)["hookSpecificOutput"]["additionalContext"].as_str().expect("a context").to_owned()
}

fn one_value(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}:\n{run}"))
}

/// A subagent's own call of the shell.
fn sub_shell(env: &TestEnv, ada: &mut Agent, id: &str, command: &str) -> Run {
    let mut payload = subagent(env, "PreToolUse-Bash-subagent", id, "general-purpose");
    payload["tool_input"]["command"] = command.into();
    hook(env, ada, "pre-tool", "claude", &payload).success()
}

#[test]
fn a_subagent_is_somebody_of_its_own() {
    let env = env();
    let mut ada = env.agent("ada");
    assert_eq!(told(&env, &mut ada, "a2eef59af79230c04", "general-purpose"), "");
    let own = "ada.agent-a2eef59af79230c04";
    let shown = one(&env.sb(["session", "show", own, "--json"]).success());
    assert_eq!((&shown["name"], &shown["lineage"]), (&"general-purpose-a2eef59a".into(), &json!(["ada"])));
    assert_eq!((&shown["subagent"], &shown["running"]), (&"general-purpose".into(), &true.into()));
    passed("claude", &sub_shell(&env, &mut ada, "a2eef59af79230c04", "ls"));
    refused_by("claude", "human", &sub_shell(&env, &mut ada, "a2eef59af79230c04", "sb close 1"));
    let calls = events(&env, "hook.pre-tool");
    assert!(
        calls.iter().all(|call| call["session"] == own && call["lineage"] == json!(["ada"])),
        "{calls:?}"
    );
    let stop = subagent(&env, "SubagentStop", "a2eef59af79230c04", "general-purpose");
    assert_eq!(hook(&env, &mut ada, "subagent-stop", "claude", &stop).success().stdout, "");
    let names = ["hook.subagent-start", "hook.subagent-stop"];
    assert!(names.iter().all(|name| events(&env, name).pop().expect("an event")["session"] == own));
    // It is over, until it is given more to do.
    let running = || one(&env.sb(["session", "show", own, "--json"]).success())["running"] == true;
    assert!(!running());
    passed("claude", &sub_shell(&env, &mut ada, "a2eef59af79230c04", "ls"));
    assert!(running());
    // The end of a compaction looks like a subagent's stop, and is none.
    let stop = subagent(&env, "SubagentStop-compaction", "acompact", "");
    hook(&env, &mut ada, "subagent-stop", "claude", &stop).success();
    env.sb(["session", "show", "ada.agent-acompact"]).code(3);
    // An id that is a path makes nobody.
    let evil = subagent(&env, "SubagentStart", "../../x", "evil\u{1b}[31m");
    let run = hook(&env, &mut ada, "subagent-start", "claude", &evil).code(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("is no session id"), "{run}");
    env.sb(["doctor"]).success();
}

#[test]
fn the_modes_and_roles_of_a_subagent_are_its_parents() {
    let env = env();
    let mut ada = env.agent("ada");
    told(&env, &mut ada, "a1", "general-purpose");
    passed("claude", &sub_shell(&env, &mut ada, "a1", "touch a"));
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    refused_by("claude", "mode", &sub_shell(&env, &mut ada, "a1", "touch a"));
    env.sb(["mode", "implementation", "--session", "ada"]).success();
    env.sb(["session", "set", "--session", "ada", "--role", "reviewer"]).success();
    refused_by("claude", "ownership", &ask_shell(&env, &mut ada, "touch a"));
    refused_by("claude", "ownership", &sub_shell(&env, &mut ada, "a1", "touch a"));
    refused_by("claude", "ownership", &sub_shell(&env, &mut ada, "a2", "touch a"));
}

#[test]
fn a_ticket_that_the_task_names_is_brought_in() {
    let env = env();
    let mut ada = env.agent("ada");
    let words = [
        "new",
        "Limit logins",
        "--body",
        "After five tries wait.",
        "--accept",
        "five tries",
        "--accept",
        "a test",
    ];
    let first = env.sb(words).success().stdout.trim().to_owned();
    let second = env.new_ticket("Count logins");
    hand_out(&env, &mut ada, &format!("Please work on {first}, see also (sb_zzzzzz)."));
    hand_out(&env, &mut ada, &format!("{second}: do it"));
    hand_out(&env, &mut ada, "nothing in particular");
    // They start in the order in which they were handed out.
    let context = told(&env, &mut ada, "a1", "general-purpose");
    for says in [
        &format!("Ticket {first}: Limit logins (open)"),
        "After five tries wait.",
        "1. five tries",
        "2. a test",
    ] {
        assert!(context.contains(says), "{says}: {context}");
    }
    assert!(context.contains(&format!("sb pick {first}")) && !context.contains(&second), "{context}");
    assert!(
        told(&env, &mut ada, "a2", "general-purpose")
            .contains(&format!("Ticket {second}: Count logins (open)"))
    );
    assert_eq!(told(&env, &mut ada, "a3", "general-purpose"), "");
    let shown = one(&env.sb(["session", "show", "ada.agent-a1", "--json"]).success());
    assert_eq!(shown["charter"]["ticket"], first);
    let read: Vec<(Value, Value)> = events(&env, "ticket.read")
        .iter()
        .map(|event| (event["session"].clone(), event["ticket"].clone()))
        .collect();
    assert_eq!(read, [(json!("ada.agent-a1"), json!(first)), (json!("ada.agent-a2"), json!(second))]);
}

/// To read what waits for review is to be disqualified from reviewing it.
#[test]
fn a_ticket_in_review_is_not_shown() {
    let env = env();
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    let id = in_review(&env, &mut bowie, "Limit logins");
    env.sb(["note", &id, "the secret of it"]).success();
    hand_out(&env, &mut ada, &format!("Review {id}."));
    let context = told(&env, &mut ada, "a1", "general-purpose");
    assert!(
        context.contains("It waits for an independent review. Take it before you read anything of it:"),
        "{context}"
    );
    assert!(context.contains(&format!("sb review {id}")) && !context.contains("secret"), "{context}");
    assert_eq!(events(&env, "ticket.read").len(), 0);
    // And it can be reviewed by the one it was given to.
    run_as_subagent(&env, &mut ada, "a1", &format!("sb review {id} && sb approve {id}")).success();
    assert_eq!(ticket(&env, &id)["status"], "done");
}

/// Run what the gate made of a subagent's command line, in its parent's shell.
fn run_as_subagent(env: &TestEnv, ada: &mut Agent, id: &str, command: &str) -> Run {
    let said = one_value(&sub_shell(env, ada, id, command));
    let line =
        said["hookSpecificOutput"]["updatedInput"]["command"].as_str().expect("another command").to_owned();
    ada.run(&format!("bash -c {}", quote(&line)))
}

#[test]
fn a_subagents_sb_knows_whose_it_is() {
    let env = env();
    let mut ada = env.agent("ada");
    told(&env, &mut ada, "a1", "general-purpose");
    let mut payload = subagent(&env, "PreToolUse-Bash-subagent", "a1", "general-purpose");
    payload["tool_input"] =
        json!({ "command": "sb context --json", "description": "who", "timeout": 5, "x": [1] });
    let said = one_value(&hook(&env, &mut ada, "pre-tool", "claude", &payload).success());
    let output = &said["hookSpecificOutput"];
    assert_eq!(
        (&output["hookEventName"], &output["permissionDecision"]),
        (&"PreToolUse".into(), &"allow".into())
    );
    let input = &output["updatedInput"];
    assert_eq!(
        (&input["description"], &input["timeout"], &input["x"]),
        (&"who".into(), &5.into(), &json!([1]))
    );
    let command = input["command"].as_str().expect("a command");
    assert!(
        command.starts_with("export SIGNALBOX_SESSION=ada.agent-a1.")
            && command.ends_with("\nsb context --json")
    );
    let context = one(&run_as_subagent(&env, &mut ada, "a1", "sb context --json").success());
    assert_eq!((&context["session"], &context["lineage"]), (&"ada.agent-a1".into(), &json!(["ada"])));
    // What it claims is its own, and its parent is not independent of it.
    let id = env.new_ticket("One");
    run_as_subagent(&env, &mut ada, "a1", &format!("sb pick {id} && sb submit {id} -m done")).success();
    assert_eq!(events(&env, "status.review").pop().expect("an event")["session"], "ada.agent-a1");
    ada.sb(["approve", &id]).code(4).says("may not review");
    // Nothing is put in front of what runs no `sb`, and more than `sb` is not waved through.
    passed("claude", &sub_shell(&env, &mut ada, "a1", "ls; cat a.txt"));
    let said = one_value(&sub_shell(&env, &mut ada, "a1", "sb list; touch a"));
    let output = &said["hookSpecificOutput"];
    assert!(output["updatedInput"].is_object() && output["permissionDecision"].is_null(), "{said}");
    // Its parent's own commands are left as they are.
    passed("claude", &ask_shell(&env, &mut ada, "sb list"));
}

/// Codex takes another input only with an approval, Gemini and Copilot in their own words.
#[test]
fn subagents_of_other_clis() {
    let env = env();
    let mut ada = env.agent("ada");
    let mut payload =
        changed("codex/PreToolUse-Bash-subagent", &json!({ "session_id": "ada", "cwd": env.project() }));
    payload["tool_input"]["command"] = "sb list".into();
    let said = one_value(&hook(&env, &mut ada, "pre-tool", "codex", &payload).success());
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "allow");
    let command = said["hookSpecificOutput"]["updatedInput"]["command"].as_str().expect("a command");
    assert!(command.contains("SIGNALBOX_SESSION=ada.agent-01a1ddf3"), "{command}");
    let start = changed("codex/SubagentStart", &json!({ "session_id": "ada", "cwd": env.project() }));
    hook(&env, &mut ada, "subagent-start", "codex", &start).success();
    let spawn =
        changed("codex/PreToolUse-spawn_agent", &json!({ "session_id": "ada", "cwd": env.project() }));
    passed("codex", &hook(&env, &mut ada, "pre-tool", "codex", &spawn).success());
    let task = changed("copilot/preToolUse-task", &json!({ "sessionId": "ada", "cwd": env.project() }));
    passed("copilot", &hook(&env, &mut ada, "pre-tool", "copilot", &task).success());
    for (name, event) in [("subagentStart", "subagent-start"), ("subagentStop", "subagent-stop")] {
        let payload =
            changed(&format!("copilot/{name}"), &json!({ "sessionId": "ada", "cwd": env.project() }));
        hook(&env, &mut ada, event, "copilot", &payload).success();
    }
}

#[test]
fn the_conversation_for_those_who_work_on_it() {
    let env = env();
    let mut ada = env.agent("ada");
    let transcript = env.root().join("transcript.jsonl");
    let long = "y".repeat(40_000);
    let lines = [
        json!({ "type": "user", "message": { "content": "please <system-reminder>hidden</system-reminder>limit logins" } }),
        json!({ "type": "assistant", "message": { "content": [
            { "type": "thinking", "thinking": "a thought" }, { "type": "text", "text": "on it" },
            { "type": "tool_use", "name": "Bash", "input": { "command": "ls -la" } } ] } }),
        json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "content": "a long output" }] } }),
        json!({ "type": "user", "isMeta": true, "message": { "content": "of the CLI" } }),
        json!({ "type": "user", "message": { "content": long } }),
        json!({ "type": "assistant", "message": { "content": long } }),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    env.write(&transcript, format!("{text}half a li"));
    let start = |env: &TestEnv, ada: &mut Agent, kind: &str| {
        let mut payload = subagent(env, "SubagentStart", "a1", kind);
        payload["transcript_path"] = transcript.to_str().into();
        hook(env, ada, "subagent-start", "claude", &payload).success()
    };
    assert_eq!(start(&env, &mut ada, "general-purpose").stdout, "", "not everybody gets it");
    std::fs::remove_file(env.home().join("sessions/ada.agent-a1.json")).expect("the record");
    let said = one_value(&start(&env, &mut ada, "signalbox:context-gathering"));
    let context = said["hookSpecificOutput"]["additionalContext"].as_str().expect("a context");
    let files: Vec<&str> = context.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert_eq!(files.len(), 2, "{context}");
    let whole: String = files.iter().map(|file| env.read(file)).collect();
    assert!(
        whole.starts_with("## Person\n\nplease limit logins\n\n## Agent\n\non it\n[Bash: ls -la]\n"),
        "{whole:.300}"
    );
    for hidden in ["hidden", "a thought", "a long output", "of the CLI", "half a li"] {
        assert!(!whole.contains(hidden), "{hidden}");
    }
    let mode =
        std::fs::metadata(files[0]).map(|meta| std::os::unix::fs::PermissionsExt::mode(&meta.permissions()));
    assert_eq!(mode.expect("a file") & 0o777, 0o600);
    // It may be read, and is gone when the subagent is done.
    let stop = subagent(&env, "SubagentStop", "a1", "signalbox:context-gathering");
    hook(&env, &mut ada, "subagent-stop", "claude", &stop).success();
    assert!(!env.home().join("run/delivered/ada.agent-a1").exists());
    // A transcript that is not there is no reason to stop anybody.
    std::fs::remove_file(&transcript).expect("the transcript");
    start(&env, &mut ada, "logging");
}

/// What is held back, how, and the checklist it comes with.
fn held(env: &TestEnv, ada: &mut Agent, event: &str, payload: &Value) -> Option<String> {
    let run = hook(env, ada, event, "claude", payload);
    if run.code == Some(2) {
        assert!(run.stdout.is_empty(), "{run}");
        return Some(run.stderr);
    }
    let run = run.success();
    if run.stdout.is_empty() {
        return None;
    }
    let said = one_value(&run);
    assert_eq!(said["decision"], "block", "{run}");
    Some(said["reason"].as_str().expect("a reason").to_owned())
}

#[test]
fn a_stop_is_held_back_until_all_is_in_order() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = env.sb(["new", "Limit logins", "--accept", "five tries"]).success().stdout.trim().to_owned();
    ada.sb(["pick", &id]).success();
    let stop = claude(&env, "Stop", "ada", &json!({}));
    // A session that a person watches is theirs to stop.
    assert_eq!(held(&env, &mut ada, "stop", &stop), None);
    env.sb(["session", "set", "--session", "ada", "--role", "worker"]).success();
    let background = claude(&env, "Stop-background_tasks", "ada", &json!({}));
    assert_eq!(held(&env, &mut ada, "stop", &background), None, "it waits for what goes on");
    let list = held(&env, &mut ada, "stop", &stop).expect("a list");
    let expected = format!(
        "Signalbox: ada is not finished yet. What is missing:\n\
         - {id}: criterion 1 (\"five tries\") is not met: `sb check 1 {id}`\n\
         - {id} has no note of what was done: `sb note {id} \"…\"`\n\
         - {id} is still in-progress: hand it in with `sb submit {id}`, or give it back with `sb release {id}`\n"
    );
    assert_eq!(list, expected);
    assert_eq!(held(&env, &mut ada, "stop", &stop).as_ref(), Some(&list));
    assert_eq!(held(&env, &mut ada, "stop", &stop), None, "nobody is held for ever for the same thing");
    let names = ["session.held-back", "session.let-go"].map(|name| events(&env, name).len());
    assert_eq!(names, [2, 1]);
    // Progress is another list, and counts anew.
    ada.sb(["check", "1", &id]).success();
    ada.sb(["note", &id, "done so far"]).success();
    let list = held(&env, &mut ada, "stop", &stop).expect("a list");
    assert_eq!(list.lines().count(), 2, "{list}");
    ada.sb(["submit", &id, "-m", "done"]).success();
    assert_eq!(held(&env, &mut ada, "stop", &stop), None);
    let mut bowie = env.agent("bowie");
    env.sb(["session", "set", "--session", "bowie", "--role", "reviewer"]).success();
    bowie.sb(["review", &id]).success();
    let stop = claude(&env, "Stop", "bowie", &json!({}));
    let list = held(&env, &mut bowie, "stop", &stop).expect("a list");
    assert!(list.contains(&format!("{id} waits for your verdict: `sb approve {id}`")), "{list}");
}

#[test]
fn a_completed_task_is_held_to_its_ticket() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = env.new_ticket("Limit logins");
    let task = |subject: &str, description: &str| {
        claude(
            &env,
            "TaskCompleted",
            "ada",
            &json!({ "task_subject": subject, "task_description": description }),
        )
    };
    assert_eq!(held(&env, &mut ada, "task-completed", &task("Do X", "no ticket here")), None);
    let named = task("Logins", &format!("see {id}"));
    let list = held(&env, &mut ada, "task-completed", &named).expect("a list");
    assert!(
        list.contains(&format!("{id} was never claimed: `sb pick {id}`, do it, then `sb submit {id}`")),
        "{list}"
    );
    ada.sb(["pick", &id]).success();
    for _ in 0..2 {
        let list = held(&env, &mut ada, "task-completed", &named).expect("a list");
        assert!(list.contains(&format!("{id} is still in-progress")), "{list}");
    }
    assert_eq!(held(&env, &mut ada, "task-completed", &named), None);
    ada.sb(["submit", &id, "-m", "done"]).success();
    assert_eq!(held(&env, &mut ada, "task-completed", &named), None);
    assert_eq!(events(&env, "hook.task-completed").len(), 6);
}

/// An idle teammate's hook carries the lead's session; it is told apart by its name.
#[test]
fn an_idle_teammate() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = env.new_ticket("Limit logins");
    let idle = claude(&env, "TeammateIdle", "ada", &json!({}));
    assert_eq!(held(&env, &mut ada, "teammate-idle", &idle), None, "nobody of that name");
    told(&env, &mut ada, "abob-2a92", "bob");
    assert_eq!(held(&env, &mut ada, "teammate-idle", &idle), None, "nothing on its desk");
    let mut pick = subagent(&env, "PreToolUse-Bash-subagent", "abob-2a92", "bob");
    pick["tool_input"]["command"] = format!("sb pick {id}").into();
    let said = one_value(&hook(&env, &mut ada, "pre-tool", "claude", &pick).success());
    let line = said["hookSpecificOutput"]["updatedInput"]["command"].as_str().expect("a command");
    ada.run(&format!("bash -c {}", quote(line))).success();
    for _ in 0..2 {
        let list = held(&env, &mut ada, "teammate-idle", &idle).expect("a list");
        assert!(
            list.starts_with("Signalbox: bob-abob-2a9 is not finished yet.") && list.contains(&id),
            "{list}"
        );
    }
    assert_eq!(held(&env, &mut ada, "teammate-idle", &idle), None);
    // The lead's own work is not the teammate's.
    let stop = claude(&env, "Stop", "ada", &json!({}));
    env.sb(["session", "set", "--session", "ada", "--role", "lead"]).success();
    assert_eq!(held(&env, &mut ada, "stop", &stop), None);
}

#[test]
fn a_conversation_that_is_compacted_keeps_its_state() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = env.new_ticket("Limit logins");
    ada.sb(["pick", &id]).success();
    env.sb(["session", "set", "--session", "ada", "--role", "doer", "--branch", "own"]).success();
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    let before = one(&env.sb(["session", "show", "ada", "--json"]).success());
    for (event, name) in [("pre-compact", "PreCompact-auto"), ("post-compact", "PostCompact-auto")] {
        let payload = claude(&env, name, "ada", &json!({}));
        assert_eq!(hook(&env, &mut ada, event, "claude", &payload).success().stdout, "");
        let recorded = events(&env, &format!("hook.{event}")).pop().expect("an event");
        assert_eq!((&recorded["data"]["trigger"], &recorded["session"]), (&"auto".into(), &"ada".into()));
    }
    let payload = claude(&env, "SessionStart-compact", "ada", &json!({}));
    let said = one_value(&hook(&env, &mut ada, "session-start", "claude", &payload).success());
    let context = said["hookSpecificOutput"]["additionalContext"].as_str().expect("a context");
    for says in [&format!("Your current ticket: {id}"), "Mode: discussion.", "Role: doer.", "Branch: own"] {
        assert!(context.contains(says), "{says}: {context}");
    }
    let after = one(&env.sb(["session", "show", "ada", "--json"]).success());
    assert_eq!(after["charter"], before["charter"]);
    assert_eq!((&after["lineage"], &after["pid"]), (&before["lineage"], &before["pid"]));
    assert_eq!(events(&env, "session.started").pop().expect("an event")["data"]["source"], "compact");
    let call = shell_call(&env, "claude", "ada", "touch a");
    refused_by("claude", "mode", &hook(&env, &mut ada, "pre-tool", "claude", &call).success());
}
