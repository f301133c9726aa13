//! Homes of Signalbox with many tickets in them. The log is written directly, as the truth that it is, and
//! `sb index rebuild` makes the rest.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use signalbox_core::Event;
use signalbox_store::log::encode;

use super::progress;
use super::story::{self, Cast};
use crate::{Result, run};

/// How many tickets, and how many events at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    pub tickets: usize,
    pub events: usize,
}

impl Size {
    /// So many tickets with only the events they need.
    pub const fn tickets(tickets: usize) -> Self {
        Self { tickets, events: 0 }
    }

    pub const EMPTY: Self = Self::tickets(0);
    pub const LARGE: Self = Self::tickets(10_000);
    pub const MILLION: Self = Self { tickets: 10_000, events: 1_000_000 };
}

/// A home, ready to be used.
#[derive(Debug, Clone)]
pub struct Home {
    /// What `HOME` is set to.
    pub folder: PathBuf,
    pub cast: Cast,
}

impl Home {
    pub fn events(&self) -> PathBuf {
        self.folder.join(".signalbox").join("events")
    }
}

/// The homes of a run: each is made when it is first asked for.
pub struct Homes {
    sb: PathBuf,
    scratch: PathBuf,
    /// A directory that is a project in every home.
    project: PathBuf,
    made: BTreeMap<Size, Home>,
}

impl Homes {
    /// Also makes the project's directory the current one, for good. A child could be told to change into it
    /// instead, but then the standard library forks to start it, and the cost of that would be counted.
    pub fn new(sb: &Path, scratch: &Path) -> Result<Self> {
        let project = scratch.join("project");
        std::fs::create_dir_all(&project)?;
        let project = project.canonicalize()?;
        std::env::set_current_dir(&project)?;
        Ok(Self { sb: sb.to_owned(), scratch: scratch.to_owned(), project, made: BTreeMap::new() })
    }

    pub fn get(&mut self, size: Size) -> Result<Home> {
        if let Some(home) = self.made.get(&size) {
            return Ok(home.clone());
        }
        let home = self.make(size, &format!("home-{}-{}", size.tickets, size.events))?;
        self.made.insert(size, home.clone());
        Ok(home)
    }

    /// A home that nobody else gets.
    pub fn make(&self, size: Size, name: &str) -> Result<Home> {
        let begun = Instant::now();
        let folder = self.scratch.join(name);
        // Whoever runs the bench is not an agent, even if an agent does.
        let shown = serde_json::to_string(&self.project)?;
        let config = format!("[identity]\nagent_programs = []\n\n[projects.bench]\npath = {shown}\n");
        run::write(&folder.join(".signalbox").join("config.toml"), config)?;
        let mut home = Home { folder, cast: Cast::default() };
        if size != Size::EMPTY {
            home.cast = write_log(&home.events(), size)?;
            let written = begun.elapsed();
            run::output(
                command(&self.sb, &home, ["index", "rebuild", "--json"]).stderr(std::process::Stdio::null()),
            )?;
            progress(&format!(
                "a home of {} tickets and {} events: log written in {:.1} s, index and vault built in {:.1} s",
                size.tickets,
                home.cast.events,
                written.as_secs_f64(),
                (begun.elapsed() - written).as_secs_f64()
            ));
        }
        Ok(home)
    }
}

/// `sb` with these words, as someone whose home this is.
pub fn command<'a>(sb: &Path, home: &Home, words: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = run::hermetic(sb, &home.folder);
    command.args(words);
    command
}

/// Write the daily files of a log and the link to the newest.
fn write_log(events: &Path, size: Size) -> Result<Cast> {
    std::fs::create_dir_all(events)?;
    let mut day: Option<(String, BufWriter<File>)> = None;
    let cast = story::tell(size.tickets, size.events, &mut |event: &Event| {
        let name = format!("{}.jsonl", event.ts.strftime("%Y-%m-%d"));
        let file = match &mut day {
            Some((open, file)) if *open == name => file,
            _ => {
                if let Some((_, mut before)) = day.take() {
                    before.flush()?;
                }
                let file = OpenOptions::new().append(true).create(true).open(events.join(&name))?;
                &mut day.insert((name, BufWriter::new(file))).1
            }
        };
        Ok(file.write_all(&encode(event)?)?)
    })?;
    if let Some((name, mut file)) = day {
        file.flush()?;
        std::os::unix::fs::symlink(name, events.join("current"))?;
    }
    Ok(cast)
}

#[cfg(test)]
mod tests {
    use super::*;
    use signalbox_store::log::{EventLog, FileLog, Item, Position, Tail};

    #[test]
    fn the_log_is_one_that_the_store_can_read() {
        let folder = tempfile::tempdir().unwrap();
        let cast = write_log(folder.path(), Size { tickets: 30, events: 300 }).unwrap();
        let (mut events, mut damage) = (0, 0);
        let log = FileLog::new(folder.path());
        let end = log.read_after(&Position::default(), Tail::Settled, &mut |_, item| match item {
            Item::Event(_) => events += 1,
            Item::Damage(_) => damage += 1,
        });
        assert_eq!((events, damage), (300, 0));
        assert!(log.is_at_end(&end.unwrap()).unwrap());
        assert_eq!(cast.tickets.len(), 30);
    }
}
