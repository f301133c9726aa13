//! Names that are safe to give to git and to the disk: each is checked once, where it comes in.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use signalbox_core::Refusal;

/// The longest name of a branch; longer ones do not fit into a file name with room to spare.
const LONGEST_BRANCH: usize = 120;

/// Which hashes a repository uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    pub(crate) fn hex(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 => 64,
        }
    }

    pub(crate) fn zero(self) -> String {
        "0".repeat(self.hex())
    }
}

/// The name of an object: 40 or 64 hexadecimal digits, so never an option or an expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Oid(String);

impl Oid {
    pub fn parse(text: &str) -> Option<Self> {
        let whole = matches!(text.len(), 40 | 64)
            && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && text.bytes().any(|b| b != b'0');
        whole.then(|| Self(text.to_owned()))
    }

    pub(crate) fn parse_bytes(bytes: &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes).ok()?)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Oid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not the name of a git object"))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a branch that we make: `area/slug`. The user's own branches may have any name that git takes; see
/// [`BranchName::of_user`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct BranchName(String);

impl BranchName {
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let part = |part: &str| {
            part.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'))
        };
        if text.split('/').all(part) {
            Self::of_user(text)
        } else {
            Err(bad_branch(
                text,
                "each part between slashes is lower-case letters, digits, `.`, `_` and `-`, and begins with a letter or digit",
            ))
        }
    }

    /// Any name that git takes for a branch and that cannot be mistaken for something else.
    pub fn of_user(text: &str) -> Result<Self, Refusal> {
        if text.len() > LONGEST_BRANCH {
            return Err(bad_branch(text, "it is longer than 120 bytes"));
        }
        if text.starts_with('-') || text == "HEAD" || text == "@" {
            return Err(bad_branch(text, "git would take it for something else"));
        }
        ref_parts(text).map_err(|why| bad_branch(text, why))?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn as_ref_name(&self) -> RefName {
        RefName(format!("refs/heads/{}", self.0))
    }
}

impl TryFrom<String> for BranchName {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        Self::of_user(&text)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn bad_branch(text: &str, why: &str) -> Refusal {
    let shown = signalbox_core::text::one_line(text);
    Refusal::usage("git.branch-name", format!("`{shown}` cannot be the name of a branch: {why}"))
        .hint("A good name looks like `area/what-it-is-about`.")
}

/// The whole name of a ref: it begins with `refs/`, so it is never an option or an expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RefName(String);

impl RefName {
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let why = if text.starts_with("refs/") {
            ref_parts(text).err()
        } else {
            Some("it must begin with `refs/`")
        };
        match why {
            None => Ok(Self(text.to_owned())),
            Some(why) => {
                let shown = signalbox_core::text::one_line(text);
                Err(Refusal::usage("git.ref-name", format!("`{shown}` cannot be the name of a ref: {why}")))
            }
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name of our own below `refs/signalbox/`, from parts that were checked.
    pub(crate) fn ours(rest: impl fmt::Display) -> Self {
        Self(format!("refs/signalbox/{rest}"))
    }
}

impl TryFrom<String> for RefName {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        Self::parse(&text)
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The rules of `git check-ref-format`.
fn ref_parts(text: &str) -> Result<(), &'static str> {
    if text.contains("..") || text.contains("@{") || text.contains("//") {
        return Err("`..`, `//` and `@{` may not stand in it");
    }
    if text.bytes().any(|b| b <= b' ' || b == 0x7f || b"~^:?*[\\".contains(&b)) {
        return Err("spaces, control characters and any of `~^:?*[\\` may not stand in it");
    }
    if text.ends_with('.') {
        return Err("it may not end with a dot");
    }
    let bad = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    if text.split('/').any(bad) {
        return Err("no part may be empty, begin with a dot or end with `.lock`");
    }
    Ok(())
}

/// What a workspace is known by: the ticket's id. Safe as a file name and as part of a ref.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Key(String);

impl Key {
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let safe = text.len() <= 64
            && text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        if safe {
            return Ok(Self(text.to_owned()));
        }
        let shown = signalbox_core::text::one_line(text);
        Err(Refusal::usage(
            "git.workspace-key",
            format!(
                "`{shown}` cannot name a workspace: 1 to 64 letters, digits, `_` or `-`, beginning with a letter or digit"
            ),
        ))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Key {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        Self::parse(&text)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path within a tree, as the bytes that it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(Vec<u8>);

impl TreePath {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// As text; what is no UTF-8 is shown as such.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&signalbox_core::text::one_line(&self.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_that_we_make() {
        for good in ["web/fix-login", "a", "0", "core/x.y_z-1", "a/b/c"] {
            assert!(BranchName::parse(good).is_ok(), "{good}");
        }
        let long = "x".repeat(121);
        for bad in [
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            "-a",
            "a/-b",
            "--all",
            "A/b",
            "a b",
            "a..b",
            "a/.b",
            "a.lock",
            "a/b.lock/c",
            "a.",
            "a~1",
            "a^",
            "a:b",
            "a?b",
            "a*",
            "a[b",
            "a\\b",
            "a@{1}",
            "ä/b",
            "a\nb",
            "a\0b",
            "..",
            ".",
            &long,
        ] {
            let refused = BranchName::parse(bad).expect_err(bad);
            assert!(refused.message.contains("cannot be the name of a branch"), "{refused}");
            assert!(!refused.message.contains('\n'), "{refused}");
        }
    }

    #[test]
    fn branches_of_users() {
        for good in ["main", "Feature/Größe", "release-1.2", "x@y"] {
            assert!(BranchName::of_user(good).is_ok(), "{good}");
        }
        for bad in ["HEAD", "@", "-x", "a b", "a..b", "", "x.lock"] {
            assert!(BranchName::of_user(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn objects_are_hexadecimal_and_never_zero() {
        assert!(Oid::parse(&"a".repeat(40)).is_some() && Oid::parse(&"0b".repeat(32)).is_some());
        for bad in ["", "HEAD", "--all", &"a".repeat(39), &"A".repeat(40), &"0".repeat(40), "refs/heads/main"]
        {
            assert!(Oid::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn keys_are_file_names() {
        assert!(Key::parse("sb_a7Kx2m").is_ok());
        for bad in ["", ".", "..", "a/b", "-x", "a.lock", "a b", "a\n"] {
            assert!(Key::parse(bad).is_err(), "{bad}");
        }
    }
}
