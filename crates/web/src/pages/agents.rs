//! *Agents*: who runs and what each is doing; one of them with its terminal; what one has done, to be played.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::{AgentDetail, AgentView, CommandError};

use super::words::{ago, ago_or, dollars, short};
use super::{Page, page as framed, part as part_only, part_of};
use crate::api::{AgentsQuery, asked};
use crate::gate::Nonce;
use crate::server::App;

#[derive(Template)]
#[template(path = "agents.html")]
struct All {
    agents: Vec<AgentView>,
    all: bool,
}

#[derive(Template)]
#[template(path = "agent.html")]
struct One {
    about: About,
}

#[derive(Template)]
#[template(path = "agent-about.html")]
struct About {
    detail: AgentDetail,
}

#[derive(Template)]
#[template(path = "recording.html")]
struct Recording {
    agent: AgentView,
}

async fn all(app: Arc<App>, query: AgentsQuery) -> Result<All, CommandError> {
    let all = query.all;
    Ok(All { agents: asked(app, move |desk| desk.agents(all)).await?, all })
}

async fn about(app: Arc<App>, id: String) -> Result<About, CommandError> {
    Ok(About { detail: asked(app, move |desk| desk.agent(&id)).await? })
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Query(query): Query<AgentsQuery>,
    uri: Uri,
) -> Response {
    let part = part_of(&uri, "/part/agents");
    let frame = Page { title: "Agents", here: "/agents", part: &part, scripts: &[] };
    framed(&frame, all(app, query).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Query(query): Query<AgentsQuery>) -> Response {
    part_only(all(app, query).await)
}

pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Path(id): Path<String>,
) -> Response {
    let made = about(app, id).await.map(|about| One { about });
    let id = made.as_ref().map(|one| one.about.detail.agent.id.clone()).unwrap_or_default();
    let part = format!("/part/agent/{id}");
    let frame = Page { title: &id, here: "/agents", part: &part, scripts: &["terminal.js"] };
    framed(&frame, made, &nonce.0)
}

pub(crate) async fn one_part(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    part_only(about(app, id).await)
}

pub(crate) async fn recording(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Path(id): Path<String>,
) -> Response {
    let made = about(app, id).await.map(|about| Recording { agent: about.detail.agent });
    let frame = Page { title: "Recording", here: "/agents", part: "", scripts: &["terminal.js"] };
    framed(&frame, made, &nonce.0)
}
