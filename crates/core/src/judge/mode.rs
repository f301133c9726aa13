//! Discussion mode: nothing is changed, and only what is known to read is run. When in doubt, no.

use crate::charter::Charter;
use crate::mode::Mode;
use crate::refusal::Refusal;
use crate::shell::{Effect, GitAct, Nature};

use super::intent::Intent;

const HINT: &str = "Say what you would do and why. The person opens implementation mode with a phrase such as \
                    \"go ahead\", or with `sb mode implementation`.";

pub fn ask(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    if charter.mode != Mode::Discussion {
        return None;
    }
    let tool = &intent.call.tool;
    if charter.blocked_tools.iter().any(|blocked| blocked == tool) {
        return Some(refusal(format!("this session is in discussion mode, where {tool} is not used")));
    }
    let what = intent.effects.list.iter().find_map(|effect| changes_something(charter, effect))?;
    Some(refusal(format!("this session is in discussion mode, and {what}")))
}

fn refusal(message: String) -> Refusal {
    Refusal::new("mode.discussion", message).hint(HINT)
}

/// What an effect changes, if anything, as the end of a sentence.
fn changes_something(charter: &Charter, effect: &Effect) -> Option<String> {
    match effect {
        // Writing to a socket is sending.
        Effect::Network { program, .. } if program.starts_with("/dev/") => {
            Some("this sends something over the network".to_owned())
        }
        Effect::Read(_)
        | Effect::Enter(_)
        | Effect::Network { .. }
        | Effect::Git(GitAct::Read)
        | Effect::Run { nature: Nature::Reads, .. } => None,
        Effect::Write(target, _) => Some(format!("`{}` would be changed", target.text)),
        Effect::Git(_) => Some("this git command changes the repository".to_owned()),
        Effect::Opaque(opaque) => Some(opaque.why.clone()),
        // It has its own rules, which know who asks.
        Effect::Run { program, .. } if program == "sb" => None,
        Effect::Run { program, arguments, nature } => {
            let words = format!("{program} {}", arguments.join(" "));
            let listed = |known: &String| {
                words.trim_end() == known
                    || words.strip_prefix(known.as_str()).is_some_and(|r| r.starts_with(' '))
            };
            if charter.read_only.iter().any(listed) {
                return None;
            }
            Some(match nature {
                Nature::Builds => format!("`{program}` runs the project's code and writes files"),
                Nature::Unknown => format!("`{program}` is not known to only read"),
                Nature::Listed | Nature::Reads => format!("`{program}` changes something"),
            })
        }
    }
}
