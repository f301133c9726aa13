//! A repository with a contract, tickets that are handed in to it without an agent, and the loop over them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use signalbox_git::{BranchName, Git, Integration, Key, Oid, WorkspaceSpec};
use signalbox_testkit::{Dice, TestEnv};

/// How long the loop may take to bring everything to an end after it was killed.
const SOON: Duration = Duration::from_secs(30);

/// What the validation does: it writes down the tree that it finds on the disk, if that is good. Git is given a repository
/// of its own, so that nothing of ours has a part in it. Where it is told to, it kills the loop, and goes on as an orphan
/// that spoils the files it stands in.
const VALIDATION: &str = r#"
if [ -e "$HOME/kill" ]; then
    rm "$HOME/kill"
    kill -9 $PPID
    n=0
    while [ $n -lt 400 ]; do n=$((n+1)); echo "orphan $n" > list.txt; echo "orphan $n" > "orphan-$n"; done
    exit 0
fi
export GIT_DIR="$HOME/seen.git" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$HOME/index.$$"
git add -A -f . && tree=$(git write-tree) || exit 1
rm -f "$GIT_INDEX_FILE"
for bad in bad-*; do
    [ -e "$bad" ] && { echo "$bad is bad"; exit 1; }
done
echo "$tree" >> "$HOME/validated"
"#;

/// How many lines the file has that all tickets change.
pub const LINES: usize = 400;

/// One ticket that was handed in.
#[derive(Debug)]
pub struct Handed {
    pub id: String,
    /// The validation will not let it pass.
    pub is_bad: bool,
    /// Where somebody worked on it, if that was not the person's own repository.
    pub workspace: Option<PathBuf>,
}

pub struct Ground {
    pub env: TestEnv,
    pub handed: Vec<Handed>,
    /// Every file that anybody wrote, as git names its content, and where.
    pub blobs: BTreeMap<String, String>,
    /// What the person has in their checkout and has not committed.
    pub unsaved: Option<String>,
    /// Where main was before anything landed.
    pub first: String,
}

/// How a loop ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Killed,
    Idle,
}

