//! What the board asks the person: a line of words, or one of several.

use signalbox_desk::{Act, Loop, NewTicket};

/// What a line of words is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Look for these words; what was looked for before comes back when it is given up.
    Search {
        before: String,
    },
    Note(String),
    Approve(String),
    Reject(String),
    Hold(String),
    Unhold(String),
    Assign(String),
    /// Tick the criterion of this number, or untick it.
    Check {
        ticket: String,
        met: Vec<bool>,
    },
    /// Move a ticket to a status that wants a reason.
    Move {
        ticket: String,
        to: String,
    },
    /// The title of a new ticket.
    Title {
        project: String,
    },
    Answer {
        decision: String,
        question: String,
        options: Vec<String>,
    },
    Withdraw(String),
    Tell(String),
    Agents(String),
}

/// What is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The status that a ticket is moved to.
    Status {
        ticket: String,
        from: String,
    },
    /// What to sift by.
    Field,
    Value(Field),
    /// The project of a new ticket.
    Project,
    Priority {
        project: String,
        title: String,
    },
    /// Whether an agent is to end.
    StopAgent(String),
    StopLoop(String),
}

/// Something that tickets can be sifted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Project,
    Priority,
    Assignee,
    Tag,
}

impl Field {
    pub const ALL: [Self; 4] = [Self::Project, Self::Priority, Self::Assignee, Self::Tag];

    pub fn title(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Priority => "priority",
            Self::Assignee => "assignee",
            Self::Tag => "tag",
        }
    }
}

/// What is on the person's screen to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    Line { purpose: Purpose, line: Line, refused: Vec<String> },
    Choose { choice: Choice, options: Vec<String>, cursor: usize },
}

impl Prompt {
    pub fn line(purpose: Purpose) -> Self {
        Self::Line { purpose, line: Line::default(), refused: Vec::new() }
    }

    pub fn choose(choice: Choice, options: Vec<String>) -> Self {
        Self::Choose { choice, options, cursor: 0 }
    }

    /// What is asked, in a line.
    pub fn title(&self) -> String {
        match self {
            Self::Line { purpose, .. } => match purpose {
                Purpose::Search { .. } => "Words in the title or the id".to_owned(),
                Purpose::Note(ticket) => format!("A note on {ticket}"),
                Purpose::Approve(ticket) => format!("Approve {ticket}: a note, or nothing"),
                Purpose::Reject(ticket) => format!("Send {ticket} back: the reason"),
                Purpose::Hold(ticket) => format!("Put {ticket} on hold: the reason"),
                Purpose::Unhold(ticket) => format!("Release the hold on {ticket}: a note, or nothing"),
                Purpose::Assign(ticket) => format!("Give {ticket} to whom? Nothing: to nobody"),
                Purpose::Check { ticket, .. } => {
                    format!("Tick or untick a criterion of {ticket}: its number")
                }
                Purpose::Move { ticket, to } => format!("Move {ticket} to {to}: the reason"),
                Purpose::Title { project } => format!("A new ticket in {project}: its title"),
                Purpose::Answer { decision, .. } => format!("Answer {decision}: a number, or words"),
                Purpose::Withdraw(decision) => format!("{decision} needs no answer: why?"),
                Purpose::Tell(agent) => format!("Tell {agent}"),
                Purpose::Agents(project) => {
                    format!("How many agents at once in {project}? 0: as the contract says")
                }
            },
            Self::Choose { choice, .. } => match choice {
                Choice::Status { ticket, from } => format!("Move {ticket} from {from} to"),
                Choice::Field => "Show only what has this".to_owned(),
                Choice::Value(field) => format!("Which {}?", field.title()),
                Choice::Project => "A new ticket in which project?".to_owned(),
                Choice::Priority { .. } => "How urgent is it?".to_owned(),
                Choice::StopAgent(agent) => format!("End {agent}?"),
                Choice::StopLoop(project) => format!("End the loop of {project} and its agents?"),
            },
        }
    }
}

