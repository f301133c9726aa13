//! The person of the drafts, and all that dice have them do.

use std::fmt;
use std::time::{Duration, Instant};

use serde_json::Value;
use signalbox_testkit::Dice;
use signalbox_testkit::model::Turn;

use crate::drafts::Row;
use crate::wrapped::{PATIENCE, Wrapped};

/// How many messages may wait before nobody sends more: the queue is bounded.
const MOST_WAITING: usize = 15;

/// How long the model thinks now and then.
const THINKING: Duration = Duration::from_millis(400);

/// How often something happened.
#[derive(Debug, Default)]
pub struct Counts {
    lines: usize,
    messages: usize,
    /// Messages that arrived while a half-typed line stood in the box.
    beside_draft: usize,
    /// Lines that the CLI left in the box though it had sent them off.
    left: usize,
    /// How often the CLI lost an Enter.
    lost_returns: usize,
    /// Lines that the CLI took and did not answer.
    unanswered: usize,
    pauses: usize,
    menus: usize,
    dialogs: usize,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.lines += other.lines;
        self.messages += other.messages;
        self.beside_draft += other.beside_draft;
        self.left += other.left;
        self.lost_returns += other.lost_returns;
        self.unanswered += other.unanswered;
        self.pauses += other.pauses;
        self.menus += other.menus;
        self.dialogs += other.dialogs;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, messages, beside_draft, left, lost_returns, unanswered, pauses, menus, dialogs } =
            self;
        write!(
            out,
            "{lines} lines and {messages} messages, {beside_draft} of them beside a draft; {left} lines left in the box; \
             {lost_returns} returns lost; {unanswered} lines not answered; {pauses} pauses, {menus} menus, {dialogs} dialogs"
        )
    }
}

pub struct Person {
    row: &'static Row,
    at: Wrapped,
    dice: Dice,
    /// What stands in the box, as the person knows it.
    draft: String,
    sent: Vec<String>,
    messages: Vec<String>,
    /// So many of the messages are known to have reached the model.
    arrived: usize,
    counts: Counts,
    begun: Instant,
    /// What was done when, for whoever has to find out what went wrong.
    diary: Vec<String>,
}

impl Person {
    /// One conversation of so many lines.
    pub fn play(row: &'static Row, seed: usize, lines: usize) -> Counts {
        let at = Wrapped::start((row.scene)(""), row.cli, row.arguments);
        let (draft, sent, messages) = (String::new(), Vec::new(), Vec::new());
        let (dice, begun, diary) = (Dice::new(seed), Instant::now(), Vec::new());
        let counts = Counts::default();
        let mut person = Self { row, at, dice, draft, sent, messages, arrived: 0, counts, begun, diary };
        person.at.wait_ready();
        person.sees_draft();
        if row.needs_prompt {
            person.begin();
        }
        for _ in 0..lines {
            person.line();
        }
        person.end();
        std::mem::take(&mut person.counts)
    }

    /// The first prompt, before which nothing can be delivered.
    fn begin(&mut self) {
        self.model_answers([]);
        self.at.terminal.submit("the very first");
        assert!(self.at.model.sees("the very first", PATIENCE), "{}", self.at.terminal.screen());
        self.at.wait_for("a conversation", |agents| {
            (!agents[0]["sessions"].as_array()?.is_empty()).then_some(())
        });
        self.sees_draft();
        self.at.wait_state("idle");
    }

    fn line(&mut self) {
        match self.dice.below(6) {
            0 => self.menu(),
            1 => self.change_mind(),
            _ => {}
        }
        if self.dice.below(8) == 0 {
            self.dialog();
        } else {
            self.model_answers([]);
            self.write();
            self.send();
        }
        match self.dice.below(4) {
            0 => self.rest(),
            1 => self.pause(),
            _ => {}
        }
    }

    /// What the model says next: first this, and then an answer to everything, at once or after a moment.
    fn model_answers<const N: usize>(&mut self, first: [Turn; N]) {
        let number = self.sent.len();
        let mut turns = Vec::from(first);
        for answer in 0..40 {
            if self.dice.below(3) == 0 {
                turns.push(Turn::wait(THINKING));
            }
            turns.push(Turn::say(format!("answer {number}-{answer}")));
        }
        self.at.model.play(turns);
    }

    /// Write a line, in whatever way. Whatever arrives meanwhile, nothing else stands in the box.
    fn write(&mut self) {
        let name = format!("LINE{},", self.sent.len());
        self.press(&name);
        self.draft = name;
        // Claude Code puts keys behind a paste that comes at the same moment.
        self.sees_draft();
        for piece in 0..=self.dice.below(4) {
            match self.dice.below(6) {
                0 | 1 => self.add(&format!(" piece{piece}")),
                2 => {
                    self.press(" gonex\x7f");
                    self.draft.push_str(" gone");
                }
                3 => {
                    // To the beginning, a word there, and back to the end.
                    self.press("\x01");
                    self.press("front ");
                    self.press("\x05");
                    self.draft.insert_str(0, "front ");
                }
                4 => {
                    self.press("\x1b[200~ pasted, größer\x1b[201~");
                    self.draft.push_str(" pasted, größer");
                }
                _ => {
                    let before = self.arrived();
                    self.pause();
                    self.counts.beside_draft += self.arrived() - before;
                }
            }
            self.sees_draft();
            if self.dice.below(2) == 0 {
                self.message();
            }
        }
        self.sees_draft();
    }

