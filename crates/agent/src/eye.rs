//! The screen of a wrapped program, as a driver reads it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use signalbox_drivers::terminal::{Reading, Sight};
use signalbox_pty::screen::{Color, Run};
use signalbox_pty::{Moment, Side, View};
use signalbox_store::clock;

/// How long the model of the screen may need to catch up.
const PATIENCE: Duration = Duration::from_millis(500);

/// Looks at what is beside a pump.
#[derive(Debug)]
pub struct Eye {
    side: Side,
    read: fn(&Sight) -> Reading,
    /// How far the output was at the last look.
    moment: Option<Moment>,
    /// What was seen then; `None` while it was being drawn.
    last: Option<Seen>,
    /// The last sight that was whole.
    whole: Option<Seen>,
    changed: Option<Timestamp>,
}

/// What is to be seen, and what a driver makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub sight: Arc<Sight>,
    pub reading: Reading,
}

impl Seen {
    /// Nothing is known of the screen.
    pub fn nothing() -> Self {
        let sight = Sight::default();
        Self { reading: Reading::nothing(&sight), sight: Arc::new(sight) }
    }
}

impl Eye {
    /// An eye that reads what it sees like this.
    pub fn new(side: Side, read: fn(&Sight) -> Reading) -> Self {
        Self { side, read, moment: None, last: None, whole: None, changed: None }
    }

    /// The screen with everything that was printed before this call. `None` while it is being drawn.
    ///
    /// An idle agent's screen is looked at several times a second and says the same: it is read anew when something came.
    pub fn look(&mut self) -> Option<Seen> {
        let (view, moment) = match self.side.view_since(self.moment, PATIENCE) {
            Ok(Some(news)) => news,
            Ok(None) => return self.last.clone(),
            Err(_) => return None,
        };
        self.moment = Some(moment);
        self.last = (!view.synchronizing).then(|| {
            let sight = sight(&view);
            let reading = (self.read)(&sight);
            Seen { sight: Arc::new(sight), reading }
        });
        if self.last.is_some() && self.last != self.whole {
            self.changed = Some(clock::now());
            self.whole.clone_from(&self.last);
        }
        self.last.clone()
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
        marks_pastes: view.bracketed_paste,
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
