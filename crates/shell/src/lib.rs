//! What a shell command would do, worked out from its words alone: nothing is run, nothing is read from disk.
//!
//! Every rule judges these effects, so there is one place to get it right. What cannot be known is said to be
//! unknown, never left out: an effect set only ever grows when something is appended to a command.
//!
//! The way of a command: `parse` makes a tree of it and never fails; `walk` follows the tree with what is
//! known of variables and the working directory (`state`, `expand`); `programs` says what each program does
//! with its arguments. All of them are bounded, and what is beyond a bound is opaque.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod braces;
mod builtins;
mod effect;
mod emitted;
mod expand;
mod holes;
mod output;
mod parse;
mod place;
mod programs;
mod renames;
mod show;
mod simple;
mod state;
mod syntax;
mod text;
mod walk;

pub use effect::{Change, Effect, Effects, GitAct, Nature, Opaque, Place, Target};

use state::{State, States};

/// A command longer than this is followed up to here, and opaque as a whole.
const LONGEST: usize = 256 * 1024;

/// What is around a command when it runs.
pub struct Surroundings<'a> {
    pub cwd: &'a str,
    pub home: Option<&'a str>,
    /// The value of an environment variable, where it has one.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// Everything that a command line would do. It always answers, whatever the text is.
pub fn effects(command: &str, at: &Surroundings<'_>) -> Effects {
    let mut walker = walk::Walker::new(at, command);
    let mut text = command;
    if text.len() > LONGEST {
        walker.opaque("it is too long to be followed", command);
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text = text.get(..end).unwrap_or_default();
    }
    let without_nul;
    if text.contains('\0') {
        // Bash drops the byte when it reads a file, and a system call ends the text there.
        walker.opaque("it holds a NUL byte", command);
        without_nul = text.replace('\0', "");
        text = &without_nul;
    }
    walker.code(text, States::one(State::new(at.cwd)));
    Effects { list: walker.effects }
}
