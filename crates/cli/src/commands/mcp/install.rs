//! `sb mcp install`: have agent CLIs start the server, for all that a person does; and undo it.

use signalbox_drivers::InstallError;

use crate::context::Context;
use crate::installing::{self, Edit, Spot, Thing, carry_out, own_path};
use crate::settings_file;
use signalbox_desk::error::CommandError;

#[derive(clap::Subcommand)]
pub enum What {
    /// Write the server into the CLIs' configuration, after showing what changes
    Install {
        #[command(flatten)]
        how: How,
    },
    /// Take the server out again
    Uninstall {
        #[command(flatten)]
        how: How,
    },
}

#[derive(clap::Args)]
pub struct How {
    /// The agent CLI: `claude`, `codex`, `gemini`, `copilot` or `goose` (can be repeated) [default: those that are installed]
    #[arg(long, value_name = "NAME")]
    cli: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub fn run(cx: &Context, what: What) -> Result<(), CommandError> {
    let (how, done) = match &what {
        What::Install { how } => {
            cx.who()?.must_be_human("install an MCP server")?;
            (how, "installed")
        }
        What::Uninstall { how } => {
            cx.who()?.must_be_human("take an MCP server out")?;
            (how, "taken out")
        }
    };
    let sb = own_path()?;
    let mut found =
        installing::spots(&how.cli, None, |driver, roots| driver.mcp_place(roots).into_iter().collect())?;
    let (mut edits, mut by_hand) = (Vec::new(), Vec::new());
    for spot in &found.spots {
        let after = match (&what, spot.file.text.as_deref()) {
            (What::Install { .. }, before) => spot.place.install(before, &sb).map(Some),
            (What::Uninstall { .. }, Some(before)) => spot.place.uninstall(before),
            (What::Uninstall { .. }, None) => continue,
        };
        match after {
            Ok(after) => edits.push(Edit { spot, after }),
            Err(InstallError::ByHand { piece }) => by_hand.push((spot, piece)),
            Err(error) => {
                found.left_alone.add(spot.driver, settings_file::unusable(&spot.place.path, &error));
            }
        }
    }
    let others = edits.len();
    if by_hand.is_empty() && found.left_alone.errors().next().is_none() || !edits.is_empty() {
        carry_out(cx, edits, how.yes, Thing::Server, done)?;
    }
    match by_hand.first() {
        Some((spot, piece)) => Err(for_the_person(&what, spot, piece)),
        None => found.left_alone.end(others),
    }
}

/// What cannot be written without changing more of the file than is ours.
fn for_the_person(what: &What, spot: &Spot, piece: &str) -> CommandError {
    let message = format!("{} is left as it is: only you can change it", spot.place.path.display());
    let verb = match what {
        What::Install { .. } => "Add this to it",
        What::Uninstall { .. } => "Take this out of it, with all that is indented below it",
    };
    CommandError::precondition("settings.by-hand", message).hint(format!("{verb}:\n{}", piece.trim_end()))
}
