//! `sb`: the control room for AI coding agents, on the command line.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

mod agents;
mod arena;
mod bootstrap;
mod canary;
mod changes;
mod context;
mod daemon;
mod demo;
mod diff;
mod dispatch;
mod drawing;
mod duration;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
mod entry;
mod glance;
mod hook;
mod identity;
mod inside;
mod installing;
mod native_tasks;
mod new_session;
mod overview;
mod page;
mod pairs;
mod reference;
mod reference_http;
mod reference_outside;
mod reference_socket;
mod resolve;
mod sessions;
mod settings_file;
mod ticket_json;
mod ticket_text;
mod ui;

mod commands;

#[global_allocator]
static MEMORY: arena::Arena = arena::Arena::new();

/// The exit code.
fn run() -> u8 {
    ui::on_panic();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    hook::run(&words).unwrap_or_else(|| dispatch::run(words))
}

#[cfg(any(test, not(all(target_os = "linux", target_env = "gnu"))))]
fn main() -> std::process::ExitCode {
    run().into()
}
