//! Many merges, in groups of one to eight, of changes that meet each other in all sorts of ways: what is on main is what
//! git's own merge in a checkout makes of them, and what is not would not have fitted.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use signalbox_core::work::{Handed as Submitted, Place};
use signalbox_core::{Command, NewTicket, ProjectName, TicketId, Who};
use signalbox_store::{Home, Store};
use signalbox_testkit::Dice;

use crate::ground::{End, Ground, Handed, LINES, command, git};
use crate::kills::runs;

/// How long all of them may take.
const LONG: Duration = Duration::from_secs(300);
/// How many tickets are handed in at once.
const TICKETS: usize = 50;

#[test]
fn every_merge_is_what_git_makes_of_it_in_a_checkout() {
    let runs = runs(100);
    let (mut landed, mut not, mut seed) = (0, 0, 0);
    while landed < runs {
        let mut dice = Dice::new(seed);
        let mut ground = Ground::new(1 + seed % 8);
        ground.hand_in_many(&mut dice, TICKETS);
        assert_eq!(ground.run_within(&[], LONG), End::Idle);
        not += ground.leave_out_what_does_not_fit();
        landed += ground.check_main().len();
        ground.check_all();
        seed += 1;
    }
    eprintln!("{landed} merges in {seed} repositories, {not} that did not fit");
    assert!(not * 3 < landed, "hardly anything fits");
}

/// A commit that git would not take, and one of which a file is missing: neither lands, and nobody waits for them.
#[test]
fn what_cannot_be_had_is_sent_back_and_holds_nobody_up() {
    let mut ground = Ground::new(4);
    ground.hand_in_many(&mut Dice::new(0), 1);
    let project = ground.env.project();
    let branch = |number: usize| format!("refs/heads/mine/{}", id_of(number));
    let script = r#"
        commit() { git commit-tree -p main -m work "$1"; }
        blob=$(echo hook | git hash-object -w --stdin)
        inner=$(printf '100644 blob %s\tconfig\n' "$blob" | git mktree)
        evil=$(printf "40000 .git\0$(echo "$inner" | sed 's/../\\x&/g')" | git hash-object -w -t tree --literally --stdin)
        git update-ref "$1" "$(commit "$evil")"
        lost=$(echo lost | git hash-object -w --stdin)
        tree=$(printf '100644 blob %s\tlost\n' "$lost" | git mktree)
        git update-ref "$2" "$(commit "$tree")"
        rm -f ".git/objects/$(echo "$lost" | cut -c1-2)/$(echo "$lost" | cut -c3-)"
    "#;
    let mut shell = std::process::Command::new("bash");
    ground.env.prepare(&mut shell);
    shell.args(["-ec", script, "bash", &branch(1), &branch(2)]).current_dir(&project);
    shell.envs([("GIT_AUTHOR_NAME", "Eve"), ("GIT_AUTHOR_EMAIL", "eve@example.org")]);
    shell.envs([("GIT_COMMITTER_NAME", "Eve"), ("GIT_COMMITTER_EMAIL", "eve@example.org")]);
    ground.env.run(shell).success();
    ground.submit(1, true);
    ground.submit(2, true);
    assert_eq!(ground.run(&[]), End::Idle);
    ground.check_all();
    let failed = ground.env.sb(["log", "--event", "merge.failed", "--json"]).success();
    assert_eq!(failed.stdout.matches("\"why\":\"missing\"").count(), 2, "{failed}");
    failed.says("malformed").says("cannot be found");
}

impl Ground {
    /// Hand in many tickets from branches of the person's, without a process for each.
    fn hand_in_many(&mut self, dice: &mut Dice, count: usize) {
        let mut stream = String::new();
        for number in 0..count {
            self.branch_into(&mut stream, dice, number);
        }
        let project = self.env.project();
        let mut child = command(&project)
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git fast-import");
        child.stdin.take().expect("its input").write_all(stream.as_bytes()).expect("write");
        assert!(child.wait().expect("git fast-import").success());
        let scratch = self.scratch();
        git(&scratch, &["fetch", "-q", project.to_str().expect("UTF-8"), "+refs/heads/mine/*:refs/mine/*"]);

        for number in 0..count {
            self.submit(number, false);
        }
    }

