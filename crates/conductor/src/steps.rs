//! Doing what the planner says. Each step is safe to do late or not at all: the next look asks for it again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use signalbox_core::orchestra::{EndReason, Step};
use signalbox_core::{
    AgentId, AttemptReport, Command, Ending, Outcome, Role, SessionId, Ticket, TicketId, text,
};
use signalbox_git::crash;
use signalbox_store::Index;
use signalbox_store::agents::{self, Life};

use crate::error::Failed;
use crate::jobs::{Doing, Done, Jobs};
use crate::look::Look;
use crate::questions;
use crate::red::{self, Red};
use crate::run::Say;
use crate::site::{Agreed, Site};
use crate::{clean, fleet, launch, merge};

/// How long an agent that was told to end may take, before it is killed.
const END: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(50);

/// What all steps share.
pub struct Hands<'a> {
    pub site: &'a Arc<Site>,
    pub agreed: &'a Arc<Agreed>,
    pub index: &'a Index,
    pub stop: &'a Arc<AtomicBool>,
    pub say: &'a Say,
}

impl Hands<'_> {
    /// Do one step, or begin to.
    pub fn take(&self, step: &Step, look: &Look, jobs: &mut Jobs) -> Result<(), Failed> {
        let site = self.site;
        match step {
            Step::Start { ticket, role, resume } => {
                if let Some(ticket) = look.ticket(ticket) {
                    self.prepare(ticket, *role, *resume, jobs);
                }
            }
            Step::CheckTests { ticket, .. } => {
                let Some(found) = look.ticket(ticket).cloned() else { return Ok(()) };
                let (site, agreed, stop) = (Arc::clone(site), Arc::clone(self.agreed), Arc::clone(self.stop));
                jobs.begin(Doing::CheckTests(ticket.clone()), move || {
                    Done::Checked(red::check(&site, &agreed.contract, &found, &stop))
                });
            }
            Step::End { agent, reason } => {
                let (site, agent, reason) = (Arc::clone(site), agent.clone(), *reason);
                jobs.begin(Doing::End(agent.clone()), move || Done::Other(end(&site, &agent, reason)));
            }
            Step::RecordEnd { ticket, report, ending } => {
                let Some(found) = look.ticket(ticket) else { return Ok(()) };
                self.record_end(found, report, ending)?;
            }
            Step::Enqueue { ticket } => {
                crash::here("enqueue.before");
                site.write(Command::Queue { id: ticket.clone() })?;
                crash::here("enqueue.after");
                self.tell(ticket, look, "waits to be merged");
            }
            Step::Escalate { ticket, question, hypothesis, key, .. } => {
                let about = ticket.as_ref().and_then(|id| look.ticket(id));
                questions::ask(self, about, *question, *hypothesis, key, jobs.printed())?;
            }
            Step::Withdraw { escalation, .. } => questions::withdraw(site, escalation)?,
        }
        Ok(())
    }

    fn prepare(&self, ticket: &Ticket, role: Role, resume: bool, jobs: &mut Jobs) {
        let (site, agreed, stop) = (Arc::clone(self.site), Arc::clone(self.agreed), Arc::clone(self.stop));
        let ticket = ticket.clone();
        jobs.begin(Doing::Prepare(ticket.id.clone()), move || {
            let prepared = launch::prepare(&site, &agreed.contract, &ticket, role, resume, &stop);
            Done::Prepared(Box::new(prepared))
        });
    }

    /// Begin to take away the workspaces that nobody needs any more.
    pub fn clean(&self, jobs: &mut Jobs) -> Result<(), Failed> {
        for ticket in clean::due(self.site, self.index)? {
            let (site, agreed, stop) =
                (Arc::clone(self.site), Arc::clone(self.agreed), Arc::clone(self.stop));
            jobs.begin(Doing::Clean(ticket.clone()), move || {
                Done::Other(clean::clean(&site, Some(&agreed.contract), &ticket, &stop).map(drop))
            });
        }
        Ok(())
    }

    /// What came of a job.
    pub fn finish(&self, doing: Doing, done: Done, look: &Look) -> Result<(), Failed> {
        match (doing, done) {
            (Doing::Prepare(id), Done::Prepared(prepared)) => {
                let Some(ticket) = look.ticket(&id) else { return Ok(()) };
                match *prepared {
                    Ok(prepared) => {
                        let contract = &self.agreed.contract;
                        let name = launch::start(self.site, self.index, contract, ticket, &prepared)?;
                        if let Some(name) = name {
                            let words = format!("{name} begins as {}", prepared.role.with_article());
                            self.tell(&id, look, &words);
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            (Doing::CheckTests(id), Done::Checked(checked)) => {
                let Some(ticket) = look.ticket(&id) else { return Ok(()) };
                self.checked(ticket, checked?)?;
            }
            (_, Done::Other(result)) => result?,
            _ => {}
        }
        Ok(())
    }

    fn checked(&self, ticket: &Ticket, red: Red) -> Result<(), Failed> {
        let (report, ending) = match red {
            Red::Stopped => return Ok(()),
            Red::Ready(tests) => {
                let words =
                    format!("{} has tests that fail as they should: {}", ticket.id, tests.files.join(", "));
                (self.say)(&words);
                let report = AttemptReport {
                    branch_kept: true,
                    ..AttemptReport::new(Outcome::Completed, "The tests fail as they should.")
                };
                (report, Ending::TestsReady(tests))
            }
            Red::Not { message, output, diff } => {
                (self.say)(&format!("{} has no tests yet: {message}", ticket.id));
                let report = AttemptReport {
                    branch_kept: true,
                    failure: Some(message.clone()),
                    diff: Some(diff),
                    blockers: output,
                    ..AttemptReport::new(Outcome::GaveUpTests, message)
                };
                (report, Ending::Pool)
            }
        };
        self.end_attempt(ticket, report, ending)
    }

    /// Write down how an attempt ended, with what its workspace holds.
    fn record_end(&self, ticket: &Ticket, report: &AttemptReport, ending: &Ending) -> Result<(), Failed> {
        let site = self.site;
        let changed = match site.workspace(&ticket.id)? {
            Some(workspace) => match workspace.fetch()? {
                Some(tip) => merge::changes(&site.integration, workspace.base(), &tip)?,
                None => Vec::new(),
            },
            None => Vec::new(),
        };
        let report = AttemptReport {
            diff: report.diff.clone().or_else(|| Some(merge::fingerprint(&changed))),
            branch_kept: report.branch_kept || !changed.is_empty(),
            ..report.clone()
        };
        if report.outcome != Outcome::Completed {
            let who = ticket.work.start.as_ref().map_or("it", |start| start.agent.as_str());
            (self.say)(&format!("{}: {who} {}", ticket.id, said(&report)));
        }
        self.end_attempt(ticket, report, ending.clone())
    }

    fn end_attempt(&self, ticket: &Ticket, report: AttemptReport, ending: Ending) -> Result<(), Failed> {
        let command = Command::EndAttempt { id: ticket.id.clone(), report: Box::new(report), ending };
        self.site.write(command)?;
        Ok(())
    }

    pub fn tell(&self, id: &TicketId, look: &Look, words: &str) {
        let title =
            look.ticket(id).map(|ticket| text::one_line(&ticket.title).into_owned()).unwrap_or_default();
        (self.say)(&format!("{id} {words}: {title}"));
    }
}

fn said(report: &AttemptReport) -> String {
    let words = report.outcome.as_str().replace('_', " ");
    match report.summary.is_empty() {
        true => words,
        false => format!("{words}: {}", text::one_line(&report.summary)),
    }
}

/// End an agent: it is asked first, and killed if it does not listen.
fn end(site: &Site, session: &SessionId, reason: EndReason) -> Result<(), Failed> {
    let Ok(id) = AgentId::parse(session.as_str()) else { return Ok(()) };
    let Some(record) = fleet::write_ending(site, &id, reason)? else { return Ok(()) };
    // One that cannot be reached is killed below.
    let _ = signalbox_agent::attach::stop(&record.socket);
    let begun = Instant::now();
    loop {
        let record = agents::load(&site.home, &id).map_err(Failed::doing("read the agent's record"))?;
        let Some(record) = record.filter(|record| record.life() == Life::Runs) else { break };
        if begun.elapsed() > END {
            for process in record.wrapper.iter().chain(&record.child) {
                kill(process);
            }
            agents::give_up(&site.home, &id).map_err(Failed::doing("write down an agent's end"))?;
            break;
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Kill a process, if it is still the one that was written down.
fn kill(process: &signalbox_store::session::Registered) {
    if signalbox_store::process::is_running(process.pid, process.started)
        && let Some(pid) = i32::try_from(process.pid).ok().and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
