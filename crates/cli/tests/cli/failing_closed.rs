//! Hooks that cannot do their work: a gate refuses and says why, the others get out of the way, both leave a trace.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_testkit::{Agent, Run, TestEnv, quote};

use crate::disk::{Disk, fill_disk};
use crate::payloads::{CLIS, ask_shell, events, passed, record_file, refusal, shell_call};
use crate::support::env;

/// Hooks whose answer nothing waits for, or where silence is no consent.
const RECORDERS: [&str; 16] = [
    "session-start",
    "session-end",
    "prompt",
    "post-tool",
    "post-tool-failure",
    "subagent-start",
    "subagent-stop",
    "task-created",
    "task-completed",
    "teammate-idle",
    "stop",
    "stop-failure",
    "notification",
    "pre-compact",
    "post-compact",
    "interrupt",
];

/// All that went wrong as far as it was written down: in the log, or in files of its own.
fn traces(env: &TestEnv) -> usize {
    events(env, "hook.failed").len() + env.files_below(env.home().join("run/trouble")).len()
}

/// Run every hook so, in the time that a CLI waits: gates refuse in their CLI's shape, the others make no sound.
#[track_caller]
fn nobody_passes(env: &TestEnv, agent: &mut Agent, before: &str, after: &str, says: &str) {
    let begun = Instant::now();
    let mut traced = traces(env);
    let mut trace = |env: &TestEnv, run: &Run| {
        let now = traces(env);
        assert_eq!(now, traced + 1, "no trace of it:\n{run}");
        traced = now;
    };
    for cli in CLIS {
        let run = agent.run(&format!("{before}sb hook pre-tool --cli {cli} {after}")).success();
        let reason = refusal(cli, &run);
        let preamble = "Signalbox could not judge this call, so it may not run: ";
        assert!(reason.starts_with(preamble) && reason.contains(says), "{cli}: {reason}");
        trace(env, &run);
    }
    let run = agent.run(&format!("{before}sb hook permission-request --cli claude {after}")).success();
    let said: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(said["hookSpecificOutput"]["decision"]["behavior"], "deny", "{run}");
    trace(env, &run);
    for hook in RECORDERS {
        let run = agent.run(&format!("{before}sb hook {hook} --cli claude {after}")).code(1);
        assert!(run.stdout.is_empty(), "{run}");
        assert!(run.stderr.starts_with(&format!("sb hook {hook}: ")) && run.stderr.contains(says), "{run}");
        trace(env, &run);
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?} for {after}", begun.elapsed());
}

#[test]
fn no_payload() {
    let env = env();
    let mut ada = env.agent("ada");
    let broken = "standard input is not the JSON of a hook";
    nobody_passes(&env, &mut ada, "", "</dev/null", broken);
    nobody_passes(&env, &mut ada, "", "<&-", broken);
    nobody_passes(&env, &mut ada, "", "<<<'not json'", broken);
    nobody_passes(&env, &mut ada, "", "<<<'\"text\"'", broken);
    nobody_passes(&env, &mut ada, "", "<<<'{\"session_id\": \"ada\", \"tool_name\": \"Bash\"'", broken);
    nobody_passes(&env, &mut ada, "", "< <(printf '{\"session_id\": \"\\xff\\xfe\"}')", broken);
    nobody_passes(&env, &mut ada, "", "<<<'{}'", "the payload has no `session");
    nobody_passes(&env, &mut ada, "", "</", "standard input cannot be read");
}

#[test]
fn a_payload_of_17_megabytes() {
    let env = env();
    let mut ada = env.agent("ada");
    let large = "x".repeat(17 * 1024 * 1024);
    env.write(env.root().join("large"), shell_call(&env, "claude", "ada", &large).to_string());
    let run = ada.run("sb hook pre-tool --cli claude <\"$HOME/large\"").success();
    assert!(refusal("claude", &run).contains("and 16777216 are read"), "{run}");
    let run =
        ada.run("cat \"$HOME/large\" | sb hook post-tool --cli claude; echo \"${PIPESTATUS[@]}\"").success();
    assert_eq!(run.stdout, "0 1\n", "whoever writes it is not cut off:\n{run}");
    assert_eq!(traces(&env), 2);
    // What is large and still read is judged to its end.
    let end = format!("true {}; sb close 1", "x".repeat(1024 * 1024));
    let run = ask_shell(&env, &mut ada, &end);
    assert!(refusal("claude", &run).contains("(rule: human)"), "{run}");
}

/// A CLI that never closes what it writes to: the deadline is the hook's own.
#[test]
fn standard_input_that_never_ends() {
    let env = env();
    let mut ada = env.agent("ada");
    ada.run("mkfifo \"$HOME/pipe\" && exec 9<>\"$HOME/pipe\" && printf '{\"session_id\"' >&9").success();
    let limit = "SIGNALBOX_HOOK_DEADLINE_MS=100 ";
    nobody_passes(&env, &mut ada, limit, "<\"$HOME/pipe\"", "it did not end in time");
}

