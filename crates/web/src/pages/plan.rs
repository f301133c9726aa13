//! *Plan*: what is to be done and what waits for what; where plans are made and changed.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::{CommandError, Plan};

use super::{Page, drawn, page as framed, part as part_only, part_of};
use crate::api::{FlowQuery, asked};
use crate::gate::Nonce;
use crate::graph;
use crate::markdown::Safe;
use crate::server::App;

#[derive(Template)]
#[template(path = "plan.html")]
struct View {
    plan: Plan,
    graph: Safe,
}

async fn view(app: Arc<App>, query: FlowQuery) -> Result<View, CommandError> {
    asked(app, move |desk| {
        let plan = desk.plan(&query.project)?;
        Ok(View { graph: drawn(graph::draw(&plan.graph, "")), plan })
    })
    .await
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Query(query): Query<FlowQuery>,
    uri: Uri,
) -> Response {
    let part = part_of(&uri, "/part/plan");
    let frame = Page { title: "Plan", here: "/plan", part: &part, scripts: &[] };
    framed(&frame, view(app, query).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Query(query): Query<FlowQuery>) -> Response {
    part_only(view(app, query).await)
}
