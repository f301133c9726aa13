//! What a person does: each becomes a command of the rules, and a refusal comes back as it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_agent::attach;
use signalbox_conductor::{self as conductor, Wish};
use signalbox_core::escalation::Reply;
use signalbox_core::inject::{Injection, Priority as Urgency};
use signalbox_core::text::one_line;
use signalbox_core::{Command, NewTicket as Filed, Priority, Status, TicketId, Who};
use signalbox_store::agents::Life;
use signalbox_store::outbox::{Asked, Outbox};
use signalbox_store::{Store, clock, entropy, escalation, new_event_id};

use crate::deciders::carry_out;
use crate::ticket::found;
use crate::{CommandError, Desk};

/// Something that a person wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Act {
    /// Bring a ticket to a status, by whatever leads there; `text` is the note or the reason.
    Move {
        ticket: String,
        to: String,
        #[serde(default)]
        text: String,
    },
    Note {
        ticket: String,
        text: String,
    },
    Approve {
        ticket: String,
        #[serde(default)]
        text: String,
    },
    Reject {
        ticket: String,
        text: String,
    },
    Hold {
        ticket: String,
        text: String,
    },
    Unhold {
        ticket: String,
        #[serde(default)]
        text: String,
    },
    /// Give it to somebody; to nobody where it is empty.
    Assign {
        ticket: String,
        #[serde(default)]
        to: String,
    },
    /// Tick a criterion, from 1, or untick it.
    Check {
        ticket: String,
        criterion: usize,
        met: bool,
    },
    New(NewTicket),
    /// Answer a question by the number of a suggested answer, or in words.
    Answer {
        decision: String,
        #[serde(default)]
        option: Option<usize>,
        #[serde(default)]
        text: String,
    },
    /// Put a draft before people.
    Promote {
        decision: String,
    },
    /// Say that a question need not be answered.
    Withdraw {
        decision: String,
        #[serde(default)]
        text: String,
    },
    /// Tell a project's loop something.
    Loop {
        project: String,
        wish: Loop,
        #[serde(default)]
        agents: Option<u32>,
    },
    /// Tell an agent something, at the right moment.
    Tell {
        agent: String,
        text: String,
    },
    /// End an agent.
    Stop {
        agent: String,
    },
}

/// What a loop can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Loop {
    Pause,
    Drain,
    Resume,
    Stop,
    /// So many agents at once; 0: as the contract says.
    Concurrency,
}

/// A ticket to be filed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewTicket {
    pub project: String,
    pub title: String,
    pub body: String,
    pub priority: String,
    pub depends_on: Vec<String>,
    pub tags: Vec<String>,
    pub acceptance: Vec<String>,
    pub needs_tests: Option<bool>,
}

/// What was done, in a sentence, and what it was done to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Done {
    pub says: String,
    pub ticket: Option<String>,
    /// What a person should know besides.
    pub warnings: Vec<String>,
}

impl Desk {
    /// Do it, as the human.
    pub fn act(&self, act: &Act) -> Result<Done, CommandError> {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let store = self.store()?;
        match act {
            Act::Move { ticket, to, text } => {
                let to = Status::from_word(to).ok_or_else(|| {
                    CommandError::usage("status.unknown", format!("`{to}` is no status"))
                        .hint(format!("There are {}.", Status::ALL.map(Status::as_str).join(", ")))
                })?;
                let text = some(text);
                self.on_ticket(&store, ticket, &|id| Command::Move { id, to, text: text.clone() })
            }
            Act::Note { ticket, text } => {
                self.on_ticket(&store, ticket, &|id| Command::Note { id, text: text.clone() })
            }
            Act::Approve { ticket, text } => {
                let note = some(text);
                self.on_ticket(&store, ticket, &|id| Command::Approve { id, note: note.clone() })
            }
            Act::Reject { ticket, text } => {
                self.on_ticket(&store, ticket, &|id| Command::Reject { id, reason: text.clone() })
            }
            Act::Hold { ticket, text } => {
                self.on_ticket(&store, ticket, &|id| Command::Hold { id, reason: text.clone() })
            }
            Act::Unhold { ticket, text } => {
                let note = some(text);
                self.on_ticket(&store, ticket, &|id| Command::Unhold { id, note: note.clone() })
            }
            Act::Assign { ticket, to } => {
                let assignee = some(to);
                self.on_ticket(&store, ticket, &|id| Command::Assign { id, assignee: assignee.clone() })
            }
            Act::Check { ticket, criterion, met } => {
                let (criterion, met) = (*criterion, *met);
                self.on_ticket(&store, ticket, &|id| Command::Check { id, criterion, met })
            }
            Act::New(new) => self.file(&store, new),
            Act::Answer { decision, option, text } => {
                let reply = option.map_or_else(|| Reply::Words(text.clone()), Reply::Option);
                answered(escalation::answer(&store, &Who::Human, decision, reply)?, "is answered")
            }
            Act::Promote { decision } => {
                answered(escalation::promote(&store, &Who::Human, decision)?, "waits for an answer")
            }
            Act::Withdraw { decision, text } => {
                answered(escalation::withdraw(&store, &Who::Human, decision, text)?, "is withdrawn")
            }
            Act::Loop { project, wish, agents } => self.tell_loop(&store, project, *wish, *agents),
            Act::Tell { agent, text } => self.tell(agent, text),
            Act::Stop { agent } => {
                let record = self.agent_record(agent)?;
                attach::stop(&record.socket).map_err(|error| {
                    CommandError::failed("agent.unreachable", &error)
                        .hint("`sb agents` says whether it runs.")
                })?;
                Ok(Done { says: format!("{} is asked to end", record.id), ..Done::default() })
            }
        }
    }

