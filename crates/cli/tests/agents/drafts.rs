//! A person types, pauses, edits, pastes and opens menus at random, while messages arrive at random: what the person
//! sends off is what was typed, and every message arrives once, by itself.
//!
//! `SIGNALBOX_DRAFT_RUNS` says how many rounds there are, `SIGNALBOX_DRAFT_SEED` which.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use signalbox_testkit::{Dice, TestEnv};

use crate::kit::{Agent, env, receipts, sb};
use crate::model::Editor;
use crate::window::eventually;

/// How many messages may wait before nobody sends more: the queue is bounded.
const MOST_WAITING: usize = 20;

#[test]
fn drafts_are_never_touched_and_messages_never_lost() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let rounds = number("SIGNALBOX_DRAFT_RUNS").unwrap_or(40);
    let seed = number("SIGNALBOX_DRAFT_SEED").unwrap_or(1);
    let at_once = number("SIGNALBOX_DRAFT_AGENTS").unwrap_or(4).clamp(1, rounds.max(1));
    let begun = Instant::now();
    let played = std::thread::scope(|scope| {
        let parts = (0..at_once).map(|part| {
            let share = rounds / at_once + usize::from(part < rounds % at_once);
            scope.spawn(move || play(seed * 1_000 + part, share))
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().expect("a part")).collect::<Vec<_>>()
    });
    let sum = |what: fn(&Played) -> usize| played.iter().map(what).sum::<usize>();
    eprintln!(
        "{rounds} rounds with {at_once} agents in {} s: {} prompts of the person's, {} messages; {} dialogs; {} of the \
         messages had to wait, {} for a draft, {} for the person to pause",
        begun.elapsed().as_secs(),
        sum(|played| played.prompts),
        sum(|played| played.messages),
        sum(|played| played.dialogs),
        sum(|played| played.deferred),
        sum(|played| played.for_draft),
        sum(|played| played.for_typing),
    );
}

struct Played {
    prompts: usize,
    messages: usize,
    dialogs: usize,
    deferred: usize,
    for_draft: usize,
    for_typing: usize,
}

/// So many rounds with one agent.
fn play(seed: usize, rounds: usize) -> Played {
    let env = env();
    let ask = json!({ "match": "permit", "steps": [
        { "tool": { "name": "Bash", "input": { "command": "make" }, "ask": true } }, { "say": "APPROVED" },
    ] });
    // Some CLIs show what is typed late, when they are busy.
    let late = [0, 0, 100, 600][seed % 4];
    let script = json!({
        "echo_delay_ms": late,
        "prompts": vec![ask; rounds],
        "otherwise": [{ "think": 40 }, { "say": "ok" }],
    });
    let agent = Agent::puppet(&env, &script);
    let mut person = Person {
        agent: &agent,
        dice: Dice::new(seed),
        editor: Editor::default(),
        sent: Vec::new(),
        dialogs: 0,
        messages: Vec::new(),
        posting: Vec::new(),
    };
    for _ in 0..rounds {
        person.round();
    }
    person.clear();
    let Person { sent, messages, posting, dialogs, .. } = person;
    for mut process in posting {
        assert!(process.wait().expect("sb inject").success(), "seed {seed}: a message was refused");
    }
    let is_last = |name: &str| !matches!(name, "inject.queued" | "inject.deferred");
    eventually(&format!("all messages, seed {seed}"), || {
        receipts(&env).iter().filter(|(name, _)| is_last(name)).count() >= messages.len()
    });
    let all = sent.len() + messages.len();
    eventually(&format!("all {all} prompts, seed {seed}"), || agent.prompts().len() >= all);
    check(&env, &agent, seed, &sent, &messages);
    let log = receipts(&env);
    let waited = |reason: &str| {
        log.iter().filter(|(name, data)| name == "inject.deferred" && data["reason"] == reason).count()
    };
    let mut deferred: Vec<&str> = log
        .iter()
        .filter(|(name, _)| name == "inject.deferred")
        .filter_map(|(_, data)| data["injection"].as_str())
        .collect();
    deferred.sort_unstable();
    deferred.dedup();
    Played {
        prompts: sent.len(),
        messages: messages.len(),
        dialogs,
        deferred: deferred.len(),
        for_draft: waited("draft"),
        for_typing: waited("person-typing"),
    }
}

fn check(env: &TestEnv, agent: &Agent<'_>, seed: usize, sent: &[String], messages: &[String]) {
    let (arrived, typed): (Vec<_>, Vec<_>) =
        agent.prompts().into_iter().partition(|prompt| messages.contains(prompt));
    assert_eq!(typed, sent, "seed {seed}: what the person sent off is not what was typed");
    let (mut arrived, mut messages) = (arrived, messages.to_vec());
    arrived.sort();
    messages.sort();
    assert_eq!(arrived, messages, "seed {seed}: messages were lost or doubled");
    assert!(!agent.answers().contains(&"APPROVED".to_owned()), "seed {seed}: a dialog was approved");
    for (name, data) in receipts(env) {
        let is_fine = matches!(name.as_str(), "inject.queued" | "inject.deferred" | "inject.delivered");
        assert!(is_fine, "seed {seed}: {name} {data}");
    }
}

