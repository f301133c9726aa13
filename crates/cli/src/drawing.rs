//! A plan as people see it: by when its tickets can be begun, and as a graph for Graphviz.

use signalbox_core::text;
use signalbox_store::plan::{Plan, Planned, branch};
use unicode_width::UnicodeWidthStr;

/// The widest a title is shown.
const TITLE: usize = 60;

/// The tickets in layers: what can be begun at once, what then, each with what it waits for.
pub fn as_text(plan: &Plan) -> String {
    let width = |of: &dyn Fn(&Planned) -> String| {
        plan.tickets.iter().map(|ticket| of(ticket).width()).max().unwrap_or(0)
    };
    let keys = width(&|ticket| ticket.key.clone());
    let titles = width(&|ticket| title(ticket));
    let mut drawn = String::new();
    for (at, layer) in plan.layers().iter().enumerate() {
        let when = match at {
            0 => "At once:".to_owned(),
            1 => "Then:".to_owned(),
            at => format!("Then ({}):", at + 1),
        };
        drawn.push_str(&format!("{when}\n"));
        for ticket in layer {
            let mut about = vec![branch(ticket), ticket.priority.0.to_string()];
            if !ticket.needs_tests {
                about.push("no tests first".to_owned());
            }
            let waits = match ticket.depends_on.as_slice() {
                [] => String::new(),
                on => format!("  ← {}", on.join(", ")),
            };
            drawn.push_str(&format!(
                "  {}  {}  [{}]{waits}\n",
                padded(&ticket.key, keys),
                padded(&title(ticket), titles),
                about.join(", ")
            ));
        }
    }
    text::many_lines(&drawn).into_owned()
}

fn title(ticket: &Planned) -> String {
    let title = text::one_line(ticket.title.trim());
    match title.char_indices().nth(TITLE) {
        Some((at, _)) => format!("{}…", title.get(..at).unwrap_or_default()),
        None => title.into_owned(),
    }
}

fn padded(word: &str, width: usize) -> String {
    format!("{word}{}", " ".repeat(width.saturating_sub(word.width())))
}

/// The same for Graphviz: an arrow leads from what is waited for to who waits.
pub fn as_dot(plan: &Plan) -> String {
    let mut dot = String::from("digraph plan {\n  rankdir=LR;\n  node [shape=box];\n");
    for ticket in &plan.tickets {
        dot.push_str(&format!("  {} [label={}];\n", quoted(&ticket.key), quoted(&title(ticket))));
    }
    for ticket in &plan.tickets {
        for on in &ticket.depends_on {
            dot.push_str(&format!("  {} -> {};\n", quoted(on), quoted(&ticket.key)));
        }
    }
    dot.push_str("}\n");
    dot
}

/// A text in Graphviz' quotes, in which only quotes and backslashes mean something.
fn quoted(word: &str) -> String {
    format!("\"{}\"", text::one_line(word).replace('\\', "\\\\").replace('"', "\\\""))
}
