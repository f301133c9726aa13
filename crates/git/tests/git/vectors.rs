//! The traps: what an agent with a shell can write into a repository of its own.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::rig::{plain, plain_command, write};

/// Where a trap is laid.
pub struct Spot<'a> {
    pub repo: &'a Path,
    /// What must not run. Its path has nothing in it that would have to be quoted.
    pub script: &'a Path,
    /// Room for what lies beside the repository.
    pub outside: &'a Path,
}

pub struct Vector {
    pub name: &'static str,
    /// Whether plain git runs it in the course of a careless supervisor's work.
    pub live: bool,
    pub plant: fn(&Spot),
}

/// Hooks, and whether plain git runs them in that course.
pub const HOOKS: &[(&str, bool)] = &[
    ("pre-commit", true),
    ("prepare-commit-msg", true),
    ("commit-msg", true),
    ("post-commit", true),
    ("pre-merge-commit", true),
    ("post-merge", true),
    ("post-checkout", true),
    ("post-rewrite", true),
    ("pre-rebase", true),
    ("pre-push", true),
    ("reference-transaction", true),
    ("post-index-change", true),
    ("pre-auto-gc", false),
    ("applypatch-msg", false),
    ("pre-applypatch", false),
    ("pre-receive", true),
    ("update", true),
    ("post-receive", true),
    ("post-update", true),
    ("push-to-checkout", false),
    ("proc-receive", false),
    ("fsmonitor-watchman", false),
];

impl Spot<'_> {
    fn set(&self, name: &str, value: &str) {
        plain(self.repo, &["config", "--add", name, value]);
    }

    fn script(&self) -> &str {
        self.script.to_str().expect("a path")
    }

    pub fn hook(&self, folder: &Path, name: &str) {
        let file = folder.join(name);
        let _ = std::fs::remove_file(&file);
        write(&file, format!("#!/bin/sh\nexec {} {name} </dev/null\n", self.script()));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("it may be executed");
    }

    /// A configuration file elsewhere that does what `core.fsmonitor` does.
    fn bad_config(&self) -> String {
        let file = self.outside.join("config");
        write(&file, format!("[core]\n\tfsmonitor = {}\n", self.script()));
        file.to_str().expect("a path").to_owned()
    }

    /// A whole copy of the repository's git directory, with a bad configuration.
    fn bad_git_dir(&self) -> std::path::PathBuf {
        let copy = self.outside.join("git dir");
        let status =
            std::process::Command::new("cp").arg("-a").arg(self.repo.join(".git")).arg(&copy).status();
        assert!(status.expect("cp").success());
        plain(
            self.repo,
            &["--git-dir", copy.to_str().expect("a path"), "config", "core.fsmonitor", self.script()],
        );
        copy
    }

    fn attributes(&self, text: &str) {
        write(self.repo.join(".gitattributes"), text);
    }
}

macro_rules! config {
    ($name:literal, $live:literal, $($key:literal = $value:expr),+) => {
        Vector { name: $name, live: $live, plant: |spot| { $( spot.set($key, &$value(spot)); )+ } }
    };
}

fn trap(spot: &Spot) -> String {
    spot.script().to_owned()
}

fn bang(spot: &Spot) -> String {
    format!("!{}", spot.script())
}

