//! `sb up`: start the daemon.

use std::io::IsTerminal;

use signalbox_daemon::{RunError, unit};
use signalbox_store::files;

use crate::context::Context;
use crate::daemon;
use signalbox_desk::error::CommandError;

/// One quiet process that watches the world for the agents that run (`sb monitor`), tells people what needs them (`sb
/// notifier`) and looks after goals (`sb goal`). Everything else works without it, and killing it costs nothing: agents go
/// on, and the next one finds them again.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run it here, until it is interrupted
    #[arg(long)]
    foreground: bool,
    /// Have it started whenever you log in: by systemd, or launchd on macOS
    #[arg(long, conflicts_with = "foreground")]
    install: bool,
    /// Have it started no more
    #[arg(long, conflicts_with_all = ["foreground", "install"])]
    uninstall: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("start the daemon")?;
    if arguments.foreground {
        return foreground(cx);
    }
    if arguments.install || arguments.uninstall {
        return system(cx, arguments.install);
    }
    if let Some(client) = daemon::running(cx)? {
        cx.ui.status(&format!("The daemon runs already (process {}).", client.greeting.pid));
        return Ok(());
    }
    // What is wrong with the configuration is better said here than in a log.
    cx.config()?;
    let client = daemon::start_it(cx)?;
    cx.ui.status(&format!("The daemon runs (process {}).", client.greeting.pid));
    cx.ui.hint("`sb status` shows what it looks after, `sb down` ends it.");
    Ok(())
}

fn foreground(cx: &Context) -> Result<(), CommandError> {
    daemon::survive_panics(cx)?;
    // Nobody sits in front of it: it does not end with a terminal, and is nobody's child. Whoever leads a group already
    // stays what it is.
    if !std::io::stdin().is_terminal() {
        let _ = rustix::process::setsid();
    }
    let page = std::sync::Arc::new(crate::page::WebPage::new(cx.home()?));
    signalbox_daemon::run(cx.home()?, env!("CARGO_PKG_VERSION"), page).map_err(|error| match &error {
        RunError::Already => {
            CommandError::precondition("daemon.already", "a daemon runs already for this SIGNALBOX_HOME")
                .hint("`sb status` shows it, `sb restart` starts it anew.")
        }
        other => CommandError::failed("daemon.failed", other),
    })
}

fn system(cx: &Context, install: bool) -> Result<(), CommandError> {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(std::path::PathBuf::from);
    let home = set("HOME").ok_or_else(|| CommandError::precondition("home.unknown", "HOME is not set"))?;
    let program = std::env::current_exe()?;
    let unit = unit::unit(&home, set("XDG_CONFIG_HOME").as_deref(), &program, cx.home()?.root());
    let path = unit.path.display();
    if install {
        if let Some(folder) = unit.path.parent() {
            files::create_shared_dir(folder)?;
        }
        files::replace(&unit.path, unit.text.as_bytes(), files::SHARED)?;
        cx.ui.status(&format!("Wrote {path}."));
    } else if !unit.path.exists() {
        cx.ui.status(&format!("There is no {path}; nothing to take away."));
        return Ok(());
    }
    // A daemon of ours would be in the way of the system's.
    if let Some(client) = daemon::running(cx)?.filter(|_| install) {
        super::down::end(cx, client)?;
    }
    let commands = if install { &unit.enable } else { &unit.disable };
    let failed = commands.iter().find(|command| !succeeds(command));
    if !install {
        files::remove(&unit.path)?;
        cx.ui.status(&format!("Removed {path}."));
    }
    match failed {
        None if install => cx.ui.status("The daemon starts by itself from now on."),
        None => {}
        Some(command) => {
            cx.ui.warn(&format!("`{}` did not work here", command.join(" ")));
            let all: Vec<String> = commands.iter().map(|command| command.join(" ")).collect();
            cx.ui.hint(&format!(
                "Run it yourself where your session manager is at hand: `{}`.",
                all.join(" && ")
            ));
        }
    }
    Ok(())
}

fn succeeds(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return true };
    let mut command = std::process::Command::new(program);
    command.args(arguments).stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success())
}
