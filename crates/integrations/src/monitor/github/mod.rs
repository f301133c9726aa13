//! A branch on GitHub: its checks, and what people say of its pull request.
//!
//! Every question carries the tag of the last answer, and an unchanged answer costs nothing. What was announced is kept
//! in the state, so that nothing is announced twice; what is new is found by what was not there before and not by the time
//! of the look, so that nothing is missed however long nobody looked. A look in which anything goes wrong leaves the state
//! as it was and announces nothing: the next one finds the same again.

mod checks;
mod job;
mod pages;
mod pull;
mod state;
mod talk;

use std::time::Duration;

use serde_json::{Value, json};
use signalbox_core::inject::Priority;
use signalbox_template::Bundled;

use super::{Environment, Event, EventKind, Look, MonitorType, Proposal, Seen, Trouble};
use crate::github::client::Client;
use crate::github::pull::Pull;
use crate::github::{self, Place};
use crate::settings::{self, BadSettings, Key, Settings};
use state::State;

const USUAL_LOG_LINES: u64 = 40;
const MOST_LOG_LINES: u64 = 500;
const FIVE_MINUTES: Duration = Duration::from_secs(300);
const PLACE: &[(&str, &str)] = &[
    ("repo", "The repository, as `owner/name`"),
    ("branch", "The branch"),
    ("pr", "The pull request, with `number`, `title` and `url`; null where there is none"),
];

pub const TYPE: MonitorType = MonitorType {
    name: "github",
    about: "Watches a branch on GitHub: checks, reviews, comments, and what becomes of its pull request",
    keys: &[
        github::REPO,
        github::BRANCH,
        github::FORK,
        github::TOKEN,
        github::API_URL,
        Key::optional(
            "checks",
            "The names of the checks that count, `*` for anything; all unless this is set",
        ),
        Key::optional("ignore", "Whose reviews and comments are not announced"),
        Key::optional("own", "`true`: announce also what the user says whose token is used"),
        Key::optional("members_only", "`true`: announce only what owners, members and collaborators say"),
        Key::optional("log_lines", "How many lines of a failed job's log are told; 40 unless this is set"),
    ],
    privileged: false,
    events: EVENTS,
    names_own_events: false,
    every: Duration::from_secs(60),
    propose,
    complete: github::complete,
    check,
    look,
    templates: &[
        Bundled { folder: "github", event: "ci_failure", text: include_str!("ci_failure.jinja") },
        Bundled { folder: "github", event: "ci_success", text: include_str!("ci_success.jinja") },
        Bundled { folder: "github", event: "pr_review", text: include_str!("pr_review.jinja") },
        Bundled { folder: "github", event: "pr_comment", text: include_str!("pr_comment.jinja") },
        Bundled { folder: "github", event: "pr_conflict", text: include_str!("pr_conflict.jinja") },
        Bundled { folder: "github", event: "pr_merged", text: include_str!("pr_merged.jinja") },
        Bundled { folder: "github", event: "pr_closed", text: include_str!("pr_closed.jinja") },
    ],
};

const EVENTS: &[EventKind] = &[
    EventKind {
        name: "ci_failure",
        about: "A check of the newest commit failed",
        priority: Priority::Normal,
        ttl: FIVE_MINUTES,
        key: Some("ci_status"),
        fields: &[
            PLACE[0],
            PLACE[1],
            PLACE[2],
            ("commit", "The commit, shortened"),
            (
                "checks",
                "The failed checks, new ones first; each with `name`, `step`, `log`, `said`, `url` and `is_new`",
            ),
            ("more", "How many more failed than are listed"),
            ("running", "How many checks are not finished"),
        ],
    },
    EventKind {
        name: "ci_success",
        about: "All checks of the newest commit are finished, and none failed",
        priority: Priority::Normal,
        ttl: Duration::from_secs(60),
        key: Some("ci_status"),
        fields: &[
            PLACE[0],
            PLACE[1],
            PLACE[2],
            ("commit", "The commit, shortened"),
            ("count", "How many checks there were"),
        ],
    },
    EventKind {
        name: "pr_review",
        about: "Somebody reviewed the pull request; `high` where changes are asked for",
        priority: Priority::Normal,
        ttl: FIVE_MINUTES,
        key: None,
        fields: &[
            PLACE[0],
            PLACE[1],
            PLACE[2],
            ("state", "`approved`, `changes_requested` or `commented`"),
            ("author", "Who"),
            ("is_trusted", "Whether that is an owner, member or collaborator"),
            ("body", "What was said"),
            ("url", "Where"),
            ("comments", "What was said of single lines; each with `path`, `line`, `body` and `url`"),
        ],
    },
    EventKind {
        name: "pr_comment",
        about: "Somebody said something of the pull request or of lines in it",
        priority: Priority::Normal,
        ttl: FIVE_MINUTES,
        key: None,
        fields: &[
            PLACE[0],
            PLACE[1],
            PLACE[2],
            (
                "comments",
                "Each with `author`, `is_trusted`, `body`, `url`, and `path` and `line` where it is of one",
            ),
        ],
    },
    EventKind {
        name: "pr_conflict",
        about: "The pull request can no longer be merged without resolving conflicts",
        priority: Priority::Normal,
        ttl: FIVE_MINUTES,
        key: Some("pr_state"),
        fields: &[PLACE[0], PLACE[1], PLACE[2], ("base", "The branch it is to be merged into")],
    },
    EventKind {
        name: "pr_merged",
        about: "The pull request was merged",
        priority: Priority::Normal,
        ttl: FIVE_MINUTES,
        key: Some("pr_state"),
        fields: PLACE,
    },
    EventKind {
        name: "pr_closed",
        about: "The pull request was closed without being merged",
        priority: Priority::Normal,
        ttl: FIVE_MINUTES,
        key: Some("pr_state"),
        fields: PLACE,
    },
];

