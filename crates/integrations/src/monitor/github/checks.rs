//! The checks of the branch's newest commit: those of apps, GitHub Actions among them, and the older commit statuses.

use serde::Deserialize;
use serde_json::{Value, json};

use super::state::{Checks, Failure, Tally};
use super::{Looking, job};
use crate::github::address::encoded;
use crate::github::client::Answer;
use crate::github::pull::PullState;
use crate::monitor::Trouble;
use crate::text;

/// How many pages of checks are read.
const MOST_PAGES: u32 = 10;
/// How many failures are kept of each source, how many are told of, and of how many the log is fetched.
const MOST_FAILURES: usize = 50;
const MOST_TOLD: usize = 10;
const MOST_LOGS: usize = 3;
const MOST_SAID: usize = 1000;

#[derive(Debug, Deserialize)]
struct WireRuns {
    total_count: u64,
    check_runs: Vec<WireRun>,
}

#[derive(Debug, Deserialize)]
struct WireRun {
    id: u64,
    name: String,
    status: String,
    conclusion: Option<String>,
    html_url: Option<String>,
    details_url: Option<String>,
    app: Option<WireApp>,
    output: Option<WireOutput>,
}

#[derive(Debug, Deserialize)]
struct WireApp {
    slug: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WireOutput {
    title: Option<String>,
    summary: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WireCombined {
    total_count: u64,
    statuses: Vec<WireStatus>,
}

#[derive(Debug, Deserialize)]
struct WireStatus {
    context: String,
    state: String,
    description: Option<String>,
    target_url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WireRef {
    #[serde(rename = "ref")]
    name: String,
    object: WireObject,
}

#[derive(Debug, Deserialize)]
struct WireObject {
    sha: String,
}

/// What a check came to.
enum Verdict {
    Passed,
    Running,
    Stopped,
    Failed(Failure),
}

impl Looking<'_> {
    pub(super) fn look_at_checks(&mut self) -> Result<(), Trouble> {
        let Some(head) = self.head()? else { return Ok(()) };
        if self.state.checks.head != head || self.state.checks.filter != self.wanted.checks {
            self.state.checks =
                Checks { head: head.clone(), filter: self.wanted.checks.clone(), ..Checks::default() };
        }
        let commit = self.wanted.place.path(&format!("commits/{}", encoded(&head)));
        self.read_runs(&format!("{commit}/check-runs"))?;
        self.read_statuses(&format!("{commit}/status"))?;
        self.tell(&head);
        Ok(())
    }

    /// The newest commit, if the branch is known there at all.
    fn head(&mut self) -> Result<Option<String>, Trouble> {
        if let Some(pull) = self.state.pull.as_ref().filter(|pull| pull.state == PullState::Open) {
            return Ok(Some(pull.head.clone()));
        }
        let place = &self.wanted.place;
        if place.is_fork {
            return Ok(None);
        }
        let branch: Vec<String> = place.branch.split('/').map(encoded).collect();
        let path = place.path(&format!("git/matching-refs/heads/{}", branch.join("/")));
        let what = format!("the branch {}", place.branch);
        if let Some(fresh) = self.client.get_known(&path, self.state.refs_tag.as_deref(), &what)? {
            // Those are all that begin so.
            let refs: Vec<WireRef> = fresh.read(&what)?;
            let wanted = format!("refs/heads/{}", place.branch);
            self.state.head =
                refs.into_iter().find(|found| found.name == wanted).map(|found| found.object.sha);
            self.state.refs_tag = fresh.tag;
        }
        Ok(self.state.head.clone())
    }

    fn read_runs(&mut self, path: &str) -> Result<(), Trouble> {
        let mut tag = self.state.checks.runs.tag.take();
        let mut tally = Tally::default();
        for page in 1..=MOST_PAGES {
            let query = format!("{path}?filter=latest&per_page=100&page={page}");
            let fresh = match self.client.get(&query, tag.as_deref(), "the checks")? {
                Answer::Same => {
                    self.state.checks.runs.tag = tag;
                    return Ok(());
                }
                Answer::Absent => break,
                Answer::Fresh(fresh) => fresh,
            };
            tag = None;
            let wire: WireRuns = fresh.read("the checks")?;
            let is_last = wire.check_runs.is_empty() || wire.total_count <= u64::from(page) * 100;
            for run in wire.check_runs.into_iter().filter(|run| counts(&self.wanted.checks, &run.name)) {
                tally.add(verdict_of_run(run));
            }
            if is_last {
                // A tag is that of one page, and says nothing of the others.
                tally.tag = fresh.tag.filter(|_| page == 1);
                break;
            }
        }
        self.state.checks.runs = tally;
        Ok(())
    }

    fn read_statuses(&mut self, path: &str) -> Result<(), Trouble> {
        let mut tag = self.state.checks.statuses.tag.take();
        let mut tally = Tally::default();
        for page in 1..=MOST_PAGES {
            let query = format!("{path}?per_page=100&page={page}");
            let fresh = match self.client.get(&query, tag.as_deref(), "the commit statuses")? {
                Answer::Same => {
                    self.state.checks.statuses.tag = tag;
                    return Ok(());
                }
                Answer::Absent => break,
                Answer::Fresh(fresh) => fresh,
            };
            tag = None;
            let wire: WireCombined = fresh.read("the commit statuses")?;
            let is_last = wire.statuses.is_empty() || wire.total_count <= u64::from(page) * 100;
            for status in wire.statuses.into_iter().filter(|one| counts(&self.wanted.checks, &one.context)) {
                tally.add(verdict_of_status(status));
            }
            if is_last {
                tally.tag = fresh.tag.filter(|_| page == 1);
                break;
            }
        }
        self.state.checks.statuses = tally;
        Ok(())
    }

    /// Tell what changed.
    fn tell(&mut self, head: &str) {
        let checks = &mut self.state.checks;
        let failed: Vec<Failure> =
            checks.runs.failed.iter().chain(&checks.statuses.failed).cloned().collect();
        let (is_told, is_new): (Vec<Failure>, Vec<Failure>) =
            failed.iter().cloned().partition(|failure| checks.told.contains(&failure.id));
        checks.told = failed.iter().map(|failure| failure.id.clone()).collect();
        let running = checks.runs.running + checks.statuses.running;
        let passed = checks.runs.passed + checks.statuses.passed;
        let stopped = checks.runs.stopped + checks.statuses.stopped;
        let commit = text::line(head.get(..7).unwrap_or(head), 40);
        if !failed.is_empty() {
            checks.told_success = false;
            if is_new.is_empty() {
                return;
            }
            let new = is_new.len();
            let shown = is_new.iter().chain(&is_told).take(MOST_TOLD).enumerate();
            let shown: Vec<Value> =
                shown.map(|(at, failure)| self.shown(failure, at < MOST_LOGS, at < new)).collect();
            let more = failed.len() - shown.len();
            let fields = json!({ "commit": commit, "checks": shown, "more": more, "running": running });
            self.announce("ci_failure", fields);
        } else if running == 0 && stopped == 0 && passed > 0 && !checks.told_success {
            checks.told_success = true;
            if !self.is_first {
                self.announce("ci_success", json!({ "commit": commit, "count": passed }));
            }
        }
    }

    fn shown(&mut self, failure: &Failure, with_log: bool, is_new: bool) -> Value {
        let job = failure.job.filter(|_| with_log);
        let details = job.map(|job| job::details(&mut self.client, self.wanted, job)).unwrap_or_default();
        json!({
            "name": failure.name,
            "step": details.step,
            "log": details.log,
            "said": failure.said,
            "url": failure.url,
            "is_new": is_new,
        })
    }
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Running => self.running += 1,
            Verdict::Stopped => self.stopped += 1,
            Verdict::Failed(failure) if self.failed.len() < MOST_FAILURES => self.failed.push(failure),
            Verdict::Failed(_) => {}
        }
    }
}

