//! Known secret values are blotted out, also where a read cut them in two.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem::Finder;

/// What is shorter stands everywhere by accident.
const SHORTEST: usize = 4;

/// The values that must not be written down.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    values: Arc<[Finder<'static>]>,
}

impl Secrets {
    /// Values shorter than four bytes are left out: they would blot out everything.
    pub fn new<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> Self {
        let mut values: Vec<Vec<u8>> =
            values.into_iter().map(|value| value.as_ref().as_bytes().to_vec()).collect();
        values.retain(|value| value.len() >= SHORTEST);
        // Longest first: where two begin at the same place, the longer is meant.
        values.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        values.dedup();
        Self { values: values.iter().map(|value| Finder::new(value).into_owned()).collect() }
    }

    /// A text that is whole.
    pub fn blot(&self, text: &str) -> String {
        let mut blotting = Blotting::new(self);
        let mut bytes = blotting.feed(text.as_bytes()).into_owned();
        bytes.extend(blotting.finish());
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The first of them in `bytes`: where it begins, and how long it is.
    fn first_in(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let found = self.values.iter().filter_map(|value| Some((value.find(bytes)?, value.needle().len())));
        // The earliest, and among those the longest.
        found.min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))
    }

    /// Whether one of them begins with all of `bytes` and goes on.
    fn may_become_one(&self, bytes: &[u8]) -> bool {
        let begins =
            |value: &Finder<'_>| value.needle().len() > bytes.len() && value.needle().starts_with(bytes);
        !bytes.is_empty() && self.values.iter().any(begins)
    }

    fn longest(&self) -> usize {
        self.values.first().map_or(0, |value| value.needle().len())
    }
}

/// One stream in which secrets are blotted out. It holds back what may become one.
#[derive(Debug)]
pub(crate) struct Blotting {
    secrets: Secrets,
    held: Vec<u8>,
}

impl Blotting {
    pub fn new(secrets: &Secrets) -> Self {
        Self { secrets: secrets.clone(), held: Vec::new() }
    }

    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// What may be written down now.
    pub fn feed<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.secrets.values.is_empty() {
            return Cow::Borrowed(bytes);
        }
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(held.len());
        let mut rest = held.as_slice();
        while let Some((at, length)) = self.secrets.first_in(rest) {
            let (before, from) = rest.split_at(at);
            out.extend_from_slice(before);
            if self.secrets.may_become_one(from) {
                self.held = from.to_vec();
                return Cow::Owned(out);
            }
            let (secret, after) = from.split_at(length);
            blot(secret, &mut out);
            rest = after;
        }
        let most = rest.len().min(self.secrets.longest().saturating_sub(1));
        let tails = (rest.len() - most..rest.len()).map(|at| rest.split_at(at));
        let (give, keep) =
            tails.into_iter().find(|(_, tail)| self.secrets.may_become_one(tail)).unwrap_or((rest, &[]));
        out.extend_from_slice(give);
        self.held = keep.to_vec();
        Cow::Owned(out)
    }

    /// Nothing more will come: what is held back is no secret, but may hold a shorter one.
    pub fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(held.len());
        let mut rest = held.as_slice();
        while let Some((at, length)) = self.secrets.first_in(rest) {
            let (before, from) = rest.split_at(at);
            let (secret, after) = from.split_at(length);
            out.extend_from_slice(before);
            blot(secret, &mut out);
            rest = after;
        }
        out.extend_from_slice(rest);
        out
    }
}

/// As many stars as it had characters, so that what stands behind it stays where it was.
fn blot(secret: &[u8], out: &mut Vec<u8>) {
    let characters = secret.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    out.extend(std::iter::repeat_n(b'*', characters));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_blotted_out() {
        let secrets = Secrets::new(["hunter2!", "hunter2!longer", "x", "schlüssel"]);
        assert_eq!(secrets.blot("a hunter2! b"), "a ******** b");
        assert_eq!(secrets.blot("hunter2!longer"), "*".repeat(14));
        assert_eq!(secrets.blot("hunter2!lon"), "********lon");
        assert_eq!(secrets.blot("x schlüssel hunter2"), "x ********* hunter2");
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_output_is_cut(text in "[ab]{0,40}", cuts in prop::collection::vec(0..41usize, 0..6)) {
            let secrets = Secrets::new(["abab", "ababb", "bbbb", "aabba"]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut blotting = Blotting::new(&secrets);
            let mut out = Vec::new();
            for pair in cuts.windows(2) {
                out.extend_from_slice(&blotting.feed(&text.as_bytes()[pair[0]..pair[1]]));
            }
            out.extend(blotting.finish());
            let out = String::from_utf8(out).unwrap();
            prop_assert_eq!(&out, &secrets.blot(&text));
            prop_assert_eq!(out.len(), text.len());
            for secret in ["abab", "ababb", "bbbb", "aabba"] {
                prop_assert!(!out.contains(secret), "{} in {}", secret, out);
            }
        }
    }
}