struct Person<'a> {
    agent: &'a Agent<'a>,
    dice: Dice,
    /// What stands in the box, as the person knows it.
    editor: Editor,
    /// What was sent off.
    sent: Vec<String>,
    dialogs: usize,
    messages: Vec<String>,
    /// Those who send the messages.
    posting: Vec<Child>,
}

impl Person<'_> {
    fn round(&mut self) {
        let actions = self.dice.below(6) + 1;
        let arrives = self.dice.below(actions + 2);
        for action in 0..actions {
            if action == arrives {
                self.message();
            }
            self.act();
            self.think();
        }
        match self.dice.below(20) {
            0..=11 => self.send(),
            12 | 13 => self.clear(),
            14 | 15 => self.menu(),
            16 => self.help(),
            17 | 18 => self.permit(),
            _ => {}
        }
        if arrives >= actions {
            self.message();
        }
        // Long enough that a delivery begins, and often not long enough that it ends.
        let pause =
            if self.dice.below(3) == 0 { self.dice.below(400) } else { 1_000 + self.dice.below(1_400) };
        self.rest(pause);
    }

    /// One thing that people do with a line.
    fn act(&mut self) {
        match self.dice.below(19) {
            0..=9 => {
                let text = self.dice.words();
                if self.dice.below(2) == 0 {
                    self.press(&text);
                } else {
                    for letter in text.chars() {
                        self.press(letter.encode_utf8(&mut [0; 4]));
                        self.rest(self.dice.peek(40));
                    }
                }
                self.editor.insert(&text);
            }
            10 => {
                let text = format!("{}\n{}", self.dice.words(), self.dice.words());
                self.press(&format!("\x1b[200~{text}\x1b[201~"));
                self.editor.insert(&text);
            }
            11 => {
                self.press("\n");
                self.editor.insert("\n");
            }
            12 => self.times("\x7f", 5, Editor::backspace),
            13 => self.times("\x1b[D", 8, Editor::left),
            14 => self.times("\x1b[C", 8, Editor::right),
            15 => self.times("\x1b[H", 1, Editor::home),
            16 => self.times("\x1b[F", 1, Editor::end),
            17 => self.times("\x15", 2, Editor::kill_line),
            _ => self.times("\x17", 2, Editor::kill_word),
        }
    }

    fn times(&mut self, key: &str, most: usize, change: fn(&mut Editor)) {
        for _ in 0..=self.dice.below(most) {
            self.press(key);
            change(&mut self.editor);
        }
    }

    fn send(&mut self) {
        self.press("\r");
        if !self.editor.text().trim().is_empty() {
            self.sent.push(self.editor.take());
        }
    }

    fn clear(&mut self) {
        while !self.editor.is_empty() {
            self.times("\x1b[F", 1, Editor::end);
            self.times("\x1b[C", 4, Editor::right);
            self.times("\x15", 1, Editor::kill_line);
        }
    }

    /// The menu that a slash opens, closed again.
    fn menu(&mut self) {
        self.clear();
        self.press("/");
        self.rest(self.dice.peek(600));
        self.press("he");
        self.rest(self.dice.peek(600));
        self.press("\x7f\x7f\x7f");
    }

    /// A dialog that the person opens and closes.
    fn help(&mut self) {
        self.clear();
        self.press("/help\r");
        self.agent.window.wait_for("Esc to close");
        self.rest(self.dice.peek(1_500));
        assert!(self.agent.window.shows("Esc to close"), "the dialog was closed by somebody else");
        self.press("\x1b");
        self.agent.window.wait_gone("Esc to close");
        self.dialogs += 1;
    }

    /// Something that the agent asks about before it does it. Enter would approve.
    fn permit(&mut self) {
        self.clear();
        let text = format!("permit {}", self.dialogs);
        self.press(&text);
        self.editor.insert(&text);
        self.send();
        self.agent.window.wait_for("Do you want to proceed?");
        if self.dice.below(2) == 0 {
            self.message();
        }
        self.rest(self.dice.peek(2_500));
        assert!(self.agent.window.shows("Do you want to proceed?"), "somebody else has answered");
        self.press("2");
        self.agent.window.wait_gone("Do you want to proceed?");
        self.dialogs += 1;
    }

    /// Somebody else wants to say something.
    fn message(&mut self) {
        let outbox = std::fs::read_dir(self.agent.env.home().join("outbox").join(&self.agent.id));
        let names =
            outbox.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        if names.filter(|name| name.ends_with(".json")).count() > MOST_WAITING {
            return;
        }
        let more = match self.dice.below(5) {
            0 => format!("\n{}\n{}", self.dice.words(), self.dice.words()),
            1 => "many words ".repeat(30),
            _ => self.dice.words(),
        };
        let text = format!("message {} of {}: {}.", self.messages.len(), self.agent.id, more.trim());
        let command = &mut sb(self.agent.env, ["inject", &self.agent.id, "--ttl", "2h", &text]);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sb inject");
        self.posting.push(child);
        self.messages.push(text);
    }

    fn think(&mut self) {
        match self.dice.below(12) {
            0 => self.rest(self.dice.peek(1_800)),
            1..=4 => self.rest(self.dice.peek(250)),
            _ => {}
        }
        self.dice.below(2);
    }

    fn press(&self, keys: &str) {
        self.agent.window.press(keys);
    }

    fn rest(&self, ms: usize) {
        self.agent.window.rest(Duration::from_millis(ms as u64));
    }
}
