//! Text that is written in strides: where the bytes of a kind stand among 64, and copying what lies between them.
//!
//! Output is short runs of text with something to be done between them. To look for each place by itself and to copy
//! each run by itself costs more than what is done there.

/// So many bytes are looked at together.
pub(crate) const BLOCK: usize = 64;
/// Copies are made in pieces of this length, which is one instruction. What was copied too much is overwritten.
const PIECE: usize = 16;
/// What a short text takes at the most, and so a byte that is replaced by one.
pub(crate) const SHORT: usize = 8;
/// What can come of one block.
const MOST: usize = BLOCK * SHORT + BLOCK;

/// The bits of the bytes of a kind, in the 64 bytes from a place on. Behind the end there are none.
#[inline]
pub(crate) fn bits(bytes: &[u8], from: usize, is_one: impl Fn(u8) -> bool) -> u64 {
    /// Brings the lowest bits of eight bytes together in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let rest = bytes.get(from..).unwrap_or_default();
    let Some(block) = rest.first_chunk::<BLOCK>() else {
        return (0..).zip(rest).fold(0, |bits, (place, byte)| bits | (u64::from(is_one(*byte)) << place));
    };
    let flags = block.map(|byte| u8::from(is_one(byte)));
    let (words, _) = flags.as_chunks::<8>();
    let gather = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56;
    words.iter().rev().fold(0, |bits, word| (bits << 8) | gather(word))
}

/// A text with room behind it, which may be written too far. The room is kept when it is cleared.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    room: Vec<u8>,
    used: usize,
}

impl Sheet {
    pub fn bytes(&self) -> &[u8] {
        self.room.get(..self.used).unwrap_or_default()
    }

    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Forget what was written behind this length.
    pub fn truncate(&mut self, length: usize) {
        self.used = self.used.min(length);
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.make_room_for(bytes.len());
        let end = self.used + bytes.len();
        if let Some(place) = self.room.get_mut(self.used..end) {
            place.copy_from_slice(bytes);
            self.used = end;
        }
    }

    /// Make room for all that comes of one block. Then runs of at most a block and short texts may follow.
    #[inline]
    pub fn make_room(&mut self) {
        self.make_room_for(MOST);
    }

    #[inline]
    fn make_room_for(&mut self, length: usize) {
        if self.used + length > self.room.len() {
            self.room.resize((self.used + length) * 2, 0);
        }
    }

    /// Bytes from a place to another.
    #[inline]
    pub fn run(&mut self, bytes: &[u8], from: usize, to: usize) {
        let length = to.saturating_sub(from);
        let Some(room) = self.room.get_mut(self.used..).and_then(<[u8]>::first_chunk_mut::<BLOCK>) else {
            return;
        };
        match bytes.get(from..).and_then(<[u8]>::first_chunk::<BLOCK>) {
            Some(block) => copy(block, room, length),
            None => copy_end(bytes, from, room),
        }
        self.used += length;
    }

    /// The beginning of a short text.
    #[inline]
    pub fn short(&mut self, text: [u8; SHORT], length: usize) {
        if let Some(place) = self.room.get_mut(self.used..).and_then(<[u8]>::first_chunk_mut::<SHORT>) {
            *place = text;
            self.used += length;
        }
    }
}

/// As many pieces as it takes. No loop: the compiler would make a call of it.
#[inline]
fn copy(from: &[u8; BLOCK], to: &mut [u8; BLOCK], length: usize) {
    let (from, _) = from.as_chunks::<PIECE>();
    let (to, _) = to.as_chunks_mut::<PIECE>();
    let ([a, b, c, d], [first, second, third, fourth]) = (from, to) else { return };
    *first = *a;
    if length > PIECE {
        *second = *b;
    }
    if length > PIECE * 2 {
        (*third, *fourth) = (*c, *d);
    }
}

/// What is left of the bytes, where that is less than a block.
#[cold]
fn copy_end(bytes: &[u8], from: usize, to: &mut [u8; BLOCK]) {
    to.iter_mut().zip(bytes.iter().skip(from)).for_each(|(to, from)| *to = *from);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_place_is_found_and_everything_is_copied(
            before in prop::collection::vec(any::<u8>(), 0..20),
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            limit in any::<u8>(),
        ) {
            let (mut found, mut copy) = (Vec::new(), Sheet::default());
            copy.push(&before);
            for start in (0..bytes.len()).step_by(BLOCK) {
                copy.make_room();
                let (mut from, mut bits) = (start, bits(&bytes, start, |byte| byte < limit));
                while bits != 0 {
                    let at = start + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    found.push(at);
                    copy.run(&bytes, from, at);
                    copy.short([bytes[at]; SHORT], 1);
                    from = at + 1;
                }
                copy.run(&bytes, from, bytes.len().min(start + BLOCK));
            }
            let wanted: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] < limit).collect();
            prop_assert_eq!(found, wanted);
            prop_assert_eq!(copy.bytes(), [before, bytes].concat());
        }
    }
}