impl Ground {
    pub fn new(batch: usize) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_sb"));
        let project = env.project();
        env.write(env.root().join("check.sh"), VALIDATION);
        for folder in [".signalbox", "old"] {
            std::fs::create_dir_all(project.join(folder)).expect("a folder");
        }
        let contract = format!(
            "[run]\nattempts = 1\n[merge]\nbatch = {batch}\n[validate]\nretry_flaky = false\n\
             steps = [{{ name = \"test\", run = 'exec sh \"$HOME/check.sh\"', time = \"1m\" }}]\n"
        );
        env.write(project.join(".signalbox/project.toml"), contract);
        let list: String = (0..LINES).map(|line| format!("line {line}\n")).collect();
        env.write(project.join("list.txt"), list);
        for n in 0..40 {
            env.write(project.join(format!("old/{n}.txt")), format!("old {n}\n"));
        }
        env.write(project.join("notes.txt"), "notes\n");
        git(&project, &["init", "-q", "-b", "main"]);
        git(&project, &["add", "-A"]);
        git(&project, &["commit", "-q", "-m", "Begin"]);
        git(env.root(), &["init", "-q", "--bare", "seen.git"]);
        git(env.root(), &["clone", "-q", "--no-local", "shop", "scratch"]);
        env.sb(["trust", "--yes"]).success();
        let first = git(&project, &["rev-parse", "HEAD"]);
        let mut ground = Self { env, handed: Vec::new(), blobs: BTreeMap::new(), unsaved: None, first };
        // Our repository is there from the first loop on.
        assert_eq!(ground.run(&[]), End::Idle);
        ground
    }

    pub fn integration(&self) -> PathBuf {
        self.env.home().join("integration/shop.git")
    }

    pub fn workspaces(&self) -> PathBuf {
        self.env.root().join("hóme of sb-workspaces/shop")
    }

    /// Hand in one more ticket, from the person's repository or from a workspace.
    pub fn hand_in(&mut self, dice: &mut Dice, is_bad: bool) {
        let number = self.handed.len();
        let title = format!("Ticket number {number}");
        let id = self.env.sb(["new", &title, "--no-tests"]).success().stdout.trim().to_owned();
        self.env.sb(["pick", &id]).success();
        let in_workspace = dice.below(2) == 0;
        let place = if in_workspace { self.workspace(&id) } else { self.branch(number) };
        for commit in 0..=dice.below(2) {
            self.change(&place, number, commit, is_bad);
            git(&place, &["add", "-A"]);
            git(&place, &["commit", "-q", "-m", &format!("Part {commit} of {number}")]);
        }
        let commit = git(&place, &["rev-parse", "HEAD"]);
        if in_workspace {
            self.leave_things(&place, number);
        }
        self.env.sb_in(&place, ["submit", &id, "-m", "done"]).success().says(&commit);
        // What is needed to do it again by hand, whatever becomes of the place it was made in.
        let from = place.to_str().expect("UTF-8");
        git(&self.scratch(), &["fetch", "-q", from, &format!("+HEAD:refs/mine/{id}")]);
        if !in_workspace {
            git(&self.env.project(), &["worktree", "remove", "--force", from]);
        }
        let workspace = in_workspace.then_some(place);
        self.handed.push(Handed { id, is_bad, workspace });
    }

    pub fn scratch(&self) -> PathBuf {
        self.env.root().join("scratch")
    }

    /// A directory of the person's own that is on a branch of theirs.
    fn branch(&self, number: usize) -> PathBuf {
        let place = self.env.root().join(format!("branch-{number}"));
        let (path, name) = (place.to_str().expect("UTF-8"), format!("mine/{number}"));
        git(&self.env.project(), &["worktree", "add", "-q", "-b", &name, path, "main"]);
        place
    }

    fn workspace(&self, id: &str) -> PathBuf {
        let found = Git::find(OsStr::new("/usr/local/bin:/usr/bin:/bin")).expect("git");
        let integration = Integration::open(&found, &self.integration()).expect("our repository");
        let main = Oid::parse(&self.main()).expect("main");
        let spec = WorkspaceSpec {
            key: Key::parse(id).expect("a key"),
            path: self.workspaces().join(format!("work-{id}")),
            branch: BranchName::parse(&format!("work/{}", id.to_lowercase())).expect("a branch"),
            start: main.clone(),
            base: main,
            main: Some(BranchName::parse("main").expect("a name")),
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
        };
        std::fs::create_dir_all(self.workspaces()).expect("a folder");
        integration.workspaces().create(&spec).expect("a workspace").path().to_owned()
    }

    /// Change what no other ticket changes, a part of it in a file that all of them do.
    fn change(&mut self, place: &Path, number: usize, commit: usize, is_bad: bool) {
        std::fs::create_dir_all(place.join("new")).expect("a folder");
        self.put(place, &format!("new/{number}-{commit}.txt"), &format!("new {number} {commit}\n"));
        let list = self.env.read(place.join("list.txt"));
        let line = format!("line {}\n", number * 4 % LINES);
        self.put(place, "list.txt", &list.replace(&line, &format!("changed by {number}\n")));
        let old = place.join(format!("old/{number}.txt"));
        if old.exists() {
            std::fs::remove_file(old).expect("remove a file");
        }
        if is_bad {
            self.put(place, &format!("bad-{number}"), "bad\n");
        }
    }

    /// What an agent leaves behind besides its commits: all of it must be found again.
    fn leave_things(&mut self, place: &Path, number: usize) {
        self.put(place, &format!("untracked-{number}.txt"), &format!("untracked {number}\n"));
        self.put(place, "staged.txt", &format!("staged and then changed {number}\n"));
        git(place, &["add", "staged.txt"]);
        self.put(place, "staged.txt", &format!("changed after it was staged {number}\n"));
        self.put(place, "list.txt", &format!("not committed {number}\n"));
    }

    fn put(&mut self, place: &Path, path: &str, text: &str) {
        self.env.write(place.join(path), text);
        let mut command = command(place);
        command.args(["hash-object", "--", path]);
        let blob = said(command.output().expect("git"), "hash-object");
        self.blobs.insert(blob, place.join(path).display().to_string());
    }

    /// Change a file of the person's checkout without committing it.
    pub fn leave_unsaved(&mut self, text: &str) {
        self.env.write(self.env.project().join("notes.txt"), text);
        self.unsaved = Some(text.to_owned());
    }

    /// Take the change back.
    pub fn save(&mut self) {
        git(&self.env.project(), &["checkout", "-q", "--", "notes.txt"]);
        self.unsaved = None;
    }

    pub fn main(&self) -> String {
        git(&self.integration(), &["rev-parse", "refs/heads/main"])
    }

    /// The loop, until nothing is left to do, or until it is killed by what these variables say.
    pub fn run(&mut self, variables: &[(&str, &str)]) -> End {
        self.run_within(variables, SOON)
    }

    pub fn run_within(&mut self, variables: &[(&str, &str)], time: Duration) -> End {
        let mut command = self.env.command();
        command.args(["run", "--until-idle"]).envs(variables.iter().copied());
        let begun = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the loop");
        let pid = child.id().to_string();
        let (sender, receiver) = channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(time) else {
            let shown =
                self.env.bash("sb queue; sb list --all; tail -n 12 \"$SIGNALBOX_HOME/events/current\"");
            let _ = Command::new("kill").args(["-9", &pid]).status();
            let said = receiver.recv_timeout(SOON).expect("a killed loop").expect("its output");
            let said = String::from_utf8_lossy(&said.stderr).into_owned();
            panic!("the loop is stuck after {:?}, {variables:?}:\n{said}\n{shown}", begun.elapsed());
        };
        let output = output.expect("the loop's output");
        if output.status.signal() == Some(9) {
            return End::Killed;
        }
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        End::Idle
    }
}

/// Plain git, as a person runs it.
pub fn git(directory: &Path, words: &[&str]) -> String {
    said(command(directory).args(words).output().expect("git"), &format!("git {words:?}"))
}

pub fn command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/dev/null")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
        .args(["-c", "protocol.file.allow=always", "-c", "gc.auto=0"])
        .current_dir(directory);
    command
}

fn said(output: Output, what: &str) -> String {
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
