//! The log's framing: whole records, torn ones, batches that count together or not at all.

use signalbox_store::log::{Tail, encode};

use crate::records::{log, note, scanned};

#[test]
fn what_is_written_is_read() {
    let log = log(&[vec![10], vec![100, 2_000, 0], vec![50_000], vec![5, 5]]);
    let (events, damage, done) = scanned(&log.bytes, Tail::Live);
    let want: Vec<_> = log.records.iter().map(|(_, _, event)| event.clone()).collect();
    assert_eq!(events, want);
    assert_eq!(damage, []);
    assert_eq!(done, log.bytes.len());
}

/// A writer can be killed after any byte. What it had not finished does not count, and what others wrote
/// before and after is whole.
#[test]
fn a_write_cut_short_anywhere_spoils_nobody_else() {
    let before = log(&[vec![20], vec![30, 30]]);
    let mut batch = Vec::new();
    for index in 0..3 {
        let mut event = note(100 + u64::from(index), 40);
        event.batch = Some((index, 3));
        batch.extend(encode(&event).expect("a record"));
    }
    let after = encode(&note(200, 25)).expect("a record");
    for cut in 0..batch.len() {
        let bytes = [before.bytes.as_slice(), &batch[..cut], &after].concat();
        let (events, damage, done) = scanned(&bytes, Tail::Live);
        let ids: Vec<_> = events.iter().map(|e| e.id.clone()).collect();
        let mut want: Vec<_> = before.records.iter().map(|(_, _, e)| e.id.clone()).collect();
        // Everything but the last line break was written: the batch is complete, though not acknowledged.
        if cut == batch.len() - 1 {
            want.extend((100..103).map(|n| note(n, 0).id));
        }
        want.push(note(200, 0).id);
        assert_eq!(ids, want, "cut after {cut} bytes");
        assert!(damage.iter().all(|d| !d.loses_data()), "cut after {cut} bytes: {damage:?}");
        assert_eq!(done, bytes.len());
        if cut > 1 && cut < batch.len() - 1 {
            assert!(!damage.is_empty(), "cut after {cut} bytes went unnoticed");
        }
    }
}

/// Whoever reads while another writes sees a beginning of the record: it must neither take it for damage nor
/// skip it.
#[test]
fn a_reader_waits_for_what_is_being_written() {
    let log = log(&[vec![20], vec![30, 30], vec![10]]);
    for cut in 0..=log.bytes.len() {
        let (first, damage, done) = scanned(&log.bytes[..cut], Tail::Live);
        assert_eq!(damage, [], "after {cut} bytes");
        assert!(done <= cut);
        let (rest, damage, _) = scanned(&log.bytes[done..], Tail::Live);
        assert_eq!(damage, [], "after {cut} bytes");
        let ids: Vec<_> = first.iter().chain(&rest).map(|e| e.id.clone()).collect();
        let want: Vec<_> = log.records.iter().map(|(_, _, e)| e.id.clone()).collect();
        assert_eq!(ids, want, "after {cut} bytes");
    }
}

#[test]
fn under_the_lock_an_unfinished_batch_is_abandoned() {
    let log = log(&[vec![20], vec![30, 30, 30]]);
    let cut = log.records[2].1;
    let (events, damage, done) = scanned(&log.bytes[..cut], Tail::Settled);
    assert_eq!(events.len(), 1);
    assert_eq!(damage.len(), 2);
    assert_eq!(done, cut);
    // The same verdict as later, when something else follows.
    let mut bytes = log.bytes[..cut].to_vec();
    bytes.extend(encode(&note(9, 9)).expect("a record"));
    let (events, damage, _) = scanned(&bytes, Tail::Settled);
    assert_eq!(events.len(), 2);
    assert_eq!(damage.len(), 2);
}

#[test]
fn a_damaged_record_of_a_batch_takes_no_other_with_it() {
    let log = log(&[vec![20], vec![30, 30, 30], vec![10]]);
    for victim in 1..4 {
        let mut bytes = log.bytes.clone();
        bytes[log.records[victim].0 + 40] ^= 1;
        let (events, damage, _) = scanned(&bytes, Tail::Live);
        let ids: Vec<_> = events.iter().map(|e| e.id.clone()).collect();
        let want: Vec<_> = log
            .records
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != victim)
            .map(|(_, (_, _, e))| e.id.clone())
            .collect();
        assert_eq!(ids, want, "victim {victim}");
        assert_eq!(damage.len(), 1);
        assert!(damage[0].loses_data());
    }
}
