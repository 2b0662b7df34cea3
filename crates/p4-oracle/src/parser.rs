//! Parsers: states and transitions.

use num_bigint::BigUint;

use super::Run;
use super::place::ParserError;
use super::value::{number, words};
use jettison_p4_front::ir::{Expr, KeySet, MAX_TRANSITIONS, ParserId, SelectCase, Target, Transition};

impl Run<'_> {
    /// Runs a parser or sub-parser; fails if it rejects.
    pub fn parser(&mut self, parser: ParserId) -> Result<(), ParserError> {
        let parser = &self.program.parsers[parser.index()];
        self.block(&parser.before)?;
        let mut state = parser.start;
        loop {
            let here = &parser.states[state.index()];
            self.block(&here.body)?;
            if self.transitions == MAX_TRANSITIONS {
                return Err(self.error("ParserTimeout"));
            }
            self.transitions += 1;
            match self.target(&here.next)? {
                Target::State(next) => state = next,
                Target::Accept => return Ok(()),
                Target::Reject => return Err(self.error("NoError")),
            }
        }
    }

    fn target(&self, transition: &Transition) -> Result<Target, ParserError> {
        let (on, cases) = match transition {
            Transition::To(target) => return Ok(*target),
            Transition::Select { on, cases } => (on, cases),
        };
        let values = on.iter().map(|expr| self.bits(expr)).collect::<Result<Vec<_>, _>>()?;
        for case in cases {
            if self.case_holds(case, on, &values)? {
                return Ok(case.to);
            }
        }
        Err(self.error("NoMatch"))
    }

    fn case_holds(&self, case: &SelectCase, on: &[Expr], values: &[BigUint]) -> Result<bool, ParserError> {
        match &case.keys[..] {
            [KeySet::Any] => return Ok(true),
            [KeySet::ValueSet(set)] => {
                let widths = on.iter().map(|expr| self.program.types.bits(expr.ty));
                let key: Vec<u64> =
                    values.iter().zip(widths).flat_map(|(v, width)| words(v, width)).collect();
                return Ok(self.plane.tables.value_set(*set).matches(&key));
            }
            _ => {}
        }
        for ((key, value), expr) in case.keys.iter().zip(values).zip(on) {
            let holds = match key {
                KeySet::Any => true,
                KeySet::Value(wanted) => *value == self.bits(wanted)?,
                KeySet::Mask(wanted, mask) => {
                    let mask = self.bits(mask)?;
                    value & &mask == self.bits(wanted)? & &mask
                }
                KeySet::Range(low, high) => {
                    let (width, signed) = (self.program.types.bits(expr.ty), self.is_signed(expr.ty));
                    let of = |pattern: &BigUint| number(pattern, width, signed);
                    of(&self.bits(low)?) <= of(value) && of(value) <= of(&self.bits(high)?)
                }
                KeySet::ValueSet(set) => {
                    let width = self.program.types.bits(expr.ty);
                    let key: Vec<u64> = words(value, width).collect();
                    self.plane.tables.value_set(*set).matches(&key)
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
