//! The hook itself fails, in every way a program can, in the middle of a session of the real Claude Code: what must be
//! refused is not executed. By the main agent, in a terminal and without one, by a subagent, in a resumed session and
//! by an MCP tool.
//!
//! Not shown here, because nothing in a hook can prevent it: somebody ends the shell that guards the hook from outside,
//! or puts another program in its place that answers as the hook does.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use signalbox_testkit::clis::{Cli, skip_without};
use signalbox_testkit::model::{Gate, Model, Script, Turn};
use signalbox_testkit::{TestEnv, quote};

use crate::support::{BYPASS, DISCUSSION, FIRST, Outcome, SECOND, Scene, can_type, mcp, text};

const PATIENCE: Duration = Duration::from_secs(90);

/// A way to fail.
struct Failure {
    name: &'static str,
    how: How,
}

enum How {
    /// Lines of a shell that stand where `sb` was. `$real` is the real one.
    Program(&'static str),
    /// A line of shell, run in the home of `sb`. `$sb` is where the hooks look for it, `$session` the session's record.
    Damage(&'static str),
}

const PARTIAL: &str =
    r#"printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDe'; kill -SEGV $$"#;

const FAILURES: &[Failure] = &[
    Failure { name: "SIGKILL", how: How::Program("kill -KILL $$") },
    Failure { name: "SIGSEGV", how: How::Program("kill -SEGV $$") },
    Failure { name: "exit 1", how: How::Program("exit 1") },
    Failure { name: "exit 126 (no exec bit)", how: How::Damage("chmod a-x \"$sb\"") },
    Failure { name: "exit 127 (missing binary)", how: How::Damage("rm \"$sb\"") },
    Failure {
        name: "missing interpreter",
        how: How::Damage("rm \"$sb\"; printf '#!/nonexistent\\n' > \"$sb\"; chmod +x \"$sb\""),
    },
    Failure { name: "hang past the limit", how: How::Damage("rm \"$session\"; mkfifo \"$session\"") },
    Failure { name: "crash after partial JSON", how: How::Program(PARTIAL) },
    Failure { name: "partial JSON and success", how: How::Program("printf '{\"hookSpecificOutput\":{'") },
    Failure { name: "empty stdout", how: How::Program("cat > /dev/null") },
    Failure { name: "invalid UTF-8", how: How::Program("printf '\\377\\376{}'") },
    Failure { name: "invalid UTF-8 in braces", how: How::Program("printf '{\\377\\376}'") },
    Failure {
        name: "a log line before the answer",
        how: How::Program("echo starting; exec \"$real\" \"$@\""),
    },
    Failure { name: "closed stdin", how: How::Program("exec \"$real\" \"$@\" <&-") },
    Failure { name: "empty stdin", how: How::Program("exec \"$real\" \"$@\" < /dev/null") },
    Failure { name: "closed stdout", how: How::Program("exec \"$real\" \"$@\" >&-") },
    Failure {
        name: "disk full",
        how: How::Damage("log=$(readlink -f events/current); rm \"$log\"; ln -s /dev/full \"$log\""),
    },
    Failure { name: "log gone", how: How::Damage("rm -r events; touch events") },
    Failure { name: "charter missing", how: How::Damage("rm \"$session\"") },
    Failure {
        name: "charter from a newer version",
        how: How::Damage("sed -i 's/\"v\": 1/\"v\": 99/' \"$session\""),
    },
    Failure { name: "charter torn", how: How::Damage("truncate -s 100 \"$session\"") },
    Failure { name: "no memory of any session", how: How::Damage("rm -r sessions run") },
];

/// A session that discusses, with `sb` at a path of its own that can be broken.
struct Stage {
    scene: Scene,
    mcp: String,
}

impl Stage {
    fn new(config: &str) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_sb"));
        let copy = env.root().join("bin/sb");
        let (from, to) = (quote(env!("CARGO_BIN_EXE_sb")), quote(text(&copy)));
        let line = format!("mkdir -p ../bin && cp {from} {to} && cp {from} ../real-sb");
        env.bash(&line).success();
        let mut scene = Scene::without_hooks(env, "claude", Cli::claude, config);
        scene.set("SIGNALBOX_HOOK_DEADLINE_MS", "1500");
        let install = format!("{to} hooks install --cli claude --yes");
        scene.env.bash(&install).success().says("bin/sb");
        let mcp = mcp(&scene);
        Self { scene, mcp }
    }

    /// What is kept, so that it can be put right again.
    fn keep(&self) {
        let line = "rm -rf kept && mkdir kept && cp -a sessions run events kept/ && cp -a \"$sb\" kept/sb";
        self.shell(line);
    }

    fn break_it(&self, failure: &Failure) {
        self.keep();
        match failure.how {
            How::Damage(line) => self.shell(line),
            How::Program(lines) => {
                let script = format!(
                    "#!/bin/bash\nreal={}\n{lines}\n",
                    quote(text(&self.scene.env.root().join("real-sb")))
                );
                // By another process, and by a new name: a file that is open to be written cannot be run.
                self.shell(&format!(
                    "printf %s {} > \"$sb.new\" && chmod +x \"$sb.new\" && mv \"$sb.new\" \"$sb\"",
                    quote(&script)
                ));
            }
        }
    }

    fn put_right(&self) {
        self.shell("rm -rf sessions run events \"$sb\" && mv kept/sb \"$sb\" && mv kept/* .");
    }

    fn shell(&self, line: &str) {
        let root = self.scene.env.root();
        let home = self.scene.env.home();
        let head = format!(
            "set -e; cd {}; sb={}; session=sessions/{FIRST}.json\n",
            quote(text(&home)),
            quote(text(&root.join("bin/sb"))),
        );
        self.scene.env.bash(&format!("{head}{line}")).success();
    }

    /// What was written by whom, and is gone afterwards.
    fn executed(&self) -> Vec<&'static str> {
        let names = ["main", "shell", "subagent", "mcp", "resumed", "terminal"];
        names.into_iter().filter(|name| self.scene.read(&format!("canary-{name}")).is_some()).collect()
    }

