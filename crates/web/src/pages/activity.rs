//! *Activity*: what happened, the newest first, sifted as one likes.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::{Activity, Choices, CommandError};

use super::words::ago;
use super::{Page, page as framed, part as part_only, part_of};
use crate::api::{ActivityQuery, MOST_LISTED, asked};
use crate::gate::Nonce;
use crate::server::App;

/// How many are shown.
const ENTRIES: usize = 150;

#[derive(Template)]
#[template(path = "activity.html")]
struct View {
    activity: Activity,
    choices: Choices,
    query: ActivityQuery,
}

async fn view(app: Arc<App>, query: ActivityQuery) -> Result<View, CommandError> {
    asked(app, move |desk| {
        let most = query.most.unwrap_or(ENTRIES).min(MOST_LISTED);
        Ok(View { activity: desk.activity(&query.wanted(), most)?, choices: desk.choices()?, query })
    })
    .await
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Query(query): Query<ActivityQuery>,
    uri: Uri,
) -> Response {
    let part = part_of(&uri, "/part/activity");
    let frame = Page { title: "Activity", here: "/activity", part: &part, scripts: &[] };
    framed(&frame, view(app, query).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Query(query): Query<ActivityQuery>) -> Response {
    part_only(view(app, query).await)
}
