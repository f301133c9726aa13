//! `sb templates`: what agents and people are told, and in which words.

use std::sync::LazyLock;

use signalbox_core::{nearest, text};
use signalbox_integrations::{check_template, monitor, templates};
use signalbox_store::files;
use signalbox_template::{Bundled, Found, Library, Origin, Wrong, check};

use crate::context::Context;
use signalbox_desk::error::{CommandError, Kind};

/// What a monitor tells an agent, and a notifier a person, is made from templates in the manner of Jinja. Those that come
/// along can be replaced: `$SIGNALBOX_HOME/templates/TYPE/EVENT.jinja` counts for every monitor of a type,
/// `templates/NAME/EVENT.jinja` for the one of that name, `templates/notifications/TYPE/EVENT.jinja` for notifiers,
/// `templates/roles/ROLE.jinja` is what `sb run` tells an agent in that role.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List the templates, and where each comes from
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a template: your own where there is one
    Show {
        /// As `sb templates list` shows it: `github/ci_failure`
        name: String,
        /// Print the one that comes along
        #[arg(long)]
        bundled: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Copy templates that come along to your own, to change them (humans only)
    Install {
        /// Which [default: all]
        names: Vec<String>,
        /// Replace your own
        #[arg(long)]
        force: bool,
        /// Print the files as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what is wrong in your templates, with file and line; exits with 1 where something is
    Check {
        /// Which [default: all of your own]
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let library = Library::new(cx.home()?.templates(), bundled());
    match arguments.what {
        What::List { .. } => list(cx, &library),
        What::Show { name, bundled, .. } => show(cx, &library, &name, bundled),
        What::Install { names, force, .. } => install(cx, &library, &names, force),
        What::Check { name, .. } => check_all(cx, &library, name.as_deref()),
    }
}

/// All that come along.
fn bundled() -> &'static [Bundled] {
    static ALL: LazyLock<Vec<Bundled>> =
        LazyLock::new(|| [templates(), signalbox_conductor::BUNDLED].concat());
    &ALL
}

/// What is wrong with a template, by whom it is for.
fn check_one(template: &Found) -> Result<(), Wrong> {
    match parts(&template.name) {
        (signalbox_conductor::ROLES, _) => check(template, signalbox_conductor::NAMES_IN_ROLES),
        _ => check_template(template),
    }
}

/// Where a template comes from, in a word.
fn origin(template: &Found) -> &'static str {
    let (folder, _) = parts(&template.name);
    match &template.origin {
        Origin::Bundled => "bundled",
        Origin::User(_)
            if folder.starts_with("notifications/")
                || folder == signalbox_conductor::ROLES
                || monitor::find(folder).is_some() =>
        {
            "type"
        }
        Origin::User(_) => "instance",
    }
}

