//! The programs that can stand between a terminal and a program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

/// One of them.
#[derive(Debug, Clone)]
pub struct Wrapper {
    pub label: &'static str,
    pub kind: Kind,
    /// Where it may keep files.
    folder: PathBuf,
}

#[derive(Debug, Clone)]
pub enum Kind {
    /// None at all: the program in the terminal itself.
    Nothing,
    /// A loop that copies bytes.
    BarePump(PathBuf),
    /// Ours: a program and the words before the wrapped command.
    Ours {
        program: PathBuf,
        words: Vec<String>,
    },
    Script,
    Dtach,
    Tmux,
    Asciinema,
}

impl Wrapper {
    pub fn new(label: &'static str, kind: Kind, folder: &Path) -> Self {
        Self { label, kind, folder: folder.to_owned() }
    }

    /// What must be installed for it, and is not.
    pub fn missing(&self) -> Option<&'static str> {
        let (program, version) = match self.kind {
            Kind::Nothing | Kind::BarePump(_) | Kind::Ours { .. } => return None,
            Kind::Script => ("script", "--version"),
            Kind::Dtach => ("dtach", "--version"),
            Kind::Tmux => ("tmux", "-V"),
            Kind::Asciinema => ("asciinema", "--version"),
        };
        let mut command = Command::new(program);
        command.arg(version).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.stdin(std::process::Stdio::null()).status().is_err().then_some(program)
    }

    /// The wrapped shell script, in turn number `turn`.
    pub fn wrap(&self, script: &str, turn: usize) -> Command {
        let file = |name: &str| self.folder.join(format!("{name}-{turn}"));
        let hermetic = |program: &Path| run::hermetic(program, &self.folder);
        let mut command;
        match &self.kind {
            Kind::Nothing => {
                command = hermetic(Path::new("sh"));
                command.arg("-c").arg(script);
            }
            Kind::BarePump(program) => {
                command = hermetic(program);
                command.args(["--bare", "--", "sh", "-c", script]);
            }
            Kind::Ours { program, words } => {
                command = hermetic(program);
                let place = |word: &String| word.replace("{}", &file("ours").to_string_lossy());
                command.args(words.iter().map(place)).args(["--", "sh", "-c", script]);
            }
            Kind::Script => {
                command = hermetic(Path::new("script"));
                command.args(["-q", "-c", script]).arg(file("typescript"));
            }
            Kind::Dtach => {
                command = hermetic(Path::new("dtach"));
                command.arg("-A").arg(file("dtach")).args(["-E", "-z", "sh", "-c", script]);
            }
            Kind::Tmux => {
                command = hermetic(Path::new("tmux"));
                command.arg("-S").arg(file("tmux")).args(["-f", "/dev/null", "new-session", script]);
            }
            Kind::Asciinema => {
                command = hermetic(Path::new("asciinema"));
                command.args(["rec", "-q", "--overwrite", "-c", script]).arg(file("cast"));
            }
        }
        command
    }

    /// Throw away what it kept.
    pub fn clean(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir())) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
