//! Packing fields into bytes and back, the most significant bit first.

use crate::Frame;

/// Packs fields into a buffer that is used again and again. What ends inside a byte is filled up with zero bits.
#[derive(Debug, Clone, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are taken, if not all: 0..=7.
    partial: u32,
}

impl BitWriter {
    /// Nothing yet.
    pub fn new() -> BitWriter {
        BitWriter::default()
    }

    /// Forgets everything but the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.partial = 0;
    }

    /// Appends the low `width` bits of a value, at most 64.
    #[inline]
    pub fn push(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 64);
        if width == 0 {
            return;
        }
        let value = u128::from(value) & ((1 << width) - 1);
        // At most 7 bits that are there and 64 new ones, from the top of 128.
        let taken = self.partial;
        let mut all = value << (128 - taken - width);
        if taken > 0 {
            let last = self.bytes.pop().expect("a byte is begun");
            all |= u128::from(last) << 120;
        }
        let bits = taken + width;
        self.bytes.extend_from_slice(&all.to_be_bytes()[..bits.div_ceil(8) as usize]);
        self.partial = bits % 8;
    }

    /// Appends a value of any width, its words lowest first. A varbit's is its current one.
    #[inline]
    pub fn push_words(&mut self, words: &[u64], width: u32) {
        let mut left = width;
        while left > 0 {
            let index = ((left - 1) / 64) as usize;
            let bits = left - index as u32 * 64;
            self.push(words.get(index).copied().unwrap_or(0), bits);
            left -= bits;
        }
    }

    /// Bits written.
    #[inline]
    pub fn bits(&self) -> usize {
        self.bytes.len() * 8 - if self.partial == 0 { 0 } else { 8 - self.partial as usize }
    }

    /// What is written.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads fields of a packet. It never fails: what is beyond the end is zero, and [`BitReader::remaining`] tells.
#[derive(Debug, Clone, Copy)]
pub struct BitReader<'a> {
    frame: Frame<'a>,
    /// In bits.
    position: usize,
}

impl<'a> BitReader<'a> {
    /// At the start of a packet.
    #[inline]
    pub fn new(frame: Frame<'a>) -> BitReader<'a> {
        BitReader { frame, position: 0 }
    }

    /// Bits read.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Bits left.
    #[inline]
    pub fn remaining(&self) -> usize {
        (self.frame.length() * 8).saturating_sub(self.position)
    }

    /// Goes on by so many bits.
    #[inline]
    pub fn skip(&mut self, bits: usize) {
        self.position += bits;
    }

    /// The next `width` bits, at most 64.
    #[inline]
    pub fn read(&mut self, width: u32) -> u64 {
        debug_assert!(width <= 64);
        if width == 0 {
            return 0;
        }
        let (start, skip) = (self.position / 8, (self.position % 8) as u32);
        self.position += width as usize;
        let stored = self.frame.bytes;
        if start + 16 <= stored.len() {
            let mut sixteen = [0; 16];
            sixteen.copy_from_slice(&stored[start..start + 16]);
            return ((u128::from_be_bytes(sixteen) << skip) >> (128 - width)) as u64;
        }
        // Near the end: byte by byte, zeros beyond it.
        let mut bits: u128 = 0;
        for i in 0..9 {
            bits = bits << 8 | u128::from(stored.get(start + i).copied().unwrap_or(0));
        }
        // 72 bits at the bottom.
        ((bits << (56 + skip)) >> (128 - width)) as u64
    }

    /// The next `width` bits as words, lowest first; words beyond become zero.
    #[inline]
    pub fn read_words(&mut self, width: u32, words: &mut [u64]) {
        words.fill(0);
        let mut left = width;
        while left > 0 {
            let index = ((left - 1) / 64) as usize;
            let bits = left - index as u32 * 64;
            let word = self.read(bits);
            if let Some(slot) = words.get_mut(index) {
                *slot = word;
            }
            left -= bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_packed_from_the_most_significant_bit() {
        let mut writer = BitWriter::new();
        writer.push(0x4, 4);
        writer.push(0x5, 4);
        writer.push(0b101, 3);
        assert_eq!((writer.bytes(), writer.bits()), ([0x45, 0b1010_0000].as_slice(), 11));
        writer.push_words(&[u64::MAX, 1], 65);
        assert_eq!(writer.bits(), 76);
        assert_eq!(writer.bytes()[1], 0b1011_1111);
        assert_eq!(writer.bytes()[9], 0b1111_0000);
        writer.clear();
        writer.push(0xffff, 0);
        assert_eq!((writer.bytes(), writer.bits()), ([].as_slice(), 0));
    }

    #[test]
    fn what_is_behind_the_stored_bytes_is_zero() {
        let mut reader = BitReader::new(Frame { bytes: &[0xff], zeros: 2 });
        assert_eq!((reader.read(4), reader.read(8), reader.remaining()), (0xf, 0xf0, 12));
        reader.skip(12);
        assert_eq!((reader.remaining(), reader.read(64), reader.remaining()), (0, 0, 0));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in prop::collection::vec((any::<[u64; 4]>(), 0u32..=256), 0..20)) {
            let mut writer = BitWriter::new();
            for (words, width) in &fields {
                writer.push_words(words, *width);
            }
            let mut reader = BitReader::new(Frame { bytes: writer.bytes(), zeros: 0 });
            for (mut words, width) in fields {
                for (i, word) in words.iter_mut().enumerate() {
                    let bits = width.saturating_sub(i as u32 * 64).min(64);
                    *word = (u128::from(*word) & ((1 << bits) - 1)) as u64;
                }
                let mut read = [1; 4];
                reader.read_words(width, &mut read);
                prop_assert_eq!(read, words);
            }
            prop_assert!(reader.remaining() < 8);
        }
    }
}
