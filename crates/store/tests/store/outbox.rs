//! The outbox: order, idempotence, what dead processes leave, races, faults and kills.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use signalbox_core::inject::{Deferred, Door, Failure, Fate, Injection, Priority, Receipt, Waiting};
use signalbox_core::{AgentId, EventId, Who};
use signalbox_store::log::{EventLog, FileLog, Item, Position, Tail};
use signalbox_store::outbox::{Asked, Outbox, Proof};
use signalbox_store::{Home, clock, new_event_id};

const DELIVERED: Fate = Fate::Delivered { door: Door::Waiter, tries: 1 };

fn agent() -> AgentId {
    AgentId::parse("claude-7kq2").expect("an id")
}

fn outbox(root: &Path) -> Outbox {
    Outbox::new(&Home::new(root), &agent())
}

fn message(text: &str) -> Injection {
    Injection::new(new_event_id(), text, "human", clock::now()).expect("a message")
}

fn ask(outbox: &Outbox, injection: &Injection) -> Vec<Receipt> {
    match outbox.enqueue(&Who::Human, injection.clone(), clock::now()).expect("enqueue") {
        Asked::Heard(receipts) => receipts,
        Asked::Already => panic!("it was asked for before"),
    }
}

fn texts(waiting: &[Waiting]) -> Vec<&str> {
    waiting.iter().map(|waiting| waiting.injection.text.as_str()).collect()
}

/// All receipts in the log.
fn receipts(root: &Path) -> Vec<Receipt> {
    let mut found = Vec::new();
    let log = FileLog::new(Home::new(root).events());
    log.read_after(&Position::default(), Tail::Live, &mut |_, item| match item {
        Item::Event(event) => found.extend(Receipt::of(&event).map(|(_, receipt)| receipt)),
        Item::Damage(damage) => assert!(!damage.loses_data(), "{damage:?}"),
    })
    .expect("read the log");
    found
}

fn files(root: &Path) -> Vec<String> {
    let folder = Home::new(root).outbox().join(agent().as_str());
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn the_most_urgent_comes_first_and_each_comes_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path());
    ask(&outbox, &message("second"));
    ask(&outbox, &message("third").priority(Priority::Low));
    ask(&outbox, &message("first").priority(Priority::High));
    assert_eq!(texts(&outbox.waiting().expect("waiting")), ["first", "second", "third"]);
    for text in ["first", "second", "third"] {
        let claim = outbox.claim(clock::now()).expect("claim").expect("a message");
        assert_eq!(claim.waiting.injection.text, text);
        assert_eq!(outbox.taken().expect("taken").len(), 1);
        outbox.finish(&claim, DELIVERED).expect("finish");
        // Asking again because the answer got lost writes nothing.
        outbox.finish(&claim, DELIVERED).expect("finish");
    }
    assert!(outbox.claim(clock::now()).expect("claim").is_none());
    assert_eq!(files(folder.path()), [""; 0]);
    let names: Vec<_> = receipts(folder.path()).iter().map(Receipt::name).collect();
    assert_eq!(names, [["inject.queued"; 3], ["inject.delivered"; 3]].concat());
}

#[test]
fn what_was_said_lately_is_known_with_its_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path());
    let said =
        || -> Vec<String> { outbox.said_lately().expect("said").into_iter().map(|said| said.text).collect() };
    ask(&outbox, &message("waits"));
    ask(&outbox, &message("is told").priority(Priority::High));
    assert_eq!(said(), [""; 0]);
    let claim = outbox.claim(clock::now()).expect("claim").expect("a message");
    assert_eq!(said(), ["is told"]);
    outbox.finish(&claim, DELIVERED).expect("finish");
    assert_eq!(said(), ["is told"]);
    outbox.close(Failure::Exited).expect("close");
    assert_eq!(said(), ["is told"], "what was given up was not said");
}

#[test]
fn asking_twice_is_asking_once_even_after_delivery() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path());
    let injection = message("once");
    let again = || outbox.enqueue(&Who::Human, injection.clone(), clock::now()).expect("enqueue");
    ask(&outbox, &injection);
    assert_eq!(again(), Asked::Already);
    let claim = outbox.claim(clock::now()).expect("claim").expect("a message");
    assert_eq!(again(), Asked::Already);
    outbox.finish(&claim, DELIVERED).expect("finish");
    assert_eq!(again(), Asked::Already);
    assert!(outbox.claim(clock::now()).expect("claim").is_none());
    assert_eq!(receipts(folder.path()).len(), 2);
}

