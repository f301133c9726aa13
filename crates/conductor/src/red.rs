//! Tests that were handed in must fail, and for the right reason: nothing else was changed, they can be run, and without
//! them everything passes.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use signalbox_core::landing::{self, Author};
use signalbox_core::work::Tests;
use signalbox_core::{Role, Ticket};
use signalbox_git::{GitError, Oid};
use signalbox_store::contract::Contract;

use crate::error::Failed;
use crate::merge::{changes, fingerprint};
use crate::site::Site;
use crate::submit;
use crate::validate::{Bench, Line, Verdict};

/// What came of looking at them.
#[derive(Debug, Clone)]
pub enum Red {
    /// They fail, as they should.
    Ready(Tests),
    /// They do not do; why, and what was printed.
    Not {
        message: String,
        output: String,
        diff: String,
    },
    Stopped,
}

/// Look at the tests that were handed in for a ticket.
pub fn check(site: &Site, contract: &Contract, ticket: &Ticket, stop: &AtomicBool) -> Result<Red, Failed> {
    let not = |message: &str, output: String, diff: String| {
        Ok(Red::Not { message: message.to_owned(), output, diff })
    };
    let gathered = match submit::gather(site, ticket) {
        Err(Failed::Git(GitError::Refused(refusal))) => {
            return not(&refusal.message, String::new(), String::new());
        }
        gathered => gathered?,
    };
    let Some(commit) = gathered else {
        return not("the commit that was handed in cannot be found any more", String::new(), String::new());
    };
    let main = site.tip()?;
    let base = site.integration.merge_base(&main, &commit)?.unwrap_or_else(|| main.clone());
    let changed = changes(&site.integration, &base, &commit)?;
    let diff = fingerprint(&changed);
    if changed.is_empty() {
        return not("there is no test in what was handed in", String::new(), diff);
    }
    let author = Author::Agent(Role::TestWriter);
    if let Err(objection) = landing::check(&changed, author, &site.policy(contract), &BTreeMap::new()) {
        return not(&format!("{}: {}", objection.message, objection.files.join(", ")), String::new(), diff);
    }
    let Some(command) = contract.test_command() else {
        let message =
            "nothing says how the tests are run: call a validation step `test`, or set `test_command`";
        return not(message, String::new(), diff);
    };
    let line = Line { name: "test", run: command.run.as_str(), time: command.time.as_duration() };
    // Whoever finds main red cannot know whether the new tests are.
    match run(site, contract, ticket, &base, &line, stop)? {
        Verdict::Passed => {}
        Verdict::Stopped => return Ok(Red::Stopped),
        Verdict::Failed(failure) => {
            let message = format!("the tests fail without the new ones already: {}", failure.message);
            return not(&message, failure.output, diff);
        }
    }
    match run(site, contract, ticket, &commit, &line, stop)? {
        Verdict::Passed => {
            not("the new tests pass already, so there is nothing left to do for them", String::new(), diff)
        }
        Verdict::Stopped => Ok(Red::Stopped),
        Verdict::Failed(failure) if failure.is_missing => not(&failure.message, failure.output, diff),
        Verdict::Failed(_) => {
            let files = changed.into_iter().map(|change| change.path).collect();
            Ok(Red::Ready(Tests { commit: commit.to_string(), files }))
        }
    }
}

fn run(
    site: &Site,
    contract: &Contract,
    ticket: &Ticket,
    commit: &Oid,
    line: &Line<'_>,
    stop: &AtomicBool,
) -> Result<Verdict, Failed> {
    let tree = site.tree_at(contract, commit)?;
    let log = site.log_of(&format!("tests-{}", ticket.id));
    Site::make_folder_of(&log)?;
    Bench { contract, directory: tree.path(), log, stop }.run(line)
}
