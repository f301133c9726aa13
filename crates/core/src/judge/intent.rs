//! A tool call as its effects, whatever tool it was: a file tool's path and a shell's redirection are one thing.

use crate::call::{Action, ToolCall};
use crate::charter::Charter;
use crate::shell::{self, Change, Effect, Effects, Nature, Opaque, Place};
use crate::toolbox;

use super::places::{Names, Scene};
use super::protected::BELOW_HOME;

/// What a call is about to do.
pub struct Intent<'a> {
    pub call: &'a ToolCall,
    pub scene: &'a Scene<'a>,
    pub effects: Effects,
    /// Every place it would change, under every name.
    pub changes: Vec<Touch>,
    /// Texts that name what something opaque may touch: code, and arguments of programs nobody knows.
    pub mentions: Vec<Mention>,
}

/// A place that would be changed.
#[derive(Debug)]
pub struct Touch {
    pub names: Names,
    pub change: Change,
}

/// A path named in something that cannot be seen through.
#[derive(Debug)]
pub struct Mention {
    pub names: Names,
    /// What names it: `python3 -c …`.
    pub by: String,
    /// An everyday tool, as opposed to code or a program nobody knows.
    pub by_builder: bool,
    /// It stands where a program is told where to put something.
    pub as_output: bool,
    /// The program is told to change what it is given.
    pub to_change: bool,
}

impl<'a> Intent<'a> {
    pub fn of(_charter: &Charter, call: &'a ToolCall, scene: &'a Scene<'a>) -> Self {
        let mut effects = effects_of(call, scene);
        if let Action::Shell { command } = &call.action
            && runs_what_it_writes(&effects, scene)
        {
            let why = "it runs a file that it writes itself".to_owned();
            effects.push(Effect::Opaque(Opaque { why, text: command.clone(), unseen: false }));
        }
        let makes_links = effects.writes().any(|(_, change)| change == Change::Link);
        let mut changes = Vec::new();
        let mut mentions = Vec::new();
        for effect in &effects.list {
            match effect {
                Effect::Write(target, change) => {
                    changes.push(Touch { names: Names::of(target, scene), change: *change });
                }
                // What a new link leads to can be written through the link.
                Effect::Read(target) if makes_links => {
                    changes.push(Touch { names: Names::of(target, scene), change: Change::Link });
                }
                Effect::Opaque(opaque) => mentions.extend(named_in(opaque, scene)),
                Effect::Run { program, arguments, nature: nature @ (Nature::Unknown | Nature::Builds) } => {
                    let by_builder = *nature == Nature::Builds;
                    mentions.extend(named_by(program, arguments, by_builder, scene));
                }
                _ => {}
            }
        }
        Self { call, scene, effects, changes, mentions }
    }
}

/// How a patch says which files it changes that agents apply through the shell.
const PATCHES: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

fn effects_of(call: &ToolCall, scene: &Scene<'_>) -> Effects {
    let mut effects = Effects::default();
    match &call.action {
        Action::Shell { command } => {
            effects = shell::effects(command, &scene.surroundings());
            let patched =
                command.lines().filter_map(|line| PATCHES.iter().find_map(|word| line.strip_prefix(word)));
            effects
                .list
                .extend(patched.map(|path| Effect::Write(scene.target(path.trim()), Change::Content)));
        }
        Action::Write { paths, .. } => {
            effects.list.extend(paths.iter().map(|path| Effect::Write(scene.target(path), Change::Content)));
        }
        Action::Read { paths } => {
            effects.list.extend(paths.iter().map(|path| Effect::Read(scene.target(path))));
        }
        Action::Fetch { url } => {
            effects.push(Effect::Network { program: call.tool.clone(), to: Some(url.clone()) });
        }
        Action::Delegate { unseen: true, .. } => {
            let why = "nobody sees what the agent does that this sets to work".to_owned();
            effects.push(Effect::Opaque(Opaque { why, text: String::new(), unseen: true }));
        }
        Action::Delegate { unseen: false, .. } | Action::Inward => {}
        Action::Unheard { paths, commands } => {
            for command in commands {
                effects.list.extend(shell::effects(command, &scene.surroundings()).list);
            }
            if let Some(own) = toolbox::called(&call.tool) {
                // It names no files, though a note may look like one, and does what `sb` in a shell does.
                if !own.reads_only {
                    let (program, nature) = ("sb".to_owned(), Nature::Listed);
                    effects.push(Effect::Run { program, arguments: Vec::new(), nature });
                }
                return effects;
            }
            let reads = only_reads(&call.tool);
            effects.list.extend(paths.iter().map(|path| match reads {
                true => Effect::Read(scene.target(path)),
                false => Effect::Write(scene.target(path), Change::Content),
            }));
            if !reads {
                let nature = Nature::Unknown;
                effects.push(Effect::Run { program: call.tool.clone(), arguments: Vec::new(), nature });
            }
        }
    }
    effects
}