    fn write(&self, name: &str) -> Turn {
        let path = self.scene.at(&format!("canary-{name}"));
        Turn::call("Write", json!({ "file_path": path, "content": "x" }))
    }

    fn bash(&self, name: &str) -> Turn {
        Turn::call("Bash", json!({ "command": format!("echo x > canary-{name}"), "description": "d" }))
    }

    /// Without a terminal: the failure comes when the model is about to make its first call.
    fn headless(&self, failure: &Failure, arguments: &[&str], turns: impl FnOnce(&Gate) -> Script) -> usize {
        let gate = Gate::default();
        let model = Model::start(turns(&gate));
        let cli = self.scene.start(&model).within(PATIENCE);
        let arguments = [&BYPASS[..], &["--mcp-config", &self.mcp], arguments].concat();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| cli.prompt("PROMPT of the test", &arguments));
            assert!(gate.is_reached(PATIENCE), "{}: the model was never asked", failure.name);
            self.break_it(failure);
            gate.open();
            let run = run.join().expect("a run").success();
            drop(run);
        });
        self.put_right();
        model.tool_results().len()
    }

    fn in_terminal(&self, failure: &Failure) {
        let gate = Gate::default();
        let model =
            Model::start([Turn::until(&gate), self.write("terminal"), Turn::say("said at the terminal")]);
        let mut terminal =
            self.scene.start(&model).open(["--permission-mode", "acceptEdits", "--resume", FIRST]);
        terminal.wait_until("an empty line to type in", PATIENCE, can_type);
        terminal.submit("PROMPT at the terminal");
        assert!(gate.is_reached(PATIENCE), "{}: {}", failure.name, terminal.screen());
        self.break_it(failure);
        gate.open();
        terminal.wait_for("said at the terminal", PATIENCE);
        drop(terminal);
        self.put_right();
    }

    /// All calls in all places, with this failure. What was executed.
    fn suffer(&self, failure: &Failure) -> Vec<&'static str> {
        let subagent =
            json!({ "description": "d", "prompt": "SUBAGENT, go", "subagent_type": "general-purpose" });
        let put: Value = json!({ "path": self.scene.at("canary-mcp") });
        let told = self.headless(failure, &["--session-id", FIRST], |gate| {
            let turns = [
                Turn::until(gate),
                self.write("main"),
                self.bash("shell"),
                Turn::call("mcp__box__put", put),
                Turn::call("Agent", subagent),
                Turn::say("the last word"),
            ];
            Script::new(turns).beside("SUBAGENT", [self.write("subagent"), self.bash("subagent")])
        });
        assert!(told >= 4, "{}: only {told} calls were made", failure.name);
        let told = self.headless(failure, &["--resume", FIRST], |gate| {
            Script::new([Turn::until(gate), self.write("resumed"), self.bash("resumed")])
        });
        assert!(told >= 6, "{}: only {told} calls were made", failure.name);
        self.in_terminal(failure);
        self.executed()
    }
}

