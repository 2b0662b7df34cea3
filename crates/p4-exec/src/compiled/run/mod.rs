//! Execution of compiled code.

mod apply;
mod external;
mod packet;
mod psa;
mod wide;

use super::code::{Code, NOWHERE, Op};
use super::plan::{EqualPlan, StackPlan};
use super::scalar;
use crate::objects::BitWriter;
use crate::{Frame, Plane};

/// Initial capacity of the call stack. The depth is bounded, because P4 has no recursion.
const INITIAL_DEPTH: usize = 32;

/// Memory of a machine.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    pub store: Vec<u64>,
    returns: Vec<u32>,
    /// Buffer for hashed fields.
    hashed: BitWriter,
    /// Buffer for headers from the first one that does not end at a byte boundary.
    unaligned: BitWriter,
}

/// One run of a block.
pub(super) struct Run<'a> {
    code: &'a Code,
    store: &'a mut [u64],
    returns: &'a mut Vec<u32>,
    hashed: &'a mut BitWriter,
    unaligned: &'a mut BitWriter,
    plane: &'a mut Plane,
    out: &'a mut Vec<u8>,
    /// The packet in the parser; the payload in controls.
    frame: Frame<'a>,
    /// Read position in bits.
    position: usize,
    transitions: u32,
}

impl Memory {
    pub fn new(code: &Code) -> Memory {
        let mut store = vec![0; code.words];
        for (slot, value) in &code.constants {
            store[*slot as usize] = *value;
        }
        let returns = Vec::with_capacity(INITIAL_DEPTH);
        Memory { store, returns, hashed: BitWriter::new(), unaligned: BitWriter::new() }
    }
}

