//! The first memory of a process: handed out in order from one block, and hardly ever taken back.
//!
//! A hook lives for half a millisecond and asks for memory some thousand times; a general allocator spends a third of
//! the hook's instructions on being ready for more. Whoever needs more than the block gets it from the system, so that
//! a long-lived `sb` is none the worse.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

const SIZE: usize = 256 * 1024;

/// Every piece begins at a multiple of this.
const GRAIN: usize = 16;

pub struct Arena {
    block: UnsafeCell<Block>,
    /// How much of the block is given away.
    used: AtomicUsize,
}

#[repr(align(4096))]
struct Block(#[expect(dead_code, reason = "read and written through pointers")] [u8; SIZE]);

#[expect(unsafe_code, reason = "an allocator shared by all threads")]
// SAFETY: threads only meet in `used`, and what lies below it belongs to whoever got it.
unsafe impl Sync for Arena {}

impl Arena {
    pub const fn new() -> Self {
        Self { block: UnsafeCell::new(Block([0; SIZE])), used: AtomicUsize::new(0) }
    }

    fn start(&self) -> *mut u8 {
        self.block.get().cast()
    }

    /// Where in the block this lies.
    fn place(&self, piece: *mut u8) -> Option<usize> {
        let place = piece.addr().wrapping_sub(self.start().addr());
        (place < SIZE).then_some(place)
    }

    /// Make the last piece longer or shorter. Others are left alone.
    fn resize(&self, place: usize, old: usize, new: usize) -> bool {
        let (old, new) = (place + whole(old), place + whole(new));
        new <= SIZE && self.used.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

fn whole(size: usize) -> usize {
    size.next_multiple_of(GRAIN)
}

#[expect(unsafe_code, reason = "an allocator hands out raw memory")]
// SAFETY: a piece is never shared: `used` only grows past it by whoever asked, and only its owner may give it back, and
// only while nothing lies behind it. All else is passed on to the system.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= GRAIN && layout.size() <= SIZE / 4 {
            let size = whole(layout.size());
            let mut used = self.used.load(Ordering::Relaxed);
            while used + size <= SIZE {
                match self.used.compare_exchange_weak(used, used + size, Ordering::AcqRel, Ordering::Relaxed)
                {
                    Ok(_) => return unsafe { self.start().add(used) },
                    Err(other) => used = other,
                }
            }
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        match self.place(piece) {
            Some(place) => drop(self.resize(place, layout.size(), 0)),
            None => unsafe { System.dealloc(piece, layout) },
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(place) = self.place(piece) else { return unsafe { System.realloc(piece, layout, size) } };
        if self.resize(place, layout.size(), size) {
            return piece;
        }
        unsafe {
            let other = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !other.is_null() {
                other.copy_from_nonoverlapping(piece, layout.size().min(size));
                self.dealloc(piece, layout);
            }
            other
        }
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "an allocator is used through raw memory")]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a valid layout")
    }

    fn used(arena: &Arena) -> usize {
        arena.used.load(Ordering::Relaxed)
    }

    #[test]
    fn the_last_piece_grows_in_place_and_is_taken_back() {
        static ARENA: Arena = Arena::new();
        // SAFETY: each piece is used within its layout and given back once.
        unsafe {
            let first = ARENA.alloc(layout(10));
            let grown = ARENA.realloc(first, layout(10), 100);
            assert_eq!((first, used(&ARENA)), (grown, 112));
            let second = ARENA.alloc(layout(1));
            second.write(7);
            ARENA.dealloc(grown, layout(100));
            assert_eq!(used(&ARENA), 128, "something lies behind it");
            let moved = ARENA.realloc(second, layout(1), 40);
            assert_eq!((moved, moved.read()), (second, 7));
            ARENA.dealloc(moved, layout(40));
            assert_eq!(used(&ARENA), 112);
        }
    }

    #[test]
    fn what_is_large_or_aligned_or_too_much_comes_from_the_system() {
        static ARENA: Arena = Arena::new();
        let paged = Layout::from_size_align(64, 4096).expect("a valid layout");
        // SAFETY: as above.
        unsafe {
            for layout in [layout(SIZE), paged] {
                let piece = ARENA.alloc(layout);
                assert!(ARENA.place(piece).is_none() && piece.addr() % layout.align() == 0);
                ARENA.dealloc(piece, layout);
            }
            assert_eq!(used(&ARENA), 0);
            let pieces: Vec<_> = (0..SIZE / 1024 + 1).map(|_| ARENA.alloc(layout(1024))).collect();
            assert_eq!(pieces.iter().filter(|piece| ARENA.place(**piece).is_none()).count(), 1);
            pieces.iter().for_each(|piece| ARENA.dealloc(*piece, layout(1024)));
        }
    }

    /// Every piece keeps what its owner wrote, whoever else asks, grows and gives back at the same time.
    #[test]
    fn threads_do_not_meet() {
        static ARENA: Arena = Arena::new();
        std::thread::scope(|scope| {
            for mark in 1..=4_u8 {
                scope.spawn(move || {
                    for round in 0..2_000_usize {
                        let (size, more) = (1 + round % 90, 200);
                        // SAFETY: as above.
                        unsafe {
                            let piece = ARENA.alloc(layout(size));
                            piece.write_bytes(mark, size);
                            let piece = ARENA.realloc(piece, layout(size), more);
                            assert!((0..size).all(|at| piece.add(at).read() == mark));
                            piece.write_bytes(mark, more);
                            let other = ARENA.alloc(layout(3));
                            other.write_bytes(0, 3);
                            assert!((0..more).all(|at| piece.add(at).read() == mark));
                            ARENA.dealloc(other, layout(3));
                            ARENA.dealloc(piece, layout(more));
                        }
                    }
                });
            }
        });
    }
}
