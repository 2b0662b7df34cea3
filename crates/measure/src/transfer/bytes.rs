//! Encoding of integers, text and lists, and their decoding from untrusted bytes.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};

use super::TransferError;
use super::names::interned;

/// Bytes to collect before they are written.
const ENOUGH: usize = 64 * 1024;
/// Number of items for which to allocate memory before the first has been read.
const ITEMS: usize = 1024;

/// Encoder.
pub(super) struct Writer<'a> {
    bytes: Vec<u8>,
    out: &'a mut dyn Write,
    /// The first error; nothing is written after it.
    failed: Option<io::Error>,
    names: HashMap<&'static str, u64>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Writer<'a> {
        Writer { bytes: Vec::new(), out, failed: None, names: HashMap::new() }
    }

    /// Writes the rest; returns the first error.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.failed.map_or(Ok(()), Err)
    }

    /// Ends the encoding with an error.
    pub(super) fn fail(&mut self, error: io::Error) {
        self.failed.get_or_insert(error);
    }

    fn flush(&mut self) {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(&self.bytes)
        {
            self.failed = Some(error);
        }
        self.bytes.clear();
    }

    #[inline]
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

    pub(super) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Writer<'a>, &T)) {
        self.unsigned(items.len() as u64);
        for item in items {
            write(self, item);
            self.after_item();
        }
    }

    /// To call now and then, so that memory stays small.
    #[inline]
    pub(super) fn after_item(&mut self) {
        if self.bytes.len() >= ENOUGH {
            self.flush();
        }
    }
}

/// Decoder.
pub(super) struct Reader<R> {
    input: R,
    names: Vec<&'static str>,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Reader<R> {
        Reader { input, names: Vec::new() }
    }

    /// Whether the input has ended.
    pub(super) fn is_at_end(&mut self) -> Result<bool, TransferError> {
        Ok(self.input.fill_buf()?.is_empty())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], TransferError> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, TransferError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
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
        Ok(f64::from_bits(u64::from_le_bytes(self.array()?)))
    }

    pub(super) fn text(&mut self) -> Result<String, TransferError> {
        let length = self.unsigned()?;
        // Grows with the bytes that are there, not with the length that is claimed.
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(TransferError::CutOff);
        }
        String::from_utf8(bytes).map_err(|_| TransferError::Damaged("a name must be UTF-8"))
    }

    pub(super) fn name(&mut self) -> Result<&'static str, TransferError> {
        let place: usize = self.integer()?;
        if let Some(name) = self.names.get(place) {
            return Ok(name);
        }
        if place != self.names.len() {
            return Err(TransferError::Damaged("unknown index of a name"));
        }
        let name = interned(&self.text()?)?;
        self.names.push(name);
        Ok(name)
    }

    /// Reads a list. Each item must take at least a byte, which bounds the memory by the length of the input.
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Reader<R>) -> Result<T, TransferError>,
    ) -> Result<Vec<T>, TransferError> {
        let count: usize = self.integer()?;
        let mut items = Vec::with_capacity(count.min(ITEMS));
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }
}
