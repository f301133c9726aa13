//! The daemon's hand on the disk: one thread, one thing after the other, in the order in which they were wanted. That
//! order is what makes it safe to kill: what is to be done is written down before it is done, and forgotten after.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use jiff::Timestamp;
use serde_json::{Value, json};
use signalbox_core::inject::{Failure, Injection, MOST_TEXT, USUAL_TTL};
use signalbox_core::{AgentId, Event, EventId, ProjectName, Who};
use signalbox_integrations::monitor;
use signalbox_store::agents::{self, Life};
use signalbox_store::log::{EventLog, FileLog, LogError};
use signalbox_store::outbox::{Outbox, OutboxError, Proof};
use signalbox_store::{Home, clock, files};
use signalbox_template::{Library, render};

use crate::kept::{self, Message};
use crate::msg::{Delivery, Effect, Happening, Msg, Terms};
use crate::own_log::OwnLog;

pub struct Keeper {
    pub home: Home,
    pub templates: Library,
    pub inbox: SyncSender<Msg>,
    pub own_log: Arc<OwnLog>,
}

/// Why a message did not get into the outbox.
enum Undelivered {
    /// The agent has ended; whoever comes next gets it.
    Gone,
    Failed(String),
}

impl Keeper {
    /// Do what is wanted until nobody wants anything any more.
    pub fn run(&self, wanted: &Receiver<Effect>) {
        // Files that could not be written, because the disk is full for instance. Nothing that rests on them is done.
        let mut unwritten: BTreeSet<String> = BTreeSet::new();
        for effect in wanted {
            let what = match effect {
                // What was heard is heard again by the next daemon, if not all that follows from it is written.
                Effect::Keep { file, .. } if file == kept::POSITION && !unwritten.is_empty() => Ok(()),
                Effect::Keep { file, bytes } => match self.keep(&file, &bytes) {
                    Ok(()) => {
                        unwritten.remove(&file);
                        Ok(())
                    }
                    Err(error) => {
                        let first = unwritten.insert(file.clone());
                        if first { Err(format!("keep {file}: {error}")) } else { Ok(()) }
                    }
                },
                Effect::Deliver(delivery) if unwritten.contains(&kept::seat_file(&delivery.seat)) => {
                    let trouble =
                        Some("what it has seen could not be written down; it is tried again".to_owned());
                    let Delivery { seat, monitor, .. } = *delivery;
                    let _ = self.inbox.send(Msg::Delivered { seat, monitor, done: Vec::new(), trouble });
                    Ok(())
                }
                Effect::Forget { file } => {
                    files::remove(&self.home.daemon().join(&file)).map_err(|e| format!("forget {file}: {e}"))
                }
                Effect::Record(happening) => self
                    .record(&happening)
                    .map_err(|e| format!("write `{}` to the log: {e}", happening.event)),
                Effect::Deliver(delivery) => {
                    self.deliver(&delivery);
                    Ok(())
                }
                Effect::Close { agent, project, unsure } => self
                    .close(agent.clone(), project, unsure)
                    .map_err(|e| format!("close the outbox of {agent}: {e}")),
                _ => Ok(()),
            };
            if let Err(trouble) = what {
                self.own_log.say(&format!("could not {trouble}"));
            }
        }
    }

    fn keep(&self, file: &str, bytes: &[u8]) -> std::io::Result<()> {
        let path = self.home.daemon().join(file);
        if let Some(folder) = path.parent() {
            files::create_private_dir(folder)?;
        }
        files::replace(&path, bytes, files::PRIVATE)
    }

    fn record(&self, happening: &Happening) -> Result<(), LogError> {
        let Happening { id, at, event, project, data } = happening;
        let event = Event::apart(id.clone(), *at, event, &Who::System, project.clone(), data)
            .map_err(LogError::Encode)?;
        FileLog::new(self.home.events()).record(&event)
    }

    /// Put messages into an agent's outbox, the oldest first.
    fn deliver(&self, delivery: &Delivery) {
        let mut done = Vec::new();
        let mut trouble = None;
        for message in &delivery.messages {
            match self.enqueue(delivery, message) {
                Ok(()) => done.push(message.id.clone()),
                Err(Undelivered::Gone) => break,
                Err(Undelivered::Failed(why)) => {
                    trouble = Some(why);
                    break;
                }
            }
        }
        let (seat, monitor) = (delivery.seat.clone(), delivery.monitor.clone());
        let _ = self.inbox.send(Msg::Delivered { seat, monitor, done, trouble });
    }

