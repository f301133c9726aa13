//! Which repository a remote leads to, and where its server has the API.

use crate::settings::BadSettings;

use super::PUBLIC_API;

/// Where a remote leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remote {
    pub api_url: String,
    pub repo: String,
    /// The owner of the fork that branches are pushed to.
    pub fork: Option<String>,
}

/// The repository that pull requests of this clone go to. A clone with `upstream` and `origin` is that of a fork.
pub(crate) fn choose(remotes: &[(String, String)]) -> Option<Remote> {
    let named = |wanted: &str| {
        remotes.iter().filter(|(name, _)| name == wanted).find_map(|(_, address)| parse(address))
    };
    match (named("upstream"), named("origin")) {
        (Some(upstream), Some(origin)) if upstream.api_url == origin.api_url => {
            let own = split(&origin.repo).map(|(owner, _)| owner.to_owned());
            let theirs = split(&upstream.repo).map(|(owner, _)| owner.to_owned());
            Some(Remote { fork: own.filter(|own| Some(own) != theirs.as_ref()), ..upstream })
        }
        (_, Some(origin)) => Some(origin),
        (upstream, None) => upstream.or_else(|| remotes.iter().find_map(|(_, address)| parse(address))),
    }
}

/// The repository at a remote's address, if its host is GitHub or is called as GitHub Enterprise usually is.
pub(crate) fn parse(address: &str) -> Option<Remote> {
    let address = address.trim();
    let (host, port, path) = match address.split_once("://") {
        Some((scheme, rest)) => {
            let scheme = scheme.to_ascii_lowercase();
            let (authority, path) = rest.split_once('/')?;
            let (host, port) = host_and_port(authority)?;
            // The port of another protocol says nothing of where the API is.
            let port = if scheme == "https" { port } else { None };
            match scheme.as_str() {
                "https" | "http" | "ssh" | "git" | "git+ssh" | "ssh+git" => (host, port, path),
                _ => return None,
            }
        }
        // `git@host:owner/name`, where a path has no colon before its first slash.
        None => {
            let (authority, path) = address.split_once(':')?;
            (host_and_port(authority)?.0, None, path)
        }
    };
    let path = path.trim_matches('/');
    let repo = path.strip_suffix(".git").unwrap_or(path);
    split(repo)?;
    let api_url = api_of(&host.to_ascii_lowercase(), port.filter(|port| *port != "443"))?;
    Some(Remote { api_url, repo: repo.to_owned(), fork: None })
}

/// Host and port without user and password.
fn host_and_port(authority: &str) -> Option<(&str, Option<&str>)> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_host =
        !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    (is_host && is_port).then_some((host, port))
}

fn api_of(host: &str, port: Option<&str>) -> Option<String> {
    let labels: Vec<&str> = host.split('.').collect();
    match labels.as_slice() {
        ["github", "com"] | ["www" | "ssh", "github", "com"] => Some(PUBLIC_API.to_owned()),
        // Names that people give in their SSH configuration to have several keys for github.com.
        [alias] if alias.starts_with("github") => Some(PUBLIC_API.to_owned()),
        ["github", alias] if alias.starts_with("com-") => Some(PUBLIC_API.to_owned()),
        [tenant, "ghe", "com"] | [_, tenant, "ghe", "com"] => Some(format!("https://api.{tenant}.ghe.com")),
        _ if labels.iter().any(|label| label.starts_with("github") || label.starts_with("ghe")) => {
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            Some(format!("https://{host}{port}/api/v3"))
        }
        _ => None,
    }
}

/// Owner and name.
pub(crate) fn split(repo: &str) -> Option<(&str, &str)> {
    repo.split_once('/').filter(|(owner, name)| is_name(owner) && is_name(name))
}

/// It can stand in a path and leads nowhere else.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && !matches!(name, "." | "..")
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The API's address without a slash at the end. Without encryption only on this machine: a token goes there.
pub(crate) fn api_url(given: Option<&str>) -> Result<String, BadSettings> {
    let url = given.unwrap_or(PUBLIC_API).trim_end_matches('/');
    let wrong = |why: &str| BadSettings(format!("`api_url` has to be as `https://host/api/v3`: {why}"));
    let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("this is no URL"))?;
    if rest.contains(['@', '?', '#', ' ', '\\']) || rest.chars().any(char::is_control) {
        return Err(wrong("no user, no question mark and nothing unusual can stand in it"));
    }
    let host = host_of(url).ok_or_else(|| wrong("it has no host"))?;
    match scheme {
        "https" => Ok(url.to_owned()),
        "http" if matches!(host, "127.0.0.1" | "localhost" | "[::1]") => Ok(url.to_owned()),
        "http" => Err(wrong("without encryption anybody on the way could read the token")),
        _ => Err(wrong("it does not begin with `https://`")),
    }
}

/// The host in a URL.
pub(crate) fn host_of(url: &str) -> Option<&str> {
    let authority = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => host,
        _ => authority,
    };
    (!host.is_empty()).then_some(host)
}