#[test]
fn what_is_put_back_waits_in_its_old_place_and_says_once_for_what() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path());
    ask(&outbox, &message("one"));
    ask(&outbox, &message("two"));
    for (reason, is_news) in [(Deferred::Draft, true), (Deferred::Draft, false), (Deferred::Busy, true)] {
        let claim = outbox.claim(clock::now()).expect("claim").expect("a message");
        assert_eq!(claim.waiting.injection.text, "one");
        assert_eq!(outbox.put_back(&claim, reason, 1).expect("put back").is_some(), is_news);
    }
    assert_eq!(outbox.defer(Deferred::Busy, clock::now()).expect("defer"), None);
    assert!(outbox.defer(Deferred::Dialog, clock::now()).expect("defer").is_some());
    let waiting = outbox.waiting().expect("waiting");
    assert_eq!((waiting[0].deferred, waiting[0].tries), (Some(Deferred::Dialog), 3));
    // In the end it has waited too long, and the receipt says for what.
    let later = clock::now() + SignedDuration::from_secs(301);
    assert!(outbox.claim(later).expect("claim").is_none());
    let ends: Vec<String> =
        receipts(folder.path()).iter().filter(|r| r.is_last()).map(ToString::to_string).collect();
    assert!(ends[0].starts_with("expired after 30") && ends[0].ends_with("s: a dialog is open"), "{ends:?}");
    assert_eq!(ends.len(), 2);
    assert_eq!(files(folder.path()), [""; 0]);
}

#[test]
fn keys_cancelling_and_closing_leave_a_receipt_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path()).most(3);
    let keyed = |text: &str| message(text).key("ci").expect("a key");
    ask(&outbox, &keyed("red"));
    let receipts_of_newer = ask(&outbox, &keyed("green"));
    let names: Vec<_> = receipts_of_newer.iter().map(Receipt::name).collect();
    assert_eq!(names, ["inject.superseded", "inject.queued"]);
    // One that is being delivered is not superseded any more.
    let claim = outbox.claim(clock::now()).expect("claim").expect("a message");
    assert_eq!(ask(&outbox, &keyed("blue")).len(), 1);
    outbox.finish(&claim, DELIVERED).expect("finish");
    let unwanted = message("unwanted");
    ask(&outbox, &unwanted);
    assert!(outbox.cancel(&Who::Human, &unwanted.id).expect("cancel").is_some());
    assert!(outbox.cancel(&Who::Human, &unwanted.id).expect("cancel").is_none());
    for n in 0..3 {
        ask(&outbox, &message(&format!("{n}")).priority(Priority::High));
    }
    let refused = ask(&outbox, &message("late").priority(Priority::Low));
    assert!(matches!(refused[0].fate, Fate::Failed { reason: Failure::Full, .. }), "{refused:?}");
    assert_eq!(outbox.close(Failure::Exited).expect("close").len(), 3);
    assert_eq!(files(folder.path()), [""; 0]);
    check_every_end(folder.path());
}

#[test]
fn a_file_that_cannot_be_read_is_set_aside_with_a_receipt() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path());
    let injection = message("spoiled");
    ask(&outbox, &injection);
    ask(&outbox, &message("whole"));
    let home = Home::new(folder.path());
    let path = home.outbox().join(agent().as_str()).join(format!("{}.json", injection.id));
    signalbox_store::files::replace(&path, b"{\"id\":", 0o600).expect("spoil it");
    let claim = outbox.claim(clock::now()).expect("claim").expect("a message");
    assert_eq!(claim.waiting.injection.text, "whole");
    let last = receipts(folder.path()).into_iter().rfind(|r| r.injection == injection.id).expect("a receipt");
    assert!(matches!(last.fate, Fate::Failed { reason: Failure::Unreadable, .. }), "{last:?}");
    assert_eq!(std::fs::read_dir(home.quarantine().join("outbox")).expect("a folder").count(), 1);
}

/// Every message has at most one last receipt; the answer is how many have one.
fn check_every_end(root: &Path) -> usize {
    let mut ends: BTreeMap<EventId, Vec<Receipt>> = BTreeMap::new();
    for receipt in receipts(root).into_iter().filter(Receipt::is_last) {
        ends.entry(receipt.injection.clone()).or_default().push(receipt);
    }
    for (id, ends) in &ends {
        assert_eq!(ends.len(), 1, "{id} ended more than once: {ends:?}");
    }
    ends.len()
}

