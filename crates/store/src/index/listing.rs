//! Tickets for a list, with their texts in one piece: ten thousand small allocations take longer than reading
//! the tickets does.

use jiff::Timestamp;
use signalbox_core::{Priority, Status};

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

impl Listing {
    pub fn push(&mut self, row: &Row<'_>) {
        let start = self.texts.len();
        let mut end = |text: &str| {
            self.texts.push_str(text);
            self.texts.len()
        };
        let ends = [end(row.id), end(row.project), end(row.assignee.unwrap_or_default()), end(row.title)];
        self.rows.push(Packed {
            priority: row.priority,
            status: row.status,
            has_assignee: row.assignee.is_some(),
            created: row.created,
            updated: row.updated,
            start,
            ends,
        });
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
        rows.iter().for_each(|row| listing.push(row));
        assert_eq!(listing.iter().collect::<Vec<_>>(), rows);
        listing.sort_for_work();
        let ids: Vec<_> = listing.iter().map(|row| row.id).collect();
        assert_eq!(ids, ["sb_000004", "sb_000002", "sb_000003", "sb_000001"]);
        listing.sort_by_key(|row| row.created);
        assert_eq!(listing.iter().next().map(|row| row.id), Some("sb_000002"), "equals stay as they are");
        assert_eq!(listing.len(), 4);
    }
}
