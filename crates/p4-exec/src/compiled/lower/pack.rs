//! Plans that extract headers from packets and pack fields into bytes.

use super::Lowering;
use crate::compiled::layout::Leaf;
use crate::compiled::plan::{Extraction, Fragment, Pack, Piece, Width};
use crate::table::words_for;
use jettison_p4_front::ir::TypeId;

impl Lowering<'_> {
    /// Plan to read a header, or a `lookahead`; slots are offsets within the value.
    pub(super) fn extraction(&mut self, ty: TypeId, varbit_length: Option<u32>) -> u32 {
        let mut leaves = Vec::new();
        self.layout.leaves(ty, 0, &mut leaves);
        let mut plan = Extraction { bits: self.layout.types.bits(ty), ..Extraction::default() };
        for leaf in leaves {
            match leaf {
                Leaf::Valid { offset } => plan.sets.push((offset, 1)),
                Leaf::Next { offset, size } => plan.sets.push((offset, u64::from(size))),
                Leaf::Value { offset, width } => {
                    plan.fields.push((offset, width));
                    if let Width::Varbit { max_width: most } = width {
                        plan.varbit = Some((varbit_length.unwrap_or_else(|| self.constant(0)), most));
                    }
                }
            }
        }
        if let Some((_, most)) = plan.varbit {
            plan.bits -= most;
        } else {
            plan.read_at_once();
        }
        self.code.extractions.push(plan);
        self.code.extractions.len() as u32 - 1
    }

    pub(super) fn emit_plan(&mut self, fields: Vec<(u32, Width)>) -> u32 {
        self.code.packs.push(pack(fields));
        self.code.packs.len() as u32 - 1
    }
}

/// Words of a field, highest first: slot and number of bits.
fn words(slot: u32, width: u32) -> impl Iterator<Item = (u32, u32)> {
    let count = words_for(width) as u32;
    let bits = move |word| if word + 1 == count { width - 64 * word } else { 64 };
    (0..count).rev().map(move |word| (slot + word, bits(word))).filter(|(_, bits)| *bits > 0)
}

impl Extraction {
    /// Computes the loads of a header without a varbit, whose fields have constant positions.
    pub(in crate::compiled) fn read_at_once(&mut self) {
        let mut at = 0;
        for (slot, width) in &self.fields {
            let Width::Fixed(width) = width else { continue };
            for (slot, bits) in words(*slot, *width) {
                let within = at % 8;
                let long = within + bits > 64;
                let window = if long { 128 } else { 64 };
                let piece = Piece { slot, byte: at / 8, left: within as u8, right: (window - bits) as u8 };
                self.reach = self.reach.max(piece.byte + window / 8);
                if long {
                    self.long_pieces.push(piece);
                } else {
                    self.pieces.push(piece);
                }
                at += bits;
            }
        }
    }
}

/// Plan to concatenate fields, the first in the highest bits.
pub(in crate::compiled) fn pack(fields: Vec<(u32, Width)>) -> Pack {
    let mut pack = Pack { fields, ..Pack::default() };
    for (slot, width) in &pack.fields {
        let Width::Fixed(width) = width else {
            pack.has_varbit = true;
            continue;
        };
        for (slot, bits) in words(*slot, *width) {
            let room = 64 - pack.bits % 64;
            if bits <= room {
                let ends = bits == room;
                pack.fragments.push(Fragment { slot, right: 0, left: (room - bits) as u8, ends });
            } else {
                let rest = bits - room;
                pack.fragments.push(Fragment { slot, right: rest as u8, left: 0, ends: true });
                pack.fragments.push(Fragment { slot, right: 0, left: (64 - rest) as u8, ends: false });
            }
            pack.bits += bits;
        }
    }
    if let Some(last) = pack.fragments.last_mut() {
        last.ends = true;
    }
    pack
}

/// Terms whose sum is the ones' complement sum of the fields as 16-bit words. In this sum 2^16 counts as 1 (RFC 1071
/// §2), so a field only needs a shift to its position in a 16-bit word.
pub(in crate::compiled) fn checksum_terms(pack: &Pack) -> Option<Box<[Fragment]>> {
    if pack.has_varbit {
        return None;
    }
    let mut terms = Vec::new();
    let mut end = 0;
    for (slot, width) in &pack.fields {
        let Width::Fixed(width) = width else { continue };
        for (slot, bits) in words(*slot, *width) {
            end += bits;
            let shift = (16 - end % 16) % 16;
            if bits + shift <= 64 {
                terms.push(Fragment { slot, right: 0, left: shift as u8, ends: false });
            } else {
                // Two terms: the low bits shifted up by another 32, and the bits lost by that shift.
                terms.push(Fragment { slot, right: 0, left: (32 + shift) as u8, ends: false });
                terms.push(Fragment { slot, right: (32 - shift) as u8, left: 0, ends: false });
            }
        }
    }
    Some(terms.into())
}
