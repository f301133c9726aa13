//! What can go wrong while tickets are taken to main.

use std::io;

use signalbox_core::Refusal;
use signalbox_git::GitError;
use signalbox_store::StoreError;
use signalbox_store::config::ConfigError;
use signalbox_store::contract::ContractError;
use signalbox_store::log::LogError;

#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Contract(#[from] ContractError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Log(#[from] LogError),
    /// What the contract has run in a fresh workspace does not work.
    #[error("{message}")]
    SetUp {
        message: String,
        /// The end of what it printed.
        output: String,
    },
    #[error("{doing}")]
    Io { doing: String, source: io::Error },
}

impl Failed {
    /// What was being done when the disk failed.
    pub(crate) fn doing(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }

    /// The same with what can be done about it, where anybody knows.
    pub fn with_hint(&self) -> String {
        let hint = self.refusal().and_then(|refusal| refusal.hint.as_deref());
        hint.map_or_else(|| self.chain(), |hint| format!("{}. {hint}", self.chain()))
    }

    /// The refusal that it is, if it is one: trying again will not help.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal)
            | Self::Git(GitError::Refused(refusal))
            | Self::Store(StoreError::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }

    /// With everything behind it, as one sentence.
    pub fn chain(&self) -> String {
        let mut words = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            words.push_str(&format!(": {error}"));
            cause = error.source();
        }
        words
    }
}