    fn press(&mut self, keys: &str) {
        self.note(&format!("pressed {keys:?}"));
        self.at.terminal.press(keys);
    }

    fn note(&mut self, what: &str) {
        self.diary.push(format!(
            "{} +{} ms {what}",
            jiff::Timestamp::now(),
            self.begun.elapsed().as_millis()
        ));
    }

    fn add(&mut self, text: &str) {
        self.press(text);
        self.draft.push_str(text);
    }

    fn send(&mut self) {
        // Some take an Enter right after a paste for a part of it.
        let _ = self.at.terminal.is_quiet(self.row.after_paste, PATIENCE);
        self.enter();
        let line = std::mem::take(&mut self.draft);
        let comes = self.sees_answer(|at, patience| at.model.sees(&line, patience));
        assert!(comes, "{line}\n{}", self.at.terminal.screen());
        self.note("the model sees it");
        self.take_out(&line);
        self.sent.push(line);
        self.sees_draft();
        if self.dice.below(2) == 0 {
            self.at.wait_state("idle");
        }
    }

    /// Press Enter, and again where the CLI has lost it: the line stands there as it was.
    fn enter(&mut self) {
        const LONG_ENOUGH: Duration = Duration::from_secs(8);
        const MOST: usize = 3;
        self.press("\r");
        let (row, draft) = (self.row, self.draft.clone());
        let is_sent = |screen: &str| row.in_box(screen) != Some(draft.as_str());
        for _ in 0..MOST {
            if !row.loses_returns || self.at.terminal.comes_true(LONG_ENOUGH, is_sent) {
                return;
            }
            self.press("\r");
            self.counts.lost_returns += 1;
        }
    }

    /// Take a line out of the box that the CLI has sent off and not taken out itself.
    fn take_out(&mut self, line: &str) {
        const LONG_ENOUGH: Duration = Duration::from_secs(3);
        let row = self.row;
        if !row.leaves_lines
            || self.at.terminal.comes_true(LONG_ENOUGH, |screen| row.in_box(screen) == Some(""))
        {
            return;
        }
        self.draft = line.to_owned();
        self.sees_draft();
        self.press("\x05\x15");
        self.draft.clear();
        self.counts.left += 1;
    }

    /// The menu that a slash opens, closed again.
    fn menu(&mut self) {
        self.press("/");
        self.at.terminal.wait_for(self.row.menu, PATIENCE);
        if self.dice.below(2) == 0 {
            self.message();
        }
        if self.dice.below(2) == 0 {
            self.pause_before("the menu stays open", |row, screen| {
                row.in_box(screen).is_some_and(|text| text.starts_with('/'))
            });
        }
        self.press("\x7f");
        self.sees_draft();
        self.counts.menus += 1;
    }

    /// Something is written and deleted again.
    fn change_mind(&mut self) {
        self.add("never mind");
        self.sees_draft();
        if self.dice.below(2) == 0 {
            self.message();
        }
        self.press("\x15");
        self.draft.clear();
        self.sees_draft();
    }

    /// A line that makes the agent ask something. Only the person answers.
    fn dialog(&mut self) {
        self.rest();
        self.at.wait_state("idle");
        let file = format!("asked{}.txt", self.sent.len());
        self.model_answers([(self.row.makes)(&file)]);
        let line = self.write_and_ask();
        if self.dice.below(4) != 0 {
            self.message();
        }
        let question = self.row.question;
        self.pause_before("the dialog stays open", |_, screen| screen.contains(question));
        assert_eq!(self.at.scene.read(&file), None, "somebody said yes:\n{}", self.at.terminal.screen());
        let no = self.row.no.filter(|_| self.dice.below(2) == 0);
        // Once: a second one would go into the box.
        self.press(no.unwrap_or(self.row.yes));
        self.take_out(&line);
        self.sees_draft();
        if no.is_none() {
            self.at.wait_until("the file", || self.at.scene.read(&file));
        }
        self.counts.dialogs += 1;
    }

    /// Nothing arrives before this line, or the model would take that for its cue.
    fn write_and_ask(&mut self) -> String {
        let line = format!("LINE{}, and ask", self.sent.len());
        self.press(&line);
        self.draft.clone_from(&line);
        self.sees_draft();
        let _ = self.at.terminal.is_quiet(self.row.after_paste, PATIENCE);
        self.enter();
        let question = self.row.question;
        let comes = self
            .sees_answer(|at, patience| at.terminal.comes_true(patience, |screen| screen.contains(question)));
        assert!(comes, "nobody asks\n{}", self.at.terminal.screen());
        self.draft.clear();
        self.sent.push(line.clone());
        line
    }

