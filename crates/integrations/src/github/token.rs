//! The token for a server.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signalbox_runner::Program;

use super::{PUBLIC_API, address};
use crate::monitor::Trouble;
use crate::settings::{self, Settings};

/// How long `gh` may take, and how long its answer is good for: it is a program, and many monitors ask.
const GH_TIME: Duration = Duration::from_secs(5);
const GH_GOOD_FOR: Duration = Duration::from_secs(120);
/// More hosts than anybody has.
const MOST_HOSTS: usize = 32;

/// What `gh` said, by host, and when.
type Said = BTreeMap<String, (Instant, Option<String>)>;

static FROM_GH: LazyLock<Mutex<Said>> = LazyLock::new(Mutex::default);

/// The token for this server: of the settings, of the environment, of `gh`.
pub(crate) fn find(settings: &Settings, api_url: &str, time: Duration) -> Result<String, Trouble> {
    let given = settings::text(settings, "token")?.map(ToOwned::to_owned);
    let variable = |name: &str| std::env::var(name).ok();
    let found = given
        .filter(|token| !token.trim().is_empty())
        .or_else(|| from_environment(api_url, &variable))
        .or_else(|| from_gh(address::pages_host(api_url)?, time));
    let host = address::pages_host(api_url).unwrap_or(api_url);
    let token = found.ok_or_else(|| Trouble::Lasting(missing(host)))?.trim().to_owned();
    if token.chars().all(|c| c.is_ascii_graphic()) {
        Ok(token)
    } else {
        Err(Trouble::Lasting(format!(
            "the token for {host} has signs in it that no token has; copy it again"
        )))
    }
}

fn missing(host: &str) -> String {
    format!(
        "there is no token for {host}; run `gh auth login --hostname {host}`, set GITHUB_TOKEN for the daemon, or \
         give the monitor a `token`"
    )
}

/// The environment's token, if the environment means this server.
fn from_environment(api_url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let host = address::pages_host(api_url)?;
    let named = set("GITHUB_API_URL").is_some_and(|url| url.trim_end_matches('/') == api_url);
    if api_url == PUBLIC_API || named {
        set("GITHUB_TOKEN").or_else(|| set("GH_TOKEN"))
    } else if set("GH_HOST").as_deref() == Some(host) {
        set("GH_ENTERPRISE_TOKEN").or_else(|| set("GITHUB_ENTERPRISE_TOKEN"))
    } else {
        None
    }
}

fn from_gh(host: &str, time: Duration) -> Option<String> {
    let mut known = FROM_GH.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((asked, token)) = known.get(host)
        && asked.elapsed() < GH_GOOD_FOR
    {
        return token.clone();
    }
    drop(known);
    let program = Program::new(["gh", "auth", "token", "--hostname", host]);
    let ran = program.within(GH_TIME.min(time)).printing_at_most(4096).run().ok();
    let token = ran.filter(signalbox_runner::Ran::succeeded).map(|ran| ran.text().trim().to_owned());
    let token = token.filter(|token| !token.is_empty());
    known = FROM_GH.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MOST_HOSTS {
        known.clear();
    }
    known.insert(host.to_owned(), (Instant::now(), token.clone()));
    token
}

/// Ask `gh` anew the next time: what it said was not accepted.
pub(crate) fn forget(api_url: &str) {
    let mut known = FROM_GH.lock().unwrap_or_else(PoisonError::into_inner);
    known.remove(address::pages_host(api_url).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_of_the_environment_goes_where_the_environment_says() {
        let all = [
            ("GITHUB_TOKEN", "first"),
            ("GH_TOKEN", "second"),
            ("GITHUB_API_URL", "https://named.example/api/v3/"),
            ("GH_HOST", "ghe.corp"),
            ("GH_ENTERPRISE_TOKEN", "corp"),
        ];
        let from = |without: &str, api_url: &str| {
            let variable = |name: &str| {
                let found = all.iter().find(|(known, _)| *known == name && name != without);
                found.map(|(_, value)| (*value).to_owned())
            };
            from_environment(api_url, &variable)
        };
        for (without, api_url, want) in [
            ("", PUBLIC_API, Some("first")),
            ("GITHUB_TOKEN", PUBLIC_API, Some("second")),
            ("", "https://named.example/api/v3", Some("first")),
            ("", "https://ghe.corp/api/v3", Some("corp")),
            ("GH_HOST", "https://ghe.corp/api/v3", None),
            ("", "https://evil.example/api/v3", None),
            ("", "https://api.github.com.evil.example", None),
        ] {
            assert_eq!(from(without, api_url).as_deref(), want, "{api_url} without {without}");
        }
    }

    #[test]
    fn what_cannot_be_a_token_is_not_sent() {
        let mut settings = Settings::new();
        settings.insert("token".to_owned(), "a\r\nHost: evil".into());
        let trouble = find(&settings, PUBLIC_API, Duration::from_secs(1)).expect_err("refused");
        assert!(matches!(trouble, Trouble::Lasting(why) if why.contains("copy it again")));
    }
}
