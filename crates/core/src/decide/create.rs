//! Filing and editing tickets.

use super::{Draft, Rules};
use crate::command::{Changes, NewTicket};
use crate::dependencies::cycle;
use crate::fact::{Checked, Created, Edited, Fact};
use crate::id::TicketId;
use crate::priority::Priority;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::{glob, text};

impl Rules<'_> {
    /// File all of them, or none.
    pub(super) fn create_all(&self, all: &[NewTicket]) -> Result<Vec<Draft>, Refusal> {
        let mut drafts: Vec<Draft> = Vec::new();
        for new in all {
            let created = self.create(new, &drafts)?;
            drafts.extend(created);
        }
        Ok(drafts)
    }

    /// File one, after those of the same command.
    pub(super) fn create(&self, new: &NewTicket, before: &[Draft]) -> Result<Vec<Draft>, Refusal> {
        let is_before = |id: &TicketId| before.iter().any(|draft| draft.ticket == *id);
        if self.board.ticket(&new.id).is_some() || is_before(&new.id) {
            return Err(Refusal::new("ticket.exists", format!("there is a ticket {} already", new.id)));
        }
        for dependency in new.depends_on.iter().filter(|id| !is_before(id)) {
            self.ticket(dependency)?;
        }
        let backlog = new.backlog || new.priority == Priority::P5;
        let created = Created {
            title: text::title(&new.title)?,
            status: if backlog { Status::Backlog } else { Status::Open },
            priority: new.priority,
            body: text::body("body", &new.body)?,
            depends_on: unique(&new.depends_on),
            tags: labels("tag", &new.tags)?,
            initiative: label("initiative", new.initiative.as_ref())?,
            area: label("area", new.area.as_ref())?,
            slug: label("slug", new.slug.as_ref())?,
            needs_tests: new.needs_tests,
            acceptance: new.acceptance.iter().map(|c| criterion(c)).collect::<Result<_, _>>()?,
            branch: label("branch", new.branch.as_ref())?,
            services: labels("service", &new.services)?,
            submodule: label("submodule", new.submodule.as_ref())?,
            files: predicted(&new.files)?,
        };
        Ok(vec![Draft {
            ticket: new.id.clone(),
            project: new.project.clone(),
            by: self.who.clone(),
            fact: Fact::Created(Box::new(created)),
        }])
    }

    pub(super) fn edit(&self, id: &TicketId, changes: &Changes) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        if changes.escalated == Some(false) {
            self.human_only("take back an escalation")?;
        }
        let mut depends_on = ticket.depends_on.clone();
        depends_on.retain(|dependency| !changes.remove_depends_on.contains(dependency));
        if self.who.is_agent() && depends_on.len() < ticket.depends_on.len() {
            self.human_only("remove a dependency")?;
        }
        for dependency in &changes.add_depends_on {
            self.ticket(dependency)?;
            if let Some(path) = cycle(self.board, id, dependency) {
                let shown: Vec<_> = path.iter().map(TicketId::as_str).collect();
                return Err(Refusal::new(
                    "dependency.cycle",
                    format!(
                        "{id} cannot depend on {dependency}: {} would wait for itself",
                        shown.join(" → ")
                    ),
                )
                .hint("Take one of these dependencies away first: `sb edit ID --no-depends-on OTHER`."));
            }
            depends_on.push(dependency.clone());
        }
        let depends_on = unique(&depends_on);
        let mut tags = ticket.tags.clone();
        tags.extend(labels("tag", &changes.add_tags)?);
        tags.retain(|tag| !changes.remove_tags.contains(tag));
        let tags = unique(&tags);
        let mut acceptance: Vec<String> = ticket.acceptance.iter().map(|c| c.text.clone()).collect();
        for text in &changes.add_acceptance {
            acceptance.push(criterion(text)?);
        }
        let changed_text =
            |what, new: &Option<String>, old: &Option<String>| -> Result<Option<String>, Refusal> {
                let Some(new) = new else { return Ok(None) };
                let new = label(what, Some(new))?.unwrap_or_default();
                Ok((old.as_deref().unwrap_or_default() != new).then_some(new))
            };
        let edited = Edited {
            title: changes.title.as_ref().map(|t| text::title(t)).transpose()?.filter(|t| t != &ticket.title),
            priority: changes.priority.filter(|p| *p != ticket.priority),
            depends_on: (depends_on != ticket.depends_on).then_some(depends_on),
            tags: (tags != ticket.tags).then_some(tags),
            initiative: changed_text("initiative", &changes.initiative, &ticket.initiative)?,
            area: changed_text("area", &changes.area, &ticket.area)?,
            slug: changed_text("slug", &changes.slug, &ticket.slug)?,
            needs_tests: changes.needs_tests.filter(|n| *n != ticket.needs_tests),
            escalated: changes.escalated.filter(|e| *e != ticket.escalated),
            acceptance: (acceptance.len() != ticket.acceptance.len()).then_some(acceptance),
            branch: changed_text("branch", &changes.branch, &ticket.branch)?,
            services: changes
                .services
                .as_ref()
                .map(|s| labels("service", s))
                .transpose()?
                .filter(|s| s != &ticket.services),
            submodule: changed_text("submodule", &changes.submodule, &ticket.submodule)?,
            files: changes.files.as_ref().map(|f| predicted(f)).transpose()?.filter(|f| f != &ticket.files),
        };
        if edited == Edited::default() {
            return Ok(Vec::new());
        }
        Ok(vec![self.draft(ticket, Fact::Edited(Box::new(edited)))])
    }

    pub(super) fn check(&self, id: &TicketId, criterion: usize, met: bool) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        let Some(present) = criterion.checked_sub(1).and_then(|i| ticket.acceptance.get(i)) else {
            return Err(Refusal::not_found(
                "criterion.unknown",
                format!(
                    "{id} has {} acceptance criteria, and no number {criterion}",
                    ticket.acceptance.len()
                ),
            )
            .hint(format!("`sb show {id}` numbers them; `sb edit {id} --accept TEXT` adds one.")));
        };
        if present.met == met {
            return Ok(Vec::new());
        }
        Ok(vec![self.draft(ticket, Fact::Checked(Checked { criterion, met }))])
    }
}

