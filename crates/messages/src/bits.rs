//! A set of small numbers.

/// The set of received packets of a message. Clearing keeps the memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    count: u32,
}

impl Bits {
    pub fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
    }

    /// Number of elements.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Memory in bytes.
    #[inline]
    pub fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    #[inline]
    pub fn contains(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Adds `at`; returns whether it is new.
    #[inline]
    pub fn insert(&mut self, at: u32) -> bool {
        let word = at as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1 << (at % 64);
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.count += u32::from(is_new);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_element_once() {
        let mut bits = Bits::default();
        assert!(bits.insert(3) && bits.insert(200) && !bits.insert(3));
        assert_eq!(
            (bits.count(), bits.contains(200), bits.contains(199), bits.contains(5000)),
            (2, true, false, false)
        );
        bits.clear();
        assert_eq!((bits.count(), bits.contains(3)), (0, false));
    }
}
