//! A user's repository, an integration repository, and a plain git to play people and agents with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::Timestamp;
use signalbox_git::{
    BranchName, Git, Integration, Key, Oid, Person, UserRepository, Workspace, WorkspaceSpec,
};

/// Everything of one test, in a directory with a name that users' directories have.
pub struct Rig {
    pub root: tempfile::TempDir,
    pub integration: Integration,
}

pub fn git() -> Git {
    Git::find(OsStr::new("/usr/local/bin:/usr/bin:/bin")).expect("a git that is new enough")
}

pub fn main_branch() -> BranchName {
    BranchName::parse("main").expect("a name")
}

/// The second that everything here happens in.
pub fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).expect("a time")
}

pub fn person(name: &str) -> Person {
    Person { name: name.to_owned(), email: format!("{name}@example.org"), at: 1_800_000_000 }
}

/// Plain git as a person or an agent runs it, with a home of its own.
pub fn plain(directory: &Path, words: &[&str]) -> String {
    let output = plain_command(directory).args(words).output().expect("git");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "git {words:?} in {}: {}", directory.display(), text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

pub fn plain_command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/dev/null")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
        .envs([("GIT_AUTHOR_DATE", "1700000000 +0000"), ("GIT_COMMITTER_DATE", "1700000000 +0000")])
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .current_dir(directory);
    command
}

#[expect(clippy::disallowed_methods, reason = "this plays people and agents")]
pub fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = path.as_ref();
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
    std::fs::write(path, content).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
}

pub fn read(path: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(path.as_ref()).unwrap_or_else(|error| panic!("read {}: {error}", path.as_ref().display()))
}

pub fn oid(text: &str) -> Oid {
    Oid::parse(text).unwrap_or_else(|| panic!("{text} is no object"))
}

impl Rig {
    /// A user's repository with two commits on main, copied into an integration repository.
    pub fn new() -> Self {
        Self::with(|user| {
            write(user.join("README.md"), "Hello.\n");
            write(user.join("src/lib.rs"), "pub fn one() {}\n");
            write(user.join("run.sh"), "#!/bin/sh\n");
            write(user.join(".gitignore"), "*.log\ntarget/\n");
        })
    }

    pub fn with(files: impl FnOnce(&Path)) -> Self {
        let root = tempfile::Builder::new().prefix("sb git ü ").tempdir().expect("a folder");
        let user = root.path().join("user");
        std::fs::create_dir(&user).expect("a folder");
        plain(&user, &["init", "-q"]);
        files(&user);
        plain(&user, &["add", "-A"]);
        plain(&user, &["commit", "-q", "-m", "Begin"]);
        write(user.join("notes.txt"), "one\ntwo\nthree\n");
        plain(&user, &["add", "-A"]);
        plain(&user, &["commit", "-q", "-m", "Take notes"]);
        let path = root.path().join("home/integration/shop.git");
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let repository = UserRepository::open(&git(), &user).expect("the user's repository");
        let integration = Integration::create(&git(), &path, repository.object_format(), &main_branch())
            .expect("it is made");
        let tip = repository.import(&integration, &main_branch()).expect("it is copied");
        integration.update_ref(&main_branch().as_ref_name(), &tip, None).expect("main is set");
        Self { root, integration }
    }

    pub fn user(&self) -> PathBuf {
        self.root.path().join("user")
    }

    pub fn repository(&self) -> UserRepository {
        UserRepository::open(&git(), &self.user()).expect("the user's repository")
    }

    pub fn main(&self) -> Oid {
        self.integration.ref_at(&main_branch().as_ref_name()).expect("refs").expect("main")
    }

    pub fn spec(&self, key: &str) -> WorkspaceSpec {
        WorkspaceSpec {
            key: Key::parse(key).expect("a key"),
            path: self.root.path().join("workspaces").join(key),
            branch: BranchName::parse(&format!("web/{}", key.to_lowercase())).expect("a branch"),
            start: self.main(),
            base: self.main(),
            main: Some(main_branch()),
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
        }
    }

    pub fn workspace(&self, key: &str) -> Workspace {
        self.integration.workspaces().create(&self.spec(key)).expect("a workspace")
    }

    /// Commit all there is in a workspace, as its agent.
    pub fn commit(&self, workspace: &Workspace, message: &str) -> Oid {
        plain(workspace.path(), &["add", "-A"]);
        plain(workspace.path(), &["commit", "-q", "-m", message]);
        oid(&plain(workspace.path(), &["rev-parse", "HEAD"]))
    }
}

/// A path below a directory, from bytes.
pub fn below(directory: &Path, path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    directory.join(OsStr::from_bytes(path))
}
