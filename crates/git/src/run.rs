//! The one place that runs git.
//!
//! Every call names its git directory, which is one of ours, so git looks for no other. It sees no configuration but ours,
//! none of the caller's variables, and has no terminal, editor, pager or helper to start. What comes from outside is handed
//! over as a checked name, on standard input, or after `--end-of-options`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signalbox_core::Refusal;
use signalbox_runner::{End, Program, Ran};

use crate::Result;
use crate::crash;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::names::Oid;

/// The oldest git that does all that is needed: `merge-tree --merge-base`, `check-attr --source`.
const OLDEST: (u32, u32) = (2, 40);
/// How long a call may take that only looks or moves refs.
const QUICK: Duration = Duration::from_secs(60);
/// How long a call may take that moves files or objects.
pub(crate) const LONG: Duration = Duration::from_secs(30 * 60);
/// The largest file of settings that is looked into before git is asked.
const MOST_CONFIG: u64 = 1 << 20;
/// How much a call may print: lists of paths are long.
const MOST_OUTPUT: usize = 256 << 20;

/// Said on every command line, where nothing can override it. Most of this no configuration of ours says otherwise;
/// it stands here so that no single mistake lets a program in.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    // Else git asks the repositories that objects are borrowed from for their refs, with their configuration.
    "core.alternateRefsCommand=true",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.askPass=false",
    "core.editor=false",
    "core.pager=cat",
    "credential.helper=",
    "gpg.program=false",
    "commit.gpgSign=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
];

/// The same for what is read from the environment.
const VARIABLES: &[(&str, &str)] = &[
    // A place where nobody can put anything.
    ("HOME", "/dev/null"),
    ("XDG_CONFIG_HOME", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_ALLOW_PROTOCOL", "file"),
    ("GIT_ADVICE", "0"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
];

/// The git that is installed.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    /// Where git finds what it runs itself.
    path: OsString,
    version: String,
}

impl Git {
    /// Find git on a `PATH`, and see that it is new enough.
    pub fn find(path: &OsStr) -> Result<Self> {
        let program = std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join("git"))
            .find(|file| file.is_file())
            .ok_or_else(|| {
                Refusal::new("git.missing", "git is not installed, or not on PATH")
                    .hint("Install git 2.40 or newer.")
            })?;
        let mut git = Self { program, path: path.to_owned(), version: String::new() };
        let ran = git.program_with(["version"], &[]).run().doing(|| "start git".to_owned())?;
        let text = ran.text();
        git.version = text.trim().trim_start_matches("git version ").to_owned();
        let mut numbers = git.version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
        let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if !ran.succeeded() || found < OLDEST {
            let shown = signalbox_core::text::one_line(&git.version);
            return Err(Refusal::new("git.too-old", format!("git is {shown}, and 2.40 is needed"))
                .hint("Install a newer git, and put it first on PATH.")
                .into());
        }
        Ok(git)
    }

    /// As `git version` says it: `2.47.3`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A setting in a file that somebody else may have written. Nothing that the file includes is read.
    pub(crate) fn setting(&self, file: &Path, name: &str) -> Result<Option<String>> {
        // Most files do not even have the word, and asking git takes a process.
        let last = name.rsplit('.').next().unwrap_or(name).as_bytes();
        let names = |text: &[u8]| text.windows(last.len()).any(|word| word.eq_ignore_ascii_case(last));
        match disk::read_plain(file, MOST_CONFIG) {
            Ok(None) => return Ok(None),
            Ok(Some(text)) if !names(&text) => return Ok(None),
            // What cannot be read so is git's to judge.
            _ if !file.is_file() => return Ok(None),
            _ => {}
        }
        let words = [
            OsStr::new("config"),
            OsStr::new("--file"),
            file.as_os_str(),
            OsStr::new("--no-includes"),
            OsStr::new("--get"),
            OsStr::new("--end-of-options"),
            OsStr::new(name),
        ];
        let doing = || format!("read {}", file.display());
        let ran = self.program_with(words, &[]).run().doing(doing)?;
        match ran.end {
            End::Code(0) => Ok(Some(ran.text().trim_end_matches('\n').to_owned())),
            End::Code(1) => Ok(None),
            _ => Err(GitError::of_run(&doing(), &ran)),
        }
    }

    fn program_with(
        &self,
        words: impl IntoIterator<Item = impl AsRef<OsStr>>,
        more: &[(&str, &OsStr)],
    ) -> Program {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]).map(OsString::from);
        let words = words.into_iter().map(|word| word.as_ref().to_owned());
        let mut program = Program::new(
            [self.program.clone().into_os_string(), "--no-pager".into()]
                .into_iter()
                .chain(settings)
                .chain(words),
        )
        .without_our_environment()
        .in_directory(Path::new("/"))
        .with("PATH", &self.path)
        .within(QUICK)
        .printing_at_most(MOST_OUTPUT);
        for (name, value) in VARIABLES {
            program = program.with(name, value);
        }
        for (name, value) in more {
            program = program.with(name, value);
        }
        program
    }
}

