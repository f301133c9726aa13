//! As much of GitHub as monitors and goals need: which repository is meant, with what token it is asked, and its answers.
//!
//! Trust boundary: a token goes to the server it belongs to and nowhere else. One from the environment belongs to
//! github.com or to the server that the environment names; one of `gh` to the host it was made for; one in the settings to
//! the server in the same settings. What comes back is text from anybody.

pub(crate) mod address;
pub(crate) mod client;
pub(crate) mod pull;
pub(crate) mod token;

use std::time::Duration;

use jiff::Timestamp;

use crate::monitor::{Environment, Trouble};
use crate::settings::{self, BadSettings, Key, Settings};
use client::Client;

/// Where github.com itself is asked.
pub(crate) const PUBLIC_API: &str = "https://api.github.com";

pub(crate) const REPO: Key = Key::required("repo", "The repository, as `owner/name`");
pub(crate) const BRANCH: Key = Key::required("branch", "The branch");
pub(crate) const FORK: Key =
    Key::optional("fork", "Who owns the fork that the branch is in, where it is not in `repo` itself");
pub(crate) const TOKEN: Key = Key::secret(
    "token",
    "The token; unless this is set `GITHUB_TOKEN`, `GH_TOKEN`, or the one that `gh` has for the server",
);
pub(crate) const API_URL: Key = Key::guarded(
    "api_url",
    "Where the API is, for GitHub Enterprise: `https://host/api/v3`; that of github.com unless this is set",
);

/// Which repository and branch, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub api_url: String,
    pub repo: String,
    pub branch: String,
    /// Whose branch it is.
    pub owner: String,
    /// The branch is not in `repo` itself.
    pub is_fork: bool,
}

impl Place {
    /// As the settings have it. Where only the repository counts there is no branch.
    pub fn of(settings: &Settings) -> Result<Self, BadSettings> {
        let api_url = address::api_url(settings::text(settings, "api_url")?)?;
        let repo = settings::text(settings, "repo")?.unwrap_or_default();
        let (owner, _) = address::split(repo).ok_or_else(|| {
            BadSettings(format!("`repo` has to be `owner/name`, and `{}` is not", repo.escape_debug()))
        })?;
        let branch = settings::text(settings, "branch")?.unwrap_or_default();
        if branch.chars().any(|c| c.is_control() || c == ' ') {
            return Err(BadSettings(
                "`branch` has a space or a control character, as no branch has".to_owned(),
            ));
        }
        let fork = settings::text(settings, "fork")?;
        if let Some(fork) = fork.filter(|fork| !address::is_name(fork)) {
            let shown = fork.escape_debug();
            return Err(BadSettings(format!("`fork` has to be the name of a user, and `{shown}` is none")));
        }
        Ok(Self {
            api_url,
            repo: repo.to_owned(),
            branch: branch.to_owned(),
            owner: fork.unwrap_or(owner).to_owned(),
            is_fork: fork.is_some_and(|fork| !fork.eq_ignore_ascii_case(owner)),
        })
    }

    /// Someone who can ask there.
    pub fn client(
        &self,
        settings: &Settings,
        now: Option<Timestamp>,
        time: Duration,
    ) -> Result<Client, Trouble> {
        let token = token::find(settings, &self.api_url, time)?;
        Ok(Client::new(&self.api_url, token, now, time))
    }

    /// The path of something in the repository.
    pub fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{rest}", self.repo)
    }
}

/// Fill in repository, branch and server from what the agent said of its place.
pub(crate) fn complete(mut settings: Settings, environment: &Environment) -> Settings {
    let is_missing =
        |settings: &Settings, name: &str| settings.get(name).is_none_or(serde_json::Value::is_null);
    if is_missing(&settings, "repo")
        && let Some(remote) = address::choose(&environment.remotes)
    {
        // An agent can change its remotes: they must not lead a token of the settings to another server.
        let given = settings.get("api_url").and_then(|url| url.as_str()).map(ToOwned::to_owned);
        let server = given.as_deref().map_or(PUBLIC_API, |url| url.trim_end_matches('/'));
        let may_go = remote.api_url == server || (given.is_none() && is_missing(&settings, "token"));
        if may_go {
            settings.insert("repo".to_owned(), remote.repo.into());
            if remote.api_url != server {
                settings.insert("api_url".to_owned(), remote.api_url.into());
            }
            if let Some(fork) = remote.fork.filter(|_| is_missing(&settings, "fork")) {
                settings.insert("fork".to_owned(), fork.into());
            }
        }
    }
    if is_missing(&settings, "branch")
        && let Some(branch) = &environment.branch
    {
        settings.insert("branch".to_owned(), branch.as_str().into());
    }
    settings
}
