//! The merge queues: what is being validated, what it prints, and why each waits.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_conductor::{self as conductor, Site};
use signalbox_core::text::{many_lines, one_line};
use signalbox_core::{ProjectName, time};

use crate::{CommandError, Desk};

/// How much of the end of an output is shown, in bytes.
const MOST_OUTPUT: u64 = 64 << 10;

/// One that waits to be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueueEntry {
    pub ticket: String,
    pub title: String,
    pub commit: String,
    /// `queued`, `building`, `validated` or `landing`.
    pub stage: String,
    pub since: Option<String>,
    pub why: String,
}

/// The queue of one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueueProject {
    pub project: String,
    pub loop_runs: bool,
    pub entries: Vec<QueueEntry>,
    /// Why the queue could not be read.
    pub trouble: Option<String>,
    /// The newest output of a validation: its name, and the end of what it printed.
    pub output_of: Option<String>,
    pub output: String,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Queue {
    pub projects: Vec<QueueProject>,
}

impl Desk {
    pub fn queue(&self) -> Result<Queue, CommandError> {
        let mut projects = Vec::new();
        for project in self.projects()? {
            if Site::exists(&self.home, &project) {
                projects.push(self.queue_of(&project)?);
            }
        }
        Ok(Queue { projects })
    }

    fn queue_of(&self, project: &ProjectName) -> Result<QueueProject, CommandError> {
        let (entries, trouble) = match conductor::queue(&self.home, &self.config()?, project) {
            Ok(entries) => (entries, None),
            Err(error) => (Vec::new(), Some(CommandError::from(error).message)),
        };
        let newest = self.newest_output(project);
        Ok(QueueProject {
            project: project.to_string(),
            loop_runs: conductor::is_running(&self.home, project),
            entries: entries
                .into_iter()
                .map(|entry| QueueEntry {
                    ticket: entry.ticket.to_string(),
                    title: entry.title,
                    commit: entry.commit,
                    stage: entry.stage.to_owned(),
                    since: entry.since.map(time::exact),
                    why: one_line(&entry.why).into_owned(),
                })
                .collect(),
            trouble,
            output: newest.as_ref().map(tail).unwrap_or_default(),
            output_of: newest.and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned())),
        })
    }

    /// The log of the run that printed last.
    fn newest_output(&self, project: &ProjectName) -> Option<PathBuf> {
        let folder = self.home.logs().join("runs").join(project.as_str());
        let files = std::fs::read_dir(folder).ok()?.flatten().filter_map(|file| {
            let changed: SystemTime = file.metadata().ok()?.modified().ok()?;
            Some((changed, file.path()))
        });
        files.max().map(|(_, path)| path)
    }
}

/// The end of a file, from a whole line on.
fn tail(path: &PathBuf) -> String {
    let read = || -> std::io::Result<(Vec<u8>, bool)> {
        let mut file = std::fs::File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MOST_OUTPUT)))?;
        let mut bytes = Vec::new();
        file.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
        Ok((bytes, length > MOST_OUTPUT))
    };
    let (bytes, is_cut) = read().unwrap_or_default();
    let line = bytes.iter().position(|byte| *byte == b'\n').filter(|_| is_cut).map_or(0, |end| end + 1);
    let text = String::from_utf8_lossy(bytes.get(line..).unwrap_or_default());
    many_lines(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this plays the step, not the product")]
    fn a_long_output_begins_with_a_whole_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run-1.log");
        let whole: String = (0..10_000).map(|number| format!("line {number}\n")).collect();
        std::fs::write(&path, &whole).expect("the output");
        let shown = tail(&path);
        assert!(shown.len() > 60_000 && whole.ends_with(&shown), "{}", shown.len());
        assert!(shown.starts_with("line "), "{:?}", shown.get(..20));
        std::fs::write(&path, "first\nsecond").expect("the output");
        assert_eq!(tail(&path), "first\nsecond");
        std::fs::write(&path, vec![b'x'; 100_000]).expect("the output");
        assert_eq!(tail(&path).len(), 65_536, "one line that is longer than all that is shown");
    }
}