/// A git directory of ours, and the git that may be run with it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub git: Git,
    pub dir: PathBuf,
}

impl Place {
    /// A call of git. `doing` completes the sentence "could not …".
    pub fn call(&self, doing: impl Into<String>, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Call {
        let program =
            self.git.program_with(words, &[("GIT_DIR", self.dir.as_os_str())]).in_directory(&self.dir);
        Call { program, doing: doing.into() }
    }
}

impl Place {
    /// The same with the user's own configuration of git, for what needs their credentials. The settings on the command
    /// line hold here too, but for helpers that know a password and the way keys are used.
    pub fn call_as_user(
        &self,
        doing: impl Into<String>,
        words: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Call {
        let allowed = |setting: &&&str| {
            !["credential.helper", "core.sshCommand", "core.askPass"]
                .iter()
                .any(|name| setting.starts_with(name))
        };
        let settings =
            SETTINGS.iter().filter(allowed).flat_map(|setting| ["-c", setting]).map(OsString::from);
        let words = words.into_iter().map(|word| word.as_ref().to_owned());
        let mut program = Program::new(
            [self.git.program.clone().into_os_string()].into_iter().chain(settings).chain(words),
        )
        .without_our_environment()
        .in_directory(&self.dir)
        .with("PATH", &self.git.path)
        .with("GIT_DIR", &self.dir)
        .within(QUICK)
        .printing_at_most(MOST_OUTPUT);
        for (name, value) in VARIABLES {
            if !matches!(*name, "HOME" | "XDG_CONFIG_HOME" | "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_NOSYSTEM") {
                program = program.with(name, value);
            }
        }
        Call { program, doing: doing.into() }
    }
}

/// A call that is being put together.
#[derive(Debug)]
pub(crate) struct Call {
    program: Program,
    doing: String,
}

impl Call {
    pub fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.program = self.program.with(name, value.as_ref());
        self
    }

    /// Work on the files of a directory.
    pub fn on_files(mut self, directory: &Path) -> Self {
        self.program = self.program.with("GIT_WORK_TREE", directory).in_directory(directory);
        self
    }

    pub fn index(self, index: &Path) -> Self {
        self.with("GIT_INDEX_FILE", index)
    }

    pub fn reading(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.program = self.program.reading(input);
        self
    }

    /// It may take as long as moving many files or objects takes.
    pub fn at_length(self) -> Self {
        self.within(LONG)
    }

    pub fn within(mut self, time: Duration) -> Self {
        self.program = self.program.within(time);
        self
    }

    /// Run it, however it ends.
    pub fn run(self) -> Result<Ran> {
        let doing = self.doing;
        crash::here("git");
        self.program.run().doing(|| format!("{doing}: git does not start"))
    }

    /// What it prints; it must end with one of these codes, and the code is told.
    pub fn ending(self, codes: &[i32]) -> Result<(i32, Vec<u8>)> {
        let doing = self.doing.clone();
        let ran = self.run()?;
        match ran.end {
            End::Code(code) if codes.contains(&code) => Ok((code, ran.stdout)),
            _ => Err(GitError::of_run(&doing, &ran)),
        }
    }

    /// What it prints; it must succeed.
    pub fn output(self) -> Result<Vec<u8>> {
        Ok(self.ending(&[0])?.1)
    }

    /// The one object that it names.
    pub fn oid(self) -> Result<Oid> {
        let doing = self.doing.clone();
        let output = self.output()?;
        Oid::parse_bytes(output.trim_ascii_end())
            .ok_or_else(|| GitError::failed(doing, "git did not say which object"))
    }
}

/// The parts of a list that git ended with a zero byte each.
pub(crate) fn zero_ended(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == 0).filter(|part| !part.is_empty())
}

/// Paths as git reads them on standard input.
pub(crate) fn zero_joined<'a>(paths: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut joined = Vec::new();
    for path in paths {
        joined.extend_from_slice(path);
        joined.push(0);
    }
    joined
}

/// An argument from bytes.
pub(crate) fn word(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}
