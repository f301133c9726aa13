//! The figures as markdown: for the terminal and for `bench/README.md`.

use std::path::Path;
use std::time::Duration;

use super::measure::Timing;
use crate::{Result, run};

const BEGIN: &str = "<!-- measured: begin -->";
const END: &str = "<!-- measured: end -->";

/// What one bench found.
#[derive(Debug, Default)]
pub struct Section {
    pub title: String,
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub goals: Vec<Goal>,
    /// Sentences below the table.
    pub remarks: Vec<String>,
}

impl Section {
    pub fn new(title: &str, headings: &[&str]) -> Self {
        let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
        Self { title: title.to_owned(), headings, ..Self::default() }
    }
}

/// A figure, mostly a ratio, that is held against a limit.
#[derive(Debug)]
pub struct Goal {
    pub what: String,
    /// `None` where it could not be measured.
    pub measured: Option<f64>,
    pub limit: Limit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// Not a ratio but a number, which must be zero.
    Zero,
}

impl Goal {
    pub fn new(what: impl Into<String>, measured: Option<f64>, limit: Limit) -> Self {
        Self { what: what.into(), measured, limit }
    }

    fn is_met(&self) -> Option<bool> {
        self.measured.map(|measured| match self.limit {
            Limit::AtMost(limit) => measured <= limit,
            Limit::AtLeast(limit) => measured >= limit,
            Limit::Zero => measured == 0.0,
        })
    }

    fn row(&self) -> Vec<String> {
        let limit = match self.limit {
            Limit::AtMost(limit) => format!("at most {}x", number(limit)),
            Limit::AtLeast(limit) => format!("at least {}x", number(limit)),
            Limit::Zero => "0".to_owned(),
        };
        let show = if self.limit == Limit::Zero { number } else { ratio };
        let measured = self.measured.map_or_else(|| "-".to_owned(), show);
        let verdict = match self.is_met() {
            Some(true) => "met",
            Some(false) => "**MISSED**",
            None => "NOT MEASURED",
        };
        vec![self.what.clone(), limit, measured, verdict.to_owned()]
    }
}

/// A row of a table of times: what, how often, median, 95th percentile, and how many times the base.
pub fn timing_row(timing: &Timing, base: Option<&Timing>) -> Vec<String> {
    let times = base.map_or_else(|| "-".to_owned(), |base| ratio(timing.times(base)));
    vec![
        timing.label.clone(),
        timing.count().to_string(),
        duration(timing.p50()),
        duration(timing.p95()),
        times,
    ]
}

/// A time with three digits and the unit that suits it.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.01 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}

pub fn ratio(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}x") } else { format!("{value:.0}x") }
}

/// A number as people write it: 2 and not 2.0.
fn number(value: f64) -> String {
    format!("{value}")
}

/// All of it, with the goals first: they are what a reader wants to know.
pub fn render(machine: &str, sections: &[Section]) -> String {
    let goals: Vec<&Goal> = sections.iter().flat_map(|section| &section.goals).collect();
    let missed = goals.iter().filter(|goal| goal.is_met() == Some(false)).count();
    let unmeasured = goals.iter().filter(|goal| goal.is_met().is_none()).count();
    let met = goals.len() - missed - unmeasured;
    let mut text = format!("{machine}\n\nOf {} goals {met} are met, {missed} missed", goals.len());
    if unmeasured > 0 {
        text.push_str(&format!(" and {unmeasured} not measured"));
    }
    text.push_str(".\n\n");
    let headings = ["goal", "wanted", "measured", "verdict"].map(ToOwned::to_owned);
    text.push_str(&table(&headings, &goals.iter().map(|goal| goal.row()).collect::<Vec<_>>()));
    for section in sections {
        text.push_str(&format!("\n### {}\n\n", section.title));
        if !section.rows.is_empty() {
            text.push_str(&table(&section.headings, &section.rows));
        }
        for remark in &section.remarks {
            text.push_str(&format!("\n{remark}\n"));
        }
    }
    text
}

/// A markdown table whose columns stand under each other.
fn table(headings: &[String], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).chain(headings.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut text = line(headings) + &line(&rule);
    for row in rows {
        text.push_str(&line(row));
    }
    text
}

/// Put `figures` between the marks in the file.
pub fn rewrite(path: &Path, figures: &str) -> Result<()> {
    let before = std::fs::read_to_string(path).map_err(|e| format!("read {}: {e}", path.display()))?;
    let after =
        replace_between(&before, figures).ok_or_else(|| format!("{} lacks its marks", path.display()))?;
    run::write(path, after)
}

fn replace_between(text: &str, figures: &str) -> Option<String> {
    let (head, rest) = text.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}\n\n{}\n\n{END}{tail}", figures.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_goal_is_said_loudly() {
        let goals = vec![
            Goal::new("a", Some(1.9), Limit::AtMost(2.0)),
            Goal::new("b", Some(2.1), Limit::AtMost(2.0)),
            Goal::new("c", Some(399.0), Limit::AtLeast(400.0)),
            Goal::new("d", None, Limit::AtLeast(20.0)),
            Goal::new("e", Some(1.0), Limit::Zero),
        ];
        let text = render("A machine.", &[Section { title: "t".into(), goals, ..Section::default() }]);
        assert!(text.contains("Of 5 goals 1 are met, 3 missed and 1 not measured."), "{text}");
        assert!(text.contains("| b    | at most 2x    | 2.10x    | **MISSED**   |"), "{text}");
        assert!(text.contains("| c    | at least 400x | 399x     | **MISSED**   |"), "{text}");
        assert!(text.contains("| e    | 0             | 1        | **MISSED**   |"), "{text}");
        assert!(text.contains("| d    | at least 20x  | -        | NOT MEASURED |"), "{text}");
    }

    #[test]
    fn figures_go_between_the_marks() {
        let page = format!("# Title\n{BEGIN}\nold\n{END}\nend\n");
        let new = replace_between(&page, "new\n");
        assert_eq!(new, Some(format!("# Title\n{BEGIN}\n\nnew\n\n{END}\nend\n")));
        assert_eq!(new.as_deref().and_then(|page| replace_between(page, "new")), new);
        assert_eq!(replace_between("no marks", "x"), None);
    }

    #[test]
    fn times_are_readable() {
        let shown = [412, 8_612, 86_123, 4_740_000].map(|us| duration(Duration::from_micros(us)));
        assert_eq!(shown, ["412 µs", "8612 µs", "86.1 ms", "4.74 s"]);
    }
}
