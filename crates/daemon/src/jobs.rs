//! What workers do. Each job answers with one message, whatever happens to it: a bug in a type of monitor is that
//! monitor's trouble and nobody else's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;

use signalbox_core::AgentId;
use signalbox_integrations::goal::{self, Progress};
use signalbox_integrations::monitor::{Look, Seen, Trouble};
use signalbox_integrations::notifier::{Telling, Untold};
use signalbox_store::Home;
use signalbox_store::agents::{self, Life};
use signalbox_template::Library;

use crate::msg::{GoalJob, Listener, LookJob, Msg, TellJob};

pub fn look(job: LookJob, inbox: &SyncSender<Msg>) {
    let found = guarded(|| {
        break_if_asked(&job.name);
        (job.kind.look)(&Look {
            name: &job.name,
            settings: &job.settings,
            environment: &job.environment,
            directory: &job.directory,
            agent: job.agent.as_str(),
            before: &job.before,
            now: job.now,
            time: job.time,
        })
    });
    let found: Result<Seen, Trouble> = found.unwrap_or_else(|bug| Err(Trouble::Passing(bug)));
    let _ = inbox.send(Msg::Looked { task: job.task, found });
}

pub fn look_at_goal(job: GoalJob, inbox: &SyncSender<Msg>) {
    let found = guarded(|| match job.kind.look {
        Some(look) => look(&goal::Look {
            settings: &job.settings,
            environment: &job.environment,
            directory: &job.directory,
            agent: job.agent.as_str(),
            time: job.time,
        }),
        None => Err(Trouble::Lasting("there is nothing to look at".to_owned())),
    });
    let found: Result<Progress, Trouble> = found.unwrap_or_else(|bug| Err(Trouble::Passing(bug)));
    let _ = inbox.send(Msg::Progressed { task: job.task, found });
}

pub fn tell(job: TellJob, templates: &Library, inbox: &SyncSender<Msg>) {
    let told = guarded(|| match &job.to {
        Listener::Notifier { kind, settings, notice } => {
            break_if_asked(kind.name);
            (kind.tell)(&Telling {
                settings,
                notice,
                templates,
                remembered: &job.remembered,
                terminals: &job.terminals,
                time: job.time,
            })
        }
    });
    let result = told.unwrap_or_else(|bug| Err(Untold { why: bug, passing: false }));
    let _ = inbox.send(Msg::Told { task: job.task, result });
}

/// Whether an agent still runs.
pub fn check_life(home: &Home, agent: AgentId, inbox: &SyncSender<Msg>) {
    let record = agents::load(home, &agent);
    // What cannot be read now may be read later; nobody is buried on a guess.
    let runs = record.map_or(true, |record| record.is_some_and(|record| record.life() == Life::Runs));
    let _ = inbox.send(Msg::Life { agent, runs });
}

/// Run it; a panic is a sentence.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<&str>().map(ToString::to_string);
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        format!("a bug in sb stopped it: {words}")
    })
}

/// In debug builds, `SIGNALBOX_PANIC` names what has a bug, so that tests see what one does.
#[expect(clippy::panic, reason = "to panic is what it is for")]
fn break_if_asked(name: &str) {
    if cfg!(debug_assertions) && std::env::var("SIGNALBOX_PANIC").is_ok_and(|asked| asked == name) {
        panic!("{name} was asked to break");
    }
}