fn verdict_of_run(run: WireRun) -> Verdict {
    match (run.status.as_str(), run.conclusion.as_deref()) {
        ("completed", Some("success" | "neutral" | "skipped")) => Verdict::Passed,
        ("completed", Some("failure" | "timed_out" | "startup_failure")) => Verdict::Failed(failure(run)),
        ("completed", _) => Verdict::Stopped,
        _ => Verdict::Running,
    }
}

fn failure(run: WireRun) -> Failure {
    let is_action = run.app.and_then(|app| app.slug).as_deref() == Some("github-actions");
    let details = run.details_url.unwrap_or_default();
    let output = run.output.map(|output| [output.title, output.summary]).into_iter().flatten().flatten();
    Failure {
        id: format!("check:{}", run.id),
        name: text::line(&run.name, 200),
        url: text::line(&run.html_url.unwrap_or_else(|| details.clone()), 300),
        said: text::block(&output.collect::<Vec<_>>().join("\n"), MOST_SAID),
        job: is_action.then(|| job::number(&details).unwrap_or(run.id)),
    }
}

fn verdict_of_status(status: WireStatus) -> Verdict {
    match status.state.as_str() {
        "success" => Verdict::Passed,
        "failure" | "error" => Verdict::Failed(Failure {
            id: format!("status:{}", text::line(&status.context, 200)),
            name: text::line(&status.context, 200),
            url: text::line(&status.target_url.unwrap_or_default(), 300),
            said: text::block(&status.description.unwrap_or_default(), MOST_SAID),
            job: None,
        }),
        _ => Verdict::Running,
    }
}

/// Whether a check counts: all do, or those that fit one of the patterns.
fn counts(patterns: &[String], name: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, name))
}

/// `*` stands for anything, everything else for itself.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(begin) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        match name.split_once(part) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, want) in [
            ("build", "build", true),
            ("build", "build 2", false),
            ("build*", "build (ubuntu, 3.9)", true),
            ("*lint*", "the lint job", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
    }
}