    /// Wait for what must come of a line, and ask for it where the CLI has taken the line and does nothing.
    fn sees_answer(&mut self, comes: impl Fn(&Wrapped, Duration) -> bool) -> bool {
        const LONG_ENOUGH: Duration = Duration::from_secs(20);
        if self.row.forgets_lines && !comes(&self.at, LONG_ENOUGH) {
            let screen = self.at.terminal.screen();
            assert_eq!(self.row.in_box(&screen), Some(""), "the line was not taken\n{screen}");
            self.at.terminal.submit("go on");
            self.counts.unanswered += 1;
        }
        comes(&self.at, PATIENCE)
    }

    /// Somebody else wants to say something.
    fn message(&mut self) {
        let outbox = std::fs::read_dir(self.at.scene.env.home().join("outbox").join(&self.at.agent));
        let names =
            outbox.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        if names.filter(|name| name.ends_with(".json")).count() >= MOST_WAITING {
            return;
        }
        let number = self.messages.len();
        let more = match self.dice.below(6) {
            // Larger than the window.
            5 => (1..=60).map(|row| format!("\nrow {row} of {number}")).collect(),
            0 => format!("\nsecond row of {number}\nthird row of {number}"),
            1 => format!(" {}", format!("many words of {number}, ").repeat(20).trim_end()),
            _ => format!(" said by somebody else as number {number}"),
        };
        let text = format!("MESSAGE{number}.{more}");
        self.note(&format!("message {number}"));
        self.at.scene.env.sb(["inject", &self.at.agent, "--ttl", "2h", &text]).success();
        self.messages.push(text);
    }

    /// How many messages have reached the model by now.
    fn arrived(&mut self) -> usize {
        while self.arrived < self.messages.len() && self.at.model.saw(&name_of(self.arrived)) {
            self.arrived += 1;
        }
        self.arrived
    }

    /// Do nothing for somewhat less or more than the quiet that a message waits for, and end at any moment of its
    /// delivery.
    fn pause(&mut self) {
        let before = self.draft.clone();
        self.pause_before("the draft stays", move |row, screen| {
            // A message that is being typed stands there for a moment, where there is no draft.
            before.is_empty() || row.in_box(screen) == Some(before.as_str())
        });
    }

    #[track_caller]
    fn pause_before(&mut self, what: &str, is_so: impl Fn(&Row, &str) -> bool) {
        let time = Duration::from_millis(1_200 + self.dice.below(1_600) as u64);
        let next = name_of(self.arrived());
        // As short as it may be where the message comes, and as long as it was meant to be otherwise.
        let _ = self.at.model.sees(&next, time);
        self.at.terminal.wait_until(what, PATIENCE, |screen| is_so(self.row, screen));
        self.counts.pauses += 1;
    }

    /// Stay away until everything has arrived.
    fn rest(&mut self) {
        for number in self.arrived()..self.messages.len() {
            let name = name_of(number);
            assert!(self.at.model.sees(&name, PATIENCE), "{name} is lost:\n{}", self.at.terminal.screen());
        }
        self.sees_draft();
    }

    /// Wait until the draft stands in the box, and nothing else does.
    #[track_caller]
    fn sees_draft(&self) {
        let what = format!("{:?} in the box", self.draft);
        self.at
            .terminal
            .wait_until(&what, PATIENCE, |screen| self.row.in_box(screen) == Some(self.draft.as_str()));
    }

    /// Everything arrived, once and whole, and nothing else was written down about it.
    fn end(&mut self) {
        self.model_answers([]);
        self.rest();
        let wanted = self.messages.len();
        self.at.wait_until("all receipts", || {
            (self.at.scene.events("inject.delivered").len() >= wanted).then_some(())
        });
        self.at.wait_state("idle");
        for bad in ["inject.failed", "inject.expired", "inject.superseded"] {
            assert_eq!(self.at.scene.events(bad), Vec::<Value>::new());
        }
        assert_eq!(self.at.scene.events("inject.delivered").len(), wanted);
        let mut texts = Vec::new();
        collect(&self.at.model.conversation().pop().unwrap_or_default(), &mut texts);
        let all: String = texts.iter().map(|text| dense(text)).collect::<Vec<_>>().join("\n");
        for text in self.sent.iter().chain(&self.messages) {
            assert_eq!(all.matches(&dense(text)).count(), 1, "{text:?} in {texts:#?}");
        }
        for line in &self.sent {
            let is_alone = texts.iter().flat_map(|text| text.lines()).any(|row| row.trim() == line);
            assert!(is_alone, "something stands beside {line:?} in {texts:#?}");
        }
        self.counts.lines = self.sent.len();
        self.counts.messages = wanted;
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let receipts = self.at.scene.env.sb(["log", "--event", "inject.*", "-n", "400", "--json"]);
            eprintln!("{}\n{receipts}", self.diary.join("\n"));
            for request in self.at.model.requests() {
                let ms = request.at.saturating_duration_since(self.begun).as_millis();
                eprintln!("+{ms} ms the model was asked as {:?}", request.part);
            }
        }
    }
}

/// What a message is known by.
fn name_of(number: usize) -> String {
    format!("MESSAGE{number}.")
}

/// Every text in a value.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}