    /// Hand in the branch of a ticket as it is.
    fn submit(&mut self, number: usize, is_bad: bool) {
        let home = Home::new(self.env.home());
        let store = Store::new(home.clone(), home.default_vault());
        let shop = ProjectName::parse("shop").expect("a name");
        let branch = format!("mine/{}", id_of(number));
        let commit = git(&self.env.project(), &["rev-parse", &branch]);
        let id = TicketId::parse(&id_of(number)).expect("an id");
        let new = NewTicket::titled(id.clone(), shop, format!("Ticket number {number}"));
        let handed = Some(Submitted { commit, branch, place: Place::Repository });
        let note = Some("done".to_owned());
        for command in [
            Command::New(Box::new(NewTicket { needs_tests: false, ..new })),
            Command::Pick { id: id.clone() },
            Command::Submit { id, note, handed },
        ] {
            store.execute(&Who::Human, &|_| Ok(command.clone())).expect("it is written down");
        }
        self.handed.push(Handed { id: id_of(number), is_bad, workspace: None });
    }

    /// One branch with up to three commits. Some of what it changes, others change too.
    fn branch_into(&self, stream: &mut String, dice: &mut Dice, number: usize) {
        let mut list: Vec<String> = (0..LINES).map(|line| format!("line {line}\n")).collect();
        for commit in 0..=dice.below(3) {
            let (name, when) = (format!("mine/{}", id_of(number)), 1_700_000_000 + number);
            let _ =
                writeln!(stream, "commit refs/heads/{name}\ncommitter Ada <ada@example.org> {when} +0000");
            data(stream, &format!("Part {commit} of {number}\n"));
            if commit == 0 {
                let _ = writeln!(stream, "from {}", self.first);
            }
            let own = number * 4 + commit;
            for _ in 0..=dice.below(2) {
                match dice.below(16) {
                    0..5 => {
                        list[own] = format!("changed by {number}\n");
                        file(stream, "100644", "list.txt", &list.concat());
                    }
                    // A line that others want too.
                    5 => {
                        list[LINES - 1 - 4 * dice.below(20)] = format!("wanted by {number}\n");
                        file(stream, "100644", "list.txt", &list.concat());
                    }
                    6..9 => file(stream, "100644", &format!("new/{number}/{commit}.txt"), "new\n"),
                    // A file that others make too.
                    9 => {
                        let path = format!("new/{}.txt", dice.below(30));
                        file(stream, "100644", &path, &format!("by {number}\n"));
                    }
                    10 => file(stream, "100755", &format!("bin/{own}.sh"), "#!/bin/sh\n"),
                    11 => file(stream, "120000", &format!("link-{own}"), "list.txt"),
                    12 => {
                        let _ = writeln!(stream, "D old/{}.txt", dice.below(40));
                    }
                    13 => file(stream, "100755", &format!("old/{}.txt", dice.below(40)), "runs now\n"),
                    14 => file(stream, "100644", &format!("dir-{own}/ü b/\u{65e5}.txt"), "deep\n"),
                    _ => file(stream, "100644", &format!("empty-{own}"), ""),
                }
            }
            stream.push('\n');
        }
    }

    /// What did not land must not fit: git's own merge fails too, or main has all of it. Answers how many there are.
    fn leave_out_what_does_not_fit(&mut self) -> usize {
        let scratch = self.scratch();
        let from = self.integration();
        git(&scratch, &["fetch", "-q", from.to_str().expect("UTF-8"), "+refs/heads/main:refs/theirs/main"]);
        let on_main = git(&scratch, &["log", "--format=%B", "refs/theirs/main"]);
        let tree = git(&scratch, &["rev-parse", "refs/theirs/main^{tree}"]);
        let mut count = 0;
        for handed in &mut self.handed {
            if on_main.contains(&format!("Ticket: {}\n", handed.id)) {
                continue;
            }
            git(&scratch, &["checkout", "-q", "--force", "--detach", "refs/theirs/main"]);
            let merge = ["merge", "-q", "--squash", &format!("refs/mine/{}", handed.id)];
            let merged = command(&scratch).args(merge).output().expect("git").status.success();
            let fits = merged && git(&scratch, &["write-tree"]) != tree;
            assert!(!fits, "{} fits, and is not on main", handed.id);
            git(&scratch, &["reset", "-q", "--hard"]);
            handed.is_bad = true;
            count += 1;
        }
        count
    }
}

fn id_of(number: usize) -> String {
    format!("sb_{number:06}")
}

fn file(stream: &mut String, mode: &str, path: &str, content: &str) {
    let _ = writeln!(stream, "M {mode} inline \"{path}\"");
    data(stream, content);
}

fn data(stream: &mut String, content: &str) {
    let _ = writeln!(stream, "data {}\n{content}", content.len());
}
