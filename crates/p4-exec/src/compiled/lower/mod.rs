//! Lowering of the elaborated program to [`Code`].

mod expr;
mod external;
mod fold;
pub(super) mod pack;
mod parser;
mod place;
mod psa;
mod stmt;
mod table;
mod uses;
mod wide;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::code::{Code, Errors, NONE, Op};
use super::layout::Layout;
use crate::Standard;
use crate::table::words_for;
use jettison_p4_front::ir::{FunctionId, ParserId, Program, TableId, TypeId};
use uses::Uses;

/// A jump target, before its address is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(u32);

/// Jump targets of a function's statements.
#[derive(Debug, Clone, Copy)]
struct Scope {
    end: Label,
}

/// Jump targets of `break` and `continue`.
#[derive(Debug, Clone, Copy)]
struct LoopLabels {
    next: Label,
    end: Label,
}

/// State of the lowering.
pub(super) struct Lowering<'p> {
    program: &'p Program,
    pub layout: Layout<'p>,
    code: Code,
    uses: Uses,
    /// Address of each label, once placed.
    labels: Vec<u32>,
    next_slot: u32,
    constants: FxHashMap<Box<[u64]>, u32>,
    /// Free temporaries by size.
    free: FxHashMap<u32, Vec<u32>>,
    /// Temporaries of the current statement, with their sizes.
    in_use: Vec<(u32, u32)>,
    /// Functions and parsers that are not inlined, and those whose code is still to be generated.
    functions: FxHashMap<FunctionId, Label>,
    functions_pending: Vec<FunctionId>,
    parsers: FxHashMap<ParserId, Label>,
    parsers_pending: Vec<ParserId>,
    /// Actions of tables, likewise.
    table_actions: FxHashMap<(TableId, u32), Label>,
    table_actions_pending: Vec<(TableId, u32)>,
    scopes: Vec<Scope>,
    loops: Vec<LoopLabels>,
    /// Slot of the flag that `exit` sets.
    exited: u32,
    /// Slot of the counter of loop iterations in one run of a block.
    iteration_count: u32,
}

