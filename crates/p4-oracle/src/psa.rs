//! Externs of PSA.

use num_bigint::BigUint;

use super::Run;
use super::packet::push;
use super::place::ParserError;
use super::value::{Value, low, saturated};
use jettison_p4_exec::objects::{BitWriter, Meter};
use jettison_p4_front::ir::{ChecksumStep, PsaExtern};

impl Run<'_> {
    /// Executes an extern of PSA.
    pub fn psa(&mut self, call: &PsaExtern) -> Result<(), ParserError> {
        match call {
            PsaExtern::CountDirect { counter } => {
                let bytes = self.plane.packet_bytes;
                self.plane.objects.counter_mut(*counter).count_selected(bytes);
                Ok(())
            }
            PsaExtern::Mark { meter, index, colour, to } => {
                let index = match index {
                    Some(index) => Some(saturated(&self.bits(index)?)),
                    None => None,
                };
                let colour = match colour {
                    Some(colour) => low(&self.bits(colour)?) as u8,
                    None => Meter::GREEN,
                };
                let (now, bytes) = (self.plane.now, self.plane.packet_bytes);
                let meter = self.plane.objects.meter_mut(*meter);
                let colour = match index {
                    Some(index) => meter.mark(index, colour, now, bytes).unwrap_or(colour),
                    None => meter.mark_selected(colour, now, bytes),
                };
                self.write_cut(to, BigUint::from(colour))
            }
            PsaExtern::Checksum { step, algorithm, from, to } => {
                let state = low(&self.bits(from)?);
                let state = match step {
                    ChecksumStep::Clear => self.plane.objects.hashes().begin(*algorithm),
                    ChecksumStep::Update(data) => {
                        let mut packed = BitWriter::new();
                        for expr in data {
                            let value = self.eval(expr)?;
                            let width = match &value {
                                Value::Varbit { bits, .. } => *bits,
                                _ => self.program.types.bits(expr.ty),
                            };
                            push(&mut packed, value.bits(), width);
                        }
                        self.plane.objects.hashes().extend(*algorithm, state, packed.bytes())
                    }
                    ChecksumStep::Get => self.plane.objects.hashes().end(*algorithm, state),
                };
                self.write_cut(to, BigUint::from(state))
            }
        }
    }
}
