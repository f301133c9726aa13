//! Repositories, contracts, tickets and disks that are not as they should be. Each is told in a sentence with a way out, and
//! its ticket can move again.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::kit::play::{commit, does, end, sh, submit};
use crate::kit::{CHECK, Shop, contract, eventually, toml_text};

/// Something is wrong: how it comes about, what is said, the way out that is named, and how it is put right.
struct Wrong {
    what: &'static str,
    comes: fn(&mut Shop),
    code: i32,
    says: &'static str,
    hint: &'static str,
    put_right: fn(&mut Shop),
}

fn set_contract(shop: &Shop, text: &str) {
    shop.env.write(shop.env.project().join(".signalbox/project.toml"), text);
    shop.commit("Another contract");
}

const WRONG: &[Wrong] = &[
    Wrong {
        what: "no git",
        comes: |shop| {
            let only = shop.env.root().join("bin");
            std::fs::create_dir_all(&only).expect("a folder");
            shop.env.set("PATH", only.to_str().expect("UTF-8"));
        },
        code: 4,
        says: "git",
        hint: "Install",
        put_right: |shop| shop.env.unset("PATH"),
    },
    Wrong {
        what: "a bare repository",
        comes: |shop| drop(shop.git(&["config", "core.bare", "true"])),
        code: 4,
        says: "bare",
        hint: "hint:",
        put_right: |shop| drop(shop.git(&["config", "core.bare", "false"])),
    },
    Wrong {
        what: "a shallow repository",
        comes: |shop| {
            let head = shop.git(&["rev-parse", "HEAD"]);
            shop.env.write(shop.env.project().join(".git/shallow"), head + "\n");
        },
        code: 4,
        says: "shallow",
        hint: "git fetch --unshallow",
        put_right: |shop| std::fs::remove_file(shop.env.project().join(".git/shallow")).expect("remove"),
    },
    Wrong {
        what: "no main branch",
        comes: |shop| {
            set_contract(shop, &format!("main = \"trunk\"\n{}", contract()));
            shop.env.sb(["trust", "--yes"]).success();
        },
        code: 3,
        says: "trunk",
        hint: "`main = ",
        put_right: |shop| {
            set_contract(shop, &contract());
        },
    },
    Wrong {
        what: "no contract",
        comes: |shop| {
            shop.git(&["rm", "-q", ".signalbox/project.toml"]);
            shop.commit("No contract");
        },
        code: 4,
        says: ".signalbox/project.toml is not on main",
        hint: "sb bootstrap --write",
        put_right: |shop| {
            std::fs::create_dir_all(shop.env.project().join(".signalbox")).expect("a folder");
            set_contract(shop, &contract());
        },
    },
    Wrong {
        what: "a bad pattern",
        comes: |shop| set_contract(shop, &format!("protect = [\"../outside\"]\n{}", contract())),
        code: 1,
        says: "../outside",
        hint: "hint:",
        put_right: |shop| set_contract(shop, &contract()),
    },
    Wrong {
        what: "an untrusted contract, and another since",
        comes: |shop| {
            set_contract(shop, &contract().replace("attempts = 3", "attempts = 2"));
            let _ = shop.env.sb(["run", "--once"]).code(4);
            set_contract(shop, &contract().replace("attempts = 3", "attempts = 4"));
        },
        code: 4,
        says: "changed",
        hint: "sb trust",
        put_right: |shop| drop(shop.env.sb(["trust", "--yes"]).success()),
    },
    Wrong {
        what: "an unknown key",
        comes: |shop| set_contract(shop, &contract().replace("attempts", "atempts")),
        code: 1,
        says: "atempts",
        hint: "attempts",
        put_right: |shop| set_contract(shop, &contract()),
    },
    Wrong {
        what: "a contract that nobody trusts",
        comes: |shop| drop(shop.env.sb(["trust", "--revoke"]).success()),
        code: 4,
        says: "trust",
        hint: "sb trust",
        put_right: |shop| drop(shop.env.sb(["trust", "--yes"]).success()),
    },
    Wrong {
        what: "a contract that was changed",
        comes: |shop| set_contract(shop, &contract().replace("attempts = 3", "attempts = 2")),
        code: 4,
        says: "changed",
        hint: "sb trust",
        put_right: |shop| drop(shop.env.sb(["trust", "--yes"]).success()),
    },
];

