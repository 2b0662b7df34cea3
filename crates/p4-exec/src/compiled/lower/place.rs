//! Places: constant slots, or computed addresses.

use super::Lowering;
use crate::compiled::code::Op;
use crate::compiled::plan::StackPlan;
use jettison_p4_front::ir::{CompositeKind, Expr, Place, Step, TypeId};

/// Location of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Location {
    /// A constant slot.
    Fixed(u32),
    /// An offset from the address in a slot.
    Computed { address: u32, offset: u32 },
}

impl Location {
    pub fn plus(self, words: u32) -> Location {
        match self {
            Location::Fixed(slot) => Location::Fixed(slot + words),
            Location::Computed { address, offset } => Location::Computed { address, offset: offset + words },
        }
    }
}

impl Lowering<'_> {
    pub(super) fn locate(&mut self, place: &Place) -> Location {
        self.locate_with(place, &mut |_, _| {})
    }

    /// Locates a place and reports each stack whose `next` is on the path.
    pub(super) fn locate_with(
        &mut self,
        place: &Place,
        next: &mut dyn FnMut(&mut Self, Location),
    ) -> Location {
        let mut here = Location::Fixed(self.layout.slot(place.root));
        let mut ty = self.program.variables[place.root.index()].ty;
        for step in &place.steps {
            here = match step {
                Step::Field(field) => here.plus(self.layout.shape(ty).offsets[*field as usize]),
                Step::Element(index) => {
                    let stride = self.layout.words(self.layout.types.field(ty, 0));
                    here.plus(1 + index * stride)
                }
                Step::Index(index) => self.element(here, ty, index),
                Step::Next => {
                    next(self, here);
                    let plan = self.stack(here, ty);
                    self.computed(|to| Op::Next { to, plan })
                }
                Step::Last => {
                    let plan = self.stack(here, ty);
                    self.computed(|to| Op::Last { to, plan })
                }
            };
            let field = if let Step::Field(field) = step { *field } else { 0 };
            ty = self.layout.types.field(ty, field);
        }
        here
    }

    fn element(&mut self, stack: Location, ty: TypeId, index: &Expr) -> Location {
        let plan = self.stack(stack, ty);
        let StackPlan { stride, size, .. } = &self.code.stacks[plan as usize];
        let (stride, size) = (*stride, *size);
        if let Some(index) = self.fold(index).filter(|index| *index < u64::from(size)) {
            return stack.plus(1 + index as u32 * stride);
        }
        let index = self.amount(index);
        self.computed(|to| Op::Index { to, index, plan })
    }

    fn computed(&mut self, op: impl FnOnce(u32) -> Op) -> Location {
        let address = self.temporary(1);
        self.emit(op(address));
        Location::Computed { address, offset: 0 }
    }

    pub(super) fn stack(&mut self, at: Location, ty: TypeId) -> u32 {
        let jettison_p4_front::ir::Type::Stack { element, size } = self.layout.types.get(ty) else {
            panic!("only stacks have elements: the checker rejects all other types")
        };
        let (base, offset) = match at {
            Location::Fixed(slot) => (slot, None),
            Location::Computed { address, offset } => (address, Some(offset)),
        };
        let stride = self.layout.words(element);
        let validities = self.validities(Location::Fixed(0), element).into_iter();
        let validities =
            validities.filter_map(|at| if let Location::Fixed(at) = at { Some(at) } else { None });
        self.code.stacks.push(StackPlan { base, offset, stride, size, validities: validities.collect() });
        self.code.stacks.len() as u32 - 1
    }

    /// Slot where words of a place can be read.
    pub(super) fn read(&mut self, at: Location, words: u32) -> u32 {
        match at {
            Location::Fixed(slot) => slot,
            Location::Computed { .. } => {
                let to = self.temporary(words);
                self.load(to, at, words);
                to
            }
        }
    }

    pub(super) fn load(&mut self, to: u32, at: Location, words: u32) {
        match at {
            Location::Fixed(slot) => self.copy(to, slot, words),
            Location::Computed { address, offset } => {
                for (done, count) in pieces(words) {
                    self.emit(Op::Load { count, to: to + done, address, offset: offset + done });
                }
            }
        }
    }

    pub(super) fn store(&mut self, at: Location, from: u32, words: u32) {
        match at {
            Location::Fixed(slot) => self.copy(slot, from, words),
            Location::Computed { address, offset } => {
                for (done, count) in pieces(words) {
                    self.emit(Op::Store { count, address, offset: offset + done, from: from + done });
                }
            }
        }
    }

    /// Locations of the validities of the header, or of the union's headers, at a place.
    pub(super) fn validities(&self, at: Location, ty: TypeId) -> Vec<Location> {
        match self.layout.kind(ty) {
            Some(CompositeKind::Header) => vec![at],
            Some(CompositeKind::Union) => {
                let members = self.layout.parts(ty).into_iter();
                members.flat_map(|(offset, member)| self.validities(at.plus(offset), member)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Splits a number of words into the sizes that one load or store moves.
fn pieces(words: u32) -> impl Iterator<Item = (u32, u16)> {
    let most = u32::from(u16::MAX);
    (0..words).step_by(most as usize).map(move |done| (done, (words - done).min(most) as u16))
}
