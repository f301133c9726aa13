//! *Flow*: how long tickets take, how long they wait for review, how often they come back, how many get done, the cost.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::{CommandError, Day, Flow};

use super::words::{dollars, short};
use super::{Page, drawn, page as framed, part as part_only, part_of};
use crate::api::{FlowQuery, asked};
use crate::gate::Nonce;
use crate::markdown::Safe;
use crate::plots::{self, Bar, Series, plain, span};
use crate::server::App;

#[derive(Template)]
#[template(path = "flow.html")]
struct View {
    flow: Flow,
    projects: Vec<String>,
    project: String,
    plots: Vec<(&'static str, Safe)>,
}

async fn view(app: Arc<App>, query: FlowQuery) -> Result<View, CommandError> {
    asked(app, move |desk| {
        let flow = desk.flow(Some(&query.project))?;
        let projects = desk.projects()?.iter().map(ToString::to_string).collect();
        let plots = vec![
            plot(&flow, "Finished a day", plain, |day| day.done as u64),
            plot(&flow, "Cycle time, median", span, |day| day.cycle_seconds.unwrap_or(0)),
            plot(&flow, "Wait for review, median", span, |day| day.review_seconds.unwrap_or(0)),
            plot(&flow, "Cost a day", plots::dollars, |day| day.cost_micros),
        ];
        Ok(View { flow, projects, project: query.project, plots })
    })
    .await
}

fn plot(
    flow: &Flow,
    title: &'static str,
    write: fn(u64) -> String,
    value: fn(&Day) -> u64,
) -> (&'static str, Safe) {
    let bars = flow.days.iter().map(|day| Bar { label: day.day.clone(), value: value(day) }).collect();
    (title, drawn(plots::draw(&Series { title, bars, write })))
}

fn span_or(seconds: &Option<u64>) -> String {
    seconds.map_or_else(|| "–".to_owned(), span)
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Query(query): Query<FlowQuery>,
    uri: Uri,
) -> Response {
    let part = part_of(&uri, "/part/flow");
    let frame = Page { title: "Flow", here: "/flow", part: &part, scripts: &[] };
    framed(&frame, view(app, query).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Query(query): Query<FlowQuery>) -> Response {
    part_only(view(app, query).await)
}
