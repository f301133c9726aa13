//! `hooks install`, `uninstall` and `status`: into what people already have, and out again to the byte.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use signalbox_testkit::clis::{Size, Terminal};
use signalbox_testkit::{TestEnv, quote};

use crate::payloads::CLIS;
use crate::support::{env, json as one};

/// Where each CLI's hooks are written, for all that a person does and for one project.
const FILES: [(&str, &str, &str); 5] = [
    ("claude", ".claude/settings.json", ".claude/settings.local.json"),
    ("codex", ".codex/hooks.json", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
    ("copilot", ".copilot/hooks/signalbox.json", ".github/hooks/signalbox.json"),
    ("goose", ".agents/plugins/signalbox/hooks/hooks.json", ".agents/plugins/signalbox/hooks/hooks.json"),
];

/// The same file in both scopes.
fn files(env: &TestEnv, cli: &str) -> [(&'static str, PathBuf); 2] {
    let (_, user, project) = FILES.iter().find(|(name, ..)| *name == cli).expect("a CLI");
    [("user", env.root().join(user)), ("project", env.project().join(project))]
}

const PATIENCE: Duration = Duration::from_secs(30);

/// What Copilot CLI loads to hand over messages.
const EXTENSION: &str = ".copilot/extensions/signalbox/extension.mjs";

fn put(env: &TestEnv, file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    env.write(file, text);
}

/// What stands in a settings file, as the CLI reads it: without its comments.
fn settings(env: &TestEnv, file: &Path) -> Value {
    let text = env.read(file);
    let lines =
        text.lines().map(|line| line.split(" // ").next().unwrap_or_default().replace("/* ours */", ""));
    let text: String = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// Settings as people have them.
fn found(cli: &str) -> Vec<Option<String>> {
    let event = match cli {
        "gemini" => "BeforeTool",
        "copilot" => "preToolUse",
        _ => "PreToolUse",
    };
    let theirs = match cli {
        "copilot" => r#"{ "type": "command", "bash": "echo theirs" }"#,
        _ => r#"{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo theirs" }] }"#,
    };
    let pretty = format!(
        "{{\n  \"theme\": \"dark\",\n  \"hooks\": {{\n    \"{event}\": [\n      {theirs}\n    ]\n  }}\n}}\n"
    );
    vec![
        None,
        Some(String::new()),
        Some("{}".to_owned()),
        Some("{\n}\n".to_owned()),
        Some("{ \"theme\": \"dark\" }\n".to_owned()),
        Some(pretty.clone()),
        Some(pretty.replace("  ", "\t")),
        Some(pretty.replace('\n', "\r\n")),
        Some(pretty.trim_end().to_owned()),
        Some(
            pretty
                .replace("\"hooks\": {", "// what we run\n  \"hooks\": { // here")
                .replace("dark\",", "dark\", /* ours */"),
        ),
        Some("{\n    \"hooks\": {}, \"z\": [1,2,  3]\n}".to_owned()),
    ]
}

#[test]
fn in_and_out_again_to_the_byte() {
    for cli in CLIS {
        for before in found(cli) {
            let env = env();
            for (scope, file) in files(&env, cli) {
                if let Some(before) = &before {
                    put(&env, &file, before);
                }
                let words = |what: &'static str| ["hooks", what, "--cli", cli, "--scope", scope, "--yes"];
                env.sb(words("install")).success().says("The hooks of");
                let installed = env.read(&file);
                assert!(settings(&env, &file)["hooks"].is_object(), "{installed}");
                if before.as_ref().is_some_and(|text| text.contains("theirs")) {
                    assert!(installed.contains("echo theirs") && installed.contains("dark"), "{installed}");
                }
                let status =
                    one(&env.sb(["hooks", "status", "--cli", cli, "--scope", scope, "--json"]).success());
                let rows = status.as_array().expect("a list");
                assert!(rows.iter().all(|row| row["state"] == "installed"), "{status}");
                // Twice is once.
                env.sb(words("install")).success().says("Nothing changes: the hooks are installed already.");
                assert_eq!(env.read(&file), installed);
                env.sb(words("uninstall")).success().says("are taken out.");
                let after = file.exists().then(|| env.read(&file));
                assert_eq!(after, before, "{cli}, {scope}: {installed}");
                env.sb(words("uninstall"))
                    .success()
                    .says("Nothing changes: the hooks are taken out already.");
            }
        }
    }
}

#[test]
fn what_changes_is_shown_first() {
    let env = env();
    let file = env.root().join(".copilot/hooks/signalbox.json");
    let run = env.sb(["hooks", "install", "--cli", "copilot"]).code(4);
    run.clone().says("error: nothing was written").says("hint: `--yes` writes it without asking.");
    assert!(!file.exists(), "nobody could be asked:\n{run}");
    let extension = env.root().join(EXTENSION);
    assert!(!extension.exists());
    let shown: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with(['+', '-'])).collect();
    assert!(shown.len() > 5 && shown.iter().all(|line| line.starts_with("+ ")), "{run}");
    assert!(run.stderr.contains("signalbox.json (new)\n"), "{run}");
    env.sb(["hooks", "install", "--cli", "copilot", "--yes"]).success();
    let written = env.read(&file) + &env.read(&extension);
    let lines: Vec<String> = written.lines().map(|line| format!("+ {line}")).collect();
    assert_eq!(shown, lines, "what was shown is what was written");
    let run = env.sb(["hooks", "uninstall", "--cli", "copilot"]).code(4).says("nothing was written");
    assert!(run.stderr.contains("signalbox.json (goes)\n"), "{run}");
    assert!(file.exists());
}

#[test]
fn copilot_gets_its_extension_too() {
    let env = env();
    let (file, folder) = (env.root().join(EXTENSION), env.root().join(".copilot/extensions/signalbox"));
    let install = ["hooks", "install", "--cli", "copilot", "--yes"];
    let uninstall = ["hooks", "uninstall", "--cli", "copilot", "--yes"];
    let row = |env: &TestEnv| {
        let rows = one(&env.sb(["hooks", "status", "--cli", "copilot", "--json"]).success());
        let rows = rows.as_array().expect("a list").clone();
        rows.into_iter().find(|row| row["path"] == json!(file)).expect("the extension")
    };
    assert_eq!(row(&env)["state"], "absent");
    env.sb(install).success().says("extension.mjs (new)").says("The hooks of Copilot CLI are installed.");
    let text = env.read(&file);
    assert!(text.contains(&format!("spawn({}, ", json!(env.program()))), "{text}");
    assert_eq!(row(&env), {
        let (path, program) = (json!(file), json!(env.program()));
        json!({ "cli": "copilot", "path": path, "state": "installed", "program": program, "error": null })
    });
    // One from elsewhere or of another time is replaced, and only that is shown.
    for old in [text.replace(env.program().to_str().expect("UTF-8"), "/old/sb"), format!("{text}// more\n")] {
        env.write(&file, &old);
        assert_eq!(row(&env)["state"], if old.contains("/old/sb") { "program gone" } else { "outdated" });
        env.sb(install).success().says("extension.mjs\n").never_says("signalbox.json");
        assert_eq!(env.read(&file), text);
    }
    env.sb(uninstall).success().says("extension.mjs (goes)");
    assert!(!env.root().join(".copilot/extensions").exists(), "nothing of it is left");
    // What else lies beside it stays.
    env.sb(install).success();
    env.write(folder.join("notes.txt"), "mine");
    env.sb(uninstall).success();
    assert!(!file.exists() && env.read(folder.join("notes.txt")) == "mine");
    // Somebody else's is not touched, and then nothing is.
    env.write(&file, "// mine\n");
    let refused = env.sb(install).code(4);
    refused.says("extension.mjs: the file is somebody else's").says("hint: Nothing was changed. Move it");
    assert!(!env.root().join(".copilot/hooks/signalbox.json").exists());
    env.sb(uninstall).success().says("Nothing changes");
    assert_eq!(env.read(&file), "// mine\n");
    // A project has none.
    env.sb(install.iter().chain(&["--scope", "project"])).success().never_says("extension.mjs");
}

/// A CLI that runs may write its settings while the person still looks.
#[test]
fn settings_that_change_while_the_person_is_asked() {
    let env = env();
    let file = env.root().join(".claude/settings.json");
    put(&env, &file, "{}\n");
    let mut command = env.command();
    command.args(["hooks", "install", "--cli", "claude"]);
    let mut terminal = Terminal::open(&command, Size::WIDE);
    terminal.wait_for("Write this? [y/N]", PATIENCE);
    env.write(&file, "{\"theme\": 1}\n");
    terminal.press("y\r");
    terminal.wait_for("was changed by somebody else meanwhile", PATIENCE);
    assert_eq!(terminal.ends_within(PATIENCE), Some(Some(4)));
    assert_eq!(env.read(&file), "{\"theme\": 1}\n");
}

#[test]
fn a_link_stays_a_link() {
    let env = env();
    let (real, link) = (env.root().join("dotfiles/claude.json"), env.root().join(".claude/settings.json"));
    put(&env, &real, "{\n  \"theme\": \"dark\"\n}\n");
    std::fs::create_dir(env.root().join(".claude")).expect("a folder");
    std::os::unix::fs::symlink("../dotfiles/claude.json", &link).expect("a link");
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    assert_eq!(std::fs::read_link(&link).expect("still a link"), Path::new("../dotfiles/claude.json"));
    assert!(env.read(&real).contains("PreToolUse"));
    env.sb(["hooks", "uninstall", "--cli", "claude", "--yes"]).success();
    assert_eq!(env.read(&real), "{\n  \"theme\": \"dark\"\n}\n");
    assert!(std::fs::read_link(&link).is_ok());
    // One that leads nowhere might lead to a disk that is not there now.
    std::fs::remove_file(&real).expect("the file");
    for what in ["install", "uninstall"] {
        let run = env.sb(["hooks", what, "--cli", "claude", "--yes"]).code(4);
        run.says("settings.json is a link that leads nowhere").says("hint: Make the file it should lead to");
    }
    assert!(std::fs::read_link(&link).is_ok() && !real.exists());
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let env = env();
    let (claude, gemini) =
        (env.root().join(".claude/settings.json"), env.root().join(".gemini/settings.json"));
    for (text, says) in [
        ("{\n  \"theme\": dark\n}\n", "settings.json: line 2, column 12: "),
        ("not json", "settings.json: line 1, column 1: "),
        ("{ \"hooks\": [] }", "settings.json: line 1, column 12: "),
        ("{ \"hooks\": { \"PreToolUse\": 3, \"BeforeTool\": 3 } }", "settings.json: line 1, column "),
        ("[]", "settings.json: line 1, column 1: "),
        ("{\"a\": 1}{\"b\": 2}", "settings.json: line 1, column 9: "),
    ] {
        put(&env, &gemini, text);
        for what in ["install", "uninstall"] {
            let run = env.sb(["hooks", what, "--cli", "gemini", "--yes"]).code(4);
            run.says(says).says("hint: Nothing was changed. Put the file right, then try again.");
            // The others go on.
            let run = env.sb(["hooks", what, "--cli", "gemini", "--cli", "claude", "--yes"]).code(1);
            run.says(says).says("Gemini CLI was left alone").says("all others are done");
            assert_eq!(claude.exists(), what == "install");
        }
        assert_eq!(env.read(&gemini), text);
        let run = env.sb(["hooks", "status", "--cli", "gemini", "--cli", "claude"]).code(1).says(says);
        assert!(run.stdout.contains("unreadable") && run.stdout.contains("line "), "{run}");
        assert!(run.stdout.contains("claude   absent"), "{run}");
    }
    env.write(&gemini, [b'{', 0xff, b'}']);
    env.sb(["hooks", "install", "--cli", "gemini", "--yes"]).code(4).says("is not UTF-8 text");
    assert_eq!(std::fs::read(&gemini).expect("the file"), [b'{', 0xff, b'}']);
    let run = env.sb(["hooks", "status", "--cli", "gemini", "--cli", "claude"]).code(1);
    assert!(run.stdout.contains("is not UTF-8 text") && run.stdout.contains("claude   absent"), "{run}");
    // A plugin's manifest that is somebody else's.
    let manifest = env.root().join(".agents/plugins/signalbox/plugin.json");
    put(&env, &manifest, "{\"name\": \"other\"}");
    env.sb(["hooks", "install", "--cli", "goose", "--yes"]).code(4).says("the file is somebody else's");
    assert_eq!(env.read(&manifest), "{\"name\": \"other\"}");
    assert!(!env.root().join(".agents/plugins/signalbox/hooks").exists());
    // Every folder that was made for it goes with the last file in it.
    std::fs::remove_file(&manifest).expect("the manifest");
    env.sb(["hooks", "install", "--cli", "goose", "--yes"]).success();
    env.sb(["hooks", "uninstall", "--cli", "goose", "--yes"]).success();
    assert!(!env.root().join(".agents").exists());
}

#[test]
fn hooks_of_an_older_version() {
    let env = env();
    let file = env.root().join(".claude/settings.json");
    let old = r#"{ "type": "command", "command": "\"/old/sb\" hook pre-tool" }"#;
    let bare = r#"{ "type": "command", "command": "/old/sb hook pre-tool" }"#;
    let theirs = r#"{ "type": "command", "command": "echo theirs" }"#;
    let text = format!(
        "{{ \"hooks\": {{ \"PreToolUse\": [{{ \"hooks\": [{old}, {theirs}] }}, {{ \"hooks\": [{bare}] }}] }} }}\n"
    );
    put(&env, &file, &text);
    env.sb(["hooks", "status", "--cli", "claude"]).success().says("program gone").says("runs /old/sb");
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    let after = env.read(&file);
    assert!(!after.contains("/old/sb") && after.contains("echo theirs"), "{after}");
    let groups = settings(&env, &file)["hooks"]["PreToolUse"].clone();
    let hooks: Vec<&Value> = groups
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|g| g["hooks"].as_array().expect("hooks"))
        .collect();
    assert_eq!(hooks.len(), 2, "{after}");
    env.sb(["hooks", "status", "--cli", "claude"]).success().says("installed");
    env.sb(["hooks", "uninstall", "--cli", "claude", "--yes"]).success();
    let rest = settings(&env, &file);
    assert_eq!(
        rest["hooks"]["PreToolUse"],
        json!([{ "hooks": [{ "type": "command", "command": "echo theirs" }] }])
    );
}

#[test]
fn folders_that_the_environment_names() {
    let mut env = env();
    let elsewhere = env.root().join("else where");
    for (cli, variable, file) in [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "hooks/signalbox.json"),
    ] {
        env.set(variable, elsewhere.to_str().expect("UTF-8"));
        env.sb(["hooks", "install", "--cli", cli, "--yes"]).success();
        assert!(elsewhere.join(file).is_file(), "{cli}");
        let [(_, usual), _] = files(&env, cli);
        assert!(!usual.exists(), "{cli}");
        env.sb(["hooks", "status", "--cli", cli]).success().says("installed").says("else where");
        // An empty variable is none.
        env.set(variable, "");
        env.sb(["hooks", "status", "--cli", cli]).success().says("absent").never_says("else where");
        env.unset(variable);
    }
}

