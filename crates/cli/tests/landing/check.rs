//! What came of it, read with plain git and from the lines of the log. Nothing here asks our own code.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::ground::{Ground, command, git};

/// A commit of main: its parents, its tree, and the tickets that its message names.
#[derive(Debug)]
struct Commit {
    id: String,
    parents: Vec<String>,
    tree: String,
    tickets: Vec<String>,
}

impl Ground {
    /// Holds whenever nobody is at work: whatever is on main was validated, is there once, and is what it should be.
    pub fn check_main(&self) -> BTreeSet<String> {
        let main = self.main();
        let commits = self.commits(&format!("{}..{main}", self.first));
        let validated = self.validated();
        let mut on_main = BTreeSet::new();
        let mut before = self.first.clone();
        for commit in &commits {
            assert_eq!(commit.parents, [before.as_str()], "main is not linear at {}", commit.id);
            let [ticket] = commit.tickets.as_slice() else { panic!("{commit:?} is not one ticket's") };
            assert!(on_main.insert(ticket.clone()), "{ticket} landed twice");
            let handed = self.handed.iter().find(|handed| handed.id == *ticket).expect("a ticket of ours");
            assert!(!handed.is_bad, "{ticket} fails, and is on main");
            before.clone_from(&commit.id);
        }
        if let Some(last) = commits.last() {
            assert!(validated.contains(&last.tree), "nobody validated the tree of {}", last.id);
        }
        if let Some(unsaved) = &self.unsaved {
            let notes = self.env.read(self.env.project().join("notes.txt"));
            assert_eq!(notes, *unsaved, "the person's file was touched");
        }
        on_main
    }

    /// Holds when the loop has nothing left to do.
    pub fn check_all(&self) {
        let on_main = self.check_main();
        let good: BTreeSet<String> =
            self.handed.iter().filter(|handed| !handed.is_bad).map(|handed| handed.id.clone()).collect();
        assert_eq!(on_main, good, "main does not hold what was handed in");
        self.check_again_by_hand();
        self.check_log();
        self.check_states();
        self.check_checkout();
        self.check_blobs();
        self.env.sb(["doctor"]).success();
    }

    /// Every commit is its parent and what was handed in, put together by git's own merge in a checkout.
    fn check_again_by_hand(&self) {
        let scratch = self.scratch();
        let from = self.integration();
        git(&scratch, &["fetch", "-q", from.to_str().expect("UTF-8"), "+refs/heads/main:refs/theirs/main"]);
        let checked = git(&scratch, &["for-each-ref", "--format=%(refname)", "refs/checked"]);
        for commit in self.commits(&format!("{}..{}", self.first, self.main())) {
            let mark = format!("refs/checked/{}", commit.id);
            if checked.lines().any(|line| line == mark) {
                continue;
            }
            let [ticket] = commit.tickets.as_slice() else { continue };
            git(&scratch, &["checkout", "-q", "--detach", &commit.parents[0]]);
            git(&scratch, &["merge", "-q", "--squash", &format!("refs/mine/{ticket}")]);
            assert_eq!(git(&scratch, &["write-tree"]), commit.tree, "{} is not what {ticket} is", commit.id);
            git(&scratch, &["reset", "-q", "--hard"]);
            git(&scratch, &["update-ref", &mark, &commit.id]);
        }
    }

    /// The log says of each ticket once that it landed, and with a tree that was validated.
    fn check_log(&self) {
        let validated = self.validated();
        let mut landed: BTreeMap<String, usize> = BTreeMap::new();
        for event in self.events().filter(|event| event["event"] == "merge.landed") {
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            *landed.entry(text(&event["ticket"])).or_default() += 1;
            let (commit, tree) = (text(&event["data"]["landed"]), text(&event["data"]["tree"]));
            assert!(validated.contains(&tree), "{commit} landed with {tree}, which nobody validated");
        }
        for handed in &self.handed {
            let times = landed.get(&handed.id).copied().unwrap_or_default();
            assert_eq!(
                times,
                usize::from(!handed.is_bad),
                "{} is said to have landed {times} times",
                handed.id
            );
        }
    }

