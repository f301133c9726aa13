//! `sb shape`: from an idea to tickets, with an agent or from a file; nothing is filed before a human has seen it drawn.

use std::path::{Path, PathBuf};

use serde_json::json;
use signalbox_agent::launch::{self, Wanted};
use signalbox_agent::{Failed, Started};
use signalbox_core::escalation::Reply;
use signalbox_core::{Command, NewTicket, ProjectName, Role, Status, TicketId, text};
use signalbox_store::contract::{self, Contract, Line, RoleSettings};
use signalbox_store::index::Filter;
use signalbox_store::plan::{Around, Plan};
use signalbox_store::{Index, StoreError, entropy, escalation, files, trust};

use super::{agent, esc, new};
use crate::context::Context;
use crate::drawing;
use crate::installing::agreed;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// A plan is a file of tickets and what each waits for. It is checked as a whole, drawn, and filed all at once when you
/// say yes. Without a file an agent in the role of a shaper is started here, which works one out with you and writes it;
/// `--reshape` gives it the questions that wait for you.
///
/// A plan: `[[tickets]]` with `key`, `title`, and as you like `area`, `slug`, `body`, `acceptance`, `needs_tests`,
/// `depends_on` (keys, or ids of tickets), `priority`, `files`, `tags`; `[[answers]]` with `escalation` and `answer`.
#[derive(clap::Args)]
pub struct Arguments {
    /// File the plan in this file; `-` reads it from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    from: Option<String>,
    /// Only check the plan in this file, and draw it; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    check: Option<String>,
    /// Draw it for Graphviz
    #[arg(long)]
    dot: bool,
    /// Start from the questions that wait for an answer
    #[arg(long, conflicts_with_all = ["from", "check"])]
    reshape: bool,
    /// File it without being asked
    #[arg(long, short, conflicts_with = "check")]
    yes: bool,
    /// The project [default: the one of the current directory]
    #[arg(long)]
    project: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if arguments.check.is_none() {
        cx.who()?.must_be_human("file a plan")?;
    }
    let project = cx.project_named(arguments.project.as_deref())?;
    let shown = match (&arguments.from, &arguments.check) {
        (Some(file), _) | (None, Some(file)) => file.clone(),
        (None, None) => match shaped(cx, &project, arguments.reshape)? {
            Some(path) => path.display().to_string(),
            None => return Ok(()),
        },
    };
    let plan = read(cx, &project, &shown)?;
    if arguments.dot {
        cx.ui.data(&drawing::as_dot(&plan))?;
    } else if !cx.ui.json {
        draw(cx, &plan)?;
    }
    if arguments.check.is_some() {
        if cx.ui.json {
            return cx.ui.json(&json!({ "plan": plan, "overlaps": plan.overlaps() }));
        }
        cx.ui.status("The plan can be filed.");
        return Ok(());
    }
    let count = plan.tickets.len();
    let what = if count == 1 { "this ticket".to_owned() } else { format!("these {count} tickets") };
    if !arguments.yes && !agreed(&format!("File {what} in `{project}`?"))? {
        return Err(CommandError::precondition("shape.not-agreed", "nothing was filed")
            .hint(format!("`sb shape --from {shown} --yes` files it without asking.")));
    }
    file(cx, &project, &plan)
}

/// Read and check a plan. All that is wrong with it is said at once.
fn read(cx: &Context, project: &ProjectName, shown: &str) -> Result<Plan, CommandError> {
    let source =
        if shown == "-" { resolve::text_or_stdin("-".to_owned())? } else { text_of(Path::new(shown))? };
    let plan = Plan::parse(&source, shown).map_err(|why| {
        CommandError::usage("plan.invalid", why).hint("`sb shape --help` says what a plan holds.")
    })?;
    let (_, index) = cx.index()?;
    let mut faults = plan.faults(&around(cx, &index, project)?);
    for (key, id) in plan.tickets.iter().flat_map(|ticket| ticket.ids().map(|id| (ticket.key.as_str(), id))) {
        faults.extend(resolve::ticket(&index, id).err().map(|error| format!("`{key}`: {error}")));
    }
    let book = escalation::book(&index)?;
    for answered in &plan.answers {
        let known = esc::whole_id(&answered.escalation).ok().and_then(|id| book.get(&id));
        if known.is_none() {
            faults
                .push(format!("there is no escalation `{}` to answer", text::one_line(&answered.escalation)));
        }
    }
    match faults.as_slice() {
        [] => Ok(plan),
        [one] => Err(CommandError::usage("plan.invalid", format!("the plan cannot be filed: {one}"))),
        all => {
            let list: String = all.iter().map(|fault| format!("\n  {fault}")).collect();
            Err(CommandError::usage("plan.invalid", format!("the plan cannot be filed:{list}")))
        }
    }
}

