//! Who may come in: links that work once, and the tokens that browsers and scripts get for them.
//!
//! A token is 256 random bits. Only its hash is kept, in `run/web-tokens.json`, so that a browser stays signed in when the
//! server is started again, and so that whoever reads the file can do nothing with it. A link lives in memory alone.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use signalbox_store::{Home, clock, entropy, files};

/// How long a link works.
const LINK: Duration = Duration::from_secs(10 * 60);
/// How long a token works.
const TOKEN_DAYS: i64 = 30;
/// The most links and tokens at once; the oldest go.
const MOST: usize = 200;

/// What a token is for. One of a browser does not work for a script, nor the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    Browser,
    Script,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Minted {
    scope: Scope,
    until: Timestamp,
}

/// Hashes of tokens, and links that wait.
#[derive(Debug)]
pub struct Tickets {
    path: PathBuf,
    tokens: Mutex<BTreeMap<String, Minted>>,
    /// Until when each works.
    links: Mutex<Vec<(String, Instant)>>,
}

impl Tickets {
    /// Those that were given out before.
    pub fn load(home: &Home) -> io::Result<Self> {
        let path = home.run().join("web-tokens.json");
        files::create_private_dir(&home.run())?;
        let bytes = files::read_optional(&path)?;
        let tokens = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Ok(Self { path, tokens: Mutex::new(tokens), links: Mutex::default() })
    }

    /// The word of a link that lets its bearer in once, and soon.
    pub fn mint_link(&self) -> String {
        let word = word();
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        links.retain(|(_, until)| *until > now);
        if links.len() >= MOST {
            links.remove(0);
        }
        links.push((hash(&word), now + LINK));
        word
    }

    /// A token for a browser, if the link's word is right. It is not right again.
    pub fn redeem(&self, word: &str) -> io::Result<Option<String>> {
        self.redeem_at(word, Instant::now())
    }

    fn redeem_at(&self, word: &str, now: Instant) -> io::Result<Option<String>> {
        let wanted = hash(word);
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|(_, until)| *until > now);
        let Some(at) = links.iter().position(|(known, _)| *known == wanted) else { return Ok(None) };
        links.remove(at);
        drop(links);
        self.mint(Scope::Browser).map(Some)
    }

    /// No link works any longer, as if time had passed.
    #[cfg(test)]
    pub fn let_links_expire(&self) {
        let now = Instant::now();
        for (_, until) in self.links.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            *until = now;
        }
    }

    /// A token for a script.
    pub fn mint_token(&self) -> io::Result<String> {
        self.mint(Scope::Script)
    }

    fn mint(&self, scope: Scope) -> io::Result<String> {
        let token = word();
        let now = clock::now();
        let until = now + SignedDuration::from_hours(24 * TOKEN_DAYS);
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.retain(|_, minted| minted.until > now);
        while tokens.len() >= MOST {
            let oldest = tokens.iter().min_by_key(|(_, minted)| minted.until).map(|(known, _)| known.clone());
            let Some(oldest) = oldest else { break };
            tokens.remove(&oldest);
        }
        tokens.insert(hash(&token), Minted { scope, until });
        files::replace(&self.path, &serde_json::to_vec(&*tokens)?, files::PRIVATE)?;
        Ok(token)
    }

    /// Whether this token is good for this. Hashes are compared, so the time it takes tells nothing of the token.
    pub fn knows(&self, token: &str, scope: Scope) -> bool {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.get(&hash(token)).is_some_and(|minted| minted.scope == scope && minted.until > clock::now())
    }

    /// The token is good for nothing any more.
    pub fn forget(&self, token: &str) -> io::Result<()> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.remove(&hash(token));
        files::replace(&self.path, &serde_json::to_vec(&*tokens)?, files::PRIVATE)
    }
}

/// 256 random bits, in hexadecimal.
pub fn word() -> String {
    (0..4).map(|_| format!("{:016x}", entropy::number())).collect()
}

fn hash(word: &str) -> String {
    Sha256::digest(word.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tickets() -> (tempfile::TempDir, Home, Tickets) {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::new(folder.path());
        home.prepare().expect("a home");
        let tickets = Tickets::load(&home).expect("tickets");
        (folder, home, tickets)
    }

    #[test]
    fn a_link_works_once_and_its_token_survives_a_restart() {
        let (_folder, home, tickets) = tickets();
        let link = tickets.mint_link();
        assert_eq!(tickets.redeem("wrong").expect("no trouble"), None);
        let token = tickets.redeem(&link).expect("no trouble").expect("a token");
        assert_eq!(tickets.redeem(&link).expect("no trouble"), None, "a link works once");
        assert!(tickets.knows(&token, Scope::Browser));
        assert!(!tickets.knows(&token, Scope::Script), "a browser's token is for browsers");
        let again = Tickets::load(&home).expect("tickets");
        assert!(again.knows(&token, Scope::Browser));
        again.forget(&token).expect("forgotten");
        assert!(!again.knows(&token, Scope::Browser));
        let kept = std::fs::read_to_string(home.run().join("web-tokens.json")).expect("the file");
        assert!(!kept.contains(&token), "only hashes are kept");
    }

    #[test]
    fn a_link_works_for_ten_minutes_and_the_oldest_make_room() {
        let (_folder, _home, tickets) = tickets();
        let (soon, late) = (tickets.mint_link(), tickets.mint_link());
        let minted = Instant::now();
        let at = |word: &str, then: Duration| tickets.redeem_at(word, minted + then).expect("no trouble");
        assert!(at(&soon, LINK - Duration::from_secs(60)).is_some(), "nine minutes");
        assert_eq!(at(&late, LINK), None, "ten minutes");
        assert_eq!(at(&late, Duration::ZERO), None, "what was too old once is forgotten");
        let first = tickets.mint_link();
        let others: Vec<String> = (0..MOST).map(|_| tickets.mint_link()).collect();
        assert_eq!(at(&first, Duration::ZERO), None, "the oldest goes");
        assert!(others.iter().all(|word| at(word, Duration::ZERO).is_some()));
    }

    #[test]
    fn what_is_like_a_token_is_none() {
        let (_folder, _home, tickets) = tickets();
        let token = tickets.mint_token().expect("a token");
        assert!(tickets.knows(&token, Scope::Script));
        for wrong in ["", &token[..63], &token.to_uppercase(), &format!("{token}0"), &format!(" {token}")] {
            assert!(!tickets.knows(wrong, Scope::Script), "{wrong}");
        }
    }
}
