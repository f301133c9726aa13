//! For whom the server speaks. It is worked out anew for every request, because a session may be registered after the
//! server was started, and a person may give it another role at any time.

use signalbox_core::toolbox::Tool;
use signalbox_core::{Refusal, Role, Who};
use signalbox_store::config::Config;
use signalbox_store::{Home, session};

use crate::{identity, inside};
use signalbox_desk::error::CommandError;

/// Who asks, as far as it decides which tools there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    Human,
    Session(Role),
    /// Some agent, unknown which: it may read.
    Unknown,
}

impl Asker {
    /// Who asks now, and whether a session is registered above this process: who has none yet may soon have one.
    pub fn now(home: &Home) -> Result<(Self, bool), CommandError> {
        let identity = identity::resolve(home, &Config::load(home)?)?;
        if identity.unverified.is_some() {
            return Ok((Self::Unknown, false));
        }
        // What whoever started the agent said it is for; its session will take that over.
        let meant = || {
            let agent = inside::agent(home)?;
            Some(agent.role.as_deref().and_then(Role::parse).unwrap_or_default())
        };
        Ok(match &identity.who {
            // A record that cannot be read may have said no, so it is no assistant's.
            Who::Agent(agent) => match session::load_strictly(home, &agent.session)? {
                Some(session) => (Self::Session(session.charter.role), true),
                None => (Self::Session(meant().unwrap_or_default()), false),
            },
            Who::Human | Who::System => (meant().map_or(Self::Human, Self::Session), false),
        })
    }

    /// Refuse a tool that this asker does not have.
    pub fn may_use(&self, tool: &Tool) -> Result<(), Refusal> {
        match self {
            Self::Human => Ok(()),
            Self::Session(role) => tool.allow(*role),
            Self::Unknown if tool.reads_only => Ok(()),
            Self::Unknown => {
                let message =
                    format!("it is not known which session this is, and `{}` is not for reading", tool.name);
                Err(Refusal::new("identity.unverified", message)
                    .hint("Ask the person to start you anew with Signalbox's hooks: `sb hooks install`."))
            }
        }
    }
}
