//! What every agent CLI must show, in that CLI's own words: told at the start, discussion, the phrase, a doer's limits,
//! held back at the stop, the end recorded.

use std::time::Duration;

use serde_json::Value;
use signalbox_testkit::model::{Gate, Model, Turn};
use signalbox_testkit::quote;

use crate::support::{DISCUSSION, Outcome, Scene, Talk, passed, refused, text};

const PATIENCE: Duration = Duration::from_secs(90);

/// A call of a tool.
pub type Call = (&'static str, Value);

/// One CLI's words.
pub struct Dialect {
    pub scene: fn(&str) -> Scene,
    pub shell: fn(&str) -> Call,
    /// Make a file: its path and its text.
    pub write: fn(&str, &str) -> Call,
    /// Read a file by a tool, where there is one for it.
    pub read: Option<fn(&str) -> Call>,
    /// What every run needs.
    pub arguments: &'static [&'static str],
}

fn call((tool, input): Call) -> Turn {
    Turn::call(tool, input)
}

impl Dialect {
    pub fn is_told_at_the_start(&self) {
        let scene = (self.scene)(DISCUSSION);
        let ticket = scene.env.new_ticket("Limit logins");
        let talk = scene.talk([Turn::say("the last word")], "PROMPT of the test", self.arguments);
        talk.run.success();
        for words in ["Ready to be worked on:", &ticket, "Limit logins", "Mode: discussion."] {
            assert!(talk.model.saw(words), "{words}");
        }
        let started = scene.events("session.started");
        // Copilot tells of the first prompt and of the start at once.
        assert!(started.iter().all(|event| event["session"] == started[0]["session"]), "{started:#?}");
        assert_eq!((&started[0]["data"]["cli"], &started[0]["project"]), (&scene.cli.into(), &"shop".into()));
        let ended = scene.events("session.ended");
        assert!(!ended.is_empty(), "no end: {:#?}", scene.events("hook.failed"));
        assert_eq!(ended[0]["session"], started[0]["session"]);
        scene.found("A session is told its work, mode and role when it starts", Outcome::Works);
        scene.found("The end of a session", Outcome::Recorded);
    }

    pub fn discusses_and_writes_nothing(&self) {
        let scene = (self.scene)(DISCUSSION);
        let mut calls =
            vec![(self.shell)("ls src && git log --oneline | head -3"), (self.shell)("grep -rn limit src")];
        calls.extend(self.read.map(|read| read(&scene.at("src/lib.rs"))));
        let readers = calls.len();
        calls.extend([
            (self.write)(&scene.at("new.txt"), "x"),
            (self.shell)("echo x > new.txt"),
            (self.shell)("sed -i s/3/4/ src/lib.rs"),
            (self.shell)("sh -c 'touch new.txt'"),
            (self.shell)("git commit --allow-empty -m x"),
        ]);
        let results = scene.calls(&calls, self.arguments);
        results[..readers].iter().for_each(passed);
        assert!(results[0].text.contains("The first"), "{:?}", results[0]);
        for result in &results[readers..] {
            refused(result, "mode");
        }
        assert_eq!(scene.read("new.txt"), None);
        assert_eq!(scene.read("src/lib.rs").as_deref(), Some("pub fn limit() -> u32 { 3 }\n"));
        scene.env.bash("git log --oneline | wc -l").success().says("1\n");
        scene.found("Discussion mode: file tools that write", Outcome::Warned);
        scene.found("Discussion mode: shell commands that write", Outcome::Warned);
        scene.found("Discussion mode: reading goes on", Outcome::Works);
    }

    pub fn is_opened_by_the_phrase(&self) {
        let scene = (self.scene)(DISCUSSION);
        let turns =
            || [call((self.shell)("sb mode implementation")), call((self.write)(&scene.at("new.txt"), "x"))];
        let talk = scene.talk(turns(), "Do not go ahead yet.", self.arguments);
        let results = talk.model.tool_results();
        talk.run.success();
        refused(&results[0], "human");
        refused(&results[1], "mode");
        let hidden = [(self.write)(&scene.at("go.sh"), "sb mode implementation"), (self.shell)("sh ./go.sh")];
        let turns = turns().into_iter().chain(hidden.map(call)).collect::<Vec<_>>();
        let talk = scene.talk(turns, "Good. Go ahead.", self.arguments);
        let results = talk.model.tool_results();
        talk.run.success();
        refused(&results[0], "human");
        passed(&results[1]);
        // Where the hook does not see it, `sb` itself refuses.
        assert!(results[3].text.contains("human") && !results[3].text.contains("Signalbox"), "{results:#?}");
        assert_eq!(scene.read("new.txt").as_deref().map(str::trim), Some("x"));
        let changed = scene.events("mode.changed");
        assert_eq!(changed.len(), 1, "{changed:#?}");
        assert_eq!(changed[0]["data"]["trigger_phrase"], "go ahead");
        scene.found("The person's phrase opens implementation mode", Outcome::Works);
        scene.found("An agent opens implementation mode itself", Outcome::Blocked);
    }

    /// A conversation that a person makes a doer's while it runs.
    pub fn as_doer(&self, scene: &mut Scene, ticket: &str, turns: Vec<Turn>) -> Talk {
        scene.make_worktree();
        let gate = Gate::default();
        let model = Model::start([vec![Turn::until(&gate)], turns].concat());
        let cli = scene.start(&model);
        let run = std::thread::scope(|scope| {
            let run = scope.spawn(|| cli.prompt("PROMPT of the test", self.arguments));
            assert!(gate.is_reached(PATIENCE), "the model was never asked");
            let sessions = scene.sessions();
            let id = sessions[0]["id"].as_str().expect("a session");
            scene.make_doer(id, ticket);
            gate.open();
            run.join().expect("a run")
        });
        Talk { model, run }
    }

