//! `sb demo`: a human and two agents at work in a throw-away home, with the real program and no model.
//!
//! Each agent is a process of its own below this one, registered by the same hook that agent CLIs call, so
//! that identity, review and refusals are the real ones.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::context::Context;
use crate::identity::CAPABILITY;
use crate::ui::Paint;
use signalbox_desk::error::{CommandError, Kind};

/// Nothing of yours is read or changed, and nothing is sent anywhere. It takes a second or two.
#[derive(clap::Args)]
pub struct Arguments {
    /// Keep the demo's home and say where it is
    #[arg(long)]
    keep: bool,
    /// Be one of the demo's agents: carry out the commands that come on standard input
    #[arg(long, value_name = "NAME", hide = true)]
    agent: Option<String>,
}

/// What an agent prints when a command has ended.
const END: &str = "\u{4}";

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match &arguments.agent {
        Some(name) => be_agent(name),
        None => {
            let stage = Stage::new(cx)?;
            let played = stage.play();
            if arguments.keep {
                cx.ui.status(&format!("The demo's home is {}.", stage.root.display()));
            } else {
                std::fs::remove_dir_all(&stage.root)?;
            }
            played
        }
    }
}

/// Where the demo plays.
struct Stage<'a> {
    cx: &'a Context,
    root: PathBuf,
    program: PathBuf,
}

impl<'a> Stage<'a> {
    fn new(cx: &'a Context) -> Result<Self, CommandError> {
        let name = format!("signalbox-demo-{:016x}", signalbox_store::entropy::number());
        let root = std::env::temp_dir().join(name);
        let stage = Self { cx, root, program: std::env::current_exe()? };
        for folder in ["home", "shop"] {
            signalbox_store::files::create_private_dir(&stage.root.join(folder))?;
        }
        // Whoever runs the demo plays the human in it, also an agent.
        let config = b"[identity]\nagent_programs = []\n";
        signalbox_store::files::replace(
            &stage.root.join("home/config.toml"),
            config,
            signalbox_store::files::PRIVATE,
        )?;
        Ok(stage)
    }

    fn play(&self) -> Result<(), CommandError> {
        self.say(
            "A human makes a directory a project and files three tickets. The third waits for the first.",
        )?;
        self.human(&["init"])?;
        let limit = self.file(&[
            "new",
            "Limit logins to 5 a minute",
            "--priority",
            "high",
            "--accept",
            "the 6th login in a minute gets a 429",
        ])?;
        let page = self.file(&["new", "Show the price with tax"])?;
        self.file(&["new", "Document the login limit", "--depends-on", &limit])?;
        self.human(&["list"])?;

        self.say("Two agents start. Each gets its own identity and claims what is most urgent; they cannot get the same.")?;
        let mut ada = self.agent("ada")?;
        let mut bowie = self.agent("bowie")?;
        ada.sb(self, &["pop"])?;
        bowie.sb(self, &["pop"])?;

        self.say("Ada cannot hand work in without saying what she did, and cannot review it herself.")?;
        ada.sb(self, &["submit"])?;
        ada.sb(
            self,
            &["submit", "-m", "Token bucket in front of the login handler, with a test for the 6th login."],
        )?;
        ada.sb(self, &["approve", &limit])?;

        self.say(
            "Bowie had nothing to do with it, reviews it and sends it back. Ada mends it; Bowie approves.",
        )?;
        bowie.sb(self, &["review", &limit])?;
        bowie.sb(self, &["reject", &limit, "The bucket is per process; two servers allow ten logins."])?;
        ada.sb(self, &["pick"])?;
        ada.sb(self, &["submit", "-m", "The bucket is in the database now."])?;
        bowie.sb(self, &["approve", &limit, "-m", "Holds with two servers."])?;

        self.say("What waited is open by itself. An agent cannot put a ticket on hold; the human can, with a reason.")?;
        bowie.sb(self, &["hold", &page, "I would rather not"])?;
        self.human(&["hold", &page, "The tax rates come on Monday"])?;
        self.human(&["list", "--all"])?;

        self.say("What an agent may do is judged by what a command would do, not by how it is written. The human makes Ada a doer.")?;
        self.human(&[
            "session",
            "set",
            "--session",
            "ada",
            "--role",
            "doer",
            "--branch",
            "api/limit",
            "--worktree",
            ".",
        ])?;
        for command in [
            "cargo test 2>&1 | tail -40",
            "env X=1 timeout 9 bash -c 'rm -rf te*ts'",
            "cd /tmp && git -C ../shop push origin HEAD:main",
            "echo done >> ~/.bashrc",
        ] {
            self.human(&["rules", "test", "--session", "ada", command])?;
        }

        self.say("The whole story is markdown, and one line of JSON an event. It can be asked who had to do with a ticket.")?;
        self.human(&["show", &limit])?;
        self.human(&["query", "--report", "touches", "--ticket", &limit])?;
        self.human(&["doctor"])?;
        self.say("Try it on a project of yours: `sb init`, then `sb new \"…\"`.")
    }