#[test]
fn an_agent_may_not() {
    let env = env();
    let mut ada = env.agent("ada");
    for what in ["install", "uninstall"] {
        ada.sb(["hooks", what, "--cli", "claude", "--yes"]).code(4).says("only a human may");
    }
    assert!(!env.root().join(".claude").exists());
    ada.sb(["hooks", "status", "--cli", "claude"]).success().says("absent");
}

#[test]
fn words_that_are_not_known() {
    let mut env = env();
    env.sb(["hooks", "install", "--cli", "cursor", "--yes"]).code(2).says("there is no agent CLI `cursor`");
    env.sb(["hooks", "install", "--cli", "claude", "--scope", "world"])
        .code(2)
        .says("there is no scope `world`");
    env.sb(["hooks"]).code(2);
    // Without a name, those that are installed on this machine.
    let bin = env.root().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    env.set("PATH", bin.to_str().expect("UTF-8"));
    env.sb(["hooks", "status"]).code(3).says("no agent CLI is found in PATH").says("`--cli claude`");
    env.write(bin.join("gemini"), "");
    env.write(bin.join("codex"), "");
    let status = one(&env.sb(["hooks", "status", "--json"]).success());
    let names: Vec<&Value> = status.as_array().expect("a list").iter().map(|row| &row["cli"]).collect();
    assert_eq!(names, ["codex", "gemini"]);
}

