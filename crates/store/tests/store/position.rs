//! Positions, days, conflicts: what the engine promises to whoever reads and writes through it.

use signalbox_store::log::{EventLog, FileLog, Item, LogError, Position, Tail};

use crate::records::note;

fn read(log: &FileLog, seen: &Position) -> (Vec<String>, Position) {
    let mut ids = Vec::new();
    let position = log.read_after(seen, Tail::Settled, &mut |_, item| match item {
        Item::Event(event) => ids.push(event.id.to_string()),
        Item::Damage(damage) => panic!("{damage:?}"),
    });
    (ids, position.expect("read"))
}

#[test]
fn reading_goes_on_where_it_stopped_across_days() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = FileLog::new(folder.path());
    let mut position = Position::default();
    let mut want = Vec::new();
    let day = 24 * 60 * 60 * 1_000;
    for n in [0, 1, day, day + 1, 3 * day] {
        let mut event = note(n, 30);
        event.ts = jiff::Timestamp::from_millisecond(1_763_000_000_000 + i64::try_from(n).expect("small"))
            .expect("a time");
        log.append(std::slice::from_mut(&mut event), &position).expect("append");
        let (ids, next) = read(&log, &position);
        assert_eq!(ids, [event.id.to_string()]);
        assert!(log.is_at_end(&next).expect("end"));
        position = next;
        want.push(event.id.to_string());
    }
    assert_eq!(read(&log, &Position::default()).0, want);
    assert_eq!(log.files().expect("files").len(), 3);
}

/// The newest file stays the newest: an older date does not begin a file that readers have gone past.
#[test]
fn a_clock_set_back_writes_to_the_newest_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = FileLog::new(folder.path());
    let mut late = note(5 * 24 * 60 * 60 * 1_000, 10);
    late.ts = "2026-11-20T10:00:00Z".parse().expect("a time");
    log.append(std::slice::from_mut(&mut late), &Position::default()).expect("append");
    let (_, position) = read(&log, &Position::default());
    let mut early = note(1, 10);
    early.ts = "2026-11-15T10:00:00Z".parse().expect("a time");
    log.append(std::slice::from_mut(&mut early), &position).expect("append");
    assert_eq!(log.files().expect("files"), ["2026-11-20.jsonl"]);
    assert_eq!(read(&log, &position).0, [early.id.to_string()]);
    std::fs::remove_file(folder.path().join("current")).expect("remove the link");
    let mut again = note(2, 10);
    again.ts = early.ts;
    log.record(&again).expect("record");
    assert_eq!(log.files().expect("files"), ["2026-11-20.jsonl"], "the link is lost, the order is not");
    assert!(log.link_is_right().expect("link"), "and the link is back");
}

/// Append-if-unchanged: somebody else's event of the same ticket is a conflict, of another one is not.
#[test]
fn a_ticket_that_moved_on_is_a_conflict() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = FileLog::new(folder.path());
    log.append(&mut [note(0, 10)], &Position::default()).expect("append");
    let (_, seen) = read(&log, &Position::default());
    // Tickets repeat every five.
    log.append(&mut [note(1, 10)], &seen).expect("append");
    log.append(&mut [note(2, 10)], &seen).expect("another ticket is no conflict");
    let conflict = log.append(&mut [note(6, 10)], &seen);
    assert!(matches!(conflict, Err(LogError::Conflict(_))), "{conflict:?}");
    let both = log.append(&mut [note(3, 10), note(7, 10)], &seen);
    assert!(matches!(both, Err(LogError::Conflict(_))), "one of two is enough: {both:?}");
    assert_eq!(read(&log, &Position::default()).0.len(), 3, "nothing of a conflict is written");
}

#[test]
fn a_log_that_became_shorter_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = FileLog::new(folder.path());
    for n in 0..3 {
        log.record(&note(n, 50)).expect("record");
    }
    let (_, seen) = read(&log, &Position::default());
    let file = log.path(&log.files().expect("files")[0]);
    let size = std::fs::metadata(&file).expect("the file").len();
    std::fs::OpenOptions::new().write(true).open(&file).expect("open").set_len(size - 10).expect("truncate");
    let result = log.read_after(&seen, Tail::Live, &mut |_, _| {});
    assert!(matches!(result, Err(LogError::Shrunk { .. })), "{result:?}");
}
