//! `register`.

/// An array of values, stored as 64-bit words, lowest first.
///
/// A struct is stored as the concatenation of its fields, the first in the upper bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Words of all elements.
    words: Vec<u64>,
    len: usize,
    /// Number of words per element.
    stride: usize,
    /// Mask of the highest word of an element.
    top: u64,
    /// Words of an element's initial value, if it is not zero.
    initial: Vec<u64>,
}

impl Register {
    /// Creates `len` zeros of `width` bits.
    pub fn new(len: usize, width: u32) -> Register {
        let stride = width.div_ceil(64).max(1) as usize;
        let top = match width % 64 {
            0 if width == 0 => 0,
            0 => u64::MAX,
            bits => (1 << bits) - 1,
        };
        Register { words: vec![0; len * stride], len, stride, top, initial: Vec::new() }
    }

    /// Gives every element an initial value: its words, lowest first.
    #[must_use]
    pub fn beginning_with(mut self, words: &[u64]) -> Register {
        self.initial = words.to_vec();
        self.reset();
        self
    }

    /// Words of an element; none out of range.
    pub fn read(&self, index: u64) -> &[u64] {
        self.element(index).unwrap_or(&[])
    }

    /// Words of an element; `None` out of range.
    #[inline]
    pub fn element(&self, index: u64) -> Option<&[u64]> {
        if index >= self.len as u64 {
            return None;
        }
        let start = index as usize * self.stride;
        self.words.get(start..start + self.stride)
    }

    /// Writes an element, truncated to the width. Missing words are zero.
    #[inline]
    pub fn write(&mut self, index: u64, words: &[u64]) {
        if index >= self.len as u64 {
            return;
        }
        let start = index as usize * self.stride;
        let element = &mut self.words[start..start + self.stride];
        for (i, word) in element.iter_mut().enumerate() {
            *word = words.get(i).copied().unwrap_or(0);
        }
        element[self.stride - 1] &= self.top;
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all elements are zero.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Takes over the elements of a register of the same size and width; returns false, without effect, if it has another.
    pub fn carry(&mut self, from: &Register) -> bool {
        let same = (self.len, self.stride, self.top) == (from.len, from.stride, from.top);
        if same {
            self.words.clone_from(&from.words);
        }
        same
    }

    /// Resets every element to its initial value.
    pub fn reset(&mut self) {
        self.words.fill(0);
        if !self.initial.is_empty() {
            let initial = std::mem::take(&mut self.initial);
            (0..self.len as u64).for_each(|index| self.write(index, &initial));
            self.initial = initial;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_truncated_to_its_width() {
        let mut register = Register::new(2, 70);
        register.write(1, &[u64::MAX, u64::MAX, 7]);
        assert_eq!(register.read(1), [u64::MAX, 0x3f]);
        register.write(1, &[5]);
        assert_eq!(register.read(1), [5, 0]);
        let mut whole = Register::new(1, 64);
        whole.write(0, &[u64::MAX]);
        assert_eq!(whole.read(0), [u64::MAX]);
    }

    #[test]
    fn elements_begin_with_the_initial_value_and_return_to_it() {
        let mut register = Register::new(2, 12).beginning_with(&[0xf123]);
        assert_eq!([0, 1].map(|index| register.read(index)[0]), [0x123, 0x123], "cut to the width");
        register.write(0, &[7]);
        register.reset();
        assert_eq!(register.read(0), [0x123]);
    }

    #[test]
    fn out_of_range_reads_and_writes_nothing() {
        let mut register = Register::new(2, 8);
        register.write(2, &[9]);
        register.write(u64::MAX, &[9]);
        assert_eq!((register.element(2), register.read(2)), (None, [].as_slice()));
        assert_eq!(register.element(u64::MAX), None);
        register.write(0, &[1]);
        register.reset();
        assert_eq!((register.read(0), register.len()), ([0].as_slice(), 2));
    }
}