    fn say(&self, text: &str) -> Result<(), CommandError> {
        self.cx.ui.data(&format!("\n{}\n", self.cx.ui.paint(Paint::Bold, &format!("# {text}"))))
    }

    fn prompt(&self, name: &str, arguments: &[&str]) -> Result<(), CommandError> {
        let shown: Vec<String> = arguments
            .iter()
            .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
            .collect();
        let prompt = self.cx.ui.paint(Paint::Cyan, &format!("{name}$ sb {}", shown.join(" ")));
        self.cx.ui.data(&format!("{prompt}\n"))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().env("HOME", self.root.join("home")).env("SIGNALBOX_HOME", self.root.join("home"));
        command.current_dir(self.root.join("shop"));
        command
    }

    /// Run a command as the human and show what it says.
    fn human(&self, arguments: &[&str]) -> Result<String, CommandError> {
        self.prompt("human", arguments)?;
        let output = self.command().args(arguments).stdin(Stdio::null()).output()?;
        let text = self.without_root(&[output.stderr.as_slice(), output.stdout.as_slice()].concat());
        self.cx.ui.data(&text)?;
        // A rule that says no is what the demo is there to show.
        let shown =
            arguments.first() == Some(&"rules") && output.status.code() == Some(Kind::Precondition as i32);
        if !output.status.success() && !shown {
            return Err(CommandError::new(
                Kind::Failure,
                "demo.failed",
                format!("`sb {}` failed", arguments.join(" ")),
            ));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// File a ticket; the answer is its id.
    fn file(&self, arguments: &[&str]) -> Result<String, CommandError> {
        self.human(arguments)
    }

    fn agent(&self, name: &str) -> Result<AgentProcess, CommandError> {
        let mut child = self
            .command()
            .args(["demo", "--agent", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let broken = || CommandError::new(Kind::Failure, "demo.agent", "a demo agent did not start");
        let input = child.stdin.take().ok_or_else(broken)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(broken)?);
        let mut agent = AgentProcess { name: name.to_owned(), child, input: Some(input), output };
        agent.read_answer()?;
        Ok(agent)
    }

    fn without_root(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).replace(&format!("{}/", self.root.display()), "…/")
    }
}

/// One of the demo's agents, seen from the stage.
struct AgentProcess {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl AgentProcess {
    fn sb(&mut self, stage: &Stage<'_>, arguments: &[&str]) -> Result<(), CommandError> {
        stage.prompt(&self.name, arguments)?;
        if let Some(input) = &mut self.input {
            writeln!(input, "{}", serde_json::to_string(arguments)?)?;
            input.flush()?;
        }
        let answer = self.read_answer()?;
        stage.cx.ui.data(&stage.without_root(answer.as_bytes()))
    }

    fn read_answer(&mut self) -> Result<String, CommandError> {
        let mut answer = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 || line.trim_end() == END {
                return Ok(answer);
            }
            answer.push_str(&line);
        }
    }
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        // The end of its input is the end of the agent.
        self.input = None;
        let _ = self.child.wait();
    }
}

/// The agent's side: start a session through the hook, then carry out command after command.
fn be_agent(name: &str) -> Result<(), CommandError> {
    let program = std::env::current_exe()?;
    let home = std::env::var_os("SIGNALBOX_HOME").map(PathBuf::from).unwrap_or_default();
    let capability = start_session(&program, &home, name)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{END}")?;
    for line in std::io::stdin().lock().lines() {
        let arguments: Vec<String> = serde_json::from_str(&line?)?;
        let output = Command::new(&program)
            .args(&arguments)
            .env(CAPABILITY, &capability)
            .stdin(Stdio::null())
            .output()?;
        stdout.write_all(&output.stderr)?;
        stdout.write_all(&output.stdout)?;
        writeln!(stdout, "{END}")?;
        stdout.flush()?;
    }
    Ok(())
}

fn start_session(program: &Path, home: &Path, name: &str) -> Result<String, CommandError> {
    let variables = home.join(format!("{name}.env"));
    let mut hook = Command::new(program)
        .args(["hook", "session-start"])
        .env("CLAUDE_ENV_FILE", &variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let payload =
        serde_json::json!({ "session_id": name, "cwd": std::env::current_dir()?, "source": "startup" });
    if let Some(mut input) = hook.stdin.take() {
        input.write_all(payload.to_string().as_bytes())?;
    }
    hook.wait()?;
    let text = std::fs::read_to_string(&variables)?;
    let capability = text.lines().find_map(|line| line.split_once('=')).map(|(_, word)| word.to_owned());
    capability
        .ok_or_else(|| CommandError::new(Kind::Failure, "demo.session", "the hook minted no capability"))
}
