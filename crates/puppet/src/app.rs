//! The puppet in a terminal: one loop over keys, the news of a turn, and time.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use crate::arguments::Arguments;
use crate::editor::Editor;
use crate::hooks::Hooks;
use crate::keys::{Decoder, Key};
use crate::screen::{Front, Picture};
use crate::script::Script;
use crate::session::{Session, Status};
use crate::tty;
use crate::turn::{News, Stage, play};

const COMMANDS: [&str; 3] = ["/exit", "/help", "/usage"];
const SPINNER: [char; 4] = ['⠂', '⠐', '⠠', '⠄'];
/// How long a lone Escape may be the beginning of a sequence.
const ESCAPE: Duration = Duration::from_millis(25);
const FRAME: Duration = Duration::from_millis(100);
/// How soon Ctrl-C must come again to end it.
const AGAIN: Duration = Duration::from_secs(1);

/// A dialog, and where its answer goes; nowhere where the person opened it.
struct Dialog {
    title: String,
    text: String,
    choices: Vec<String>,
    marked: usize,
    answer: Option<Sender<Option<usize>>>,
}

struct App {
    stage: Arc<Stage>,
    editor: Editor,
    lines: Vec<String>,
    queued: VecDeque<String>,
    woken: VecDeque<String>,
    dialog: Option<Dialog>,
    /// Set while a turn runs: what interrupts it, and since when.
    turn: Option<(Arc<AtomicBool>, Instant)>,
    last_interrupt: Option<Instant>,
    exit: Option<u8>,
}

/// What a session needs, whichever way it runs.
pub(crate) fn prepare(
    arguments: &Arguments,
    wake: Box<dyn Fn() + Send + Sync>,
) -> std::io::Result<(Stage, Receiver<News>)> {
    let script = Script::load(arguments.script.as_deref())?;
    let own = arguments.config.join("settings.json");
    let project = std::env::current_dir()?.join(".puppet/settings.json");
    // At home the two are one.
    let project = Some(project.as_path()).filter(|project| *project != own);
    let files = [Some(own.as_path()), project, arguments.settings.as_deref()];
    let hooks = Hooks::load(files.into_iter().flatten());
    let (mut stage, news) = Stage::new(Session::open(arguments)?, hooks, script, wake);
    stage.allow_all = arguments.allow_all;
    Ok((stage, news))
}

pub(crate) fn run(arguments: &Arguments) -> std::io::Result<u8> {
    let (bell, mut ears) = UnixStream::pair()?;
    bell.set_nonblocking(true)?;
    // A window of another size is drawn anew.
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGWINCH, bell.try_clone()?)?;
    let ring = move || {
        // A full pipe rings as well.
        let _ = (&bell).write(&[0]);
    };
    let (stage, news) = prepare(arguments, Box::new(ring))?;
    let (delay, start) = {
        let script = stage.script.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (Duration::from_millis(script.echo_delay_ms), Duration::from_millis(script.start_ms))
    };
    let raw = tty::Raw::enter()?;
    std::thread::sleep(start);
    let mut app = App::new(Arc::new(stage), arguments.first.clone());
    let mut decoder = Decoder::default();
    let mut buffer = [0; 4096];
    // When what is in memory may be shown.
    let mut due = Some(Instant::now());
    while app.exit.is_none() {
        let mut ready = due;
        for other in
            [decoder.waits().then(|| Instant::now() + ESCAPE), app.is_busy().then(|| Instant::now() + FRAME)]
        {
            ready = [ready, other].into_iter().flatten().min();
        }
        let (keys, bells) = wait(&ears, ready)?;
        if bells {
            let _ = ears.read(&mut buffer)?;
            due = due.or_else(|| Some(Instant::now()));
        }
        for news in news.try_iter() {
            if app.hear(news) {
                // Not a single key more is taken.
                loop {
                    std::thread::park();
                }
            }
            due = due.or_else(|| Some(Instant::now()));
        }
        if keys {
            let count = rustix::io::read(std::io::stdin(), &mut buffer)?;
            if count == 0 {
                app.exit = Some(0);
            }
            for key in decoder.feed(buffer.get(..count).unwrap_or_default()) {
                app.press(key);
            }
            due = due.or_else(|| Some(Instant::now() + delay));
        } else if let Some(key) = decoder.lapse() {
            app.press(key);
            due = due.or_else(|| Some(Instant::now() + delay));
        }
        app.go_on();
        if app.is_busy() {
            due = due.or_else(|| Some(Instant::now() + FRAME));
        }
        if due.is_some_and(|due| Instant::now() >= due) && app.exit.is_none() {
            app.draw();
            due = None;
        }
    }
    let code = app.exit.unwrap_or_default();
    if code == 0 {
        app.stage.hook("SessionEnd", &json!({ "reason": "prompt_input_exit" }));
        app.stage.session.close();
    }
    drop(raw);
    Ok(code)
}

