//! Letting others have the processor in the middle of long work that nobody waits for.
//!
//! The scheduler lets whoever runs go on for milliseconds, also where somebody has just woken up behind it. Under a flood
//! that is a step between the program and the terminal, whose buffers hold a tenth of a millisecond: everybody waits for
//! it, and the other processor has nothing to do. So the side stops now and then and lets it by.

use std::time::{Duration, Instant};

/// Whoever took longer than this was no step of the flood: the machine is busy with something else...
const LONG: Duration = Duration::from_millis(4);
/// ...and who gives way all the time then never gets anywhere. For so many times as long nobody is let by.
const INSIST: u32 = 20;

/// When to give way again.
#[derive(Debug, Default)]
pub(crate) struct Courtesy {
    insists_until: Option<Instant>,
}

impl Courtesy {
    /// Let those who wait for this processor go first.
    pub fn give_way(&mut self) {
        let begun = Instant::now();
        if self.insists_until.is_some_and(|until| begun < until) {
            return;
        }
        std::thread::yield_now();
        self.gave_way(begun, Instant::now());
    }

    fn gave_way(&mut self, begun: Instant, back: Instant) {
        let took = back.duration_since(begun);
        self.insists_until = (took > LONG).then(|| back + took * INSIST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waited_long_insists_for_longer() {
        let (now, mut courtesy) = (Instant::now(), Courtesy::default());
        courtesy.gave_way(now, now + LONG);
        assert_eq!(courtesy.insists_until, None);
        courtesy.gave_way(now, now + LONG * 2);
        assert_eq!(courtesy.insists_until, Some(now + LONG * 2 + LONG * 2 * INSIST));
        courtesy.gave_way(now, now);
        assert_eq!(courtesy.insists_until, None);
    }
}
