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
    #[error("{doing}")]
    Io { doing: String, source: io::Error },
}

impl Failed {
    /// What was being done when the disk failed.
    pub(crate) fn doing(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
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
