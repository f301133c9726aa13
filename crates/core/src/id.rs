//! Names of things: tickets, sessions, projects, agents, events. Each is checked once, where it enters.

use std::fmt;

use serde::{Deserialize, Serialize};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Crockford's base 32, as ULIDs are written.
const BASE32: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// What can be read out, told apart at a glance, and spells no word.
const READABLE: &[u8; 27] = b"23456789bcdfghjkmnpqrstvwxz";

/// Why a text is not a name of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {kind}: {rule}")]
pub struct IdError {
    pub kind: &'static str,
    pub text: String,
    pub rule: &'static str,
}

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $rule:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Take a text for a name of this kind, if it is one.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let check: fn(&str) -> bool = $check;
                if check(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(IdError { kind: $kind, text: text.to_owned(), rule: $rule })
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }
    };
}

name_type!(
    /// `sb_` and six base-62 characters.
    TicketId,
    "ticket id",
    "ticket ids are `sb_` and six letters or digits",
    |t| t.strip_prefix("sb_").is_some_and(|r| r.len() == 6 && r.bytes().all(|b| b.is_ascii_alphanumeric()))
);

name_type!(
    /// One conversation of an agent CLI. Safe as a file name.
    SessionId,
    "session id",
    "1 to 128 letters, digits, `.`, `_` or `-`, beginning with a letter or digit",
    |t| safe_name(t, 128)
);

name_type!(
    /// A registered directory's name. Safe as a file name.
    ProjectName,
    "project name",
    "1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit",
    |t| safe_name(t, 64)
);

name_type!(
    /// A process that Signalbox wraps. Safe as a file name, also where case does not count.
    AgentId,
    "agent id",
    "1 to 48 lower-case letters, digits, `.`, `_` or `-`, beginning with a letter or digit",
    |t| safe_name(t, 48) && !t.bytes().any(|b| b.is_ascii_uppercase())
);

name_type!(
    /// A ULID: sorts by the time it was made.
    EventId,
    "event id",
    "event ids are 26 characters of Crockford's base 32",
    |t| t.len() == 26 && t.bytes().all(|b| BASE32.contains(&b))
);

fn safe_name(text: &str, most: usize) -> bool {
    text.len() <= most
        && text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

impl TicketId {
    /// The id that a random number stands for. Any number will do.
    pub fn from_random(mut number: u64) -> Self {
        let mut text = String::from("sb_");
        for _ in 0..6 {
            text.push(char::from(BASE62[(number % 62) as usize]));
            number /= 62;
        }
        Self(text)
    }
}

impl AgentId {
    /// `claude-7kq2`: what it runs, and enough of a random number to tell it from others.
    pub fn from_random(program: &str, mut number: u64) -> Self {
        let mut text = ProjectName::from_directory(program).0.to_ascii_lowercase();
        text.truncate(32);
        text.push('-');
        for _ in 0..4 {
            text.push(char::from(READABLE[(number % 27) as usize]));
            number /= 27;
        }
        Self(text)
    }
}

impl EventId {
    /// When it was made, in milliseconds since 1970.
    pub fn millis(&self) -> u64 {
        let digit = |b: u8| BASE32.iter().position(|c| *c == b).unwrap_or(0) as u64;
        self.0.bytes().take(10).fold(0, |millis, b| millis << 5 | digit(b))
    }

    /// The id for an event made at `millis` since 1970 with 80 bits of randomness.
    pub fn new(millis: u64, random: [u8; 10]) -> Self {
        let mut value = u128::from(millis & 0xFFFF_FFFF_FFFF) << 80;
        for (at, byte) in random.iter().enumerate() {
            value |= u128::from(*byte) << (72 - 8 * at);
        }
        let text = (0..26).rev().map(|i| char::from(BASE32[((value >> (5 * i)) & 31) as usize])).collect();
        Self(text)
    }
}

impl ProjectName {
    /// Where events go that belong to no registered directory.
    pub fn untracked() -> Self {
        Self("untracked".to_owned())
    }

    /// The name a directory called `text` gets: what may not stand in a name becomes `-`.
    pub fn from_directory(text: &str) -> Self {
        let cleaned: String = text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
            .skip_while(|c| !c.is_ascii_alphanumeric())
            .take(64)
            .collect();
        Self::parse(&cleaned).unwrap_or_else(|_| Self("project".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticket_ids() {
        assert_eq!(TicketId::from_random(0).as_str(), "sb_000000");
        assert!(TicketId::parse("sb_a7Kx2m").is_ok());
        for bad in ["", "sb_", "sb_a7Kx2", "sb_a7Kx2mm", "SB_a7Kx2m", "sb_a7Kx2/", "sb_ä7Kx2"] {
            assert!(TicketId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn agent_ids() {
        assert_eq!(AgentId::from_random("claude", 0).as_str(), "claude-2222");
        for program in ["Claude Code", "", "…", "../x", &"x".repeat(100)] {
            let id = AgentId::from_random(program, u64::MAX);
            assert_eq!(AgentId::parse(id.as_str()), Ok(id.clone()), "{program}");
        }
        for bad in ["", "Claude", ".x", "-x", "a/b", "a b", &"x".repeat(49)] {
            assert!(AgentId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn event_ids_sort_by_time() {
        let early = EventId::new(1_000, [255; 10]);
        let late = EventId::new(1_001, [0; 10]);
        assert!(early < late);
        assert_eq!(
            (early.millis(), EventId::new(1_763_000_000_123, [7; 10]).millis()),
            (1_000, 1_763_000_000_123)
        );
        assert_eq!(EventId::parse(early.as_str()), Ok(early));
    }

    #[test]
    fn names_never_leave_their_folder() {
        for bad in ["", ".", "..", "../x", "a/b", "-rf", "a\nb", "a b", "a\0"] {
            assert!(SessionId::parse(bad).is_err(), "{bad:?}");
            assert!(ProjectName::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(ProjectName::from_directory("my project!").as_str(), "my-project-");
        assert_eq!(ProjectName::from_directory("…").as_str(), "project");
    }
}
