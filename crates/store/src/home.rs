//! Where things are: the map of `SIGNALBOX_HOME`.

use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// Signalbox's own directory.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The truth: one file a day.
    pub fn events(&self) -> PathBuf {
        self.root.join("events")
    }

    pub fn index(&self) -> PathBuf {
        self.root.join("index.db")
    }

    /// One file a session, and one a terminal for the human's current ticket.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// One file an agent.
    pub fn agents(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// What agents printed, as plain text.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// What agents printed and were told, to be played again.
    pub fn recordings(&self) -> PathBuf {
        self.root.join("recordings")
    }

    /// Messages that wait for agents, one folder an agent.
    pub fn outbox(&self) -> PathBuf {
        self.root.join("outbox")
    }

    /// Programs of the person's own.
    pub fn plugins(&self) -> PathBuf {
        self.root.join("plugins")
    }

    /// What the last heartbeat saw.
    pub fn heartbeat(&self) -> PathBuf {
        self.root.join("heartbeat.json")
    }

    /// Questions for people: one folder a state, one file each.
    pub fn escalations(&self) -> PathBuf {
        self.root.join("escalations")
    }

    pub fn run(&self) -> PathBuf {
        self.root.join("run")
    }

    /// Held by whoever decides.
    pub fn lock(&self) -> PathBuf {
        self.run().join("lock")
    }

    /// Which processes are agents: one file a process.
    pub fn processes(&self) -> PathBuf {
        self.run().join("processes")
    }

    /// Where running agents can be reached: one socket an agent.
    pub fn agent_sockets(&self) -> PathBuf {
        self.run().join("agents")
    }

    /// Where the daemon can be asked.
    pub fn daemon_socket(&self) -> PathBuf {
        self.run().join("daemon.sock")
    }

    /// Held by the daemon as long as it runs.
    pub fn daemon_lock(&self) -> PathBuf {
        self.run().join("daemon.lock")
    }

    /// What the daemon remembers.
    pub fn daemon(&self) -> PathBuf {
        self.root.join("daemon")
    }

    /// What the daemon says of itself.
    pub fn daemon_log(&self) -> PathBuf {
        self.logs().join("daemon.log")
    }

    /// The user's own templates.
    pub fn templates(&self) -> PathBuf {
        self.root.join("templates")
    }

    /// Who waits for messages to agents: one file an agent.
    pub fn waiters(&self) -> PathBuf {
        self.run().join("waiters")
    }

    /// What hooks could not write into the log.
    pub fn trouble(&self) -> PathBuf {
        self.run().join("trouble")
    }

    /// What was taken out of the way but not thrown away.
    pub fn quarantine(&self) -> PathBuf {
        self.root.join("quarantine")
    }

    pub fn default_vault(&self) -> PathBuf {
        self.root.join("vault")
    }

    /// Make the directories every command needs.
    pub fn prepare(&self) -> io::Result<()> {
        for directory in [self.root.clone(), self.events(), self.run()] {
            files::create_private_dir(&directory)?;
        }
        Ok(())
    }

    pub fn exists(&self) -> bool {
        self.events().is_dir()
    }
}
