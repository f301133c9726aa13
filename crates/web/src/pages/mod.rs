//! Pages: the frame that all have, what stands in it, and the part that is fetched again when something happens.

pub mod activity;
pub mod agents;
pub mod board;
pub mod decisions;
pub mod flow;
pub mod health;
pub mod list;
pub mod now;
pub mod plan;
pub mod queue;
pub mod ticket;
mod words;

use askama::Template;
use axum::http::Uri;
use axum::response::Response;
use signalbox_desk::CommandError;

use crate::answer::{self, Wants, html};
use crate::markdown::Safe;

/// Where one can go from everywhere: address, name, and the key that leads there after `g`.
const PLACES: &[(&str, &str, char)] = &[
    ("/", "Now", 'n'),
    ("/board", "Board", 'b'),
    ("/list", "List", 'l'),
    ("/plan", "Plan", 'p'),
    ("/agents", "Agents", 'a'),
    ("/queue", "Queue", 'q'),
    ("/decisions", "Decisions", 'd'),
    ("/activity", "Activity", 't'),
    ("/flow", "Flow", 'f'),
    ("/health", "Health", 'h'),
];

/// The frame of every page.
#[derive(Template)]
#[template(path = "frame.html")]
struct Frame<'a> {
    title: &'a str,
    here: &'a str,
    nonce: &'a str,
    places: &'static [(&'static str, &'static str, char)],
    /// Where the changing part is fetched from; empty: nothing changes.
    part: &'a str,
    content: &'a str,
    scripts: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPart<'a> {
    message: &'a str,
    hint: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "outside.html")]
struct Outside<'a> {
    status: u16,
    message: &'a str,
    hint: Option<&'a str>,
    nonce: &'a str,
}

/// What a page is made of.
pub(crate) struct Page<'a> {
    pub title: &'a str,
    /// The place that is marked.
    pub here: &'a str,
    pub part: &'a str,
    pub scripts: &'a [&'a str],
}

/// A page, with what was made for it or why it could not be.
pub(crate) fn page<T: Template>(page: &Page<'_>, made: Result<T, CommandError>, nonce: &str) -> Response {
    match made.map(|content| content.render()) {
        Ok(Ok(content)) => framed(page, &content, nonce),
        Ok(Err(error)) => broken(Wants::Page, &error, nonce),
        Err(error) => answer::error(Wants::Page, &error, nonce),
    }
}

/// The part of it that changes.
pub(crate) fn part<T: Template>(made: Result<T, CommandError>) -> Response {
    match made.map(|content| content.render()) {
        Ok(Ok(content)) => html(content),
        Ok(Err(error)) => broken(Wants::Fragment, &error, ""),
        Err(error) => answer::error(Wants::Fragment, &error, ""),
    }
}

fn framed(page: &Page<'_>, content: &str, nonce: &str) -> Response {
    let frame = Frame {
        title: page.title,
        here: page.here,
        nonce,
        places: PLACES,
        part: page.part,
        content,
        scripts: page.scripts,
    };
    frame.render().map_or_else(|error| broken(Wants::Page, &error, nonce), html)
}

fn broken(wants: Wants, error: &askama::Error, nonce: &str) -> Response {
    let error = CommandError::failed("web.template", error);
    answer::error(wants, &error, nonce)
}

/// Why there is no such part.
pub(crate) fn problem_part(message: &str, hint: Option<&str>) -> String {
    ProblemPart { message, hint }.render().unwrap_or_default()
}

/// Why there is no such page. It stands alone, for those who may load nothing.
pub(crate) fn problem_page(status: u16, message: &str, hint: Option<&str>, nonce: &str) -> String {
    Outside { status, message, hint, nonce }.render().unwrap_or_default()
}

/// The address of the part that belongs to a page's own: the same words after the question mark.
pub(crate) fn part_of(uri: &Uri, path: &str) -> String {
    uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}

/// SVG of our own.
pub(crate) fn drawn(svg: String) -> Safe {
    Safe::made_here(svg)
}
