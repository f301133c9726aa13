//! Answers: a page, a fragment of one, JSON, or why not, each in the form that was asked for.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use signalbox_desk::{CommandError, Kind};

/// In which form an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    Page,
    Fragment,
    Json,
}

impl Wants {
    /// By the path that is asked for.
    pub fn of(path: &str) -> Self {
        if path.starts_with("/api/") || path.starts_with("/live") || path.starts_with("/socket/") {
            Self::Json
        } else if path.starts_with("/part/") {
            Self::Fragment
        } else {
            Self::Page
        }
    }
}

/// Why not, for programs. The same fields as on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Problem {
    /// Stable and dotted: `review.not-independent`.
    pub code: String,
    pub message: String,
    pub hints: Vec<String>,
}

/// An error of the desk as an answer.
pub fn error(wants: Wants, error: &CommandError, nonce: &str) -> Response {
    let status = match error.kind {
        Kind::Failure => StatusCode::INTERNAL_SERVER_ERROR,
        Kind::Usage => StatusCode::BAD_REQUEST,
        // What is gone under an open page: that it is gone is the page's part now, and no fault that a browser must report.
        Kind::NotFound if wants == Wants::Fragment => StatusCode::OK,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Precondition => StatusCode::CONFLICT,
    };
    let hint = error.hints.join(" ");
    let hint = (!hint.is_empty()).then_some(hint.as_str());
    problem(wants, status, &error.code, &error.message, hint, nonce)
}

/// Why not.
pub fn problem(
    wants: Wants,
    status: StatusCode,
    code: &str,
    message: &str,
    hint: Option<&str>,
    nonce: &str,
) -> Response {
    match wants {
        Wants::Json => {
            let hints = hint.into_iter().map(ToOwned::to_owned).collect();
            let problem = Problem { code: code.to_owned(), message: message.to_owned(), hints };
            (status, Json(problem)).into_response()
        }
        Wants::Fragment => (status, html(crate::pages::problem_part(message, hint))).into_response(),
        Wants::Page => {
            (status, html(crate::pages::problem_page(status.as_u16(), message, hint, nonce))).into_response()
        }
    }
}

/// Text as a page.
pub fn html(text: String) -> Response {
    let mut response = text.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}
