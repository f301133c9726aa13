//! Sessions whose process is gone, and records that belong to nobody.

use signalbox_core::SessionId;

use super::log::Scan;
use super::{Finding, Repair};
use crate::home::Home;
use crate::store::StoreError;
use crate::{files, process, session};

pub(super) fn examine(home: &Home, scan: &Scan) -> Result<Vec<Finding>, StoreError> {
    let read = |source| StoreError::Home { path: home.sessions(), source };
    let mut findings = Vec::new();
    for id in session::ids(home).map_err(read)? {
        let record = match SessionId::parse(&id) {
            Ok(id) => session::load(home, &id).map_err(read)?,
            Err(_) => None,
        };
        let path = home.sessions().join(format!("{id}.json"));
        let Some(record) = record else {
            findings.push(
                Finding::problem("sessions", format!("{} cannot be read", path.display()))
                    .repair(Repair::RemoveRecord(path)),
            );
            continue;
        };
        let gone = session::is_gone(&record);
        if !scan.sessions_started.contains(&id) {
            findings.push(
                Finding::problem(
                    "sessions",
                    format!("session {id} has a charter, but the log does not know that it started"),
                )
                .repair(Repair::RemoveRecord(path)),
            );
        } else if gone {
            findings.push(
                Finding::note(
                    "sessions",
                    format!("session {id} ({}) is still registered, but its process is gone", record.name),
                )
                .repair(Repair::EndSession(id)),
            );
        }
    }
    for path in session::dead_processes(home).map_err(read)? {
        findings.push(
            Finding::note("sessions", format!("{} is of a process that is gone", path.display()))
                .repair(Repair::RemoveRecord(path)),
        );
    }
    for name in files::names(&home.sessions()).map_err(read)? {
        if let Some((leader, started)) = name
            .strip_prefix("terminal-")
            .and_then(|rest| rest.strip_suffix(".ticket"))
            .and_then(|rest| rest.split_once('-'))
            .and_then(|(leader, started)| Some((leader.parse().ok()?, started.parse().ok()?)))
            && !process::is_running(leader, started)
        {
            let path = home.sessions().join(&name);
            findings.push(
                Finding::note("sessions", format!("{} is of a terminal that is gone", path.display()))
                    .repair(Repair::RemoveRecord(path)),
            );
        }
    }
    Ok(findings)
}