/// Codex runs no hook that its user has not trusted; saying so for them is for them to say.
#[test]
fn codex_trusts_only_when_told() {
    for scope in ["user", "project"] {
        let env = env();
        let config = env.root().join(".codex/config.toml");
        let before =
            "# mine\nmodel = \"gpt\" # the best\n\n[hooks.state.\"/other:stop:0:0\"]\ntrusted_hash = \"x\"\n";
        put(&env, &config, before);
        let words = ["hooks", "install", "--cli", "codex", "--scope", scope, "--yes"];
        env.sb(words).success().says("Codex will skip these hooks until you trust them");
        assert_eq!(env.read(&config), before);
        env.sb(words.iter().chain(&["--trust"])).success().says("Codex trusts them: ");
        let trusted = env.read(&config);
        assert!(trusted.starts_with("# mine\nmodel = \"gpt\" # the best\n"), "{trusted}");
        assert_eq!(trusted.matches("trusted_hash = \"sha256:").count(), 12, "{trusted}");
        let [user, project] = files(&env, "codex");
        let file = if scope == "user" { user.1 } else { project.1 };
        let file = file.canonicalize().expect("the hooks");
        assert!(trusted.contains(&format!("{}:pre_tool_use:0:0", file.display())), "{trusted}");
        env.sb(words).success().never_says("Codex will skip");
        // Nothing is taken back before the person has agreed.
        env.sb(["hooks", "uninstall", "--cli", "codex", "--scope", scope]).code(4);
        assert_eq!(env.read(&config), trusted);
        env.sb(["hooks", "uninstall", "--cli", "codex", "--scope", scope, "--yes"]).success();
        assert_eq!(env.read(&config), before);
    }
}

