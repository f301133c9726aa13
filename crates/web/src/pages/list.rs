//! *List*: tickets one below the other, in an order, some at a time.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::{Choices, CommandError, Listed, Sort};

use super::words::{ago, status};
use super::{Page, page as framed, part as part_only, part_of};
use crate::api::{BoardQuery, asked};
use crate::gate::Nonce;
use crate::server::App;

/// How many at a time.
const ROWS: usize = 100;

#[derive(Template)]
#[template(path = "list.html")]
struct View {
    list: Listed,
    choices: Choices,
    query: BoardQuery,
    /// Name and address of each order, and whether it is this one.
    sorts: Vec<(&'static str, String, bool)>,
    /// Addresses of the rows before and after.
    before: Option<String>,
    after: Option<String>,
}

async fn view(app: Arc<App>, query: BoardQuery) -> Result<View, CommandError> {
    asked(app, move |desk| {
        let most = query.most(ROWS);
        let list = desk.list(&query.sieve(), query.sort, query.from, most)?;
        let at = |from: usize| address(&query, query.sort, from);
        let sorts =
            Sort::ALL.iter().map(|sort| (sort.as_str(), address(&query, *sort, 0), *sort == query.sort));
        let sorts = sorts.collect();
        let before = (list.from > 0).then(|| at(list.from.saturating_sub(most)));
        let next = list.from.saturating_add(most);
        let after = (next < list.total).then(|| at(next));
        Ok(View { list, choices: desk.choices()?, sorts, before, after, query })
    })
    .await
}

/// The list in an order, from a row on.
fn address(query: &BoardQuery, sort: Sort, from: usize) -> String {
    let fields = [
        ("project", query.project.as_str()),
        ("status", &query.status),
        ("priority", &query.priority),
        ("assignee", &query.assignee),
        ("tag", &query.tag),
        ("text", &query.text),
        ("sort", sort.as_str()),
    ];
    let mut address = format!("/list?from={from}");
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        address.push_str(&format!("&{name}={}", encoded(value)));
    }
    address
}

/// A text as it may stand after a question mark.
fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte);
    text.bytes()
        .map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Query(query): Query<BoardQuery>,
    uri: Uri,
) -> Response {
    let part = part_of(&uri, "/part/list");
    let frame = Page { title: "List", here: "/list", part: &part, scripts: &[] };
    framed(&frame, view(app, query).await, &nonce.0)
}

pub(crate) async fn part(State(app): State<Arc<App>>, Query(query): Query<BoardQuery>) -> Response {
    part_only(view(app, query).await)
}
