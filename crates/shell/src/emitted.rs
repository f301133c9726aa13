//! Effects of what happens several times, written down once.

use super::effect::Effect;
use super::walk::Walker;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Which effects were written down since something began to repeat itself.
pub(super) struct Emitted {
    pub from: usize,
    hashes: BTreeMap<u64, usize>,
}

const FEW_EFFECTS: usize = 24;

fn hash(effect: &Effect) -> u64 {
    let mut hasher = DefaultHasher::new();
    effect.hash(&mut hasher);
    hasher.finish()
}

impl Walker<'_> {
    /// What is written down from here on.
    pub fn emitted(&self) -> Emitted {
        Emitted { from: self.effects.len(), hashes: BTreeMap::new() }
    }

    /// Writes down what was not written down before.
    pub fn emit_new(&mut self, made: Vec<Effect>, emitted: &mut Emitted) {
        for effect in made {
            // A few are looked through; for many, hashes say where to look.
            if self.effects.len() - emitted.from <= FEW_EFFECTS {
                let written = self.effects.get(emitted.from..).unwrap_or_default();
                if !written.contains(&effect) {
                    self.effects.push(effect);
                }
                continue;
            }
            if emitted.hashes.is_empty() {
                let written = self.effects.iter().enumerate().skip(emitted.from);
                emitted.hashes.extend(written.map(|(index, effect)| (hash(effect), index)));
            }
            let index = *emitted.hashes.entry(hash(&effect)).or_insert(self.effects.len());
            if self.effects.get(index) != Some(&effect) {
                self.effects.push(effect);
            }
        }
    }
}
