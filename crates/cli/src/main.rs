//! `sb`: the control room for AI coding agents, on the command line.

mod changes;
mod context;
mod dispatch;
mod duration;
mod error;
mod identity;
mod new_session;
mod overview;
mod reference;
mod resolve;
mod ticket_json;
mod ticket_text;
mod ui;

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    ui::on_panic();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    dispatch::run(words)
}