/// Every template that counts, the user's own in the place of those that come along.
fn all(library: &Library) -> Result<Vec<Found>, CommandError> {
    let mut all = library.users()?;
    for bundled in library.all_bundled() {
        let found = library.bundled(bundled.folder, bundled.event);
        all.extend(found.filter(|found| !all.iter().any(|other| other.name == found.name)));
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

fn list(cx: &Context, library: &Library) -> Result<(), CommandError> {
    let all = all(library)?;
    if cx.ui.json {
        return cx.ui.json(&all.iter().map(json).collect::<Vec<_>>());
    }
    if all.is_empty() {
        cx.ui.status("There are no templates.");
    }
    let wide = all.iter().map(|template| template.name.len()).max().unwrap_or(0);
    for template in &all {
        let place = match &template.origin {
            Origin::Bundled => "comes along".to_owned(),
            Origin::User(path) => format!("your own, for the {}: {}", origin(template), path.display()),
        };
        cx.ui.data(&format!("{:wide$}  {}\n", template.name, text::one_line(&place)))?;
    }
    Ok(())
}

fn json(template: &Found) -> serde_json::Value {
    let file = match &template.origin {
        Origin::User(path) => Some(path),
        Origin::Bundled => None,
    };
    serde_json::json!({ "name": template.name, "origin": origin(template), "file": file })
}

fn show(cx: &Context, library: &Library, name: &str, bundled: bool) -> Result<(), CommandError> {
    let template = if bundled {
        let (folder, event) = parts(name);
        library.bundled(folder, event).ok_or_else(|| unknown(library, name))?
    } else {
        find(library, name)?
    };
    if cx.ui.json {
        let mut value = json(&template);
        value["text"] = template.text.into();
        return cx.ui.json(&value);
    }
    let end = if template.text.ends_with('\n') { "" } else { "\n" };
    cx.ui.data(&format!("{}{end}", text::many_lines(&template.text)))
}

fn install(cx: &Context, library: &Library, names: &[String], force: bool) -> Result<(), CommandError> {
    cx.who()?.must_be_human("install templates")?;
    let mut wanted = Vec::new();
    for name in names {
        let (folder, event) = parts(name);
        wanted.push(library.bundled(folder, event).ok_or_else(|| unknown(library, name))?);
    }
    if names.is_empty() {
        let all = library.all_bundled().iter();
        wanted.extend(all.filter_map(|bundled| library.bundled(bundled.folder, bundled.event)));
    }
    let path = |template: &Found| {
        let (folder, event) = parts(&template.name);
        library.path(folder, event)
    };
    if !force && let Some(taken) = wanted.iter().find(|template| path(template).exists()) {
        let message = format!("{} is there already, and nothing was written over it", path(taken).display());
        return Err(CommandError::precondition("template.exists", message)
            .hint("`--force` replaces your own; name those that you want to install one by one."));
    }
    let mut written = Vec::new();
    for template in &wanted {
        let path = path(template);
        if let Some(folder) = path.parent() {
            files::create_private_dir(folder)?;
        }
        files::replace(&path, template.text.as_bytes(), files::PRIVATE)?;
        cx.ui.status(&format!("Installed {}: {}", template.name, path.display()));
        written.push(path);
    }
    if written.is_empty() {
        cx.ui.status("There are no templates to install.");
    }
    if cx.ui.json { cx.ui.json(&written) } else { Ok(()) }
}

fn check_all(cx: &Context, library: &Library, name: Option<&str>) -> Result<(), CommandError> {
    let chosen = match name {
        Some(name) => vec![find(library, name)?],
        None => library.users()?,
    };
    let wrong: Vec<(&Found, Wrong)> =
        chosen.iter().filter_map(|template| Some((template, check_one(template).err()?))).collect();
    if cx.ui.json {
        let rows: Vec<_> = wrong
            .iter()
            .map(|(template, wrong)| {
                let mut value = json(template);
                value["line"] = wrong.line.into();
                value["problem"] = wrong.what.clone().into();
                value
            })
            .collect();
        cx.ui.json(&rows)?;
    } else {
        for (_, wrong) in &wrong {
            cx.ui.data(&format!("{}\n", text::one_line(&wrong.to_string())))?;
        }
    }
    let error = match wrong.len() {
        0 => {
            match chosen.len() {
                0 => cx.ui.status("You have no templates of your own."),
                1 => cx.ui.status("The template is in order."),
                count => cx.ui.status(&format!("All {count} templates are in order.")),
            }
            return Ok(());
        }
        1 => "a template is wrong".to_owned(),
        count => format!("{count} templates are wrong"),
    };
    Err(CommandError::new(Kind::Failure, "templates.wrong", error)
        .hint("`sb templates show --bundled NAME` prints the one that comes along."))
}

fn find(library: &Library, name: &str) -> Result<Found, CommandError> {
    let (folder, event) = parts(name);
    library.find(&[folder], event)?.ok_or_else(|| unknown(library, name))
}

/// The folder and the event of a name.
fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

fn unknown(library: &Library, name: &str) -> CommandError {
    let error = CommandError::not_found("template.unknown", format!("there is no template `{name}`"));
    let all = all(library).unwrap_or_default();
    match nearest(name, all.iter().map(|template| template.name.as_str())) {
        Some(near) => error.hint(format!("Did you mean `{near}`?")),
        None => error.hint("`sb templates list` lists them."),
    }
}
