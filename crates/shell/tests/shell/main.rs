//! What shell commands would do, tested through the crate's public face alone.

mod bounds;
mod cases;
mod oracle;
mod properties;

use signalbox_shell::{Effects, Surroundings, effects};

/// The effects of a command in `/p`, for somebody at home in `/home/u`.
fn effects_of(command: &str) -> Effects {
    let variable = |name: &str| match name {
        "HOME" => Some("/home/u".to_owned()),
        "USER" => Some("u".to_owned()),
        "PATH" => Some("/usr/bin:/bin".to_owned()),
        _ => None,
    };
    effects(command, &Surroundings { cwd: "/p", home: Some("/home/u"), variable: &variable })
}
