//! The web page: how soon the last of a thousand browsers hears of an event, against a server that does nothing else; and
//! how soon a board of ten thousand tickets begins to arrive.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;
use signalbox_core::{Event, Who};
use signalbox_store::log::{EventLog, FileLog};
use signalbox_store::{clock, files, new_event_id};

use super::home::{Home, Size};
use super::report::{Goal, Limit, Section, duration};
use super::{Bench, progress};
use crate::Result;
use crate::run::{self, Profile};

const CLIENTS: usize = 1_000;
const ROUNDS: usize = 400;
const TURNS: usize = 4;
/// How soon a board's page can be used: it is there, its scripts have run, and it hears of events.
const USABLE: Duration = Duration::from_secs(1);
/// A person at a browser: opens the board and says when it can be used, in milliseconds, by the browser's own clock.
const SCRIPT: &str = include_str!("usable.js");
/// What a board's first byte may take.
const FIRST_BYTE: Duration = Duration::from_millis(50);
/// How long the last of them may take before something is wrong.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(bench: &mut Bench) -> Result<Section> {
    let mut section = Section::new("web: a thousand listeners, ten thousand tickets", &["what", "measured"]);
    let home = bench.home(Size::EMPTY)?;
    let floor_program = run::build("signalbox-web", "sse-floor", Profile::Release)?;

    files::create_private_dir(&home.events())?;
    let log = FileLog::new(home.events());
    tick(&log)?;
    let newest = newest_file(&home)?;
    // By turns and never both at once: what one costs must not be in the other's time.
    let (mut times, mut floors) = (Vec::new(), Vec::new());
    for turn in 1..=TURNS {
        progress(&format!(
            "a thousand listen to sb web, and to a server that does nothing else: {turn} of {TURNS}"
        ));
        let server = Server::start(bench, &home)?;
        let listeners = listen(server.port, &server.token)?;
        for _ in 0..ROUNDS / TURNS {
            times.push(heard_by_all(&log, &listeners)?);
        }
        drop((listeners, server));
        let mut floor =
            std::process::Command::new(&floor_program).arg(&newest).stdout(Stdio::piped()).spawn()?;
        let port = first_line(&mut floor)?.trim().parse()?;
        let listeners = listen(port, "")?;
        for _ in 0..ROUNDS / TURNS {
            floors.push(heard_by_all(&log, &listeners)?);
        }
        drop(listeners);
        floor.kill()?;
        floor.wait()?;
    }
    times.sort_unstable();
    floors.sort_unstable();
    let at = |times: &[Duration], share: usize| {
        times.get((times.len() - 1) * share / 100).copied().unwrap_or_default()
    };
    section
        .rows
        .push(vec!["sb web: the last of 1,000 hears of an event, p50".to_owned(), duration(at(&times, 50))]);
    section.rows.push(vec!["sb web: p99".to_owned(), duration(at(&times, 99))]);
    section.rows.push(vec!["nothing else: p50".to_owned(), duration(at(&floors, 50))]);
    section.rows.push(vec!["nothing else: p99".to_owned(), duration(at(&floors, 99))]);

    progress("a board of ten thousand tickets");
    let large = bench.home(Size::LARGE)?;
    let server = Server::start(bench, &large)?;
    let mut first = Vec::new();
    for _ in 0..20 {
        first.push(first_byte(server.port, &server.token, "/board")?);
    }
    first.sort_unstable();
    section
        .rows
        .push(vec!["board of 10,000 tickets, first byte, median".to_owned(), duration(at(&first, 50))]);
    let usable = match in_browser(&server) {
        Ok(time) => {
            section
                .rows
                .push(vec!["the same in Chromium, until it can be used, median".to_owned(), duration(time)]);
            Some(time)
        }
        Err(error) => {
            super::skipped(&mut section, &format!("how soon the board can be used, in Chromium: {error}"));
            None
        }
    };
    let ratio = |one: Duration, other: Duration| Some(one.as_secs_f64() / other.as_secs_f64());
    section.goals = vec![
        Goal::new(
            "p99 of the last of 1,000 listeners against a server that does nothing else",
            ratio(at(&times, 99), at(&floors, 99)),
            Limit::AtMost(2.0),
        ),
        Goal::new(
            "the board of 10,000 until it can be used against 1 s",
            usable.and_then(|time| ratio(time, USABLE)),
            Limit::AtMost(1.0),
        ),
        Goal::new(
            "first byte of the board against 50 ms",
            ratio(at(&first, 50), FIRST_BYTE),
            Limit::AtMost(1.0),
        ),
    ];
    Ok(section)
}

