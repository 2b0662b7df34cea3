//! Random programs.

use std::sync::Arc;

use jettison_p4_front::ir::{
    ActionProfile, Extern, ExternInstance, FieldList, FieldListId, Function, FunctionId, FunctionKind,
    MatchKind, Parser, ParserId, Pipeline, Program, StmtKind, Table, TypeId, ValueSet,
};

use super::choices::Choices;
use super::stmt::{May, block_of};
use super::tables::Change;
use super::world::{ERRORS, NOWHERE, World};

/// State of the generator.
pub struct Generator<'a> {
    pub choices: Choices<'a>,
    pub world: World,
    pub functions: Vec<Function>,
    pub parsers: Vec<Parser>,
    pub tables: Vec<Table>,
    pub externs: Vec<ExternInstance>,
    pub profiles: Vec<ActionProfile>,
    pub value_set_keys: Vec<TypeId>,
    /// Whether statements and expressions of parsers are allowed.
    pub in_parser: bool,
    /// Parsers that may be called.
    pub sub_parsers: usize,
}

/// Generates a well-typed program and changes by the control plane. Each block of the pipeline first sends all visible
/// state as a digest.
pub fn program(numbers: &[u32]) -> (Arc<Program>, Vec<Change>) {
    let mut choices = Choices::new(numbers);
    let world = World::new(&mut choices);
    let mut generator = Generator {
        choices,
        world,
        functions: Vec::new(),
        parsers: Vec::new(),
        tables: Vec::new(),
        externs: Vec::new(),
        profiles: Vec::new(),
        value_set_keys: Vec::new(),
        in_parser: false,
        sub_parsers: 0,
    };
    generator.value_set_keys = vec![generator.world.bit8, generator.bits_type()];
    generator.declare_externs();
    generator.pieces()
}

impl Generator<'_> {
    fn pieces(mut self) -> (Arc<Program>, Vec<Change>) {
        // Functions, which parsers may call too, then actions, then controls. Each may call the earlier ones.
        let plain = May { returns: true, ..May::default() };
        for _ in 0..2 {
            self.function(FunctionKind::Function, May { call: self.functions.len(), ..plain }, 1);
        }
        let for_parsers = May { call: self.functions.len(), ..May::default() };
        self.declare_parsers(for_parsers);
        let first = self.functions.len();
        for _ in 0..3 {
            let may = May { call: self.functions.len(), exit: true, ..plain };
            self.function(FunctionKind::Action, may, 1);
        }
        self.declare_tables(first..self.functions.len());
        let whole = |generator: &Generator<'_>| May {
            call: generator.functions.len(),
            apply: generator.tables.len(),
            exit: true,
            ..plain
        };
        let may = whole(&self);
        self.function(FunctionKind::Control, may, 2);
        let mut blocks = Vec::new();
        for _ in 0..4 {
            let may = May { payload: true, ..whole(&self) };
            blocks.push(self.observed(may));
        }
        let may = May { emit: true, ..whole(&self) };
        let deparser = self.observed(may);
        self.functions[deparser.index()].body.push(super::world::stmt(StmtKind::Emit(
            jettison_p4_front::ir::Place::variable(self.world.headers, self.world.variables[0].ty),
        )));
        let changes = self.changes();
        (Arc::new(self.finish(&blocks, deparser)), changes)
    }

    fn function(&mut self, kind: FunctionKind, may: May, depth: u32) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        let body = self.block(may, depth);
        self.functions.push(Function { name: format!("function{}", id.0).into(), kind, body, span: NOWHERE });
        id
    }

    /// A control that first sends all visible state.
    fn observed(&mut self, may: May) -> FunctionId {
        let id = self.function(FunctionKind::Control, may, 3);
        let ty = self.world.bit32;
        let receiver = self.constant(999u32, ty);
        let digest = Extern::Digest { receiver, data: self.world.everything(), ty };
        let body = &mut self.functions[id.index()].body;
        body.splice(0..0, block_of([StmtKind::Extern(Box::new(digest))]));
        id
    }

    fn finish(mut self, blocks: &[FunctionId], deparser: FunctionId) -> Program {
        let mut field_lists = Vec::new();
        for _ in 0..2 {
            let ours: Vec<_> = (self.world.places.iter())
                .filter(|place| place.root == self.world.metadata || place.root == self.world.standard)
                .cloned()
                .collect();
            let places = (0..self.choices.below(4)).map(|_| self.choices.pick(&ours)).collect();
            field_lists.push(FieldList { places });
        }
        let keys = self.value_set_keys.iter().map(|ty| (*ty, MatchKind::Exact)).collect();
        Program {
            types: self.world.types,
            variables: self.world.variables,
            functions: self.functions,
            parsers: self.parsers,
            tables: self.tables,
            externs: self.externs,
            profiles: self.profiles,
            value_sets: vec![ValueSet { name: "set".into(), size: 4, keys }],
            field_lists,
            numbered_lists: [(1, FieldListId(0)), (2, FieldListId(1))].into_iter().collect(),
            reads_dequeue_rate: false,
            reads_qid: false,
            reads_packet_length: true,
            target: Default::default(),
            control_plane: Default::default(),
            errors: ERRORS.map(Arc::from).to_vec(),
            pipeline: Pipeline {
                headers: self.world.headers,
                metadata: self.world.metadata,
                standard_metadata: self.world.standard,
                parser: ParserId(1),
                verify_checksum: blocks[0],
                ingress: blocks[1],
                egress: blocks[2],
                compute_checksum: blocks[3],
                deparser,
                psa: None,
            },
        }
    }
}
