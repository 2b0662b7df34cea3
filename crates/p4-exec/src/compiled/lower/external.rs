//! Externs.

use super::Lowering;
use super::pack::{checksum_terms, pack};
use super::place::Location;
use crate::Standard;
use crate::compiled::code::Op;
use crate::compiled::plan::{ClonePlan, DigestPlan, HashPlan, Keep, LogPlan, Wide, WideKind, Width};
use jettison_p4_front::ir::{Expr, Extern, FieldListChoice, HashAlgorithm, Place, Type, TypeId};

impl Lowering<'_> {
    pub(super) fn external(&mut self, what: &Extern) {
        match what {
            Extern::RegisterRead { register, to, index } => {
                let index = self.amount(index);
                let count = self.register_words(to.ty);
                let register = register.0;
                if self.layout.is_scalar(to.ty) {
                    return self.write(to, |_, to| Op::RegisterRead { count, register, to, index });
                }
                // An index out of range leaves the place as it is.
                let words = self.layout.words(to.ty);
                let at = self.locate(to);
                let before = self.read(at, words);
                let packed = self.temporary(u32::from(count));
                self.pack_register(before, packed, to.ty);
                self.emit(Op::RegisterRead { count, register, to: packed, index });
                let value = self.temporary(words);
                self.unpack(packed, value, to.ty);
                self.store(at, value, words);
            }
            Extern::RegisterWrite { register, index, value } => {
                let index = self.amount(index);
                let count = self.register_words(value.ty);
                let mut from = self.operand(value);
                if !self.layout.is_scalar(value.ty) {
                    let packed = self.temporary(u32::from(count));
                    self.pack_register(from, packed, value.ty);
                    from = packed;
                }
                self.emit(Op::RegisterWrite { count, register: register.0, index, from });
            }
            Extern::Count { counter, index } => {
                let index = self.amount(index);
                self.emit(Op::Count { counter: counter.0, index });
            }
            Extern::ExecuteMeter { meter, index, to } => {
                let index = self.amount(index);
                let meter = meter.0;
                self.write_narrow(to, |cut, more, to| Op::Meter { cut, more, meter, index, to });
            }
            Extern::ReadDirectMeter { meter, to } => {
                let meter = meter.0;
                self.write_narrow(to, |cut, more, to| Op::LastColour { cut, more, meter, to });
            }
            Extern::Random { to, low, high } => {
                // Of values wider than 64 bits, only the low 64 bits count.
                let (low, high) = (self.operand(low), self.operand(high));
                self.write_narrow(to, |cut, more, to| Op::Random { cut, more, to, low, high });
            }
            Extern::Hash { to, algorithm, base, data, max } => self.hash(to, *algorithm, base, data, max),
            Extern::VerifyChecksum { condition, data, checksum, algorithm, payload } => {
                let good = self.label();
                self.branch(condition, good, false);
                let computed = self.checksum(*algorithm, data, *payload);
                let width = self.layout.types.bits(checksum.ty);
                let computed = self.resize_hash(computed, *algorithm, width);
                let given = self.operand(checksum);
                self.jump_if_equal(computed, given, width, good);
                if let Some((slot, _)) = self.standard_slot(Standard::ChecksumError) {
                    let one = self.constant(1);
                    self.copy(slot, one, 1);
                }
                self.place(good);
            }
            Extern::UpdateChecksum { condition, data, checksum, algorithm, payload } => {
                let end = self.label();
                self.branch(condition, end, false);
                let computed = self.checksum(*algorithm, data, *payload);
                let width = self.layout.types.bits(checksum.ty);
                let computed = self.resize_hash(computed, *algorithm, width);
                let at = self.locate(checksum);
                self.store(at, computed, self.layout.words(checksum.ty));
                self.place(end);
            }
            Extern::Digest { receiver, data, ty } => {
                let receiver = self.operand(receiver);
                let values = self.values(data);
                self.code.digests.push(DigestPlan { receiver, ty: *ty, values });
                self.emit(Op::Digest { plan: self.code.digests.len() as u32 - 1 });
            }
            Extern::Clone { egress, session, keep } => {
                let session = self.operand(session);
                let keep = self.keep(keep);
                self.code.clones.push(ClonePlan { egress: *egress, session, keep });
                self.emit(Op::Clone { plan: self.code.clones.len() as u32 - 1 });
            }
            Extern::Resubmit { keep } => {
                let plan = self.keep_plan(keep);
                self.emit(Op::Resubmit { plan });
            }
            Extern::Recirculate { keep } => {
                let plan = self.keep_plan(keep);
                self.emit(Op::Recirculate { plan });
            }
            Extern::Truncate { length } => {
                let length = self.amount(length);
                self.emit(Op::Truncate { length });
            }
            Extern::Lengthen { condition, bytes } => {
                if self.program.reads_packet_length {
                    let end = self.label();
                    self.branch(condition, end, false);
                    self.emit(Op::Lengthen { bytes: *bytes });
                    self.place(end);
                }
            }
            Extern::LogMessage { format, arguments } => {
                let arguments = arguments.iter().map(|argument| {
                    // The value of a varbit follows its length.
                    let varbit = matches!(self.layout.types.get(argument.ty), Type::Varbit { .. });
                    let slot = self.operand(argument) + u32::from(varbit);
                    let width = Width::Fixed(self.layout.types.bits(argument.ty));
                    (slot, width, self.layout.is_signed(argument.ty))
                });
                let arguments = arguments.collect();
                self.code.logs.push(LogPlan { format: format.clone(), arguments });
                self.emit(Op::Log { plan: self.code.logs.len() as u32 - 1 });
            }
            Extern::Assert { condition, assume } => {
                let good = self.label();
                self.branch(condition, good, true);
                self.emit(Op::AssertFailed { assume: *assume });
                self.place(good);
            }
            Extern::Psa(call) => self.psa(call),
        }
    }

    /// Emits an instruction that writes a number of up to 64 bits to a place of any width, or leaves it as it is: `op` gets
    /// the bits to cut, the number of further words, and the slot.
    fn write_narrow(&mut self, place: &Place, op: impl FnOnce(u8, u8, u32) -> Op) {
        let width = self.layout.types.bits(place.ty);
        let more = self.layout.words(place.ty).saturating_sub(1);
        let cut = if (1..=64).contains(&width) { 64 - width } else { 0 };
        self.write(place, |_, to| op(cut as u8, u8::try_from(more).unwrap_or(u8::MAX), to));
    }

    /// Emits an instruction that writes a whole value to a place, or leaves it as it is.
    fn write(&mut self, place: &Place, op: impl FnOnce(&mut Self, u32) -> Op) {
        match self.locate(place) {
            Location::Fixed(slot) => {
                let op = op(self, slot);
                self.emit(op);
            }
            at => {
                let words = self.layout.words(place.ty);
                let before = self.read(at, words);
                let to = self.temporary(words);
                self.copy(to, before, words);
                let op = op(self, to);
                self.emit(op);
                self.store(at, to, words);
            }
        }
    }

    /// Converts a word to a value of another width.
    fn resize(&mut self, word: u32, width: u32) -> u32 {
        if width == 64 {
            return word;
        }
        let to = self.temporary(crate::table::words_for(width) as u32);
        if width < 64 {
            self.slice(to, word, 64, 0, width);
        } else {
            self.wide(Wide { kind: WideKind::Extend, to, a: word, b: 0, bits: 64, other: width });
        }
        to
    }

    /// Converts a hash to a value of another width, without an instruction if it fits.
    fn resize_hash(&mut self, hash: u32, algorithm: HashAlgorithm, width: u32) -> u32 {
        let bits = match algorithm {
            HashAlgorithm::Crc16 | HashAlgorithm::Crc16Custom => 16,
            HashAlgorithm::Csum16 | HashAlgorithm::Xor16 => 16,
            HashAlgorithm::Crc32 | HashAlgorithm::Crc32Custom => 32,
            HashAlgorithm::Random | HashAlgorithm::Identity => 64,
        };
        if (bits..=64).contains(&width) { hash } else { self.resize(hash, width) }
    }

    /// Lowers `base + hash % max`. The sum is truncated, so the base may be truncated first.
    fn hash(&mut self, to: &Place, algorithm: HashAlgorithm, base: &Expr, data: &[Expr], max: &Expr) {
        let width = self.layout.types.bits(to.ty);
        let hash = self.checksum(algorithm, data, false);
        let most = self.operand(max);
        let max_bits = self.layout.types.bits(max.ty);
        // A max of 0 gives 0; a max beyond 64 bits leaves the hash unchanged.
        let rest = if max_bits <= 64 {
            let rest = self.temporary(1);
            self.emit(Op::Modulo { to: rest, a: hash, b: most });
            rest
        } else {
            let wide = self.resize(hash, max_bits);
            let rest = self.temporary(self.layout.words(max.ty));
            self.wide(Wide { kind: WideKind::Modulo, to: rest, a: wide, b: most, bits: max_bits, other: 0 });
            rest
        };
        let rest = self.resize(rest, width);
        let base_slot = self.operand(base);
        let from = self.temporary(self.layout.words(to.ty));
        let base_bits = self.layout.types.bits(base.ty);
        if width <= base_bits {
            self.slice(from, base_slot, base_bits, 0, width);
        } else if width <= 64 {
            self.copy(from, base_slot, 1);
        } else {
            self.wide(Wide {
                kind: WideKind::Extend,
                to: from,
                a: base_slot,
                b: 0,
                bits: base_bits,
                other: width,
            });
        }
        if width == 0 {
            return;
        }
        if width <= 64 {
            return self.write(to, |_, to| Op::Add { cut: (64 - width) as u8, to, a: from, b: rest });
        }
        let sum = self.temporary(self.layout.words(to.ty));
        self.wide(Wide { kind: WideKind::Add, to: sum, a: from, b: rest, bits: width, other: 0 });
        let at = self.locate(to);
        self.store(at, sum, self.layout.words(to.ty));
    }

    /// Computes a hash of data as a word.
    fn checksum(&mut self, algorithm: HashAlgorithm, data: &[Expr], payload: bool) -> u32 {
        let pack = pack(self.values(data));
        let summed = algorithm == HashAlgorithm::Csum16 && !payload;
        let terms = if summed { checksum_terms(&pack) } else { None };
        self.code.hashes.push(HashPlan { algorithm, pack, terms, payload });
        let to = self.temporary(1);
        self.emit(Op::Hash { to, plan: self.code.hashes.len() as u32 - 1 });
        to
    }

    /// Scalars and varbits of the data.
    pub(super) fn values(&mut self, data: &[Expr]) -> Vec<(u32, Width)> {
        let mut values = Vec::new();
        for expr in data {
            let slot = self.operand(expr);
            values.extend(self.layout.values(expr.ty, slot));
        }
        values
    }

    fn keep(&mut self, choice: &FieldListChoice) -> Keep {
        match choice {
            FieldListChoice::Nothing => Keep::Fixed(None),
            FieldListChoice::Of(list) => Keep::Fixed(Some(*list)),
            FieldListChoice::Numbered(number) => match self.fold(number) {
                Some(number) => Keep::Fixed(self.code.numbered_lists[usize::from(number as u8)]),
                None => Keep::Numbered(self.operand(number)),
            },
        }
    }

    fn keep_plan(&mut self, choice: &FieldListChoice) -> u32 {
        let keep = self.keep(choice);
        self.code.keeps.push(keep);
        self.code.keeps.len() as u32 - 1
    }

    fn register_words(&self, ty: TypeId) -> u16 {
        u16::try_from(crate::table::words_for(self.layout.types.bits(ty))).unwrap_or(u16::MAX)
    }

    /// Packs a register's element: the concatenation of the scalars, the first in the upper bits.
    fn pack_register(&mut self, from: u32, to: u32, ty: TypeId) {
        let all = self.layout.types.bits(ty);
        self.emit(Op::Zero { to, count: u32::from(self.register_words(ty)) });
        for (slot, low, width) in self.register_fields(ty, from) {
            self.insert(to, all, slot, low, width);
        }
    }

    fn unpack(&mut self, from: u32, to: u32, ty: TypeId) {
        let all = self.layout.types.bits(ty);
        self.emit(Op::Zero { to, count: self.layout.words(ty) });
        for (slot, low, width) in self.register_fields(ty, to) {
            self.slice(slot, from, all, low, width);
        }
    }

    /// Slot, lowest bit and width of each scalar in a value that starts at a slot.
    fn register_fields(&self, ty: TypeId, slot: u32) -> Vec<(u32, u32, u32)> {
        let mut low = self.layout.types.bits(ty);
        let mut fields = Vec::new();
        for (slot, width) in self.layout.values(ty, slot) {
            let Width::Fixed(width) = width else { continue };
            low = low.saturating_sub(width);
            fields.push((slot, low, width));
        }
        fields
    }
}
