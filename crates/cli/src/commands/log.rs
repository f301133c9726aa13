//! `sb log`: events, past and coming.

use std::time::Duration;

use signalbox_core::{Event, EventId};
use signalbox_store::clock;
use signalbox_store::index::History;

use crate::context::Context;
use crate::{duration, resolve, ticket_text};
use signalbox_desk::error::CommandError;

/// How often `--follow` looks.
const POLL: Duration = Duration::from_millis(200);

/// The newest last. The same events stand as JSON lines in the `events` folder of Signalbox's home.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only about this ticket
    #[arg(long)]
    ticket: Option<String>,
    /// Only of this project
    #[arg(long)]
    project: Option<String>,
    /// Only of this session
    #[arg(long)]
    session: Option<String>,
    /// Only events like this: `status.*`, `review.approved`
    #[arg(long, value_name = "GLOB")]
    event: Option<String>,
    /// Only the event with this id
    #[arg(long, value_name = "ID")]
    event_id: Option<String>,
    /// Only since then: `2h ago`, `yesterday`, `2026-11-15 10:30`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// The newest so many
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 100)]
    limit: usize,
    /// Go on as events come in, until Ctrl-C
    #[arg(long, short)]
    follow: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (store, index) = cx.index()?;
    let event_id = arguments.event_id.as_deref().map(EventId::parse).transpose();
    let event_id = event_id.map_err(|e| CommandError::usage("event.id", e.to_string()))?;
    let mut history = History {
        ticket: arguments.ticket.as_deref().map(|typed| resolve::ticket(&index, typed)).transpose()?,
        project: arguments.project.as_deref().map(|name| cx.registered(name)).transpose()?,
        session: arguments.session.clone(),
        event: arguments.event.clone(),
        since: arguments.since.as_deref().map(|text| duration::moment(text, clock::now())).transpose()?,
        limit: Some(arguments.limit.min(1_000_000_000)).filter(|_| event_id.is_none()),
        ..History::default()
    };
    if let Some(id) = &history.ticket
        && let Some(ticket) = index.ticket(id)?
    {
        super::show::record_read(cx, &store, &ticket)?;
    }
    let mut events = index.events(&history)?;
    if let Some(id) = event_id {
        events.retain(|(_, event)| event.id == id);
        if events.is_empty() {
            return Err(CommandError::not_found("event.unknown", format!("there is no event {id}")));
        }
    }
    let mut last =
        index.events(&History { limit: Some(1), ..History::default() })?.pop().map_or(0, |(seq, _)| seq);
    drop(index);
    print(cx, &events)?;
    history.limit = None;
    if !arguments.follow {
        return Ok(());
    }
    loop {
        std::thread::sleep(POLL);
        let (index, _) = store.read()?;
        history.after = Some(last);
        let events = index.events(&history)?;
        last = events.last().map_or(last, |(seq, _)| *seq);
        print(cx, &events)?;
    }
}

fn print(cx: &Context, events: &[(i64, Event)]) -> Result<(), CommandError> {
    let mut text = String::new();
    for (_, event) in events {
        if cx.ui.json {
            cx.ui.json_line(&mut text, event)?;
        } else {
            text.push_str(&ticket_text::event_line(&cx.ui, event, true));
        }
    }
    if !text.is_empty() {
        cx.ui.data(&text)?;
    }
    Ok(())
}