/// What a line of words becomes: something to be done, or a sentence about what is wrong with it.
pub fn act(purpose: &Purpose, text: &str) -> Result<Act, String> {
    let text = text.trim().to_owned();
    let number = || text.parse::<usize>().ok();
    Ok(match purpose.clone() {
        Purpose::Note(ticket) => Act::Note { ticket, text },
        Purpose::Approve(ticket) => Act::Approve { ticket, text },
        Purpose::Reject(ticket) => Act::Reject { ticket, text },
        Purpose::Hold(ticket) => Act::Hold { ticket, text },
        Purpose::Unhold(ticket) => Act::Unhold { ticket, text },
        Purpose::Assign(ticket) => Act::Assign { ticket, to: text },
        Purpose::Move { ticket, to } => Act::Move { ticket, to, text },
        Purpose::Check { ticket, met } => {
            let criterion = number().filter(|number| (1..=met.len()).contains(number));
            let criterion =
                criterion.ok_or_else(|| format!("Its criteria have the numbers 1 to {}.", met.len()))?;
            Act::Check { ticket, criterion, met: !met[criterion - 1] }
        }
        Purpose::Answer { decision, options, .. } => {
            let option = number().filter(|number| (1..=options.len()).contains(number));
            let text = if option.is_some() { String::new() } else { text };
            Act::Answer { decision, option, text }
        }
        Purpose::Withdraw(decision) => Act::Withdraw { decision, text },
        Purpose::Tell(agent) => Act::Tell { agent, text },
        Purpose::Agents(project) => {
            let agents = text.parse().map_err(|_| "It is a number, 0 to 100.".to_owned())?;
            Act::Loop { project, wish: Loop::Concurrency, agents: Some(agents) }
        }
        Purpose::Title { project } => Act::New(NewTicket { project, title: text, ..NewTicket::default() }),
        Purpose::Search { .. } => return Err("Searching changes nothing.".to_owned()),
    })
}

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub text: String,
    /// Where the next character goes, in bytes.
    pub cursor: usize,
}

impl Line {
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }

    /// Insert a text; what is no character of a line becomes a blank.
    pub fn insert(&mut self, text: &str) {
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.text.insert_str(self.cursor, &clean);
        self.cursor += clean.len();
    }

    pub fn left(&mut self) {
        self.cursor = self.before();
    }

    pub fn right(&mut self) {
        self.cursor += self.text[self.cursor..].chars().next().map_or(0, char::len_utf8);
    }

    pub fn home(&mut self) {
        self.cursor = 0;
    }

    pub fn end(&mut self) {
        self.cursor = self.text.len();
    }

    pub fn backspace(&mut self) {
        let before = self.before();
        self.text.replace_range(before..self.cursor, "");
        self.cursor = before;
    }

    pub fn delete(&mut self) {
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    pub fn clear_before(&mut self) {
        self.text.replace_range(..self.cursor, "");
        self.cursor = 0;
    }

    /// Take away the word before the cursor.
    pub fn cut_word(&mut self) {
        let kept = self.text[..self.cursor].trim_end();
        let begin = kept.rfind(' ').map_or(0, |blank| blank + 1);
        self.text.replace_range(begin..self.cursor, "");
        self.cursor = begin;
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_by_characters() {
        let mut line = Line::of("größe 日本");
        line.left();
        line.backspace();
        line.insert("x\u{1b}\n");
        assert_eq!(line.text, "größe x  本");
        line.cut_word();
        assert_eq!(line.text, "größe 本");
        line.home();
        line.right();
        line.delete();
        assert_eq!((line.text.as_str(), line.cursor), ("göße 本", 1));
        line.clear_before();
        line.end();
        line.right();
        assert_eq!(line.cursor, line.text.len());
    }

    #[test]
    fn an_answer_is_a_number_or_words() {
        let purpose = Purpose::Answer {
            decision: "esc-0001".into(),
            question: "?".into(),
            options: vec!["a".into(), "b".into()],
        };
        let answered = |text: &str| act(&purpose, text).expect("an act");
        let answer =
            |option, text: &str| Act::Answer { decision: "esc-0001".into(), option, text: text.into() };
        assert_eq!(answered(" 2 "), answer(Some(2), ""));
        assert_eq!(answered("3"), answer(None, "3"));
        assert_eq!(answered("take the first"), answer(None, "take the first"));
    }

    #[test]
    fn what_is_no_number_is_said() {
        let check = Purpose::Check { ticket: "sb_1".into(), met: vec![false, true] };
        assert_eq!(act(&check, "2"), Ok(Act::Check { ticket: "sb_1".into(), criterion: 2, met: false }));
        assert_eq!(act(&check, "3"), Err("Its criteria have the numbers 1 to 2.".to_owned()));
        assert!(act(&Purpose::Agents("shop".into()), "many").is_err());
    }
}
