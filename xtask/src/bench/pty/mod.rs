//! The terminal in the middle: what passing through it costs, against a loop that only copies and against the programs
//! that people use today.

pub(super) mod terminal;
mod wrappers;

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use signalbox_pty::frame;

use super::measure::Timing;
use super::report::{Goal, Limit, Section, duration, ratio};
use super::{Bench, progress, skipped};
use crate::run::{self, Profile};
use crate::{Result, bench::machine};
use terminal::Terminal;
use wrappers::{Kind, Wrapper};

const FLOOD_MB: usize = 200;
const ROUNDS: usize = 7;
const KEYS: usize = 1_000;
const LONG_MB: usize = 1_000;
const WATCHERS: usize = 100;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = format!("pty: {FLOOD_MB} MB of coloured text through a terminal, and the echo of a key");
    let headings = ["what", "flood p50", "MB/s", "x bare pump", "echo p50", "echo p99", "x bare pump"];
    let mut section = Section::new(&title, &headings);
    let program = run::build("signalbox-pty", "pty-proxy", Profile::Release)?;
    let folder = bench.scratch.path().join("pty");
    let flood = flood(&folder.join("flood"), FLOOD_MB)?;
    let mut wrappers = Vec::new();
    for (label, kind) in kinds(&program) {
        let own = folder.join(label.replace([' ', '`', ','], "-"));
        std::fs::create_dir_all(&own)?;
        let wrapper = Wrapper::new(label, kind, &own);
        match wrapper.missing() {
            Some(missing) => skipped(&mut section, &format!("{label}: {missing} is not installed")),
            None => wrappers.push(wrapper),
        }
    }
    let floods = time_floods(&wrappers, &flood)?;
    let echoes = time_echoes(&wrappers)?;
    let find = |label: &str, timings: &[Timing]| timings.iter().find(|timing| timing.label == label).cloned();
    let pump_flood = find(BARE_PUMP, &floods).ok_or("the bare pump was not measured")?;
    let pump_echo = find(BARE_PUMP, &echoes).ok_or("the bare pump was not measured")?;
    for (flood, echo) in floods.iter().zip(&echoes) {
        section.rows.push(vec![
            flood.label.clone(),
            duration(flood.p50()),
            format!("{:.0}", FLOOD_MB as f64 / flood.p50().as_secs_f64()),
            ratio(flood.times(&pump_flood)),
            duration(echo.p50()),
            duration(echo.percentile(99)),
            ratio(echo.times(&pump_echo)),
        ]);
    }
    let (ours, our_echo) = (find(OURS, &floods), find(OURS, &echoes));
    let against = |label: &str| Some(ours.as_ref()?.times(&find(label, &floods)?));
    let mut goal = |what: &str, measured: Option<f64>, limit: Limit| {
        section.goals.push(Goal::new(what, measured, limit));
    };
    goal("flood, recording, to the bare pump", against(BARE_PUMP), Limit::AtMost(2.0));
    goal("flood, recording, to `script`", against(SCRIPT), Limit::AtMost(1.0));
    goal("flood, recording, to dtach", against(DTACH), Limit::AtMost(1.0));
    goal("flood, tmux to ours", against(TMUX).map(|times| 1.0 / times), Limit::AtLeast(2.0));
    let p99 = |echo: &Timing| echo.percentile(99).as_secs_f64() / pump_echo.percentile(99).as_secs_f64();
    goal(
        "echo to the bare pump, p50",
        our_echo.as_ref().map(|echo| echo.times(&pump_echo)),
        Limit::AtMost(1.3),
    );
    goal("echo to the bare pump, p99", our_echo.as_ref().map(p99), Limit::AtMost(1.3));
    let ours = wrappers.iter().find(|wrapper| wrapper.label == OURS).ok_or("ours is missing")?;
    let (before, after) = memory(ours, &folder)?;
    let sentence = format!("Resident memory: {before} kB after half of {LONG_MB} MB, {after} kB at the end.");
    section.remarks.push(sentence);
    goal_memory(&mut section, before, after);
    let (alone, watched) = watched(ours, &flood, &folder)?;
    section.remarks.push(format!(
        "With {WATCHERS} who look on: {} instead of {}.",
        duration(watched.p50()),
        duration(alone.p50())
    ));
    let what = format!("flood with {WATCHERS} who look on to without");
    section.goals.push(Goal::new(what, Some(watched.times(&alone)), Limit::AtMost(1.1)));
    Ok(section)
}

fn goal_memory(section: &mut Section, before: u64, after: u64) {
    let growth = after as f64 / before as f64;
    section.goals.push(Goal::new("memory after 1 GB to after half of it", Some(growth), Limit::AtMost(1.2)));
}

const BARE_PUMP: &str = "a bare pump";
const OURS: &str = "ours, recording";
const SCRIPT: &str = "`script`, recording";
const DTACH: &str = "dtach";
const TMUX: &str = "tmux";

/// Ours is a program and its words, so that another binary with the same loop can stand in for it.
fn kinds(program: &Path) -> Vec<(&'static str, Kind)> {
    let words = ["--record", "{}.cast", "--log", "{}.log"].map(ToOwned::to_owned).to_vec();
    vec![
        ("nothing in between", Kind::Nothing),
        (BARE_PUMP, Kind::BarePump(program.to_owned())),
        ("ours, nothing kept", Kind::Ours { program: program.to_owned(), words: Vec::new() }),
        ("ours, asciicast alone", Kind::Ours { program: program.to_owned(), words: words[..2].to_vec() }),
        (OURS, Kind::Ours { program: program.to_owned(), words }),
        (SCRIPT, Kind::Script),
        (DTACH, Kind::Dtach),
        (TMUX, Kind::Tmux),
        ("asciinema, recording", Kind::Asciinema),
    ]
}

