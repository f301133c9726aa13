//! *Ticket*: its text, what it waits for, what was tried, what its branch changes, and why it is where it is.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use signalbox_desk::{CommandError, Patch, TicketView};

use super::words::{ago, status};
use super::{Page, drawn, page as framed, part as part_only};
use crate::api::asked;
use crate::diff::{self, File};
use crate::gate::Nonce;
use crate::graph;
use crate::markdown::{self, Safe};
use crate::server::App;

/// The most of a diff that is drawn, in lines; the rest is one click away.
const MOST_LINES: usize = 10_000;

#[derive(Template)]
#[template(path = "ticket.html")]
struct View {
    ticket: TicketView,
    body: Safe,
    graph: Safe,
}

#[derive(Template)]
#[template(path = "patch.html")]
struct PatchPart {
    patch: Patch,
    files: Vec<File>,
    cut: bool,
}

async fn view(app: Arc<App>, id: String) -> Result<View, CommandError> {
    asked(app, move |desk| {
        let ticket = desk.ticket(&id)?;
        Ok(View {
            body: markdown::render(&ticket.body),
            graph: drawn(graph::draw(&ticket.graph, &ticket.card.id)),
            ticket,
        })
    })
    .await
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Path(id): Path<String>,
) -> Response {
    let made = view(app, id).await;
    let id = made.as_ref().map(|view| view.ticket.card.id.clone()).unwrap_or_default();
    let part = format!("/part/ticket/{id}");
    let frame = Page { title: &id, here: "/board", part: &part, scripts: &[] };
    framed(&frame, made, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    part_only(view(app, id).await)
}

pub(crate) async fn patch(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    let made = asked(app, move |desk| {
        let patch = desk.patch(&id)?;
        let mut files = diff::files(&patch.text);
        let mut rest = MOST_LINES;
        let mut cut = patch.cut;
        for file in &mut files {
            if file.lines.len() > rest {
                file.cut += file.lines.len() - rest;
                file.lines.truncate(rest);
                cut = true;
            }
            rest -= file.lines.len();
        }
        Ok(PatchPart { patch, files, cut })
    });
    part_only(made.await)
}
