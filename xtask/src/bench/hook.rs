//! What a hook adds to a tool call: `sb hook pre-tool` against an empty static program started the same way.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;

use super::home::{Home, Size};
use super::measure::{Competitor, side_by_side};
use super::report::{Goal, Limit, Section, timing_row};
use super::{Bench, skipped, start};
use crate::{Result, run};

const ROUNDS: usize = 1_000;
const AT_ONCE: usize = 8;
const WORDS: [&str; 4] = ["hook", "pre-tool", "--cli", "claude"];

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = "hook: one tool call, judged and recorded";
    let mut section = Section::new(title, &["what", "n", "p50", "p95", "x floor"]);
    // Its own: whoever runs the benches is an agent there from now on, and an agent may not sit at the board.
    let small = bench.homes.make(Size::tickets(1_000), "hook")?;
    let million = bench.home(Size::MILLION)?;
    let Some(floor) = start::floor(bench)? else {
        skipped(
            &mut section,
            "there is no floor to compare with, for want of a C compiler with a static library",
        );
        return Ok(section);
    };
    for home in [&small, &million] {
        begin(bench, home)?;
    }
    let typical = payload(bench, "typical", &command(2_000))?;
    let large = payload(bench, "large", &command(64_000))?;
    let bench = &*bench;
    // A refusal is another way through the hook; what is measured must pass.
    for (home, input) in [(&small, &typical), (&million, &typical), (&small, &large)] {
        let mut once = bench.sb(home, WORDS);
        let said = run::output(once.stdin(Stdio::from(std::fs::File::open(input)?)))?;
        if said != "{}" {
            return Err(format!("the call that should pass was answered with {said}").into());
        }
    }
    let empty = |label: &str, input: &Path| {
        let (floor, folder) = (floor.clone(), small.folder.clone());
        Competitor::new(label, ROUNDS, move |_| run::hermetic(&floor, &folder)).reading(input)
    };
    let hook = |label: &str, home: &Home, input: &Path| {
        let home = home.clone();
        Competitor::new(label, ROUNDS, move |_| bench.sb(&home, WORDS)).reading(input)
    };
    let competitors = vec![
        empty("floor: an empty static C program", &typical),
        hook("a 2 kB command", &small, &typical),
        hook("the same, in a home of 1,000,000 events", &million, &typical),
        hook("a 64 kB command", &small, &large),
        empty("floor, 8 at once", &typical).at_once(AT_ONCE),
        hook("a 2 kB command, 8 at once", &small, &typical).at_once(AT_ONCE),
    ];
    let timings = side_by_side(competitors)?;
    let [base, one, grown, big, base_many, many] = timings.as_slice() else {
        return Err("a competitor is missing".into());
    };
    for (timing, base) in
        [(base, base), (one, base), (grown, base), (big, base), (base_many, base_many), (many, base_many)]
    {
        section.rows.push(timing_row(timing, Some(base)));
    }
    let mut goal = |what: &str, measured: f64, limit: f64| {
        section.goals.push(Goal::new(what, Some(measured), Limit::AtMost(limit)));
    };
    goal("a hook to the floor, p50", one.times(base), 1.5);
    goal("a hook to the floor, p95", one.times_at_p95(base), 2.0);
    goal("with 1,000,000 events, p50", grown.times(base), 1.5);
    goal("8 at once, p50", many.times(base_many), 1.5);
    goal("with a 64 kB command, p50", big.times(base), 5.0);
    Ok(section)
}

/// Register a session of this process, as an agent CLI would.
fn begin(bench: &Bench, home: &Home) -> Result<()> {
    let payload =
        json!({ "session_id": "bench", "cwd": std::env::current_dir()?, "hook_event_name": "SessionStart" });
    let mut start = bench.sb(home, ["hook", "session-start", "--cli", "claude"]);
    let mut child = start.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    child.stdin.take().ok_or("no standard input")?.write_all(payload.to_string().as_bytes())?;
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(format!("the session could not be begun: {status}").into()) }
}

/// A command as agents write them, of about this length: some programs, a pipe, a loop, and a long text.
fn command(length: usize) -> String {
    let head = "cargo test --workspace 2>&1 | tail -40\ngit add -A && git commit -q -F - <<'EOF'\n";
    let tail = "EOF\ngit status --short | head -20; for f in src/a.rs src/b.rs; do grep -n TODO $f; done";
    let line = "Say what changed and why, at some length, as people do in the text of a commit.\n";
    let lines = length.saturating_sub(head.len() + tail.len()) / line.len();
    format!("{head}{}{tail}", line.repeat(lines))
}

fn payload(bench: &Bench, name: &str, command: &str) -> Result<PathBuf> {
    let payload = json!({
        "session_id": "bench", "transcript_path": "/dev/null", "cwd": std::env::current_dir()?,
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command, "description": "Run the tests and commit" }, "tool_use_id": "toolu_0001",
    });
    let path = bench.scratch.path().join(format!("{name}.json"));
    run::write(&path, payload.to_string())?;
    Ok(path)
}
