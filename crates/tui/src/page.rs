//! One ticket, open: its tabs, and the rows of each.

use jiff::Timestamp;
use signalbox_desk::{Node, Patch, TicketView};

use crate::markdown;
use crate::message::Trouble;
use crate::paper::{Paper, Row};
use crate::style::{self, Look};
use crate::text;

/// The parts of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    #[default]
    Text,
    Work,
    Story,
    Diff,
}

impl Tab {
    pub const ALL: [Self; 4] = [Self::Text, Self::Work, Self::Story, Self::Diff];

    pub fn title(self) -> &'static str {
        match self {
            Self::Text => "Text",
            Self::Work => "Work",
            Self::Story => "Story",
            Self::Diff => "Diff",
        }
    }

    /// So many further, at the ends around to the other.
    pub fn by(self, step: isize) -> Self {
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        let count = Self::ALL.len();
        Self::ALL[(at + count).saturating_add_signed(step) % count]
    }
}

/// An open ticket.
#[derive(Debug, Default)]
pub struct Page {
    pub id: String,
    pub tab: Tab,
    pub view: Option<Box<TicketView>>,
    pub patch: Option<Patch>,
    /// The revision of the ticket that the diff was asked for.
    pub patch_of: Option<u64>,
    pub trouble: Option<Trouble>,
    /// The first row that is shown.
    pub top: usize,
    /// The row with the link that Enter follows.
    pub link: Option<usize>,
    /// What is shown, made anew when the view, the tab or the width changes.
    pub rows: Vec<Row>,
}

impl Page {
    pub fn new(id: String) -> Self {
        Self { id, ..Self::default() }
    }

    /// Write its rows anew, and stay where one is.
    pub fn lay_out(&mut self, width: usize, height: usize, now: Timestamp) {
        let mut paper = Paper::new(width);
        match (&self.view, &self.trouble) {
            (Some(view), None) => match self.tab {
                Tab::Text => write_text(&mut paper, view, now),
                Tab::Work => write_work(&mut paper, view, now),
                Tab::Story => write_story(&mut paper, view, now),
                Tab::Diff => write_diff(&mut paper, self.patch.as_ref()),
            },
            (_, Some(trouble)) => {
                paper.write(Look::Bad, &trouble.message);
                paper.end();
                for hint in &trouble.hints {
                    paper.write(Look::Dim, hint);
                    paper.end();
                }
            }
            (None, None) => paper.write(Look::Dim, "Reading …"),
        }
        self.rows = paper.rows();
        self.top = self.top.min(self.rows.len().saturating_sub(height.max(1)));
        if self.link.is_some_and(|link| self.rows.get(link).is_none_or(|row| row.leads.is_none())) {
            self.link = None;
        }
    }

    /// Scroll by so many rows.
    pub fn scroll(&mut self, step: isize, height: usize) {
        let last = self.rows.len().saturating_sub(height.max(1));
        self.top = self.top.saturating_add_signed(step).min(last);
    }

    /// Go to the next link, or the one before, and bring it into sight.
    pub fn next_link(&mut self, forward: bool, height: usize) {
        let links: Vec<usize> =
            self.rows.iter().enumerate().filter(|(_, row)| row.leads.is_some()).map(|(at, _)| at).collect();
        let found = match self.link {
            Some(at) if forward => links.iter().find(|link| **link > at).or(links.first()),
            Some(at) => links.iter().rev().find(|link| **link < at).or(links.last()),
            None if forward => links.first(),
            None => links.last(),
        };
        if let Some(link) = found.copied() {
            self.link = Some(link);
            self.top = self.top.min(link).max((link + 1).saturating_sub(height.max(1)));
        }
    }
}

fn write_text(paper: &mut Paper, view: &TicketView, now: Timestamp) {
    let card = &view.card;
    let mut facts = vec![format!("{} · {}", card.project, card.priority)];
    facts.extend(card.assignee.as_ref().map(|name| format!("assigned to {name}")));
    facts.extend(view.reviewer.as_ref().map(|name| format!("reviewed by {name}")));
    facts.extend(card.stage.as_ref().map(|stage| format!("merge queue: {stage}")));
    facts.extend(view.branch.as_ref().map(|branch| format!("branch {branch}")));
    facts.extend((!card.tags.is_empty()).then(|| format!("#{}", card.tags.join(" #"))));
    facts.push(format!(
        "filed {} ago, changed {} ago",
        text::age(&card.created, now),
        text::age(&card.updated, now)
    ));
    paper.write(Look::Dim, &facts.join(" · "));
    paper.end();
    if let Some(reason) = &card.held {
        paper.write(Look::Bad, "On hold: ");
        paper.write(Look::Text, reason);
        paper.end();
    }
    if let Some(why) = &view.why {
        paper.write(Look::Strong, "Why here: ");
        paper.write(Look::Text, why);
        paper.end();
    }
    if let Some(why_not) = &view.why_not {
        paper.write(Look::Dim, &format!("Why it is here cannot be said: {why_not}"));
        paper.end();
    }
    paper.gap();
    if view.body.trim().is_empty() {
        paper.write(Look::Dim, "It has a title and no text.");
    } else {
        markdown::write(paper, &view.body);
    }
    if !view.acceptance.is_empty() {
        let met = view.acceptance.iter().filter(|one| one.met).count();
        paper.heading(&format!("Done when ({met} of {})", view.acceptance.len()));
        for (number, one) in view.acceptance.iter().enumerate() {
            paper.indent("       ");
            paper.bullet(&format!("{:2}. ", number + 1));
            paper.write(if one.met { Look::Good } else { Look::Dim }, if one.met { "✓ " } else { "○ " });
            paper.write(Look::Text, &one.text);
            paper.end();
        }
        paper.indent("");
    }
    if let Some(notes) = &view.completion_notes {
        paper.heading("How it was finished");
        paper.write(Look::Text, notes);
    }
}