/// Wait for keys, the bell, or this moment. Which of the first two it was.
fn wait(ears: &UnixStream, until: Option<Instant>) -> std::io::Result<(bool, bool)> {
    let stdin = std::io::stdin();
    let mut both = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(ears, PollFlags::IN)];
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut both, left.as_ref()) {
        Err(rustix::io::Errno::INTR) => Ok((false, false)),
        Err(error) => Err(error.into()),
        Ok(_) => Ok((!both[0].revents().is_empty(), !both[1].revents().is_empty())),
    }
}

impl App {
    fn new(stage: Arc<Stage>, first: Option<String>) -> Self {
        let source = if stage.session.is_old { "resume" } else { "startup" };
        stage.hook("SessionStart", &json!({ "source": source, "model": crate::session::MODEL }));
        let lines =
            vec![format!("Puppet {} · {}", crate::VERSION, stage.session.cwd.display()), String::new()];
        let app = Self {
            stage,
            editor: Editor::default(),
            lines,
            queued: first.into_iter().collect(),
            woken: VecDeque::new(),
            dialog: None,
            turn: None,
            last_interrupt: None,
            exit: None,
        };
        app.note_state();
        app
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some() && self.dialog.is_none()
    }

    fn note_state(&self) {
        let status = match (&self.dialog, &self.turn) {
            (Some(Dialog { answer: Some(_), .. }), _) => Status::Asking,
            (Some(_), _) => Status::Dialog,
            (None, Some(_)) => Status::Busy,
            (None, None) => Status::Idle,
        };
        self.stage.session.state(status);
    }

    /// Whether the puppet must hang now.
    fn hear(&mut self, news: News) -> bool {
        match news {
            News::Line(line) => self.lines.push(format!("● {line}")),
            News::Ask { title, text, choices, answer } => {
                self.dialog = Some(Dialog { title, text, choices, marked: 0, answer: Some(answer) });
            }
            News::Over { back, .. } => {
                self.turn = None;
                if let Some(prompt) = back.filter(|_| self.editor.is_empty()) {
                    self.editor.set(&prompt);
                }
            }
            News::Exit => self.exit = Some(0),
            News::Crash(code) => self.exit = Some(code.max(1)),
            News::Hang => return true,
            News::Woken(text) => self.woken.push_back(text),
        }
        self.note_state();
        false
    }

    /// Begin the next turn, where there is something to do. What wakes the agent leaves the draft alone, and waits
    /// behind a dialog.
    fn go_on(&mut self) {
        if self.turn.is_some() || self.dialog.is_some() {
            return;
        }
        let Some(prompt) = self.queued.pop_front().or_else(|| self.woken.pop_front()) else { return };
        self.lines.push(format!("> {prompt}"));
        let interrupt = Arc::new(AtomicBool::new(false));
        self.turn = Some((Arc::clone(&interrupt), Instant::now()));
        self.note_state();
        let stage = Arc::clone(&self.stage);
        std::thread::spawn(move || play(&stage, &prompt, &interrupt));
    }

    fn press(&mut self, key: Key) {
        if self.dialog.is_some() {
            return self.press_in_dialog(&key);
        }
        match key {
            Key::Text(text) | Key::Paste(text) => self.editor.insert(&text),
            Key::Newline => self.editor.insert("\n"),
            Key::Enter => self.send(),
            Key::Backspace => self.editor.backspace(),
            Key::Left => self.editor.left(),
            Key::Right => self.editor.right(),
            Key::Up => self.editor.up(),
            Key::Down => self.editor.down(),
            Key::Home | Key::Control('a') => self.editor.home(),
            Key::End | Key::Control('e') => self.editor.end(),
            Key::Control('u') => self.editor.kill_line(),
            Key::Control('w') => self.editor.kill_word(),
            Key::Control('c') => self.interrupt(),
            Key::Control('d') if self.editor.is_empty() => self.exit = Some(0),
            Key::Escape => {
                if let Some((interrupt, _)) = &self.turn {
                    interrupt.store(true, Ordering::SeqCst);
                }
            }
            Key::Tab | Key::Control(_) => {}
        }
    }