/// `sb web` in a home.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    fn start(bench: &Bench, home: &Home) -> Result<Self> {
        let mut child =
            bench.sb(home, ["web", "--here", "--json", "--port", "0"]).stdout(Stdio::piped()).spawn()?;
        let said: serde_json::Value = serde_json::from_str(&first_line(&mut child)?)?;
        let port =
            said["port"].as_u64().and_then(|port| u16::try_from(port).ok()).ok_or("it said no port")?;
        let link = said["link"].as_str().ok_or("it said no link")?.to_owned();
        // A browser's cookie does for this too, and comes with the link.
        let word = link.rsplit('/').next().unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        write!(stream, "GET /enter/{word} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cookie =
            answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).ok_or("no cookie came")?;
        let token = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok(Self { child, port, token })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How soon the board can be used in a real browser.
fn in_browser(server: &Server) -> Result<Duration> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program =
        std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.is_file());
    let program = program.ok_or("there is no chromium (`cargo xtask test` installs it)")?;
    let modules = crate::clis::install()?.folder.join("node_modules");
    let (name, token) = server.token.split_once('=').ok_or("the cookie has no name")?;
    let address = format!("http://127.0.0.1:{}", server.port);
    let ran = std::process::Command::new("node")
        .env("NODE_PATH", modules)
        .args(["-e", SCRIPT, name, token, &address])
        .arg(program)
        .output()?;
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).trim().to_owned().into());
    }
    let mut times: Vec<f64> = serde_json::from_slice(&ran.stdout)?;
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().ok_or("it said no times")?;
    Ok(Duration::from_secs_f64(median / 1_000.0))
}

fn first_line(child: &mut Child) -> Result<String> {
    let mut line = String::new();
    let stdout = child.stdout.take().ok_or("it has no output")?;
    // More of it comes in one piece of JSON over several lines.
    let mut reader = BufReader::new(stdout);
    while reader.read_line(&mut line)? > 0 {
        if !line.trim_start().starts_with('{') || serde_json::from_str::<serde_json::Value>(&line).is_ok() {
            break;
        }
    }
    Ok(line)
}

fn newest_file(home: &Home) -> Result<std::path::PathBuf> {
    let files = std::fs::read_dir(home.events())?.flatten().map(|file| file.path());
    Ok(files
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .max()
        .ok_or("there is no log")?)
}

/// Write an event; its id.
fn tick(log: &FileLog) -> Result<String> {
    let event = Event::apart(
        new_event_id(),
        clock::now(),
        "agent.claimed",
        &Who::Human,
        None,
        &json!({ "agent": "a" }),
    )?;
    log.record(&event)?;
    Ok(event.id.to_string())
}

/// A thousand who listen.
fn listen(port: u16, cookie: &str) -> Result<Vec<TcpStream>> {
    let mut streams = Vec::new();
    for _ in 0..CLIENTS {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        write!(stream, "GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n")?;
        let mut heard = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&heard).contains("event: begin") {
            match stream.read(&mut piece)? {
                0 => return Err(format!("it does not let us in: {}", String::from_utf8_lossy(&heard)).into()),
                count => heard.extend(piece.iter().take(count)),
            }
        }
        stream.set_nonblocking(true)?;
        streams.push(stream);
    }
    Ok(streams)
}

/// How long it takes until all have heard of an event.
fn heard_by_all(log: &FileLog, listeners: &[TcpStream]) -> Result<Duration> {
    let begun = Instant::now();
    let id = tick(log)?;
    wait(listeners, &id)?;
    Ok(begun.elapsed())
}

/// Until every one of these has read this word.
fn wait(streams: &[TcpStream], word: &str) -> Result<()> {
    let begun = Instant::now();
    let mut waiting: Vec<&TcpStream> = streams.iter().collect();
    let mut piece = [0; 16 << 10];
    while !waiting.is_empty() {
        let mut fds: Vec<PollFd<'_>> = waiting.iter().map(|one| PollFd::new(*one, PollFlags::IN)).collect();
        let most = Timespec { tv_sec: 1, tv_nsec: 0 };
        poll(&mut fds, Some(&most))?;
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut at = 0;
        waiting.retain(|stream| {
            let is_ready = ready.get(at).copied().unwrap_or(false);
            at += 1;
            let mut from: &TcpStream = stream;
            !(is_ready
                && from.read(&mut piece).is_ok_and(|count| has(piece.get(..count).unwrap_or_default(), word)))
        });
        if begun.elapsed() > PATIENCE {
            return Err(format!("{} never heard of it", waiting.len()).into());
        }
    }
    Ok(())
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// How long it takes until a page begins to arrive.
fn first_byte(port: u16, cookie: &str, path: &str) -> Result<Duration> {
    let begun = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    )?;
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    let took = begun.elapsed();
    let mut rest = String::new();
    stream.read_to_string(&mut rest)?;
    if !rest.starts_with("TTP/1.1 200") {
        return Err(format!("no page came: {}", rest.lines().next().unwrap_or_default()).into());
    }
    Ok(took)
}
