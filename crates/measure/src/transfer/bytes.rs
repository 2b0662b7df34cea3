//! Encoding of integers, text and lists, and their decoding from untrusted bytes.

use std::collections::HashMap;

use super::TransferError;
use super::names::interned;

/// Encoder.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    names: HashMap<&'static str, u64>,
}

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes an unsigned integer in LEB128: seven bits per byte, the lowest first.
    pub(super) fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes the signed difference to the previous value, in zigzag encoding.
    pub(super) fn difference(&mut self, last: &mut u64, value: u64) {
        let difference = value.wrapping_sub(std::mem::replace(last, value)) as i64;
        self.unsigned((difference << 1 ^ difference >> 63) as u64);
    }

    pub(super) fn float(&mut self, value: f64) {
        self.raw(&value.to_bits().to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// Writes the index of a name, followed at first use by the name itself.
    pub(super) fn name(&mut self, name: &'static str) {
        let next = self.names.len() as u64;
        let place = *self.names.entry(name).or_insert(next);
        self.unsigned(place);
        if place == next {
            self.text(name);
        }
    }

    pub(super) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Writer, &T)) {
        self.unsigned(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }
}

/// Decoder.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    names: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, names: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], TransferError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(TransferError::CutOff)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, TransferError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(TransferError::Damaged("an integer exceeds 64 bits"))
    }

    /// Reads an integer of a narrower type.
    pub(super) fn integer<T: TryFrom<u64>>(&mut self) -> Result<T, TransferError> {
        T::try_from(self.unsigned()?).map_err(|_| TransferError::Damaged("an integer is out of range"))
    }

    pub(super) fn difference(&mut self, last: &mut u64) -> Result<u64, TransferError> {
        let zigzag = self.unsigned()?;
        *last = last.wrapping_add(zigzag >> 1 ^ (zigzag & 1).wrapping_neg());
        Ok(*last)
    }

    pub(super) fn float(&mut self) -> Result<f64, TransferError> {
        let bytes = self.take(8)?.try_into().expect("eight bytes were taken");
        Ok(f64::from_bits(u64::from_le_bytes(bytes)))
    }

    pub(super) fn text(&mut self) -> Result<&'a str, TransferError> {
        let length = self.integer()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| TransferError::Damaged("a name must be UTF-8"))
    }

    pub(super) fn name(&mut self) -> Result<&'static str, TransferError> {
        let place: usize = self.integer()?;
        if let Some(name) = self.names.get(place) {
            return Ok(name);
        }
        if place != self.names.len() {
            return Err(TransferError::Damaged("unknown index of a name"));
        }
        let name = interned(self.text()?)?;
        self.names.push(name);
        Ok(name)
    }

    /// Reads a list of items of at least `least` bytes each. The rest of the input bounds the allocation.
    pub(super) fn list<T>(
        &mut self,
        least: usize,
        mut read: impl FnMut(&mut Reader<'a>) -> Result<T, TransferError>,
    ) -> Result<Vec<T>, TransferError> {
        let count: usize = self.integer()?;
        if count > self.rest.len() / least {
            return Err(TransferError::CutOff);
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }
}
