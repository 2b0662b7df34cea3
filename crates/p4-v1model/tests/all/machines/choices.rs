//! What a program is drawn from: a list of numbers, so that a shorter list of smaller numbers is a simpler program.

use num_bigint::BigUint;

/// Draws from a list of numbers, then zeros. 0 always chooses the simplest.
pub struct Choices<'a> {
    numbers: &'a [u32],
    at: usize,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u32]) -> Choices<'a> {
        Choices { numbers, at: 0 }
    }

    pub fn next(&mut self) -> u32 {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        number
    }

    /// Whether there is nothing left to draw from.
    pub fn is_exhausted(&self) -> bool {
        self.at >= self.numbers.len()
    }

    /// Below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let next = self.next() as usize;
        if count == 0 { 0 } else { next % count }
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) + 1 == of
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// A number of so many bits: small, at an edge, or any.
    pub fn bits(&mut self, width: u32) -> BigUint {
        let one = BigUint::from(1u8);
        let mask = (&one << width) - &one;
        let value = match self.below(6) {
            0 => BigUint::from(self.below(4)),
            1 => mask.clone(),
            2 if width > 0 => one << (width - 1),
            3 if width > 0 => (&one << (width - 1)) - 1u8,
            4 => &one << self.below(width.max(1) as usize),
            _ => {
                let words: Vec<u32> = (0..width.div_ceil(32)).map(|_| self.next()).collect();
                BigUint::from_slice(&words)
            }
        };
        value & mask
    }
}