impl<'a> Run<'a> {
    pub fn new(
        code: &'a Code,
        memory: &'a mut Memory,
        frame: Frame<'a>,
        out: &'a mut Vec<u8>,
        plane: &'a mut Plane,
    ) -> Run<'a> {
        memory.returns.clear();
        memory.unaligned.clear();
        Run {
            code,
            store: &mut memory.store,
            returns: &mut memory.returns,
            hashed: &mut memory.hashed,
            unaligned: &mut memory.unaligned,
            plane,
            out,
            frame,
            position: 0,
            transitions: 0,
        }
    }

    /// Runs from an address to the end. Returns the error of a parser that rejects.
    pub fn run(&mut self, entry: u32) -> Option<u32> {
        let code = self.code;
        let mut at = entry as usize;
        macro_rules! word {
            ($slot:expr) => {
                self.store[$slot as usize]
            };
        }
        macro_rules! check {
            ($result:expr) => {
                if let Err(error) = $result {
                    return Some(error);
                }
            };
        }
        loop {
            // By reference: a copy would go through memory.
            let op = &code.ops[at];
            at += 1;
            match *op {
                Op::Copy { to, from } => word!(to) = word!(from),
                Op::CopyMany { to, from, count } => {
                    let from = from as usize;
                    self.store.copy_within(from..from + count as usize, to as usize);
                }
                Op::CopyIf { to, condition, from } => {
                    if word!(condition) != 0 {
                        word!(to) = word!(from);
                    }
                }
                Op::Zero { to, count } => self.store[to as usize..(to + count) as usize].fill(0),
                Op::Index { to, index, plan } => {
                    let plan = &code.stacks[plan as usize];
                    word!(to) = self.element(plan, word!(index));
                }
                Op::Next { to, plan } => {
                    let plan = &code.stacks[plan as usize];
                    word!(to) = self.element(plan, self.next_index(plan));
                    if word!(to) == NOWHERE {
                        return Some(code.errors.stack_out_of_bounds);
                    }
                }
                Op::Last { to, plan } => {
                    let plan = &code.stacks[plan as usize];
                    word!(to) = self.element(plan, self.next_index(plan).wrapping_sub(1));
                    if word!(to) == NOWHERE {
                        return Some(code.errors.stack_out_of_bounds);
                    }
                }
                Op::Load { count, to, address, offset } => {
                    let (to, count) = (to as usize, usize::from(count));
                    match word!(address) {
                        NOWHERE => self.store[to..to + count].fill(0),
                        address => {
                            let from = address as usize + offset as usize;
                            self.store.copy_within(from..from + count, to);
                        }
                    }
                }
                Op::Store { count, address, offset, from } => {
                    let address = word!(address);
                    if address != NOWHERE {
                        let from = from as usize;
                        self.store
                            .copy_within(from..from + usize::from(count), address as usize + offset as usize);
                    }
                }
                Op::Push { plan, count } => self.push(&code.stacks[plan as usize], count as usize),
                Op::Pop { plan, count } => self.pop(&code.stacks[plan as usize], count as usize),

                Op::Add { cut, to, a, b } => word!(to) = scalar::cut_to(word!(a).wrapping_add(word!(b)), cut),
                Op::Subtract { cut, to, a, b } => {
                    word!(to) = scalar::cut_to(word!(a).wrapping_sub(word!(b)), cut)
                }
                Op::AddSaturating { cut, signed, to, a, b } => {
                    word!(to) = scalar::add_saturating(word!(a), word!(b), cut, signed);
                }
                Op::SubtractSaturating { cut, signed, to, a, b } => {
                    word!(to) = scalar::subtract_saturating(word!(a), word!(b), cut, signed);
                }
                Op::Multiply { cut, to, a, b } => {
                    word!(to) = scalar::cut_to(word!(a).wrapping_mul(word!(b)), cut)
                }
                Op::Divide { to, a, b } => word!(to) = word!(a).checked_div(word!(b)).unwrap_or(0),
                Op::Modulo { to, a, b } => word!(to) = word!(a).checked_rem(word!(b)).unwrap_or(0),
                Op::ShiftLeft { cut, to, a, b } => word!(to) = scalar::shift_left(word!(a), word!(b), cut),
                Op::ShiftRight { to, a, b } => word!(to) = scalar::shift_right(word!(a), word!(b)),
                Op::ShiftRightSigned { cut, to, a, b } => {
                    word!(to) = scalar::shift_right_signed(word!(a), word!(b), cut);
                }
                Op::And { to, a, b } => word!(to) = word!(a) & word!(b),
                Op::Or { to, a, b } => word!(to) = word!(a) | word!(b),
                Op::Xor { to, a, b } => word!(to) = word!(a) ^ word!(b),
                Op::Equal { to, a, b } => word!(to) = u64::from(word!(a) == word!(b)),
                Op::NotEqual { to, a, b } => word!(to) = u64::from(word!(a) != word!(b)),
                Op::Less { to, a, b } => word!(to) = u64::from(word!(a) < word!(b)),
                Op::LessOrEqual { to, a, b } => word!(to) = u64::from(word!(a) <= word!(b)),
                Op::LessSigned { cut, to, a, b } => {
                    word!(to) = u64::from(scalar::signed(word!(a), cut) < scalar::signed(word!(b), cut));
                }
                Op::LessOrEqualSigned { cut, to, a, b } => {
                    word!(to) = u64::from(scalar::signed(word!(a), cut) <= scalar::signed(word!(b), cut));
                }
                Op::Slice { low, cut, to, from } => word!(to) = scalar::cut_to(word!(from) >> low, cut),
                Op::Insert { low, cut, to, from } => {
                    word!(to) = scalar::insert(word!(to), word!(from), low, cut);
                }
                Op::Concat { shift, to, a, b } => word!(to) = word!(a) << shift | word!(b),
                Op::SignExtend { from_cut, cut, to, from } => {
                    word!(to) = scalar::sign_extend(word!(from), from_cut, cut);
                }
                Op::EqualParts { to, plan } => {
                    word!(to) = u64::from(self.equal(&code.equals[plan as usize]));
                }
                Op::Wide { plan } => wide::run(self.store, &code.wides[plan as usize]),

                Op::Jump { to } => at = to as usize,
                Op::JumpIf { condition, to } => {
                    if word!(condition) != 0 {
                        at = to as usize;
                    }
                }
                Op::JumpUnless { condition, to } => {
                    if word!(condition) == 0 {
                        at = to as usize;
                    }
                }
                Op::JumpEqual { a, b, to } => {
                    if word!(a) == word!(b) {
                        at = to as usize;
                    }
                }
                Op::JumpNotEqual { a, b, to } => {
                    if word!(a) != word!(b) {
                        at = to as usize;
                    }
                }
                Op::JumpLess { a, b, to } => {
                    if word!(a) < word!(b) {
                        at = to as usize;
                    }
                }
                Op::JumpLessOrEqual { a, b, to } => {
                    if word!(a) <= word!(b) {
                        at = to as usize;
                    }
                }
                Op::Switch { value, plan } => {
                    let plan = &code.switches[plan as usize];
                    let value = word!(value);
                    let found = plan.cases.binary_search_by_key(&value, |(value, _)| *value);
                    at = found.map_or(plan.default, |case| plan.cases[case].1) as usize;
                }
                Op::Call { to } => {
                    self.returns.push(at as u32);
                    at = to as usize;
                }
                Op::Return => match self.returns.pop() {
                    Some(address) => at = address as usize,
                    None => return None,
                },
                Op::End => return None,
                Op::Fail { error } => return Some(error),
                Op::FailWith { error } => return Some(word!(error) as u32),
                Op::Transition => {
                    if self.transitions == jettison_p4_front::ir::MAX_TRANSITIONS {
                        return Some(code.errors.parser_timeout);
                    }
                    self.transitions += 1;
                }
                Op::Apply { plan } => {
                    if let Some(action) = self.apply(&code.applies[plan as usize]) {
                        self.returns.push(at as u32);
                        at = action as usize;
                    }
                }

                Op::Extract { base, plan } => {
                    check!(self.extract(&code.extractions[plan as usize], Some(base as usize)));
                }
                Op::ExtractAt { address, offset, plan } => {
                    let address = word!(address);
                    let base = (address != NOWHERE).then(|| address as usize + offset as usize);
                    check!(self.extract(&code.extractions[plan as usize], base));
                }
                Op::Lookahead { base, plan } => {
                    let position = self.position;
                    check!(self.extract(&code.extractions[plan as usize], Some(base as usize)));
                    self.position = position;
                }
                Op::Advance { bits } => check!(self.advance(word!(bits))),
                Op::PacketLength { to } => word!(to) = u64::from(self.frame.length() as u32),
                Op::Emit { valid, plan } => {
                    if word!(valid) != 0 {
                        self.emit(&code.packs[plan as usize]);
                    }
                }
                Op::InSet { to, plan } => {
                    let plan = &code.sets[plan as usize];
                    let key = &self.store[plan.key as usize..(plan.key + plan.words) as usize];
                    word!(to) = u64::from(self.plane.tables.value_set(plan.set).matches(key));
                }

                _ => self.external(op),
            }
        }
    }

    /// Index of a stack's first word in the store.
    #[inline]
    fn base(&self, plan: &StackPlan) -> u64 {
        match plan.offset {
            None => u64::from(plan.base),
            Some(offset) => match self.store[plan.base as usize] {
                NOWHERE => NOWHERE,
                address => address + u64::from(offset),
            },
        }
    }

    #[inline]
    fn element(&self, plan: &StackPlan, index: u64) -> u64 {
        let base = self.base(plan);
        if index >= u64::from(plan.size) || base == NOWHERE {
            return NOWHERE;
        }
        base + 1 + index * u64::from(plan.stride)
    }

    fn next_index(&self, plan: &StackPlan) -> u64 {
        match self.base(plan) {
            NOWHERE => NOWHERE,
            base => self.store[base as usize],
        }
    }

    /// Moves the elements up and invalidates the first ones (§8.18).
    fn push(&mut self, plan: &StackPlan, count: usize) {
        let (base, stride, size) = (plan.base as usize, plan.stride as usize, plan.size as usize);
        let count = count.min(size);
        let first = base + 1;
        if count > 0 {
            for to in (count..size).rev() {
                self.swap_elements(first, stride, to, to - count);
            }
        }
        self.invalidate(plan, 0..count);
        self.store[base] = (self.store[base] + count as u64).min(size as u64);
    }

    /// Moves the elements down and invalidates the last ones (§8.18).
    fn pop(&mut self, plan: &StackPlan, count: usize) {
        let (base, stride, size) = (plan.base as usize, plan.stride as usize, plan.size as usize);
        let next = self.store[base].saturating_sub(count as u64);
        let count = count.min(size);
        let first = base + 1;
        if count > 0 {
            for to in 0..size - count {
                self.swap_elements(first, stride, to, to + count);
            }
        }
        self.invalidate(plan, size - count..size);
        self.store[base] = next;
    }

    /// Exchanges two elements: as in `simple_switch`, an invalid element holds the bytes of the one that left its place.
    fn swap_elements(&mut self, first: usize, stride: usize, a: usize, b: usize) {
        for word in 0..stride {
            self.store.swap(first + a * stride + word, first + b * stride + word);
        }
    }

    fn invalidate(&mut self, plan: &StackPlan, elements: std::ops::Range<usize>) {
        for element in elements {
            let at = plan.base as usize + 1 + element * plan.stride as usize;
            for validity in &plan.validities {
                self.store[at + *validity as usize] = 0;
            }
        }
    }

    fn equal(&self, plan: &EqualPlan) -> bool {
        plan.parts.iter().all(|part| {
            let words = |start: u32| {
                let at = (start + part.at) as usize;
                &self.store[at..at + part.count as usize]
            };
            let (a, b) = (words(plan.a), words(plan.b));
            if part.header { a[0] == b[0] && (a[0] == 0 || a[1..] == b[1..]) } else { a == b }
        })
    }
}
