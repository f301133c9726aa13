//! The way in, by a link that works once, and the way out.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{HeaderMap, HeaderValue, LOCATION, SET_COOKIE};
use axum::response::{IntoResponse, Response};

use crate::answer::{Wants, problem};
use crate::gate::Nonce;
use crate::server::App;

pub(crate) async fn enter(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Path(word): Path<String>,
) -> Response {
    let redeemed = tokio::task::block_in_place(|| app.gate.tickets.redeem(&word));
    match redeemed {
        Ok(Some(token)) => {
            let mut response = (StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response();
            if let Ok(cookie) = HeaderValue::from_str(&app.gate.cookie(&token)) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => problem(
            Wants::Page,
            StatusCode::UNAUTHORIZED,
            "web.link",
            "this link was used before, is older than ten minutes, or is from before the server was started again",
            Some("Run `sb web --open` in a terminal: it prints a fresh link and opens it."),
            &nonce.0,
        ),
        Err(error) => {
            let message = format!("the token cannot be kept: {error}");
            problem(Wants::Page, StatusCode::INTERNAL_SERVER_ERROR, "web.keep", &message, None, &nonce.0)
        }
    }
}

pub(crate) async fn leave(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    headers: HeaderMap,
) -> Response {
    let token = app.gate.cookie_of(&headers).ok().flatten().map(ToOwned::to_owned);
    let forgotten = token.map(|token| tokio::task::block_in_place(|| app.gate.tickets.forget(&token)));
    if let Some(Err(error)) = forgotten {
        let message = format!("the browser could not be signed out: {error}");
        return problem(Wants::Page, StatusCode::INTERNAL_SERVER_ERROR, "web.keep", &message, None, &nonce.0);
    }
    StatusCode::NO_CONTENT.into_response()
}
