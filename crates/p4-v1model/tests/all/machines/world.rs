//! The types and variables of a random program.

use std::sync::Arc;

use jettison_p4_exec::Standard;
use jettison_p4_front::ir::{
    Composite, CompositeKind, EnumId, Expr, ExprKind, Field, Place, Step, Stmt, StmtKind, Type, TypeId,
    Types, VarId, Variable,
};
use jettison_p4_front::source::{FileId, Span};

use super::choices::Choices;

pub const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// Types and variables, and all their places without computed steps.
pub struct World {
    pub types: Types,
    pub variables: Vec<Variable>,
    pub places: Vec<Place>,
    /// Scalar types of the fields.
    pub scalars: Vec<TypeId>,
    pub bool: TypeId,
    pub bit8: TypeId,
    pub bit32: TypeId,
    pub error: TypeId,
    pub enumeration: EnumId,
    /// Structs and headers with the same fields.
    pub twins: Vec<(TypeId, TypeId)>,
    pub headers: VarId,
    pub metadata: VarId,
    pub standard: VarId,
    /// Variables for the data of actions.
    pub data: Vec<VarId>,
}

pub const ERRORS: [&str; 9] = [
    "NoError",
    "PacketTooShort",
    "NoMatch",
    "StackOutOfBounds",
    "HeaderTooShort",
    "ParserTimeout",
    "ParserInvalidArgument",
    "Mine",
    "Yours",
];

const WIDTHS: [u32; 24] =
    [8, 1, 16, 32, 3, 7, 9, 13, 31, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 160, 191, 192, 200, 0];

impl World {
    pub fn new(choices: &mut Choices<'_>) -> World {
        let mut types = Types::default();
        let bits = |types: &mut Types, width, signed| types.add(Type::Bits { width, signed });
        let (bool, error) = (types.add(Type::Bool), types.add(Type::Error));
        let (bit8, bit32) = (bits(&mut types, 8, false), bits(&mut types, 32, false));
        let members = ["A", "B", "C"].map(Arc::from).to_vec();
        let enumeration = types.add_enum("E".into(), members);
        let mut scalars = vec![bit8, bit32, bool];
        for _ in 0..4 {
            let (width, signed) = (choices.pick(&WIDTHS), choices.once_in(3));
            scalars.push(bits(&mut types, width, signed));
        }
        let mut world = World {
            types,
            variables: Vec::new(),
            places: Vec::new(),
            scalars,
            bool,
            bit8,
            bit32,
            error,
            enumeration,
            twins: Vec::new(),
            headers: VarId(0),
            metadata: VarId(1),
            standard: VarId(2),
            data: Vec::new(),
        };
        world.declare(choices);
        world
    }

    fn declare(&mut self, choices: &mut Choices<'_>) {
        let scalars = self.scalars.clone();
        let fields = |choices: &mut Choices<'_>, extra: usize| {
            let count = 1 + choices.below(3) + extra;
            (0..count).map(|_| choices.pick(&scalars)).collect::<Vec<_>>()
        };
        let (a_fields, b_fields) = (fields(choices, 0), fields(choices, 0));
        let mut v_fields = fields(choices, 0);
        let metadata_fields = fields(choices, 4);
        let most = choices.pick(&[32, 8, 40, 64, 72, 128, 200]);
        let varbit = self.types.add(Type::Varbit { max_width: most });
        v_fields.insert(choices.below(v_fields.len() + 1), varbit);

        let a = self.composite("A", CompositeKind::Header, &a_fields);
        let b = self.composite("B", CompositeKind::Header, &b_fields);
        let v = self.composite("V", CompositeKind::Header, &v_fields);
        let twin = self.composite("SA", CompositeKind::Struct, &a_fields);
        let other = self.composite("TA", CompositeKind::Struct, &a_fields);
        self.twins = vec![(a, twin), (twin, other)];
        let union = self.composite("U", CompositeKind::Union, &[a, b]);
        let size = 1 + choices.below(4) as u32;
        let stack = self.types.add(Type::Stack { element: a, size });
        let unions = self.types.add(Type::Stack { element: union, size: 2 });
        let enumeration = self.types.add(Type::Enum(self.enumeration));
        let mixed = self.composite("S", CompositeKind::Struct, &[a_fields[0], a, self.error, enumeration]);
        let inner = self.composite("I", CompositeKind::Struct, &[b, a]);
        let headers = self.composite("H", CompositeKind::Struct, &[a, b, v, stack, union, unions, inner]);
        let mut parts = metadata_fields;
        parts.extend([mixed, self.error, enumeration, self.bool, stack]);
        let metadata = self.composite("M", CompositeKind::Struct, &parts);
        let standard = self.standard_metadata();

