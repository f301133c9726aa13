//! What templates may do with a value besides what Jinja knows: make foreign text short, and keep it apart.

use minijinja::{Environment, Error, ErrorKind};

/// The longest a filter may make a text, in lines or characters.
const MOST: usize = 100_000;

pub fn add(environment: &mut Environment<'_>) {
    environment.add_filter("short", short);
    environment.add_filter("one_line", |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" "));
    environment.add_filter("last_lines", last_lines);
    environment.add_filter("quoted", quoted);
    environment.add_filter("fenced", fenced);
    environment.add_filter("tojson", tojson);
}

fn bounded(count: usize) -> Result<usize, Error> {
    match count {
        1..=MOST => Ok(count),
        _ => Err(Error::new(ErrorKind::InvalidOperation, format!("{count} is not between 1 and {MOST}"))),
    }
}

/// At most so many characters; what is left out shows.
fn short(text: &str, most: usize) -> Result<String, Error> {
    let most = bounded(most)?;
    if text.chars().count() <= most {
        return Ok(text.to_owned());
    }
    Ok(text.chars().take(most - 1).chain(['…']).collect())
}

/// The last lines of a log, which is where it says what went wrong.
fn last_lines(text: &str, most: usize) -> Result<String, Error> {
    let most = bounded(most)?;
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines.get(lines.len().saturating_sub(most)..).unwrap_or_default().join("\n"))
}

/// Somebody's words, as a mail quotes them.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// A block of code that nothing inside can close.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A value as JSON, quotes and all: the way to get foreign text into a JSON document.
fn tojson(value: minijinja::Value) -> Result<String, Error> {
    if value.is_undefined() {
        return Err(ErrorKind::UndefinedError.into());
    }
    serde_json::to_string(&value).map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}
