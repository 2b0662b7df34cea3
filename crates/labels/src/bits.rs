//! Bits of a byte string, the most significant first.

use crate::LabelError;

/// Reads bit fields.
#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits read so far.
    at: usize,
}

impl<'a> BitReader<'a> {
    /// Starts at the first bit of `bytes`.
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, at: 0 }
    }

    /// Reads `width` bits (at most 32) as a number.
    ///
    /// # Errors
    /// If fewer remain.
    pub fn read(&mut self, width: u32) -> Result<u32, LabelError> {
        let mut value = 0;
        for _ in 0..width {
            let byte = self.bytes.get(self.at / 8).ok_or(LabelError::Truncated("bit field"))?;
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Ok(value)
    }

    /// Reads one bit.
    ///
    /// # Errors
    /// If none remains.
    pub fn flag(&mut self) -> Result<bool, LabelError> {
        self.read(1).map(|bit| bit == 1)
    }

    /// Reads a non-symmetric number below `n`: ns(n) of the AV1 RTP specification, A.8.2.
    ///
    /// # Errors
    /// If the bits end.
    pub fn non_symmetric(&mut self, n: u32) -> Result<u32, LabelError> {
        let width = u32::BITS - n.leading_zeros();
        let short = (1u32 << width) - n;
        let value = self.read(width.saturating_sub(1))?;
        match value < short {
            true => Ok(value),
            false => Ok((value << 1) - short + self.read(1)?),
        }
    }
}

/// Writes bit fields.
#[derive(Debug, Clone, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits used of the last byte, 0 to 7; 0: it is full.
    used: usize,
}

impl BitWriter {
    /// Appends the low `width` bits of `value`.
    pub fn write(&mut self, value: u32, width: u32) {
        for bit in (0..width).rev() {
            if self.used == 0 {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= (value >> bit & 1) as u8 * (0x80 >> self.used);
            self.used = (self.used + 1) % 8;
        }
    }

    /// Appends one bit.
    pub fn flag(&mut self, value: bool) {
        self.write(u32::from(value), 1);
    }

    /// Appends a number below `n` as ns(n).
    pub fn non_symmetric(&mut self, n: u32, value: u32) {
        let width = u32::BITS - n.leading_zeros();
        let short = (1u32 << width) - n;
        match value < short {
            true => self.write(value, width.saturating_sub(1)),
            false => self.write(value + short, width),
        }
    }

    /// The bytes, the last one padded with zeros.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_symmetric_numbers_have_the_codes_of_the_table_in_a_8_2() {
        // n = 5: 00, 01, 10, 110, 111
        for (value, code, width) in [(0, 0b00, 2), (1, 0b01, 2), (2, 0b10, 2), (3, 0b110, 3), (4, 0b111, 3)] {
            let mut writer = BitWriter::default();
            writer.non_symmetric(5, value);
            writer.write(1, 1);
            let bytes = writer.finish();
            assert_eq!(u32::from(bytes[0]), (code << 1 | 1) << (7 - width), "{value}");
            assert_eq!(BitReader::new(&bytes).non_symmetric(5), Ok(value));
        }
        // A range of one value takes no bits.
        assert_eq!(BitReader::new(&[]).non_symmetric(1), Ok(0));
    }

    #[test]
    fn bits_that_are_missing_are_an_error() {
        let mut reader = BitReader::new(&[0xa5]);
        assert_eq!((reader.read(4), reader.flag(), reader.read(3)), (Ok(0xa), Ok(false), Ok(5)));
        assert_eq!(reader.read(1), Err(LabelError::Truncated("bit field")));
    }
}