/// What people call the server: where its pages are.
pub(crate) fn pages_host(api_url: &str) -> Option<&str> {
    let host = host_of(api_url)?;
    let is_cloud = host == "api.github.com" || host.ends_with(".ghe.com");
    Some(if is_cloud { host.strip_prefix("api.").unwrap_or(host) } else { host })
}

/// Text as a part of a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes() {
        let ours = Some((PUBLIC_API, "octo/hello"));
        for (address, want) in [
            ("git@github.com:octo/hello.git", ours),
            ("git@github.com:octo/hello", ours),
            ("github.com:octo/hello.git", ours),
            ("git@GitHub.com:/octo/hello.git/", ours),
            ("https://github.com/octo/hello", ours),
            ("https://github.com/octo/hello.git", ours),
            ("https://github.com/octo/hello/", ours),
            ("https://user:ghp_secret@github.com/octo/hello.git", ours),
            ("https://www.github.com/octo/hello", ours),
            ("http://github.com/octo/hello", ours),
            ("ssh://git@github.com/octo/hello.git", ours),
            ("ssh://git@ssh.github.com:443/octo/hello.git", ours),
            ("git+ssh://git@github.com/octo/hello.git", ours),
            ("git://github.com/octo/hello.git", ours),
            ("git@github-work:octo/hello.git", ours),
            ("git@github.com-work:octo/hello.git", ours),
            ("https://github.com/octo/dot.github.io.git", Some((PUBLIC_API, "octo/dot.github.io"))),
            ("https://github.example.com/a/b", Some(("https://github.example.com/api/v3", "a/b"))),
            ("https://github.example.com:8443/a/b", Some(("https://github.example.com:8443/api/v3", "a/b"))),
            ("https://github.example.com:443/a/b", Some(("https://github.example.com/api/v3", "a/b"))),
            ("ssh://git@ghe.example.com:2222/a/b.git", Some(("https://ghe.example.com/api/v3", "a/b"))),
            ("git@ghe.example.com:a/b.git", Some(("https://ghe.example.com/api/v3", "a/b"))),
            ("git@octo.ghe.com:a/b.git", Some(("https://api.octo.ghe.com", "a/b"))),
            ("https://gitlab.com/octo/hello.git", None),
            ("git@bitbucket.org:octo/hello.git", None),
            ("https://github.com/octo", None),
            ("https://github.com/octo/hello/tree", None),
            ("https://github.com/../hello", None),
            ("https://github.com/octo/..", None),
            ("https://github.com/oc to/x", None),
            ("https://github.com?x/octo/hello", None),
            ("https://github.com:99999/octo/hello", None),
            ("https://evil.com/github.com/octo", None),
            ("/srv/git/hello.git", None),
            ("../hello", None),
            ("file:///srv/octo/hello", None),
            ("C:\\repos\\hello", None),
            ("git@github.com:octo/he\u{1b}llo.git", None),
            ("", None),
            (":", None),
            ("://", None),
        ] {
            let found = parse(address);
            let found = found.as_ref().map(|remote| (remote.api_url.as_str(), remote.repo.as_str()));
            assert_eq!(found, want, "{address:?}");
        }
    }

    #[test]
    fn a_fork_belongs_to_what_it_was_made_from() {
        let remote = |name: &str, repo: &str| (name.to_owned(), format!("git@github.com:{repo}.git"));
        let chosen = |remotes: &[(String, String)]| choose(remotes).map(|found| (found.repo, found.fork));
        let fork = [remote("origin", "me/hello"), remote("upstream", "octo/hello")];
        assert_eq!(chosen(&fork), Some(("octo/hello".into(), Some("me".into()))));
        let same = [remote("origin", "octo/hello"), remote("upstream", "octo/hello")];
        assert_eq!(chosen(&same), Some(("octo/hello".into(), None)));
        let named = [("x".to_owned(), "/srv/x".to_owned()), remote("mine", "me/hello")];
        assert_eq!(chosen(&named), Some(("me/hello".into(), None)));
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn addresses_of_the_api() {
        for good in [
            "https://ghe.corp/api/v3",
            "https://ghe.corp:8443/api/v3/",
            "http://127.0.0.1:9",
            "http://[::1]:9/x",
        ] {
            assert_eq!(api_url(Some(good)).as_deref(), Ok(good.trim_end_matches('/')));
        }
        assert_eq!(api_url(None).as_deref(), Ok(PUBLIC_API));
        for bad in [
            "",
            "ghe.corp",
            "ftp://ghe.corp",
            "http://ghe.corp",
            "https://",
            "https://me@ghe.corp",
            "https://x/?a",
            "http://127.0.0.1.evil.com",
            "https://x\\@y",
            "https:///path",
        ] {
            assert!(api_url(Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(pages_host("https://api.github.com"), Some("github.com"));
        assert_eq!(pages_host("https://ghe.corp:8443/api/v3"), Some("ghe.corp"));
        assert_eq!(pages_host("https://api.octo.ghe.com"), Some("octo.ghe.com"));
        assert_eq!(encoded("octo:feat/ü x"), "octo%3Afeat%2F%C3%BC%20x");
    }
}
