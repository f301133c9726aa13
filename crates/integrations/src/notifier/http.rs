//! What all notifiers that go out to the network share.

use crate::http::{HttpError, Reach, Response};
use crate::settings::{self, BadSettings, Settings};

use super::Untold;

/// The longest answer that is taken. Nobody reads more than a sentence of it.
pub const MOST: usize = 256 << 10;

pub const ALLOW_PRIVATE: &str = "`true`: it may lead to this machine or its network, and goes through the proxies of \
                                 the environment";

/// How far the user lets it go.
pub fn reach(settings: &Settings) -> Result<Reach, BadSettings> {
    Ok(if settings::switch(settings, "allow_private")? { Reach::Anywhere } else { Reach::Public })
}

pub fn untold(error: &HttpError) -> Untold {
    match error {
        HttpError::Refused(why) => {
            Untold::lasting(format!("{why}; if it is meant, set `allow_private` to true"))
        }
        HttpError::Bad(why) => Untold::lasting(why),
        HttpError::Failed(why) => Untold::passing(why),
    }
}

/// What an answer other than success means.
pub fn refusal(whom: &str, response: &Response) -> Untold {
    let status = response.status;
    match status {
        300..=399 => Untold::lasting(format!(
            "{whom} answered with a redirect ({status}), which is not followed; set the address it leads to"
        )),
        429 => {
            Untold::passing(match response.header("retry-after").and_then(|wait| wait.parse::<u32>().ok()) {
                Some(seconds) => format!("{whom} asks to wait for {seconds} seconds"),
                None => format!("{whom} asks to wait"),
            })
        }
        401 | 403 => {
            Untold::lasting(format!("{whom} does not let us in ({status}); is what identifies us right?"))
        }
        404 | 410 => Untold::lasting(format!("{whom} has nothing at that address any more ({status})")),
        408 | 425 | 500.. => Untold::passing(format!("{whom} has trouble of its own ({status})")),
        _ => Untold::lasting(format!("{whom} does not take it ({status})")),
    }
}
