//! The agent's line to the daemon. It works without one; when there is one, or one comes back, the agent says that it runs
//! and where it works, and says so again when that changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use signalbox_api::{Client, ClientError, Register, Surroundings};
use signalbox_core::AgentId;
use signalbox_core::agent::State;
use signalbox_store::watch::Watch;
use signalbox_store::{Home, clock};

use crate::brain::Known;
use crate::surroundings::{self, Place};

/// How often the agent looks whether its surroundings have changed, and whether a daemon is there.
const LOOK: Duration = Duration::from_secs(3);
/// How soon it asks again where the daemon has to look after something else first.
const SOON: Duration = Duration::from_millis(500);
/// Over how many milliseconds the agents of a fleet spread out when they come back.
const SPREAD: u64 = 1_500;
/// How long the daemon may take for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Link {
    pub home: Home,
    pub agent: AgentId,
    pub directory: PathBuf,
    pub known: Arc<Known>,
    /// The terminal in front of which a person sits.
    pub terminal: Option<PathBuf>,
}

/// The terminal on standard input.
pub fn own_terminal() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let name = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes())))
}

impl Link {
    /// Keep the line for as long as the program runs. Nobody waits for it.
    pub fn keep(self) {
        let spawned = std::thread::Builder::new().name("link".to_owned()).spawn(move || {
            // A daemon that starts puts its socket into this folder.
            let mut watch = Watch::new(&self.home.run()).ok();
            let mut was_there = false;
            while !self.known.is_over() {
                let mut pause = LOOK;
                if was_there && self.home.daemon_socket().exists() {
                    // Whoever asks a daemon that has just begun should not have to wait behind a whole fleet.
                    std::thread::sleep(self.turn());
                }
                if let Ok(client) = Client::connect(&self.home.daemon_socket()) {
                    was_there = true;
                    // Why it ended does not matter: it is begun again.
                    if let Err(ClientError::Refused(_)) = self.stay(client) {
                        pause = SOON;
                    }
                }
                match &mut watch {
                    Some(watch) => drop(watch.wait(pause)),
                    None => std::thread::sleep(pause),
                }
            }
        });
        drop(spawned);
    }

    /// Each agent's own moment after the daemon has come back.
    fn turn(&self) -> Duration {
        let number =
            self.agent.as_str().bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        Duration::from_millis(number % SPREAD)
    }

    fn stay(&self, mut client: Client) -> Result<(), ClientError> {
        let assessment = self.known.assessment();
        let state = assessment.as_ref().map_or(State::Starting, |known| known.state);
        let since = assessment.and_then(|known| known.since).unwrap_or_else(clock::now);
        let wanted = client.ask(Register {
            agent: self.agent.clone(),
            state: state.as_str().to_owned(),
            since,
            terminal: self.terminal.clone(),
        })?;
        let mut told: Option<Place> = None;
        while !self.known.is_over() {
            let place = surroundings::look(&self.directory, &wanted.files);
            if told.as_ref() != Some(&place) {
                client.patience(Some(PATIENCE))?;
                let Place { branch, head, remotes, files } = place.clone();
                client.ask(Surroundings { agent: self.agent.clone(), branch, head, remotes, files })?;
                told = Some(place);
            }
            if client.wait_for_end(LOOK)? {
                return Ok(());
            }
        }
        Ok(())
    }
}
