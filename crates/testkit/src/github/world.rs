//! What is so on GitHub, and how the API says it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{OWNER, REPO};

#[derive(Debug)]
pub struct World {
    /// Since ten o'clock on 2026-11-15.
    pub seconds: u64,
    pub left: u64,
    next_id: u64,
    pub branches: BTreeMap<String, String>,
    pub pulls: Vec<Pull>,
    pub issues: BTreeMap<u64, Option<String>>,
    /// By commit.
    pub checks: BTreeMap<String, Vec<Check>>,
    pub statuses: BTreeMap<String, Vec<(String, String, String)>>,
    /// By pull request.
    pub reviews: BTreeMap<u64, Vec<Said>>,
    pub remarks: BTreeMap<u64, Vec<Said>>,
    pub comments: BTreeMap<u64, Vec<Said>>,
}

#[derive(Debug)]
pub struct Pull {
    pub number: u64,
    branch: String,
    title: String,
    created: String,
    /// When, and whether it was merged.
    ended: Option<(String, bool)>,
    pub mergeable: Option<bool>,
}

#[derive(Debug)]
pub struct Check {
    pub id: u64,
    pub name: String,
    pub app: &'static str,
    pub conclusion: Option<String>,
    pub step: Option<String>,
    pub log: Option<String>,
    pub output: (String, String),
}

#[derive(Debug)]
pub struct Said {
    pub id: u64,
    author: String,
    body: String,
    at: String,
    state: Option<String>,
    /// Path, line, and the review it belongs to.
    place: Option<(String, u64, u64)>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            seconds: 0,
            left: 4999,
            next_id: 1000,
            branches: BTreeMap::new(),
            pulls: Vec::new(),
            issues: BTreeMap::new(),
            checks: BTreeMap::new(),
            statuses: BTreeMap::new(),
            reviews: BTreeMap::new(),
            remarks: BTreeMap::new(),
            comments: BTreeMap::new(),
        }
    }
}

impl Check {
    pub fn running(name: &str) -> Self {
        Self {
            id: 0,
            name: name.to_owned(),
            app: "github-actions",
            conclusion: None,
            step: None,
            log: None,
            output: (String::new(), String::new()),
        }
    }

    fn shown(&self, sha: &str) -> Value {
        let (title, summary) = (&self.output.0, &self.output.1);
        json!({
            "id": self.id, "name": self.name, "node_id": "MDg6Q2hlY2tSdW4x", "head_sha": sha, "external_id": "",
            "url": format!("https://api.github.com/repos/{REPO}/check-runs/{}", self.id),
            "html_url": format!("https://github.com/{REPO}/actions/runs/1/job/{}", self.id),
            "details_url": format!("https://github.com/{REPO}/actions/runs/1/job/{}", self.id),
            "status": if self.conclusion.is_some() { "completed" } else { "in_progress" },
            "conclusion": self.conclusion,
            "started_at": "2026-11-15T10:00:00Z", "completed_at": null,
            "output": { "title": title, "summary": summary, "text": null, "annotations_count": 0 },
            "check_suite": { "id": 5 },
            "app": { "id": 15368, "slug": self.app, "name": self.app, "owner": { "login": "github" } },
            "pull_requests": [],
        })
    }

    pub fn job(&self) -> Value {
        let done =
            json!({ "name": "Set up job", "status": "completed", "conclusion": "success", "number": 1 });
        let failed = self.step.as_ref().map(
            |step| json!({ "name": step, "status": "completed", "conclusion": self.conclusion, "number": 2 }),
        );
        let after = json!({ "name": "Post Run actions/checkout@v4", "status": "completed", "conclusion": "success", "number": 9 });
        let steps: Vec<Value> = [Some(done), failed, Some(after)].into_iter().flatten().collect();
        json!({
            "id": self.id, "run_id": 1, "name": self.name, "status": "completed", "conclusion": self.conclusion,
            "labels": ["ubuntu-latest"], "runner_name": "GitHub Actions 2", "steps": steps,
        })
    }
}

impl Said {
    pub fn new(world: &mut World, author: &str, body: &str) -> Self {
        let (id, at) = (world.id(), world.now());
        Self { id, author: author.to_owned(), body: body.to_owned(), at, state: None, place: None }
    }

    pub fn shown(&self, number: u64) -> Value {
        let association = match self.author.as_str() {
            OWNER => "OWNER",
            stranger if stranger.starts_with("stranger") => "NONE",
            _ => "MEMBER",
        };
        let mut shown = json!({
            "id": self.id, "node_id": "IC_kw", "body": self.body, "author_association": association,
            "user": { "login": self.author, "id": 7, "type": "User", "site_admin": false },
            "html_url": format!("https://github.com/{REPO}/pull/{number}#said-{}", self.id),
        });
        if let Some(state) = &self.state {
            shown["state"] = json!(state);
            shown["submitted_at"] = json!(self.at);
            shown["commit_id"] = json!("6dcb09b5b57875f334f61aebed695e2e4193db5e");
        } else {
            shown["created_at"] = json!(self.at);
            shown["updated_at"] = json!(self.at);
        }
        if let Some((path, line, review)) = &self.place {
            shown["path"] = json!(path);
            shown["line"] = json!(line);
            shown["side"] = json!("RIGHT");
            shown["diff_hunk"] = json!("@@ -1 +1 @@");
            shown["pull_request_review_id"] = json!(review);
        }
        shown
    }
}

