//! Who plays: scripted agents, or the person's own Claude Code. What each needs, and how much of the plan it plays.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use signalbox_core::text;
use signalbox_desk::error::{CommandError, Kind};
use signalbox_store::files;
use signalbox_store::plan::Plan;

use super::stage::Stage;
use super::{PROJECT, plan, repository};
use crate::context::Context;
use crate::installing::{agreed, on_path};

/// Who works on the tickets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    Puppet,
    Claude,
}

/// What of the person's environment scripted agents see, besides the path to programs.
const PASSED: &[&str] = &["LANG", "LC_ALL", "LC_CTYPE", "TERM", "COLORTERM", "NO_COLOR", "TZ"];
/// What nobody gets who is started from here: it says who somebody else is, or where their things are.
const KEPT_BACK: &[&str] = &["CLAUDECODE", "CLAUDE_ENV_FILE", "SIGNALBOX_", "PUPPET_", "GIT_"];
/// The tickets that Claude Code works on. All eight would cost as much again for the same sight.
const FOR_CLAUDE: &[&str] = &["total", "receipt"];
/// What Claude Code may do in its workspace without anybody being asked.
const APPROVED: &str = "tools = [\"Write\", \"Edit\"]\n\
     commands = [\"git *\", \"sb *\", \"./check\", \"./check *\", \"./till\", \"./till *\", \"sh tests/*\", \"cat *\", \"ls\", \"ls *\", \
     \"chmod +x *\"]\n";

impl Driver {
    pub fn named(name: &str) -> Result<Self, CommandError> {
        match name {
            "puppet" => Ok(Self::Puppet),
            "claude" => Ok(Self::Claude),
            other => {
                let message = format!("the demo cannot be played by `{}`", text::one_line(other));
                Err(CommandError::usage("demo.driver", message)
                    .hint("Say `--driver claude` for your own Claude Code, or nothing for scripted agents."))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Puppet => "puppet",
            Self::Claude => "claude",
        }
    }

    /// Whether it can play, and may.
    pub fn must_be_ready(self, cx: &Context, may_spend: bool) -> Result<(), CommandError> {
        if self == Self::Puppet {
            return Ok(());
        }
        if on_path("claude").is_none() {
            let known = signalbox_drivers::find(self.name()).map_or("", |driver| driver.launch.how_to_get);
            let message = "the program `claude` is not on PATH, so Claude Code cannot play the demo";
            return Err(CommandError::precondition("demo.no-claude", message)
                .hint(known)
                .hint("`sb demo` without `--driver` plays it with scripted agents."));
        }
        cx.ui.status(&format!(
            "Your own Claude Code works on {} tickets, in the roles of test-writer, doer and reviewer: at least {} sessions,\n\
             with your login and at your cost. They work in a folder of the demo; hooks are given to them on the command\n\
             line, and your settings stay as they are. Claude Code keeps its own transcripts of them in your home.",
            FOR_CLAUDE.len(),
            FOR_CLAUDE.len() * 3,
        ));
        if may_spend || agreed("Go on?")? {
            return Ok(());
        }
        Err(CommandError::precondition("demo.not-agreed", "nobody has said that tokens may be spent")
            .hint("`--yes` says so; `sb demo` without `--driver` costs nothing."))
    }

    /// How long nothing at all may happen.
    pub fn patience(self) -> Duration {
        match self {
            Self::Puppet => Duration::from_secs(90),
            Self::Claude => Duration::from_secs(15 * 60),
        }
    }

    /// The tickets it plays.
    pub fn plan(self) -> Result<Plan, CommandError> {
        let mut whole = plan::plan()?;
        if self == Self::Claude {
            whole.tickets.retain(|ticket| FOR_CLAUDE.contains(&ticket.key.as_str()));
        }
        Ok(whole)
    }

    /// Whether it is known beforehand what every file will hold in the end.
    pub fn is_foreseeable(self) -> bool {
        self == Self::Puppet
    }

    /// The variables of all programs: scripted agents get nothing of the person's, Claude Code finds its login as ever.
    pub fn environment(self) -> Vec<(String, OsString)> {
        let is_passed = |name: &str| match self {
            Self::Puppet => PASSED.contains(&name),
            Self::Claude => !KEPT_BACK.iter().any(|kept| name.starts_with(kept)),
        };
        let all = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let mut all: Vec<_> = all.filter(|(name, _)| is_passed(name)).collect();
        if self == Self::Claude {
            // The demo made the folder itself, so nobody has to be asked whether what is in it can be trusted.
            all.push(("CLAUDE_CODE_SANDBOXED".to_owned(), "1".into()));
        }
        all
    }

    /// Whether everybody's home is the demo's folder.
    pub fn has_own_home(self) -> bool {
        self == Self::Puppet
    }

    /// The contract of the repository, with this driver in every role.
    pub fn contract(self, stage: &Stage) -> String {
        let text = repository::CONTRACT.1;
        if self == Self::Puppet {
            return text.to_owned();
        }
        let settings = serde_json::json!(settings(stage)).to_string();
        let role = format!(
            "driver = \"claude\"\nargs = [\"--settings\", {settings}, \"--permission-mode\", \"acceptEdits\"]"
        );
        text.replace("driver = \"puppet\"", &role).replace("stall = \"2m\"", "stall = \"10m\"")
    }

    /// Put the hooks where its agents find them, and say what they may do.
    pub fn install(self, stage: &Stage) -> Result<(), CommandError> {
        let words = ["hooks", "install", "--cli", self.name(), "--no-status-line", "--yes"];
        if self == Self::Puppet {
            return stage.sb(&words).map(drop);
        }
        let settings = settings(stage);
        let folder = settings.parent().unwrap_or(Path::new("/")).to_owned();
        files::create_private_dir(&folder)?;
        stage.sb_with(&words, &[("CLAUDE_CONFIG_DIR", folder.as_os_str())])?;
        let path = stage.home().config();
        let known = files::read_optional(&path)?.unwrap_or_default();
        let known = String::from_utf8(known)
            .map_err(|error| CommandError::new(Kind::Failure, "demo.config", error.to_string()))?;
        let more = format!("{known}\n[projects.{PROJECT}.approve]\n{APPROVED}");
        files::replace(&path, more.as_bytes(), files::PRIVATE)?;
        Ok(())
    }
}

/// Claude Code's settings for the demo alone.
fn settings(stage: &Stage) -> std::path::PathBuf {
    stage.root().join("claude/settings.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_works_on_can_be_filed_alone() {
        let plan = Driver::Claude.plan().unwrap();
        assert_eq!(plan.tickets.len(), FOR_CLAUDE.len());
        assert_eq!(plan.faults(&signalbox_store::plan::Around::default()), Vec::<String>::new());
    }

    #[test]
    fn an_unknown_driver_is_told_who_there_is() {
        let error = Driver::named("clade").unwrap_err();
        assert_eq!(error.kind, Kind::Usage);
        assert!(error.hints[0].contains("--driver claude"));
    }
}
