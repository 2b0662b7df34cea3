//! Warnings about reads from headers that cannot be valid.
//!
//! The analysis follows the control flow from the parser to the deparser and tracks which headers may be valid. It warns
//! only where a header is invalid on every path, so a program that tests validity, or that a controller configures so
//! that a path is not taken, gets no false alarm.

use std::collections::BTreeSet;

use super::emit::any_place;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Block, Expr, ExprKind, Extern, FunctionId, KeySet, ParserId, Place, Program, Step, Stmt, StmtKind,
    TableId, Target, Transition, Type, TypeId,
};
use crate::source::Span;

/// Maximum number of statements to visit; calls are followed each time. Beyond it, nothing is reported.
const MAX_STATEMENTS: u32 = 1 << 18;

/// Warns of reads from headers that cannot be valid.
pub(super) fn invalid_reads(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut walk = Walk {
        program,
        found: Vec::new(),
        warned: BTreeSet::new(),
        silent: 0,
        left: MAX_STATEMENTS,
        returned: Vec::new(),
        escaped: Vec::new(),
        exited: Flow::dead(),
    };
    let pipeline = &program.pipeline;
    // Metadata outlives a pass: `resubmit`, `recirculate` and clones keep it.
    let mut flow = Flow::default();
    flow.valid.insert(Path { root: pipeline.metadata.0, steps: Vec::new() });
    let parsed = walk.parser(pipeline.parser, flow.clone());
    if let Some(psa) = &pipeline.psa {
        // Egress parses again what the deparser of ingress has left.
        let sent = walk.control(pipeline.ingress, parsed);
        walk.control(psa.deparser, sent);
        let parsed = walk.parser(psa.parser, flow);
        let left = walk.control(pipeline.egress, parsed);
        walk.control(pipeline.deparser, left);
        if walk.left > 0 {
            diagnostics.append(&mut walk.found);
        }
        return;
    }
    let verified = walk.control(pipeline.verify_checksum, parsed.clone());
    let mut sent = walk.control(pipeline.ingress, verified);
    // Clones of ingress have the headers as parsed, clones of egress those after egress.
    sent.join(parsed);
    walk.silent += 1;
    let again = walk.control(pipeline.egress, sent.clone());
    walk.silent -= 1;
    sent.join(again);
    let left = walk.control(pipeline.egress, sent);
    let summed = walk.control(pipeline.compute_checksum, left);
    walk.control(pipeline.deparser, summed);
    if walk.left > 0 {
        diagnostics.append(&mut walk.found);
    }
}

/// A place without computed steps: what follows one is left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Path {
    root: u32,
    steps: Vec<(bool, u32)>,
}

impl Path {
    fn of(place: &Place) -> Path {
        let steps = place.steps.iter().map_while(|step| match step {
            Step::Field(field) => Some((false, *field)),
            Step::Element(at) => Some((true, *at)),
            Step::Index(_) | Step::Next | Step::Last => None,
        });
        Path { root: place.root.0, steps: steps.collect() }
    }

    fn contains(&self, other: &Path) -> bool {
        self.root == other.root && other.steps.starts_with(&self.steps)
    }
}

/// Places whose headers may be valid. An unreachable state has none.
#[derive(Debug, Clone, Default, PartialEq)]
struct Flow {
    valid: BTreeSet<Path>,
    dead: bool,
}

impl Flow {
    fn dead() -> Flow {
        Flow { valid: BTreeSet::new(), dead: true }
    }

    fn join(&mut self, other: Flow) {
        if other.dead {
            return;
        }
        if self.dead {
            *self = other;
            return;
        }
        self.valid.extend(other.valid);
    }

    fn end(&mut self) -> Flow {
        std::mem::replace(self, Flow::dead())
    }

    fn may_be_valid(&self, header: &Path) -> bool {
        self.valid.iter().any(|path| path.contains(header) || header.contains(path))
    }

    fn invalidate(&mut self, place: &Place) {
        let path = Path::of(place);
        if path.steps.len() == place.steps.len() {
            self.valid.retain(|other| !path.contains(other));
        }
    }
}

