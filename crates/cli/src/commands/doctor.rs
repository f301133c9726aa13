//! `sb doctor`: find what is wrong, and repair it.

use std::path::PathBuf;

use signalbox_store::doctor::{self, Finding, Severity};
use signalbox_store::{Store, clock, files};

use crate::context::Context;
use crate::ui::Paint;
use signalbox_desk::error::{CommandError, Kind};

/// Looks at the log, the ticket files, the index, the lock, permissions, the clock, the disk and the sessions.
/// A repair never throws away what a person wrote: it is kept in the `quarantine` folder of Signalbox's home.
/// The exit code is 1 while a problem remains.
#[derive(clap::Args)]
pub struct Arguments {
    /// Repair what can be repaired (humans only)
    #[arg(long)]
    fix: bool,
    /// Write a file for a bug report: findings and figures, but no titles, texts or secrets
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "signalbox-bundle.json")]
    bundle: Option<PathBuf>,
    /// Print the findings as a JSON array
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let store = cx.store()?;
    let mut findings = doctor::examine(&store, cx.config()?)?;
    if let Some(path) = &arguments.bundle {
        return bundle(cx, &store, &findings, path);
    }
    if arguments.fix {
        cx.who()?.must_be_human("repair Signalbox's files")?;
        for repair in findings.iter().filter_map(|finding| finding.repair.as_ref()) {
            // One thing that cannot be repaired must not keep the others from it; it is found again below.
            match doctor::fix(&store, repair) {
                Ok(what) => cx.ui.status(&format!("Fixed: {what}")),
                Err(error) => cx.ui.warn(&format!("not fixed: {}", CommandError::from(error).message)),
            }
        }
        findings = doctor::examine(&store, cx.config()?)?;
    }
    if cx.ui.json {
        cx.ui.json(&findings)?;
    } else {
        print(cx, &findings)?;
    }
    let problems = findings.iter().filter(|finding| finding.severity == Severity::Problem).count();
    if problems > 0 {
        let fixable = findings.iter().any(|finding| finding.fixable);
        let sentence = if problems == 1 {
            "there is a problem".to_owned()
        } else {
            format!("there are {problems} problems")
        };
        let error = CommandError::new(Kind::Failure, "doctor.problems", sentence);
        return Err(if fixable {
            error.hint("`sb doctor --fix` repairs what can be repaired.")
        } else {
            error
        });
    }
    Ok(())
}

fn print(cx: &Context, findings: &[Finding]) -> Result<(), CommandError> {
    if findings.is_empty() {
        cx.ui.data("All is well.\n")?;
    }
    for finding in findings {
        let mark = match finding.severity {
            Severity::Problem => cx.ui.paint(Paint::Red, "problem"),
            Severity::Note => cx.ui.paint(Paint::Dim, "note   "),
        };
        let what = signalbox_core::text::one_line(&finding.what);
        cx.ui.data(&format!("{mark}  {:11}  {what}\n", finding.check))?;
        if let Some(hint) = &finding.hint {
            cx.ui.data(&format!("                      {}\n", signalbox_core::text::one_line(hint)))?;
        }
    }
    Ok(())
}

/// What helps to find a bug and tells nobody what the tickets are about.
fn bundle(
    cx: &Context,
    store: &Store,
    findings: &[Finding],
    path: &std::path::Path,
) -> Result<(), CommandError> {
    let (index, _) = store.read()?;
    let counts = index.query(
        "SELECT event, count(*) AS count FROM events GROUP BY event ORDER BY event",
        None,
        None,
    )?;
    let recent = index.query(
        "SELECT seq, id, ts, event, ticket, session IS NOT NULL AS by_agent, rev, length(data) AS bytes
         FROM events ORDER BY seq DESC LIMIT 200",
        None,
        None,
    )?;
    let tickets = index.query("SELECT status, count(*) AS count FROM tickets GROUP BY status", None, None)?;
    let mut logs = Vec::new();
    for file in store.log().files()? {
        logs.push(serde_json::json!({ "size": files::size(&store.log().path(&file))?, "file": file }));
    }
    // Findings name files and ids. Their texts may quote a project's directory or a session's name, so only
    // what kind they are goes along.
    let findings: Vec<_> = findings
        .iter()
        .map(|f| serde_json::json!({ "check": f.check, "severity": f.severity, "fixable": f.fixable }))
        .collect();
    let value = serde_json::json!({
        "sb": env!("CARGO_PKG_VERSION"),
        "system": { "os": std::env::consts::OS, "arch": std::env::consts::ARCH },
        "made": signalbox_core::time::exact(clock::now()),
        "projects": cx.config()?.projects.len(),
        "findings": findings,
        "tickets": tickets.rows,
        "event_counts": counts.rows,
        "recent_events": { "columns": recent.columns, "rows": recent.rows },
        "logs": logs,
    });
    let text = serde_json::to_string_pretty(&value)?;
    files::replace(path, text.as_bytes(), files::PRIVATE).map_err(|error| {
        CommandError::precondition("doctor.bundle", format!("{} cannot be written: {error}", path.display()))
            .hint("Name another file: `sb doctor --bundle FILE`.")
    })?;
    cx.ui.status(&format!(
        "Wrote {}. It holds ids, times and counts, but no titles, texts or secrets.",
        path.display()
    ));
    if cx.ui.json {
        cx.ui.json(&serde_json::json!({ "bundle": path }))?;
    }
    Ok(())
}