    fn interrupt(&mut self) {
        let is_second = self.last_interrupt.is_some_and(|last| last.elapsed() < AGAIN);
        if let Some((interrupt, _)) = &self.turn {
            interrupt.store(true, Ordering::SeqCst);
        } else if !self.editor.is_empty() {
            self.editor.clear();
        } else if is_second {
            self.exit = Some(0);
        }
        self.last_interrupt = Some(Instant::now());
    }

    fn send(&mut self) {
        if self.editor.text().trim().is_empty() {
            return;
        }
        let text = self.editor.take();
        match text.trim() {
            "/exit" => self.exit = Some(0),
            "/usage" => self.open("Usage", "Tokens are in the transcript."),
            "/help" => self.open("Help", "Type a prompt and press Enter. /usage, /exit."),
            _ => self.queued.push_back(text),
        }
    }

    fn open(&mut self, title: &str, text: &str) {
        let (title, text) = (title.to_owned(), text.to_owned());
        self.dialog = Some(Dialog { title, text, choices: Vec::new(), marked: 0, answer: None });
        self.note_state();
    }

    /// Enter takes the marked choice, and the first one is marked: so it is with the real ones.
    fn press_in_dialog(&mut self, key: &Key) {
        let Some(dialog) = &mut self.dialog else { return };
        let last = dialog.choices.len().saturating_sub(1);
        let chosen = match key {
            Key::Up => {
                dialog.marked = dialog.marked.saturating_sub(1);
                return;
            }
            Key::Down => {
                dialog.marked = (dialog.marked + 1).min(last);
                return;
            }
            Key::Enter => Some(dialog.marked),
            Key::Text(text) => match text.chars().next().and_then(|letter| letter.to_digit(10)) {
                Some(number @ 1..) if (number as usize) <= dialog.choices.len() => Some(number as usize - 1),
                _ => return,
            },
            Key::Escape | Key::Control('c') => None,
            _ => return,
        };
        if let Some(answer) = self.dialog.take().and_then(|dialog| dialog.answer) {
            if let (None, Some((interrupt, _))) = (chosen, &self.turn) {
                interrupt.store(true, Ordering::SeqCst);
            }
            let _ = answer.send(chosen);
        }
        self.note_state();
    }

    fn draw(&self) {
        let (columns, rows) = tty::size();
        let spin = |since: &Instant| {
            let frame = usize::try_from(since.elapsed().as_millis() / 250).unwrap_or(0);
            SPINNER.get(frame % SPINNER.len()).copied().unwrap_or('⠂')
        };
        let spinner = self.turn.as_ref().map(|(_, since)| (spin(since), since.elapsed().as_secs()));
        let title = match (&self.dialog, spinner) {
            (Some(Dialog { answer: Some(_), .. }), _) => "! puppet asks".to_owned(),
            (None, Some((letter, _))) => format!("{letter} puppet"),
            _ => "* puppet".to_owned(),
        };
        let front = match &self.dialog {
            Some(Dialog { title, text, choices, marked, answer }) => Front::Dialog {
                title,
                text,
                choices,
                marked: *marked,
                hint: match answer {
                    Some(_) if title == "Question" => "Enter to select · Esc to cancel",
                    Some(_) => "Do you want to proceed? · Enter to confirm · Esc to cancel",
                    None => "Esc to close",
                },
            },
            None => Front::Box(&self.editor),
        };
        let draft = self.editor.text();
        let menu = COMMANDS.iter().filter(|name| draft.starts_with('/') && name.starts_with(&draft));
        let footer = match &self.turn {
            Some(_) => "esc to interrupt",
            None if self.editor.is_empty() => "/help for help",
            None => "",
        };
        let queued: Vec<String> = self.queued.iter().cloned().collect();
        let picture = Picture {
            lines: &self.lines,
            queued: &queued,
            busy: spinner
                .filter(|_| self.dialog.is_none())
                .map(|(letter, seconds)| format!("{letter} Working… ({seconds}s)")),
            front,
            menu: menu.map(|name| (*name).to_owned()).collect(),
            footer: footer.to_owned(),
            title,
        };
        tty::write(&picture.paint(columns, rows));
    }
}
