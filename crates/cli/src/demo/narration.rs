//! What is told of each event, live: who begins, what was refused and why, what came back, what is on main.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use signalbox_core::{Event, text};
use signalbox_store::clock;
use unicode_width::UnicodeWidthStr;

use crate::ui::{Paint, Ui};

/// How wide the name of a ticket is shown.
const NAME: usize = 9;
/// Where the words of a line begin.
const WORDS: usize = 22;
/// The least that is left for words, however narrow the terminal is.
const LEAST: usize = 30;
/// How wide paragraphs are, where there is room.
const PARAGRAPH: usize = 100;
/// How long an agent may wait at its terminal before that is told: most is decided by hooks at once.
const WAITS: SignedDuration = SignedDuration::from_secs(5);

/// One happening, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub at: Timestamp,
    pub sign: Sign,
    pub ticket: String,
    pub words: String,
    /// What is shown below it.
    pub more: Vec<String>,
}

/// What kind of happening it is, by one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Begins,
    Red,
    Refused,
    Back,
    Asks,
    Answered,
    Landed,
}

impl Sign {
    fn drawn(self) -> (&'static str, Paint) {
        match self {
            Self::Begins => ("·", Paint::Dim),
            Self::Red => ("●", Paint::Red),
            Self::Refused => ("✗", Paint::Red),
            Self::Back => ("↩", Paint::Yellow),
            Self::Asks => ("?", Paint::Magenta),
            Self::Answered => ("!", Paint::Magenta),
            Self::Landed => ("✓", Paint::Green),
        }
    }
}

/// Who tells it: what was told so far, and by which names tickets are known.
pub struct Narrator {
    begun: Timestamp,
    /// Keys of the plan, by the ids of tickets.
    names: BTreeMap<String, String>,
    tries: BTreeMap<(String, String), usize>,
    landed: usize,
    /// The ticket and the name of each agent, by its id.
    agents: BTreeMap<String, (String, String)>,
    /// The agents that wait for somebody at their terminal, and since when.
    waiting: BTreeMap<String, Timestamp>,
}

impl Narrator {
    pub fn new(names: BTreeMap<String, String>) -> Self {
        let (tries, agents, waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { begun: clock::now(), names, tries, landed: 0, agents, waiting }
    }

    /// The key of a ticket.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.get(id).map_or(id, String::as_str)
    }

    pub fn seconds(&self) -> f64 {
        clock::now().duration_since(self.begun).as_secs_f64()
    }

