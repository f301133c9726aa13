//! Every setting of a contract, for the reference page and for those who write one.

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// `run.stall`; `roles.ROLE.driver` stands for that of each role.
    pub key: &'static str,
    pub default: &'static str,
    pub about: &'static str,
}

const fn key(key: &'static str, default: &'static str, about: &'static str) -> Key {
    Key { key, default, about }
}

pub const KEYS: &[Key] = &[
    key(
        "main",
        "",
        "The branch that work lands on. Where it is not set: what the remote calls its main branch, else `main` or `master`.",
    ),
    key(
        "tests",
        "`tests/**`, `**/*_test.*` and their like",
        "Which files are tests, besides the usual: patterns below the root, `**` for any depth. A doer may not change them, and a test-writer nothing else.",
    ),
    key(
        "test_command",
        "the validation step called `test`",
        "How the tests are run before a doer starts, when they must fail: `{ run = \"cargo test\", time = \"10m\" }`.",
    ),
    key(
        "protect",
        "[]",
        "Files that no agent may change, besides those that are always protected. Patterns as in `tests`.",
    ),
    key(
        "mode",
        "",
        "`discussion`: sessions in the repository begin without being allowed to change anything.",
    ),
    key("rules", "[]", "Rules of the repository's own, as `[[rules]]`. They may only deny."),
    key("areas", "[]", "The areas a ticket may be in; branches are called `area/slug`. Empty: any."),
    key("run.concurrency", "3", "How many agents work at once, 1 to 100."),
    key("run.attempts", "3", "After how many failed attempts a human is asked, 1 to 100."),
    key("run.stall", "30m", "After how long without a sign of life an agent is given up."),
    key("run.max_time", "4h", "How long one attempt may take."),
    key(
        "run.backoff",
        "1m",
        "How long a ticket rests after a failed attempt; twice as long after each more.",
    ),
    key(
        "run.names",
        "Ada, Bowie, … Zara",
        "What agents are called, in this order and then from the beginning again.",
    ),
    key(
        "roles.ROLE.driver",
        "claude",
        "Which agent CLI plays the role. ROLE is `doer`, `test-writer`, `reviewer` or `shaper`.",
    ),
    key("roles.ROLE.profile", "", "A profile of your own config.toml it is started with."),
    key("roles.ROLE.args", "[]", "More arguments for it."),
    key(
        "roles.ROLE.pool",
        "the driver's name",
        "Whose quota it uses up: where one pool is exhausted, only that one pauses.",
    ),
    key(
        "review.gates",
        "[\"validate\"]",
        "What work must pass to land: `validate` (the steps below), `independent` (a reviewer who had no part in it), or both.",
    ),
    key("review.by", "either", "Who may be that reviewer: `agent`, `human` or `either`."),
    key(
        "validate.steps",
        "[]",
        "What is run on the tree that is to land, in order: `{ name = \"test\", run = \"cargo test\", time = \"10m\" }`. `run` is a line for the shell, `time` its limit (10m where it is not set).",
    ),
    key(
        "validate.env",
        "[]",
        "Variables that the steps get from where `sb run` was started; all others are kept from them.",
    ),
    key(
        "validate.keep",
        "[]",
        "Folders of build products that stay from one validation to the next, such as `target`.",
    ),
    key("validate.output_mb", "64", "How much a step may print, in megabytes."),
    key(
        "validate.retry_flaky",
        "true",
        "Whether a step that failed is run once more; if it then passes, it counts as flaky.",
    ),
    key("merge.style", "squash", "`squash`: one commit a ticket. `rebase`: the branch's own commits."),
    key("merge.batch", "8", "How many tickets are validated together at the most, 1 to 100."),
    key(
        "merge.mode",
        "land",
        "`land`: main is moved here. `push`: each ticket's branch is pushed, the remote's own rules merge it, and main follows the remote's.",
    ),
    key("merge.remote", "origin", "Where `push` goes, as the checkout's own configuration of git names it."),
    key(
        "merge.foreign",
        "validate",
        "What is done about commits that somebody put on main past the queue: `validate` them like others, or `ask` a human.",
    ),
    key(
        "setup.run",
        "",
        "A line for the shell that makes a fresh workspace ready, such as `npm ci`. A person is asked when it fails three times in a row.",
    ),
    key("setup.teardown", "", "A line for the shell before a workspace is taken away."),
    key("setup.time", "10m", "How long each of the two may take."),
];