#[test]
fn eight_ask_and_two_deliver_and_each_message_is_delivered_once() {
    const EACH: usize = 25;
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path()).most(10_000);
    let delivered: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for asker in 0..8 {
            let outbox = &outbox;
            scope.spawn(move || {
                for n in 0..EACH {
                    ask(outbox, &message(&format!("{asker}-{n}")));
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let mut watch = outbox.watch().expect("watch");
                let deadline = Instant::now() + Duration::from_secs(120);
                while delivered.lock().expect("the list").len() < 8 * EACH {
                    assert!(Instant::now() < deadline, "not all were delivered");
                    let Some(claim) = outbox.claim(clock::now()).expect("claim") else {
                        watch.wait(Duration::from_millis(20)).expect("wait");
                        continue;
                    };
                    delivered.lock().expect("the list").push(claim.waiting.injection.text.clone());
                    outbox.finish(&claim, DELIVERED).expect("finish");
                }
            });
        }
    });
    let delivered = delivered.into_inner().expect("the list");
    assert_eq!(delivered.iter().collect::<BTreeSet<_>>().len(), delivered.len(), "one came twice");
    assert_eq!(delivered.len(), 8 * EACH);
    assert_eq!(check_every_end(folder.path()), 8 * EACH);
    assert_eq!(files(folder.path()), [""; 0]);
}

#[test]
fn a_waiter_notices_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path());
    let mut watch = outbox.watch().expect("watch");
    assert!(!watch.wait(Duration::from_millis(1)).expect("wait"), "nothing has happened yet");
    let file = Home::new(folder.path()).outbox().join(agent().as_str()).join("another-file");
    let mut delays = Vec::new();
    for _ in 0..100 {
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                signalbox_store::files::replace(&file, b"x", 0o600).expect("write");
                Instant::now()
            });
            assert!(watch.wait(Duration::from_secs(10)).expect("wait"), "it was not told");
            delays.push(Instant::now().saturating_duration_since(writer.join().expect("the writer")));
        });
        while watch.wait(Duration::ZERO).expect("wait") {}
    }
    delays.sort();
    eprintln!("told after: median {:?}, worst {:?}", delays[50], delays[99]);
    assert!(delays[50] < Duration::from_millis(20), "{delays:?}");
    ask(&outbox, &message("a real one"));
    assert!(watch.wait(Duration::from_secs(10)).expect("wait"), "it was not told");
}

/// Run `child` of this very test program in another process.
fn child(root: &Path, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "outbox::child_process", "--nocapture", "--test-threads=1"])
        .env("OUTBOX_ROLE", role)
        .env("OUTBOX_ROOT", root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Not a test: what the other tests start and kill. A delivery is a line in the file `delivered`.
#[test]
fn child_process() {
    let (Ok(role), Ok(root)) = (std::env::var("OUTBOX_ROLE"), std::env::var("OUTBOX_ROOT")) else { return };
    let root = Path::new(&root);
    let outbox = outbox(root).most(10_000);
    match role.as_str() {
        "ask" => loop {
            let injection = message("from a process that will be killed");
            if outbox.enqueue(&Who::Human, injection.clone(), clock::now()).is_ok() {
                println!("\nasked {}", injection.id);
            }
        },
        "replace" => loop {
            let injection = message("with a key").key("k").expect("a key");
            if outbox.enqueue(&Who::Human, injection.clone(), clock::now()).is_ok() {
                println!("\nasked {}", injection.id);
            }
        },
        "deliver" => {
            println!("\nasked");
            let deadline = Instant::now() + Duration::from_secs(60);
            while Instant::now() < deadline {
                let _ = deliver(&outbox, root);
            }
        }
        // Two messages with known ids and the same key, and then one delivery.
        once => {
            let id = EventId::parse(once).expect("an id");
            let keyed = |id| {
                let injection = Injection::new(id, "once", "human", clock::now()).expect("a message");
                outbox.enqueue(&Who::Human, injection.key("k").expect("a key"), clock::now())
            };
            if keyed(older(&id)).is_ok() {
                println!("\nasked {}", older(&id));
            }
            let asked = keyed(id);
            println!("\nasked {}", asked.is_ok());
            let delivered = asked.is_ok() && deliver(&outbox, root).is_ok();
            println!("\ndelivered {delivered}");
        }
    }
}

/// Another id that follows from one.
fn older(id: &EventId) -> EventId {
    EventId::new(id.millis() - 1, [7; 10])
}

/// Settle what others left, take one, deliver it, finish it.
fn deliver(outbox: &Outbox, root: &Path) -> Result<bool, signalbox_store::outbox::OutboxError> {
    outbox.settle(&mut |waiting| match delivered(root).contains(&waiting.injection.id.to_string()) {
        true => Proof::Taken(DELIVERED),
        false => Proof::NotTaken,
    })?;
    let Some(claim) = outbox.claim(clock::now())? else { return Ok(false) };
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(root.join("delivered")).expect("the file");
    file.write_all(format!("{}\n", claim.waiting.injection.id).as_bytes()).expect("deliver");
    outbox.finish(&claim, DELIVERED)?;
    Ok(true)
}

fn delivered(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("delivered")).unwrap_or_default();
    text.lines().map(ToOwned::to_owned).collect()
}

