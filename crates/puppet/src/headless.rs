//! One prompt without a terminal.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::app::prepare;
use crate::arguments::Arguments;
use crate::turn::{News, play};

pub(crate) fn run(arguments: &Arguments, prompt: &str) -> std::io::Result<u8> {
    let (mut stage, news) = prepare(arguments, Box::new(|| {}))?;
    stage.is_headless = true;
    let stage = Arc::new(stage);
    stage.hook("SessionStart", &json!({ "source": if stage.session.is_old { "resume" } else { "startup" } }));
    play(&stage, prompt, &AtomicBool::new(false));
    let mut code = 0;
    let mut said = String::new();
    // All is in the channel by now: nothing of a turn comes later.
    for news in news.try_iter() {
        match news {
            News::Over { last, .. } => said = last,
            News::Crash(crash) => return Ok(crash),
            News::Hang => loop {
                std::thread::park();
            },
            News::Ask { .. } => code = 1,
            News::Line(_) | News::Exit | News::Woken(_) => {}
        }
    }
    stage.hook("SessionEnd", &json!({ "reason": "other" }));
    let text = if arguments.json {
        json!({ "type": "result", "result": said, "session_id": stage.session.id }).to_string()
    } else {
        said
    };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(code)
}
