//! Every file operation of hooks and of the commands about them fails once in every way: a gate that could not do all
//! it must refuses, nothing else is half done, nothing hangs or panics.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;

use crate::faults::{KINDS, copy};
use crate::payloads::{events, shell_call};
use crate::race::in_parallel;

/// What must be true when the command said that it was done.
type Done = fn(&TestEnv, &Output) -> bool;

/// A command, what it is sent, and what a success means.
struct Case {
    words: &'static [&'static str],
    payload: Value,
    done: Done,
}

fn cases() -> Vec<Case> {
    let call = |session: &str, command: &str| {
        json!({ "session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1",
                "tool_input": { "command": command } })
    };
    let told = |event: &str, extra: Value| {
        let mut payload = json!({ "session_id": "ada", "hook_event_name": event });
        payload.as_object_mut().expect("an object").extend(extra.as_object().cloned().unwrap_or_default());
        payload
    };
    let sub = json!({ "agent_id": "a1", "agent_type": "general-purpose" });
    let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    vec![
        // A gate answers with a no, or with a yes that is in the log.
        Case {
            words: &["hook", "pre-tool", "--cli", "claude"],
            payload: call("ada", "ls"),
            done: passes_on_record,
        },
        Case {
            words: &["hook", "pre-tool", "--cli", "claude"],
            payload: call("ada", "sb close 1"),
            done: refuses,
        },
        Case {
            words: &["hook", "pre-tool", "--cli", "claude"],
            payload: call("talker", "touch a"),
            done: refuses,
        },
        Case {
            words: &["hook", "pre-tool", "--cli", "claude"],
            payload: call("new", "ls"),
            done: passes_on_record,
        },
        Case {
            words: &["hook", "pre-tool", "--cli", "claude"],
            payload: call("new", "sb close 1"),
            done: refuses,
        },
        Case {
            words: &["hook", "prompt", "--cli", "claude"],
            payload: told("UserPromptSubmit", json!({ "session_id": "talker", "prompt": "go ahead" })),
            done: |env, output| {
                said(output).contains("is now in implementation mode")
                    && mode(env, "talker") == "implementation"
            },
        },
        Case {
            words: &["hook", "post-tool", "--cli", "claude"],
            payload: told("PostToolUse", tool),
            done: |env, _| events(env, "hook.post-tool").len() == 1,
        },
        Case {
            words: &["hook", "subagent-start", "--cli", "claude"],
            payload: told("SubagentStart", sub),
            done: |env, _| {
                events(env, "hook.subagent-start").len() == 1 && mode(env, "ada.agent-a1") == "implementation"
            },
        },
        Case {
            words: &["hook", "stop", "--cli", "claude"],
            payload: told("Stop", json!({})),
            done: |env, _| events(env, "hook.stop").len() == 1,
        },
        Case {
            words: &["mode", "discussion", "--session", "ada"],
            payload: Value::Null,
            done: |env, _| mode(env, "ada") == "discussion",
        },
        Case {
            words: &["mode", "implementation", "--session", "talker"],
            payload: Value::Null,
            done: |env, _| mode(env, "talker") == "implementation",
        },
        Case {
            words: &["session", "set", "--session", "ada", "--role", "doer", "--branch", "own"],
            payload: Value::Null,
            done: |env, _| {
                let charter = session(env, "ada")["charter"].clone();
                charter["role"] == "doer" && charter["branch"] == "own"
            },
        },
        Case {
            words: &["hooks", "install", "--cli", "claude", "--yes"],
            payload: Value::Null,
            done: |env, _| {
                settings(env).is_some_and(|text| text.contains("PreToolUse") && text.contains("dark"))
            },
        },
        Case {
            words: &["hooks", "uninstall", "--cli", "gemini", "--yes"],
            payload: Value::Null,
            done: |env, _| !env.root().join(".gemini/settings.json").exists(),
        },
    ]
}

#[test]
fn every_operation_of_every_hook_can_fail() {
    let mut template = TestEnv::empty(env!("CARGO_BIN_EXE_sb")).seeded(1);
    template.set_clock("2026-11-15T10:00:00Z");
    template.sb(["init", "--name", "shop"]).success();
    template.sb(["session", "set", "--session", "ada", "--role", "assistant"]).success();
    template.sb(["session", "set", "--session", "talker", "--role", "assistant"]).success();
    template.sb(["mode", "discussion", "--session", "talker"]).success();
    template.sb(["hooks", "install", "--cli", "gemini", "--yes"]).success();
    let cases = cases();
    let jobs: Vec<(&Case, &str)> =
        cases.iter().flat_map(|case| KINDS.iter().map(move |kind| (case, *kind))).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let counts = in_parallel(2, |_| {
        let mut faults = 0;
        while let Some((case, kind)) = jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            faults += fail_each_operation(&template, case, kind);
        }
        vec![faults]
    });
    let faults: usize = counts.iter().sum();
    eprintln!("{faults} faults in {} calls", cases.len());
    assert!(faults > 400, "only {faults} operations were made to fail");
}