impl World {
    pub fn now(&self) -> String {
        format!("2026-11-15T{}Z", self.clock())
    }

    /// Hours, minutes and seconds.
    pub fn clock(&self) -> String {
        let seconds = 10 * 3600 + self.seconds;
        format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// As the header about limits counts.
    pub fn epoch(&self) -> u64 {
        1_794_736_800 + self.seconds
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub fn push(&mut self, branch: &str, sha: &str) {
        self.branches.insert(branch.to_owned(), sha.to_owned());
    }

    pub fn open(&mut self, branch: &str, title: &str) -> u64 {
        let number = self.pulls.len() as u64 + 1;
        self.pulls.push(Pull {
            number,
            branch: branch.to_owned(),
            title: title.to_owned(),
            created: self.now(),
            ended: None,
            mergeable: Some(true),
        });
        number
    }

    pub fn pull(&mut self, number: u64) -> &mut Pull {
        self.pulls.iter_mut().find(|pull| pull.number == number).expect("a pull request of that number")
    }

    pub fn end(&mut self, number: u64, is_merged: bool) {
        let now = self.now();
        self.pull(number).ended = Some((now, is_merged));
    }

    pub fn check(&mut self, sha: &str, mut check: Check) {
        check.id = self.id();
        let all = self.checks.entry(sha.to_owned()).or_default();
        all.retain(|known| known.name != check.name);
        all.push(check);
    }

    pub fn find_check(&self, id: u64) -> Option<&Check> {
        self.checks.values().flatten().find(|check| check.id == id)
    }

    pub fn status(&mut self, sha: &str, context: &str, state: &str, description: &str) {
        let all = self.statuses.entry(sha.to_owned()).or_default();
        all.retain(|(known, _, _)| known != context);
        all.push((context.to_owned(), state.to_owned(), description.to_owned()));
    }

    pub fn review(
        &mut self,
        number: u64,
        author: &str,
        state: &str,
        body: &str,
        remarks: &[(&str, u64, &str)],
    ) -> u64 {
        let mut review = Said::new(self, author, body);
        review.state = Some(state.to_owned());
        let id = review.id;
        self.reviews.entry(number).or_default().push(review);
        for (path, line, text) in remarks {
            let mut remark = Said::new(self, author, text);
            remark.place = Some(((*path).to_owned(), *line, id));
            self.remarks.entry(number).or_default().push(remark);
        }
        id
    }

    pub fn shown_checks(&self, sha: &str) -> Vec<Value> {
        self.checks.get(sha).into_iter().flatten().map(|check| check.shown(sha)).collect()
    }

    pub fn shown_statuses(&self, sha: &str) -> Vec<Value> {
        let all = self.statuses.get(sha).into_iter().flatten();
        let shown = all.map(|(context, state, description)| {
            json!({
                "context": context, "state": state, "description": description, "id": 1,
                "target_url": format!("https://ci.example.com/{context}"), "created_at": self.now(),
            })
        });
        shown.collect()
    }

    pub fn shown_pull(&self, pull: &Pull, alone: bool) -> Value {
        let ended = pull.ended.as_ref();
        let head = self.branches.get(&pull.branch).cloned().unwrap_or_default();
        let mut shown = json!({
            "id": pull.number + 100, "number": pull.number, "title": pull.title, "draft": false, "locked": false,
            "state": if ended.is_some() { "closed" } else { "open" },
            "html_url": format!("https://github.com/{REPO}/pull/{}", pull.number),
            "created_at": pull.created,
            "closed_at": ended.map(|(at, _)| at),
            "merged_at": ended.filter(|(_, is_merged)| *is_merged).map(|(at, _)| at),
            "user": { "login": OWNER },
            "head": { "label": format!("{OWNER}:{}", pull.branch), "ref": pull.branch, "sha": head, "repo": { "full_name": REPO } },
            "base": { "ref": "main", "sha": "base" },
        });
        if alone {
            shown["mergeable"] = json!(pull.mergeable);
            shown["merged"] = json!(ended.is_some_and(|(_, is_merged)| *is_merged));
        }
        shown
    }

    /// The pull requests of `owner:branch`, the newest first.
    pub fn pulls_of(&self, head: &str) -> Vec<Value> {
        let branch = head.strip_prefix(&format!("{OWNER}:")).unwrap_or_default();
        let all = self.pulls.iter().rev().filter(|pull| pull.branch == branch);
        all.map(|pull| self.shown_pull(pull, false)).collect()
    }
}
