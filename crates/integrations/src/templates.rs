//! What is wrong with a template, by what it is for.

use signalbox_template::{Extras, Found, Wrong, check_with};

use crate::{monitor, notifier};

/// What every message of a monitor knows besides its event's own fields.
const OF_MONITORS: &[&str] = &["monitor", "agent", "event"];
/// Where the templates of notifiers are.
const NOTIFICATIONS: &str = "notifications/";

/// Which names a template may use.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Names {
    These(Vec<&'static str>),
    /// A program of the user's says what there is.
    Any,
    /// Nothing announces such an event, so it would never be used.
    NoSuchEvent,
}

/// Whether a template can be read, and uses only what there is for its event.
pub fn check_template(template: &Found) -> Result<(), Wrong> {
    let (folder, event) = template.name.rsplit_once('/').unwrap_or(("", &template.name));
    let kind = folder.strip_prefix(NOTIFICATIONS).and_then(notifier::find);
    let extras = kind.map_or(Extras::NONE, |kind| kind.extras);
    match names(folder, event) {
        Names::These(names) => check_with(template, &names, &extras),
        Names::Any => signalbox_template::check_syntax(template),
        Names::NoSuchEvent => {
            signalbox_template::check_syntax(template)?;
            let what = format!("no monitor has an event `{event}`, so it is never used");
            Err(Wrong { place: template.place(), line: None, what })
        }
    }
}

/// The folder of an instance does not say its type: then every type that has such an event counts.
fn names(folder: &str, event: &str) -> Names {
    if folder.starts_with(NOTIFICATIONS) {
        return Names::These(notifier::NAMES.to_vec());
    }
    let is_instance = monitor::find(folder).is_none();
    let types = || monitor::TYPES.iter().filter(|kind| is_instance || kind.name == folder);
    let kinds: Vec<_> = types().flat_map(|kind| kind.events).filter(|kind| kind.name == event).collect();
    if event != monitor::ANY_EVENT && !kinds.is_empty() {
        let fields = kinds.iter().flat_map(|kind| kind.fields).map(|(name, _)| *name);
        return Names::These(fields.chain(OF_MONITORS.iter().copied()).collect());
    }
    let is_free = event == monitor::ANY_EVENT || types().any(|kind| kind.names_own_events);
    if is_free { Names::Any } else { Names::NoSuchEvent }
}

#[cfg(test)]
mod tests {
    use signalbox_template::Origin;

    use super::*;

    #[test]
    fn every_template_uses_only_what_there_is() {
        for template in crate::templates() {
            let name = format!("{}/{}", template.folder, template.event);
            let found = Found { name, text: template.text.to_owned(), origin: Origin::Bundled };
            assert_eq!(check_template(&found), Ok(()));
        }
    }

    #[test]
    fn no_template_is_there_twice() {
        let mut names: Vec<_> =
            crate::templates().iter().map(|template| (template.folder, template.event)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), crate::templates().len());
    }

    #[test]
    fn what_is_not_there_is_found() {
        let wrong = |name: &str, text: &str| {
            let found = Found { name: name.to_owned(), text: text.to_owned(), origin: Origin::Bundled };
            check_template(&found).map_err(|wrong| wrong.what)
        };
        assert_eq!(wrong("notifications/slack/default", "{{ message }}{{ divider() }}"), Ok(()));
        assert!(wrong("notifications/desktop/default", "{{ context }}").is_err());
        assert!(wrong("github/no_such_event", "x").is_err());
        assert!(wrong("github/ci_failure", "{{ nothing }}").is_err());
        // A program of somebody's announces what it likes.
        assert_eq!(wrong("my_own/whatever", "{{ anything }}"), Ok(()));
        assert!(wrong("my_own/whatever", "{% if %}").is_err());
    }
}