fn text_of(path: &Path) -> Result<String, CommandError> {
    let shown = path.display();
    let read = files::read_optional(path).map_err(|error| {
        CommandError::new(
            signalbox_desk::error::Kind::Failure,
            "plan.unreadable",
            format!("{shown} cannot be read: {error}"),
        )
    })?;
    let bytes =
        read.ok_or_else(|| CommandError::not_found("plan.none", format!("there is no file {shown}")))?;
    String::from_utf8(bytes)
        .map_err(|_| CommandError::usage("plan.invalid", format!("{shown} is not UTF-8 text")))
}

/// What the contract and the project's tickets allow.
fn around(cx: &Context, index: &Index, project: &ProjectName) -> Result<Around, CommandError> {
    let areas = match of_project(cx, project)? {
        Some((_, contract)) => contract.areas.iter().map(ToString::to_string).collect(),
        None => Vec::new(),
    };
    let filter = Filter { project: Some(project.clone()), ..Filter::default() };
    let open = index.tickets(&filter)?.into_iter().filter(|ticket| ticket.status != Status::Done);
    let slugs = open.filter_map(|ticket| {
        let slug = ticket.slug.as_ref()?;
        let place = ticket.area.as_ref().map_or_else(|| slug.clone(), |area| format!("{area}/{slug}"));
        Some((place, ticket.id))
    });
    Ok(Around { areas, slugs: slugs.collect() })
}

/// The project's contract as it stands in its folder, and its bytes.
fn of_project(cx: &Context, project: &ProjectName) -> Result<Option<(Vec<u8>, Contract)>, CommandError> {
    let root = cx.config()?.projects.get(project.as_str()).map(|project| project.path.clone());
    let Some(bytes) = root.map(|root| contract::in_checkout(&root)).transpose()?.flatten() else {
        return Ok(None);
    };
    let contract = Contract::parse(&bytes, contract::PATH)?;
    Ok(Some((bytes, contract)))
}

fn draw(cx: &Context, plan: &Plan) -> Result<(), CommandError> {
    cx.ui.data(&drawing::as_text(plan))?;
    for (one, other, file) in plan.overlaps() {
        cx.ui.warn(&format!("`{one}` and `{other}` may both change {file}; let one wait for the other"));
    }
    for answered in &plan.answers {
        cx.ui.status(&format!("It answers {}: {}", answered.escalation, text::one_line(&answered.answer)));
    }
    Ok(())
}

/// File all of it, in one batch of events.
fn file(cx: &Context, project: &ProjectName, plan: &Plan) -> Result<(), CommandError> {
    let store = cx.store()?;
    let build = |index: &Index| -> Result<Command, StoreError> {
        let mut ids: Vec<(&str, TicketId)> = Vec::new();
        let mut all: Vec<NewTicket> = Vec::new();
        for planned in plan.in_order() {
            let mut ticket = new::titled(index, project, &planned.title)?;
            while all.iter().any(|other| other.id.as_str().eq_ignore_ascii_case(ticket.id.as_str())) {
                ticket = new::titled(index, project, &planned.title)?;
            }
            let mut depends_on = Vec::new();
            for name in &planned.depends_on {
                match ids.iter().find(|(key, _)| key == name) {
                    Some((_, id)) => depends_on.push(id.clone()),
                    None => depends_on.push(resolve::ticket(index, name)?),
                }
            }
            ids.push((&planned.key, ticket.id.clone()));
            all.push(NewTicket {
                body: planned.body.clone(),
                priority: planned.priority.0,
                depends_on,
                tags: planned.tags.clone(),
                initiative: plan.initiative.clone(),
                area: planned.area.clone(),
                slug: Some(planned.slug().to_owned()),
                needs_tests: planned.needs_tests,
                acceptance: planned.acceptance.clone(),
                files: planned.files.clone(),
                ..ticket
            });
        }
        Ok(Command::NewAll(all))
    };
    let outcome = cx.execute(&store, &build)?;
    let filed: Vec<TicketId> = outcome
        .events
        .iter()
        .filter(|event| event.event == "ticket.created")
        .filter_map(|event| event.ticket.clone())
        .collect();
    let keys: Vec<(&str, &TicketId)> =
        plan.in_order().into_iter().map(|planned| planned.key.as_str()).zip(&filed).collect();
    for answered in &plan.answers {
        let id = esc::whole_id(&answered.escalation)?;
        match escalation::answer(&store, cx.who()?, &id, Reply::Words(answered.answer.clone())) {
            Ok(done) => cx.ui.warnings(&done.warnings),
            // The tickets are filed; who answered meanwhile has the word.
            Err(StoreError::Refused(refusal)) => cx.ui.warn(&refusal.message),
            Err(error) => return Err(error.into()),
        }
    }
    if cx.ui.json {
        let rows: Vec<_> = keys.iter().map(|(key, id)| json!({ "key": key, "id": id })).collect();
        return cx.ui.json(&json!({ "filed": rows }));
    }
    for (key, id) in &keys {
        cx.ui.status(&format!("Filed {id}: {}", text::one_line(key)));
    }
    Ok(())
}

