//! `sb web`: the web page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signalbox_api::{OpenPage, PageAt};
use signalbox_desk::error::CommandError;

use crate::context::Context;
use crate::{daemon, page};

/// How often it is looked whether it is time to end.
const TURN: Duration = Duration::from_millis(100);

/// Prints a link that lets you in, once and within ten minutes; after that your browser is known for thirty days. If the
/// daemon runs, the page is served by it, from now on and after restarts; else here, until you press Ctrl-C.
///
/// Nobody gets in without such a link, not even from this machine, and agents cannot have one.
#[derive(clap::Args)]
pub struct Arguments {
    /// Open the link in your browser
    #[arg(long)]
    open: bool,
    /// Print a token for a script instead; it goes into the header `Authorization: Bearer …`
    #[arg(long, conflicts_with = "open")]
    token: bool,
    /// The port to begin with; one that is taken is passed over
    #[arg(long)]
    port: Option<u16>,
    /// Serve it here, though the daemon runs
    #[arg(long)]
    here: bool,
    /// Print JSON: `port` and `link` or `token`
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("open the web page")?;
    if !arguments.here
        && arguments.port.is_none()
        && let Some(mut client) = daemon::running(cx)?
    {
        let at = client.ask(OpenPage { token: arguments.token })?;
        return tell(cx, &arguments, &at);
    }
    let home = cx.home()?;
    home.prepare()?;
    let settings = &cx.config()?.web;
    let running = page::serve(home, settings, arguments.port)?;
    let way_in = if arguments.token { running.token()? } else { running.link() };
    // Whoever is told of it may end it at once.
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let at = PageAt { port: running.port(), way_in, passed_over: running.passed_over() };
    tell(cx, &arguments, &at)?;
    cx.ui.hint("Ctrl-C ends it. `sb up` first has the daemon serve it.");
    while !stop.load(Ordering::SeqCst) && !running.has_ended(TURN) {}
    running.stop();
    Ok(())
}

/// Say how to get in, and open it where that is wanted.
fn tell(cx: &Context, arguments: &Arguments, at: &PageAt) -> Result<(), CommandError> {
    if let Some(taken) = at.passed_over {
        cx.ui.status(&format!("Port {taken} is taken; the page is at port {}.", at.port));
    }
    let name = if arguments.token { "token" } else { "link" };
    if cx.ui.json {
        cx.ui.json(&serde_json::json!({ "port": at.port, name: at.way_in }))?;
    } else {
        cx.ui.data(&format!("{}\n", at.way_in))?;
    }
    if arguments.open && !open(&at.way_in) {
        cx.ui.warn("no browser could be opened here");
        cx.ui.hint("Open the link yourself; it works once.");
    }
    Ok(())
}

/// Open a link as the desktop does.
fn open(link: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = std::process::Command::new(program);
    command.arg(link).stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success())
}