/// Fail the first operation, the second, and so on, until the command is through. Answers how many failed.
fn fail_each_operation(template: &TestEnv, case: &Case, kind: &str) -> usize {
    for operation in 1.. {
        let env = copy(template);
        for (folder, text) in
            [(".claude", "{ \"theme\": \"dark\" }\n".to_owned()), (".gemini", gemini(template))]
        {
            std::fs::create_dir(env.root().join(folder)).expect("a folder");
            env.write(env.root().join(folder).join("settings.json"), text);
        }
        let mark = env.root().join("mark");
        let mut command = env.command();
        command.args(case.words).stdin(payload(&env, &case.payload)).env("SIGNALBOX_FAULT_MARK", &mark);
        command.env("SIGNALBOX_FAULT", format!("{operation}:{kind}"));
        let output = command.output().expect("run sb");
        let what = format!("{:?} {}, operation {operation}, {kind}", case.words, case.payload["session_id"]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("a bug in sb") && !stderr.contains("please report"), "{what}: {stderr}");
        if !mark.exists() {
            assert_eq!(output.status.code(), Some(0), "{what} failed without a fault: {stderr}");
            assert!((case.done)(&env, &output), "{what}: not done without a fault\n{}", said(&output));
            return operation - 1;
        }
        match output.status.code() {
            // It says that it is done, or is a gate that refuses.
            Some(0) => {
                let refused = is_gate(case) && refuses(&env, &output);
                assert!(
                    refused || (case.done)(&env, &output),
                    "{what}: said that it was done\n{}{stderr}",
                    said(&output)
                );
            }
            Some(code) => {
                let hook = case.words.first() == Some(&"hook");
                let told = if hook { stderr.starts_with("sb hook ") } else { stderr.contains("error: ") };
                assert!(told && output.stdout.is_empty(), "{what}: exit {code} and {stderr:?}");
                assert!(!is_gate(case), "{what}: a gate answers in JSON");
            }
            None => assert_eq!(kind, "kill", "{what}: killed by itself"),
        }
        whole(&env, &what);
    }
    0
}

/// Whatever happened, everything is still understood, and nobody may more than before.
fn whole(env: &TestEnv, what: &str) {
    for text in [settings(env), std::fs::read_to_string(env.root().join(".gemini/settings.json")).ok()]
        .into_iter()
        .flatten()
    {
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{what}: torn settings\n{text}");
    }
    let opened = events(env, "mode.changed")
        .iter()
        .any(|event| event["data"]["session"] == "talker" && event["data"]["new_mode"] == "implementation");
    assert!(opened || mode(env, "talker") == "discussion", "{what}: opened by nobody");
    let doctor = env.sb(["doctor", "--json"]).success();
    assert!(!doctor.stdout.contains("\"problem\""), "{what}: {doctor}");
}

fn is_gate(case: &Case) -> bool {
    case.words.get(1) == Some(&"pre-tool")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refuses(_: &TestEnv, output: &Output) -> bool {
    let said: Value = serde_json::from_str(&said(output)).unwrap_or_default();
    said["hookSpecificOutput"]["permissionDecision"] == "deny"
}

fn passes_on_record(env: &TestEnv, output: &Output) -> bool {
    said(output) == "{}"
        && events(env, "hook.pre-tool").iter().any(|event| event["data"]["permission"] == "allow")
}

fn session(env: &TestEnv, id: &str) -> Value {
    let run = env.sb(["session", "show", id, "--json"]).success();
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn mode(env: &TestEnv, id: &str) -> Value {
    session(env, id)["charter"]["mode"].clone()
}

fn settings(env: &TestEnv) -> Option<String> {
    std::fs::read_to_string(env.root().join(".claude/settings.json")).ok()
}

fn gemini(template: &TestEnv) -> String {
    template.read(template.root().join(".gemini/settings.json"))
}

fn payload(env: &TestEnv, payload: &Value) -> std::fs::File {
    let path: PathBuf = env.root().join("payload");
    let mut payload = payload.clone();
    if payload.is_object() {
        payload["cwd"] = env.project().to_str().into();
    }
    env.write(&path, payload.to_string());
    std::fs::File::open(path).expect("the payload")
}

/// The trace of a hook that failed is written with what still works.
#[test]
fn a_hook_that_fails_says_so() {
    let env = crate::support::env();
    let mut ada = env.agent("ada");
    env.write(env.root().join("payload"), shell_call(&env, "claude", "ada", "ls").to_string());
    let mut traces = 0;
    for operation in 1..20 {
        let line =
            format!("SIGNALBOX_FAULT={operation}:eio sb hook pre-tool --cli claude <\"$HOME/payload\"");
        let run = ada.run(&line).success();
        if run.stdout == "{}" {
            continue;
        }
        let now = events(&env, "hook.failed").len() + env.files_below(env.home().join("run/trouble")).len();
        assert!(now > traces, "operation {operation}: no trace\n{run}");
        traces = now;
    }
    assert!(traces > 0, "no operation of a gate can fail");
    env.sb(["doctor"]).success().says("hooks failed");
}
