//! Brace expansion: `{a,b}` and `{1..3}`, before anything else is expanded.

use super::syntax::Piece;

/// More alternatives than this are not followed one by one.
const MOST: usize = 200;

/// A character that may take part in a brace expression, or a piece that may not.
#[derive(Clone, Copy)]
enum Atom<'p> {
    Bare(char),
    Piece(&'p Piece),
}

/// A piece of an expanded word.
pub(super) enum Expanded<'p> {
    Bare(String),
    Piece(&'p Piece),
    /// Too many alternatives to follow.
    Unknown,
}

/// Whether the word has something that could be a brace expression.
pub(super) fn possible(pieces: &[Piece]) -> bool {
    let bare = |wanted: &[char]| {
        pieces.iter().any(|piece| matches!(piece, Piece::Bare(text) if text.contains(wanted)))
    };
    bare(&['{']) && bare(&['}'])
}

/// The words that a word with braces becomes.
pub(super) fn expand(pieces: &[Piece]) -> Vec<Vec<Expanded<'_>>> {
    let mut atoms = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bare(text) => atoms.extend(text.chars().map(Atom::Bare)),
            other => atoms.push(Atom::Piece(other)),
        }
    }
    let mut budget = MOST;
    match alternatives(&atoms, &mut budget, 0) {
        Some(words) => words.iter().map(|word| gather(word)).collect(),
        None => vec![vec![Expanded::Unknown]],
    }
}

fn gather<'p>(atoms: &[Atom<'p>]) -> Vec<Expanded<'p>> {
    let mut pieces = Vec::new();
    for atom in atoms {
        match (pieces.last_mut(), atom) {
            (Some(Expanded::Bare(text)), Atom::Bare(character)) => text.push(*character),
            (_, Atom::Bare(character)) => pieces.push(Expanded::Bare(character.to_string())),
            (_, Atom::Piece(piece)) => pieces.push(Expanded::Piece(piece)),
        }
    }
    pieces
}

/// Nothing if there are too many.
fn alternatives<'p>(atoms: &[Atom<'p>], budget: &mut usize, depth: usize) -> Option<Vec<Vec<Atom<'p>>>> {
    if depth > 12 {
        return None;
    }
    for (start, atom) in atoms.iter().enumerate() {
        if !matches!(atom, Atom::Bare('{')) {
            continue;
        }
        let Some((end, commas)) = closing(atoms, start) else { continue };
        let inside = &atoms[start + 1..end];
        let members: Vec<Vec<Atom<'p>>> = if commas.is_empty() {
            match sequence(inside)? {
                Some(members) => members,
                None => continue,
            }
        } else {
            let mut edges = vec![start];
            edges.extend(commas);
            edges.push(end);
            let mut members = Vec::new();
            for pair in edges.windows(2) {
                members.extend(alternatives(&atoms[pair[0] + 1..pair[1]], budget, depth + 1)?);
            }
            members
        };
        let tails = alternatives(&atoms[end + 1..], budget, depth + 1)?;
        *budget = budget.checked_sub(members.len() * tails.len())?;
        let mut words = Vec::new();
        for member in &members {
            for tail in &tails {
                let mut word = atoms[..start].to_vec();
                word.extend_from_slice(member);
                word.extend_from_slice(tail);
                words.push(word);
            }
        }
        return Some(words);
    }
    Some(vec![atoms.to_vec()])
}

/// Where the brace at `start` closes, and the commas between that belong to it.
fn closing(atoms: &[Atom<'_>], start: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    for (index, atom) in atoms.iter().enumerate().skip(start) {
        match atom {
            Atom::Bare('{') => depth += 1,
            Atom::Bare('}') => {
                depth -= 1;
                if depth == 0 {
                    return Some((index, commas));
                }
            }
            Atom::Bare(',') if depth == 1 => commas.push(index),
            _ => {}
        }
    }
    None
}

/// `1..5`, `a..e`, `1..9..2`. The outer `None` is for too many, the inner one for no sequence.
fn sequence<'p>(inside: &[Atom<'p>]) -> Option<Option<Vec<Vec<Atom<'p>>>>> {
    let mut text = String::new();
    for atom in inside {
        match atom {
            Atom::Bare(character) => text.push(*character),
            Atom::Piece(_) => return Some(None),
        }
    }
    let mut ends = text.split("..");
    let (Some(first), Some(last)) = (ends.next(), ends.next()) else { return Some(None) };
    let step =
        ends.next().map_or(Some(1), |step| step.parse::<i64>().ok()).map(|step| step.unsigned_abs().max(1));
    let (Some(step), None) = (step, ends.next()) else { return Some(None) };
    let letter = |text: &str| {
        let mut characters = text.chars();
        let only = characters.next().filter(char::is_ascii_alphabetic)?;
        characters.next().is_none().then_some(i64::from(only as u32))
    };
    let (from, to, letters) = match (first.parse::<i64>(), last.parse::<i64>(), letter(first), letter(last)) {
        (Ok(from), Ok(to), _, _) => (from, to, false),
        (_, _, Some(from), Some(to)) => (from, to, true),
        _ => return Some(None),
    };
    let width = if first.starts_with('0') || last.starts_with('0') { first.len().max(last.len()) } else { 0 };
    let count = (from.abs_diff(to) / step).saturating_add(1);
    let count = usize::try_from(count).ok().filter(|count| *count <= MOST)?;
    let members = (0..count as i64).map(|index| {
        let moved = index.saturating_mul(i64::try_from(step).unwrap_or(i64::MAX));
        let value = if from <= to { from.saturating_add(moved) } else { from.saturating_sub(moved) };
        let text = if letters {
            u32::try_from(value).ok().and_then(char::from_u32).map(String::from).unwrap_or_default()
        } else {
            format!("{value:0width$}")
        };
        text.chars().map(Atom::Bare).collect()
    });
    Some(Some(members.collect()))
}