/// There is one status line, and who has one keeps it.
#[test]
fn the_status_line() {
    let env = env();
    let file = env.root().join(".claude/settings.json");
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    let command = settings(&env, &file)["statusLine"]["command"].as_str().expect("a line").to_owned();
    assert!(command.ends_with(" statusline") && command.contains("/sb"), "{command}");
    env.bash(&format!("printf '{{}}' | {command}")).success();
    env.sb(["hooks", "uninstall", "--cli", "claude", "--yes"]).success();
    assert!(!file.exists());
    env.sb(["hooks", "install", "--cli", "claude", "--yes", "--no-status-line"]).success();
    assert_eq!(settings(&env, &file)["statusLine"], Value::Null);
    env.sb(["hooks", "uninstall", "--cli", "claude", "--yes"]).success();
    let theirs = "{\n  \"statusLine\": { \"type\": \"command\", \"command\": \"my-line\" }\n}\n";
    put(&env, &file, theirs);
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    assert_eq!(settings(&env, &file)["statusLine"]["command"], "my-line");
    env.sb(["hooks", "uninstall", "--cli", "claude", "--yes"]).success();
    assert_eq!(env.read(&file), theirs);
}

#[test]
fn a_program_that_has_moved() {
    let env = env();
    let moved = env.root().join("moved/sb");
    std::fs::create_dir(env.root().join("moved")).expect("a folder");
    let moved = quote(moved.to_str().expect("UTF-8"));
    env.bash(&format!("ln \"$(command -v sb)\" {moved} || cp \"$(command -v sb)\" {moved}")).success();
    env.bash(&format!("{moved} hooks install --cli claude --yes && rm {moved}")).success();
    env.sb(["hooks", "status", "--cli", "claude"]).success().says("program gone").says("moved/sb");
    // It is gone, and still nothing passes: the shell in front of it says no.
    env.sb(["hooks", "test", "--cli", "claude"]).success().never_says("recorded");
    // Installing again is how it is put right, and leaves one of each.
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    let text = env.read(env.root().join(".claude/settings.json"));
    assert!(!text.contains("moved/sb"), "{text}");
    env.sb(["hooks", "status", "--cli", "claude"]).success().says("installed");
    let mode = |path: &Path| {
        std::os::unix::fs::PermissionsExt::mode(&path.metadata().expect("a file").permissions())
    };
    assert_eq!(mode(&env.root().join(".claude/settings.json")) & 0o777, 0o644);
}