    /// A command about one ticket.
    fn on_ticket(
        &self,
        store: &Store,
        typed: &str,
        command: &dyn Fn(TicketId) -> Command,
    ) -> Result<Done, CommandError> {
        let id = found(&store.read()?.0, typed)?.id;
        let warnings = std::cell::RefCell::new(Vec::new());
        let warn = |words: &str| warnings.borrow_mut().push(words.to_owned());
        let outcome = carry_out(store, &self.config()?, &Who::Human, &|_| Ok(command(id.clone())), &warn)?;
        let says = outcome.ticket.as_ref().map_or_else(
            || format!("{id} is changed"),
            |ticket| format!("{} is {}: {}", ticket.id, ticket.status, one_line(&ticket.title)),
        );
        Ok(Done { says, ticket: Some(id.to_string()), warnings: warnings.into_inner() })
    }

    fn file(&self, store: &Store, new: &NewTicket) -> Result<Done, CommandError> {
        let project = self.project(&new.project)?;
        let priority = match new.priority.trim() {
            "" => Priority::default(),
            word => Priority::from_word(word).ok_or_else(|| {
                CommandError::usage("priority.unknown", format!("`{word}` is no priority"))
                    .hint("There are P0 to P5.")
            })?,
        };
        let index = store.read()?.0;
        let depends_on = new.depends_on.iter().map(|typed| Ok(found(&index, typed)?.id));
        let depends_on = depends_on.collect::<Result<Vec<_>, CommandError>>()?;
        let id = loop {
            let id = TicketId::from_random(entropy::number());
            if index.is_free(&id)? {
                break id;
            }
        };
        let filed = Filed {
            body: new.body.clone(),
            priority,
            depends_on,
            tags: new.tags.clone(),
            acceptance: new.acceptance.clone(),
            needs_tests: new.needs_tests.unwrap_or(true),
            ..Filed::titled(id.clone(), project, new.title.clone())
        };
        let warnings = std::cell::RefCell::new(Vec::new());
        let warn = |words: &str| warnings.borrow_mut().push(words.to_owned());
        let build = |_: &signalbox_store::Index| Ok(Command::New(Box::new(filed.clone())));
        carry_out(store, &self.config()?, &Who::Human, &build, &warn)?;
        Ok(Done {
            says: format!("{id} is filed"),
            ticket: Some(id.to_string()),
            warnings: warnings.into_inner(),
        })
    }

    fn tell_loop(
        &self,
        store: &Store,
        project: &str,
        wish: Loop,
        agents: Option<u32>,
    ) -> Result<Done, CommandError> {
        let project = self.project(project)?;
        let runs = conductor::is_running(&self.home, &project);
        let wish = match wish {
            Loop::Pause => Wish::Pause,
            Loop::Drain => Wish::Drain,
            Loop::Resume => Wish::Resume,
            Loop::Stop => Wish::Stop,
            Loop::Concurrency => match agents {
                Some(number @ 0..=100) => Wish::Concurrency(number),
                _ => {
                    return Err(CommandError::usage(
                        "run.concurrency",
                        "between 0 and 100 agents work at once",
                    )
                    .hint("0 means as many as the contract says."));
                }
            },
        };
        conductor::ask(store, &Who::Human, &project, wish)?;
        let says = match wish {
            Wish::Pause => "paused: nothing begins and nothing lands",
            Wish::Drain => "draining: what is under way is finished, and nothing new begins",
            Wish::Resume => "it goes on",
            Wish::Stop => "the loop ends its agents, and then itself",
            Wish::Concurrency(0) => "as many agents as the contract says",
            Wish::Concurrency(_) => "so many agents work at once from now on",
        };
        let mut done = Done { says: format!("{project}: {says}"), ..Done::default() };
        if !runs {
            done.warnings.push("No loop runs now; it counts for the next one: `sb run`.".to_owned());
        }
        Ok(done)
    }

    fn tell(&self, agent: &str, text: &str) -> Result<Done, CommandError> {
        let record = self.agent_record(agent)?;
        if record.life() != Life::Runs {
            let message = format!("{} no longer runs, so nobody would read it", record.id);
            return Err(CommandError::precondition("agent.ended", message));
        }
        let now = clock::now();
        let message = Injection::new(new_event_id(), text, Who::Human.name(), now)?.priority(Urgency::High);
        let outbox = Outbox::new(&self.home, &record.id).project(record.project.clone());
        match outbox.enqueue(&Who::Human, message, now)? {
            Asked::Heard(receipts) => {
                let says = receipts.last().map(ToString::to_string).unwrap_or_default();
                Ok(Done { says: format!("{}: {says}", record.id), ..Done::default() })
            }
            Asked::Already => Ok(Done { says: format!("{} has it already", record.id), ..Done::default() }),
        }
    }
}

fn answered(done: escalation::Done, how: &str) -> Result<Done, CommandError> {
    let ticket = done.escalation.asked.ticket.as_ref().map(ToString::to_string);
    Ok(Done { says: format!("{} {how}", done.escalation.id), ticket, warnings: Vec::new() })
}
