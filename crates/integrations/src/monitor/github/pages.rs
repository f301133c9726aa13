//! A list in pages that grows at its end. Only its last two pages are read again and again.
//!
//! A new entry stands at the end, or a little before it where it was a draft for a while. The tag of a page covers that
//! page alone, and a page that was full may have got a successor without changing itself.

use serde::de::DeserializeOwned;

use super::state::List;
use crate::github::client::{Answer, Client};
use crate::monitor::Trouble;

pub const PER_PAGE: usize = 100;
/// How many pages one look reads. The next look goes on from there.
const MOST_PAGES: usize = 20;
/// No list is longer; a server that says so is not believed.
const LAST_PAGE: u32 = 10_000;

/// What stands on the pages that changed.
pub fn read<T: DeserializeOwned>(
    client: &mut Client,
    list: &mut List,
    path: &str,
    what: &str,
) -> Result<Vec<T>, Trouble> {
    let mut found = Vec::new();
    let mut first = list.page.saturating_sub(1).max(1);
    let mut page = first;
    for _ in 0..MOST_PAGES {
        let known = list.tags.get(&page).cloned();
        let tag = known.as_ref().map(|(tag, _)| tag.as_str());
        let is_full = match client.get(&format!("{path}?per_page={PER_PAGE}&page={page}"), tag, what)? {
            Answer::Same => known.is_some_and(|(_, is_full)| is_full),
            Answer::Absent => return Err(Trouble::Passing(format!("GitHub knows nothing of {what}"))),
            Answer::Fresh(fresh) => {
                let mut entries: Vec<T> = fresh.read(what)?;
                if entries.is_empty() && page == first && page > 1 {
                    // Much was deleted; the end is now further up.
                    list.tags.remove(&page);
                    first -= 1;
                    page = first;
                    list.page = page;
                    continue;
                }
                if entries.is_empty() && page > 1 {
                    break;
                }
                let is_full = entries.len() >= PER_PAGE;
                found.append(&mut entries);
                match fresh.tag {
                    Some(tag) => list.tags.insert(page, (tag, is_full)),
                    None => list.tags.remove(&page),
                };
                let end = fresh.last_page.filter(|last| list.page == 0 && *last <= LAST_PAGE);
                if let Some(last) = end.filter(|last| *last > 2) {
                    // What stands in between at the first look is no news.
                    first = last - 1;
                    page = first;
                    list.page = page;
                    continue;
                }
                is_full
            }
        };
        list.page = list.page.max(page);
        if !is_full {
            break;
        }
        page = page.saturating_add(1);
    }
    let kept = list.page.saturating_sub(1);
    list.tags.retain(|page, _| *page >= kept);
    Ok(found)
}
