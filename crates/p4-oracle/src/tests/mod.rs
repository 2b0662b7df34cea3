//! The rules of the specification, one by one, on hand-made programs.

mod controls;
mod expressions;
mod parsers;

use std::sync::Arc;

use jettison_core::Seed;
use num_bigint::BigUint;

use super::Reference;
use jettison_p4_exec::{Block as Stage, Frame, Machine, Parsed, Plane, Standard};
use jettison_p4_front::ir::*;
use jettison_p4_front::source::{FileId, Span};

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// Builder of a program: a header `h` (`bit<8> a; bit<16> b`) in the struct of headers, a stack of three of them, a
/// header with a `varbit<32>` between two nibbles, a union of `h` and an 8-bit one; a `bit<32> x` in the metadata.
struct Maker {
    program: Program,
}

impl Maker {
    fn new() -> Maker {
        let mut types = Types::default();
        let bit = |types: &mut Types, width| types.add(Type::Bits { width, signed: false });
        let (bit4, bit8, bit16, bit32) =
            (bit(&mut types, 4), bit(&mut types, 8), bit(&mut types, 16), bit(&mut types, 32));
        let (error, varbit) = (types.add(Type::Error), types.add(Type::Varbit { max_width: 32 }));
        let composite = |types: &mut Types, kind, fields: &[(&str, TypeId)]| {
            let fields = fields.iter().map(|(name, ty)| Field { name: (*name).into(), ty: *ty }).collect();
            let id = types.add_composite(Composite { name: "C".into(), kind, fields });
            types.add(Type::Composite(id))
        };
        let h = composite(&mut types, CompositeKind::Header, &[("a", bit8), ("b", bit16)]);
        let v = composite(&mut types, CompositeKind::Header, &[("p", bit4), ("v", varbit), ("q", bit4)]);
        let small = composite(&mut types, CompositeKind::Header, &[("c", bit8)]);
        let union = composite(&mut types, CompositeKind::Union, &[("h", h), ("s", small)]);
        let stack = types.add(Type::Stack { element: h, size: 3 });
        let unions = types.add(Type::Stack { element: union, size: 2 });
        let headers = composite(
            &mut types,
            CompositeKind::Struct,
            &[("h", h), ("s", stack), ("v", v), ("u", union), ("us", unions)],
        );
        let metadata = composite(&mut types, CompositeKind::Struct, &[("x", bit32), ("y", bit8)]);
        let bit9 = bit(&mut types, 9);
        let standard = composite(
            &mut types,
            CompositeKind::Struct,
            &[("egress_spec", bit9), ("packet_length", bit32), ("parser_error", error)],
        );
        let variables = [("headers", headers), ("metadata", metadata), ("standard", standard)];
        let variables = variables.map(|(name, ty)| Variable { name: name.into(), ty }).to_vec();
        let names = ["verify", "ingress", "egress", "compute", "deparser"];
        let functions = names.map(|name| Function {
            name: name.into(),
            kind: FunctionKind::Control,
            body: Vec::new(),
            span: NOWHERE,
        });
        let errors = ["NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds", "HeaderTooShort"];
        let errors = errors.into_iter().chain(["ParserTimeout", "ParserInvalidArgument", "Mine"]);
        let program = Program {
            types,
            variables,
            functions: functions.to_vec(),
            parsers: Vec::new(),
            tables: Vec::new(),
            externs: Vec::new(),
            profiles: Vec::new(),
            value_sets: Vec::new(),
            field_lists: Vec::new(),
            numbered_lists: Default::default(),
            reads_dequeue_rate: false,
            reads_qid: false,
            reads_packet_length: true,
            target: Default::default(),
            control_plane: Default::default(),
            errors: errors.map(Arc::from).collect(),
            pipeline: Pipeline {
                headers: VarId(0),
                metadata: VarId(1),
                standard_metadata: VarId(2),
                parser: ParserId(0),
                verify_checksum: FunctionId(0),
                ingress: FunctionId(1),
                egress: FunctionId(2),
                compute_checksum: FunctionId(3),
                deparser: FunctionId(4),
                psa: None,
            },
        };
        let mut maker = Maker { program };
        maker.parser(vec![maker.state(Vec::new(), Transition::To(Target::Accept))]);
        maker
    }

    fn bits(&mut self, width: u32, signed: bool) -> TypeId {
        self.program.types.add(Type::Bits { width, signed })
    }

    fn bool(&mut self) -> TypeId {
        self.program.types.add(Type::Bool)
    }

