//! A real CLI in a terminal of a given size, and its screen written down as a sight.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use signalbox_drivers::terminal::Sight;
use signalbox_testkit::clis::{Cli, Look, Place, Size, Terminal, skip_without};
use signalbox_testkit::model::{Model, Script};

pub const PATIENCE: Duration = Duration::from_secs(30);
const SIZES: [Size; 3] =
    [Size { columns: 80, rows: 24 }, Size { columns: 120, rows: 40 }, Size { columns: 40, rows: 15 }];

/// What a terminal puts around a text that is pasted.
const PASTE: &str = "\x1b[200~";
const END: &str = "\x1b[201~";

pub fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("pasted line {line}")).collect::<Vec<_>>().join("\n")
}

/// Write the sights of a scene anew, at every size.
pub fn look(cli: &str, scene: fn(Size)) {
    if skip_without(cli) {
        return;
    }
    let sizes = SIZES.map(|size| std::thread::spawn(move || scene(size)));
    for size in sizes {
        if size.join().is_err() {
            eprintln!("a scene of {cli} ended early");
        }
    }
}

/// A home and a project, always of the same name: what is written down shall not change without need.
pub struct Scene {
    root: PathBuf,
    pub name: &'static str,
    pub size: Size,
}

impl Scene {
    pub fn new(name: &'static str, what: &str, size: Size) -> Self {
        let root = std::env::temp_dir().join(format!("sb-look-{name}-{what}-{}", size.columns));
        let _ = std::fs::remove_dir_all(&root);
        for folder in ["home", "project"] {
            std::fs::create_dir_all(root.join(folder)).expect("make a folder");
        }
        Self { root, name, size }
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub fn place(&self) -> Place {
        Place::new(self.home(), self.project(), "/usr/local/bin:/usr/bin:/bin")
    }

    /// Put a file below the home before the CLI starts.
    #[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
    pub fn write(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
        std::fs::write(path, text).expect("write a file");
    }

    pub fn open(
        &self,
        cli: impl FnOnce(&Place, &Model) -> Cli,
        script: impl Into<Script>,
        arguments: &[&str],
    ) -> Stage {
        let model = Model::start(script);
        let terminal = cli(&self.place(), &model).open_sized(arguments, self.size);
        Stage { terminal, model, name: self.name, size: self.size }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

pub struct Stage {
    pub terminal: Terminal,
    pub model: Model,
    name: &'static str,
    size: Size,
}

impl Stage {
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        self.terminal.press(keys);
        self
    }

    /// Press keys, and wait until the CLI has drawn what follows.
    pub fn slowly(&mut self, keys: &str) -> &mut Self {
        self.settle();
        self.terminal.press(keys);
        self.settle();
        self
    }

    /// Paste a text, again where it is lost: the first keys after the start sometimes are.
    #[track_caller]
    pub fn paste(&mut self, text: &str) -> &mut Self {
        let before = self.settle().terminal.screen();
        for _ in 0..5 {
            self.slowly(&format!("{PASTE}{text}{END}"));
            if self.terminal.screen() != before {
                return self;
            }
        }
        panic!("nothing was pasted:\n{before}");
    }

    #[track_caller]
    pub fn wait(&mut self, text: &str) -> &mut Self {
        self.terminal.wait_for(text, PATIENCE);
        self
    }

    /// Wait until a file below the home says so; the CLI takes no keys before.
    #[track_caller]
    pub fn wait_for_file(&mut self, folder: &Path, words: &str) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        let says = |entry: std::fs::DirEntry| {
            std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(words))
        };
        while !std::fs::read_dir(folder).is_ok_and(|list| list.flatten().any(says)) {
            assert!(Instant::now() < end, "no file says {words}:\n{}", self.terminal.screen());
            std::thread::yield_now();
        }
        self
    }

    pub fn settle(&mut self) -> &mut Self {
        // Copilot shows keys late.
        let pause = Duration::from_millis(if self.name == "copilot" { 1500 } else { 600 });
        let _ = self.terminal.is_quiet(pause, 3 * pause);
        self
    }

    pub fn sight(&self) -> Sight {
        let Look { rows, faint, cursor, cursor_visible, columns, title, alternate, marks_pastes } =
            self.terminal.look();
        Sight { rows, faint, cursor, cursor_visible, columns, title, alternate, marks_pastes }
    }

    /// Write the screen down under this name.
    #[expect(clippy::disallowed_methods, reason = "this writes fixtures, not the product's files")]
    pub fn shot(&mut self, state: &str) -> &mut Self {
        self.settle();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal").join(self.name);
        std::fs::create_dir_all(&folder).expect("make a folder");
        let file = format!("{state}-{}x{}.txt", self.size.columns, self.size.rows);
        std::fs::write(folder.join(file), self.sight().to_string()).expect("write a sight");
        self
    }
}