    /// The tickets are where main says they are.
    fn check_states(&self) {
        let listed = self.env.sb(["list", "--all", "--json"]).success().stdout;
        let tickets: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
        for handed in &self.handed {
            let ticket =
                tickets.iter().find(|ticket| ticket["id"] == handed.id.as_str()).expect("the ticket");
            assert_eq!(ticket["status"] == "done", !handed.is_bad, "{ticket}");
        }
    }

    /// The person's checkout is at main and clean, or as they left it.
    fn check_checkout(&self) {
        let project = self.env.project();
        assert!(!project.join(".git/index.lock").exists(), "the person's index is still locked");
        let status = git(&project, &["status", "--porcelain"]);
        if self.unsaved.is_some() {
            assert_eq!(status, " M notes.txt");
        } else {
            assert_eq!(status, "");
            assert_eq!(git(&project, &["rev-parse", "HEAD"]), self.main(), "the person's main stayed behind");
        }
    }

    /// All that anybody wrote can be had from a ref, or is still where they wrote it.
    fn check_blobs(&self) {
        let ours = self.integration();
        let listed = git(&ours, &["rev-list", "--objects", "--all"]);
        let mut reachable: BTreeSet<&str> =
            listed.lines().filter_map(|line| line.split(' ').next()).collect();
        let mut elsewhere = BTreeSet::new();
        for place in self.handed.iter().filter_map(|handed| handed.workspace.as_ref()) {
            if place.exists() {
                elsewhere.extend(self.present_in(place));
            }
        }
        reachable.extend(elsewhere.iter().map(String::as_str));
        for (blob, what) in &self.blobs {
            assert!(reachable.contains(blob.as_str()), "{blob} is lost: {what}");
        }
    }

    /// Which of the blobs a workspace still has, as objects or as files.
    fn present_in(&self, place: &std::path::Path) -> BTreeSet<String> {
        let mut child = command(place)
            .args(["cat-file", "--batch-check=%(objectname) %(objecttype)"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("git");
        let input: String = self.blobs.keys().map(|blob| format!("{blob}\n")).collect();
        child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("write");
        let output = child.wait_with_output().expect("git");
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let objects = output.lines().filter_map(|line| line.strip_suffix(" blob"));
        let files = git(place, &["ls-files", "-c", "-o", "-m", "--deduplicate"]);
        let there = files.lines().filter(|file| place.join(file).is_file());
        let files = there.map(|file| git(place, &["hash-object", "--", file]));
        objects.map(str::to_owned).chain(files).collect()
    }

    fn commits(&self, range: &str) -> Vec<Commit> {
        let format = "--format=%x01%H%x00%P%x00%T%x00%B";
        let text = git(&self.integration(), &["log", "--reverse", "--topo-order", format, range]);
        let commit = |text: &str| {
            let mut parts = text.split('\0').map(str::to_owned);
            let mut next = || parts.next().expect("a part");
            let (id, parents, tree, message) = (next(), next(), next(), next());
            let tickets = message.lines().filter_map(|line| line.strip_prefix("Ticket: ")).map(str::to_owned);
            Commit {
                id,
                parents: parents.split(' ').map(str::to_owned).collect(),
                tree,
                tickets: tickets.collect(),
            }
        };
        text.split('\u{1}').filter(|part| !part.is_empty()).map(commit).collect()
    }

    /// The trees that were on the disk when a validation passed, as git names them.
    fn validated(&self) -> BTreeSet<String> {
        let file = self.env.root().join("validated");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn events(&self) -> impl Iterator<Item = Value> {
        let files = self.env.files_below(self.env.home().join("events"));
        let is_day = |path: &std::path::Path| path.extension().is_some_and(|ending| ending == "jsonl");
        let lines = files.into_iter().filter(move |(path, _)| is_day(path)).flat_map(|(_, bytes)| {
            String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect::<Vec<_>>()
        });
        // A line that was torn by a kill is nobody's.
        lines.filter_map(|line| serde_json::from_str(&line).ok())
    }
}