/// A pipe in the place of a file would be waited for; nothing is read or written that is none.
#[test]
fn pipes_in_the_place_of_files() {
    let env = env();
    let mut ada = env.agent("ada");
    env.write(env.root().join("payload"), shell_call(&env, "claude", "ada", "ls").to_string());
    for (file, says) in [
        (env.log_file(), "the event log cannot be written"),
        (record_file(&env, "ada"), "the record of session ada cannot be read"),
    ] {
        let (kept, path) = (env.root().join("kept"), quote(file.to_str().expect("UTF-8")));
        env.rename(&file, &kept);
        ada.run(&format!("mkfifo {path}")).success();
        let line = "SIGNALBOX_HOOK_DEADLINE_MS=2000 sb hook pre-tool --cli claude <\"$HOME/payload\"";
        let reason = refusal("claude", &ada.run(line).success());
        assert!(reason.contains(says), "{reason}");
        env.rename(&kept, &file);
        passed("claude", &ask_shell(&env, &mut ada, "ls"));
    }
    assert_eq!(traces(&env), 2);
}

/// A deadline can be made shorter, not longer than what the CLI waits.
#[test]
fn a_deadline_that_is_no_number() {
    let env = env();
    let mut ada = env.agent("ada");
    env.write(env.root().join("payload"), shell_call(&env, "claude", "ada", "ls").to_string());
    for limit in ["", "soon", "-1", "99999999999999999999999", "600000"] {
        let line =
            format!("SIGNALBOX_HOOK_DEADLINE_MS={limit} sb hook pre-tool --cli claude <\"$HOME/payload\"");
        passed("claude", &ada.run(&line).success());
    }
}

#[test]
fn no_home_at_all() {
    let env = env();
    let mut ada = env.agent("ada");
    env.write(env.root().join("payload"), shell_call(&env, "claude", "ada", "ls").to_string());
    let payload = quote(env.root().join("payload").to_str().expect("UTF-8"));
    for cli in CLIS {
        env.write(env.root().join("payload"), shell_call(&env, cli, "ada", "ls").to_string());
        let line = format!("env -u HOME -u SIGNALBOX_HOME sb hook pre-tool --cli {cli} <{payload}");
        let run = ada.run(&line).success();
        assert!(refusal(cli, &run).contains("neither SIGNALBOX_HOME nor HOME is set"), "{run}");
        let line = format!("SIGNALBOX_HOME=/proc/nowhere sb hook pre-tool --cli {cli} <{payload}");
        let reason = refusal(cli, &ada.run(&line).success());
        assert!(reason.contains("so it may not run"), "{reason}");
    }
    for hook in ["post-tool", "notification", "prompt", "session-start"] {
        for home in ["-u HOME -u SIGNALBOX_HOME", "SIGNALBOX_HOME=/proc/nowhere"] {
            let line = format!(
                "env {home} sb hook {hook} --cli claude <<<'{{\"session_id\":\"ada\",\"tool_name\":\"x\",\"tool_input\":{{}}}}'"
            );
            let run = ada.run(&line).code(1);
            assert!(run.stdout.is_empty() && run.stderr.starts_with(&format!("sb hook {hook}: ")), "{run}");
        }
    }
}

/// Nothing runs that is not in the log.
#[test]
fn a_log_that_cannot_be_written() {
    let env = env();
    let mut ada = env.agent("ada");
    let events_folder = env.home().join("events");
    env.rename(&events_folder, env.home().join("elsewhere"));
    env.write(&events_folder, "a file where a folder should be");
    let reason = refusal("claude", &ask_shell(&env, &mut ada, "ls"));
    assert!(reason.contains("the event log cannot be written"), "{reason}");
    let note = "sb hook notification --cli claude <<<'{\"session_id\":\"ada\",\"message\":\"x\"}'";
    let run = ada.run(note).code(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("the event log cannot be written"), "{run}");
    let traces = env.files_below(env.home().join("run/trouble"));
    assert_eq!(traces.len(), 2, "{traces:?}");
    let said = String::from_utf8_lossy(&traces[0].1).into_owned();
    assert!(said.contains("\"hook\":\"pre-tool\"") && said.contains("cannot be written"), "{said}");
    std::fs::remove_file(&events_folder).expect("the file");
    env.rename(env.home().join("elsewhere"), &events_folder);
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
    env.sb(["doctor"]).success().says("a hook could not write to the log");
    env.sb(["doctor", "--fix"]).success();
    env.sb(["doctor"]).success().never_says("a hook could not write");
}

/// The folder is made anew, and what was in it is missed.
#[test]
fn a_log_that_was_taken_away() {
    let env = env();
    let mut ada = env.agent("ada");
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    std::fs::remove_dir_all(env.home().join("events")).expect("the log");
    let reason = refusal("claude", &ask_shell(&env, &mut ada, "touch a"));
    assert!(reason.contains("(rule: mode)"), "{reason}");
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
    let log = env.read(env.log_file());
    assert_eq!(log.lines().filter(|line| line.contains("hook.pre-tool")).count(), 2, "{log}");
}

