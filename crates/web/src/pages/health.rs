//! *Health and controls*: is it running, what is wrong, and pause, drain, resume, how many agents.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use signalbox_desk::{CommandError, Desk, Health};

use super::words::ago_or;
use super::{Page, page as framed, part as part_only};
use crate::api::asked;
use crate::gate::Nonce;
use crate::server::App;

#[derive(Template)]
#[template(path = "health.html")]
struct View {
    health: Health,
}

async fn view(app: Arc<App>) -> Result<View, CommandError> {
    Ok(View { health: asked(app, Desk::health).await? })
}

pub(crate) async fn page(State(app): State<Arc<App>>, Extension(nonce): Extension<Nonce>) -> Response {
    let frame = Page { title: "Health", here: "/health", part: "/part/health", scripts: &[] };
    framed(&frame, view(app).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>) -> Response {
    part_only(view(app).await)
}
