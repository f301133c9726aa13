//! Tickets for a list, with their texts in one piece: ten thousand small allocations take longer than reading
//! the tickets does. In the index a line is one value too, because fetching eight columns takes longer than one.
//!
//! A line's bytes: priority, status, 1 if there is an assignee, the length of the project's name (1 byte each);
//! the length of the assignee's name (4 bytes); created and updated in milliseconds (8 bytes each); then id,
//! project, assignee and title. Numbers are little-endian. The index is rebuilt when this changes.

use jiff::Timestamp;
use signalbox_core::{Priority, Status, Ticket};

/// Some tickets, in an order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    texts: String,
    rows: Vec<Packed>,
}

/// One line of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    pub id: &'a str,
    pub project: &'a str,
    pub status: Status,
    pub priority: Priority,
    pub title: &'a str,
    pub assignee: Option<&'a str>,
    pub created: Timestamp,
    pub updated: Timestamp,
}

impl<'a> From<&'a Ticket> for Row<'a> {
    fn from(ticket: &'a Ticket) -> Self {
        Self {
            id: ticket.id.as_str(),
            project: ticket.project.as_str(),
            status: ticket.status,
            priority: ticket.priority,
            title: &ticket.title,
            assignee: ticket.assignee.as_deref(),
            created: ticket.created,
            updated: ticket.updated,
        }
    }
}

/// A row with its texts one after the other: id, project, assignee, title.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Packed {
    priority: Priority,
    status: Status,
    has_assignee: bool,
    created: Timestamp,
    updated: Timestamp,
    start: usize,
    /// Where each text ends.
    ends: [usize; 4],
}

impl Packed {
    fn unpack<'a>(&self, texts: &'a str) -> Row<'a> {
        let [id, project, assignee, title] = self.ends;
        let text = |from: usize, to: usize| texts.get(from..to).unwrap_or_default();
        Row {
            id: text(self.start, id),
            project: text(id, project),
            assignee: self.has_assignee.then(|| text(project, assignee)),
            title: text(assignee, title),
            status: self.status,
            priority: self.priority,
            created: self.created,
            updated: self.updated,
        }
    }
}

/// The bytes before the texts.
const HEADER: usize = 4 + 4 + 8 + 8;
/// `sb_` and six characters.
const ID: usize = 9;

/// One line as the index keeps it.
pub(super) fn pack(row: &Row<'_>) -> Vec<u8> {
    let assignee = row.assignee.unwrap_or_default();
    let mut bytes = vec![
        row.priority as u8,
        row.status as u8,
        u8::from(row.assignee.is_some()),
        u8::try_from(row.project.len()).unwrap_or(u8::MAX),
    ];
    bytes.extend(u32::try_from(assignee.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(row.created.as_millisecond().to_le_bytes());
    bytes.extend(row.updated.as_millisecond().to_le_bytes());
    for text in [row.id, row.project, assignee, row.title] {
        bytes.extend(text.as_bytes());
    }
    bytes
}

impl Listing {
    pub fn push(&mut self, row: &Row<'_>) {
        self.push_packed(&pack(row));
    }

    /// Add a line of the index; one that cannot be read is left out.
    pub(super) fn push_packed(&mut self, bytes: &[u8]) -> Option<()> {
        let (header, texts) = bytes.split_at_checked(HEADER)?;
        let texts = std::str::from_utf8(texts).ok()?;
        let millis = |at: usize| -> Option<Timestamp> {
            let bytes = header.get(at..at + 8)?.try_into().ok()?;
            Timestamp::from_millisecond(i64::from_le_bytes(bytes)).ok()
        };
        let assignee = u32::from_le_bytes(header.get(4..8)?.try_into().ok()?);
        let start = self.texts.len();
        let id = start + ID;
        let project = id + usize::from(*header.get(3)?);
        let assignee = project + usize::try_from(assignee).ok()?;
        self.rows.push(Packed {
            priority: *Priority::ALL.get(usize::from(*header.first()?))?,
            status: *Status::ALL.get(usize::from(*header.get(1)?))?,
            has_assignee: *header.get(2)? == 1,
            created: millis(8)?,
            updated: millis(16)?,
            start,
            ends: [id, project, assignee, start + texts.len()],
        });
        self.texts.push_str(texts);
        Some(())
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|row| row.unpack(&self.texts))
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Into the order of work: by priority, then by age.
    pub(super) fn sort_for_work(&mut self) {
        let Self { texts, rows } = self;
        rows.sort_unstable_by(|a, b| {
            let (key_a, key_b) = ((a.priority, a.created), (b.priority, b.created));
            key_a.cmp(&key_b).then_with(|| a.unpack(texts).id.cmp(b.unpack(texts).id))
        });
    }

    /// Into another order; equals stay as they are.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(Row<'_>) -> K) {
        let Self { texts, rows } = self;
        rows.sort_by_cached_key(|row| key(row.unpack(texts)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in_and_in_order() {
        let row = |id, priority, created, assignee| Row {
            id,
            project: "shop",
            status: Status::Open,
            priority,
            title: "Ünïcode — title",
            assignee,
            created: Timestamp::from_millisecond(created).unwrap(),
            updated: Timestamp::UNIX_EPOCH,
        };
        let rows = [
            row("sb_000003", Priority::P2, 5, Some("")),
            row("sb_000002", Priority::P2, 5, None),
            row("sb_000001", Priority::P2, 9, Some("ada")),
            row("sb_000004", Priority::P0, 9, None),
        ];
        let mut listing = Listing::default();
        for row in &rows {
            listing.push(row);
        }
        assert_eq!(listing.iter().collect::<Vec<_>>(), rows);
        listing.sort_for_work();
        let ids: Vec<_> = listing.iter().map(|row| row.id).collect();
        assert_eq!(ids, ["sb_000004", "sb_000002", "sb_000003", "sb_000001"]);
        listing.sort_by_key(|row| row.created);
        assert_eq!(listing.iter().next().map(|row| row.id), Some("sb_000002"), "equals stay as they are");
        assert_eq!(listing.len(), 4);
        let whole = pack(&rows[2]);
        for cut in 0..HEADER {
            assert_eq!(listing.push_packed(&whole[..cut]), None, "{cut} bytes are no line");
        }
        assert_eq!(listing.push_packed(&[255; 60]), None);
    }
}