    /// What is told of an event, if anything is.
    pub fn hear(&mut self, event: &Event) -> Option<Told> {
        let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        let word = |name: &str| text::one_line(data[name].as_str().unwrap_or_default()).into_owned();
        let about = event.ticket.as_ref().map(|id| self.name(id.as_str()).to_owned());
        let told = |sign: Sign, words: String| {
            let ticket = about.clone().unwrap_or_default();
            Some(Told { at: event.ts, sign, ticket, words, more: Vec::new() })
        };
        match event.event.as_str() {
            "attempt.started" => {
                let ticket = about.as_deref()?;
                self.agents.insert(word("session"), (ticket.to_owned(), word("agent")));
                let words = self.begins(ticket, &word("role"), &word("agent"));
                told(Sign::Begins, words)
            }
            "agent.state" => {
                if word("state").starts_with("waiting") {
                    self.waiting.entry(word("agent")).or_insert(event.ts);
                } else {
                    self.waiting.remove(&word("agent"));
                }
                None
            }
            "agent.exited" => {
                self.waiting.remove(&word("agent"));
                None
            }
            "attempt.tests-ready" => {
                let files: Vec<&str> =
                    data["files"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                told(
                    Sign::Red,
                    format!("its tests are red, as they must be before the work: {}", files.join(", ")),
                )
            }
            "hook.pre-tool" if data["permission"] == "deny" => {
                let tried = if data["command"].is_string() { word("command") } else { word("file") };
                let mut refused = told(Sign::Refused, format!("{} is stopped by the hook:", event.actor))?;
                refused.more = vec![format!("$ {tried}"), format!("refused: {}", word("reason"))];
                Some(refused)
            }
            "review.rejected" => {
                let mut back = told(Sign::Back, format!("{} reviewed it and sends it back:", event.actor))?;
                back.more = vec![word("reason")];
                Some(back)
            }
            "attempt.recorded" if data["outcome"] == "failed" => {
                let who = match &event.session {
                    Some(_) => format!("{} gives it back:", event.actor),
                    None => "its agent ended, and another one takes over:".to_owned(),
                };
                let mut back = told(Sign::Back, who)?;
                back.more = vec![word("summary")];
                Some(back)
            }
            "merge.failed" => {
                let mut back = told(Sign::Back, merge_failed(&word("why"), &word("message")))?;
                let printed = data["output"].as_str().and_then(|output| output.lines().next());
                back.more = printed.map(|line| text::one_line(line).into_owned()).into_iter().collect();
                Some(back)
            }
            "merge.landed" => {
                self.landed += 1;
                let words = format!("is on main ({} of {})", self.landed, self.names.len());
                told(Sign::Landed, words)
            }
            _ => None,
        }
    }

    /// The agents that have waited for somebody at their terminal for too long by now, each told once.
    pub fn overdue(&mut self, now: Timestamp) -> Vec<Told> {
        let is_late = |since: Timestamp| now.duration_since(since) > WAITS;
        let late: Vec<String> =
            self.waiting.iter().filter(|(_, since)| is_late(**since)).map(|(id, _)| id.clone()).collect();
        late.iter()
            .filter_map(|id| {
                // Until it does something else, no more is said of it.
                self.waiting.insert(id.clone(), Timestamp::MAX);
                let (ticket, name) = self.agents.get(id)?.clone();
                let words = format!("{name} waits for somebody at its terminal: `sb attach -i {id}`");
                Some(Told { at: now, sign: Sign::Asks, ticket, words, more: Vec::new() })
            })
            .collect()
    }

    fn begins(&mut self, ticket: &str, role: &str, agent: &str) -> String {
        let tries = self.tries.entry((ticket.to_owned(), role.to_owned())).or_default();
        *tries += 1;
        match (role, *tries) {
            ("test-writer", _) => format!("{agent} writes its tests"),
            ("reviewer", 1) => format!("{agent} reviews it"),
            ("reviewer", _) => format!("{agent} reviews it anew"),
            (_, 1) => format!("{agent} works on it"),
            _ => format!("{agent} tries again, and is told what happened before"),
        }
    }

    /// As it is shown.
    pub fn line(&self, ui: &Ui, told: &Told) -> String {
        let (sign, paint) = told.sign.drawn();
        let seconds = told.at.duration_since(self.begun).as_secs().max(0);
        let time = ui.paint(Paint::Dim, &format!("{:>3}:{:02}", seconds / 60, seconds % 60));
        let name = format!("{:<NAME$}", told.ticket);
        let is_quiet = told.sign == Sign::Begins;
        let name = if is_quiet { name } else { ui.paint(Paint::Bold, &name) };
        let mut lines = String::new();
        let most = ui.width().map_or(usize::MAX, |width| width.saturating_sub(WORDS).max(LEAST));
        for (at, words) in wrapped(&told.words, most).iter().enumerate() {
            let words = ui.paint(if is_quiet { Paint::Dim } else { paint }, words);
            match at {
                0 => lines.push_str(&format!("{time}  {}  {name}  {words}\n", ui.paint(paint, sign))),
                _ => lines.push_str(&format!("{:WORDS$}{words}\n", "")),
            }
        }
        for words in told.more.iter().flat_map(|words| wrapped(words, most)) {
            lines.push_str(&format!("{:WORDS$}{words}\n", ""));
        }
        lines
    }
}

/// What the signs mean.
pub fn legend(ui: &Ui) -> String {
    let signs = [
        (Sign::Begins, "begins"),
        (Sign::Red, "tests are red"),
        (Sign::Refused, "refused"),
        (Sign::Back, "sent back"),
        (Sign::Asks, "needs you"),
        (Sign::Landed, "on main"),
    ];
    let drawn = signs.map(|(sign, words)| {
        let (sign, paint) = sign.drawn();
        format!("{} {words}", ui.paint(paint, sign))
    });
    format!("        {}\n\n", drawn.join("   "))
}

/// Sentences about all of it.
pub fn paragraph(ui: &Ui, words: &str) -> String {
    let most = ui.width().unwrap_or(PARAGRAPH).min(PARAGRAPH);
    wrapped(words, most.max(LEAST)).iter().map(|line| format!("{line}\n")).collect()
}

/// Words in lines of at most so many columns.
fn wrapped(words: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text::one_line(words).split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn merge_failed(why: &str, message: &str) -> String {
    match why {
        "validation" => "does not land: the tests say no, though the reviewer had said yes".to_owned(),
        _ => format!("does not land: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use signalbox_core::{EventId, TicketId, Who};

    use super::*;

    /// What is told of an event of a ticket that is known as `tax`.
    fn told(narrator: &mut Narrator, name: &str, data: Value) -> Option<Told> {
        let id = EventId::new(1, [1; 10]);
        let mut event = Event::apart(id, Timestamp::UNIX_EPOCH, name, &Who::System, None, &data).unwrap();
        event.ticket = Some(TicketId::parse("sb_abc123").unwrap());
        event.actor = "Ada".to_owned();
        narrator.hear(&event)
    }

    fn narrator() -> Narrator {
        Narrator::new(BTreeMap::from([("sb_abc123".to_owned(), "tax".to_owned())]))
    }

    #[test]
    fn what_people_want_to_know_is_told_and_nothing_else() {
        let mut narrator = narrator();
        let begins = |role: &str| serde_json::json!({ "role": role, "agent": "Bo" });
        let rows = [
            ("attempt.started", begins("test-writer"), "Bo writes its tests", ""),
            ("attempt.started", begins("doer"), "Bo works on it", ""),
            ("attempt.started", begins("doer"), "Bo tries again, and is told what happened before", ""),
            (
                "hook.pre-tool",
                serde_json::json!({ "permission": "deny", "command": "sed -i s/a/b/ tests/x", "reason": "no" }),
                "Ada is stopped by the hook:",
                "$ sed -i s/a/b/ tests/x",
            ),
            (
                "merge.failed",
                serde_json::json!({ "why": "validation", "message": "m", "output": "wanted 1\ngot 2" }),
                "does not land: the tests say no, though the reviewer had said yes",
                "wanted 1",
            ),
            ("merge.landed", serde_json::json!({}), "is on main (1 of 1)", ""),
        ];
        for (name, data, words, more) in rows {
            let told = told(&mut narrator, name, data).unwrap();
            assert_eq!((told.ticket.as_str(), told.words.as_str()), ("tax", words));
            assert_eq!(told.more.first().map_or("", String::as_str), more);
        }
        let allowed = serde_json::json!({ "permission": "allow", "command": "ls" });
        assert_eq!(told(&mut narrator, "hook.pre-tool", allowed), None);
        assert_eq!(told(&mut narrator, "ticket.read", serde_json::json!({})), None);
    }

    #[test]
    fn what_agents_say_cannot_move_the_cursor() {
        let mut narrator = narrator();
        let data = serde_json::json!({ "reason": "\u{1b}[2Jgone\nand below" });
        let told = told(&mut narrator, "review.rejected", data).unwrap();
        let line = narrator.line(&Ui::for_programs(), &told);
        assert!(!line.contains('\u{1b}') && line.lines().count() == 2, "{line:?}");
    }

    #[test]
    fn long_words_are_wrapped_to_the_terminal() {
        let words = "one two three four five six seven eight nine ten eleven";
        assert_eq!(wrapped(words, usize::MAX).len(), 1);
        let lines = wrapped(words, 38);
        assert_eq!(lines.join(" "), words);
        assert!(lines.iter().all(|line| line.width() <= 38), "{lines:?}");
    }

    #[test]
    fn who_waits_at_a_terminal_is_told_once() {
        let mut narrator = narrator();
        let began = serde_json::json!({ "role": "doer", "agent": "Bo", "session": "claude-abcd" });
        told(&mut narrator, "attempt.started", began);
        let state = |state: &str| serde_json::json!({ "agent": "claude-abcd", "state": state });
        assert_eq!(told(&mut narrator, "agent.state", state("waiting-permission")), None);
        let (soon, late) = (Timestamp::UNIX_EPOCH + WAITS, Timestamp::UNIX_EPOCH + WAITS * 2);
        assert_eq!(narrator.overdue(soon), []);
        let words: Vec<String> = narrator.overdue(late).into_iter().map(|told| told.words).collect();
        assert_eq!(words, ["Bo waits for somebody at its terminal: `sb attach -i claude-abcd`"]);
        assert_eq!(narrator.overdue(late + WAITS), []);
        // One that went on by itself needs nobody.
        told(&mut narrator, "agent.state", state("waiting-permission"));
        told(&mut narrator, "agent.state", state("working"));
        assert_eq!(narrator.overdue(late), []);
    }
}
