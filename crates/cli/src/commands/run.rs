//! `sb run`: take tickets to main.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signalbox_conductor::{self as conductor, Options, Site, Until, Wish};
use signalbox_core::ProjectName;
use signalbox_core::orchestra::spoken;
use signalbox_store::agents::{self, Life};
use signalbox_store::clock;

use crate::context::Context;
use signalbox_core::time::age;
use signalbox_desk::error::CommandError;

/// Takes the project's ready tickets, gives each a branch and a workspace of its own, has tests written and then made
/// to pass, has the work reviewed where the contract asks for it, and lands on main what passes. No model decides
/// anything here. It can be killed at any moment: agents go on, and the next `sb run` picks up where things stand.
///
/// What it does is in the contract, `.signalbox/project.toml` (`sb bootstrap` proposes one), and nothing in it is run
/// before you trusted it (`sb trust`).
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// Look once, begin what can be begun, and end
    #[arg(long)]
    once: bool,
    /// End when nothing is left that could be done without you
    #[arg(long, conflicts_with = "once")]
    until_idle: bool,
    /// How many agents work at once, whatever the contract says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    concurrency: Option<u32>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Begin nothing and land nothing until `resume`; agents go on; for people
    Pause,
    /// Begin nothing new; what is under way is finished and merged; for people
    Drain,
    /// Go on; for people
    Resume,
    /// End the loop and its agents; what they did is kept; for people
    Stop,
    /// Change how many agents work at once; 0: as the contract says; for people
    Concurrency {
        /// How many, up to 100
        #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
        number: u32,
    },
    /// Say whether a loop runs, what it was told, and who works on what
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let project = project(cx)?;
    let wish = match &arguments.what {
        None => return start(cx, &project, &arguments),
        Some(What::Status { .. }) => return status(cx, &project),
        Some(What::Pause) => Wish::Pause,
        Some(What::Drain) => Wish::Drain,
        Some(What::Resume) => Wish::Resume,
        Some(What::Stop) => Wish::Stop,
        Some(What::Concurrency { number }) => Wish::Concurrency(*number),
    };
    let runs = conductor::is_running(cx.home()?, &project);
    conductor::ask(&cx.store()?, cx.who()?, &project, wish)?;
    cx.ui.status(match wish {
        Wish::Pause => "Paused: nothing begins and nothing lands until `sb run resume`.",
        Wish::Drain => "Draining: what is under way is finished, and nothing new begins.",
        Wish::Resume => "It goes on.",
        Wish::Stop => "The loop ends its agents, and then itself.",
        Wish::Concurrency(0) => "As many agents as the contract says.",
        Wish::Concurrency(_) => "So many agents work at once from now on.",
    });
    if !runs {
        cx.ui.hint("No loop runs now; it counts for the next one: `sb run`.");
    }
    Ok(())
}

/// The project of this directory, which must be one.
pub fn project(cx: &Context) -> Result<ProjectName, CommandError> {
    cx.project()?.ok_or_else(|| {
        CommandError::precondition("project.none", "this directory belongs to no project")
            .hint("Register it: `sb init`; or go to one: `sb projects` lists them.")
    })
}

fn start(cx: &Context, project: &ProjectName, arguments: &Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("set agents to work")?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let until = match (arguments.once, arguments.until_idle) {
        (true, _) => Until::Once,
        (_, true) => Until::Idle,
        _ => Until::Stopped,
    };
    let options = Options {
        until,
        concurrency: arguments.concurrency,
        say: Arc::new(crate::ui::line),
        stop: Arc::clone(&stop),
    };
    let ended = conductor::run(cx.home()?, cx.config()?, project, &options)?;
    if ended.running > 0 {
        cx.ui.status(&format!(
            "{} go on; the next `sb run` looks after them, `sb agents` lists them.",
            counted(ended.running, "agent")
        ));
    }
    if ended.questions > 0 {
        cx.ui.status(&format!(
            "{} for you: `sb esc list`.",
            match ended.questions {
                1 => "There is a question".to_owned(),
                many => format!("There are {many} questions"),
            }
        ));
    }
    if stop.load(Ordering::SeqCst) {
        cx.ui.status("Stopped.");
    }
    Ok(())
}

fn status(cx: &Context, project: &ProjectName) -> Result<(), CommandError> {
    let runs = conductor::is_running(cx.home()?, project);
    let (_, index) = cx.index()?;
    let asked = conductor::standing(&index, project, clock::now())?;
    let agents: Vec<_> = agents::all(cx.home()?)?
        .into_iter()
        .filter(|record| record.branch.is_some() && record.project.as_ref() == Some(project))
        .filter(|record| record.life() == Life::Runs)
        .collect();
    // Where nothing was ever run there is no account either.
    let empty = match Site::exists(cx.home()?, project) {
        true => conductor::empty_accounts(cx.home()?, cx.config()?, project).unwrap_or_default(),
        false => Vec::new(),
    };
    if cx.ui.json {
        let empty: Vec<_> =
            empty.iter().map(|(pool, until)| serde_json::json!({ "pool": pool, "until": until })).collect();
        let rows: Vec<_> = agents
            .iter()
            .map(|record| {
                serde_json::json!({
                    "agent": record.id, "name": record.name, "role": record.role, "ticket": record.ticket,
                    "branch": record.branch, "since": record.started,
                })
            })
            .collect();
        let control = format!("{:?}", asked.control).to_lowercase();
        return cx.ui.json(&serde_json::json!({
            "project": project, "running": runs, "control": control, "asked": asked, "agents": rows,
            "empty": empty,
        }));
    }
    let state = if runs { "runs" } else { "does not run" };
    cx.ui.data(&format!("The loop of {project} {state}; it is {:?}.\n", asked.control))?;
    for (pool, until) in empty {
        let left = spoken(until.duration_since(clock::now()));
        cx.ui.data(&format!("The account `{pool}` is empty, and is used again in {left}.\n"))?;
    }
    for record in agents {
        cx.ui.data(&format!(
            "{}  {}  {}  {}  since {}\n",
            record.name.as_deref().unwrap_or(record.id.as_str()),
            record.role.as_deref().unwrap_or_default(),
            record.ticket.as_ref().map_or("", |ticket| ticket.as_str()),
            record.branch.as_deref().unwrap_or_default(),
            age(record.started, clock::now()),
        ))?;
    }
    Ok(())
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
