//! `mcp install` and `uninstall`: into what people already have, and out again to the byte.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;

use crate::payloads::CLIS;
use crate::support::env;

/// Where each CLI looks for servers.
const FILES: [(&str, &str); 5] = [
    ("claude", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".copilot/mcp-config.json"),
    ("goose", ".config/goose/config.yaml"),
];

fn file(env: &TestEnv, cli: &str) -> PathBuf {
    let (_, path) = FILES.iter().find(|(name, _)| *name == cli).expect("a CLI");
    env.root().join(path)
}

fn put(env: &TestEnv, file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    env.write(file, text);
}

/// Configuration as people have it.
fn found(cli: &str) -> [Option<&'static str>; 3] {
    match cli {
        "codex" => [None, Some("# mine\nmodel = \"gpt\" # the best\n\n[tui]\na = 1\n"), Some("a = 1")],
        "goose" => {
            [None, Some("# mine\nextensions:\n  developer: # theirs\n    enabled: true\n"), Some("A: 1")]
        }
        _ => [
            None,
            Some("{\n  // mine\n  \"a\": [1,2,  3],\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n"),
            Some("{\"a\":1}"),
        ],
    }
}

#[test]
fn in_and_out_again_to_the_byte() {
    for cli in CLIS {
        for before in found(cli) {
            let env = env();
            let file = file(&env, cli);
            if let Some(before) = before {
                put(&env, &file, before);
            }
            let words = |what: &'static str| ["mcp", what, "--cli", cli, "--yes"];
            env.sb(words("install")).success().says("The MCP server of").says("is installed.");
            let installed = env.read(&file);
            assert!(installed.contains(&json!(env.program()).to_string()), "{installed}");
            env.sb(words("install")).success().says("Nothing changes: the MCP server is installed already.");
            assert_eq!(env.read(&file), installed);
            env.sb(words("uninstall")).success().says("is taken out.");
            assert_eq!(file.exists().then(|| env.read(&file)).as_deref(), before, "{cli}: {installed}");
            env.sb(words("uninstall"))
                .success()
                .says("Nothing changes: the MCP server is taken out already.");
        }
    }
}

