//! What the daemon and those who ask it say to each other, over the control socket `run/daemon.sock`.
//!
//! Newline-delimited JSON. Whoever is connected to greets first ([`wire::Greeting`]); then every line is a request with a
//! number of the asker's own choosing, and is answered by a line with that number: `ok` or `error`. After `events` the
//! connection belongs to the stream ([`wire::Piece`]) until one side closes it. Unknown fields are ignored, a request that
//! is not known is an error, and nobody changes what a field means: what would, gets a new version.
//!
//! Trust boundary: same user. The socket is private, both sides check whose process is at the other end, and who is
//! asking (a person or an agent) is worked out from that process, never from what it says.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod client;
mod commands;
pub mod rows;
mod stream;
pub mod wire;

pub use client::{Client, ClientError, is_closed, is_own};
pub use commands::*;
pub use stream::Stream;