/// A part of the failures, so that they can be suffered side by side. The answer is the table.
fn suffer(part: usize, parts: usize) {
    if skip_without("claude") {
        return;
    }
    let mut table = String::new();
    let mut wrong = Vec::new();
    for failure in FAILURES.iter().skip(part).step_by(parts) {
        let stage = Stage::new(DISCUSSION);
        let executed = stage.suffer(failure);
        let result = if executed.is_empty() { "nothing".to_owned() } else { executed.join(", ") };
        let _ = writeln!(table, "{:32} executed: {result}", failure.name);
        if executed.is_empty() {
            stage.scene.found(&format!("The hook fails: {}", failure.name), Outcome::Warned);
        } else {
            wrong.push(failure.name);
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "executed though refused: {wrong:?}\n{table}");
}

#[test]
fn whatever_happens_to_the_hook_nothing_refused_is_executed_part_1() {
    suffer(0, 2);
}

#[test]
fn whatever_happens_to_the_hook_nothing_refused_is_executed_part_2() {
    suffer(1, 2);
}

/// Where the session may write and nothing fails, all of these calls are executed: it is the hook that stops them.
#[test]
fn what_is_not_refused_is_executed() {
    if skip_without("claude") {
        return;
    }
    let stage = Stage::new("");
    let executed = stage.suffer(&Failure { name: "nothing", how: How::Damage("true") });
    assert_eq!(executed, ["main", "shell", "subagent", "mcp", "resumed", "terminal"]);
}

/// More than a hook reads: it refuses without reading it whole.
#[test]
fn a_call_of_20_megabytes_is_refused() {
    if skip_without("claude") {
        return;
    }
    let stage = Stage::new(DISCUSSION);
    let scene = &stage.scene;
    let large = "x".repeat(20 * 1024 * 1024);
    let write = |name: &str| {
        let path = scene.at(&format!("canary-{name}"));
        Turn::call("Write", json!({ "file_path": path, "content": large }))
    };
    let subagent =
        json!({ "description": "d", "prompt": "SUBAGENT, go", "subagent_type": "general-purpose" });
    let put = json!({ "text": large, "path": scene.at("canary-mcp") });
    // Each in a conversation of its own: whatever was called is sent along from then on.
    scene.talk([Turn::say("short")], "PROMPT of the test", &["--session-id", SECOND]).run.success();
    let runs = [
        (Script::new([write("main")]), &["--session-id", FIRST][..]),
        (Script::new([write("resumed")]), &["--resume", SECOND]),
        (Script::new([Turn::call("Agent", subagent)]).beside("SUBAGENT", [write("subagent")]), &[]),
        (Script::new([Turn::call("mcp__box__put", put)]), &[]),
    ];
    for (script, more) in runs {
        let arguments = [&BYPASS[..], &["--mcp-config", &stage.mcp], more].concat();
        let talk = scene.talk(script, "PROMPT of the test", &arguments);
        talk.run.success();
        let results = talk.model.tool_results();
        let refused =
            results.iter().filter(|result| result.text.contains("Signalbox could not judge this call"));
        assert_eq!(refused.count(), 1, "{more:?}");
    }
    assert_eq!(stage.executed(), [""; 0]);
    scene.found("The hook fails: 20 MB on stdin", Outcome::Warned);
}
