//! Code that nobody can read before it runs: decoded, reversed or unpacked on its way into a shell. Sessions that nobody
//! watches also run nothing that was fetched, printed by a program, or whose very name is unknown, and set no agent to work
//! whose calls no hook sees.

use crate::call::Action;
use crate::charter::Charter;
use crate::refusal::Refusal;
use crate::shell::Effect;

use super::intent::Intent;

/// Programs that make text unreadable or readable again.
const DECODERS: &[&str] = &[
    "base64", "base32", "basenc", "xxd", "od", "hexdump", "openssl", "uudecode", "rev", "tac", "tr",
    "gunzip", "zcat", "gzip", "bzcat", "bunzip2", "bzip2", "xzcat", "unxz", "xz", "zstd", "zstdcat", "gpg",
];

pub fn ask(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    let unseen = intent.effects.list.iter().find_map(|effect| match effect {
        Effect::Opaque(opaque) if opaque.unseen => Some(opaque),
        _ => None,
    })?;
    let decoded = intent.effects.list.iter().any(|effect| match effect {
        Effect::Run { program, .. } => DECODERS.contains(&program.as_str()),
        _ => false,
    });
    let message = if decoded {
        "this runs text that was encoded or packed, so that nobody can see what it does".to_owned()
    } else if charter.role.is_watched() {
        return None;
    } else {
        format!("{}, and nobody watches this session", unseen.why)
    };
    let hint = match intent.call.action {
        Action::Delegate { .. } => "Do it in this session, where it can be seen.",
        _ => "Write the commands out, or put them into a file that can be read first.",
    };
    Some(Refusal::new("shell.hidden", message).hint(hint))
}
