//! Externs of PSA.

use super::Lowering;
use super::pack::pack;
use super::place::Location;
use crate::compiled::code::Op;
use crate::compiled::plan::PsaPlan;
use jettison_p4_front::ir::{ChecksumStep, Place, PsaExtern};

impl Lowering<'_> {
    pub(super) fn psa(&mut self, call: &PsaExtern) {
        match call {
            PsaExtern::CountDirect { counter } => self.planned(PsaPlan::CountDirect(*counter)),
            PsaExtern::Mark { meter, index, colour, to } => {
                let index = index.as_ref().map(|index| self.amount(index));
                let colour = colour.as_ref().map(|colour| self.operand(colour));
                let meter = *meter;
                self.written(to, |to| PsaPlan::Mark { meter, index, colour, to });
            }
            PsaExtern::Checksum { step, algorithm, from, to } => {
                let algorithm = *algorithm;
                match step {
                    ChecksumStep::Clear => self.written(to, |to| PsaPlan::Clear { algorithm, to }),
                    ChecksumStep::Update(data) => {
                        let from = self.operand(from);
                        let pack = pack(self.values(data));
                        self.written(to, |to| PsaPlan::Update { algorithm, from, pack, to });
                    }
                    ChecksumStep::Get => {
                        let from = self.operand(from);
                        self.written(to, |to| PsaPlan::Get { algorithm, from, to });
                    }
                }
            }
        }
    }

    fn planned(&mut self, plan: PsaPlan) {
        self.code.psa.push(plan);
        self.emit(Op::Psa { plan: self.code.psa.len() as u32 - 1 });
    }

    /// Emits a call that writes one word to a place.
    fn written(&mut self, to: &Place, plan: impl FnOnce(u32) -> PsaPlan) {
        match self.locate(to) {
            Location::Fixed(slot) => self.planned(plan(slot)),
            at => {
                let word = self.temporary(1);
                self.planned(plan(word));
                self.store(at, word, 1);
            }
        }
    }
}