struct Walk<'a> {
    program: &'a Program,
    found: Vec<Diagnostic>,
    warned: BTreeSet<Path>,
    /// Number of enclosing passes that only compute what may be valid.
    silent: u32,
    left: u32,
    /// States at the `return`s of the enclosing functions, innermost last.
    returned: Vec<Flow>,
    /// States at `break` and `continue` of the enclosing loops, innermost last.
    escaped: Vec<Flow>,
    /// State at `exit`s of the pipeline block.
    exited: Flow,
}

impl Walk<'_> {
    /// Visits a block of the pipeline.
    fn control(&mut self, id: FunctionId, flow: Flow) -> Flow {
        self.exited = Flow::dead();
        let mut flow = self.function(id, flow);
        flow.join(self.exited.end());
        flow
    }

    fn function(&mut self, id: FunctionId, mut flow: Flow) -> Flow {
        let program = self.program;
        self.returned.push(Flow::dead());
        self.block(&program.functions[id.index()].body, &mut flow);
        flow.join(self.returned.pop().unwrap_or_else(Flow::dead));
        flow
    }

    /// Visits a parser: its states until nothing changes, then once more for the warnings. Returns the state after
    /// `accept` and `reject`, as the switch goes on after both.
    fn parser(&mut self, id: ParserId, mut flow: Flow) -> Flow {
        let program = self.program;
        let parser = &program.parsers[id.index()];
        self.block(&parser.before, &mut flow);
        let mut entries = vec![Flow::dead(); parser.states.len()];
        entries[parser.start.index()] = flow;
        let mut waiting = vec![parser.start];
        self.silent += 1;
        while let Some(state) = waiting.pop() {
            let (after, targets) = self.state(id, state.index(), entries[state.index()].clone());
            for target in targets {
                let Target::State(next) = target else { continue };
                let before = entries[next.index()].clone();
                entries[next.index()].join(after.clone());
                if entries[next.index()] != before {
                    waiting.push(next);
                }
            }
            if self.left == 0 {
                break;
            }
        }
        self.silent -= 1;
        let mut done = Flow::dead();
        for (index, entry) in entries.into_iter().enumerate() {
            if entry.dead {
                continue;
            }
            let (after, targets) = self.state(id, index, entry);
            if targets.iter().any(|target| !matches!(target, Target::State(_))) {
                done.join(after);
            }
        }
        done
    }

    /// Visits a state; returns the flow after it and where it can go. Errors of extractions go to `reject`.
    fn state(&mut self, parser: ParserId, index: usize, mut flow: Flow) -> (Flow, Vec<Target>) {
        let program = self.program;
        let state = &program.parsers[parser.index()].states[index];
        self.block(&state.body, &mut flow);
        let mut targets = vec![Target::Reject];
        match &state.next {
            Transition::To(target) => targets.push(*target),
            Transition::Select { on, cases } => {
                self.reads(on, &mut flow, state.span);
                for case in cases {
                    for key in &case.keys {
                        match key {
                            KeySet::Value(value) => self.reads([value], &mut flow, state.span),
                            KeySet::Mask(a, b) | KeySet::Range(a, b) => {
                                self.reads([a, b], &mut flow, state.span);
                            }
                            KeySet::Any | KeySet::ValueSet(_) => {}
                        }
                    }
                    targets.push(case.to);
                }
            }
        }
        (flow, targets)
    }

    fn block(&mut self, block: &Block, flow: &mut Flow) {
        for statement in block {
            if self.left == 0 || flow.dead {
                return;
            }
            self.left -= 1;
            self.statement(statement, flow);
        }
    }

    fn statement(&mut self, statement: &Stmt, flow: &mut Flow) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Reset(place) | StmtKind::SetInvalid(place) => flow.invalidate(place),
            StmtKind::SetValid(place) | StmtKind::Lookahead(place) => self.written(place, flow),
            StmtKind::Assign { to, value } => {
                self.reads([value], flow, span);
                match value.kind {
                    ExprKind::Invalid => flow.invalidate(to),
                    _ => self.written(to, flow),
                }
            }
            StmtKind::AssignSlice { value, .. } => self.reads([value], flow, span),
            StmtKind::PushFront(stack, _) | StmtKind::PopFront(stack, _) => {
                if flow.may_be_valid(&Path::of(stack)) {
                    self.written(stack, flow);
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                self.reads([condition], flow, span);
                let mut other = flow.clone();
                self.block(then, flow);
                self.block(otherwise, &mut other);
                flow.join(other);
            }
            StmtKind::Switch { on, cases, default } => {
                self.reads([on], flow, span);
                let before = flow.clone();
                self.block(default, flow);
                for case in cases {
                    let mut other = before.clone();
                    self.block(&case.body, &mut other);
                    flow.join(other);
                }
            }
            StmtKind::Loop { before, condition, body, update } => {
                // What any round makes valid may be valid in every later one.
                self.silent += 1;
                for _ in 0..2 {
                    let round = self.round(before, condition, body, update, flow.clone(), span);
                    flow.join(round);
                }
                self.silent -= 1;
                let round = self.round(before, condition, body, update, flow.clone(), span);
                flow.join(round);
            }
            StmtKind::Break | StmtKind::Continue => {
                let here = flow.end();
                if let Some(escaped) = self.escaped.last_mut() {
                    escaped.join(here);
                }
            }
            StmtKind::Return => {
                let here = flow.end();
                if let Some(returned) = self.returned.last_mut() {
                    returned.join(here);
                }
            }
            StmtKind::Exit => {
                let here = flow.end();
                self.exited.join(here);
            }
            StmtKind::Call { function, after } => {
                *flow = self.function(*function, flow.clone());
                self.block(after, flow);
            }
            StmtKind::CallParser { parser, after } => {
                *flow = self.parser(*parser, flow.clone());
                self.block(after, flow);
            }
            StmtKind::Apply { table, .. } => self.table(*table, flow, span),
            StmtKind::Extract { to, length } => {
                self.reads(length, flow, span);
                self.written(to, flow);
            }
            StmtKind::Advance(bits) => self.reads([bits], flow, span),
            StmtKind::Verify { condition, error } => self.reads([condition, error], flow, span),
            StmtKind::Emit(_) => {}
            StmtKind::Extern(call) => self.call(call, flow, span),
        }
    }

    /// One round of a loop.
    fn round(
        &mut self,
        before: &Block,
        condition: &Expr,
        body: &Block,
        update: &Block,
        mut flow: Flow,
        span: Span,
    ) -> Flow {
        self.block(before, &mut flow);
        self.reads([condition], &mut flow, span);
        self.escaped.push(Flow::dead());
        self.block(body, &mut flow);
        flow.join(self.escaped.pop().unwrap_or_else(Flow::dead));
        self.block(update, &mut flow);
        flow
    }

    fn table(&mut self, id: TableId, flow: &mut Flow, span: Span) {
        let program = self.program;
        let table = &program.tables[id.index()];
        self.block(&table.before, flow);
        self.reads(table.keys.iter().map(|key| &key.expr), flow, span);
        let before = flow.end();
        for action in &table.actions {
            let mut own = before.clone();
            self.block(&action.before, &mut own);
            own = self.function(action.function, own);
            self.block(&action.after, &mut own);
            flow.join(own);
        }
    }

    /// Notes that a place was written: the headers in it may be valid.
    fn written(&mut self, to: &Place, flow: &mut Flow) {
        if self.has_headers(to.ty) {
            flow.valid.insert(Path::of(to));
        }
    }

    fn has_headers(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Composite(id) => {
                self.program.types.is_header(ty)
                    || self.program.types.composite(id).fields.iter().any(|field| self.has_headers(field.ty))
            }
            Type::Stack { element, .. } => self.has_headers(element),
            _ => false,
        }
    }

    /// Visits expressions that are evaluated together. A header whose validity one of them tests may be valid.
    fn reads<'b>(&mut self, exprs: impl IntoIterator<Item = &'b Expr>, flow: &mut Flow, span: Span) {
        let exprs: Vec<&Expr> = exprs.into_iter().collect();
        exprs.iter().for_each(|expr| tested(expr, flow));
        for expr in exprs {
            any_place(expr, &mut |place| {
                self.read(place, flow, span);
                false
            });
        }
    }

    fn read(&mut self, place: &Place, flow: &Flow, span: Span) {
        let Some((header, field)) = self.header_of(place) else { return };
        if self.silent > 0 || flow.dead || flow.may_be_valid(&header) || self.warned.contains(&header) {
            return;
        }
        let name = self.name(&header);
        let message = format!("the field `{field}` is read, but the header `{name}` is never valid here");
        let hint = "extract the header or call `setValid()` before, or test `isValid()`";
        self.found.push(Diagnostic::warning(span, message).hint(hint));
        self.warned.insert(header);
    }

    /// The header of which a place is a field, and the name of the field.
    fn header_of(&self, place: &Place) -> Option<(Path, String)> {
        let types = &self.program.types;
        let mut ty = self.program.variables[place.root.index()].ty;
        for (index, step) in place.steps.iter().enumerate() {
            ty = match (step, types.get(ty)) {
                (Step::Field(field), Type::Composite(id)) => {
                    let field = types.composite(id).fields.get(*field as usize)?;
                    if types.is_header(ty) {
                        let steps = place.steps[..index].to_vec();
                        let header = Place { root: place.root, steps, ty };
                        return Some((Path::of(&header), field.name.to_string()));
                    }
                    field.ty
                }
                (_, Type::Stack { element, .. }) => element,
                _ => return None,
            };
        }
        None
    }

    /// Name of a header: its fields from the pipeline's headers on, or from its variable on.
    fn name(&self, path: &Path) -> String {
        let types = &self.program.types;
        let variable = &self.program.variables[path.root as usize];
        let mut ty = variable.ty;
        let mut name = String::new();
        if path.root != self.program.pipeline.headers.0 {
            name.push_str(variable.name.rsplit('.').next().unwrap_or(&variable.name));
        }
        for (is_element, at) in &path.steps {
            ty = match types.get(ty) {
                Type::Composite(id) => {
                    let Some(field) = types.composite(id).fields.get(*at as usize) else { break };
                    if !name.is_empty() {
                        name.push('.');
                    }
                    name.push_str(&field.name);
                    field.ty
                }
                Type::Stack { element, .. } if *is_element => {
                    name.push_str(&format!("[{at}]"));
                    element
                }
                _ => break,
            };
        }
        name
    }

    fn call(&mut self, call: &Extern, flow: &mut Flow, span: Span) {
        match call {
            Extern::RegisterRead { to, index, .. } | Extern::ExecuteMeter { to, index, .. } => {
                self.reads([index], flow, span);
                self.written(to, flow);
            }
            Extern::RegisterWrite { index, value, .. } => self.reads([index, value], flow, span),
            Extern::Count { index, .. } => self.reads([index], flow, span),
            Extern::Random { low, high, .. } => self.reads([low, high], flow, span),
            Extern::Hash { base, data, max, .. } => {
                self.reads(data.iter().chain([base, max]), flow, span);
            }
            Extern::VerifyChecksum { condition, data, checksum, .. } => {
                self.reads(data.iter().chain([condition, checksum]), flow, span);
            }
            Extern::UpdateChecksum { condition, data, .. } => {
                self.reads(data.iter().chain([condition]), flow, span);
            }
            Extern::Digest { receiver, data, .. } => self.reads(data.iter().chain([receiver]), flow, span),
            Extern::Clone { session, .. } => self.reads([session], flow, span),
            Extern::Truncate { length } => self.reads([length], flow, span),
            Extern::LogMessage { arguments, .. } => self.reads(arguments, flow, span),
            Extern::Assert { condition, .. } => self.reads([condition], flow, span),
            Extern::Psa(call) => self.reads(call.reads(), flow, span),
            Extern::ReadDirectMeter { .. }
            | Extern::Resubmit { .. }
            | Extern::Recirculate { .. }
            | Extern::Lengthen { .. } => {}
        }
    }
}

/// Notes the headers whose validity an expression tests.
fn tested(expr: &Expr, flow: &mut Flow) {
    match &expr.kind {
        ExprKind::IsValid(place) => {
            flow.valid.insert(Path::of(place));
        }
        ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } | ExprKind::Cast(of) => tested(of, flow),
        ExprKind::Binary(_, left, right) => {
            tested(left, flow);
            tested(right, flow);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            tested(condition, flow);
            tested(then, flow);
            tested(otherwise, flow);
        }
        ExprKind::Aggregate(items) => items.iter().for_each(|item| tested(item, flow)),
        ExprKind::Constant(_)
        | ExprKind::Invalid
        | ExprKind::PacketLength
        | ExprKind::Read(_)
        | ExprKind::LastIndex(_)
        | ExprKind::NextIndex(_)
        | ExprKind::SizeInBits(_) => {}
    }
}
