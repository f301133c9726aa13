//! Damage at random places: always noticed, never more lost than what was touched.

use std::collections::BTreeSet;

use signalbox_core::EventId;
use signalbox_store::log::Tail;

use crate::records::{Log, log, scanned};

/// How many places are damaged. More than the ten thousand that were asked for.
const PLACES: u64 = 12_000;

/// SplitMix64, so that a failure names the number that repeats it.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % below as u64).expect("small")
    }
}

fn sample() -> Log {
    let mut random = Random(7);
    let batches: Vec<Vec<usize>> = (0..32)
        .map(|_| {
            (0..1 + random.next(3))
                .map(|_| [0, 10, 80, 300, 1_500][random.next(5)] + random.next(40))
                .collect()
        })
        .collect();
    log(&batches)
}

#[test]
fn flipped_truncated_and_duplicated_bytes() {
    let log = sample();
    let all: BTreeSet<EventId> = log.records.iter().map(|(_, _, e)| e.id.clone()).collect();
    let mut harmless = 0;
    for place in 0..PLACES {
        let mut random = Random(place);
        let at = random.next(log.bytes.len());
        let longest = if random.next(4) == 0 { 400 } else { 12 };
        let span = 1 + random.next(longest);
        let end = (at + span).min(log.bytes.len());
        let mut bytes = log.bytes.clone();
        // What is touched: the records any byte of which was changed or removed, or that something was put into.
        let (kind, touched_from, touched_to) = match place % 4 {
            0 => {
                bytes[at] ^= u8::try_from(1 + random.next(255)).expect("a byte");
                ("flip", at, at + 1)
            }
            1 => {
                bytes.drain(at..end);
                ("cut out", at, end)
            }
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(end..end, copy);
                ("duplicate", at, end + 1)
            }
            _ => {
                bytes.truncate(at);
                ("truncate", at, log.bytes.len())
            }
        };
        let (events, damage, _) = scanned(&bytes, Tail::Settled);
        let found: BTreeSet<EventId> = events.iter().map(|e| e.id.clone()).collect();
        assert!(found.is_subset(&all), "{kind} at {at}, place {place}: an event came out of nothing");
        for event in &events {
            let original = log.records.iter().find(|(_, _, e)| e.id == event.id).map(|(_, _, e)| e);
            assert_eq!(Some(event), original, "{kind} at {at}, place {place}: an event was changed");
        }
        for (start, stop, event) in &log.records {
            let touched = *start < touched_to && touched_from < *stop;
            // A batch that was cut off at the end of the file never happened, as after a kill.
            let in_cut_batch = kind == "truncate" && event.batch.is_some();
            // So does one whose last record lost its end together with its line break.
            let like_a_kill = kind == "cut out"
                && event.batch.is_some()
                && end_of_batch_cut(&log, touched_from, touched_to);
            if !touched && !in_cut_batch && !like_a_kill {
                assert!(
                    found.contains(&event.id),
                    "{kind} at {at}, place {place}: lost a record that was not touched"
                );
            }
        }
        let gap = has_gap(&events);
        let last_of_its_ticket = kind == "cut out" && cuts_only_last(&log, touched_from, touched_to);
        let repeats = events.len() != found.len();
        // Cutting the end off at a record's edge leaves a healthy, shorter log. That it is shorter is noticed by
        // whoever read more of it before: see `position.rs`.
        let unnoticeable = kind == "truncate" && is_edge(&log, at);
        let unchanged = bytes == log.bytes;
        let unfinished_tail = kind == "truncate" && !unnoticeable;
        if damage.is_empty()
            && !repeats
            && !gap
            && !last_of_its_ticket
            && !unchanged
            && !unnoticeable
            && !unfinished_tail
        {
            panic!("{kind} of {span} at {at}, place {place}: went unnoticed");
        }
        harmless += u64::from(found == all);
    }
    // If nearly everything were harmless, the test would not test anything.
    assert!(harmless < PLACES / 2, "{harmless} of {PLACES} did no harm");
}

/// Whether the last record of a batch lost its end: exactly what a writer leaves that was killed there.
fn end_of_batch_cut(log: &Log, from: usize, to: usize) -> bool {
    log.records.iter().any(|(start, stop, event)| {
        event.batch.is_some_and(|(index, count)| index + 1 == count)
            && *start < to
            && from < *stop
            && to >= *stop
    })
}

/// Whether a ticket's revisions skip a number.
fn has_gap(events: &[signalbox_core::Event]) -> bool {
    let mut revs = std::collections::BTreeMap::new();
    events.iter().any(|event| {
        let before = revs.insert(event.ticket.clone(), event.rev).flatten().unwrap_or(0);
        event.rev > Some(before + 1)
    })
}

/// Whether exactly the newest records of their tickets were cut out, whole: only the tickets' files and the
/// index know that there was more. See the drift that is called `Ahead`.
fn cuts_only_last(log: &Log, from: usize, to: usize) -> bool {
    let newest = |event: &signalbox_core::Event| {
        !log.records.iter().any(|(_, _, other)| other.ticket == event.ticket && other.rev > event.rev)
    };
    log.records
        .iter()
        .filter(|(start, stop, _)| *start < to && from < *stop)
        .all(|(_, _, event)| newest(event))
}

fn is_edge(log: &Log, at: usize) -> bool {
    at == 0
        || log
            .records
            .iter()
            .any(|(start, stop, _)| at == *start || at == *stop || at == *start + 1 || at + 1 == *stop)
}
