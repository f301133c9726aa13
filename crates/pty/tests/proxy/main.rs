//! Runs a program through the pump, as a process of its own that tests can stop, kill and measure.
//!
//! `pty-proxy [--headless] [--led] [--grace-ms N] [--record PATH [--cap N]] [--log PATH] [--secret TEXT] [--socket PATH]
//! -- PROGRAM ARGS`, or `pty-proxy --bare -- PROGRAM ARGS` to copy bytes and nothing else, or `pty-proxy --watch SOCKET`
//! to look on: what would be shown goes to standard output.

mod bare;

use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use signalbox_pty::frame::{self, Kind};
use signalbox_pty::hub::{Hub, Update};
use signalbox_pty::record::{PlainLog, Recorder, Secrets, Settings};
use signalbox_pty::side::{Options, Side};
use signalbox_pty::{Allow, Child, Exit, Person, Pump, lead};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("pty-proxy: {error}");
            ExitCode::from(125)
        }
    }
}

#[derive(Default)]
struct Arguments {
    is_headless: bool,
    is_bare: bool,
    /// Start the program through a leader.
    is_led: bool,
    /// Be that leader.
    leads: bool,
    grace: Option<Duration>,
    record: Option<PathBuf>,
    cap: Option<u64>,
    log: Option<PathBuf>,
    secrets: Vec<String>,
    socket: Option<PathBuf>,
}

fn run() -> Result<u8> {
    let mut words = std::env::args_os().skip(1);
    let mut arguments = Arguments::default();
    loop {
        let word = words.next().ok_or("`--` and a program are missing")?;
        if word == "--" {
            break;
        }
        let switch = match word.to_str().unwrap_or_default() {
            "--headless" => Some(&mut arguments.is_headless),
            "--bare" => Some(&mut arguments.is_bare),
            "--led" => Some(&mut arguments.is_led),
            "--lead" => Some(&mut arguments.leads),
            _ => None,
        };
        if let Some(switch) = switch {
            *switch = true;
            continue;
        }
        let value = words.next().ok_or("a value is missing")?;
        let number = || value.to_str().and_then(|text| text.parse::<u64>().ok()).ok_or("a number is wanted");
        match word.to_str().unwrap_or_default() {
            "--watch" => return watch(&PathBuf::from(value)),
            "--grace-ms" => arguments.grace = Some(Duration::from_millis(number()?)),
            "--record" => arguments.record = Some(value.into()),
            "--cap" => arguments.cap = Some(number()?),
            "--log" => arguments.log = Some(value.into()),
            "--secret" => arguments.secrets.push(value.to_string_lossy().into_owned()),
            "--socket" => arguments.socket = Some(value.into()),
            other => return Err(format!("{other} is not known").into()),
        }
    }
    let program = words.next().ok_or("a program is missing")?;
    let mut command = if arguments.is_led {
        let mut leader = Command::new(std::env::current_exe()?);
        leader.args(["--lead", "--"]).arg(program);
        leader
    } else {
        Command::new(program)
    };
    command.args(words);
    if arguments.leads {
        return Ok(u8::try_from(lead::imitate(lead::run(command)?)).unwrap_or(u8::MAX));
    }
    if arguments.is_bare {
        return Ok(bare::run(&command)?);
    }
    pump(command, arguments)
}

fn pump(command: Command, arguments: Arguments) -> Result<u8> {
    let person = if arguments.is_headless { Person::absent() } else { Person::at_stdio()? };
    let size = person.size().unwrap_or_default();
    let secrets = Secrets::new(&arguments.secrets);
    let cap = arguments.cap.unwrap_or(u64::MAX);
    let recorder = arguments.record.map(|path| {
        let env = vec![("TERM".to_owned(), "xterm-256color".to_owned())];
        Recorder::create(Settings { path, size, began: 1_700_000_000, title: None, env, cap }, &secrets)
    });
    let log = arguments.log.map(|path| PlainLog::create(&path, cap, &secrets));
    let is_tapped = recorder.is_some() || log.is_some() || arguments.socket.is_some();
    let side = Side::start(Options {
        size,
        recorder: recorder.transpose()?,
        log: log.transpose()?,
        allow: Allow::default(),
        seat_idle: None,
        on_trouble: Box::new(|trouble| eprintln!("pty-proxy: {trouble}\r")),
    })?;
    if let Some(path) = arguments.socket {
        let (listener, hub) = (UnixListener::bind(path)?, side.hub().clone());
        std::thread::spawn(move || accept(&listener, &hub));
    }
    let child = Child::start(command, size, person.settings().as_ref())?;
    let mut pump = Pump::new(child, person)?;
    if is_tapped {
        pump = pump.tapped(side.tap());
    }
    if let Some(grace) = arguments.grace {
        pump = pump.with_grace(grace);
    }
    let exit = pump.run()?;
    side.finish();
    if let Exit::Signal(_) = exit {
        std::io::stdout().write_all(&side.undo())?;
    }
    Ok(u8::try_from(exit.code()).unwrap_or(u8::MAX))
}

fn accept(listener: &UnixListener, hub: &Hub) {
    for stream in listener.incoming().flatten() {
        let hub = hub.clone();
        std::thread::spawn(move || show(stream, &hub));
    }
}

fn show(mut stream: UnixStream, hub: &Hub) {
    let mut watcher = hub.watch();
    loop {
        let told = match watcher.next(Duration::from_secs(60)) {
            Update::History { replay, .. } => frame::write(&mut stream, Kind::History, &replay),
            Update::Output(bytes) => frame::write(&mut stream, Kind::Output, &bytes),
            Update::Message(_) | Update::Nothing => Ok(()),
            Update::Over => return,
        };
        if told.is_err() {
            return;
        }
    }
}

fn watch(socket: &std::path::Path) -> Result<u8> {
    let mut stream = UnixStream::connect(socket)?;
    while let Some(frame) = frame::read(&mut stream)? {
        std::io::stdout().write_all(&frame.payload)?;
        std::io::stdout().flush()?;
    }
    Ok(0)
}
