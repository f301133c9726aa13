//! From the words on the command line to one command. Only that command's arguments are built: clap's whole
//! tree costs more than the rest of a start.

use std::ffi::OsString;

use clap::ArgMatches;
use signalbox_core::nearest;

use crate::commands::{COMMANDS, Row};
use crate::context::Context;
use crate::overview;
use crate::ui::Ui;
use signalbox_desk::error::{CommandError, Kind, PIPE_CLOSED};

pub fn run(words: Vec<OsString>) -> u8 {
    let mut cx = Context::new(Ui::new());
    match parse_and_run(&mut cx, words) {
        Ok(code) => code,
        Err(error) if error.code == PIPE_CLOSED => 0,
        Err(error) => {
            cx.ui.error(&error);
            error.kind as u8
        }
    }
}

fn parse_and_run(cx: &mut Context, words: Vec<OsString>) -> Result<u8, CommandError> {
    let first = words.first().map(|word| word.to_string_lossy().into_owned());
    match first.as_deref() {
        None | Some("-h" | "--help") => {
            cx.ui.data(&overview::overview())?;
            Ok(0)
        }
        Some("-V" | "--version") => {
            cx.ui.data(concat!("sb ", env!("CARGO_PKG_VERSION"), "\n"))?;
            Ok(0)
        }
        Some(name) => {
            let row = find(name)?;
            // An error before the arguments are understood should still be in the form that was asked for.
            cx.ui.json = words.iter().any(|word| word == "--json");
            let words = std::iter::once(OsString::from(row.name)).chain(words.into_iter().skip(1));
            match command(row).try_get_matches_from(words) {
                Ok(matches) => {
                    cx.ui.json = wants_json(&matches);
                    (row.run)(cx, &matches)?;
                    Ok(cx.exit_code())
                }
                Err(error) => Ok(clap_answer(cx, &error)),
            }
        }
    }
}

/// The row that a typed name means.
pub fn find(name: &str) -> Result<&'static Row, CommandError> {
    COMMANDS.iter().find(|row| row.name == name || row.aliases.contains(&name)).ok_or_else(|| {
        let names = COMMANDS.iter().flat_map(|row| row.aliases.iter().copied().chain([row.name]));
        let error = CommandError::usage("command.unknown", format!("there is no command `{name}`"));
        match nearest(name, names) {
            Some(near) => error.hint(format!("Did you mean `sb {near}`?")),
            None => error.hint("`sb help` lists the commands."),
        }
    })
}

/// One command as clap knows it.
pub fn command(row: &Row) -> clap::Command {
    let command =
        clap::Command::new(row.name).bin_name(format!("sb {}", row.name)).disable_help_subcommand(true);
    (row.arguments)(command.max_term_width(100))
}

fn wants_json(matches: &ArgMatches) -> bool {
    let here = matches.try_get_one::<bool>("json").ok().flatten().copied().unwrap_or(false);
    here || matches.subcommand().is_some_and(|(_, below)| wants_json(below))
}

/// Help and usage errors come from clap: help is data, an error is not.
fn clap_answer(cx: &Context, error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        let _ = cx.ui.data(&error.render().to_string());
        return 0;
    }
    let text = error.render().to_string();
    if cx.ui.json {
        let message = text.trim_start_matches("error: ").trim_end();
        cx.ui.error(&CommandError::usage("usage", message));
    } else {
        eprint_text(&text);
    }
    Kind::Usage as u8
}

fn eprint_text(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(signalbox_core::text::many_lines(text).as_bytes());
}
