//! A puppet in a terminal, with a home of its own.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use signalbox_drivers::terminal::{Activity, InputBox, Reading, Sight};
use signalbox_testkit::clis::{Look, Size, Terminal};

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Seat {
    pub root: tempfile::TempDir,
    size: Size,
    terminal: Option<Terminal>,
}

impl Seat {
    pub fn new(script: &str) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let seat = Self { root, size: Size { columns: 60, rows: 20 }, terminal: None };
        seat.write("script.json", script);
        seat
    }

    #[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
    pub fn write(&self, name: &str, text: &str) {
        let path = self.root.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
        std::fs::write(path, text).expect("write a file");
    }

    /// A hook on these events that notes what it was told, and does this.
    pub fn hooks(&self, events: &[&str], more: &str) {
        let line = format!("cat >> '{0}'; echo >> '{0}'; {more}", self.path("told").display());
        let hook = serde_json::json!([{ "hooks": [{ "type": "command", "command": line }] }]);
        let all: serde_json::Map<String, Value> =
            events.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
        self.write(".puppet/settings.json", &serde_json::json!({ "hooks": all }).to_string());
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// What hooks were told, in order.
    pub fn told(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("told")).unwrap_or_default();
        text.lines()
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_puppet"));
        command
            .args(["--script", &self.path("script.json").to_string_lossy()])
            .args(arguments)
            .env_clear()
            .env("HOME", self.root.path())
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm-256color")
            .current_dir(self.root.path());
        command
    }

    pub fn start(&mut self, arguments: &[&str]) -> &mut Self {
        self.terminal = Some(Terminal::open(&self.command(arguments), self.size));
        self
    }

    pub fn terminal(&mut self) -> &mut Terminal {
        self.terminal.as_mut().expect("it was started")
    }

    pub fn press(&mut self, keys: &str) -> &mut Self {
        self.terminal().press(keys);
        self
    }

    pub fn read(&mut self) -> Reading {
        let Look { rows, faint, cursor, cursor_visible, columns, title, alternate, marks_pastes } =
            self.terminal().look();
        let sight = Sight { rows, faint, cursor, cursor_visible, columns, title, alternate, marks_pastes };
        (signalbox_drivers::find("puppet").expect("a driver").terminal.read)(&sight)
    }

    /// Wait until the screen is read so.
    #[track_caller]
    pub fn wait(&mut self, activity: Option<Activity>, input: &InputBox) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        loop {
            let reading = self.read();
            if reading.activity == activity && reading.input == *input {
                return self;
            }
            assert!(Instant::now() < end, "{reading:?}\n{}", self.terminal().screen());
            let _ = self.terminal().is_quiet(Duration::from_millis(10), Duration::from_millis(50));
        }
    }

    #[track_caller]
    pub fn idle(&mut self) -> &mut Self {
        self.wait(Some(Activity::Idle), &InputBox::Empty)
    }

    #[track_caller]
    pub fn shows(&mut self, text: &str) -> &mut Self {
        self.terminal().wait_for(text, PATIENCE);
        self
    }

    #[track_caller]
    pub fn ends(&mut self) -> Option<i32> {
        self.terminal().ends_within(PATIENCE).expect("it still runs")
    }
}

pub fn draft(text: &str) -> InputBox {
    InputBox::Draft(text.to_owned())
}
