//! Killed with -9 at any moment under load: what was acknowledged is there, and everything agrees.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use signalbox_testkit::TestEnv;

use crate::env;
use crate::race::in_parallel;

const WRITERS: usize = 64;
const KILLS: usize = 2_000;

/// A number that differs for each n, spread over all 64 bits.
fn mix(n: u64) -> u64 {
    let z = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Half of the kills come from outside after a random time, half from inside at a random file operation, in the
/// middle of a write where it is one.
#[test]
fn two_thousand_kills_lose_nothing_that_was_acknowledged() {
    let env = env();
    let tickets: Vec<String> = (0..16).map(|n| env.new_ticket(&format!("ticket {n}"))).collect();
    for id in &tickets {
        env.sb(["pick", id]).success();
    }
    let (kills, calls) = (AtomicUsize::new(0), AtomicU64::new(0));
    let acknowledged = in_parallel(WRITERS, |_| {
        let mut acknowledged = Vec::new();
        while kills.load(Ordering::Relaxed) < KILLS {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            let random = mix(call + 1);
            let ticket = &tickets[usize::try_from(random % 16).expect("small")];
            let token = format!("token-{call:06}-{:08x}", random >> 32);
            match attempt(&env, ticket, &token, random) {
                Some(true) => acknowledged.push((ticket.clone(), token)),
                Some(false) => {}
                None => {
                    kills.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        acknowledged
    });
    assert!(acknowledged.len() > 200, "only {} writes were acknowledged", acknowledged.len());

    // The next command, whatever it is, puts everything right.
    env.sb(["list"]).success();
    let findings = env.sb(["doctor", "--json"]).success();
    assert!(!findings.stdout.contains("\"problem\""), "{findings}");

    let sql = "SELECT ticket, json_extract(data, '$.text') AS text FROM events WHERE event = 'note.added'";
    let notes: Vec<serde_json::Value> =
        serde_json::from_str(&env.sb(["query", sql, "--json"]).success().stdout).expect("JSON");
    let mut in_log: BTreeMap<String, usize> = BTreeMap::new();
    for note in &notes {
        let text = note["text"].as_str().expect("a text");
        *in_log.entry(text.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let files: BTreeMap<&String, String> =
        tickets.iter().map(|id| (id, env.read(env.ticket_file(id)))).collect();
    for (ticket, token) in &acknowledged {
        assert_eq!(
            in_log.get(token),
            Some(&1),
            "{token} was acknowledged and is not in the log exactly once"
        );
        assert!(files[ticket].contains(token), "{token} was acknowledged and is not in the file of {ticket}");
    }
    for (token, times) in &in_log {
        assert_eq!(*times, 1, "{token} stands in the log {times} times");
    }
    eprintln!(
        "{} calls, {} kills, {} acknowledged",
        calls.into_inner(),
        kills.into_inner(),
        acknowledged.len()
    );
}

/// One note of 100 bytes to 100 kB: acknowledged, failed, or killed.
fn attempt(env: &TestEnv, ticket: &str, token: &str, random: u64) -> Option<bool> {
    let size = match random % 8 {
        0 => 100_000,
        1 | 2 => 20_000,
        _ => 100,
    };
    let text = format!("{token} {}", "x".repeat(size));
    let mut command = env.command();
    command.args(["note", ticket, "-"]);
    let from_inside = random.is_multiple_of(2);
    if from_inside {
        command.env("SIGNALBOX_FAULT", format!("{}:kill", 1 + (random >> 8) % 45));
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("start sb");
    let mut stdin = child.stdin.take().expect("standard input");
    // If it is dead already, the pipe is broken; that is no failure of the test.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    if !from_inside {
        std::thread::park_timeout(Duration::from_micros((random >> 8) % 400_000));
        child.kill().expect("kill");
    }
    let status = child.wait().expect("wait");
    status.code().map(|code| code == 0)
}
