//! What an event says to an agent or a person: a text with gaps, found in the user's folder or among those that come
//! along, and filled in.
//!
//! Trust boundary: a template is the user's, what fills its gaps is anybody's. A template reads what it is given and
//! makes text, up to a limit of work and of length; there is no way from it to a file, a program or the network. What
//! fills a gap is never read as a template.

mod engine;
mod extras;
mod filters;
mod library;

pub use engine::{MOST_TEXT, Made, Wrong, check, check_syntax, check_with, render, render_with};
pub use extras::{Call, Extras, Filter, Function};
pub use library::{Bundled, Found, Library, Origin};
