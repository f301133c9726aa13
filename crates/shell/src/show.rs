//! Effects in short words, for messages and tests: `run rm(listed) -rf a; write /p/a removed`.

use super::effect::{Change, Effect, Effects, GitAct, Nature, Place, Target};
use std::fmt::{Display, Formatter, Result};

impl Display for Effects {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        for (index, effect) in self.list.iter().enumerate() {
            if index > 0 {
                formatter.write_str("; ")?;
            }
            effect.fmt(formatter)?;
        }
        Ok(())
    }
}

impl Display for Effect {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Self::Run { program, nature, .. } => write!(formatter, "run {program}({nature})"),
            Self::Read(target) => write!(formatter, "read {target}"),
            Self::Write(target, Change::Content) => write!(formatter, "write {target}"),
            Self::Write(target, Change::Removed) => write!(formatter, "remove {target}"),
            Self::Write(target, Change::Attributes) => write!(formatter, "attributes {target}"),
            Self::Write(target, Change::Link) => write!(formatter, "link {target}"),
            Self::Git(act) => write!(formatter, "git {act}"),
            Self::Network { program, to: Some(to) } => write!(formatter, "network {program} {to}"),
            Self::Network { program, to: None } => write!(formatter, "network {program}"),
            Self::Enter(target) => write!(formatter, "enter {target}"),
            Self::Opaque(opaque) => {
                let seen = if opaque.unseen { "unseen" } else { "opaque" };
                write!(formatter, "{seen} `{}`", opaque.text.replace('\n', "\\n"))
            }
        }
    }
}

impl Display for Nature {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.write_str(match self {
            Self::Reads => "reads",
            Self::Listed => "listed",
            Self::Builds => "builds",
            Self::Unknown => "unknown",
        })
    }
}

impl Display for Target {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match &self.place {
            Place::At(path) => formatter.write_str(path),
            Place::Among(pattern) => write!(formatter, "among {pattern}"),
            Place::Ending(ending) => write!(formatter, "…{ending}"),
        }
    }
}

impl Display for GitAct {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
        match self {
            Self::Switch { to, creates: true } => write!(formatter, "switch new {}", name(to)),
            Self::Switch { to, creates: false } => write!(formatter, "switch {}", name(to)),
            Self::CreateBranch { name: branch } => write!(formatter, "create-branch {}", name(branch)),
            Self::DeleteBranch { name: branch } => write!(formatter, "delete-branch {}", name(branch)),
            Self::Reset { hard: true } => formatter.write_str("reset hard"),
            Self::Push { force, deletes, everything, remote, to } => {
                formatter.write_str("push")?;
                for (flag, word) in [(force, " force"), (deletes, " deletes"), (everything, " everything")] {
                    if *flag {
                        formatter.write_str(word)?;
                    }
                }
                if let Some(remote) = remote {
                    write!(formatter, " {remote}")?;
                }
                for branch in to {
                    write!(formatter, " {branch}")?;
                }
                Ok(())
            }
            Self::Configure { key: Some(key) } => write!(formatter, "configure {key}"),
            Self::Other { words } => write!(formatter, "other `{words}`"),
            Self::Read => formatter.write_str("read"),
            Self::Stage => formatter.write_str("stage"),
            Self::Commit => formatter.write_str("commit"),
            Self::RenameBranch => formatter.write_str("rename-branch"),
            Self::Merge => formatter.write_str("merge"),
            Self::Rebase => formatter.write_str("rebase"),
            Self::Reset { hard: false } => formatter.write_str("reset"),
            Self::Fetch => formatter.write_str("fetch"),
            Self::Pull => formatter.write_str("pull"),
            Self::Tag => formatter.write_str("tag"),
            Self::Configure { key: None } => formatter.write_str("configure"),
            Self::Worktree => formatter.write_str("worktree"),
            Self::Submodule => formatter.write_str("submodule"),
            Self::Discard => formatter.write_str("discard"),
            Self::Create => formatter.write_str("create"),
        }
    }
}
