//! *Merge queue*: what is validating and what it prints, what waits, and why.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use signalbox_desk::{CommandError, Desk, Queue};

use super::words::ago_or;
use super::{Page, page as framed, part as part_only};
use crate::api::asked;
use crate::gate::Nonce;
use crate::server::App;

#[derive(Template)]
#[template(path = "queue.html")]
struct View {
    queue: Queue,
}

async fn view(app: Arc<App>) -> Result<View, CommandError> {
    Ok(View { queue: asked(app, Desk::queue).await? })
}

pub(crate) async fn page(State(app): State<Arc<App>>, Extension(nonce): Extension<Nonce>) -> Response {
    let frame = Page { title: "Queue", here: "/queue", part: "/part/queue", scripts: &[] };
    framed(&frame, view(app).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>) -> Response {
    part_only(view(app).await)
}
