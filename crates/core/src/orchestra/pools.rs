//! Accounts that agents draw on, and until when one of them is empty.

use jiff::{SignedDuration, Timestamp};

use super::fleet::Pool;

/// How long an account is left alone that has nothing left, where nobody says until when; every further time doubles it.
const REST: SignedDuration = SignedDuration::from_mins(5);
const LONGEST: SignedDuration = SignedDuration::from_hours(5);

/// An agent CLI said that an account is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Empty {
    pub pool: String,
    pub said: Timestamp,
    /// Until when, if it knows.
    pub until: Option<Timestamp>,
}

/// Until when accounts are left alone after all this was said, the oldest first.
pub fn exhausted(said: impl IntoIterator<Item = Empty>) -> Vec<Pool> {
    let mut known: Vec<(String, Timestamp, SignedDuration)> = Vec::new();
    for Empty { pool, said, until } in said {
        let at = known.iter().position(|(name, ..)| *name == pool);
        let (until, rest) = match at.map(|at| (known[at].1, known[at].2)) {
            // Another agent says the same of the same account: that makes it no worse.
            Some((before, rest)) if before > said => (until.unwrap_or(before).max(before), rest),
            Some((before, rest)) if said.duration_since(before) < LONGEST => {
                let rest = rest.saturating_mul(2).min(LONGEST);
                (until.unwrap_or(said + rest), rest)
            }
            _ => (until.unwrap_or(said + REST), REST),
        };
        match at {
            Some(at) => known[at] = (pool, until, rest),
            None => known.push((pool, until, rest)),
        }
    }
    known.into_iter().map(|(name, until, _)| Pool { name, exhausted_until: Some(until) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minutes at which it is said that one account is empty, and until when, if that is said; and what follows.
    fn until(said: &[(i64, Option<i64>)]) -> i64 {
        let at = |minutes: i64| Timestamp::from_second(1_900_000_000 + minutes * 60).unwrap();
        let said = said.iter().map(|(said, until)| Empty {
            pool: "claude".to_owned(),
            said: at(*said),
            until: until.map(at),
        });
        let pools = exhausted(said);
        assert_eq!(pools.len(), 1);
        (pools[0].exhausted_until.unwrap().as_second() - 1_900_000_000) / 60
    }

    #[test]
    fn an_account_rests_as_long_as_it_says_or_longer_every_time() {
        assert_eq!(until(&[(0, Some(90))]), 90);
        assert_eq!(until(&[(0, None)]), 5);
        assert_eq!(until(&[(0, None), (6, None)]), 16);
        assert_eq!(until(&[(0, None), (6, None), (20, None)]), 40);
        // Several agents hit the same wall, and not all of them know how high it is.
        assert_eq!(until(&[(0, Some(90)), (1, None), (2, Some(60))]), 90);
        assert_eq!(until(&[(0, None), (1, Some(90))]), 90);
        // The next day it begins anew.
        assert_eq!(until(&[(0, None), (6, None), (1440, None)]), 1445);
        let mut said = vec![(0, None)];
        for _ in 0..12 {
            let next = until(&said);
            assert!(next - said.last().unwrap().0 <= 300, "{said:?}");
            said.push((next, None));
        }
    }

    #[test]
    fn accounts_are_apart() {
        let now = Timestamp::UNIX_EPOCH;
        let said = ["one", "two"].map(|pool| Empty { pool: pool.to_owned(), said: now, until: None });
        assert_eq!(exhausted(said).len(), 2);
        assert_eq!(exhausted([]), []);
    }
}
