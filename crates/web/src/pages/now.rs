//! *Now*: who needs me, and what goes on without me.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use signalbox_desk::{Desk, Now};

use super::words::{ago_or, status};
use super::{Page, page as framed, part as part_only};
use crate::api::asked;
use crate::gate::Nonce;
use crate::server::App;

#[derive(Template)]
#[template(path = "now.html")]
struct View {
    now: Now,
}

async fn view(app: Arc<App>) -> Result<View, signalbox_desk::CommandError> {
    Ok(View { now: asked(app, Desk::now).await? })
}

pub(crate) async fn page(State(app): State<Arc<App>>, Extension(nonce): Extension<Nonce>) -> Response {
    let frame = Page { title: "Now", here: "/", part: "/part/now", scripts: &[] };
    framed(&frame, view(app).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>) -> Response {
    part_only(view(app).await)
}
