//! `sb projects`: the registered directories.

use signalbox_core::{ProjectName, Status};
use signalbox_store::index::Filter;

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// With each, how many of its tickets are open, in progress and in review.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, _: Arguments) -> Result<(), CommandError> {
    let (_, index) = cx.index()?;
    let mut rows = Vec::new();
    for (name, project) in &cx.config()?.projects {
        let of = |status: Status| -> Result<usize, CommandError> {
            let project = ProjectName::parse(name).ok();
            Ok(index.list(&Filter { project, statuses: vec![status], ..Filter::default() })?.len())
        };
        rows.push((name, &project.path, of(Status::Open)?, of(Status::InProgress)?, of(Status::Review)?));
    }
    if cx.ui.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, path, open, working, review)| {
                serde_json::json!({ "name": name, "path": path, "open": open, "in_progress": working, "review": review })
            })
            .collect();
        return cx.ui.json(&rows);
    }
    if rows.is_empty() {
        cx.ui.status("There is no project yet.");
        cx.ui.hint("Make a directory one: `sb init`.");
    }
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    for (name, path, open, working, review) in rows {
        cx.ui.data(&format!(
            "{name:width$}  {open} open, {working} in progress, {review} in review  {}\n",
            signalbox_core::text::one_line(&path.to_string_lossy())
        ))?;
    }
    Ok(())
}
