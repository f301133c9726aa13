//! What the board's one loop hears, and what it wants done. Everything that happens is one [`Msg`]; everything that is
//! slow or touches the world is one [`Effect`], and comes back as another message.

use crossterm::event::{KeyEvent, MouseEvent};
use jiff::Timestamp;
use signalbox_core::text::one_line;
use signalbox_desk::{
    Act, Activity, AgentDetail, AgentView, Board, Choices, CommandError, Decisions, Done, Flow, Health,
    Listed, Now, Patch, Queue, Sieve, Sort, TicketView, Wanted,
};
use signalbox_pty::View as Picture;

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resized {
        cols: u16,
        rows: u16,
    },
    /// Time has passed.
    Tick(Timestamp),
    /// The log has grown.
    Grew,
    /// A view was read.
    Read(Ask, Box<Result<View, Trouble>>),
    /// Something was done, or refused.
    Acted(Result<Done, Trouble>),
    /// What an agent's terminal shows.
    Shown {
        agent: String,
        picture: Box<Picture>,
    },
    /// An agent's terminal cannot be seen, or no longer.
    Dark {
        agent: String,
        why: String,
    },
    /// The person is back from an agent's terminal, with the words it left.
    Returned(String),
    /// Somebody wants the program to stop for a while.
    Suspend,
    /// It went on after it was stopped.
    Continued,
    /// A thread of ours died.
    Broken(String),
    /// Somebody wants the program to end, by this signal.
    End(i32),
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Read(Vec<Ask>),
    Act(Act),
    /// Show this agent's terminal; `None`: no agent's.
    Watch(Option<String>),
    /// Leave the terminal to an agent's, and come back.
    Attach {
        agent: String,
        types: bool,
    },
    Suspend,
    /// Take the terminal anew, whatever it shows.
    Redraw,
    Quit,
}

/// A question to the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    Now,
    Board { sieve: Sieve, most: usize },
    List { sieve: Sieve, sort: Sort, from: usize, most: usize },
    Ticket(String),
    Patch(String),
    Agents { ended: bool },
    Agent(String),
    Queue,
    Health,
    Decisions,
    Feed { wanted: Wanted, most: usize },
    Flow(String),
    Choices,
}

/// An answer of the desk.
#[derive(Debug)]
pub enum View {
    Now(Now),
    Board(Board),
    List(Listed),
    Ticket(Box<TicketView>),
    Patch(Patch),
    Agents(Vec<AgentView>),
    Agent(Box<AgentDetail>),
    Queue(Queue),
    Health(Health),
    Decisions(Decisions),
    Feed(Activity),
    Flow(Flow),
    Choices(Choices),
}

/// Why something could not be read or done, in the words that came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub message: String,
    pub hints: Vec<String>,
}

impl From<CommandError> for Trouble {
    fn from(error: CommandError) -> Self {
        Self {
            message: one_line(&error.message).into_owned(),
            hints: error.hints.iter().map(|hint| one_line(hint).into_owned()).collect(),
        }
    }
}
