//! The board in the terminal: from a key to the end of the picture that it leads to, with few tickets and with many.

use std::time::{Duration, Instant};

use super::home::Size;
use super::measure::Timing;
use super::pty::terminal::Terminal;
use super::report::{Goal, Limit, Section, duration, ratio};
use super::{Bench, progress};
use crate::Result;

const KEYS: usize = 300;
const STARTS: usize = 10;
/// A picture at sixty a second.
const PICTURE: Duration = Duration::from_millis(16);
/// What ends every picture: the end of a synchronized update.
const END: &[u8] = b"\x1b[?2026l";
/// Few, but more than the keys go down: at the end of a list a key changes nothing, and costs less.
const FEW: Size = Size::tickets(1_000);

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = "tui: from a key to the end of its picture, 120x40, and from the start to the first tickets";
    let headings = ["screen", "tickets", "key p50", "key p99", "x 1,000 tickets", "first tickets p50"];
    let mut section = Section::new(title, &headings);
    for (screen, sign) in [("board", "backlog"), ("list", "by priority")] {
        let mut timings = Vec::new();
        // One after the other, because each reads its views again once a second and would disturb the other.
        for size in [FEW, Size::LARGE] {
            progress(&format!("{screen} with {} tickets", size.tickets));
            let home = bench.home(size)?;
            let command = bench.sb(&home, ["board", "--screen", screen]);
            let mut starts = Vec::new();
            for _ in 0..STARTS {
                let begun = Instant::now();
                let mut terminal = Terminal::open(&command)?;
                terminal.wait_for(sign)?;
                starts.push(begun.elapsed());
            }
            let mut terminal = Terminal::open(&command)?;
            terminal.wait_for(sign)?;
            let mut keys = Vec::new();
            for number in 0..KEYS {
                // Down the list and up again, by pages and by rows.
                let key: &[u8] = match (number / 50 % 2, number % 5) {
                    (0, 0) => b"\x1b[6~",
                    (0, _) => b"j",
                    (_, 0) => b"\x1b[5~",
                    (_, _) => b"k",
                };
                keys.push(terminal.answer(key, END)?);
            }
            let label = size.tickets.to_string();
            timings.push((Timing::new(label.clone(), keys), Timing::new(label, starts)));
        }
        let few = timings.first().map(|(keys, _)| keys.clone()).ok_or("nothing was measured")?;
        for (keys, starts) in &timings {
            section.rows.push(vec![
                screen.to_owned(),
                keys.label.clone(),
                duration(keys.p50()),
                duration(keys.percentile(99)),
                ratio(keys.times(&few)),
                duration(starts.p50()),
            ]);
        }
        if let Some((many, _)) = timings.last() {
            let of_picture = many.percentile(99).as_secs_f64() / PICTURE.as_secs_f64();
            let what = format!("{screen} of 10,000 tickets: p99 of a key to 16 ms");
            section.goals.push(Goal::new(what, Some(of_picture), Limit::AtMost(1.0)));
            let what = format!("{screen} of 10,000 tickets to 1,000, p50 of a key");
            section.goals.push(Goal::new(what, Some(many.times(&few)), Limit::AtMost(1.5)));
        }
    }
    Ok(section)
}
