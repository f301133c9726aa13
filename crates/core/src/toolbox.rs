//! Which tools of `sb mcp` a session has: its role decides. The server, the rules and the reference page read this one
//! table.

use crate::refusal::Refusal;
use crate::role::Role;

/// What a role says about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// What the server calls it.
    pub name: &'static str,
    /// It changes nothing at all, not even who may review.
    pub reads_only: bool,
    /// Who has it, besides people.
    pub roles: &'static [Role],
    /// What those do who do not have it.
    instead: &'static str,
}

/// Those who do the work of a ticket.
const WORKERS: &[Role] = &[Role::Assistant, Role::Lead, Role::TestWriter, Role::Doer, Role::Worker];
/// Those who judge it. Nobody judges what they had a hand in, whatever their role: that is decided by lineage.
const REVIEWERS: &[Role] = &[Role::Assistant, Role::Reviewer];
/// Those who stay at something long enough for it to be watched.
const WATCHED: &[Role] =
    &[Role::Assistant, Role::Orchestrator, Role::Lead, Role::TestWriter, Role::Doer, Role::Worker];

const NOT_YOURS_TO_WORK: &str =
    "Whoever works on tickets takes it: file it with `new_ticket`, or say in a note what it needs.";
const NOT_YOURS_TO_JUDGE: &str =
    "Work is judged by a reviewer who had no part in it. Say in a note (`add_note`) what they should know.";
const NOT_YOURS_TO_WATCH: &str = "If something should be watched, say so in a note: `add_note`.";

/// Every tool, in the order in which clients are told of them.
pub const TOOLBOX: &[Tool] = &[
    reads("context"),
    reads("get_status"),
    reads("list_tickets"),
    changes("show_ticket", Role::ALL, ""),
    changes("new_ticket", Role::ALL, ""),
    changes("pick_ticket", WORKERS, NOT_YOURS_TO_WORK),
    changes("add_note", Role::ALL, ""),
    changes("submit_ticket", WORKERS, NOT_YOURS_TO_WORK),
    changes("review_ticket", REVIEWERS, NOT_YOURS_TO_JUDGE),
    changes("approve_ticket", REVIEWERS, NOT_YOURS_TO_JUDGE),
    changes("reject_ticket", REVIEWERS, NOT_YOURS_TO_JUDGE),
    changes("draft_escalation", Role::ALL, ""),
    changes("signal_goal", Role::ALL, ""),
    reads("list_goal_types"),
    reads("get_usage"),
    reads("list_monitors"),
    reads("list_monitor_types"),
    changes("add_monitor", WATCHED, NOT_YOURS_TO_WATCH),
    changes("remove_monitor", WATCHED, NOT_YOURS_TO_WATCH),
    reads("list_notifiers"),
    reads("list_notifier_types"),
    changes("add_notifier", WATCHED, NOT_YOURS_TO_WATCH),
    changes("remove_notifier", WATCHED, NOT_YOURS_TO_WATCH),
];

const fn reads(name: &'static str) -> Tool {
    Tool { name, reads_only: true, roles: Role::ALL, instead: "" }
}

const fn changes(name: &'static str, roles: &'static [Role], instead: &'static str) -> Tool {
    Tool { name, reads_only: false, roles, instead }
}

/// How agent CLIs begin the name of a tool of the server that `sb mcp install` or the plugin put there.
const SERVERS: &[&str] =
    &["mcp__signalbox__", "mcp__plugin_sb_signalbox__", "mcp_signalbox_", "signalbox__", "signalbox-"];

impl Tool {
    pub fn is_for(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Refuse it to a role that does not have it.
    pub fn allow(&self, role: Role) -> Result<(), Refusal> {
        if self.is_for(role) {
            return Ok(());
        }
        let with: Vec<String> = self.roles.iter().map(|role| role.with_article()).collect();
        let who = with.join(" or ");
        let message = format!("this session is {}, and `{}` is for {who}", role.with_article(), self.name);
        Err(Refusal::new("role.tool", message).hint(self.instead))
    }
}

/// The tool that the server calls so.
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLBOX.iter().find(|tool| tool.name == name)
}

/// The tool that an agent CLI calls so, if it is one of ours. It is a name and no proof: another server could be given
/// ours, by a person or in a file that agents may not write. So it only opens what `sb` in a shell may do as well.
pub fn called(tool: &str) -> Option<&'static Tool> {
    SERVERS.iter().find_map(|server| named(tool.strip_prefix(server)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(role: Role) -> Vec<&'static str> {
        TOOLBOX.iter().filter(|tool| tool.is_for(role)).map(|tool| tool.name).collect()
    }

    #[test]
    fn each_is_there_once_and_says_what_to_do_instead() {
        for (at, tool) in TOOLBOX.iter().enumerate() {
            assert!(TOOLBOX[..at].iter().all(|before| before.name != tool.name), "{}", tool.name);
            assert_eq!(tool.instead.is_empty(), tool.roles.len() == Role::ALL.len(), "{}", tool.name);
        }
    }

    #[test]
    fn nobody_both_works_and_judges_but_who_is_watched() {
        for role in Role::ALL {
            let has = of(*role);
            let both = has.contains(&"submit_ticket") && has.contains(&"approve_ticket");
            assert!(!both || role.is_watched(), "{role}");
        }
        assert!(!of(Role::Reviewer).contains(&"pick_ticket") && !of(Role::Reviewer).contains(&"add_monitor"));
        assert!(
            !of(Role::Shaper).contains(&"pick_ticket") && !of(Role::Orchestrator).contains(&"review_ticket")
        );
    }

    #[test]
    fn a_refusal_says_why_and_what_to_do() {
        let refusal = named("approve_ticket").unwrap().allow(Role::Doer).unwrap_err();
        assert_eq!(
            refusal.message,
            "this session is a doer, and `approve_ticket` is for an assistant or a reviewer"
        );
        assert_eq!(refusal.hint.as_deref(), Some(NOT_YOURS_TO_JUDGE));
    }

    #[test]
    fn names_in_the_clis() {
        for name in ["mcp__signalbox__add_note", "mcp__plugin_sb_signalbox__add_note", "signalbox-add_note"] {
            assert_eq!(called(name).map(|tool| tool.name), Some("add_note"), "{name}");
        }
        for name in
            ["add_note", "mcp__signalbox__rm", "mcp__signalbox2__add_note", "mcp__x__signalbox__add_note"]
        {
            assert_eq!(called(name), None, "{name}");
        }
    }
}
