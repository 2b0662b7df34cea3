//! Statements.

use num_bigint::BigUint;

use super::Run;
use super::place::ParserError;
use super::value::{Value, cut, mask};
use jettison_p4_front::ir::{Block, Expr, MAX_LOOP_ITERATIONS, Place, Stmt, StmtKind};

/// Control flow after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Continue with the next statement.
    Next,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return,
    /// `exit`.
    Exit,
}

impl Run<'_> {
    /// Runs statements until one changes the control flow.
    pub fn block(&mut self, block: &Block) -> Result<Flow, ParserError> {
        for stmt in block {
            let flow = self.stmt(stmt)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Flow, ParserError> {
        match &stmt.kind {
            StmtKind::Assign { to, value } => {
                let value = self.eval(value)?;
                self.write(to, value)?;
            }
            StmtKind::AssignSlice { to, high, low, value } => {
                let value = self.bits(value)?;
                self.assign_slice(to, *high, *low, value)?;
            }
            StmtKind::Reset(place) => {
                let zero = Value::zero(&self.program.types, place.ty);
                self.write(place, zero)?;
            }
            StmtKind::SetValid(place) => self.change(place, |header| header.set_validity(true))?,
            StmtKind::SetInvalid(place) => self.change(place, |header| header.set_validity(false))?,
            StmtKind::PushFront(place, count) => self.change(place, |stack| push_front(stack, *count))?,
            StmtKind::PopFront(place, count) => self.change(place, |stack| pop_front(stack, *count))?,
            StmtKind::If { condition, then, otherwise } => {
                let chosen = if self.holds(condition)? { then } else { otherwise };
                return self.block(chosen);
            }
            StmtKind::Switch { on, cases, default } => {
                let on = self.bits(on)?;
                let case = cases.iter().find(|case| case.values.contains(&on));
                return self.block(case.map_or(default, |case| &case.body));
            }
            StmtKind::Loop { before, condition, body, update } => {
                return self.run_loop(before, condition, body, update);
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return => return Ok(Flow::Return),
            StmtKind::Exit => return Ok(Flow::Exit),
            StmtKind::Call { function, after } => {
                let program = self.program;
                return self.call(&program.functions[function.index()].body, after);
            }
            StmtKind::Apply { table, hit, action } => return self.apply(*table, *hit, *action),
            StmtKind::Extract { to, length } => self.extract(to, length.as_ref())?,
            StmtKind::Lookahead(place) => self.lookahead(place)?,
            StmtKind::Advance(bits) => self.advance(bits)?,
            StmtKind::Verify { condition, error } => {
                if !self.holds(condition)? {
                    let error = self.bits(error)?;
                    return Err(ParserError(u32::try_from(error).unwrap_or(0)));
                }
            }
            StmtKind::CallParser { parser, after } => {
                self.parser(*parser)?;
                return self.block(after);
            }
            StmtKind::Emit(place) => {
                let value = self.read(place)?;
                self.emit(&value, place.ty);
            }
            StmtKind::Extern(what) => self.external(what)?,
        }
        Ok(Flow::Next)
    }

    /// Runs a body and its copy-out, which also follows an exit.
    pub fn call(&mut self, body: &Block, after: &Block) -> Result<Flow, ParserError> {
        let ended = self.block(body)?;
        let copied = self.block(after)?;
        Ok(if ended == Flow::Exit { Flow::Exit } else { copied })
    }

    fn run_loop(
        &mut self,
        before: &Block,
        condition: &Expr,
        body: &Block,
        update: &Block,
    ) -> Result<Flow, ParserError> {
        let ends = |flow| matches!(flow, Flow::Return | Flow::Exit);
        loop {
            let flow = self.block(before)?;
            if ends(flow) {
                return Ok(flow);
            }
            if !self.holds(condition)? || self.iterations == MAX_LOOP_ITERATIONS {
                return Ok(Flow::Next);
            }
            self.iterations += 1;
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
            let flow = self.block(update)?;
            if ends(flow) {
                return Ok(flow);
            }
        }
    }

    fn assign_slice(&mut self, to: &Place, high: u32, low: u32, value: BigUint) -> Result<(), ParserError> {
        let width = high - low + 1;
        self.change(to, |at| {
            let old = at.bits();
            let hole = mask(width) << low;
            let kept = old ^ (old & &hole);
            *at = Value::Bits(kept | cut(value, width) << low);
        })
    }
}

/// The specification's “Operations on header stacks”. What an invalid element holds is undefined there; as in
/// `simple_switch`, elements are exchanged.
fn push_front(stack: &mut Value, count: u32) {
    let Value::Stack { next, elements } = stack else { return };
    let count_elements = (count as usize).min(elements.len());
    if count_elements == 0 {
        return;
    }
    for i in (count_elements..elements.len()).rev() {
        elements.swap(i, i - count_elements);
    }
    elements[..count_elements].iter_mut().for_each(|element| element.set_validity(false));
    *next = next.saturating_add(count).min(u32::try_from(elements.len()).unwrap_or(u32::MAX));
}

/// The specification's “Operations on header stacks”, with exchanges as [`push_front`].
fn pop_front(stack: &mut Value, count: u32) {
    let Value::Stack { next, elements } = stack else { return };
    let kept = elements.len().saturating_sub(count as usize);
    if count == 0 {
        return;
    }
    for i in 0..kept {
        elements.swap(i, i + count as usize);
    }
    elements[kept..].iter_mut().for_each(|element| element.set_validity(false));
    *next = next.saturating_sub(count);
}
