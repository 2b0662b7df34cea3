//! Externs.

use num_bigint::{BigInt, BigUint};

use super::Run;
use super::packet::internet_checksum;
use crate::compiled::code::Op;
use crate::compiled::plan::{HashPlan, Keep, LogPlan, Width};
use crate::compiled::scalar;
use crate::table::words_for;
use crate::{CloneRequest, Digest, Frame, Message};
use jettison_p4_front::ir::{ExternId, FieldListId};

impl Run<'_> {
    #[inline]
    pub(super) fn external(&mut self, op: &Op) {
        match *op {
            Op::RegisterRead { count, register, to, index } => {
                // As in `simple_switch`, nothing is read beyond the end.
                if let Some(element) =
                    self.plane.objects.register(ExternId(register)).element(self.word(index))
                {
                    let to = to as usize;
                    self.store[to..to + usize::from(count)].copy_from_slice(element);
                }
            }
            Op::RegisterWrite { count, register, index, from } => {
                let (index, from) = (self.word(index), from as usize);
                let words = &self.store[from..from + usize::from(count)];
                self.plane.objects.register_mut(ExternId(register)).write(index, words);
            }
            Op::Count { counter, index } => {
                let (index, bytes) = (self.word(index), self.plane.packet_bytes);
                self.plane.objects.counter_mut(ExternId(counter)).count(index, bytes);
            }
            Op::Meter { cut, more, meter, index, to } => {
                let (index, now, bytes) = (self.word(index), self.plane.now, self.plane.packet_bytes);
                let colour = self.plane.objects.meter_mut(ExternId(meter)).execute(index, now, bytes);
                if let Some(colour) = colour {
                    self.put(to, more, scalar::cut_to(u64::from(colour), cut));
                }
            }
            Op::LastColour { cut, more, meter, to } => {
                let colour = self.plane.objects.meter(ExternId(meter)).last();
                self.put(to, more, scalar::cut_to(u64::from(colour), cut));
            }
            Op::Random { cut, more, to, low, high } => {
                let (low, high) = (self.word(low), self.word(high));
                // As in `simple_switch`, nothing is drawn from an empty range.
                if low <= high {
                    let drawn = self.plane.random.uniform(low, high);
                    self.put(to, more, scalar::cut_to(drawn, cut));
                }
            }
            Op::Hash { to, plan } => {
                let code = self.code;
                self.store[to as usize] = self.hash(&code.hashes[plan as usize]);
            }
            _ => self.request(op),
        }
    }

    /// Executes rare operations, which may allocate.
    #[cold]
    fn request(&mut self, op: &Op) {
        let code = self.code;
        match *op {
            Op::Digest { plan } => {
                let plan = &code.digests[plan as usize];
                let values = plan.values.iter().map(|(slot, width)| self.number(*slot, *width)).collect();
                let receiver = self.word(plan.receiver) as u32;
                self.plane.effects.push_digest(Digest { receiver, ty: plan.ty, values });
            }
            Op::Clone { plan } => {
                let plan = &code.clones[plan as usize];
                let (session, keep) = (self.word(plan.session) as u32, self.keep(plan.keep));
                self.plane.effects.clone = Some(CloneRequest { egress: plan.egress, session, keep });
            }
            Op::Resubmit { plan } => {
                self.plane.effects.resubmit = Some(self.keep(code.keeps[plan as usize]));
            }
            Op::Recirculate { plan } => {
                self.plane.effects.recirculate = Some(self.keep(code.keeps[plan as usize]));
            }
            Op::Truncate { length } => {
                let length = u32::try_from(self.word(length)).unwrap_or(u32::MAX);
                self.plane.effects.cut(length);
            }
            Op::Lengthen { bytes } => {
                let added = &mut self.plane.effects.added;
                *added = added.saturating_add(bytes);
            }
            Op::Log { plan } => {
                let text = self.message(&code.logs[plan as usize]);
                self.plane.effects.push_message(Message { text: text.into(), failure: false });
            }
            Op::AssertFailed { assume } => {
                let text = if assume { "assume failed" } else { "assert failed" };
                self.plane.effects.failed_assertions += 1;
                self.plane.effects.push_message(Message { text: text.into(), failure: true });
            }
            Op::Psa { plan } => self.psa(&code.psa[plan as usize]),
            _ => unreachable!("{op:?} is executed by the main loop"),
        }
    }

    /// Writes a word, and zeros after it.
    #[inline]
    fn put(&mut self, to: u32, more: u8, word: u64) {
        let to = to as usize;
        self.store[to] = word;
        if more > 0 {
            self.store[to + 1..=to + usize::from(more)].fill(0);
        }
    }

    #[inline]
    pub(super) fn word(&self, slot: u32) -> u64 {
        self.store[slot as usize]
    }

    fn hash(&mut self, plan: &HashPlan) -> u64 {
        if let Some(terms) = &plan.terms {
            return internet_checksum(self.store, terms);
        }
        self.pack(&plan.pack);
        let payload = if plan.payload { self.frame } else { Frame::default() };
        let plane = &mut *self.plane;
        plane.objects.hashes().compute(plan.algorithm, self.hashed.bytes(), payload, &mut plane.random)
    }

    fn keep(&self, keep: Keep) -> Option<FieldListId> {
        match keep {
            Keep::Fixed(list) => list,
            Keep::Numbered(slot) => self.code.numbered_lists[usize::from(self.word(slot) as u8)],
        }
    }

    fn number(&self, slot: u32, width: Width) -> BigUint {
        let (slot, words) = match width {
            Width::Fixed(width) => (slot as usize, words_for(width)),
            Width::Varbit { max_width: most } => (slot as usize + 1, words_for(most)),
        };
        let words = self.store[slot..slot + words].iter().rev();
        words.fold(BigUint::ZERO, |number, word| (number << 64) | BigUint::from(*word))
    }

    fn message(&self, plan: &LogPlan) -> String {
        let mut text = String::new();
        let mut arguments = plan.arguments.iter();
        let mut rest = &*plan.format;
        while let Some((before, behind)) = rest.split_once("{}") {
            text.push_str(before);
            match arguments.next() {
                Some((slot, width, signed)) => {
                    let number = self.number(*slot, *width);
                    let width = if let Width::Fixed(width) = width { *width } else { 0 };
                    let negative = *signed && width > 0 && number.bit(u64::from(width) - 1);
                    let whole = BigInt::from(BigUint::from(1u8) << width);
                    let number = BigInt::from(number);
                    text.push_str(&if negative { number - whole } else { number }.to_string());
                }
                None => text.push_str("{}"),
            }
            rest = behind;
        }
        text.push_str(rest);
        text
    }
}
