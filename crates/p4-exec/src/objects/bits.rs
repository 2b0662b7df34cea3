//! Packing of fields into bytes and back, most significant bit first.

use crate::Frame;

/// Writer that packs fields into a reusable buffer. A partial last byte is padded with zero bits.
#[derive(Debug, Clone, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Number of used bits in the last byte if it is partial: 0..=7.
    partial: u32,
}

impl BitWriter {
    /// Creates an empty writer.
    pub fn new() -> BitWriter {
        BitWriter::default()
    }

    /// Clears the content and keeps the memory.
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
        // At most 7 pending bits and 64 new ones, at the top of 128.
        let taken = self.partial;
        let mut all = value << (128 - taken - width);
        if taken > 0 {
            let last = self.bytes.pop().expect("the last byte is partial");
            all |= u128::from(last) << 120;
        }
        let bits = taken + width;
        self.bytes.extend_from_slice(&all.to_be_bytes()[..bits.div_ceil(8) as usize]);
        self.partial = bits % 8;
    }

    /// Appends a value of any width, lowest word first. For a varbit, the width is the current one.
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

    /// Number of bits written.
    #[inline]
    pub fn bits(&self) -> usize {
        self.bytes.len() * 8 - if self.partial == 0 { 0 } else { 8 - self.partial as usize }
    }

    /// Bytes written.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reader of a packet's fields. Reads never fail: bits beyond the end are zero; see [`BitReader::remaining`].
#[derive(Debug, Clone, Copy)]
pub struct BitReader<'a> {
    frame: Frame<'a>,
    /// Position in bits.
    position: usize,
}

impl<'a> BitReader<'a> {
    /// Creates a reader at the start of a packet.
    #[inline]
    pub fn new(frame: Frame<'a>) -> BitReader<'a> {
        BitReader { frame, position: 0 }
    }

    /// Number of bits read.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Number of bits left.
    #[inline]
    pub fn remaining(&self) -> usize {
        (self.frame.length() * 8).saturating_sub(self.position)
    }

    /// Skips a number of bits.
    #[inline]
    pub fn skip(&mut self, bits: usize) {
        self.position += bits;
    }

    /// Reads the next `width` bits, at most 64.
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
        // Near the end: byte by byte, with zeros beyond the end.
        let mut bits: u128 = 0;
        for i in 0..9 {
            bits = bits << 8 | u128::from(stored.get(start + i).copied().unwrap_or(0));
        }
        // The lowest 72 bits are used.
        ((bits << (56 + skip)) >> (128 - width)) as u64
    }

    /// Reads the next `width` bits as words, lowest first; remaining words become zero.
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
    fn bits_after_the_stored_bytes_are_zero() {
        let mut reader = BitReader::new(Frame { bytes: &[0xff], zeros: 2 });
        assert_eq!((reader.read(4), reader.read(8), reader.remaining()), (0xf, 0xf0, 12));
        reader.skip(12);
        assert_eq!((reader.remaining(), reader.read(64), reader.remaining()), (0, 0, 0));
    }

    proptest! {
        #[test]
        fn written_fields_are_read_back(fields in prop::collection::vec((any::<[u64; 4]>(), 0u32..=256), 0..20)) {
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
