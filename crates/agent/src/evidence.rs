//! What is known of an agent, as signals: from its process, its state file, its hooks, its title, its screen, and the
//! flow of its output.

use jiff::Timestamp;
use signalbox_core::Event;
use signalbox_core::agent::{Signal, Source, State};
use signalbox_drivers::terminal::{Activity, Reading, Sight};
use signalbox_drivers::{Driver, Said};

/// How long a program that says nothing is taken to work on.
const SILENT: jiff::SignedDuration = jiff::SignedDuration::from_secs(3);

/// How long the screen must go on showing this after a hook to be believed against it. A dialog is there or it is not; work
/// may still be drawn when its end was told; and before there is work to be seen there is a moment without.
fn doubted(seen: State) -> jiff::SignedDuration {
    match seen {
        State::Idle => jiff::SignedDuration::from_secs(10),
        State::Working => jiff::SignedDuration::from_secs(1),
        _ => jiff::SignedDuration::ZERO,
    }
}

/// The newest word of each source.
#[derive(Debug, Default)]
pub struct Evidence {
    signals: Vec<Signal>,
}

impl Evidence {
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// Take in what a source says now. Since when it says so is when it first did.
    pub fn hear(&mut self, source: Source, says: State, at: Timestamp, detail: &str) {
        match self.signals.iter_mut().find(|signal| signal.source == source) {
            Some(known) if known.says == says => detail.clone_into(&mut known.detail),
            Some(known) => *known = Signal::new(source, says, at, detail),
            None => self.signals.push(Signal::new(source, says, at, detail)),
        }
    }

    /// A source has nothing to say any more.
    pub fn forget(&mut self, source: Source) {
        self.signals.retain(|signal| signal.source != source);
    }

    /// An event of the log that belongs to this agent. A hook counts from when it came, also if it says the same.
    pub fn hear_event(&mut self, event: &Event) {
        if let Some((says, detail)) = of_event(event) {
            self.forget(Source::Hook);
            self.hear(Source::Hook, says, event.ts, &detail);
        }
    }

    /// What the screen has gone on saying for so long after a hook said otherwise is news: hooks are processes, and on a busy
    /// machine the one of a turn's end may be heard before that of its prompt, or after the next turn has begun.
    fn affirm_screen(&mut self, now: Timestamp) {
        let hook = self.signals.iter().find(|signal| signal.source == Source::Hook).map(|signal| signal.at);
        let screen = self.signals.iter_mut().find(|signal| signal.source == Source::Screen);
        let (Some(hook), Some(screen)) = (hook, screen) else { return };
        let doubted = doubted(screen.says);
        if screen.at <= hook && now.duration_since(hook) >= doubted {
            // Just after it.
            screen.at = hook + doubted + jiff::SignedDuration::from_millis(1);
        }
    }

    /// What the screen shows.
    pub fn hear_reading(&mut self, reading: &Reading, now: Timestamp) {
        match reading.activity {
            Some(activity) => self.hear(Source::Screen, state(activity), now, reading.because),
            None => self.forget(Source::Screen),
        }
        self.affirm_screen(now);
    }

    /// What the title shows.
    pub fn hear_title(&mut self, driver: &Driver, sight: &Sight, now: Timestamp) {
        let Some(title) = &driver.title_bar else { return };
        match (title.read)(&sight.title) {
            Some(activity) => self.hear(Source::Title, state(activity), now, &sight.title),
            None => self.forget(Source::Title),
        }
    }

    /// What the CLI's own file says, which knows since when.
    pub fn hear_file(&mut self, said: Option<&Said>, now: Timestamp) {
        let Some(said) = said else { return self.forget(Source::StateFile) };
        let since = said.since.and_then(|since| Timestamp::from_millisecond(since).ok()).unwrap_or(now);
        self.forget(Source::StateFile);
        self.hear(Source::StateFile, state(said.activity), since.min(now), said.because);
    }

    /// Whether anything is being printed.
    pub fn hear_flow(&mut self, last_output: Option<Timestamp>, now: Timestamp) {
        let Some(last) = last_output else { return };
        if now.duration_since(last) < SILENT {
            self.hear(Source::Silence, State::Working, now, "something was printed just now");
        } else {
            self.hear(Source::Silence, State::Idle, last, "nothing has been printed for some seconds");
        }
    }
}

