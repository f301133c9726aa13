//! `sb hook wait`: started by the CLI or its extension in the background, to hand over a message when there is one.

use std::ffi::OsString;

use signalbox_agent::waiter;
use signalbox_core::inject::Door as Used;
use signalbox_drivers::{Door, Driver, Reply};

use super::{Trouble, guard, input};
use crate::context::Context;
use crate::inside;
use crate::ui::Ui;

/// Wait, if that is what the words say. Nothing of this may ever end with the code that wakes an agent but a message.
pub fn run(words: &[OsString]) -> Option<u8> {
    let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let ["hook", "wait", "--cli", name] = words.as_slice() else { return None };
    let Some(driver) = signalbox_drivers::find(name) else { return Some(0) };
    match wait(driver) {
        Ok(Some(reply)) => Some(guard::give(&reply)),
        Ok(None) => Some(0),
        // It leaves a trace, and the next one tries again.
        Err(trouble) => {
            trouble.record_as("wait");
            Some(0)
        }
    }
}

fn wait(driver: &'static Driver) -> Result<Option<Reply>, Trouble> {
    let cx = Context::new(Ui::for_programs());
    let home = cx.home()?;
    let Some(agent) = inside::agent(home) else { return Ok(None) };
    let payload: serde_json::Value = serde_json::from_slice(&input::payload()?).unwrap_or_default();
    let session = ["session_id", "sessionId"].iter().find_map(|key| payload[*key].as_str());
    let Some(session) = session.and_then(|id| signalbox_core::SessionId::parse(id).ok()) else {
        return Ok(None);
    };
    let (door, reply): (Used, &dyn Fn(&str) -> Reply) = match driver.doors.first() {
        Some(Door::Waiter(waiter)) => (Used::Waiter, &waiter.wake),
        Some(Door::Extension(_)) => {
            (Used::Extension, &|text| Reply { stdout: text.to_owned(), ..Reply::default() })
        }
        _ => return Ok(None),
    };
    let text = waiter::wait(home, &agent, &session, door)
        .map_err(|error| Trouble::Inside(signalbox_desk::error::chain(&error)))?;
    Ok(text.map(|text| reply(&text)))
}
