//! `sb query`: SQL on the index.

use signalbox_core::text;
use signalbox_store::index::{REPORTS, ResultSet};

use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// The tables are `events`, `tickets`, `dependencies`, `damage` and the view `hook_events`. Nothing can be
/// changed. In SQL of your own, `:ticket` and `:session` stand for what `--ticket` and `--session` say.
#[derive(clap::Args)]
pub struct Arguments {
    /// The SQL
    #[arg(required_unless_present_any = ["report", "reports"], conflicts_with_all = ["report", "reports"])]
    sql: Option<String>,
    /// A named report
    #[arg(long, value_name = "NAME")]
    report: Option<String>,
    /// List the named reports
    #[arg(long)]
    reports: bool,
    /// Only about this ticket
    #[arg(long)]
    ticket: Option<String>,
    /// Only of this session
    #[arg(long)]
    session: Option<String>,
    /// Print the rows as a JSON array of objects
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if arguments.reports {
        if cx.ui.json {
            let all: Vec<_> = REPORTS
                .iter()
                .map(|r| serde_json::json!({ "name": r.name, "about": r.about, "sql": r.sql }))
                .collect();
            return cx.ui.json(&all);
        }
        for report in REPORTS {
            cx.ui.data(&format!("{:18} {}\n", report.name, report.about))?;
        }
        return Ok(());
    }
    let sql = match (&arguments.report, &arguments.sql) {
        (Some(name), _) => report(name, &arguments)?,
        (None, sql) => sql.clone().unwrap_or_default(),
    };
    let (_, index) = cx.index()?;
    let ticket = arguments.ticket.as_deref().map(|typed| resolve::ticket(&index, typed)).transpose()?;
    let result = index.query(
        &sql,
        ticket.as_ref().map(signalbox_core::TicketId::as_str),
        arguments.session.as_deref(),
    )?;
    if cx.ui.json {
        let rows: Vec<serde_json::Map<_, _>> = result
            .rows
            .iter()
            .map(|row| result.columns.iter().cloned().zip(row.iter().cloned()).collect())
            .collect();
        return cx.ui.json(&rows);
    }
    cx.ui.data(&table(&result))?;
    Ok(())
}

fn report(name: &str, arguments: &Arguments) -> Result<String, CommandError> {
    let Some(report) = REPORTS.iter().find(|report| report.name == name) else {
        let error = CommandError::not_found("report.unknown", format!("there is no report `{name}`"));
        return Err(match signalbox_core::nearest(name, REPORTS.iter().map(|report| report.name)) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => error.hint("`sb query --reports` lists them."),
        });
    };
    for (option, given) in
        [("--ticket", arguments.ticket.is_some()), ("--session", arguments.session.is_some())]
    {
        if report.about.contains(&format!("needs {option}")) && !given {
            return Err(CommandError::usage("report.needs", format!("the report `{name}` needs {option}")));
        }
    }
    Ok(report.sql.to_owned())
}

/// Columns side by side; what a cell holds cannot act on the terminal.
fn table(result: &ResultSet) -> String {
    use unicode_width::UnicodeWidthStr;
    let cell = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text::one_line(text).into_owned(),
        other => other.to_string(),
    };
    let rows: Vec<Vec<String>> = result.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let heading: Vec<String> = result.columns.iter().map(|name| text::one_line(name).into_owned()).collect();
    let widths: Vec<usize> = (0..heading.len())
        .map(|column| {
            std::iter::once(&heading).chain(&rows).map(|row| row[column].width()).max().unwrap_or(0)
        })
        .collect();
    let mut table = String::new();
    for row in std::iter::once(&heading).chain(&rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
        }
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}
