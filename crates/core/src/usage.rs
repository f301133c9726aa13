//! What an agent has used: tokens and money, in whole numbers.
//!
//! Money is in millionths of a dollar, because sums of fractions drift. CLIs tell totals, again and again, and start
//! from nothing when a conversation does: a [`Meter`] turns them into what was added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An amount of use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Without those that came from a cache.
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// Unknown where the CLI does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Usage {
    pub fn is_zero(&self) -> bool {
        self.tokens() == 0 && self.cost_micros.unwrap_or(0) == 0
    }

    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.cached_tokens).saturating_add(self.output_tokens)
    }

    /// Both together. A cost that is known of one of them only is at least that.
    pub fn add(&mut self, other: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_micros = match (self.cost_micros, other.cost_micros) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
        if self.model != other.model {
            self.model = None;
        }
    }

    /// What came to `earlier` until it was this; `None` where something has become less, so that it is no
    /// continuation.
    fn since(&self, earlier: &Self) -> Option<Self> {
        let cost_micros = match (self.cost_micros, earlier.cost_micros) {
            (Some(now), before) => Some(now.checked_sub(before.unwrap_or(0))?),
            (None, _) => None,
        };
        Some(Self {
            input_tokens: self.input_tokens.checked_sub(earlier.input_tokens)?,
            cached_tokens: self.cached_tokens.checked_sub(earlier.cached_tokens)?,
            output_tokens: self.output_tokens.checked_sub(earlier.output_tokens)?,
            cost_micros,
            model: self.model.clone(),
        })
    }
}

/// Sums, for all and for each model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    pub total: Usage,
    /// Where the model is not known, under an empty name.
    pub models: BTreeMap<String, Usage>,
}

impl Sums {
    pub fn add(&mut self, usage: &Usage) {
        self.total.add(usage);
        // The total is of no model.
        self.total.model = None;
        let model = usage.model.clone().unwrap_or_default();
        let sum = self
            .models
            .entry(model)
            .or_insert_with(|| Usage { model: usage.model.clone(), ..Usage::default() });
        sum.add(usage);
    }
}

impl<'a> FromIterator<&'a Usage> for Sums {
    fn from_iter<I: IntoIterator<Item = &'a Usage>>(all: I) -> Self {
        let mut sums = Self::default();
        all.into_iter().for_each(|usage| sums.add(usage));
        sums
    }
}

/// Turns totals that are told again and again into what was added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    /// The last total of each conversation.
    last: BTreeMap<String, Usage>,
}

impl Meter {
    /// What was added since the last total of this conversation. A total that is smaller is a new beginning.
    pub fn read(&mut self, conversation: &str, total: &Usage) -> Usage {
        let last = self.last.insert(conversation.to_owned(), total.clone());
        last.and_then(|last| total.since(&last)).unwrap_or_else(|| total.clone())
    }
}

/// The amount of money that a text such as `$1,234.5` or `0.0123` stands for.
pub fn micros_of_text(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('$').replace(',', "");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut millionths: u64 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    millionths += u64::from(fraction.as_bytes().get(6).is_some_and(|digit| *digit >= b'5'));
    whole.checked_mul(1_000_000)?.checked_add(millionths)
}

/// The amount of money that a number of dollars in JSON stands for.
pub fn micros_of_dollars(dollars: f64) -> Option<u64> {
    // A double holds every whole number up to 2^53 exactly, which is nine billion dollars.
    let micros = (dollars * 1e6).round();
    if (0.0..=9_007_199_254_740_992.0).contains(&micros) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole and in range"
        )]
        return Some(micros as u64);
    }
    None
}

/// `$12.34`; below a cent as many digits as it takes: `$0.0012`, `$0.000001`.
pub fn dollars(micros: u64) -> String {
    match micros {
        1..100 => format!("$0.{micros:06}"),
        100..9_950 => format!("$0.{:04}", (micros + 50) / 100),
        _ => {
            let cents = micros / 10_000 + u64::from(micros % 10_000 >= 5_000);
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

/// `999`, `12.3k`, `4.5M`
pub fn tokens(count: u64) -> String {
    let in_tenths = |unit: u64, letter: char| {
        let tenths = (u128::from(count) * 10 + u128::from(unit) / 2) / u128::from(unit);
        format!("{}.{}{letter}", tenths / 10, tenths % 10)
    };
    match count {
        0..1_000 => count.to_string(),
        // From here on it would be written as 1000.0k.
        1_000..999_950 => in_tenths(1_000, 'k'),
        _ => in_tenths(1_000_000, 'M'),
    }
}
