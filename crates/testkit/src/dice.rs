//! Dice that fall the same way again.

/// Numbers that look random and are the same for the same seed.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    /// A number below this one. (SplitMix64.)
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mix(self.0) % end.max(1) as u64).expect("a small number")
    }

    /// The same without a throw.
    pub fn peek(&self, end: usize) -> usize {
        usize::try_from(mix(!self.0) % end.max(1) as u64).expect("a small number")
    }

    /// One to four words.
    pub fn words(&mut self) -> String {
        const WORDS: [&str; 12] = [
            "fix", "the", "login", "größer", "日本", "a", "test-run", "'quoted'", "x=1;", "naïve", "🚂",
            "done?",
        ];
        let count = self.below(4) + 1;
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}

fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
