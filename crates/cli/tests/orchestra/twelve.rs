//! One run with everything that goes wrong in it: twelve tickets, three agents at once, and a person whose checkout is dirty.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::kit::play::{commit, does, end, sh, submit, write};
use crate::kit::{Shop, eventually, kill};

/// What each ticket puts on main in the end.
const WORK: &[(&str, &str, &str)] = &[
    ("core/base", "src/base", "base\nok\n"),
    ("core/parse", "src/parse", "parse\nok\n"),
    ("core/print", "src/print", "print\nok\n"),
    ("core/tidy", "src/tidy", "tidy\nok\n"),
    ("core/twice", "src/twice", "third time\nok\n"),
    ("core/never", "src/never", "as the person said\nok\n"),
    ("core/left", "src/shared", "left\nok\n"),
    ("core/right", "src/shared", "left and right\nok\n"),
    ("core/direct", "src/direct", "direct\nok\n"),
    ("core/hang", "src/hang", "awake\nok\n"),
    ("core/killed", "src/killed", "alive\nok\n"),
    ("docs/last", "src/last", "last\nok\n"),
];

fn script() -> Vec<(&'static str, Vec<Value>)> {
    let work = |branch: &str| {
        let (_, path, content) = WORK.iter().find(|(known, ..)| *known == branch).expect("a ticket");
        does(path, content)
    };
    let broken = |path: &str, how: &str| does(path, how);
    let test = |name: &str| does(&format!("tests/{name}.sh"), &format!("grep -q {name} src/{name}\n"));
    // Until the other one is on main, so that both began from the same.
    let once_left_is_done =
        sh("for i in $(seq 600); do sb list --all | grep 'Do left' | grep -q done && break; \
                                sleep 0.1; done");
    vec![
        ("test-writer of core/base,", test("base")),
        ("doer of core/base, attempt 1", work("core/base")),
        ("doer of core/parse, attempt 1", work("core/parse")),
        // This one goes on talking after it has handed in, and has to be ended.
        ("doer of core/print, attempt 1", work("core/print")[..3].to_vec()),
        ("test-writer of core/tidy,", test("tidy")),
        (
            "doer of core/tidy, attempt 1",
            vec![
                // The hook refuses this one. The merge gate has to see the next, which no hook reads.
                sh("sed -i s/grep/true/ tests/tidy.sh"),
                write(
                    "edit.awk",
                    "BEGIN { while ((getline line < \"tests/tidy.sh\") > 0) { sub(/grep/, \"true\", line); all = all line \"\\n\" } printf \"%s\", all > \"tests/tidy.sh\" }\n",
                ),
                sh("awk -f edit.awk; rm edit.awk; git add -A; git commit -q -m work"),
                submit(),
                end(),
            ],
        ),
        ("doer of core/tidy, attempt 2", work("core/tidy")),
        ("doer of core/twice, attempt 1", broken("src/twice", "once\n")),
        ("doer of core/twice, attempt 2", broken("src/twice", "and again\n")),
        ("doer of core/twice, attempt 3", work("core/twice")),
        ("Answer: as the person said", work("core/never")),
        ("doer of core/never, attempt 1", broken("src/never", "a\n")),
        ("doer of core/never, attempt 2", broken("src/never", "b\n")),
        ("doer of core/never, attempt 3", broken("src/never", "c\n")),
        ("doer of core/left, attempt 1", work("core/left")),
        ("Answer: both of them", work("core/right")),
        (
            "doer of core/right, attempt 1",
            vec![write("src/shared", "right\nok\n"), commit(), once_left_is_done, submit(), end()],
        ),
        (
            "doer of core/direct, attempt 1",
            vec![
                sh("git switch -q main"),
                sh("git checkout -q main"),
                write("src/direct", "straight to main\nok\n"),
                sh("git symbolic-ref HEAD refs/heads/main; git add -A; git commit -q -m 'on main'"),
                sh("sb submit -m 'on main'"),
                end(),
            ],
        ),
        ("doer of core/direct, attempt 2", work("core/direct")),
        ("doer of core/hang, attempt 1", vec![write("src/hang", "half\n"), json!("hang")]),
        ("doer of core/hang, attempt 2", work("core/hang")),
        ("doer of core/killed, attempt 1", vec![write("src/killed", "half\n"), json!({ "think": 60000 })]),
        ("doer of core/killed, attempt 2", work("core/killed")),
        ("doer of docs/last, attempt 1", work("docs/last")),
    ]
}

