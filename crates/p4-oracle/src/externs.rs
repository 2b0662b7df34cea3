//! Externs.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use super::Run;
use super::packet::push;
use super::place::ParserError;
use super::value::{Value, cut, from_words, low, number, saturated, words};
use jettison_p4_exec::objects::BitWriter;
use jettison_p4_exec::{CloneRequest, Digest, Frame, Message, Standard};
use jettison_p4_front::ir::{Expr, Extern, FieldListChoice, FieldListId, HashAlgorithm, Place, TypeId};

impl Run<'_> {
    /// Executes an extern.
    pub fn external(&mut self, what: &Extern) -> Result<(), ParserError> {
        match what {
            Extern::RegisterRead { register, to, index } => {
                let index = saturated(&self.bits(index)?);
                let Some(element) = self.plane.objects.register(*register).element(index).map(from_words)
                else {
                    return Ok(());
                };
                let value = self.unpack(&element, to.ty);
                self.write(to, value)
            }
            Extern::RegisterWrite { register, index, value } => {
                let index = saturated(&self.bits(index)?);
                let (element, width) =
                    (self.pack(&self.eval(value)?, value.ty), self.program.types.bits(value.ty));
                let element: Vec<u64> = words(&element, width).collect();
                self.plane.objects.register_mut(*register).write(index, &element);
                Ok(())
            }
            Extern::Count { counter, index } => {
                let index = saturated(&self.bits(index)?);
                let bytes = self.plane.packet_bytes;
                self.plane.objects.counter_mut(*counter).count(index, bytes);
                Ok(())
            }
            Extern::ExecuteMeter { meter, index, to } => {
                let index = saturated(&self.bits(index)?);
                let (now, bytes) = (self.plane.now, self.plane.packet_bytes);
                match self.plane.objects.meter_mut(*meter).execute(index, now, bytes) {
                    Some(colour) => self.write_cut(to, BigUint::from(colour)),
                    None => Ok(()),
                }
            }
            Extern::ReadDirectMeter { meter, to } => {
                let colour = self.plane.objects.meter(*meter).last();
                self.write_cut(to, BigUint::from(colour))
            }
            Extern::Random { to, low: from, high } => {
                let (from, high) = (low(&self.bits(from)?), low(&self.bits(high)?));
                if from > high {
                    return Ok(());
                }
                let drawn = self.plane.random.uniform(from, high);
                self.write_cut(to, BigUint::from(drawn))
            }
            Extern::Hash { to, algorithm, base, data, max } => {
                let (base, max) = (self.bits(base)?, self.bits(max)?);
                let hash = BigUint::from(self.hash(*algorithm, data, false)?);
                // The IR defines the base as the result for a `max` of 0.
                self.write_cut(to, if max.is_zero() { base } else { base + hash % max })
            }
            Extern::VerifyChecksum { condition, data, checksum, algorithm, payload } => {
                if self.holds(condition)? {
                    let computed = BigUint::from(self.hash(*algorithm, data, *payload)?);
                    let width = self.program.types.bits(checksum.ty);
                    if cut(computed, width) != self.bits(checksum)? {
                        self.set_standard(Standard::ChecksumError, 1);
                    }
                }
                Ok(())
            }
            Extern::UpdateChecksum { condition, data, checksum, algorithm, payload } => {
                if self.holds(condition)? {
                    let computed = self.hash(*algorithm, data, *payload)?;
                    self.write_cut(checksum, BigUint::from(computed))?;
                }
                Ok(())
            }
            Extern::Digest { receiver, data, ty } => {
                let receiver = low(&self.bits(receiver)?) as u32;
                let mut values = Vec::new();
                for expr in data {
                    let value = self.eval(expr)?;
                    let mut scalars = Vec::new();
                    value.scalars(&mut scalars);
                    values.extend(scalars.into_iter().map(|scalar| scalar.bits().clone()));
                }
                self.plane.effects.push_digest(Digest { receiver, ty: *ty, values });
                Ok(())
            }
            Extern::Clone { egress, session, keep } => {
                let session = low(&self.bits(session)?) as u32;
                let keep = self.keep(keep)?;
                self.plane.effects.clone = Some(CloneRequest { egress: *egress, session, keep });
                Ok(())
            }
            Extern::Resubmit { keep } => {
                self.plane.effects.resubmit = Some(self.keep(keep)?);
                Ok(())
            }
            Extern::Recirculate { keep } => {
                self.plane.effects.recirculate = Some(self.keep(keep)?);
                Ok(())
            }
            Extern::Truncate { length } => {
                let length = self.bits(length)?.to_u32().unwrap_or(u32::MAX);
                self.plane.effects.cut(length);
                Ok(())
            }
            Extern::Lengthen { condition, bytes } => {
                if self.program.reads_packet_length && self.holds(condition)? {
                    let added = &mut self.plane.effects.added;
                    *added = added.saturating_add(*bytes);
                }
                Ok(())
            }
            Extern::LogMessage { format, arguments } => {
                let text = self.message(format, arguments)?;
                self.plane.effects.push_message(Message { text: text.into(), failure: false });
                Ok(())
            }
            Extern::Psa(call) => self.psa(call),
            Extern::Assert { condition, assume } => {
                if !self.holds(condition)? {
                    let text = if *assume { "assume failed" } else { "assert failed" };
                    self.plane.effects.failed_assertions += 1;
                    self.plane.effects.push_message(Message { text: text.into(), failure: true });
                }
                Ok(())
            }
        }
    }

    pub(super) fn write_cut(&mut self, to: &Place, value: BigUint) -> Result<(), ParserError> {
        let width = self.program.types.bits(to.ty);
        self.write(to, Value::Bits(cut(value, width)))
    }

    fn hash(&mut self, algorithm: HashAlgorithm, data: &[Expr], payload: bool) -> Result<u64, ParserError> {
        let mut packed = BitWriter::new();
        for expr in data {
            let value = self.eval(expr)?;
            let width = match &value {
                Value::Varbit { bits, .. } => *bits,
                _ => self.program.types.bits(expr.ty),
            };
            push(&mut packed, value.bits(), width);
        }
        let payload = if payload { self.payload } else { Frame::default() };
        let plane = &mut *self.plane;
        Ok(plane.objects.hashes().compute(algorithm, packed.bytes(), payload, &mut plane.random))
    }

    fn keep(&self, choice: &FieldListChoice) -> Result<Option<FieldListId>, ParserError> {
        Ok(match choice {
            FieldListChoice::Nothing => None,
            FieldListChoice::Of(list) => Some(*list),
            FieldListChoice::Numbered(number) => {
                let number = low(&self.bits(number)?) as u8;
                self.program.numbered_lists.get(&number).copied()
            }
        })
    }

    fn message(&self, format: &str, arguments: &[Expr]) -> Result<String, ParserError> {
        let mut values = Vec::new();
        for argument in arguments {
            let (value, width) = (self.eval(argument)?, self.program.types.bits(argument.ty));
            values.push(number(value.bits(), width, self.is_signed(argument.ty)));
        }
        let mut text = String::new();
        let mut values = values.into_iter();
        let mut rest = format;
        while let Some((before, behind)) = rest.split_once("{}") {
            text.push_str(before);
            match values.next() {
                Some(value) => text.push_str(&value.to_string()),
                None => text.push_str("{}"),
            }
            rest = behind;
        }
        text.push_str(rest);
        Ok(text)
    }

    /// Packs a register's element: the concatenation of the scalars, the first in the upper bits.
    fn pack(&self, value: &Value, ty: TypeId) -> BigUint {
        match value {
            Value::Bits(bits) => bits.clone(),
            Value::Varbit { value, .. } => value.clone(),
            _ => {
                let types = &self.program.types;
                value.parts().iter().zip(0..).fold(BigUint::ZERO, |packed, (part, i)| {
                    let ty = types.field(ty, i);
                    (packed << types.bits(ty)) | self.pack(part, ty)
                })
            }
        }
    }

    fn unpack(&self, element: &BigUint, ty: TypeId) -> Value {
        let types = &self.program.types;
        let mut value = Value::zero(types, ty);
        if let Value::Bits(bits) = &mut value {
            *bits = cut(element.clone(), types.bits(ty));
            return value;
        }
        let mut rest = element.clone();
        for (i, part) in value.parts_mut().iter_mut().enumerate().rev() {
            let ty = types.field(ty, i as u32);
            *part = self.unpack(&rest, ty);
            rest >>= types.bits(ty);
        }
        value
    }
}