/// The settings, read.
#[derive(Debug)]
struct Wanted {
    place: Place,
    checks: Vec<String>,
    ignore: Vec<String>,
    own: bool,
    members_only: bool,
    log_lines: usize,
}

impl Wanted {
    fn read(settings: &Settings) -> Result<Self, BadSettings> {
        settings::text(settings, "token")?;
        let place = Place::of(settings)?;
        if place.branch.is_empty() {
            return Err(BadSettings("`branch` is empty, and has to be the name of a branch".to_owned()));
        }
        let lines = settings::number(settings, "log_lines", 1..=MOST_LOG_LINES)?.unwrap_or(USUAL_LOG_LINES);
        Ok(Self {
            place,
            checks: settings::texts(settings, "checks")?,
            ignore: settings::texts(settings, "ignore")?,
            own: settings::switch(settings, "own")?,
            members_only: settings::switch(settings, "members_only")?,
            log_lines: usize::try_from(lines).unwrap_or(usize::MAX),
        })
    }
}

/// What one look works with.
struct Looking<'a> {
    client: Client,
    wanted: &'a Wanted,
    state: State,
    /// Nobody looked before: what is so is no news, unless it is bad.
    is_first: bool,
    events: Vec<Event>,
}

impl Looking<'_> {
    fn event(&self, kind: &str, fields: Value) -> Event {
        let place = &self.wanted.place;
        let pull = self.state.pull.as_ref().map(shown);
        let mut all = Settings::new();
        all.insert("repo".to_owned(), json!(place.repo));
        all.insert("branch".to_owned(), json!(place.branch));
        all.insert("pr".to_owned(), json!(pull));
        if let Value::Object(fields) = fields {
            all.extend(fields);
        }
        Event { kind: kind.to_owned(), fields: all, ..Event::default() }
    }

    fn announce(&mut self, kind: &str, fields: Value) {
        let event = self.event(kind, fields);
        self.events.push(event);
    }
}

fn shown(pull: &Pull) -> Value {
    json!({ "number": pull.number, "title": pull.title, "url": pull.url })
}

fn propose(environment: &Environment) -> Option<Proposal> {
    let settings = github::complete(Settings::new(), environment);
    let is_whole = settings.contains_key("repo") && settings.contains_key("branch");
    is_whole.then(|| Proposal { name: TYPE.name.to_owned(), settings })
}

fn check(settings: &Settings) -> Result<(), BadSettings> {
    Wanted::read(settings).map(|_| ())
}

fn look(look: &Look<'_>) -> Result<Seen, Trouble> {
    let wanted = Wanted::read(look.settings)?;
    let client = wanted.place.client(look.settings, Some(look.now), look.time)?;
    let state = State::read(look.before, &wanted.place);
    let is_first = state.since.is_none();
    let mut looking = Looking { client, wanted: &wanted, state, is_first, events: Vec::new() };
    let ended = looking.look_at_pull()?;
    let date = looking.client.date.unwrap_or(look.now);
    looking.state.since.get_or_insert(date);
    looking.look_at_talk(ended.is_some())?;
    looking.look_at_checks()?;
    if let Some(kind) = ended {
        looking.announce(kind, Value::Null);
    }
    let Looking { client, state, events, .. } = looking;
    Ok(Seen { state: json!(state), events, not_before: client.not_before })
}