#[test]
fn what_is_wrong_is_told_before_anything_begins_and_can_be_put_right() {
    for wrong in WRONG {
        let mut shop = Shop::new();
        shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
        let one = shop.ticket("core/one", &["--no-tests"]);
        (wrong.comes)(&mut shop);
        let run = shop.env.sb(["run", "--until-idle"]);
        assert_eq!(run.code, Some(wrong.code), "{}:\n{run}", wrong.what);
        assert!(run.stderr.contains(wrong.says) && run.stderr.contains(wrong.hint), "{}:\n{run}", wrong.what);
        assert!(shop.agents("core/one").is_empty(), "{}", wrong.what);
        assert_eq!(shop.status(&one), "open", "{}", wrong.what);
        (wrong.put_right)(&mut shop);
        shop.run().success();
        assert_eq!(shop.status(&one), "done", "{}", wrong.what);
    }
}

#[test]
fn a_repository_without_a_commit_is_told_so() {
    let shop = Shop::new();
    let project = shop.env.project();
    std::fs::remove_dir_all(project.join(".git")).expect("begin anew");
    shop.git(&["init", "-q", "-b", "main"]);
    shop.env.sb(["run", "--once"]).code(4).says("no commit yet").says("hint:");
}

/// What is unusual, but no reason not to work.
struct Unusual(&'static str, fn(&Shop));

#[test]
fn unusual_repositories_are_worked_on_all_the_same() {
    let unusual = [
        Unusual("a detached HEAD", |shop| drop(shop.git(&["checkout", "-q", "--detach"]))),
        Unusual("a branch of the same name, checked out elsewhere", |shop| {
            let there = shop.env.root().join("elsewhere");
            shop.git(&["worktree", "add", "-q", "-b", "core/one", there.to_str().expect("UTF-8")]);
        }),
        Unusual("a submodule", |shop| {
            let other = shop.env.root().join("other");
            std::fs::create_dir_all(&other).expect("a folder");
            shop.git_in(&other, &["init", "-q", "-b", "main"]);
            shop.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "Begin"]);
            let path = other.to_str().expect("UTF-8");
            shop.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", path, "vendor"]);
            shop.commit("A submodule");
        }),
        Unusual("files that are pointers", |shop| {
            let project = shop.env.project();
            shop.env.write(project.join(".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
            let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
            shop.env.write(project.join("large.bin"), pointer);
            shop.commit("A large file");
        }),
    ];
    for Unusual(what, comes) in unusual {
        let mut shop = Shop::new();
        comes(&shop);
        shop.env.sb(["trust", "--yes"]).success();
        let head = shop.env.read(shop.env.project().join(".git/HEAD"));
        let others = shop.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/core"]);
        shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
        let one = shop.ticket("core/one", &["--no-tests"]);
        let run = shop.run().success();
        assert_eq!(shop.status(&one), "done", "{what}: {run}");
        assert_eq!(shop.env.read(shop.env.project().join(".git/HEAD")), head, "{what}");
        let after = shop.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/core"]);
        assert_eq!(after, others, "{what}");
        let begun = shop.git(&["rev-list", "--max-parents=0", "main"]);
        shop.assert_main_is_linear_and_green(&begun);
    }
}

#[test]
fn any_slug_makes_a_branch() {
    let mut shop = Shop::new();
    shop.script(&[("doer of ", does("src/one", "one\nok\n"))]);
    let words = ["new", "--no-tests", "--area", "../..", "--slug", "../my slug; rm -rf ~", "Odd"];
    let id = shop.env.sb(words).success().stdout.trim().to_owned();
    shop.run().success();
    assert_eq!(shop.status(&id), "done");
    let branch = shop.events().into_iter().find(|(name, _)| name == "attempt.started");
    let branch = branch.map(|(_, event)| event["data"]["branch"].as_str().unwrap_or_default().to_owned());
    assert_eq!(branch.as_deref(), Some("work/my-slug-rm-rf"));
}

/// A step that cannot pass is the ticket's failure, told with its reason, and a person is asked.
#[test]
fn validation_that_cannot_work_ends_in_time_and_in_words() {
    let steps: &[(&str, &str, &str)] = &[
        ("no-such-program --at-all", "10s", "names a command that is not there"),
        ("sleep 1000", "1s", "was not done after 1 s"),
        ("yes | head -c 1000000000", "60s", "printed more than 1 MB"),
    ];
    for (line, time, says) in steps {
        let bad = contract()
            .replace(&toml_text(CHECK), &toml_text(line))
            .replace("time = \"20s\"", &format!("time = \"{time}\""))
            .replace("attempts = 3", "attempts = 1")
            .replace("retry_flaky = false", "retry_flaky = false\noutput_mb = 1");
        let mut shop = Shop::with(&bad);
        shop.script(&[
            ("of core/one, attempt 1", does("src/one", "one\nok\n")),
            ("of core/one,", vec![sh("sb submit -m again"), json!({ "think": 100 }), json!({ "crash": 1 })]),
        ]);
        let one = shop.ticket("core/one", &["--no-tests"]);
        shop.run().success();
        let failures: Vec<String> = shop.attempts(&one).into_iter().map(|(.., why)| why).collect();
        assert!(failures.iter().any(|why| why.contains(says)), "{line}: {failures:?}");
        let logs: usize =
            shop.env.files_below(shop.env.home().join("logs/runs")).iter().map(|(_, log)| log.len()).sum();
        assert!(logs < 3 << 20, "{line}: {logs} bytes of logs");
        set_contract(&shop, &contract());
        shop.env.sb(["trust", "--yes"]).success();
        // The person's commit is not on our main, whose steps cannot pass.
        shop.env.sb(["queue", "adopt"]).success();
        shop.answer(&one, "The step is put right");
        shop.run().success();
        assert_eq!(shop.status(&one), "done", "{line}");
    }
}

/// A contract whose step waits while a file is there.
fn held() -> String {
    let line = format!("while test -e \"$HOME/hold\"; do sleep 0.1; done; {CHECK}");
    contract().replace(&toml_text(CHECK), &toml_text(&line))
}

#[test]
fn a_main_that_moves_while_work_is_validated_has_both_in_the_end() {
    let mut shop = Shop::with(&held());
    let begun = shop.git(&["rev-parse", "HEAD"]);
    shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let hold = shop.env.root().join("hold");
    shop.env.write(&hold, "");
    let run = shop.begin(&["run", "--until-idle"]);
    eventually("validation", || shop.show(&one)["work"]["merge"]["stage"] == "building");
    shop.env.write(shop.env.project().join("src/mine"), "mine\nok\n");
    let mine = shop.commit("Past the queue");
    std::fs::remove_file(&hold).expect("go on");
    run.end().success();
    assert_eq!(shop.status(&one), "done");
    shop.git(&["merge-base", "--is-ancestor", &mine, "main"]);
    // Where ours was quicker, the person's is told to go on top, and is ours then.
    shop.git(&["rebase", "-q", "refs/signalbox/main"]);
    shop.run().success();
    let files = shop.files_at("refs/heads/main");
    assert_eq!((files["src/one"].as_str(), files["src/mine"].as_str()), ("one\nok", "mine\nok"));
    assert_eq!(shop.git(&["rev-parse", "main"]), shop.main());
    shop.assert_main_is_linear_and_green(&begun);
}

/// A loop that ends when nothing is left to do without a person does not wait for what a person keeps.
#[test]
fn one_that_is_held_in_the_queue_keeps_its_place_and_keeps_nobody() {
    let mut shop = Shop::with(&held());
    shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let hold = shop.env.root().join("hold");
    shop.env.write(&hold, "");
    let run = shop.begin(&["run", "--until-idle"]);
    eventually("validation", || shop.show(&one)["work"]["merge"]["stage"] == "building");
    shop.env.sb(["hold", &one, "not today"]).success();
    std::fs::remove_file(&hold).expect("go on");
    run.end().success();
    assert_eq!(shop.status(&one), "blocked");
    shop.env.sb(["unhold", &one]).success();
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
    assert_eq!(shop.attempts(&one).len(), 1);
}

/// A file system in memory, gone when dropped.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    /// `None`, with a word, where this user may not mount.
    fn mount(at: &'a Path) -> Option<Self> {
        std::fs::create_dir_all(at).expect("a folder");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs"]).arg(at).status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(at));
        }
        eprintln!("SKIPPED: this user may not mount a file system, so no disk was full");
        None
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_when_main_is_to_move_holds_it_up_and_breaks_nothing() {
    let mut shop = Shop::with(&held());
    let begun = shop.git(&["rev-parse", "HEAD"]);
    shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let at = shop.env.home().join("integration");
    let Some(_disk) = Disk::mount(&at) else { return };
    let hold = shop.env.root().join("hold");
    shop.env.write(&hold, "");
    let run = shop.begin(&["run", "--until-idle"]);
    let log = shop.env.home().join("logs/runs/shop/run-1.log");
    eventually("validation", || log.exists());
    let ballast = at.join("ballast");
    // Until nothing goes in any more.
    let filled =
        Command::new("dd").args(["if=/dev/zero", "bs=4k"]).arg(format!("of={}", ballast.display())).output();
    assert!(!filled.expect("dd").status.success());
    std::fs::remove_file(&hold).expect("go on");
    eventually("a word of it", || run.said().contains("warning: the merge queue"));
    assert_eq!(shop.status(&one), "review");
    assert_eq!(shop.main(), begun);
    std::fs::remove_file(&ballast).expect("make room");
    run.end().success();
    assert_eq!(shop.status(&one), "done");
    shop.assert_main_is_linear_and_green(&begun);
}

/// One question for the project, however many tickets wait, and nothing is tried again before it is answered.
#[test]
fn a_set_up_that_always_fails_is_asked_about_and_goes_on_when_that_is_answered() {
    let line = "echo no compiler; test -e \"$HOME/compiler\" && touch .git/ready";
    let mut shop = Shop::with(&format!("{}[setup]\nrun = {}\n", contract(), toml_text(line)));
    let names = ["one", "two", "three"];
    // It works in what was set up, and nowhere else.
    let works = |name: &str| {
        let line = format!("test -e .git/ready && printf '{name}\\nok\\n' > src/{name}");
        vec![sh(&line), commit(), submit(), json!({ "think": 100 }), end()]
    };
    let words = names.map(|name| format!("of core/{name},"));
    let scenes: Vec<_> = words.iter().zip(names).map(|(words, name)| (words.as_str(), works(name))).collect();
    shop.script(&scenes);
    let tickets = names.map(|name| shop.ticket(&format!("core/{name}"), &["--no-tests"]));
    shop.run().success();
    let questions = shop.questions();
    assert_eq!(questions.len(), 1, "{questions:?}");
    let question = &questions[""];
    let id = question["id"].as_str().expect("an id");
    assert!(
        question["evidence"][0]["text"].as_str().is_some_and(|it| it.contains("no compiler")),
        "{question}"
    );
    let tried = |shop: &Shop| {
        let logs = shop.env.files_below(shop.env.home().join("logs/runs/shop"));
        let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("== setup").count();
        logs.iter().map(|(_, bytes)| lines(bytes)).sum::<usize>()
    };
    assert_eq!(tried(&shop), 3);
    for ticket in &tickets {
        shop.env.sb(["why", ticket]).success().says(id);
        assert_eq!((shop.status(ticket).as_str(), shop.attempts(ticket).len()), ("open", 0));
    }
    shop.run().success();
    assert_eq!(tried(&shop), 3, "it is not tried before somebody says so");
    shop.env.write(shop.env.root().join("compiler"), "");
    shop.env.sb(["esc", "answer", id, "1"]).success();
    shop.run().success();
    for ticket in &tickets {
        assert_eq!(shop.status(ticket), "done");
    }
}
