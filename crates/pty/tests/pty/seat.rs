//! The read-write seat as a machine, with time put in from outside.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use signalbox_pty::hub::{Occupied, Seat, Take, WatcherId};

const IDLE: Duration = Duration::from_secs(300);

#[test]
fn one_at_a_time() {
    let (a, b, now) = (WatcherId(1), WatcherId(2), Instant::now());
    let mut seat = Seat::new(Some(IDLE));
    assert!(!seat.types(a, now));
    assert_eq!(seat.take(a, Take::IfFree, now), Ok(None));
    assert_eq!(seat.take(b, Take::IfFree, now), Err(Occupied(a)));
    assert_eq!(seat.take(b, Take::ByForce, now), Ok(Some(a)));
    assert!(!seat.types(a, now) && seat.types(b, now));
    seat.leave(a);
    assert_eq!(seat.holder(), Some(b));
    seat.leave(b);
    assert_eq!(seat.take(a, Take::IfFree, now), Ok(None));
    assert_eq!(seat.take(a, Take::IfFree, now), Ok(None), "one may take what one has");
}

#[test]
fn doing_nothing_loses_it() {
    let (a, now) = (WatcherId(1), Instant::now());
    let mut seat = Seat::new(Some(IDLE));
    seat.take(a, Take::IfFree, now).unwrap();
    assert_eq!(seat.expire(now + IDLE - Duration::from_millis(1)), None);
    assert!(seat.types(a, now + IDLE / 2));
    assert_eq!(seat.expires_at(), Some(now + IDLE / 2 + IDLE));
    assert_eq!(seat.expire(now + IDLE), None);
    assert_eq!(seat.expire(now + IDLE / 2 + IDLE), Some(a));
    assert_eq!(seat.holder(), None);
    let mut for_ever = Seat::new(None);
    for_ever.take(a, Take::IfFree, now).unwrap();
    assert_eq!(for_ever.expire(now + IDLE * 1_000), None);
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Take(u64, bool),
    Leave(u64),
    Type(u64),
    Wait(u64),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..4u64, any::<bool>()).prop_map(|(who, force)| Act::Take(who, force)),
        (0..4u64).prop_map(Act::Leave),
        (0..4u64).prop_map(Act::Type),
        (0..400u64).prop_map(Act::Wait),
    ]
}

proptest! {
    /// Against a model that is as plain as can be: who has it, and since when they did nothing.
    #[test]
    fn it_is_what_it_should_be(acts in prop::collection::vec(act(), 0..60)) {
        let mut seat = Seat::new(Some(IDLE));
        let mut now = Instant::now();
        let mut model: Option<(u64, Instant)> = None;
        for act in acts {
            match act {
                Act::Take(who, force) => {
                    let how = if force { Take::ByForce } else { Take::IfFree };
                    let other = model.map(|(holder, _)| holder).filter(|holder| *holder != who);
                    let expected = match other {
                        Some(holder) if !force => Err(Occupied(WatcherId(holder))),
                        displaced => Ok(displaced.map(WatcherId)),
                    };
                    prop_assert_eq!(seat.take(WatcherId(who), how, now), expected);
                    if expected.is_ok() {
                        model = Some((who, now));
                    }
                }
                Act::Leave(who) => {
                    seat.leave(WatcherId(who));
                    model = model.filter(|(holder, _)| *holder != who);
                }
                Act::Type(who) => {
                    let may = model.is_some_and(|(holder, _)| holder == who);
                    prop_assert_eq!(seat.types(WatcherId(who), now), may);
                    if may {
                        model = Some((who, now));
                    }
                }
                Act::Wait(seconds) => {
                    now += Duration::from_secs(seconds);
                    let lost = model.filter(|(_, active)| now.duration_since(*active) >= IDLE);
                    prop_assert_eq!(seat.expire(now), lost.map(|(who, _)| WatcherId(who)));
                    if lost.is_some() {
                        model = None;
                    }
                }
            }
            prop_assert_eq!(seat.holder(), model.map(|(who, _)| WatcherId(who)));
        }
    }
}
