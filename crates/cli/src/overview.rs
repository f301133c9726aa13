//! `sb` and `sb help`: all commands, in the order in which one needs them.

use crate::commands::{COMMANDS, Group};

/// The commands in their groups.
pub fn overview() -> String {
    let mut text =
        String::from("Signalbox: the control room for AI coding agents\n\nUsage: sb COMMAND [ARGUMENTS]\n");
    for group in Group::ALL {
        text.push_str(&format!("\n{}\n", group.title()));
        for row in COMMANDS.iter().filter(|row| row.group == group) {
            let names =
                std::iter::once(row.name).chain(row.aliases.iter().copied()).collect::<Vec<_>>().join(", ");
            text.push_str(&format!("  {names:25} {}\n", row.about));
        }
    }
    text.push_str("\n`sb COMMAND --help` says more about one. Ids may be shortened: `sb show a7K`.\n");
    text.push_str("Exit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 not allowed now.\n");
    text
}