/// Whether a command writes a file and then runs it: what is written may be code.
fn runs_what_it_writes(effects: &Effects, scene: &Scene<'_>) -> bool {
    let written: Vec<&Place> = effects
        .writes()
        .filter(|(_, change)| *change == Change::Content)
        .map(|(target, _)| &target.place)
        .collect();
    if written.is_empty() {
        return false;
    }
    let is_written = |word: &String| written.contains(&&scene.target(word).place);
    let opaque = effects.list.iter().any(|effect| matches!(effect, Effect::Opaque(_)));
    effects.list.iter().any(|effect| match effect {
        Effect::Run { program, arguments, nature } => {
            let runs = opaque || matches!(nature, Nature::Unknown | Nature::Builds);
            is_written(program) || (runs && arguments.iter().any(is_written))
        }
        _ => false,
    })
}

/// Whether the name of a tool nobody here knows says that it only looks: `mcp__tracker__get_issue`.
fn only_reads(tool: &str) -> bool {
    const VERBS: &[&str] = &[
        "get", "list", "read", "search", "show", "view", "find", "query", "describe", "status", "lookup",
        "count", "fetch", "browse", "inspect", "check", "diff", "help", "resolve",
    ];
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let mut words = name.split(['_', '-', '.']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    // `getIssue`
    let verb: String = name.chars().take_while(char::is_ascii_lowercase).collect();
    VERBS.contains(&first.as_str()) || VERBS.contains(&verb.as_str())
}

fn named_in(opaque: &Opaque, scene: &Scene<'_>) -> Vec<Mention> {
    // What stands after a scheme is no path.
    let text = opaque.text.replace("://", " ");
    let mention = |word: &str| Mention {
        names: Names::of(&scene.target(word), scene),
        by: opaque.why.clone(),
        by_builder: false,
        as_output: false,
        to_change: true,
    };
    // A hidden name in code may be meant below the user's home: `Path.home() / ".bashrc"`.
    let at_home = |word: &str| {
        let first = word.split('/').next().unwrap_or_default().to_lowercase();
        first.starts_with('.') && BELOW_HOME.iter().any(|known| known.split('/').next() == Some(&first))
    };
    let homely: Vec<Mention> =
        paths_in(&text).filter(|word| at_home(word)).map(|word| mention(&format!("~/{word}"))).collect();
    // In code a star is more often a sum or an expression than a pattern.
    let named = text.split(['*', '?', '$']).flat_map(paths_in).take(MOST_WORDS).map(mention);
    named.chain(homely).collect()
}

/// Options after which a program is told where to put something.
const OUTPUT: &[&str] = &[
    "-o",
    "-d",
    "-O",
    "--output",
    "--out",
    "--out-dir",
    "--outDir",
    "--outdir",
    "--out-file",
    "--outFile",
    "--target-dir",
    "--prefix",
    "--root",
    "--target",
    "--dest",
    "--destdir",
    "DESTDIR",
    "--install-dir",
    "--output-dir",
    "--output-directory",
    "--dist",
    "--artifacts",
    "-f",
    "--file",
    "venv",
];

/// Words that make an everyday tool change the files it is given.
const CHANGING: &[&str] = &[
    "-u",
    "--updateSnapshot",
    "--update-snapshots",
    "--update",
    "--fix",
    "--write",
    "-w",
    "-i",
    "--in-place",
    "new",
    "init",
    "generate",
    "zipfile",
    "tarfile",
    "--snapshot-update",
    "--force-regen",
];

fn named_by(program: &str, arguments: &[String], by_builder: bool, scene: &Scene<'_>) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let to_change = arguments.iter().any(|argument| CHANGING.contains(&argument.as_str()));
    let mut before = "";
    for argument in arguments {
        let (option, value) = argument.split_once('=').unwrap_or((before, argument));
        for word in paths_in(value) {
            mentions.push(Mention {
                names: Names::of(&scene.target(word), scene),
                by: program.to_owned(),
                by_builder,
                as_output: OUTPUT.contains(&option),
                to_change,
            });
        }
        before = argument;
    }
    mentions
}

/// How many words of one text are looked at as paths; nobody names more than that by accident.
const MOST_WORDS: usize = 2_000;

/// The words of a text that could be paths.
fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "._-/~*?@+%".contains(c);
    text.split(move |c: char| !is_part(c))
        .filter(|word| word.len() > 1 && word.len() < 4096 && !word.starts_with('-'))
        .filter(|word| word.contains(|c: char| c.is_alphanumeric()))
        .take(MOST_WORDS)
}
