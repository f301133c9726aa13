//! The screen of a wrapped program, as a driver reads it.

use std::time::Duration;

use jiff::Timestamp;
use signalbox_drivers::terminal::Sight;
use signalbox_pty::screen::{Color, Run};
use signalbox_pty::{Side, View};
use signalbox_store::clock;

/// How long the model of the screen may need to catch up.
const PATIENCE: Duration = Duration::from_millis(500);

/// Looks at what is beside a pump.
#[derive(Debug)]
pub struct Eye {
    side: Side,
    last: Option<(Sight, bool)>,
    changed: Option<Timestamp>,
}

impl Eye {
    pub fn new(side: Side) -> Self {
        Self { side, last: None, changed: None }
    }

    /// The screen with everything that was printed before this call, and whether pastes are marked. `None` while it is
    /// being drawn.
    pub fn look(&mut self) -> Option<(Sight, bool)> {
        let view = self.side.view(PATIENCE).ok().filter(|view| !view.synchronizing)?;
        let seen = Some((sight(&view), view.bracketed_paste));
        if self.last != seen {
            self.changed = Some(clock::now());
            self.last.clone_from(&seen);
        }
        seen
    }

    /// When the screen last changed.
    pub fn changed(&self) -> Option<Timestamp> {
        self.changed
    }
}

fn sight(view: &View) -> Sight {
    let mut faint = Vec::new();
    for (row, runs) in (0..).zip(&view.runs) {
        for (index, run) in runs.iter().enumerate().filter(|(_, run)| is_faint(run)) {
            let end = runs.get(index + 1).map_or(view.size.cols, |next| next.col);
            faint.push((row, run.col, end.saturating_sub(1)));
        }
    }
    Sight {
        rows: view.rows.clone(),
        faint,
        cursor: view.cursor,
        cursor_visible: view.cursor_visible,
        columns: view.size.cols,
        title: view.title.clone(),
        alternate: view.alternate,
    }
}

/// As the readers of the drivers understand it.
fn is_faint(run: &Run) -> bool {
    run.style.faint
        || match run.style.foreground {
            Color::Indexed(color) => color == 8 || (235..=249).contains(&color),
            Color::Rgb(red, green, blue) => red == green && green == blue && red < 190,
            Color::Default => false,
        }
}