/// What is written down is what works: started as the entry says, it answers.
#[test]
fn what_is_installed_is_the_server() {
    let env = env();
    env.sb(["mcp", "install", "--cli", "claude", "--yes"]).success();
    let config: Value = serde_json::from_str(&env.read(file(&env, "claude"))).expect("JSON");
    let entry = &config["mcpServers"]["signalbox"];
    let words: Vec<&str> =
        entry["args"].as_array().expect("arguments").iter().filter_map(Value::as_str).collect();
    assert_eq!((entry["command"].as_str(), &entry["type"]), (env.program().to_str(), &json!("stdio")));
    let run =
        env.sb_with_input(words, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n").success();
    assert!(run.stdout.contains("pick_ticket"), "{run}");
}

#[test]
fn what_changes_is_shown_first() {
    let env = env();
    let file = file(&env, "claude");
    // It holds what nobody else shall read, and it is long.
    let history: Vec<String> = (0..30_000).map(|at| format!("    \"prompt {at}\"")).collect();
    let before = format!("{{\n  \"numStartups\": 3,\n  \"history\": [\n{}\n  ]\n}}\n", history.join(",\n"));
    put(&env, &file, &before);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    let run = env.sb(["mcp", "install", "--cli", "claude"]).code(4).says("error: nothing was written");
    assert!(run.stderr.contains("+   \"mcpServers\": {") && run.stderr.lines().count() < 15, "{run}");
    assert_eq!(env.read(&file), before);
    env.sb(["mcp", "install", "--cli", "claude", "--yes"]).success();
    assert_eq!(file.metadata().expect("the file").permissions().mode() & 0o777, 0o600);
    env.sb(["mcp", "uninstall", "--cli", "claude"]).code(4).says("-   \"mcpServers\": {");
    env.sb(["mcp", "uninstall", "--cli", "claude", "--yes"]).success();
    assert_eq!(env.read(&file), before);
}

/// Gemini has its hooks and its servers in one file.
#[test]
fn hooks_and_server_in_one_file() {
    for first in ["hooks", "mcp"] {
        let env = env();
        let (file, second) = (file(&env, "gemini"), if first == "hooks" { "mcp" } else { "hooks" });
        let before = "{\n  \"theme\": \"dark\" // mine\n}\n";
        put(&env, &file, before);
        for what in [first, second] {
            env.sb([what, "install", "--cli", "gemini", "--yes"]).success();
        }
        // In whatever order they go.
        env.sb([first, "uninstall", "--cli", "gemini", "--yes"]).success();
        env.sb([second, "uninstall", "--cli", "gemini", "--yes"]).success();
        assert_eq!(env.read(&file), before, "{first} first");
    }
}

#[test]
fn what_cannot_be_read_or_is_not_ours_is_left_alone() {
    let env = env();
    let claude = file(&env, "claude");
    for (cli, text, says) in [
        ("codex", "model = \n", "config.toml: line 1, column 9: "),
        ("gemini", "not json", "settings.json: line 1, column 1: "),
        ("goose", "a: [\n", "config.yaml: line 2, column 1: "),
        (
            "copilot",
            "{\"mcpServers\": {\"signalbox\": {\"command\": \"other\"}}}",
            "there is a server `signalbox` already, and it is somebody else's",
        ),
    ] {
        put(&env, &file(&env, cli), text);
        let run = env.sb(["mcp", "install", "--cli", cli, "--yes"]).code(4).says(says);
        run.says("hint: Nothing was changed.");
        // The others go on.
        let run = env.sb(["mcp", "install", "--cli", cli, "--cli", "claude", "--yes"]).code(1).says(says);
        run.says("was left alone").says("all others are done");
        assert_eq!(env.read(file(&env, cli)), text);
        assert!(claude.exists());
        env.sb(["mcp", "uninstall", "--cli", "claude", "--yes"]).success();
        assert!(!claude.exists());
    }
}

/// What would have to be laid out anew is the person's to change, and they are told how.
#[test]
fn what_only_a_person_can_change() {
    let env = env();
    let goose = file(&env, "goose");
    put(&env, &goose, "extensions: {}\n");
    let run = env.sb(["mcp", "install", "--cli", "goose", "--cli", "claude", "--yes"]).code(4);
    let run = run.says("The MCP server of Claude Code is installed.").says("config.yaml is left as it is");
    assert!(run.stderr.contains("hint: Add this to it:\nextensions:\n  signalbox:\n"), "{run}");
    assert_eq!(env.read(&goose), "extensions: {}\n");
    let run = env.sb(["mcp", "install", "--cli", "goose", "--yes"]).code(4);
    run.never_says("Nothing changes").never_says("is installed");
    let ours = "extensions: {signalbox: {cmd: /x/sb, args: [mcp]}}\n";
    env.write(&goose, ours);
    env.sb(["mcp", "uninstall", "--cli", "goose", "--yes"]).code(4).says("hint: Take this out of it");
    assert_eq!(env.read(&goose), ours);
}

#[test]
fn folders_that_the_environment_names() {
    let mut env = env();
    let elsewhere = env.root().join("else where");
    for (cli, variable, name) in [
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("goose", "XDG_CONFIG_HOME", "goose/config.yaml"),
    ] {
        env.set(variable, elsewhere.to_str().expect("UTF-8"));
        env.sb(["mcp", "install", "--cli", cli, "--yes"]).success();
        assert!(elsewhere.join(name).is_file() && !file(&env, cli).exists(), "{cli}");
        env.unset(variable);
    }
}

#[test]
fn an_agent_may_not() {
    let env = env();
    let mut ada = env.agent("ada");
    for what in ["install", "uninstall"] {
        ada.sb(["mcp", what, "--cli", "claude", "--yes"]).code(4).says("only a human may");
    }
    assert!(!file(&env, "claude").exists());
    env.sb(["mcp", "install", "--cli", "cursor", "--yes"]).code(2).says("there is no agent CLI `cursor`");
}
