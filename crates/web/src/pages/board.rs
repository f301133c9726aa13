//! *Board*: tickets in columns. A card is dragged, or moved by its menu, and a refusal is shown where it was dropped.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::{Board, Choices, CommandError};

use super::words::{ago, status};
use super::{Page, page as framed, part as part_only, part_of};
use crate::api::{BoardQuery, CARDS, asked};
use crate::gate::Nonce;
use crate::server::App;

#[derive(Template)]
#[template(path = "board.html")]
struct View {
    board: Board,
    choices: Choices,
    query: BoardQuery,
    more: usize,
}

async fn view(app: Arc<App>, query: BoardQuery) -> Result<View, CommandError> {
    asked(app, move |desk| {
        let most = query.most(CARDS);
        let board = desk.board(&query.sieve(), most)?;
        Ok(View { board, choices: desk.choices()?, more: most.saturating_mul(4), query })
    })
    .await
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Query(query): Query<BoardQuery>,
    uri: Uri,
) -> Response {
    let part = part_of(&uri, "/part/board");
    let frame = Page { title: "Board", here: "/board", part: &part, scripts: &["board.js"] };
    framed(&frame, view(app, query).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Query(query): Query<BoardQuery>) -> Response {
    part_only(view(app, query).await)
}
