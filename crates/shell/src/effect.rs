//! The effects a command line can have.

/// Everything a command line would do, in the order of its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    pub list: Vec<Effect>,
}

/// One thing a command line would do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A program is started, after wrappers (`env`, `sudo`, `timeout`, `xargs`, `sh -c` …) were looked through. What
    /// it does to files, git and the network stands in effects of its own, where that is known.
    Run {
        program: String,
        arguments: Vec<String>,
        nature: Nature,
    },
    Read(Target),
    Write(Target, Change),
    Git(GitAct),
    /// Something goes to or comes from the network.
    Network {
        program: String,
        to: Option<String>,
    },
    /// The working directory changes, for what follows.
    Enter(Target),
    /// Something runs whose effects its words do not show.
    Opaque(Opaque),
}

/// What is known of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nature {
    /// With these arguments it changes nothing that lasts.
    Reads,
    /// Its changes are listed as effects of their own, completely.
    Listed,
    /// It builds, tests, installs or formats: an everyday tool that writes where it sees fit.
    Builds,
    /// Nobody here knows what it does.
    Unknown,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Created, overwritten, appended to or edited in place.
    Content,
    Removed,
    /// Permissions, owner or times.
    Attributes,
    /// A link is made there, which leads elsewhere.
    Link,
}

/// A place in the file system that a command names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// As it stands in the command, for messages.
    pub text: String,
    pub place: Place,
}

/// Where a target is, as far as words show. Paths are absolute, without `.`, `..` and doubled slashes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// Exactly here.
    At(String),
    /// Wherever this shell pattern matches (`*`, `?`, `[…]`; `**` stands for any depth).
    Among(String),
    /// Somewhere unknown; only how the path ends is known: `$DIR/a/b` ends in `a/b`. May hold patterns, may be empty.
    Ending(String),
}

/// Code or a command that cannot be seen through.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// Why: `python3 -c runs code that is not looked into`.
    pub why: String,
    /// All the text there is of it. Rules look for the names of what must not be touched.
    pub text: String,
    /// What runs is not in the text at all: it is decoded, fetched, printed by a program, or the name of the program
    /// itself is not known.
    pub unseen: bool,
}

/// What a git command means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum GitAct {
    /// Looks only: `status`, `log`, `diff`, `show`, `fetch`-less reading.
    Read,
    /// `add`, `rm --cached`, `mv`, `reset` without a commit, `stash`: index and working tree of this branch.
    Stage,
    Commit,
    /// To another branch, tag or commit; `None` where the name is not known.
    Switch {
        to: Option<String>,
        creates: bool,
    },
    CreateBranch {
        name: Option<String>,
    },
    DeleteBranch {
        name: Option<String>,
    },
    RenameBranch,
    Merge,
    Rebase,
    /// Moves the branch to another commit: `reset HEAD~1`, `--hard origin/main`, `update-ref`.
    Reset {
        hard: bool,
    },
    Fetch,
    Pull,
    Push {
        force: bool,
        deletes: bool,
        everything: bool,
        remote: Option<String>,
        to: Vec<String>,
    },
    Tag,
    /// The repository's or user's configuration, remotes included; the key where it is known.
    Configure {
        key: Option<String>,
    },
    Worktree,
    Submodule,
    /// Throws away what is not committed: `clean`, `checkout -- .`, `restore`; the files stand as effects too.
    Discard,
    /// `git init`, `git clone`
    Create,
    /// Another subcommand, an alias, or options that make git run something.
    Other {
        words: String,
    },
}

impl Effects {
    pub fn push(&mut self, effect: Effect) {
        self.list.push(effect);
    }

    pub fn writes(&self) -> impl Iterator<Item = (&Target, Change)> {
        self.list.iter().filter_map(|effect| match effect {
            Effect::Write(target, change) => Some((target, *change)),
            _ => None,
        })
    }
}