/// Everything that was acknowledged has come to an end, once.
fn check_world(root: &Path, acknowledged: &BTreeSet<String>) {
    let outbox = outbox(root).most(10_000);
    let deadline = Instant::now() + Duration::from_secs(60);
    while deliver(&outbox, root).expect("deliver") {
        assert!(Instant::now() < deadline, "it never ends");
    }
    assert_eq!(files(root), [""; 0], "something is left");
    let delivered = delivered(root);
    let once: BTreeSet<String> = delivered.iter().cloned().collect();
    assert_eq!(once.len(), delivered.len(), "something was delivered twice");
    check_every_end(root);
    let ends: BTreeMap<String, Receipt> = receipts(root)
        .into_iter()
        .filter(Receipt::is_last)
        .map(|receipt| (receipt.injection.to_string(), receipt))
        .collect();
    for id in acknowledged.iter().chain(&once) {
        let end = ends.get(id).unwrap_or_else(|| panic!("{id} was lost without an outcome"));
        assert_eq!(matches!(end.fate, Fate::Delivered { .. }), once.contains(id), "{id}: {end}");
    }
}

/// Start, let it work until it has said something, wait a random while more, kill -9, and collect what it said.
fn kill_after(command: &mut Command, micros: u64) -> BTreeSet<String> {
    let mut process: Child = command.spawn().expect("start");
    let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    let mut said = BTreeSet::new();
    let mut hear = |line: &str| {
        said.extend(line.strip_prefix("asked ").map(ToOwned::to_owned));
        line.starts_with("asked")
    };
    while let Some(Ok(line)) = lines.next() {
        if hear(&line) {
            break;
        }
    }
    std::thread::park_timeout(Duration::from_micros(micros));
    process.kill().expect("kill -9");
    process.wait().expect("wait");
    while let Some(Ok(line)) = lines.next() {
        hear(&line);
    }
    said
}

#[test]
fn kills_at_any_moment_lose_nothing_and_double_nothing() {
    const ROUNDS: u64 = 25;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let said: Mutex<BTreeSet<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for (seed, role) in (1..).zip(["ask", "replace", "deliver", "deliver"]) {
            let said = &said;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let micros = (round * 4 + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                    let heard = kill_after(&mut child(root, role), micros % 60_000);
                    said.lock().expect("the list").extend(heard);
                }
            });
        }
    });
    let said = said.into_inner().expect("the list");
    assert!(said.len() > 20, "only {} were acknowledged", said.len());
    check_world(root, &said);
    // What killed writers left half-written goes away with the next message.
    ask(&outbox(root), &message("the next one"));
    let folder = Home::new(root).outbox().join(agent().as_str());
    let names =
        std::fs::read_dir(folder).expect("the outbox").map(|entry| entry.expect("an entry").file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".sbtmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    eprintln!("{} kills, {} acknowledged, {} delivered", ROUNDS * 4, said.len(), delivered(root).len());
}

/// Every file operation of asking and delivering fails once in every way. Whoever was refused may ask again.
#[test]
fn every_file_operation_can_fail() {
    let mut faults = 0;
    for kind in ["eio", "enospc", "short", "kill"] {
        for operation in 1.. {
            let folder = tempfile::tempdir().expect("a folder");
            let root = folder.path();
            let id = new_event_id();
            let mark = root.join("mark");
            let mut faulty = child(root, id.as_str());
            faulty.env("SIGNALBOX_FAULT", format!("{operation}:{kind}")).env("SIGNALBOX_FAULT_MARK", &mark);
            let said = faulty.output().expect("run");
            let said = String::from_utf8_lossy(&said.stdout).into_owned();
            if !mark.exists() {
                assert!(said.contains("delivered true"), "{said}");
                break;
            }
            faults += 1;
            // The same again, without a fault.
            let again = child(root, id.as_str()).output().expect("run");
            let again = String::from_utf8_lossy(&again.stdout).into_owned();
            assert!(again.contains("asked true"), "operation {operation}, {kind}: {said}\n{again}");
            assert!(
                again.contains(&format!("asked {}", older(&id))),
                "operation {operation}, {kind}: {again}"
            );
            check_world(root, &BTreeSet::from([id.to_string(), older(&id).to_string()]));
        }
    }
    eprintln!("{faults} faults");
    assert!(faults > 60, "only {faults} operations were made to fail");
}
