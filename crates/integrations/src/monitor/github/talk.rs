//! What people say: reviews, remarks on lines, comments.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_core::inject::Priority;

use super::state::List;
use super::{Looking, pages};
use crate::github::client::Answer;
use crate::github::pull::PullState;
use crate::monitor::{Event, Trouble};
use crate::text;

/// How much of it goes into one message, and how many messages one look makes of a list.
const MOST_BODY: usize = 4000;
const IN_ONE: usize = 20;
const MOST_AT_ONCE: usize = 100;

/// A review, a remark on a line, or a comment: GitHub gives all of them the same names.
#[derive(Debug, Clone, Deserialize)]
struct Said {
    id: u64,
    /// Nobody, where the user has been deleted since.
    user: Option<User>,
    body: Option<String>,
    html_url: Option<String>,
    author_association: Option<String>,
    state: Option<String>,
    submitted_at: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    path: Option<String>,
    line: Option<u64>,
    original_line: Option<u64>,
    pull_request_review_id: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
struct User {
    login: String,
}

impl Said {
    fn author(&self) -> &str {
        self.user.as_ref().map_or("ghost", |user| user.login.as_str())
    }

    fn is_trusted(&self) -> bool {
        matches!(self.author_association.as_deref(), Some("OWNER" | "MEMBER" | "COLLABORATOR"))
    }

    /// When it was there for others to read. A draft was created long before.
    fn at(&self) -> Option<Timestamp> {
        let times = [&self.submitted_at, &self.created_at, &self.updated_at];
        times.into_iter().flatten().filter_map(|time| time.parse().ok()).max()
    }

    fn body(&self) -> String {
        text::block(self.body.as_deref().unwrap_or_default(), MOST_BODY)
    }

    fn shown(&self) -> Value {
        json!({
            "author": text::line(self.author(), 100),
            "is_trusted": self.is_trusted(),
            "body": self.body(),
            "url": text::line(self.html_url.as_deref().unwrap_or_default(), 300),
            "path": self.path.as_deref().map(|path| text::line(path, 300)),
            "line": self.line.or(self.original_line),
        })
    }
}

impl Looking<'_> {
    /// Look at what was said, as long as the pull request is open, and once more when it ended: the reason is often
    /// the last thing said.
    pub(super) fn look_at_talk(&mut self, has_ended: bool) -> Result<(), Trouble> {
        let Some(pull) = self.state.pull.clone().filter(|pull| has_ended || pull.state == PullState::Open)
        else {
            return Ok(());
        };
        self.find_out_who_we_are()?;
        let number = pull.number;
        let reviews = self.new_in(|state| &mut state.reviews, &format!("pulls/{number}/reviews"))?;
        let remarks = self.new_in(|state| &mut state.remarks, &format!("pulls/{number}/comments"))?;
        let comments = self.new_in(|state| &mut state.comments, &format!("issues/{number}/comments"))?;
        let left = self.announce_reviews(&reviews, remarks);
        let rest: Vec<Said> = left.into_iter().chain(comments).collect();
        for some in rest.chunks(IN_ONE) {
            let shown: Vec<Value> = some.iter().map(Said::shown).collect();
            let key = some.first().map(|first| format!("pr_comment.{}", first.id));
            let event = self.event("pr_comment", json!({ "comments": shown }));
            self.events.push(Event { key, ..event });
        }
        Ok(())
    }

    /// Own words are no news, and the token says whose they are. One that belongs to no user says nothing.
    fn find_out_who_we_are(&mut self) -> Result<(), Trouble> {
        if self.wanted.own || self.state.me.is_some() {
            return Ok(());
        }
        let me = match self.client.get("/user", None, "the token's user") {
            Ok(Answer::Fresh(fresh)) => fresh.read::<User>("the token's user").map(|user| user.login),
            Ok(_) | Err(Trouble::Lasting(_)) => Ok(String::new()),
            Err(trouble) => Err(trouble),
        }?;
        self.state.me = Some(me);
        Ok(())
    }

    /// What is new in a list and of interest.
    fn new_in(&mut self, list: fn(&mut super::State) -> &mut List, path: &str) -> Result<Vec<Said>, Trouble> {
        let before = list(&mut self.state).clone();
        let path = self.wanted.place.path(path);
        let what = "what was said of the pull request";
        let found: Vec<Said> = pages::read(&mut self.client, list(&mut self.state), &path, what)?;
        let since = self.state.since;
        let mut new = Vec::new();
        for said in found {
            // A draft is nobody's business yet.
            if said.state.as_deref() == Some("PENDING") || list(&mut self.state).knows(said.id) {
                continue;
            }
            let is_old = self.is_first || said.at().is_some_and(|at| since.is_some_and(|since| at < since));
            if !is_old && self.is_of_interest(&said) {
                if new.len() == MOST_AT_ONCE {
                    // The rest comes at the next look, which must not be told that nothing changed.
                    let seen = std::mem::take(&mut list(&mut self.state).seen);
                    *list(&mut self.state) = List { page: before.page.max(1), seen, ..List::default() };
                    break;
                }
                new.push(said.clone());
            }
            list(&mut self.state).remember(said.id);
        }
        Ok(new)
    }

    fn is_of_interest(&self, said: &Said) -> bool {
        let author = said.author();
        let is = |name: &str| {
            let bare = author.strip_suffix("[bot]").unwrap_or(author);
            name.eq_ignore_ascii_case(author) || name.eq_ignore_ascii_case(bare)
        };
        let is_own = !self.wanted.own && self.state.me.as_deref().is_some_and(is);
        let is_ignored = self.wanted.ignore.iter().any(|name| is(name));
        !is_own && !is_ignored && (said.is_trusted() || !self.wanted.members_only)
    }

    /// Each review with its remarks. What belongs to none is left over.
    fn announce_reviews(&mut self, reviews: &[Said], mut remarks: Vec<Said>) -> Vec<Said> {
        for review in reviews {
            let state = match review.state.as_deref() {
                Some("APPROVED") => "approved",
                Some("CHANGES_REQUESTED") => "changes_requested",
                // Every remark on a line is a review by itself, without a word.
                Some("COMMENTED") if !review.body().is_empty() => "commented",
                _ => continue,
            };
            let mut own = Vec::new();
            remarks.retain(|remark| {
                let belongs = remark.pull_request_review_id == Some(review.id) && own.len() < IN_ONE;
                if belongs {
                    own.push(remark.shown());
                }
                !belongs
            });
            let mut fields = review.shown();
            fields["state"] = json!(state);
            fields["comments"] = json!(own);
            // A review is of the whole, whatever its remarks are of.
            if let Value::Object(fields) = &mut fields {
                fields.retain(|name, _| name != "path" && name != "line");
            }
            let key = Some(format!("pr_review.{}", review.id));
            let priority = (state == "changes_requested").then_some(Priority::High);
            let event = self.event("pr_review", fields);
            self.events.push(Event { key, priority, ..event });
        }
        remarks
    }
}
