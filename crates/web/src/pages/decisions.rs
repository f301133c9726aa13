//! *Decisions*: questions that wait for a person, answered by one click or a line of words.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use signalbox_desk::{CommandError, Decisions, Desk};

use super::words::ago;
use super::{Page, page as framed, part as part_only};
use crate::api::asked;
use crate::gate::Nonce;
use crate::server::App;

#[derive(Template)]
#[template(path = "decisions.html")]
struct View {
    decisions: Decisions,
}

async fn view(app: Arc<App>) -> Result<View, CommandError> {
    Ok(View { decisions: asked(app, Desk::decisions).await? })
}

pub(crate) async fn page(State(app): State<Arc<App>>, Extension(nonce): Extension<Nonce>) -> Response {
    let frame = Page { title: "Decisions", here: "/decisions", part: "/part/decisions", scripts: &[] };
    framed(&frame, view(app).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>) -> Response {
    part_only(view(app).await)
}