/// A file of coloured lines.
fn flood(path: &Path, megabytes: usize) -> Result<PathBuf> {
    let mut text = Vec::with_capacity((megabytes << 20) + 200);
    let mut number = 0u64;
    while text.len() < megabytes << 20 {
        number += 1;
        writeln!(
            text,
            "\x1b[3{}m{number:08}\x1b[0m compiling \x1b[1;38;5;{}msome-crate\x1b[0m v1.{}.0 (in a folder somewhere) – done",
            number % 8,
            number % 256,
            number % 100,
        )?;
    }
    run::write(path, text)?;
    Ok(path.to_owned())
}

fn time_floods(wrappers: &[Wrapper], flood: &Path) -> Result<Vec<Timing>> {
    let script = format!("cat '{}'", flood.display());
    let mut times: Vec<Vec<Duration>> = wrappers.iter().map(|_| Vec::new()).collect();
    // The first round warms up.
    for round in 0..=ROUNDS {
        for (wrapper, times) in wrappers.iter().zip(&mut times) {
            progress(&format!("pty: round {round}, {}", wrapper.label));
            let begun = Instant::now();
            let mut terminal = Terminal::open(&wrapper.wrap(&script, round))?;
            terminal.read_to_end()?;
            terminal.wait()?;
            if round > 0 {
                times.push(begun.elapsed());
            }
            wrapper.clean();
        }
    }
    Ok(wrappers
        .iter()
        .zip(times)
        .map(|(wrapper, times)| Timing::new(wrapper.label.to_owned(), times))
        .collect())
}

/// All are there at the same time, and each gets a key in turn.
fn time_echoes(wrappers: &[Wrapper]) -> Result<Vec<Timing>> {
    let script = "stty raw -echo; echo ready; exec cat";
    let mut terminals = Vec::new();
    for wrapper in wrappers {
        progress(&format!("pty: echo, {}", wrapper.label));
        let mut terminal = Terminal::open(&wrapper.wrap(script, 0))?;
        terminal.wait_for("ready")?;
        terminal.settle()?;
        terminals.push(terminal);
    }
    let mut times: Vec<Vec<Duration>> = wrappers.iter().map(|_| Vec::new()).collect();
    for turn in 0..KEYS + KEYS / 10 {
        for place in 0..terminals.len() {
            // Each comes after each other as often as before it.
            let which = (place + turn) % terminals.len();
            // A person is not quicker, and whatever the last key still has to do is done before the next.
            std::thread::sleep(Duration::from_millis(4));
            let took = terminals[which].echo(b'a' + (turn % 20) as u8)?;
            if turn >= KEYS / 10 {
                times[which].push(took);
            }
        }
    }
    Ok(wrappers
        .iter()
        .zip(times)
        .map(|(wrapper, times)| Timing::new(wrapper.label.to_owned(), times))
        .collect())
}

/// Resident memory in kB after half of a long flood and after all of it, each time when all is quiet.
fn memory(wrapper: &Wrapper, folder: &Path) -> Result<(u64, u64)> {
    progress("pty: memory");
    let part = flood(&folder.join("part"), LONG_MB / 10)?;
    let part = part.display();
    let script =
        format!("cat '{part}'; read line; for i in 2 3 4 5 6 7 8 9 10; do cat '{part}'; done; read line");
    let mut terminal = Terminal::open(&wrapper.wrap(&script, 0))?;
    terminal.read_until_quiet()?;
    let before = machine::resident(terminal.pid())?;
    terminal.press(b'\n')?;
    terminal.read_until_quiet()?;
    let after = machine::resident(terminal.pid())?;
    terminal.press(b'\n')?;
    terminal.read_to_end()?;
    terminal.wait()?;
    wrapper.clean();
    Ok((before, after))
}

/// The flood without anybody who looks on, and with many, taking turns.
fn watched(wrapper: &Wrapper, flood: &Path, folder: &Path) -> Result<(Timing, Timing)> {
    let Kind::Ours { program, words } = &wrapper.kind else { return Err("only ours can be watched".into()) };
    let socket = folder.join("socket");
    let script = format!("read line; cat '{}'", flood.display());
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for (count, times) in [(0, &mut alone), (WATCHERS, &mut watched)] {
            progress(&format!("pty: round {round}, {count} look on"));
            let words = [words.as_slice(), &["--socket".to_owned(), socket.display().to_string()]].concat();
            let kind = Kind::Ours { program: program.clone(), words };
            let wrapper = Wrapper::new(wrapper.label, kind, folder);
            let mut terminal = Terminal::open(&wrapper.wrap(&script, round))?;
            let watchers = (0..count).map(|_| look_on(&socket)).collect::<Result<Vec<_>>>()?;
            let begun = Instant::now();
            terminal.press(b'\n')?;
            terminal.read_to_end()?;
            times.push(begun.elapsed());
            terminal.wait()?;
            drop(watchers);
            std::fs::remove_file(&socket)?;
        }
    }
    Ok((Timing::new("alone".into(), alone), Timing::new("watched".into(), watched)))
}

/// Somebody who reads frames until there are no more. Returns when the first has come.
fn look_on(socket: &Path) -> Result<std::thread::JoinHandle<()>> {
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut stream = loop {
        match UnixStream::connect(socket) {
            Ok(stream) => break stream,
            Err(error) if Instant::now() > deadline => return Err(error.into()),
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    frame::read(&mut stream)?;
    Ok(std::thread::spawn(move || while let Ok(Some(_)) = frame::read(&mut stream) {}))
}