/// What an activity on the screen means for the agent.
pub fn state(activity: Activity) -> State {
    match activity {
        Activity::Idle => State::Idle,
        Activity::Working => State::Working,
        Activity::Permission => State::WaitingPermission,
        Activity::Question | Activity::Dialog => State::WaitingAnswer,
    }
}

/// What a hook's event says of the state.
fn of_event(event: &Event) -> Option<(State, String)> {
    let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    let with_tool = |what: &str| format!("{what} {}", data["tool"].as_str().unwrap_or_default());
    Some(match event.event.as_str() {
        "hook.prompt" => (State::Working, "a prompt was sent".to_owned()),
        "hook.pre-tool" => (State::Working, with_tool("before")),
        "hook.post-tool" | "hook.post-tool-failure" => (State::Working, with_tool("after")),
        "hook.permission-request" if data["permission"] == "ask" => {
            (State::WaitingPermission, with_tool("it asks about"))
        }
        "hook.stop" if data["held_back"] != true => (State::Idle, "its turn ended".to_owned()),
        "hook.stop-failure" => (State::Idle, "its turn ended with an error".to_owned()),
        "hook.interrupt" => (State::Idle, "it was interrupted".to_owned()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use signalbox_core::agent::assess;
    use signalbox_drivers::terminal::InputBox;

    use super::*;
    use crate::insights;

    /// The hook of the prompt was heard after that of the turn's end, as happens on a busy machine.
    #[test]
    fn a_screen_that_stays_idle_is_believed_in_the_end() {
        let at = |seconds: i64| Timestamp::from_second(1_763_000_000 + seconds).expect("a time");
        let idle = Reading { activity: Some(Activity::Idle), because: "", input: InputBox::Empty };
        let mut evidence = Evidence::default();
        evidence.hear_reading(&idle, at(0));
        evidence.hear(Source::Hook, State::Working, at(1), "a prompt was sent");
        let sees = insights::of(signalbox_drivers::find("gemini"));
        for (seconds, state) in
            [(2, State::Working), (10, State::Working), (12, State::Idle), (60, State::Idle)]
        {
            evidence.hear_reading(&idle, at(seconds));
            assert_eq!(assess(evidence.signals(), sees).state, state, "after {seconds} s");
        }
    }

    /// Or nothing could be pasted: its echo is printed too.
    #[test]
    fn what_is_printed_into_an_idle_screen_is_no_work() {
        let at = |seconds: i64| Timestamp::from_second(1_763_000_000 + seconds).expect("a time");
        let mut evidence = Evidence::default();
        evidence.hear(Source::Hook, State::Idle, at(0), "its turn ended");
        let sees = insights::of(signalbox_drivers::find("gemini"));
        for seconds in [1, 60, 61] {
            let idle = Reading { activity: Some(Activity::Idle), because: "", input: InputBox::Empty };
            evidence.hear_reading(&idle, at(seconds));
            evidence.hear_flow(Some(at(seconds)), at(seconds));
            assert_eq!(assess(evidence.signals(), sees).state, State::Idle, "after {seconds} s");
            evidence.hear_flow(Some(at(seconds)), at(seconds + 10));
        }
        // Where the screen says nothing, what is printed is all there is.
        evidence.forget(Source::Screen);
        evidence.hear_flow(Some(at(90)), at(90));
        assert_eq!(assess(evidence.signals(), sees).state, State::Working);
    }

    /// The hook of a turn's end was heard when the next turn had begun and asked something.
    #[test]
    fn a_dialog_on_the_screen_is_believed_at_once() {
        let at = |millis: i64| Timestamp::from_millisecond(1_763_000_000_000 + millis).expect("a time");
        let sees = insights::of(signalbox_drivers::find("copilot"));
        let shows = |activity| Reading { activity: Some(activity), because: "", input: InputBox::Hidden };
        for (activity, state, after) in
            [(Activity::Permission, State::WaitingPermission, 0), (Activity::Working, State::Working, 1_000)]
        {
            let mut evidence = Evidence::default();
            evidence.hear_reading(&shows(activity), at(0));
            evidence.hear(Source::Hook, State::Idle, at(500), "its turn ended");
            evidence.hear_reading(&shows(activity), at(500 + after));
            assert_eq!(assess(evidence.signals(), sees).state, state);
        }
    }
}
