//! The demo's tickets, and what each waits for.

use signalbox_desk::error::{CommandError, Kind};
use signalbox_store::plan::Plan;

/// The plan as `sb shape` takes it.
const TEXT: &str = include_str!("data/plan.toml");

pub fn plan() -> Result<Plan, CommandError> {
    Plan::parse(TEXT, "plan.toml").map_err(|why| CommandError::new(Kind::Failure, "demo.plan", why))
}

/// The tickets in the order in which they can be begun, and what each waits for.
pub fn drawn(plan: &Plan) -> String {
    let mut lines = String::new();
    for ticket in plan.layers().into_iter().flatten() {
        let waits = match ticket.depends_on.as_slice() {
            [] => String::new(),
            [one] => format!("after {one}"),
            many => format!("after {} others", many.len()),
        };
        let tests = if ticket.needs_tests { "tests first" } else { "" };
        let line = format!("  {:<10}{:<39}{tests:<13}{waits}", ticket.key, ticket.title);
        lines.push_str(&format!("{}\n", line.trim_end()));
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_can_be_filed() {
        let plan = plan().unwrap();
        assert_eq!(plan.faults(&signalbox_store::plan::Around::default()), Vec::<String>::new());
        assert_eq!(plan.layers().len(), 3, "something waits, and something waits for that");
    }
}