#[test]
fn a_log_on_a_full_disk() {
    let env = env();
    let folder = env.home().join("events");
    let Some(disk) = Disk::mount(&folder, "1m") else { return };
    let mut ada = env.agent("ada");
    fill_disk(&folder, 0);
    // What still fits into the last block of the file is written; then nothing passes any more.
    let mut count = 0;
    while ask_shell(&env, &mut ada, "ls").stdout == "{}" {
        count += 1;
        assert!(count < 100, "a full disk is never full");
    }
    for cli in CLIS {
        env.write(env.root().join("payload"), shell_call(&env, cli, "ada", "ls").to_string());
        let run = ada.run(&format!("sb hook pre-tool --cli {cli} <\"$HOME/payload\"")).success();
        assert!(refusal(cli, &run).contains("the event log cannot be written"), "{run}");
    }
    assert!(env.files_below(env.home().join("run/trouble")).len() >= 5);
    std::fs::remove_file(folder.join("filler")).expect("the filler");
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
    assert_eq!(events(&env, "hook.pre-tool").len(), count + 1, "what passed is in the log");
    drop(disk);
}

#[test]
fn a_log_on_a_disk_that_cannot_be_written_to() {
    let env = env();
    let Some(disk) = Disk::mount(&env.home().join("events"), "1m") else { return };
    let mut ada = env.agent("ada");
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
    disk.make_read_only();
    let reason = refusal("claude", &ask_shell(&env, &mut ada, "ls"));
    assert!(reason.contains("Read-only file system"), "{reason}");
    let run = ada.run("sb hook post-tool --cli claude <<<'{\"session_id\":\"ada\",\"tool_name\":\"x\",\"tool_input\":{}}'").code(1);
    assert!(run.stdout.is_empty(), "{run}");
    assert_eq!(env.files_below(env.home().join("run/trouble")).len(), 2);
    disk.make_writable();
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
}

/// An answer that nobody hears is given by the exit code.
#[test]
fn standard_output_that_nobody_hears() {
    let env = env();
    let mut ada = env.agent("ada");
    env.write(env.root().join("no"), shell_call(&env, "claude", "ada", "sb close 1").to_string());
    for output in [">&-", ">/dev/full"] {
        ada.run(&format!("sb hook pre-tool --cli claude <\"$HOME/no\" {output}")).code(2);
        ada.run(&format!("sb hook pre-tool --cli claude </dev/null {output}")).code(2);
    }
    // Whoever asked went away before the answer.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut gone = env.command();
    gone.args(["hook", "pre-tool", "--cli", "claude"]).stdin(std::process::Stdio::null()).stdout(writer);
    assert_eq!(gone.status().expect("run sb").code(), Some(2));
}

/// Nothing but the answer is on standard output, however much a hook says about itself.
#[test]
fn what_a_hook_says_about_itself() {
    let mut env = env();
    let config = env.home().join("config.toml");
    let plain = env.read(&config);
    for (format, file) in [("text", ""), ("json", ""), ("text", "debug.log"), ("json", "debug.log")] {
        let file_line = if file.is_empty() { String::new() } else { format!("file = {file:?}\n") };
        env.write(&config, format!("{plain}\n[debug]\nlevel = \"trace\"\nformat = {format:?}\n{file_line}"));
        let name = format!("{format}-{}", file.len());
        let mut ada = env.agent(&name);
        let run = ask_shell(&env, &mut ada, "ls");
        passed("claude", &run);
        let run = ask_shell(&env, &mut ada, "sb close 1");
        refusal("claude", &run);
        let path = env.home().join("debug.log");
        let said = if file.is_empty() { run.stderr.clone() } else { env.read(&path) };
        assert_eq!(run.stderr.is_empty(), !file.is_empty(), "{run}");
        let last = said.lines().last().expect("a line");
        if format == "json" {
            let line: Value = serde_json::from_str(last).expect("JSON");
            assert_eq!((&line["level"], &line["hook"]), (&"info".into(), &"pre-tool".into()));
            assert_eq!(
                (&line["data"]["permission"], &line["data"]["rule"]),
                (&"deny".into(), &"human".into())
            );
        } else {
            assert!(last.starts_with("sb info pre-tool ") && last.contains("permission=\"deny\""), "{last}");
        }
    }
    // One run, by a variable.
    env.write(&config, &plain);
    env.set("SIGNALBOX_DEBUG", "trace");
    let mut ada = env.agent("ada");
    for (hook, payload, said) in [
        ("pre-tool", shell_call(&env, "claude", "ada", "ls"), "{}"),
        (
            "post-tool",
            json!({ "session_id": "ada", "tool_name": "Bash", "tool_input": { "command": "ls" } }),
            "",
        ),
        ("notification", json!({ "session_id": "ada", "message": "x" }), ""),
    ] {
        env.write(env.root().join("payload"), payload.to_string());
        let run = ada.run(&format!("sb hook {hook} --cli claude <\"$HOME/payload\"")).success();
        assert_eq!(run.stdout, said);
        assert!(run.stderr.starts_with(&format!("sb info {hook} ")), "{run}");
    }
    env.set("SIGNALBOX_DEBUG", "error");
    let mut bowie = env.agent("bowie");
    assert_eq!(ask_shell(&env, &mut bowie, "ls").stderr, "");
}
