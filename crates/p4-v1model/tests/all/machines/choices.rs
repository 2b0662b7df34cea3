//! Source of a program's random choices: a list of numbers. A shorter list of smaller numbers gives a simpler program.

use num_bigint::BigUint;

/// Draws from a list of numbers, then zeros. 0 always selects the simplest choice.
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

    /// Whether all numbers have been drawn.
    pub fn is_exhausted(&self) -> bool {
        self.at >= self.numbers.len()
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let next = self.next() as usize;
        if count == 0 { 0 } else { next % count }
    }

    /// True with probability 1/`of`.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) + 1 == of
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// A number of a given width: small, at a limit, or any.
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
