//! What the puppet does on each prompt.
//!
//! ```json
//! {"echo_delay_ms": 0,
//!  "prompts": [{"match": "fix", "steps": [{"think": 300}, {"tool": {"name": "Bash", "input": {"command": "ls"}, "ask": true}},
//!                                         {"say": "Done."}]}],
//!  "otherwise": [{"think": 200}, {"say": "You said: {prompt}"}]}
//! ```
//!
//! A tool with `"run": true` is really run: `Bash` its command, `Write` its file.

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Script {
    /// How late a key is shown, in milliseconds.
    pub(crate) echo_delay_ms: u64,
    /// How long the start takes, in milliseconds. Keys pressed meanwhile are lost.
    pub(crate) start_ms: u64,
    /// Each is used once, the first that fits.
    pub(crate) prompts: Vec<Scene>,
    /// What it does on any other prompt.
    pub(crate) otherwise: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scene {
    /// Words in the prompt; any prompt fits where there are none.
    #[serde(default, rename = "match")]
    pub(crate) words: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// Be busy for so many milliseconds.
    Think(u64),
    /// Say something; `{prompt}` stands for the prompt.
    Say(String),
    Tool(Tool),
    Question {
        text: String,
        choices: Vec<String>,
    },
    /// The turn ends with an error, as when an account is empty.
    Fail {
        /// As Claude Code calls it: `rate_limit`.
        error: String,
        /// In how many seconds there is something again, if it says so.
        #[serde(default)]
        seconds: Option<u64>,
    },
    /// End in order, as somebody does who has seen enough.
    Exit,
    /// End at once with this code, and clean nothing up.
    Crash(u8),
    /// Take no key any more.
    Hang,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    #[serde(default = "bash")]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) input: Value,
    /// Whether the person is asked.
    #[serde(default)]
    pub(crate) ask: bool,
    /// How long it runs, in milliseconds.
    #[serde(default)]
    pub(crate) ms: u64,
    #[serde(default)]
    pub(crate) output: String,
    /// Whether it is really run: a command, or a file that is written.
    #[serde(default)]
    pub(crate) run: bool,
}

/// What came of a tool.
pub(crate) struct Done {
    pub(crate) output: String,
    pub(crate) succeeded: bool,
}

#[expect(clippy::disallowed_methods, reason = "as carelessly as agent CLIs write files")]
fn write(path: &str, content: &str) -> Done {
    match std::fs::write(path, content) {
        Ok(()) => Done { output: String::new(), succeeded: true },
        Err(error) => Done { output: error.to_string(), succeeded: false },
    }
}

fn shell(command: &str) -> Done {
    let ran = std::process::Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(std::process::Stdio::null())
        .output();
    match ran {
        Ok(ran) => {
            let output = [ran.stdout, ran.stderr].concat();
            Done { output: String::from_utf8_lossy(&output).into_owned(), succeeded: ran.status.success() }
        }
        Err(error) => Done { output: error.to_string(), succeeded: false },
    }
}

fn bash() -> String {
    "Bash".to_owned()
}

impl Default for Script {
    fn default() -> Self {
        let otherwise = vec![Step::Think(300), Step::Say("You said: {prompt}".to_owned())];
        Self { echo_delay_ms: 0, start_ms: 0, prompts: Vec::new(), otherwise }
    }
}

impl Script {
    pub(crate) fn load(path: Option<&std::path::Path>) -> std::io::Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(path)?;
        serde_json::from_str(&text).map_err(std::io::Error::other)
    }

    /// The steps for a prompt.
    pub(crate) fn steps(&mut self, prompt: &str) -> Vec<Step> {
        match self.prompts.iter().position(|scene| prompt.contains(&scene.words)) {
            Some(at) => self.prompts.remove(at).steps,
            None => self.otherwise.clone(),
        }
    }
}

impl Tool {
    /// What a hook is told of its result.
    pub(crate) fn response(&self, done: &Done) -> Value {
        json!({ "stdout": done.output, "stderr": "", "interrupted": false, "isImage": false })
    }

    /// Do it, or say what the script says came of it.
    pub(crate) fn perform(&self) -> Done {
        let text = |key: &str| self.input.get(key).and_then(Value::as_str);
        match (self.run, text("command"), text("file_path")) {
            (true, Some(command), _) => shell(command),
            (true, None, Some(path)) => write(path, text("content").unwrap_or_default()),
            _ => Done { output: self.output.clone(), succeeded: true },
        }
    }

    /// What a person reads of it.
    pub(crate) fn line(&self) -> String {
        let text = |key: &str| self.input.get(key).and_then(Value::as_str);
        text("command").or_else(|| text("file_path")).unwrap_or_default().to_owned()
    }
}
