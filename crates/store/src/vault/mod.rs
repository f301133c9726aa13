//! The vault: one markdown file a ticket, for people. A projection of the log that keeps what people write.
//!
//! The frontmatter is the present state and is replaced; the body only grows. Whatever a person added to
//! the body, and properties of their own in the frontmatter, survive every write. A property of ours that
//! was changed by hand is left as it is and reported: only `sb doctor --fix` puts it back.

pub mod frontmatter;
mod prose;
mod render;

use std::io;
use std::path::{Path, PathBuf};

use signalbox_core::{Board, Event, Ticket, TicketId};

use crate::files;
use frontmatter::{Entry, Split};

#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("read the ticket file {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("write the ticket file {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("the events of a ticket cannot be read")]
    Events(#[from] serde_json::Error),
}

/// What updating a file found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// It is as the log says.
    Written,
    /// It was not there and is now.
    Created,
    /// It is up to date but for these properties, which were changed by hand.
    HandEdited(Vec<String>),
    /// Its beginning is not a frontmatter with our `id` and `rev`: it was left alone.
    Foreign,
}

/// The folder of ticket files.
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
}

impl Vault {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Sorts by creation and carries the id; no colon, which Obsidian and other systems refuse.
    pub fn path(&self, ticket: &Ticket) -> PathBuf {
        let created = ticket.created.strftime("%Y-%m-%dT%H%M");
        self.root.join("tickets").join(format!("{created}-{}.md", ticket.id))
    }

    /// Bring a ticket's file up to its events.
    pub fn update(&self, ticket: &Ticket, changes: &[Event]) -> Result<Update, VaultError> {
        let path = self.path(ticket);
        let existing = self.read(&path)?;
        let Some(existing) = existing else {
            self.write(&path, &render::whole(ticket, changes)?)?;
            return Ok(Update::Created);
        };
        let Some(known) = Known::of(&existing, &ticket.id) else { return Ok(Update::Foreign) };
        if known.rev > ticket.rev {
            return Ok(Update::Foreign);
        }
        let (front, edited) = merge(&known.entries, &self.state_at(changes, known.rev, ticket)?, ticket);
        let text = format!("---\n{front}---\n{}", known.grown(changes)?);
        if text.as_bytes() != existing {
            self.write(&path, &text)?;
        }
        Ok(if edited.is_empty() { Update::Written } else { Update::HandEdited(edited) })
    }

    /// Put our own properties back to what the log says; a person's own stay. What was there is kept in
    /// `keep_in`.
    pub fn restore(&self, ticket: &Ticket, changes: &[Event], keep_in: &Path) -> Result<(), VaultError> {
        let path = self.path(ticket);
        let whole = render::whole(ticket, changes)?;
        let text = match self.read(&path)? {
            None => whole,
            Some(existing) => {
                self.keep(&path, &existing, keep_in)?;
                match Known::of(&existing, &ticket.id) {
                    Some(known) if known.rev <= ticket.rev => {
                        let (front, _) = merge(&own_only(&known.entries), &[], ticket);
                        format!("---\n{front}---\n{}", known.grown(changes)?)
                    }
                    // Nothing is known of what stands there; it goes below the story, whole.
                    _ => format!("{whole}\n## Recovered text\n\n{}", String::from_utf8_lossy(&existing)),
                }
            }
        };
        self.write(&path, &text)
    }

    /// What the frontmatter of a ticket's file says otherwise than the log. `None` where there is no file.
    pub fn drift(&self, ticket: &Ticket) -> Result<Option<Drift>, VaultError> {
        let Some(existing) = self.read(&self.path(ticket))? else { return Ok(None) };
        let Some(known) = Known::of(&existing, &ticket.id) else { return Ok(Some(Drift::Foreign)) };
        if known.rev > ticket.rev {
            return Ok(Some(Drift::Ahead(known.rev)));
        }
        if known.rev < ticket.rev {
            return Ok(Some(Drift::Behind(known.rev)));
        }
        let (_, edited) = merge(&known.entries, &frontmatter::entries_of(ticket), ticket);
        Ok(Some(if edited.is_empty() { Drift::None } else { Drift::Edited(edited) }))
    }