/// Have an agent work a plan out with the person; the answer is where it wrote it.
fn shaped(cx: &Context, project: &ProjectName, reshape: bool) -> Result<Option<PathBuf>, CommandError> {
    let (store, index) = cx.index()?;
    let own = of_project(cx, project)?;
    let settings = own.as_ref().map(|(_, contract)| contract.role(Role::Shaper).clone()).unwrap_or_default();
    // Its arguments stand in the repository, so a human must have seen them.
    if let Some((bytes, _)) = own.as_ref().filter(|_| !settings.args.is_empty()) {
        trust::state(&index, project, bytes)?.require(project)?;
    }
    let folder = std::env::temp_dir().join(format!("sb-shape-{:016x}", entropy::number()));
    files::create_private_dir(&folder)?;
    let path = folder.join("plan.toml");
    let prompt = prompt(&index, project, &path, reshape)?;
    drop((store, index));
    start(cx, project, &settings, prompt)?;
    if !path.exists() {
        cx.ui.status("No plan was written, and nothing was filed.");
        return Ok(None);
    }
    Ok(Some(path))
}

fn start(
    cx: &Context,
    project: &ProjectName,
    settings: &RoleSettings,
    prompt: String,
) -> Result<(), CommandError> {
    let (home, config) = (cx.home()?, cx.config()?);
    let wanted = Wanted {
        driver: Some(settings.driver.to_string()),
        profile: settings.profile.as_ref().map(ToString::to_string),
        arguments: settings.args.iter().map(Line::as_str).map(ToOwned::to_owned).collect(),
        first: Some(prompt),
        resume: None,
    };
    let plan = launch::plan(home, config, wanted, &|name| std::env::var_os(name))?;
    let started = Started {
        home,
        config,
        plan,
        name: None,
        ticket: None,
        role: Some(Role::Shaper.as_str().to_owned()),
        project: Some(project.clone()),
        cwd: cx.directory()?,
        reserved: None,
        headless: false,
        goal: None,
        tell: Box::new(crate::ui::aside),
    };
    match signalbox_agent::run(started) {
        // However it ended, what counts is whether it wrote a plan.
        Ok(_) => Ok(()),
        Err(Failed::Refused(refusal)) => Err(refusal.into()),
        Err(error) => Err(agent::failed(&error)),
    }
}

/// What the shaper is told first.
fn prompt(index: &Index, project: &ProjectName, path: &Path, reshape: bool) -> Result<String, CommandError> {
    let mut told = format!(
        "You shape work for the project `{project}` with the person here. {}\n\n{}",
        Role::Shaper.prompt().trim(),
        include_str!("shape_prompt.md").replace("PLAN", &path.display().to_string())
    );
    let filter = Filter { project: Some(project.clone()), limit: Some(50), ..Filter::default() };
    let open: Vec<_> =
        index.tickets(&filter)?.into_iter().filter(|ticket| ticket.status != Status::Done).collect();
    if !open.is_empty() {
        told.push_str("\nTickets that are there already, on which new ones may depend by id:\n");
        for ticket in &open {
            told.push_str(&format!(
                "- {} ({}) {}\n",
                ticket.id,
                ticket.status,
                text::one_line(&ticket.title)
            ));
        }
    }
    if reshape {
        told.push_str("\nQuestions that wait for the person's answer. Begin with them:\n");
        let waiting = escalation::pending(index)?;
        for one in waiting.iter().filter(|one| one.project.as_ref().is_none_or(|of| of == project)) {
            let ticket = one.asked.ticket.as_ref().map(|id| format!(" about {id}")).unwrap_or_default();
            told.push_str(&format!("- {}{ticket}: {}\n", one.id, text::one_line(&one.asked.question)));
            if let Some(context) = &one.asked.context {
                let short: String = context.chars().take(600).collect();
                told.push_str(&format!("  {}\n", text::one_line(&short)));
            }
        }
        if waiting.is_empty() {
            told.push_str("- none\n");
        }
    }
    Ok(told)
}
