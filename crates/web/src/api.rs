//! The interface for programs: what the desk shows, as JSON, and the one way to change something.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_desk::{Act, CommandError, Desk, Sieve, Sort, Wanted};

use crate::answer::{self, Wants, problem};
use crate::gate::Nonce;
use crate::server::App;

/// The most that a list hands out at once.
pub const MOST_LISTED: usize = 500;
/// The cards of a column, unless more are asked for.
pub const CARDS: usize = 50;

/// Which tickets, and how many.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BoardQuery {
    pub project: String,
    pub status: String,
    pub priority: String,
    pub assignee: String,
    pub tag: String,
    pub text: String,
    pub sort: Sort,
    /// Where a list begins.
    pub from: usize,
    /// How many of a list, or of each column.
    pub most: Option<usize>,
}

impl BoardQuery {
    pub fn sieve(&self) -> Sieve {
        Sieve {
            project: self.project.clone(),
            status: self.status.clone(),
            priority: self.priority.clone(),
            assignee: self.assignee.clone(),
            tag: self.tag.clone(),
            text: self.text.clone(),
        }
    }

    pub fn most(&self, usual: usize) -> usize {
        self.most.unwrap_or(usual).min(MOST_LISTED)
    }
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentsQuery {
    /// Those that have ended too.
    pub all: bool,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ActivityQuery {
    pub ticket: String,
    pub project: String,
    pub event: String,
    pub actor: String,
    pub text: String,
    pub all: bool,
    pub most: Option<usize>,
}

impl ActivityQuery {
    pub fn wanted(&self) -> Wanted {
        Wanted {
            ticket: self.ticket.clone(),
            project: self.project.clone(),
            event: self.event.clone(),
            actor: self.actor.clone(),
            text: self.text.clone(),
            all: self.all,
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FlowQuery {
    pub project: String,
}

/// Ask the desk, off the threads that serve, and answer in JSON.
async fn answered<T: Serialize + Send + 'static>(
    app: Arc<App>,
    ask: impl FnOnce(&Desk) -> Result<T, CommandError> + Send + 'static,
) -> Response {
    match asked(app, ask).await {
        Ok(value) => Json(value).into_response(),
        Err(error) => answer::error(Wants::Json, &error, ""),
    }
}

/// Ask the desk, off the threads that serve.
pub(crate) async fn asked<T: Send + 'static>(
    app: Arc<App>,
    ask: impl FnOnce(&Desk) -> Result<T, CommandError> + Send + 'static,
) -> Result<T, CommandError> {
    let done = tokio::task::spawn_blocking(move || ask(&app.desk)).await;
    done.unwrap_or_else(|_| {
        Err(CommandError::new(signalbox_desk::Kind::Failure, "web.bug", "this is a bug in Signalbox")
            .hint("What it was doing stands where `sb web` or `sb up` was started."))
    })
}

pub(crate) async fn now(State(app): State<Arc<App>>) -> Response {
    answered(app, Desk::now).await
}

pub(crate) async fn board(State(app): State<Arc<App>>, Query(query): Query<BoardQuery>) -> Response {
    answered(app, move |desk| desk.board(&query.sieve(), query.most(CARDS))).await
}

pub(crate) async fn tickets(State(app): State<Arc<App>>, Query(query): Query<BoardQuery>) -> Response {
    answered(app, move |desk| desk.list(&query.sieve(), query.sort, query.from, query.most(100))).await
}

pub(crate) async fn ticket(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    answered(app, move |desk| desk.ticket(&id)).await
}

pub(crate) async fn patch(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    answered(app, move |desk| desk.patch(&id)).await
}

pub(crate) async fn choices(State(app): State<Arc<App>>) -> Response {
    answered(app, Desk::choices).await
}

pub(crate) async fn agents(State(app): State<Arc<App>>, Query(query): Query<AgentsQuery>) -> Response {
    answered(app, move |desk| desk.agents(query.all)).await
}

pub(crate) async fn agent(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    answered(app, move |desk| desk.agent(&id)).await
}

pub(crate) async fn queue(State(app): State<Arc<App>>) -> Response {
    answered(app, Desk::queue).await
}

pub(crate) async fn activity(State(app): State<Arc<App>>, Query(query): Query<ActivityQuery>) -> Response {
    answered(app, move |desk| desk.activity(&query.wanted(), query.most.unwrap_or(100).min(MOST_LISTED)))
        .await
}

pub(crate) async fn decisions(State(app): State<Arc<App>>) -> Response {
    answered(app, Desk::decisions).await
}

pub(crate) async fn flow(State(app): State<Arc<App>>, Query(query): Query<FlowQuery>) -> Response {
    answered(app, move |desk| desk.flow(Some(&query.project))).await
}

pub(crate) async fn plan(State(app): State<Arc<App>>, Query(query): Query<FlowQuery>) -> Response {
    answered(app, move |desk| desk.plan(&query.project)).await
}

pub(crate) async fn health(State(app): State<Arc<App>>) -> Response {
    answered(app, Desk::health).await
}

pub(crate) async fn act(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    body: Result<Json<Act>, JsonRejection>,
) -> Response {
    match body {
        Ok(Json(act)) => answered(app, move |desk| desk.act(&act)).await,
        Err(wrong) => {
            let hint = Some("/api/v1/openapi.json describes what can be done.");
            let status = StatusCode::BAD_REQUEST;
            problem(Wants::Json, status, "act.garbled", &wrong.body_text(), hint, &nonce.0)
        }
    }
}
