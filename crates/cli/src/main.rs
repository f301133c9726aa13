//! `sb`: the control room for AI coding agents, on the command line.

mod agents;
mod canary;
mod changes;
mod context;
mod diff;
mod dispatch;
mod duration;
mod error;
mod hook;
mod identity;
mod inside;
mod installing;
mod native_tasks;
mod new_session;
mod overview;
mod reference;
mod resolve;
mod sessions;
mod settings_file;
mod ticket_json;
mod ticket_text;
mod ui;

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    ui::on_panic();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(code) = hook::run(&words) {
        return code;
    }
    dispatch::run(words)
}
