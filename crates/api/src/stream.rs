//! The events of the log, as they come.

use std::io::BufReader;
use std::os::unix::net::UnixStream;

use crate::client::{ClientError, line};
use crate::wire::{Answer, Answered, Piece};

/// What follows a position of the log: all of it, once, in order.
#[derive(Debug)]
pub struct Stream {
    reader: BufReader<UnixStream>,
    id: u64,
}

impl Stream {
    pub(crate) fn new(reader: BufReader<UnixStream>, id: u64) -> Self {
        Self { reader, id }
    }

    /// The next events; waits until there are some.
    pub fn piece(&mut self) -> Result<Piece, ClientError> {
        loop {
            let line = line(&mut self.reader)?;
            if let Ok(piece) = serde_json::from_str::<Piece>(&line) {
                if piece.id == self.id {
                    return Ok(piece);
                }
                continue;
            }
            let answered: Answered = serde_json::from_str(&line).map_err(ClientError::Garbled)?;
            if let Some(Answer::Error(problem)) = answered.answer() {
                return Err(ClientError::Refused(problem));
            }
        }
    }
}