/// The items without repeats, in their order.
fn unique<T: Clone + PartialEq>(items: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    kept
}

fn labels(what: &str, texts: &[String]) -> Result<Vec<String>, Refusal> {
    let mut kept = Vec::new();
    for text in texts {
        kept.extend(label(what, Some(text))?);
    }
    Ok(unique(&kept))
}

/// A short word: one line, at most 100 characters; empty counts as none.
fn label(what: &str, text: Option<&String>) -> Result<Option<String>, Refusal> {
    let Some(text) = text.map(|t| t.trim()).filter(|t| !t.is_empty()) else { return Ok(None) };
    if text.chars().count() > 100 || text.chars().any(char::is_control) {
        return Err(Refusal::usage(
            "label.invalid",
            format!("the {what} must be one line of at most 100 characters"),
        )
        .hint("Put longer text into the body or a note."));
    }
    Ok(Some(text.to_owned()))
}

/// Paths and patterns below the root; a folder's last slash says nothing more.
fn predicted(paths: &[String]) -> Result<Vec<String>, Refusal> {
    let paths: Vec<String> = paths.iter().map(|path| path.trim().trim_end_matches('/').to_owned()).collect();
    let paths: Vec<String> = paths.into_iter().filter(|path| !path.is_empty()).collect();
    let fault = |path: &String| {
        if path.len() > 300 { Some("it is longer than 300 bytes") } else { glob::fault(path) }
    };
    if let Some((path, why)) = paths.iter().find_map(|path| Some((path, fault(path)?))) {
        let message = format!("`{path}` cannot be among a ticket's files: {why}");
        return Err(
            Refusal::usage("files.invalid", message).hint("Name paths or patterns as in `src/auth/**`.")
        );
    }
    if paths.len() > MOST_FILES {
        return Err(Refusal::usage("files.invalid", format!("a ticket names at most {MOST_FILES} files"))
            .hint("Name folders: `src/auth/**`."));
    }
    Ok(unique(&paths))
}

/// How many files a ticket may name.
const MOST_FILES: usize = 100;

fn criterion(text: &str) -> Result<String, Refusal> {
    let text = text::required("acceptance criterion", text)?;
    if text.contains(['\n', '\r']) || text.chars().count() > text::MOST_TITLE {
        return Err(Refusal::usage(
            "criterion.invalid",
            "an acceptance criterion is one line of at most 300 characters",
        )
        .hint("Give `--accept` once for each criterion."));
    }
    Ok(text.trim().to_owned())
}
