//! What workers do. Each job answers with one message, whatever happens to it: a bug in a type of monitor is that
//! monitor's trouble and nobody else's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use serde_json::Value;
use signalbox_core::AgentId;
use signalbox_integrations::goal::{self, Progress};
use signalbox_integrations::monitor::{Look, Seen, Trouble};
use signalbox_integrations::notifier::{Telling, Untold};
use signalbox_plugins::Failed;
use signalbox_runner::Program;
use signalbox_store::Home;
use signalbox_store::agents::{self, Life};
use signalbox_store::fault::break_if_asked;
use signalbox_template::Library;

use crate::msg::{GoalJob, Listener, LookJob, Msg, TellJob};
use crate::own_log::OwnLog;

/// The most lines of a plugin that are taken over into the daemon's log.
const MOST_LINES: usize = 20;

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

pub fn tell(job: TellJob, home: &Home, templates: &Library, own_log: &OwnLog, inbox: &SyncSender<Msg>) {
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
        Listener::Plugin { plugin, event } => {
            break_if_asked(&plugin.name);
            let ran = signalbox_plugins::run(plugin, event, home.root());
            let stderr = ran.as_ref().map_or_else(Failed::stderr, |output| output.stderr.as_str());
            for line in stderr.lines().take(MOST_LINES).filter(|line| !line.trim().is_empty()) {
                own_log.say(&format!("plugin `{}` says: {line}", plugin.name));
            }
            ran.map(|_| Value::Null).map_err(|failed| Untold { why: failed.to_string(), passing: false })
        }
    });
    let result = told.unwrap_or_else(|bug| Err(Untold { why: bug, passing: false }));
    let _ = inbox.send(Msg::Told { task: job.task, result });
}

/// The heartbeat, as `sb heartbeat` does it: in a process of its own, which nothing here can be harmed by.
pub fn beat(home: &Home, time: Duration, inbox: &SyncSender<Msg>) {
    let done = std::env::current_exe().and_then(|program| {
        let words = [program.into_os_string(), "heartbeat".into(), "--json".into()];
        Program::new(words).with("SIGNALBOX_HOME", home.root()).within(time).run()
    });
    let result = match done {
        Ok(ran) if ran.succeeded() => {
            let said: Value = serde_json::from_str(&ran.text()).unwrap_or_default();
            Ok((said["outcome"] == "done").then(|| said.to_string()))
        }
        Ok(ran) => Err(format!("{}: {}", ran.end, ran.complaint().trim())),
        Err(error) => Err(error.to_string()),
    };
    let _ = inbox.send(Msg::Beaten(result));
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
