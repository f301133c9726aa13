//! What a program said and how it ended.

use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};

/// A finished run. As a snapshot it shows both streams and the exit code, with `ROOT` for where the test plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    /// `None` where a signal ended it.
    pub code: Option<i32>,
    pub what: String,
}

impl Run {
    pub(crate) fn of(mut command: Command, input: &[u8]) -> Self {
        let what = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut stdin = child.stdin.take().expect("standard input");
        // A large input must not wait for an output that nobody reads yet.
        let output = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output().expect("wait for the program")
        });
        Self {
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on stdout"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on stderr"),
            code: output.status.code(),
            what,
        }
    }

    /// It must have ended well.
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "{} failed:\n{self}", self.what);
        self
    }

    /// It must have ended with this exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}:\n{self}", self.what);
        self
    }

    /// It must have said this, on either stream.
    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(
            self.stdout.contains(words) || self.stderr.contains(words),
            "{} does not say {words:?}:\n{self}",
            self.what
        );
        self
    }

    /// It must not have said this, on either stream.
    #[track_caller]
    pub fn never_says(self, words: &str) -> Self {
        assert!(
            !self.stdout.contains(words) && !self.stderr.contains(words),
            "{} says {words:?}:\n{self}",
            self.what
        );
        self
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            text.push_str(&format!("--- stderr\n{}", self.stderr));
        }
        if self.code != Some(0) {
            let code = self.code.map_or("by a signal".to_owned(), |code| code.to_string());
            text.push_str(&format!("--- exit {code}\n"));
        }
        f.write_str(&without_root(&text))
    }
}

/// A text with `ROOT` in the place of a test's directory, which is called otherwise in every run.
pub fn without_root(text: &str) -> String {
    let beginning = std::env::temp_dir().join(crate::ROOT).to_string_lossy().into_owned();
    let mut parts = text.split(&beginning);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        shown.push_str("ROOT");
        shown.push_str(part.get(rest..).unwrap_or_default());
    }
    shown
}
