//! A session ended. It may end itself, and one that came after it in the same process may end it too.

use signalbox_core::{Agent, Who};
use signalbox_drivers::{Answer, Incoming};
use signalbox_store::clock;
use signalbox_store::session::{self, Session};

use super::{Trouble, speaker};
use crate::context::Context;
use crate::identity;
use signalbox_desk::error::CommandError;

pub fn end(cx: &Context, incoming: &Incoming, reason: Option<&str>) -> Result<Answer, Trouble> {
    let id = speaker::id(incoming)?;
    let home = cx.home()?;
    let asker = cx.identity()?.who.clone();
    // A conversation that is resumed while it runs elsewhere is known under an id of its own.
    let derived = asker.session().filter(|own| own.as_str().starts_with(&format!("{id}."))).cloned();
    let id = derived.as_ref().unwrap_or(&id);
    let ended = Some(clock::now());
    let is =
        |agent: &Agent, session: &Session| agent.session == *id || session.lineage.contains(&agent.session);
    let known = session::load(home, id).map_err(CommandError::from)?;
    let session = match (known, &asker) {
        (Some(session), Who::Agent(agent)) if is(agent, &session) => Session { ended, ..session },
        (Some(_), _) => {
            return Err(Trouble::Session(format!("only session {id} itself can end it")));
        }
        // The CLI gave the conversation another id on the way. Whoever takes it up again descends from this one.
        (None, Who::Agent(agent)) => match session::load(home, &agent.session).map_err(CommandError::from)? {
            Some(own) => {
                let lineage = identity::descends_from(agent);
                Session { id: id.clone(), lineage, process: None, ended, ..own }
            }
            None => return Ok(Answer::Nothing),
        },
        (None, _) => return Ok(Answer::Nothing),
    };
    let who = Who::Agent(session.agent());
    let data = serde_json::json!({ "reason": reason });
    let store = cx.store()?;
    store
        .note_event(&who, "session.ended", None, Some(&session.project), &data)
        .map_err(CommandError::from)?;
    session::save(home, &session).map_err(CommandError::from)?;
    Ok(Answer::Nothing)
}