/// Compiles a program; the layout gives the slots of its variables.
pub(super) fn lower(program: &Program) -> (Code, Layout<'_>) {
    let mut lowering = Lowering::new(program);
    let pipeline = &program.pipeline;
    lowering.code.entries.parser = lowering.top_parser(pipeline.parser).0;
    let blocks = [pipeline.verify_checksum, pipeline.ingress, pipeline.egress, pipeline.compute_checksum];
    for (index, function) in blocks.into_iter().enumerate() {
        lowering.code.entries.blocks[index] = lowering.top_control(function).0;
    }
    lowering.code.entries.deparser = lowering.top_control(pipeline.deparser).0;
    if let Some(psa) = &pipeline.psa {
        lowering.code.entries.deparser_at_ingress = lowering.top_control(psa.deparser).0;
        lowering.code.entries.parser_at_egress = lowering.top_parser(psa.parser).0;
    } else {
        lowering.code.entries.deparser_at_ingress = lowering.code.entries.deparser;
        lowering.code.entries.parser_at_egress = lowering.code.entries.parser;
    }
    lowering.lower_pending();
    lowering.finish()
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program) -> Lowering<'p> {
        let mut lowering = Lowering {
            program,
            layout: Layout::new(&program.types),
            code: Code::default(),
            uses: Uses::new(program),
            labels: Vec::new(),
            next_slot: 0,
            constants: FxHashMap::default(),
            free: FxHashMap::default(),
            in_use: Vec::new(),
            functions: FxHashMap::default(),
            functions_pending: Vec::new(),
            parsers: FxHashMap::default(),
            parsers_pending: Vec::new(),
            table_actions: FxHashMap::default(),
            table_actions_pending: Vec::new(),
            scopes: Vec::new(),
            loops: Vec::new(),
            exited: 0,
            iteration_count: 0,
        };
        lowering.lay_out();
        lowering.code.errors = lowering.errors();
        lowering.code.numbered_lists = vec![None; 256];
        for (number, list) in &program.numbered_lists {
            lowering.code.numbered_lists[usize::from(*number)] = Some(*list);
        }
        lowering
    }

    /// Assigns slots. The packet's state comes first and is contiguous; the data of each action is contiguous, so that
    /// an apply copies it at once.
    fn lay_out(&mut self) {
        let program = self.program;
        self.layout.slots = vec![NONE; program.variables.len()];
        let pipeline = &program.pipeline;
        let state = [pipeline.headers, pipeline.metadata, pipeline.standard_metadata];
        let data = program.tables.iter().flat_map(|table| &table.actions).flat_map(|action| &action.data);
        let all = (0..program.variables.len() as u32).map(jettison_p4_front::ir::VarId);
        for var in state.into_iter().chain(data.map(|(_, var)| *var)).chain(all) {
            if self.layout.slots[var.index()] == NONE {
                self.layout.slots[var.index()] = self.next_slot;
                self.next_slot += self.layout.words(program.variables[var.index()].ty);
            }
        }
        self.exited = self.next_slot;
        self.iteration_count = self.next_slot + 1;
        self.next_slot += 2;
        self.code.cleared = self.next_slot as usize;
    }

    /// Slot and type of a field of the standard metadata.
    pub fn standard_slot(&self, field: Standard) -> Option<(u32, TypeId)> {
        self.layout.standard(self.program, field)
    }

    fn errors(&self) -> Errors {
        let index = |name: &str| {
            let index = self.program.errors.iter().position(|error| **error == *name);
            index.unwrap_or(0) as u32
        };
        Errors {
            packet_too_short: index("PacketTooShort"),
            no_match: index("NoMatch"),
            stack_out_of_bounds: index("StackOutOfBounds"),
            header_too_short: index("HeaderTooShort"),
            parser_timeout: index("ParserTimeout"),
            parser_invalid_argument: index("ParserInvalidArgument"),
        }
    }

    /// Generates the code of functions and parsers that are called but have none yet.
    fn lower_pending(&mut self) {
        loop {
            if let Some(function) = self.functions_pending.pop() {
                let label = self.functions[&function];
                self.place(label);
                self.body(function);
                self.emit(Op::Return);
            } else if let Some(action) = self.table_actions_pending.pop() {
                let label = self.table_actions[&action];
                self.place(label);
                self.table_action(action);
            } else if let Some(parser) = self.parsers_pending.pop() {
                let label = self.parsers[&parser];
                self.place(label);
                self.parser(parser, Op::Return);
            } else {
                return;
            }
        }
    }

    /// Replaces labels by addresses.
    fn finish(mut self) -> (Code, Layout<'p>) {
        let labels = self.labels;
        let address = |label: u32| labels[label as usize];
        let code = &mut self.code;
        for target in code.ops.iter_mut().filter_map(Op::target_mut) {
            *target = address(*target);
        }
        thread_jumps(&mut code.ops);
        for switch in &mut code.switches {
            switch.default = address(switch.default);
            switch.cases.iter_mut().for_each(|(_, target)| *target = address(*target));
        }
        for action in code.applies.iter_mut().flat_map(|apply| &mut apply.actions) {
            if action.code != NONE {
                action.code = address(action.code);
            }
        }
        let entries = &mut code.entries;
        entries.parser = address(entries.parser);
        entries.deparser = address(entries.deparser);
        entries.parser_at_egress = address(entries.parser_at_egress);
        entries.deparser_at_ingress = address(entries.deparser_at_ingress);
        entries.blocks = entries.blocks.map(address);
        code.words = self.next_slot as usize;
        code.constants.extend(
            self.constants
                .iter()
                .flat_map(|(words, slot)| words.iter().zip(*slot..).map(|(word, slot)| (slot, *word))),
        );
        code.constants.sort_unstable();
        (self.code, self.layout)
    }

    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
    }

    fn label(&mut self) -> Label {
        self.labels.push(NONE);
        Label(self.labels.len() as u32 - 1)
    }

    /// Places a label at the next instruction.
    fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.code.ops.len() as u32;
    }

    fn jump(&mut self, to: Label) {
        self.emit(Op::Jump { to: to.0 });
    }

    /// Allocates slots for the program's whole lifetime.
    fn permanent(&mut self, words: u32) -> u32 {
        let slot = self.next_slot;
        self.next_slot += words;
        slot
    }

    /// Allocates slots for the current statement.
    fn temporary(&mut self, words: u32) -> u32 {
        let free = self.free.get_mut(&words).and_then(Vec::pop);
        let slot = free.unwrap_or_else(|| self.permanent(words));
        self.in_use.push((slot, words));
        slot
    }

    /// Frees the temporaries allocated since `mark`.
    fn release(&mut self, mark: usize) {
        for (slot, words) in self.in_use.drain(mark..) {
            self.free.entry(words).or_default().push(slot);
        }
    }

    fn constant(&mut self, value: u64) -> u32 {
        self.constant_words(&[value])
    }

    fn constant_words(&mut self, words: &[u64]) -> u32 {
        if let Some(slot) = self.constants.get(words) {
            return *slot;
        }
        let slot = self.permanent(words.len() as u32);
        self.constants.insert(words.into(), slot);
        slot
    }

    fn constant_bits(&mut self, value: &BigUint, width: u32) -> u32 {
        let mut words: Vec<u64> = value.iter_u64_digits().collect();
        words.resize(words_for(width), 0);
        self.constant_words(&words)
    }

    fn zeros(&mut self, words: u32) -> u32 {
        self.constant_words(&vec![0; words as usize])
    }

    /// Emits a copy of words; source and destination may overlap.
    fn copy(&mut self, to: u32, from: u32, count: u32) {
        match count {
            _ if to == from => {}
            0 => {}
            1 => self.emit(Op::Copy { to, from }),
            _ => self.emit(Op::CopyMany { to, from, count }),
        }
    }
}

/// Replaces a jump to a jump by a jump to the final target, and a jump to the end by the end.
fn thread_jumps(ops: &mut [Op]) {
    for index in 0..ops.len() {
        let mut op = ops[index];
        if let Some(target) = op.target_mut() {
            // The code length bounds any cycle of jumps.
            for _ in 0..ops.len() {
                match ops.get(*target as usize) {
                    Some(Op::Jump { to }) if to != target => *target = *to,
                    _ => break,
                }
            }
        }
        if let Op::Jump { to } = op
            && let Some(last @ (Op::End | Op::Return)) = ops.get(to as usize)
        {
            op = *last;
        }
        ops[index] = op;
    }
}