    /// Every markdown file in the vault with the ticket id its frontmatter claims.
    pub fn files(&self) -> io::Result<Vec<(PathBuf, TicketId)>> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for name in files::names(&folder)?.into_iter().filter(|name| !name.starts_with('.')) {
                let path = folder.join(&name);
                if path.is_dir() {
                    folders.push(path);
                } else if name.ends_with(".md")
                    && let Some(bytes) = files::read_optional(&path)?
                    && let Some(id) =
                        Split::of(&bytes).and_then(|split| frontmatter::ticket_id(&split.entries))
                {
                    found.push((path, id));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Keep a copy of what is about to be replaced.
    pub fn keep(&self, path: &Path, bytes: &[u8], keep_in: &Path) -> Result<(), VaultError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kept = keep_in.join(format!("{name}.{:08x}", crc32fast::hash(bytes)));
        let write = || {
            files::create_private_dir(keep_in)?;
            if kept.exists() { Ok(()) } else { files::write_new(&kept, bytes, files::PRIVATE) }
        };
        write().map_err(|source| VaultError::Write { path: kept.clone(), source })
    }

    /// The frontmatter as it was written when the file stood at `rev`.
    fn state_at(&self, changes: &[Event], rev: u64, ticket: &Ticket) -> Result<Vec<Entry>, VaultError> {
        let mut board = Board::default();
        for event in changes.iter().filter(|event| event.rev <= Some(rev)) {
            board.apply(event)?;
        }
        Ok(board.ticket(&ticket.id).map(frontmatter::entries_of).unwrap_or_default())
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, VaultError> {
        files::read_optional(path).map_err(|source| VaultError::Read { path: path.to_owned(), source })
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), VaultError> {
        let write = || {
            if let Some(folder) = path.parent() {
                files::create_shared_dir(folder)?;
            }
            files::replace(path, text.as_bytes(), files::SHARED)
        };
        write().map_err(|source| VaultError::Write { path: path.to_owned(), source })
    }
}

/// How a ticket's file differs from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drift {
    None,
    Edited(Vec<String>),
    Behind(u64),
    /// It knows of events that the log does not have.
    Ahead(u64),
    Foreign,
}

/// A file that is recognisably ours.
struct Known<'a> {
    entries: Vec<Entry>,
    rev: u64,
    body: &'a str,
}

impl<'a> Known<'a> {
    fn of(bytes: &'a [u8], id: &TicketId) -> Option<Self> {
        let split = Split::of(bytes)?;
        let ours = frontmatter::ticket_id(&split.entries)? == *id;
        let rev = frontmatter::rev(&split.entries)?;
        ours.then_some(Self { entries: split.entries, rev, body: split.body })
    }

    /// The body with a section for each change that it does not tell of yet.
    fn grown(&self, changes: &[Event]) -> Result<String, VaultError> {
        let mut body = self.body.to_owned();
        for event in changes.iter().filter(|event| event.rev > Some(self.rev)) {
            if !body.ends_with('\n') {
                body.push('\n');
            }
            body.push_str(&render::section(event)?);
        }
        Ok(body)
    }
}

/// Only the entries that are not ours.
fn own_only(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().filter(|entry| !frontmatter::is_ours(&entry.key)).cloned().collect()
}

/// The frontmatter to write: ours where a person left it alone, theirs where not. And which were not.
fn merge(existing: &[Entry], base: &[Entry], ticket: &Ticket) -> (String, Vec<String>) {
    let ours = frontmatter::entries_of(ticket);
    let of = |entries: &[Entry], key: &str| entries.iter().find(|e| e.key == key).cloned();
    let mut text = String::new();
    let mut edited = Vec::new();
    for entry in existing {
        let Some(new) = of(&ours, &entry.key) else {
            text.push_str(&entry.text);
            continue;
        };
        let untouched =
            entry.key == "rev" || of(base, &entry.key).is_some_and(|old| old.says_the_same(entry));
        if new.says_the_same(entry) {
            text.push_str(&entry.text);
        } else if untouched {
            text.push_str(&new.text);
        } else {
            edited.push(entry.key.clone());
            text.push_str(&entry.text);
        }
    }
    for new in ours {
        if of(existing, &new.key).is_none() {
            if of(base, &new.key).is_some() {
                edited.push(new.key);
            } else {
                text.push_str(&new.text);
            }
        }
    }
    (text, edited)
}