    pub fn keeps_a_doer_in_its_bounds(&self) {
        let mut scene = (self.scene)("");
        let ticket = scene.env.new_ticket("Limit logins");
        let outside = scene.at("new.txt");
        scene.make_worktree();
        let wrong = [
            ((self.write)(&scene.at("tests/new.rs"), "x"), "tests"),
            ((self.shell)("echo x > tests/api.rs"), "tests"),
            ((self.shell)("git checkout main"), "branch"),
            ((self.shell)("git switch -c other"), "branch"),
            ((self.write)(&scene.at(".claude/settings.json"), "{}"), "protected"),
            ((self.shell)("echo x > .envrc"), "protected"),
            ((self.shell)("echo x > ../shop/new.txt"), "outside"),
            ((self.shell)("echo x > Makefile"), "build"),
        ];
        let right = [
            (self.write)(&scene.at("src/new.rs"), "x"),
            (self.shell)("git add -A && git commit -q -m 'The second'"),
        ];
        let turns = wrong.iter().map(|(call, _)| call.clone()).chain(right).map(call).collect();
        let talk = self.as_doer(&mut scene, &ticket, turns);
        let results = talk.model.tool_results();
        talk.run.success();
        assert_eq!(results.len(), wrong.len() + 2, "{results:#?}");
        for ((call, rule), result) in wrong.iter().zip(&results) {
            assert!(
                result.text.contains(&format!("(rule: {rule})")),
                "{call:?} is not refused by {rule}: {result:?}"
            );
        }
        results[wrong.len()..].iter().for_each(passed);
        assert!(!std::path::Path::new(&outside).exists());
        for name in ["tests/new.rs", ".claude/settings.json", ".envrc", "Makefile"] {
            assert_eq!(scene.read(name), None, "{name}");
        }
        scene.env.bash("git -C ../tree log -1 --format=%s:%D").success().says("The second:HEAD -> work");
        for what in
            ["tests", "other branches", "protected files", "files outside the worktree", "build files"]
        {
            scene.found(&format!("A doer and {what}"), Outcome::Warned);
        }
    }

    pub fn is_held_back_twice_at_the_stop(&self) {
        let mut scene = (self.scene)("");
        let ticket = scene.env.new_ticket("Limit logins");
        let turns = vec![
            call((self.shell)(&format!("sb pick {ticket}"))),
            Turn::say("first"),
            Turn::say("second"),
            Turn::say("third"),
            Turn::say("the fourth"),
        ];
        let talk = self.as_doer(&mut scene, &ticket, turns);
        talk.run.success().says("third").never_says("the fourth");
        assert!(talk.model.saw("is not finished yet. What is missing:"));
        assert_eq!(talk.model.conversation().len(), 4);
        assert_eq!(scene.events("session.held-back").len(), 2);
        assert_eq!(scene.events("session.let-go").len(), 1);
        scene.found("Stopping with an unfinished ticket: held back twice", Outcome::Warned);
    }

    /// `sb` goes away or breaks in the middle of a session.
    pub fn refuses_when_the_hook_is_gone(&self) {
        for (name, damage) in [
            (
                "SIGKILL",
                "printf '#!/bin/sh\\nkill -KILL $$\\n' > ../bin/new; chmod +x ../bin/new; mv ../bin/new ../bin/sb",
            ),
            ("exit 127 (missing binary)", "rm ../bin/sb"),
            ("empty stdout", "ln -sf \"$(command -v true)\" ../bin/sb"),
            (
                "invalid UTF-8 in braces",
                "printf '#!/bin/sh\\nprintf \"{\\\\377}\"\\n' > ../bin/new; chmod +x ../bin/new; mv ../bin/new ../bin/sb",
            ),
        ] {
            let scene = (self.scene)(DISCUSSION);
            let sb = quote(text(scene.env.program()));
            let trust = if scene.cli == "codex" { "--trust" } else { "" };
            let cli = scene.cli;
            let line = format!(
                "mkdir -p ../bin && cp {sb} ../bin/sb && {sb} hooks uninstall --cli {cli} --yes \
                 && ../bin/sb hooks install --cli {cli} --yes {trust}"
            );
            scene.env.bash(&line).success();
            let gate = Gate::default();
            let calls = [(self.write)(&scene.at("new.txt"), "x"), (self.shell)("echo x > new.txt")];
            let model = Model::start([vec![Turn::until(&gate)], calls.map(call).to_vec()].concat());
            let cli = scene.start(&model);
            let run = std::thread::scope(|scope| {
                let run = scope.spawn(|| cli.prompt("PROMPT of the test", self.arguments));
                assert!(gate.is_reached(PATIENCE), "the model was never asked");
                scene.env.bash(damage).success();
                gate.open();
                run.join().expect("a run")
            });
            let results = model.tool_results();
            assert_eq!(results.len(), 2, "{name}: {run}\n{results:#?}");
            assert_eq!(scene.read("new.txt"), None, "{name}: {results:#?}");
            scene.found(&format!("The hook fails: {name}"), Outcome::Warned);
        }
    }

    pub fn cannot_approve_its_own_work(&self) {
        let scene = (self.scene)("");
        let ticket = scene.env.new_ticket("Limit logins");
        let calls = [
            (self.shell)(&format!("sb pick {ticket} && sb submit -m done")),
            (self.shell)(&format!("sb approve {ticket}")),
        ];
        let results = scene.calls(&calls, self.arguments);
        assert!(results[1].text.contains("may not review"), "{results:#?}");
        assert_eq!(scene.status(&ticket), "review");
        scene.found("Approving one's own work through the shell", Outcome::Blocked);
    }
}