pub const VECTORS: &[Vector] = &[
    Vector {
        name: "core.hooksPath",
        live: true,
        plant: |spot| {
            for (hook, _) in HOOKS {
                spot.hook(&spot.outside.join("hooks"), hook);
            }
            spot.set("core.hooksPath", spot.outside.join("hooks").to_str().expect("a path"));
        },
    },
    config!("core.fsmonitor", true, "core.fsmonitor" = trap),
    Vector {
        name: "core.sshCommand",
        live: true,
        plant: |spot| {
            spot.set("core.sshCommand", spot.script());
            spot.set("remote.evil.url", "ssh://nobody@localhost/x");
        },
    },
    config!("core.editor", true, "core.editor" = trap),
    // These two need a terminal to be asked at.
    config!("core.pager", false, "core.pager" = trap),
    config!("core.askPass", true, "core.askPass" = trap),
    Vector {
        name: "core.alternateRefsCommand",
        live: true,
        plant: |spot| {
            spot.set("core.alternateRefsCommand", spot.script());
            let other = spot.outside.join("other");
            std::fs::create_dir_all(&other).expect("a folder");
            plain(&other, &["init", "-q"]);
            let line = format!("{}\n", other.join(".git/objects").display());
            let alternates = spot.repo.join(".git/objects/info/alternates");
            let before = std::fs::read_to_string(&alternates).unwrap_or_default();
            write(alternates, before + &line);
            spot.set("remote.local.url", other.to_str().expect("a path"));
            plain(&other, &["commit", "-q", "--allow-empty", "-m", "x"]);
        },
    },
    Vector {
        name: "core.gitProxy",
        live: true,
        plant: |spot| {
            spot.set("core.gitProxy", spot.script());
            spot.set("remote.evil.url", "git://127.0.0.1:1/x");
        },
    },
    config!("sequence.editor", true, "sequence.editor" = trap),
    config!("credential.helper", true, "credential.helper" = bang),
    config!("gpg.program", true, "gpg.program" = trap, "commit.gpgSign" = |_: &Spot| "true".to_owned()),
    config!(
        "gpg.ssh.program",
        true,
        "gpg.ssh.program" = trap,
        "gpg.format" = |_: &Spot| "ssh".to_owned(),
        "user.signingKey" = |_: &Spot| "key::ssh-ed25519 AAAA".to_owned(),
        "commit.gpgSign" = |_: &Spot| "true".to_owned()
    ),
    config!("alias", true, "alias.evil" = bang, "alias.update-ref" = bang, "alias.fetch" = bang),
    config!("trailer", true, "trailer.evil.command" = trap),
    config!("difftool", true, "difftool.evil.cmd" = trap),
    // It is asked about objects that nothing points at and that are weeks old.
    config!("gc.recentObjectsHook", false, "gc.recentObjectsHook" = trap),
    config!("tar.command", true, "tar.evil.command" = trap),
    // Git heeds it only where an agent cannot easily write.
    config!("uploadpack.packObjectsHook", false, "uploadpack.packObjectsHook" = trap),
    Vector {
        name: "filter clean and smudge",
        live: true,
        plant: |spot| {
            spot.attributes("* filter=evil\n");
            spot.set("filter.evil.clean", spot.script());
            spot.set("filter.evil.smudge", spot.script());
        },
    },
    Vector {
        name: "filter process",
        live: true,
        plant: |spot| {
            spot.attributes("* filter=evil\n");
            spot.set("filter.evil.process", spot.script());
        },
    },
    Vector {
        name: "filter in info/attributes",
        live: true,
        plant: |spot| {
            write(spot.repo.join(".git/info/attributes"), "* filter=evil\n");
            spot.set("filter.evil.clean", spot.script());
            spot.set("filter.evil.smudge", spot.script());
        },
    },
    Vector {
        name: "filter that is required",
        live: true,
        plant: |spot| {
            spot.attributes("* filter=evil text eol=crlf ident\n");
            spot.set("filter.evil.clean", spot.script());
            spot.set("filter.evil.required", "true");
        },
    },
    Vector {
        name: "merge driver",
        live: true,
        plant: |spot| {
            spot.attributes("* merge=evil\n");
            spot.set("merge.evil.driver", &format!("{} %A", spot.script()));
            // Both sides change the same line.
            let branch = plain(spot.repo, &["branch", "--show-current"]);
            plain(spot.repo, &["stash", "-q", "-u"]);
            plain(spot.repo, &["checkout", "-q", "-b", "other"]);
            write(spot.repo.join("notes.txt"), "one\nTWO\nthree\n");
            plain(spot.repo, &["commit", "-q", "-a", "-m", "one side"]);
            plain(spot.repo, &["checkout", "-q", &branch]);
            write(spot.repo.join("notes.txt"), "one\nzwei\nthree\n");
            plain(spot.repo, &["commit", "-q", "-a", "-m", "the other"]);
            plain(spot.repo, &["stash", "pop", "-q"]);
        },
    },
    config!("diff.external", true, "diff.external" = trap),
    Vector {
        name: "diff command",
        live: true,
        plant: |spot| {
            spot.attributes("* diff=evil\n");
            spot.set("diff.evil.command", spot.script());
        },
    },
    Vector {
        name: "textconv",
        live: true,
        plant: |spot| {
            spot.attributes("* diff=evil\n");
            spot.set("diff.evil.textconv", spot.script());
        },
    },
    Vector {
        name: "remote.uploadpack",
        live: true,
        plant: |spot| {
            spot.set("remote.evil.url", spot.repo.to_str().expect("a path"));
            spot.set("remote.evil.uploadpack", spot.script());
        },
    },
    Vector {
        name: "remote.receivepack",
        live: true,
        plant: |spot| {
            spot.set("remote.evil.url", spot.repo.to_str().expect("a path"));
            spot.set("remote.evil.receivepack", spot.script());
        },
    },
    Vector {
        name: "ext remote",
        live: true,
        plant: |spot| {
            spot.set("protocol.ext.allow", "always");
            spot.set("remote.evil.url", &format!("ext::{}", spot.script()));
        },
    },
    Vector {
        name: "insteadOf",
        live: true,
        plant: |spot| {
            spot.set("protocol.ext.allow", "always");
            spot.set(&format!("url.ext::{} .insteadOf", spot.script()), "/");
        },
    },
    Vector {
        name: "promisor remote",
        live: true,
        plant: |spot| {
            spot.set("protocol.ext.allow", "always");
            spot.set("remote.evil.url", &format!("ext::{}", spot.script()));
            spot.set("remote.evil.promisor", "true");
            spot.set("core.repositoryFormatVersion", "1");
        },
    },
    Vector {
        name: "submodule update",
        live: true,
        plant: |spot| {
            let module = spot.outside.join("module");
            std::fs::create_dir_all(&module).expect("a folder");
            plain(&module, &["init", "-q"]);
            plain(&module, &["commit", "-q", "--allow-empty", "-m", "x"]);
            plain(spot.repo, &["submodule", "--quiet", "add", module.to_str().expect("a path"), "module"]);
            plain(spot.repo, &["commit", "-q", "-m", "Add a module"]);
            plain(&module, &["commit", "-q", "--allow-empty", "-m", "y"]);
            let newer = plain(&module, &["rev-parse", "HEAD"]);
            plain(spot.repo, &["update-index", "--cacheinfo", &format!("160000,{newer},module")]);
            spot.set("submodule.module.update", &format!("!{}", spot.script()));
        },
    },
    Vector {
        name: "include",
        live: true,
        plant: |spot| {
            let file = spot.bad_config();
            spot.set("include.path", &file);
        },
    },
    Vector {
        name: "includeIf",
        live: true,
        plant: |spot| {
            let file = spot.bad_config();
            spot.set("includeIf.gitdir:/**.path", &file);
        },
    },
    Vector {
        name: "config.worktree",
        live: true,
        plant: |spot| {
            plain(spot.repo, &["config", "core.repositoryFormatVersion", "1"]);
            spot.set("extensions.worktreeConfig", "true");
            write(
                spot.repo.join(".git/config.worktree"),
                format!("[core]\n\tfsmonitor = {}\n", spot.script()),
            );
        },
    },
    Vector {
        name: "commondir",
        live: true,
        plant: |spot| {
            let copy = spot.bad_git_dir();
            write(spot.repo.join(".git/commondir"), format!("{}\n", copy.display()));
        },
    },
    Vector {
        name: "gitdir file",
        live: true,
        plant: |spot| {
            let copy = spot.bad_git_dir();
            std::fs::remove_dir_all(spot.repo.join(".git")).expect("it goes");
            write(spot.repo.join(".git"), format!("gitdir: {}\n", copy.display()));
        },
    },
    Vector {
        name: "git dir is a link",
        live: true,
        plant: |spot| {
            let copy = spot.bad_git_dir();
            std::fs::remove_dir_all(spot.repo.join(".git")).expect("it goes");
            symlink(copy, spot.repo.join(".git")).expect("a link");
        },
    },
    Vector {
        name: "hooks is a link",
        live: true,
        plant: |spot| {
            for (hook, _) in HOOKS {
                spot.hook(&spot.outside.join("hooks"), hook);
            }
            let hooks = spot.repo.join(".git/hooks");
            std::fs::remove_dir_all(&hooks).expect("it goes");
            symlink(spot.outside.join("hooks"), hooks).expect("a link");
        },
    },
    Vector {
        name: "nested repository",
        live: true,
        plant: |spot| {
            let nested = spot.repo.join("vendor/it");
            std::fs::create_dir_all(&nested).expect("a folder");
            plain(&nested, &["init", "-q"]);
            write(nested.join("file"), "kept\n");
            plain(&nested, &["add", "-A"]);
            plain(&nested, &["commit", "-q", "-m", "x"]);
            plain(spot.repo, &["-c", "advice.addEmbeddedRepo=false", "add", "vendor/it"]);
            plain(&nested, &["config", "core.fsmonitor", spot.script()]);
            spot.hook(&nested.join(".git/hooks"), "post-index-change");
            write(nested.join("file"), "changed\n");
        },
    },
    Vector {
        // It waits for somebody to change into it.
        name: "bare repository in the tree",
        live: false,
        plant: |spot| {
            let bare = spot.repo.join("fixtures/bare");
            std::fs::create_dir_all(&bare).expect("a folder");
            plain(&bare, &["init", "-q", "--bare"]);
            write(
                bare.join("config"),
                format!("[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = {}\n", spot.script()),
            );
        },
    },
    Vector {
        name: "alternates elsewhere",
        live: false,
        plant: |spot| {
            let copy = spot.bad_git_dir();
            spot.hook(&copy.join("hooks"), "reference-transaction");
            let alternates = spot.repo.join(".git/objects/info/alternates");
            let before = std::fs::read_to_string(&alternates).unwrap_or_default();
            write(alternates, format!("{before}{}\n", copy.join("objects").display()));
        },
    },
    Vector {
        name: "core.worktree elsewhere",
        live: false,
        plant: |spot| {
            write(spot.outside.join("precious"), "not the agent's\n");
            spot.set("core.worktree", spot.outside.to_str().expect("a path"));
        },
    },
    Vector {
        name: "replace refs",
        live: false,
        plant: |spot| {
            let _ = plain_command(spot.repo).args(["replace", "HEAD", "HEAD~1"]).output();
        },
    },
    Vector {
        name: "grafts",
        live: false,
        plant: |spot| {
            let head = plain(spot.repo, &["rev-parse", "HEAD"]);
            write(spot.repo.join(".git/info/grafts"), format!("{head}\n"));
        },
    },
    Vector {
        name: "objects is a link",
        live: true,
        plant: |spot| {
            let copy = spot.bad_git_dir();
            spot.hook(&spot.repo.join(".git/hooks"), "reference-transaction");
            std::fs::remove_dir_all(spot.repo.join(".git/objects")).expect("it goes");
            symlink(copy.join("objects"), spot.repo.join(".git/objects")).expect("a link");
        },
    },
    Vector {
        name: "index flags",
        live: false,
        plant: |spot| {
            plain(spot.repo, &["update-index", "--assume-unchanged", "README.md"]);
            plain(spot.repo, &["update-index", "--skip-worktree", "src/lib.rs"]);
            write(spot.repo.join("src/lib.rs"), "hidden\n");
        },
    },
];
