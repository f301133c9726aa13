//! Speaking to the daemon: finding it, starting it where that was asked for, and what its answers mean for a command.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use signalbox_api::{Client, ClientError};
use signalbox_store::files;

use crate::context::Context;
use crate::identity::CAPABILITY;
use signalbox_desk::error::{CommandError, Kind};

/// How long a daemon may take to start.
const START: Duration = Duration::from_secs(10);

/// A connection to the daemon, if it runs.
pub fn connect(cx: &Context) -> Result<Client, CommandError> {
    Ok(Client::connect(&cx.home()?.daemon_socket())?.showing(capability()))
}

/// A connection; where no daemon runs and that was asked for, one is started first.
pub fn connect_or_start(cx: &Context, start: bool) -> Result<Client, CommandError> {
    match Client::connect(&cx.home()?.daemon_socket()) {
        Ok(client) => Ok(client.showing(capability())),
        Err(ClientError::Absent(_) | ClientError::Dead(_)) if start => {
            cx.who()?.must_be_human("start the daemon")?;
            let client = start_it(cx)?;
            cx.ui.status(&format!("The daemon was started (process {}).", client.greeting.pid));
            Ok(client.showing(capability()))
        }
        Err(error) => Err(error.into()),
    }
}

/// The daemon, if one runs; `None` where none does.
pub fn running(cx: &Context) -> Result<Option<Client>, CommandError> {
    match Client::connect(&cx.home()?.daemon_socket()) {
        Ok(client) => Ok(Some(client.showing(capability()))),
        Err(ClientError::Absent(_) | ClientError::Dead(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn capability() -> Option<String> {
    std::env::var(CAPABILITY).ok().filter(|word| !word.is_empty())
}

/// Start a daemon behind us, and wait until it answers.
pub fn start_it(cx: &Context) -> Result<Client, CommandError> {
    let home = cx.home()?;
    home.prepare()?;
    files::create_private_dir(&home.logs())?;
    let before = files::size(&home.daemon_log())?.unwrap_or(0);
    let (log, _) = files::open_append(&home.daemon_log())?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["up", "--foreground"])
        .env("SIGNALBOX_HOME", home.root())
        // What belongs to whoever starts it does not belong to it.
        .env_remove(CAPABILITY)
        .env_remove("SIGNALBOX_AGENT")
        .env_remove("CLAUDECODE")
        .current_dir(home.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    let mut child = command.spawn()?;
    let begun = Instant::now();
    loop {
        if let Ok(client) = Client::connect(&home.daemon_socket()) {
            return Ok(client);
        }
        if child.try_wait()?.is_some() || begun.elapsed() > START {
            let said = files::read_from(&home.daemon_log(), before).unwrap_or_default();
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            let words = if said.is_empty() { "it said nothing".to_owned() } else { said };
            return Err(CommandError::new(
                Kind::Failure,
                "daemon.start",
                format!("the daemon did not start: {words}"),
            )
            .hint("`sb up --foreground` shows what it does."));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// In the daemon a panic is the trouble of whoever panicked: it is written down, and the rest goes on.
pub fn survive_panics(cx: &Context) -> Result<(), CommandError> {
    let own_log = signalbox_daemon::OwnLog::new(cx.home()?);
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        own_log.say(&format!(
            "a bug in sb{place}: {}",
            panic.payload_as_str().unwrap_or("it stopped unexpectedly")
        ));
    }));
    Ok(())
}
