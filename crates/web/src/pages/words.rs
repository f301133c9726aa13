//! Small words that many pages use: how long ago, how much, which class.

use jiff::Timestamp;
use signalbox_core::time::age;
use signalbox_store::clock;

/// How long ago a moment was, as a person reads it.
pub fn ago(at: &str) -> String {
    at.parse::<Timestamp>().map_or_else(|_| String::new(), |at| age(at, clock::now()))
}

pub fn ago_or(at: &Option<String>) -> String {
    at.as_deref().map(ago).unwrap_or_default()
}

/// Tokens, shortened.
pub fn short(number: &u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// The name of a status for people.
pub fn status(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Millionths of a dollar as dollars.
pub fn dollars(micros: &u64) -> String {
    crate::plots::dollars(*micros)
}
