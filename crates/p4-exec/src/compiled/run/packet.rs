//! Packets: extraction of headers, emission, and packing of fields.

use super::Run;
use crate::compiled::plan::{Extraction, Fragment, Pack, Width};
use crate::objects::{BitReader, BitWriter};

/// Size of the zero-padded copy for headers near the end of a packet.
const PADDED: usize = 256;

impl Run<'_> {
    /// Number of consumed bytes; a partly consumed byte counts.
    pub fn consumed(&self) -> usize {
        self.position.div_ceil(8)
    }

    fn remaining(&self) -> u64 {
        (self.frame.length() * 8 - self.position) as u64
    }

    /// Extracts a header or reads a `lookahead`; without a base, the result is discarded.
    #[inline]
    pub(super) fn extract(&mut self, plan: &Extraction, base: Option<usize>) -> Result<(), u32> {
        if plan.varbit.is_some() {
            return self.extract_fields(plan, base);
        }
        if u64::from(plan.bits) > self.remaining() {
            return Err(self.code.errors.packet_too_short);
        }
        let Some(base) = base else {
            self.position += plan.bits as usize;
            return Ok(());
        };
        let reach = plan.reach as usize;
        if !self.position.is_multiple_of(8) {
            return self.extract_fields(plan, Some(base));
        }
        let start = self.position / 8;
        let bytes = self.frame.bytes;
        if let Some(window) = bytes.get(start..start + reach) {
            take(&mut self.store[base..], plan, window);
        } else if reach <= PADDED {
            let mut padded = [0; PADDED];
            let there = bytes.get(start..).unwrap_or(&[]);
            let count = there.len().min(reach);
            padded[..count].copy_from_slice(&there[..count]);
            take(&mut self.store[base..], plan, &padded);
        } else {
            return self.extract_fields(plan, Some(base));
        }
        for (offset, value) in &plan.sets {
            self.store[base + *offset as usize] = *value;
        }
        self.position += plan.bits as usize;
        Ok(())
    }

    /// Extracts field by field: for a header with a varbit, or not aligned to a byte. The order of the checks is
    /// BMv2's.
    #[cold]
    fn extract_fields(&mut self, plan: &Extraction, base: Option<usize>) -> Result<(), u32> {
        let errors = &self.code.errors;
        let (length, most) = match plan.varbit {
            Some((slot, most)) => (self.store[slot as usize], u64::from(most)),
            None => (0, 0),
        };
        if !length.is_multiple_of(8) {
            return Err(errors.parser_invalid_argument);
        }
        if u64::from(plan.bits).saturating_add(length) > self.remaining() {
            return Err(errors.packet_too_short);
        }
        if length > most {
            return Err(errors.header_too_short);
        }
        let mut reader = BitReader::new(self.frame);
        reader.skip(self.position);
        if let Some(base) = base {
            for (offset, width) in &plan.fields {
                let slot = base + *offset as usize;
                match *width {
                    Width::Fixed(width) => {
                        let words = crate::table::words_for(width);
                        reader.read_words(width, &mut self.store[slot..slot + words]);
                    }
                    Width::Varbit { max_width: most } => {
                        let words = crate::table::words_for(most);
                        self.store[slot] = length;
                        reader.read_words(length as u32, &mut self.store[slot + 1..slot + 1 + words]);
                    }
                }
            }
            for (offset, value) in &plan.sets {
                self.store[base + *offset as usize] = *value;
            }
        }
        self.position += plan.bits as usize + length as usize;
        Ok(())
    }

    pub(super) fn advance(&mut self, bits: u64) -> Result<(), u32> {
        if bits > self.remaining() {
            return Err(self.code.errors.packet_too_short);
        }
        self.position += bits as usize;
        Ok(())
    }

    /// Emits a header.
    #[inline]
    pub(super) fn emit(&mut self, pack: &Pack) {
        if pack.has_varbit || !pack.bits.is_multiple_of(8) || self.unaligned.bits() > 0 {
            return self.emit_fields(pack);
        }
        let bytes = (pack.bits / 8) as usize;
        self.out.reserve(bytes + 8);
        let mut left = bytes;
        for_each_word(self.store, pack, |word| {
            let word = word.to_be_bytes();
            if left >= 8 {
                self.out.extend_from_slice(&word);
                left -= 8;
            } else {
                self.out.extend_from_slice(&word[..left]);
            }
        });
    }

    /// Emits field by field, from the first header that has a varbit or does not end at a byte boundary.
    #[cold]
    fn emit_fields(&mut self, pack: &Pack) {
        push_fields(self.unaligned, self.store, pack);
        if self.unaligned.bits().is_multiple_of(8) {
            self.fill_up();
        }
    }

    /// Emits the buffered headers.
    pub fn fill_up(&mut self) {
        self.out.extend_from_slice(self.unaligned.bytes());
        self.unaligned.clear();
    }

    /// Packs fields into [`Run::hashed`].
    pub(super) fn pack(&mut self, pack: &Pack) {
        self.hashed.clear();
        push_fields(self.hashed, self.store, pack);
    }
}

