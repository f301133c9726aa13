//! Code of which some parts are not known: `sh -c "cd $DIR && rm a"`.

use super::state::States;
use super::text::{Field, Part};
use super::walk::Walker;
use std::rc::Rc;

/// Characters that nobody types, and that stand for the unknown parts of code.
const FIRST_HOLE: u32 = 0xF_0000;

fn hole(index: usize) -> Option<char> {
    let index = u32::try_from(index).ok().filter(|index| *index < 1_000)?;
    char::from_u32(FIRST_HOLE + index)
}

/// Which unknown part a character stands for.
pub(super) fn hole_index(mark: char) -> Option<usize> {
    let index = u32::from(mark).checked_sub(FIRST_HOLE).filter(|index| *index < 1_000)?;
    usize::try_from(index).ok()
}

impl Walker<'_> {
    /// Follows code of which some parts are not known, as far as the rest says what it does.
    pub fn code_with_holes(&mut self, code: &Field, states: States) {
        if !code.parts.iter().any(|part| matches!(part, Part::Literal(_))) {
            return;
        }
        let before = self.holes.len();
        let mut text = String::new();
        for part in &code.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                other => {
                    let Some(mark) = hole(self.holes.len()) else { return };
                    text.push(mark);
                    Rc::make_mut(&mut self.holes).push(other.clone());
                }
            }
        }
        self.code(&text, states);
        Rc::make_mut(&mut self.holes).truncate(before);
    }
}