        self.headers = self.variable("headers", headers);
        self.metadata = self.variable("metadata", metadata);
        self.standard = self.variable("standard_metadata", standard);
        for ty in self.scalars.clone() {
            self.variable("local", ty);
        }
        for ty in [a, v, twin, other, mixed, stack, union, unions, varbit, self.error, enumeration] {
            self.variable("local", ty);
        }
        for _ in 0..3 {
            let ty = choices.pick(&self.scalars.clone());
            let variable = self.variable("data", ty);
            self.data.push(variable);
        }
        for index in 0..self.variables.len() {
            let place = Place::variable(VarId(index as u32), self.variables[index].ty);
            self.list(&place);
        }
    }

    fn standard_metadata(&mut self) -> TypeId {
        let width = |field| match field {
            Standard::IngressPort | Standard::EgressSpec | Standard::EgressPort => 9,
            Standard::EnqQdepth | Standard::DeqQdepth => 19,
            Standard::IngressGlobalTimestamp | Standard::EgressGlobalTimestamp => 48,
            Standard::McastGrp | Standard::EgressRid => 16,
            Standard::ChecksumError => 1,
            Standard::Priority => 3,
            _ => 32,
        };
        let fields = Standard::ALL.map(|field| {
            let ty = match field {
                Standard::ParserError => self.error,
                _ => self.types.add(Type::Bits { width: width(field), signed: false }),
            };
            Field { name: field.name().into(), ty }
        });
        let composite = Composite {
            name: "standard_metadata_t".into(),
            kind: CompositeKind::Struct,
            fields: fields.to_vec(),
        };
        let id = self.types.add_composite(composite);
        self.types.add(Type::Composite(id))
    }

    fn composite(&mut self, name: &str, kind: CompositeKind, fields: &[TypeId]) -> TypeId {
        let fields = fields.iter().enumerate();
        let fields = fields.map(|(i, ty)| Field { name: format!("f{i}").into(), ty: *ty }).collect();
        let id = self.types.add_composite(Composite { name: name.into(), kind, fields });
        self.types.add(Type::Composite(id))
    }

    /// Adds a variable; random statements write it only after it is listed.
    pub fn variable(&mut self, name: &str, ty: TypeId) -> VarId {
        let id = VarId(self.variables.len() as u32);
        self.variables.push(Variable { name: format!("{name}{}", id.0).into(), ty });
        id
    }

    fn list(&mut self, place: &Place) {
        self.places.push(place.clone());
        match self.types.get(place.ty) {
            Type::Stack { element, size } => {
                for i in 0..size {
                    self.list(&place.step(Step::Element(i), element));
                }
            }
            Type::Composite(id) => {
                let types: Vec<TypeId> =
                    self.types.composite(id).fields.iter().map(|field| field.ty).collect();
                for (i, ty) in types.into_iter().enumerate() {
                    self.list(&place.step(Step::Field(i as u32), ty));
                }
            }
            _ => {}
        }
    }

    /// All visible state: all scalars, header validities and stack indices.
    pub fn everything(&mut self) -> Vec<Expr> {
        let mut all = Vec::new();
        for place in self.places.clone() {
            let ty = place.ty;
            match self.types.get(ty) {
                Type::Stack { .. } => all.push(Expr { kind: ExprKind::NextIndex(place), ty: self.bit32 }),
                Type::Composite(_) if self.types.is_header(ty) => {
                    all.push(Expr { kind: ExprKind::IsValid(place.clone()), ty: self.bool });
                    all.push(Expr { kind: ExprKind::SizeInBits(place), ty: self.bit32 });
                }
                Type::Composite(_) => {}
                _ => all.push(Expr { kind: ExprKind::Read(place), ty }),
            }
        }
        all
    }
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: NOWHERE }
}
