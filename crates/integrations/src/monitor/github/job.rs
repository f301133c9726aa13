//! A failed job of GitHub Actions: which step failed, and what its log says there.
//!
//! That a check failed is told even where none of this can be had: a log may be gone, and a token may not see it.

use serde::Deserialize;

use super::Wanted;
use crate::github::client::{Answer, Client, Found};
use crate::text;

/// How much of a log's end is looked at, and how long a log may be to be fetched as a whole.
const MOST_TAIL: usize = 64 << 10;
const MOST_LOG: usize = 8 << 20;
/// The longest line, and the most characters, that are told.
const WIDTH: usize = 500;
const MOST_TOLD: usize = 12_000;
/// How many errors are told that stand further up.
const MOST_ERRORS: usize = 10;
/// How GitHub marks an error in a log.
const ERROR: &str = "##[error]";
/// How it marks the beginning of a step, with the command.
const RUN: &str = "##[group]Run ";

#[derive(Debug, Default)]
pub struct Details {
    pub step: Option<String>,
    pub log: String,
}

#[derive(Debug, Deserialize)]
struct WireJob {
    #[serde(default)]
    steps: Vec<WireStep>,
}

#[derive(Debug, Deserialize)]
struct WireStep {
    name: String,
    conclusion: Option<String>,
}

/// The job's number in the address of its page: `…/actions/runs/1/job/2`.
pub fn number(details_url: &str) -> Option<u64> {
    let after = details_url.rsplit_once("/job/")?.1;
    after.split(['?', '#', '/']).next()?.parse().ok()
}

pub fn details(client: &mut Client, wanted: &Wanted, job: u64) -> Details {
    let path = wanted.place.path(&format!("actions/jobs/{job}"));
    let step = match client.get(&path, None, "the job") {
        Ok(Answer::Fresh(fresh)) => fresh.read::<WireJob>("the job").ok().and_then(failed_step),
        _ => None,
    };
    let log = log(client, &format!("{path}/logs")).unwrap_or_default();
    Details { step, log: told(&log, wanted.log_lines) }
}

fn failed_step(job: WireJob) -> Option<String> {
    let failed = |step: &&WireStep| matches!(step.conclusion.as_deref(), Some("failure" | "timed_out"));
    let names: Vec<String> =
        job.steps.iter().filter(failed).take(3).map(|step| text::line(&step.name, 200)).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The end of the log.
fn log(client: &mut Client, path: &str) -> Option<String> {
    let body = match client.find(path).ok()? {
        Found::Here(body) => body,
        Found::Elsewhere(url) => elsewhere(client, &url)?,
        Found::Nowhere => return None,
    };
    let tail = body.get(body.len().saturating_sub(MOST_TAIL)..).unwrap_or_default();
    let text = String::from_utf8_lossy(tail).into_owned();
    // The first line is whole only where all of it is here.
    let whole =
        if tail.len() < body.len() { text.split_once('\n').map(|(_, rest)| rest.to_owned()) } else { None };
    Some(whole.unwrap_or(text))
}

/// From where logs are kept. A long one is asked for its length first, and then for its end.
fn elsewhere(client: &Client, url: &str) -> Option<Vec<u8>> {
    if let Ok(response) = client.get_elsewhere(url, None, MOST_LOG) {
        return (response.status == 200).then_some(response.body);
    }
    let first = client.get_elsewhere(url, Some("bytes=0-0"), MOST_LOG).ok()?;
    let length: u64 = first.header("content-range")?.rsplit_once('/')?.1.parse().ok()?;
    let from = length.saturating_sub(MOST_TAIL as u64);
    let end = client.get_elsewhere(url, Some(&format!("bytes={from}-")), MOST_LOG).ok()?;
    (end.status == 206).then_some(end.body)
}

/// The lines that say what went wrong. The end of a log is what cleans up after the failure, so the lines up to the last
/// error count, and before them what was run and any errors that stand further up.
fn told(log: &str, lines: usize) -> String {
    let cleaned = text::clean(log);
    let all: Vec<&str> =
        cleaned.lines().map(without_time).filter(|line| !line.starts_with("##[endgroup]")).collect();
    let end = all.iter().rposition(|line| line.starts_with(ERROR)).map_or(all.len(), |last| last + 1);
    let begin = end.saturating_sub(lines);
    let is_kept = |at: &usize| all.get(*at).is_some_and(|line| line.starts_with(ERROR));
    let errors: Vec<usize> = (0..begin).filter(is_kept).collect();
    let errors = errors.get(errors.len().saturating_sub(MOST_ERRORS)..).unwrap_or_default();
    let run = (0..end).rfind(|at| all.get(*at).is_some_and(|line| line.starts_with(RUN)));
    let mut above: Vec<usize> = errors.iter().copied().chain(run.filter(|at| *at < begin)).collect();
    above.sort_unstable();
    let above: Vec<&str> = above.iter().filter_map(|at| all.get(*at).copied()).collect();
    let window = all.get(begin..end).unwrap_or_default();
    let mut kept: Vec<String> = Vec::new();
    let mut room = MOST_TOLD;
    // From the end, because that is where the reason is.
    for line in above.iter().chain(window).rev() {
        let line = text::tail(line.strip_prefix("##[group]").unwrap_or(line), 1, WIDTH);
        let Some(left) = room.checked_sub(line.chars().count() + 1) else { break };
        room = left;
        kept.push(line);
    }
    kept.reverse();
    kept.join("\n").trim_matches('\n').to_owned()
}

/// A line of a log begins with the time, to a ten-millionth of a second.
fn without_time(line: &str) -> &str {
    match line.split_once(' ') {
        Some((time, rest)) if is_time(time) => rest,
        None if is_time(line) => "",
        _ => line,
    }
}

fn is_time(word: &str) -> bool {
    (20..=32).contains(&word.len())
        && word.ends_with('Z')
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word.contains('T')
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | 'T' | 'Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_job() {
        for (url, want) in [
            ("https://github.com/o/r/actions/runs/12/job/34", Some(34)),
            ("https://github.com/o/r/actions/runs/12/job/34?pr=5#step:2:3", Some(34)),
            ("https://ci.example.com/job/x", None),
            ("", None),
        ] {
            assert_eq!(number(url), want, "{url}");
        }
    }

    #[test]
    fn the_lines_before_the_last_error_are_told() {
        let time = "2026-11-15T10:00:00.1234567Z";
        let log = format!(
            "\u{feff}{time} ##[group]Run make test\n{time} \u{1b}[36;1mmake test\u{1b}[0m\n{time} ##[endgroup]\n\
             {time} ##[error]early\n{time} one\n{time} two\n{time} three\n{time} \n\
             {time} ##[error]Process completed with exit code 2.\n{time} Post job cleanup.\n{time} [command]/usr/bin/git\n"
        );
        let all = "Run make test\nmake test\n##[error]early\none\ntwo\nthree\n\n##[error]Process completed with exit code 2.";
        assert_eq!(told(&log, 40), all);
        assert_eq!(
            told(&log, 3),
            "Run make test\n##[error]early\nthree\n\n##[error]Process completed with exit code 2."
        );
        assert_eq!(told("a\nb\nc", 2), "b\nc");
        assert_eq!(told("", 2), "");
        let wide = told(&format!("{}\n", "x".repeat(2000)).repeat(100), 100);
        assert!(wide.chars().count() <= MOST_TOLD, "{}", wide.len());
    }
}