#[test]
fn twelve_tickets_reach_main_whatever_their_agents_do() {
    let mut shop = Shop::new();
    shop.script(&script());
    let begun_at = shop.git(&["rev-parse", "HEAD"]);
    let ids = file(&shop);
    let id = |branch: &str| ids[branch].as_str();
    dirty(&shop);
    let before = shop.checkout();

    let run = shop.begin(&["run", "--until-idle", "--concurrency", "3"]);
    let mut most = 0;
    let mut killed = false;
    eventually("somebody to kill", || {
        most = most.max(at_once(&shop));
        if let Some(pid) = shop.agents("core/killed").first().and_then(|agent| agent["child"]["pid"].as_u64())
        {
            kill(u32::try_from(pid).expect("a process"));
            killed = true;
        }
        killed
    });
    let mut run = run;
    eventually("the end of the run", || {
        most = most.max(at_once(&shop));
        run.child.try_wait().expect("wait").is_some()
    });
    let said = run.end().success();
    assert!(most == 3, "{most} agents at once, and not 3:\n{said}");

    // Only what needs a person is left.
    let waits: BTreeSet<&str> =
        ids.iter().filter(|(_, id)| shop.status(id) != "done").map(|(branch, _)| branch.as_str()).collect();
    assert_eq!(waits, BTreeSet::from(["core/never", "core/right", "docs/last"]), "{said}");
    let questions = shop.questions();
    let asked: BTreeSet<&str> = questions.keys().map(String::as_str).collect();
    assert_eq!(asked, BTreeSet::from([id("core/never"), id("core/right")]));

    shop.answer(id("core/never"), "as the person said");
    shop.answer(id("core/right"), "both of them");
    let said = shop.run().success();
    for (branch, id) in &ids {
        assert_eq!(shop.status(id), "done", "{branch}: {said}");
    }
    assert_eq!(before, shop.checkout(), "the person's checkout was touched");
    exactly_the_work(&shop, &begun_at, &ids);
    every_attempt_is_told(&shop, &ids);
}

fn file(shop: &Shop) -> BTreeMap<String, String> {
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    for (branch, ..) in WORK {
        let mut more: Vec<&str> = Vec::new();
        if !["core/base", "core/tidy"].contains(branch) {
            more.push("--no-tests");
        }
        let waits_for: &[&str] = match *branch {
            "core/parse" | "core/print" => &["core/base"],
            "docs/last" => &["core/never", "core/parse"],
            _ => &[],
        };
        for other in waits_for {
            more.extend(["--depends-on", &ids[*other]]);
        }
        let id = shop.ticket(branch, &more);
        ids.insert((*branch).to_owned(), id);
    }
    ids
}

/// A file that is changed, one that is staged, and one that git does not know.
fn dirty(shop: &Shop) {
    let project = shop.env.project();
    shop.env.write(project.join("src/first"), "what the person is at\n");
    shop.env.write(project.join("src/staged"), "staged\n");
    shop.git(&["add", "src/staged"]);
    shop.env.write(project.join("src/base"), "mine, and not the agents'\n");
}

fn at_once(shop: &Shop) -> usize {
    let status = shop.json(&["run", "status", "--json"]);
    status["agents"].as_array().map_or(0, Vec::len)
}

/// Main has what was validated and nothing else: one commit a ticket, in a line, each of them green.
fn exactly_the_work(shop: &Shop, begun_at: &str, ids: &BTreeMap<String, String>) {
    shop.assert_main_is_linear_and_green(begun_at);
    let mut wanted = shop.files_at(begun_at);
    for (_, path, content) in WORK {
        wanted.insert((*path).to_owned(), content.trim_end().to_owned());
    }
    for name in ["base", "tidy"] {
        wanted.insert(format!("tests/{name}.sh"), format!("grep -q {name} src/{name}"));
    }
    assert_eq!(shop.files_at("refs/heads/main"), wanted);
    let line = shop.ours(&["rev-list", &format!("{begun_at}..refs/heads/main")]);
    let line: BTreeSet<&str> = line.lines().collect();
    let landed: Vec<Value> = ids.values().map(|id| shop.show(id)["work"]["landed"].clone()).collect();
    let theirs: BTreeSet<&str> = landed.iter().filter_map(|one| one["landed"].as_str()).collect();
    assert_eq!(line, theirs, "each commit of main is a ticket's, and each ticket has one");
    // Main was only ever moved to trees that had passed.
    let events = shop.events();
    let passed: BTreeSet<&str> = events
        .iter()
        .filter(|(name, _)| name == "merge.validated")
        .filter_map(|(_, event)| event["data"]["tree"].as_str())
        .collect();
    for (_, event) in events.iter().filter(|(name, _)| name == "merge.landed") {
        assert!(passed.contains(event["data"]["tree"].as_str().expect("a tree")), "{event}");
    }
}

/// What became of each attempt stands on its ticket.
fn every_attempt_is_told(shop: &Shop, ids: &BTreeMap<String, String>) {
    let told = |branch: &str| -> Vec<String> {
        let attempts = shop.attempts(&ids[branch]);
        attempts.into_iter().map(|(_, outcome, _)| outcome).collect()
    };
    let failed = "failed_merge";
    assert_eq!(told("core/base"), ["completed", "completed"]);
    assert_eq!(told("core/twice"), ["completed", failed, "completed", failed, "completed"]);
    assert_eq!(told("core/hang"), ["stalled", "completed"]);
    assert_eq!(told("core/killed"), ["crashed", "completed"]);
    assert_eq!(told("core/direct"), ["crashed", "completed"]);
    let why = |branch: &str| shop.attempts(&ids[branch]).into_iter().map(|(.., why)| why).collect::<Vec<_>>();
    assert!(why("core/tidy").iter().any(|why| why.starts_with("boundary")), "{:?}", why("core/tidy"));
    assert!(why("core/right").iter().any(|why| why.starts_with("conflict")), "{:?}", why("core/right"));
    // The hook had refused the plain `sed -i`, and the commit on main.
    let refused: Vec<Value> =
        shop.events().into_iter().map(|(_, event)| event["data"]["rule"].clone()).collect();
    for rule in ["tests", "branch"] {
        assert!(refused.iter().any(|one| one == rule), "nothing was refused by the rule {rule}");
    }
}
