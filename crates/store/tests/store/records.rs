//! Made-up events and logs for the other tests.

use jiff::Timestamp;
use signalbox_core::{Event, EventId, FORMAT_VERSION, ProjectName, TicketId};
use signalbox_store::log::{Damage, Item, Tail, encode, scan};

/// The n-th of a sequence of notes, with a text of about `size` bytes.
pub fn note(n: u64, size: usize) -> Event {
    let text = "lorem ipsum \"dolor\" \\ sit\n".repeat(size / 26 + 1);
    event(n, "note.added", &serde_json::json!({ "text": text.get(..size).unwrap_or(&text) }))
}

pub fn event(n: u64, name: &str, data: &serde_json::Value) -> Event {
    let ts =
        Timestamp::from_millisecond(1_763_000_000_000 + i64::try_from(n).expect("small")).expect("a time");
    let mut random = [0; 10];
    random[2..].copy_from_slice(&n.to_be_bytes());
    Event {
        v: FORMAT_VERSION,
        id: EventId::new(1_763_000_000_000 + n, random),
        ts,
        event: name.to_owned(),
        ticket: Some(TicketId::from_random(n % 5)),
        project: Some(ProjectName::parse("shop").expect("a name")),
        actor: "human".to_owned(),
        session: None,
        lineage: Vec::new(),
        rev: None,
        batch: None,
        data: serde_json::value::to_raw_value(data).expect("data"),
        crc: serde::de::IgnoredAny,
    }
}

/// A log of `batches`, each the sizes of the records that one command wrote.
pub struct Log {
    pub bytes: Vec<u8>,
    /// Where each record begins and ends, its line breaks included, and its event.
    pub records: Vec<(usize, usize, Event)>,
}

pub fn log(batches: &[Vec<usize>]) -> Log {
    let mut log = Log { bytes: Vec::new(), records: Vec::new() };
    let mut n = 0;
    for sizes in batches {
        let count = u32::try_from(sizes.len()).expect("few");
        for (index, size) in (0..).zip(sizes) {
            let mut event = note(n, *size);
            // Tickets repeat every five.
            event.rev = Some(n / 5 + 1);
            n += 1;
            event.batch = (count > 1).then_some((index, count));
            let start = log.bytes.len();
            log.bytes.extend(encode(&event).expect("a record"));
            log.records.push((start, log.bytes.len(), event));
        }
    }
    log
}

/// What a scan finds.
pub fn scanned(bytes: &[u8], tail: Tail) -> (Vec<Event>, Vec<Damage<'_>>, usize) {
    let (mut events, mut damage) = (Vec::new(), Vec::new());
    let done = scan(bytes, 0, tail, &mut |item| match item {
        Item::Event(event) => events.push(*event),
        Item::Damage(found) => damage.push(found),
    });
    (events, damage, done)
}
