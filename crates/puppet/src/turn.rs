//! One prompt, from its hooks to the last word. It runs on a thread of its own, and tells and asks through a channel.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hooks::Hooks;
use crate::script::{Script, Step, Tool};
use crate::session::{Session, new_id};

/// What a turn tells the one who shows it.
pub(crate) enum News {
    /// A line for the person to read.
    Line(String),
    /// A question, the choices, and where the number of the choice goes; `None` for an interrupt.
    Ask {
        title: String,
        text: String,
        choices: Vec<String>,
        answer: Sender<Option<usize>>,
    },
    /// The turn is over. `back` holds the prompt where it was interrupted before anything was said.
    Over {
        last: String,
        back: Option<String>,
    },
    /// End in order.
    Exit,
    /// End at once with this code.
    Crash(u8),
    Hang,
    /// A waiter woke the agent with these words.
    Woken(String),
}

/// All that turns have in common.
pub(crate) struct Stage {
    pub(crate) session: Session,
    pub(crate) hooks: Hooks,
    pub(crate) script: Mutex<Script>,
    pub(crate) allow_all: bool,
    /// Nobody can be asked.
    pub(crate) is_headless: bool,
    news: Mutex<Sender<News>>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Stage {
    pub(crate) fn new(
        session: Session,
        hooks: Hooks,
        script: Script,
        wake: Box<dyn Fn() + Send + Sync>,
    ) -> (Self, Receiver<News>) {
        let (sender, receiver) = channel();
        let (allow_all, is_headless) = (false, false);
        let script = Mutex::new(script);
        (Self { session, hooks, script, allow_all, is_headless, news: Mutex::new(sender), wake }, receiver)
    }

    pub(crate) fn tell(&self, news: News) {
        let _ = self.news.lock().unwrap_or_else(PoisonError::into_inner).send(news);
        (self.wake)();
    }

    /// Run the hooks of an event; the payload gets these members besides the common ones.
    pub(crate) fn hook(self: &Arc<Self>, event: &str, more: &Value) -> crate::hooks::Verdict {
        let mut payload = self.session.payload(event);
        for (name, value) in more.as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        let mut wakes = |child: Child| {
            let stage = Arc::clone(self);
            std::thread::spawn(move || stage.wait_for_waiter(child));
        };
        self.hooks.run(event, &payload, &mut wakes)
    }

    /// A waiter that ends with 2 wakes the agent with what it wrote to standard error.
    fn wait_for_waiter(&self, child: Child) {
        let Ok(output) = child.wait_with_output() else { return };
        if output.status.code() == Some(2) {
            self.tell(News::Woken(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
    }
}

/// Play the script for a prompt.
pub(crate) fn play(stage: &Arc<Stage>, prompt: &str, interrupt: &AtomicBool) {
    let verdict = stage.hook("UserPromptSubmit", &json!({ "prompt": prompt }));
    if let Some(reason) = verdict.refusal {
        stage.tell(News::Line(format!("Blocked by a hook: {reason}")));
        stage.tell(News::Over { last: String::new(), back: None });
        return;
    }
    stage.session.said(prompt);
    let steps = stage.script.lock().unwrap_or_else(PoisonError::into_inner).steps(prompt);
    let (mut last, mut is_quiet) = (String::new(), true);
    for step in steps {
        if interrupt.load(Ordering::SeqCst) {
            let back = is_quiet.then(|| prompt.to_owned());
            stage.tell(News::Over { last, back });
            return;
        }
        match step {
            Step::Think(ms) => pause(ms, interrupt),
            Step::Say(text) => {
                last = text.replace("{prompt}", prompt);
                is_quiet = false;
                stage.session.answered(prompt, &json!({ "type": "text", "text": last }));
                stage.tell(News::Line(last.clone()));
            }
            Step::Tool(tool) => {
                is_quiet = false;
                if !use_tool(stage, prompt, &tool, interrupt) {
                    stage.tell(News::Over { last, back: None });
                    return;
                }
            }
            Step::Question { text, choices } => {
                is_quiet = false;
                let answer = ask(stage, "Question", &text, &choices);
                let chosen = answer.and_then(|at| choices.get(at).cloned()).unwrap_or_default();
                stage.tell(News::Line(format!("Answered: {chosen}")));
            }
            Step::Fail { error, seconds } => {
                let until = seconds.map(|seconds| crate::clock::now() / 1000 + seconds);
                let said = until.map_or_else(
                    || format!("API Error: {error}"),
                    |until| format!("Puppet usage limit reached|{until}"),
                );
                stage.tell(News::Line(said.clone()));
                stage.hook("StopFailure", &json!({ "error": error, "last_assistant_message": said }));
                stage.tell(News::Over { last: said, back: None });
                return;
            }
            Step::Exit => return stage.tell(News::Exit),
            Step::Crash(code) => return stage.tell(News::Crash(code)),
            Step::Hang => return stage.tell(News::Hang),
        }
    }
    if interrupt.load(Ordering::SeqCst) {
        stage.tell(News::Over { last, back: is_quiet.then(|| prompt.to_owned()) });
        return;
    }
    stage.hook("Stop", &json!({ "stop_hook_active": false, "last_assistant_message": last }));
    stage.tell(News::Over { last, back: None });
}

/// Whether the turn goes on.
fn use_tool(stage: &Arc<Stage>, prompt: &str, tool: &Tool, interrupt: &AtomicBool) -> bool {
    let id = format!("toolu_{}", new_id());
    stage
        .session
        .answered(prompt, &json!({ "type": "tool_use", "id": id, "name": tool.name, "input": tool.input }));
    let call = json!({ "tool_name": tool.name, "tool_input": tool.input, "tool_use_id": id });
    let before = stage.hook("PreToolUse", &call);
    if let Some(reason) = before.refusal {
        stage.tell(News::Line(format!("{}({}): refused: {reason}", tool.name, tool.line())));
        return true;
    }
    if tool.ask && !before.is_allowed && !stage.allow_all {
        let request =
            json!({ "tool_name": tool.name, "tool_input": tool.input, "permission_suggestions": [] });
        let verdict = if stage.is_headless {
            crate::hooks::Verdict { refusal: Some("nobody is there to ask".to_owned()), is_allowed: false }
        } else {
            stage.hook("PermissionRequest", &request)
        };
        let is_allowed = verdict.is_allowed || {
            let choices = ["Yes".to_owned(), "No, and tell it what to do differently".to_owned()];
            verdict.refusal.is_none()
                && ask(stage, &format!("{} command", tool.name), &tool.line(), &choices) == Some(0)
        };
        if !is_allowed {
            stage.tell(News::Line(format!("{}({}): not allowed", tool.name, tool.line())));
            return stage.is_headless;
        }
    }
    stage.tell(News::Line(format!("{}({})", tool.name, tool.line())));
    pause(tool.ms, interrupt);
    if interrupt.load(Ordering::SeqCst) {
        return false;
    }
    let came_of_it = tool.perform();
    for line in came_of_it.output.lines().filter(|_| tool.run) {
        stage.tell(News::Line(format!("  {line}")));
    }
    let mut done = call;
    done["duration_ms"] = json!(tool.ms);
    if came_of_it.succeeded {
        done["tool_response"] = tool.response(&came_of_it);
        stage.hook("PostToolUse", &done);
    } else {
        done["error"] = json!(came_of_it.output);
        stage.hook("PostToolUseFailure", &done);
    }
    true
}

fn ask(stage: &Stage, title: &str, text: &str, choices: &[String]) -> Option<usize> {
    let (answer, answered) = channel();
    let (title, text, choices) = (title.to_owned(), text.to_owned(), choices.to_vec());
    stage.tell(News::Ask { title, text, choices, answer });
    answered.recv().ok().flatten()
}

/// Be busy, until it is over or somebody interrupts.
fn pause(ms: u64, interrupt: &AtomicBool) {
    let end = Instant::now() + Duration::from_millis(ms);
    while !interrupt.load(Ordering::SeqCst) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(5)));
    }
}