fn write_nodes(paper: &mut Paper, title: &str, nodes: &[Node]) {
    if nodes.is_empty() {
        return;
    }
    paper.heading(title);
    for node in nodes {
        let status = format!("{:12}", node.status);
        let id = format!("{}  ", node.id);
        paper.link(
            &node.id,
            &[(Look::Name, &id), (style::status(&node.status), &status), (Look::Text, &node.title)],
        );
    }
}

fn write_work(paper: &mut Paper, view: &TicketView, now: Timestamp) {
    write_nodes(paper, "Waits for", &view.depends_on);
    write_nodes(paper, "Needed by", &view.needed_by);
    let about = view.graph.nodes.len();
    if about > view.depends_on.len() + view.needed_by.len() + 1 {
        let more = if view.graph.cut { " and more" } else { "" };
        paper.write(Look::Dim, &format!("{about} tickets{more} hang together with it."));
        paper.end();
    }
    if !view.decisions.is_empty() {
        paper.heading("Questions");
        for one in &view.decisions {
            let look = if one.state == "resolved" { Look::Dim } else { Look::Warm };
            paper.write(look, &format!("{} {}: ", one.id, one.state));
            paper.write(Look::Text, &one.question);
            paper.end();
            if let Some(answer) = &one.answer {
                paper.indent("  ");
                paper.write(Look::Good, "→ ");
                paper.write(Look::Text, answer);
                paper.end();
                paper.indent("");
            }
        }
    }
    if !view.attempts_made.is_empty() {
        paper.heading("Attempts");
        for (number, one) in view.attempts_made.iter().enumerate() {
            let role = one.role.as_deref().map(|role| format!(" as {role}")).unwrap_or_default();
            paper.write(Look::Strong, &format!("{}. {}", number + 1, one.outcome));
            paper.write(Look::Dim, &format!(" by {}{role}, {} ago", one.by, text::age(&one.at, now)));
            paper.end();
            paper.indent("   ");
            for (what, words) in
                [("", &one.summary), ("Blockers: ", &one.blockers), ("Learned: ", &one.learnings)]
            {
                if !words.trim().is_empty() {
                    paper.write(Look::Dim, what);
                    paper.write(Look::Text, words);
                    paper.end();
                }
            }
            paper.indent("");
        }
    }
    if !view.agents.is_empty() {
        paper.heading("Agents");
        paper.write(Look::Name, &view.agents.join("  "));
        paper.end();
    }
    if !view.files.is_empty() {
        paper.heading("Files");
        for file in &view.files {
            paper.write(Look::Text, file);
            paper.end();
        }
    }
    paper.heading("Markdown");
    paper.write(Look::Dim, &view.path);
}

fn write_story(paper: &mut Paper, view: &TicketView, now: Timestamp) {
    for entry in &view.timeline {
        paper.write(Look::Dim, &format!("{:11} ", text::clock(&entry.at, now)));
        paper.write(Look::Name, &entry.event);
        paper.write(Look::Dim, &format!("  {}", entry.actor));
        paper.end();
        if !entry.words.trim().is_empty() {
            paper.indent("            ");
            paper.write(Look::Text, entry.words.trim_end());
            paper.end();
            paper.indent("");
        }
    }
}

fn write_diff(paper: &mut Paper, patch: Option<&Patch>) {
    let Some(patch) = patch else {
        paper.write(Look::Dim, "Reading …");
        return;
    };
    let Some(commit) = &patch.commit else {
        paper.write(Look::Dim, "Nothing was committed or handed in yet.");
        return;
    };
    let short = |oid: &str| oid.get(..10).unwrap_or(oid).to_owned();
    let base = patch.base.as_deref().map(|base| format!(" against {}", short(base))).unwrap_or_default();
    paper.write(Look::Dim, &format!("{}{base}", short(commit)));
    paper.end();
    if patch.text.is_empty() {
        paper.write(Look::Dim, "It changes nothing.");
    }
    for line in patch.text.lines() {
        let look = match line.as_bytes() {
            [b'd', b'i', b'f', b'f', ..] | [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Look::Strong,
            [b'@', b'@', ..] => Look::Name,
            [b'+', ..] => Look::Good,
            [b'-', ..] => Look::Bad,
            _ => Look::Text,
        };
        paper.write(look, line);
        paper.end();
    }
    if patch.cut {
        paper.gap();
        paper.write(Look::Warm, "It is longer than this; the rest is in the branch.");
    }
}