/// Complement of the ones' complement sum of 16-bit words (RFC 1071). It adds 64 bits at a time, because the order of
/// end-around carries does not matter.
#[inline]
pub(super) fn internet_checksum(store: &[u64], terms: &[Fragment]) -> u64 {
    let mut sum: u64 = 0;
    for term in terms {
        let (added, carry) = sum.overflowing_add(part(store, term));
        sum = added + u64::from(carry);
    }
    sum = (sum >> 32) + (sum & 0xffff_ffff);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    !sum & 0xffff
}

#[inline(always)]
fn take(store: &mut [u64], plan: &Extraction, window: &[u8]) {
    for piece in &plan.pieces {
        let byte = piece.byte as usize;
        let mut eight = [0; 8];
        eight.copy_from_slice(&window[byte..byte + 8]);
        store[piece.slot as usize] = u64::from_be_bytes(eight) << piece.left >> piece.right;
    }
    for piece in &plan.long_pieces {
        let byte = piece.byte as usize;
        let mut sixteen = [0; 16];
        sixteen.copy_from_slice(&window[byte..byte + 16]);
        store[piece.slot as usize] = (u128::from_be_bytes(sixteen) << piece.left >> piece.right) as u64;
    }
}

#[inline(always)]
fn part(store: &[u64], fragment: &Fragment) -> u64 {
    store[fragment.slot as usize] >> fragment.right << fragment.left
}

/// The packed bytes, eight at a time; the last ones are in the upper part.
#[inline(always)]
fn for_each_word(store: &[u64], pack: &Pack, mut visit: impl FnMut(u64)) {
    let mut word = 0;
    for fragment in &pack.fragments {
        word |= part(store, fragment);
        if fragment.ends {
            visit(word);
            word = 0;
        }
    }
}

fn push_fields(to: &mut BitWriter, store: &[u64], pack: &Pack) {
    for (slot, width) in &pack.fields {
        let slot = *slot as usize;
        match *width {
            Width::Fixed(width) => to.push_words(&store[slot..slot + crate::table::words_for(width)], width),
            Width::Varbit { max_width: most } => {
                let words = &store[slot + 1..slot + 1 + crate::table::words_for(most)];
                to.push_words(words, store[slot] as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compiled::lower::pack::{checksum_terms, pack};
    use crate::objects::hash;
    use crate::table::words_for;
    use jettison_p4_front::ir::HashAlgorithm;

    /// Strategy for fields of some widths with values, in a store.
    fn fields() -> impl Strategy<Value = (Vec<(u32, Width)>, Vec<u64>)> {
        let widths = prop_oneof![Just(8u32), Just(16), Just(32), Just(48), 0u32..140];
        prop::collection::vec((widths, any::<[u64; 3]>()), 0..12).prop_map(|given| {
            let (mut fields, mut store) = (Vec::new(), Vec::new());
            for (width, value) in given {
                fields.push((store.len() as u32, Width::Fixed(width)));
                for (word, value) in value.into_iter().enumerate().take(words_for(width)) {
                    let bits = width.saturating_sub(64 * word as u32).min(64);
                    store.push(if bits == 0 { 0 } else { value >> (64 - bits) });
                }
            }
            (fields, store)
        })
    }

    proptest! {
        #[test]
        fn packing_at_once_equals_packing_field_by_field((fields, store) in fields()) {
            let pack = pack(fields);
            let mut writer = BitWriter::new();
            push_fields(&mut writer, &store, &pack);
            let mut bytes = Vec::new();
            for_each_word(&store, &pack, |word| bytes.extend_from_slice(&word.to_be_bytes()));
            bytes.truncate(pack.bits.div_ceil(8) as usize);
            prop_assert_eq!(writer.bytes(), &bytes[..]);
        }

        #[test]
        fn reading_at_once_returns_the_packed_fields((fields, store) in fields()) {
            let mut plan = Extraction { fields: fields.clone(), ..Extraction::default() };
            plan.read_at_once();
            let mut writer = BitWriter::new();
            push_fields(&mut writer, &store, &pack(fields));
            let mut window = writer.bytes().to_vec();
            window.resize(window.len().max(plan.reach as usize), 0xff);
            let mut read = vec![0; store.len()];
            take(&mut read, &plan, &window);
            prop_assert_eq!(read, store);
        }

        /// RFC 1071 §2: the sum may be taken in any order and word size.
        #[test]
        fn terms_add_up_to_the_internet_checksum((fields, store) in fields()) {
            let pack = pack(fields);
            let terms = checksum_terms(&pack).expect("the plan has no varbit");
            let mut writer = BitWriter::new();
            push_fields(&mut writer, &store, &pack);
            prop_assert_eq!(internet_checksum(&store, &terms), hash::compute(HashAlgorithm::Csum16, writer.bytes()));
        }
    }
}
