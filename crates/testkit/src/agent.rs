//! An agent session in a test: a shell that runs for as long as the agent lives, because identity rests on
//! processes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::clockwork::Clockwork;
use crate::{Run, TestEnv};

/// A registered session. Its commands run below its own process.
#[derive(Debug)]
pub struct Agent {
    pub name: String,
    shell: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    scratch: std::path::PathBuf,
    clockwork: Option<Clockwork>,
}

impl Agent {
    pub(crate) fn start(env: &TestEnv, name: &str) -> Self {
        let mut agent = Self::shell(env, name);
        agent.start_session(name).success();
        agent
    }

    /// A shell that is no agent yet.
    pub fn shell(env: &TestEnv, name: &str) -> Self {
        Self::of(env, name, Command::new("bash"))
    }

    pub(crate) fn terminal(env: &TestEnv, name: &str) -> Self {
        let mut command = Command::new("setsid");
        command.arg("bash");
        Self::of(env, name, command)
    }

    /// A shell under another name: what the kernel takes for the program's name is the file's.
    pub fn program(env: &TestEnv, name: &str, program: &std::path::Path) -> Self {
        Self::of(env, name, Command::new(program))
    }

    fn of(env: &TestEnv, name: &str, mut command: Command) -> Self {
        env.prepare(&mut command);
        let mut shell = command
            .args(["--norc", "--noprofile"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("start bash");
        let input = shell.stdin.take();
        let output = BufReader::new(shell.stdout.take().expect("the shell's output"));
        Self {
            name: name.to_owned(),
            shell,
            input,
            output,
            scratch: env.root().join(format!("{name}.out")),
            clockwork: env.clockwork.clone(),
        }
    }

    pub fn pid(&self) -> u32 {
        self.shell.id()
    }

    /// Call the hook as an agent CLI does when a session begins, and take over the capability it mints.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn start_session(&mut self, id: &str) -> Run {
        let id = quote(id);
        self.run(&format!(
            "printf '{{\"session_id\":\"%s\",\"cwd\":\"%s\",\"source\":\"startup\"}}' {id} \"$PWD\" \
             | CLAUDE_ENV_FILE=\"$HOME/\"{id}.env sb hook session-start && . \"$HOME/\"{id}.env"
        ))
    }

    /// The capability that this shell has in its environment.
    pub fn capability(&mut self) -> String {
        self.run("printf %s \"$SIGNALBOX_SESSION\"").success().stdout
    }

    /// Run `sb` as this agent.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn sb<S: AsRef<str>>(&mut self, arguments: impl IntoIterator<Item = S>) -> Run {
        let words: Vec<String> = arguments.into_iter().map(|word| quote(word.as_ref())).collect();
        self.run(&format!("sb {}", words.join(" ")))
    }

    /// Run any line of shell as this agent. What it sets stays set.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn run(&mut self, line: &str) -> Run {
        let (out, err) = (self.scratch.with_extension("out"), self.scratch.with_extension("err"));
        let variables: String = self
            .clockwork
            .iter()
            .flat_map(Clockwork::next)
            .map(|(name, value)| format!("export {name}={value}\n"))
            .collect();
        let input = self.input.as_mut().expect("the shell's input");
        let script = format!(
            "{variables}{{ {line}\n}} >{} 2>{} </dev/null\necho \"$?\"\n",
            quote(&out.to_string_lossy()),
            quote(&err.to_string_lossy())
        );
        input.write_all(script.as_bytes()).expect("write to the shell");
        input.flush().expect("write to the shell");
        let mut code = String::new();
        self.output.read_line(&mut code).expect("the shell's answer");
        Run {
            stdout: std::fs::read_to_string(out).expect("the output"),
            stderr: std::fs::read_to_string(err).expect("the errors"),
            code: code.trim().parse().ok(),
            what: format!("{}$ {line}", self.name),
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.shell.wait();
    }
}

/// A word as the shell takes it literally.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