    fn enqueue(&self, delivery: &Delivery, message: &Message) -> Result<(), Undelivered> {
        let failed = |error: &dyn std::fmt::Display| Undelivered::Failed(error.to_string());
        let record = agents::load(&self.home, &delivery.agent).map_err(|error| failed(&error))?;
        if record.is_none_or(|record| record.life() != Life::Runs) {
            return Err(Undelivered::Gone);
        }
        let terms = terms(delivery, &message.event);
        let text = self.text(delivery, &message.event);
        let from = format!("monitor {}", delivery.monitor);
        let now = clock::now();
        let made = Injection::new(message.id.clone(), &text, &from, now)
            .map(|injection| injection.priority(terms.priority))
            .and_then(|injection| injection.ttl(terms.ttl_seconds))
            .and_then(|injection| injection.key(&terms.key));
        let injection = match made {
            Ok(injection) => injection,
            // It can never be said, so it is not tried again.
            Err(refusal) => {
                self.own_log.say(&format!("monitor `{}`: {}", delivery.monitor, refusal.message));
                return Ok(());
            }
        };
        let outbox = Outbox::new(&self.home, &delivery.agent).project(delivery.project.clone());
        outbox.enqueue(&Who::System, injection, now).map_err(|error| failed(&error))?;
        self.announce(delivery, message, &text, now);
        Ok(())
    }

    fn announce(&self, delivery: &Delivery, message: &Message, text: &str, now: Timestamp) {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let first: String = first.chars().take(200).collect();
        let happening = Happening {
            id: signalbox_store::new_event_id(),
            at: now,
            event: "monitor.announced",
            project: delivery.project.clone(),
            data: json!({
                "agent": delivery.agent, "monitor": delivery.monitor, "type": delivery.kind.name,
                "kind": message.event.kind, "injection": message.id, "message": first,
            }),
        };
        if let Err(error) = self.record(&happening) {
            self.own_log
                .say(&format!("could not write what monitor `{}` announced: {error}", delivery.monitor));
        }
    }

    /// What the agent is told. A template of the user's that does not work is told of, and the one that comes along used.
    fn text(&self, delivery: &Delivery, event: &monitor::Event) -> String {
        if let Some(text) = &event.text {
            return bounded(text);
        }
        let agent = json!({ "id": delivery.agent, "name": delivery.agent_name });
        let context = event.context(&delivery.monitor, delivery.kind.name, agent);
        let own = delivery.kind.template(&self.templates, &delivery.monitor, &event.kind);
        let (own, mut why) = match own {
            Ok(own) => (own, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let bundled = |name: &str| self.templates.bundled(delivery.kind.name, name);
        let candidates = [own, bundled(&event.kind), bundled(monitor::ANY_EVENT)];
        let mut text = None;
        for template in candidates.into_iter().flatten() {
            match render(&template, &context) {
                Ok(made) if !made.trim().is_empty() => {
                    text = Some(made);
                    break;
                }
                Ok(_) => {}
                Err(wrong) => {
                    why.get_or_insert_with(|| wrong.to_string());
                }
            }
        }
        if let Some(why) = why {
            self.own_log.say(&format!("monitor `{}`: {why}", delivery.monitor));
        }
        let plain =
            || format!("{}: {}\n{}", delivery.monitor, event.kind, Value::Object(event.fields.clone()));
        bounded(&text.unwrap_or_else(plain))
    }

    /// Nothing that waits for an agent that is gone can arrive any more.
    fn close(
        &self,
        agent: AgentId,
        project: Option<ProjectName>,
        unsure: Vec<EventId>,
    ) -> Result<(), OutboxError> {
        let outbox = Outbox::new(&self.home, &agent).project(project);
        outbox.settle(&mut |_| Proof::Unknown)?;
        outbox.close(Failure::Exited)?;
        let known = outbox.known()?;
        let never = unsure.into_iter().filter(|id| !known.contains(id)).collect();
        let _ = self.inbox.send(Msg::Closed { agent, never });
        Ok(())
    }
}

/// How urgent it is: what the event says, else its kind, else what is usual.
fn terms(delivery: &Delivery, event: &monitor::Event) -> Terms {
    let kind = delivery.kind.event(&event.kind);
    let usual = kind.map_or(u64::from(USUAL_TTL), |kind| kind.ttl.as_secs());
    let ttl = event.ttl_seconds.or(delivery.ttl).unwrap_or(usual).max(1);
    let key = event.key.clone().or_else(|| kind.and_then(|kind| kind.key).map(ToOwned::to_owned));
    Terms {
        priority: event.priority.or(kind.map(|kind| kind.priority)).unwrap_or_default(),
        ttl_seconds: u32::try_from(ttl).unwrap_or(u32::MAX),
        key: key.unwrap_or_else(|| delivery.monitor.clone()),
    }
}

fn bounded(text: &str) -> String {
    let mut end = text.len().min(MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
