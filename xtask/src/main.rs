//! `cargo xtask`: the commands of those who work on Signalbox itself.

mod bench;
mod chromium;
mod clis;
mod docs;
mod film;
mod fuzz;
mod matrix;
mod plugin;
mod run;
mod screenshots;
mod sim;
mod stages;
mod tidy;

use std::error::Error;
use std::process::ExitCode;

/// Whatever went wrong, as one message: nobody but a developer reads it.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const HELP: &str = "\
cargo xtask COMMAND

  check                  formatting, clippy, tidy, the reference pages, cargo-deny
  test [--quick] [ARGS]  all that `check` does, then `cargo test --workspace ARGS` and `sim`;
                         --quick tries fewer cases in property tests and leaves cargo-deny and `sim` out
  clis                   install the real agent CLIs that tests talk to, and what drives a browser, below the
                         target directory; `test` does it too, unless SIGNALBOX_CLIS says where they are
  tidy                   the rules about crates, files and links that no compiler checks
  docs [--check]         write docs/reference from what `sb` says of itself, or compare with it
  matrix                 run the tests with the real agent CLIs, and rewrite docs/reference/cli-matrix.md
                         from what they found
  screenshots            open every page of `sb web` in Chromium and rewrite docs/images
  plugin [--out DIR]     build the Claude Code plugin, with the release `sb` in it, in DIR or below the
                         target directory, and the marketplace file beside it
  fuzz [MINUTES]         the property tests, optimised, with new cases for so long (10 minutes if not said)
  sim [--seed N]         the orchestrator under simulated faults: one seed, with its story if it fails,
      [--seeds N]        or so many (10,000 if not said)
  film CAST SVG          draw a recording as a moving picture
  bench [NAME]           measure against the goals: start, hook, claude, list, who, growth, race, pty, daemon, merge, web, tui, demo;
                         a run of all of them rewrites the figures in bench/README.md
  help                   this text
";

/// What a command came to, where it did not fail outright.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    Bad,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Result<Verdict> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check"] => stages::check(),
        ["test", "--quick", rest @ ..] => stages::test(stages::Effort::Quick, rest),
        ["test", rest @ ..] => stages::test(stages::Effort::Full, rest),
        ["clis"] => clis::run(),
        ["tidy"] => tidy::run(),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["matrix"] => matrix::run(),
        ["screenshots"] => screenshots::run(),
        ["plugin"] => plugin::run(None),
        ["plugin", "--out", folder] => plugin::run(Some(folder)),
        ["fuzz"] => fuzz::run(10),
        ["fuzz", minutes] => {
            fuzz::run(minutes.parse().map_err(|_| format!("`{minutes}` is no number of minutes"))?)
        }
        ["film", from, to] => film::run(from, to),
        ["sim", rest @ ..] => sim::run(rest),
        ["bench"] => bench::run(None),
        ["bench", name] => bench::run(Some(name)),
        [] | ["help" | "-h" | "--help"] => {
            print!("{HELP}");
            Ok(Verdict::Good)
        }
        other => {
            Err(format!("there is no command `{}`; `cargo xtask help` lists them", other.join(" ")).into())
        }
    }
}
