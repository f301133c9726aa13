//! The web page: everything at a glance in a browser, for one person on their own machine.
//!
//! Pages are rendered here and kept up to date by the event stream; what a person does goes to `/api/v1/act`. No rule is
//! in here and no state: views come from [`signalbox_desk`], and whoever kills the server loses nothing.
//!
//! Trust: a browser runs other people's pages too, and any of them can send requests to this machine. So every request
//! must name this server exactly (`Host`), must not come from another page (`Origin`), and must bring a token that only
//! somebody who could run `sb web` was given. See [`gate`].
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod answer;
mod api;
mod assets;
mod diff;
mod doors;
mod gate;
mod graph;
mod keys;
mod live;
mod markdown;
mod openapi;
mod pages;
mod paint;
mod plots;
mod replay;
mod routes;
mod server;
mod socket;
mod terminal;
mod tickets;

pub use openapi::document;
pub use routes::{Kind as RouteKind, Listed as RouteListed, listed as routes};
pub use server::{Options, Running, StartError, start};
