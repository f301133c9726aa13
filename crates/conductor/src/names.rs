//! What agents are called, and their branches.

use signalbox_core::{Ticket, text};

/// The name for the next agent: the one after the last that was given, in the list's order, that nobody has now.
pub fn next(names: &[String], last: Option<&str>, taken: &[String]) -> String {
    let is_taken = |name: &str| taken.iter().any(|other| other.eq_ignore_ascii_case(name));
    let plain = |name: &str| names.iter().position(|known| known == name.trim_end_matches(char::is_numeric));
    let after = last.and_then(plain).map_or(0, |at| at + 1);
    let in_order = names.iter().cycle().skip(after).take(names.len());
    let free = in_order.clone().find(|name| !is_taken(name)).cloned();
    free.unwrap_or_else(|| {
        // Everybody is at work: the name gets a number.
        let base = in_order.clone().next().map_or("Agent", String::as_str).to_owned();
        let numbered = (2..).map(|number| format!("{base}{number}"));
        numbered.into_iter().find(|name| !is_taken(name)).unwrap_or(base)
    })
}

/// `<area>/<slug>`; from the title where nobody gave it a slug. The id makes it the ticket's own.
pub fn branch(ticket: &Ticket) -> String {
    if let Some(branch) = &ticket.branch {
        return branch.clone();
    }
    let area = ticket.area.as_deref().map(slug).filter(|area| !area.is_empty());
    let own = ticket.slug.as_deref().map(slug).filter(|slug| !slug.is_empty());
    let short = ticket.id.as_str().trim_start_matches("sb_").to_lowercase();
    let last = own.unwrap_or_else(|| {
        let title = slug(&text::one_line(&ticket.title));
        if title.is_empty() { short.clone() } else { format!("{title}-{short}") }
    });
    format!("{}/{last}", area.unwrap_or_else(|| "work".to_owned()))
}

/// The most characters a part of a branch has.
const MOST: usize = 48;

/// Small letters, digits and dashes, as git and file systems like them.
fn slug(words: &str) -> String {
    let mut made = String::new();
    for letter in words.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            made.push(letter);
        } else if !made.ends_with('-') && !made.is_empty() {
            made.push('-');
        }
        if made.len() >= MOST {
            break;
        }
    }
    made.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round_and_nobody_shares_one() {
        let names: Vec<String> = ["Ada", "Bowie", "Cleo"].map(String::from).to_vec();
        assert_eq!(next(&names, None, &[]), "Ada");
        assert_eq!(next(&names, Some("Ada"), &[]), "Bowie");
        assert_eq!(next(&names, Some("Cleo"), &[]), "Ada");
        assert_eq!(next(&names, Some("Ada"), &["bowie".to_owned()]), "Cleo");
        assert_eq!(next(&names, Some("Ada"), &names), "Bowie2");
        assert_eq!(next(&names, Some("Bowie2"), &[]), "Cleo");
        assert_eq!(next(&[], None, &[]), "Agent2");
    }

    #[test]
    fn any_text_makes_a_part_of_a_branch() {
        assert_eq!(slug("Parse ../ the -- Döner & co."), "parse-the-d-ner-co");
        assert_eq!(slug("  .. "), "");
        assert!(slug(&"very long ".repeat(40)).len() <= MOST);
    }
}