    /// The place at a dotted path: `headers.h.a`, `headers.s[1].b`, `headers.s.next`.
    fn place(&self, path: &str) -> Place {
        let mut words = path.split(['.', '[']).map(|word| word.trim_end_matches(']'));
        let root = words.next().expect("a path starts with a variable");
        let variables = &self.program.variables;
        let root = variables.iter().position(|v| *v.name == *root).expect("a variable of the program");
        let mut place = Place::variable(VarId(root as u32), variables[root].ty);
        for word in words {
            let types = &self.program.types;
            let element = |ty| types.field(ty, 0);
            place = match word {
                "next" => place.step(Step::Next, element(place.ty)),
                "last" => place.step(Step::Last, element(place.ty)),
                _ => match word.parse::<u32>() {
                    Ok(index) => place.step(Step::Element(index), element(place.ty)),
                    Err(_) => {
                        let composite = types.as_composite(place.ty).expect("fields are of composites");
                        let field = composite.fields.iter().position(|field| *field.name == *word);
                        let field = field.expect("a field of the composite") as u32;
                        place.step(Step::Field(field), types.field(place.ty, field))
                    }
                },
            };
        }
        place
    }

    fn read(&self, path: &str) -> Expr {
        let place = self.place(path);
        Expr { ty: place.ty, kind: ExprKind::Read(place) }
    }

    fn constant(&mut self, value: u64, width: u32) -> Expr {
        let ty = self.bits(width, false);
        Expr { kind: ExprKind::Constant(BigUint::from(value)), ty }
    }

    fn set(&self, path: &str, value: u64) -> Stmt {
        let to = self.place(path);
        let value = Expr { kind: ExprKind::Constant(BigUint::from(value)), ty: to.ty };
        stmt(StmtKind::Assign { to, value })
    }

    /// `metadata.x = metadata.x * 10 + digit`: a trace of what has run.
    fn trace(&mut self, digit: u64) -> Stmt {
        let (ten, digit) = (self.constant(10, 32), self.constant(digit, 32));
        let product = self.binary(BinaryOp::Multiply, self.read("metadata.x"), ten);
        let value = self.binary(BinaryOp::Add, product, digit);
        stmt(StmtKind::Assign { to: self.place("metadata.x"), value })
    }

    fn binary(&self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr { ty: left.ty, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) }
    }

    fn compare(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let ty = self.bool();
        Expr { ty, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) }
    }

    fn function(&mut self, body: Block) -> FunctionId {
        let function = Function { name: "f".into(), kind: FunctionKind::Action, body, span: NOWHERE };
        self.program.functions.push(function);
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    fn state(&self, body: Block, next: Transition) -> State {
        State { name: "state".into(), body, next, span: NOWHERE }
    }

    /// Adds a parser; the last one is the pipeline's.
    fn parser(&mut self, states: Vec<State>) -> ParserId {
        let parser = Parser { name: "p".into(), before: Vec::new(), states, start: StateId(0) };
        self.program.parsers.push(parser);
        self.program.pipeline.parser = ParserId(self.program.parsers.len() as u32 - 1);
        self.program.pipeline.parser
    }

    /// Adds a parser with one accepting state.
    fn one_state(&mut self, body: Block) {
        let state = self.state(body, Transition::To(Target::Accept));
        self.parser(vec![state]);
    }

    fn ingress(&mut self, body: Block) {
        self.program.functions[1].body = body;
    }

    fn deparser(&mut self, paths: &[&str]) {
        let emits = paths.iter().map(|path| stmt(StmtKind::Emit(self.place(path))));
        self.program.functions[4].body = emits.collect();
    }

    fn test(self) -> Test {
        let program = Arc::new(self.program);
        let plane = Plane::new(&program, Seed(1).stream(&["reference"]));
        Test { machine: Reference::new(program.clone()), plane, program }
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: NOWHERE }
}

/// A running program.
struct Test {
    program: Arc<Program>,
    machine: Reference,
    plane: Plane,
}

impl Test {
    fn parse(&mut self, bytes: &[u8]) -> Parsed {
        self.machine.reset();
        self.machine.set_standard(Standard::PacketLength, bytes.len() as u64);
        self.plane.packet_bytes = bytes.len() as u64;
        self.machine.parse(Frame { bytes, zeros: 0 }, &mut self.plane)
    }

    fn error(&self, parsed: Parsed) -> Arc<str> {
        assert_eq!(self.machine.standard(Standard::ParserError), u64::from(parsed.error));
        self.program.errors[parsed.error as usize].clone()
    }

    fn ingress(&mut self) {
        self.machine.run(Stage::Ingress, Frame::default(), &mut self.plane);
    }

    fn deparse(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.machine.deparse(&mut out, &mut self.plane);
        out
    }

    /// A field of the metadata.
    fn metadata(&self, field: usize) -> u64 {
        super::value::low(self.machine.variables[1].parts()[field].bits())
    }
}
