//! Random expressions and places of a given type.

use jettison_p4_front::ir::{BinaryOp, CompositeKind, Expr, ExprKind, Place, Step, Type, TypeId, UnaryOp};
use num_bigint::BigUint;

use super::generator::Generator;

impl Generator<'_> {
    /// An expression of this type.
    pub fn expr(&mut self, ty: TypeId, depth: u32) -> Expr {
        let leaf = depth == 0 || self.choices.is_exhausted();
        match self.world.types.get(ty) {
            Type::Bool if !leaf => self.boolean(depth - 1),
            Type::Bits { width, signed } if !leaf => self.arithmetic(ty, width, signed, depth - 1),
            Type::Bool | Type::Bits { .. } | Type::Error | Type::Enum(_) => self.leaf(ty),
            Type::Varbit { .. } => match self.choices.once_in(3) && !leaf {
                false => self.read(ty).unwrap_or_else(|| panic!("there is a varbit")),
                true => self.conditional(ty, depth - 1),
            },
            Type::Stack { element, size } => match self.choices.below(4) {
                1 => Expr { kind: ExprKind::Invalid, ty },
                2 if !leaf => {
                    let parts = (0..size).map(|_| self.expr(element, depth - 1)).collect();
                    Expr { kind: ExprKind::Aggregate(parts), ty }
                }
                3 if !leaf => self.conditional(ty, depth - 1),
                _ => self.read_or_invalid(ty),
            },
            Type::Composite(id) => {
                let kind = self.world.types.composite(id).kind;
                let fields: Vec<TypeId> =
                    self.world.types.composite(id).fields.iter().map(|field| field.ty).collect();
                match self.choices.below(5) {
                    1 if kind != CompositeKind::Struct || leaf => Expr { kind: ExprKind::Invalid, ty },
                    2 if !leaf && kind != CompositeKind::Union => {
                        let parts = fields.into_iter().map(|field| self.expr(field, depth - 1)).collect();
                        Expr { kind: ExprKind::Aggregate(parts), ty }
                    }
                    3 if !leaf => self.conditional(ty, depth - 1),
                    4 if !leaf => match self.twin(ty) {
                        Some(twin) => {
                            let of = self.expr(twin, depth - 1);
                            Expr { kind: ExprKind::Cast(Box::new(of)), ty }
                        }
                        None => self.read_or_invalid(ty),
                    },
                    _ => self.read_or_invalid(ty),
                }
            }
        }
    }

    pub fn constant(&self, value: impl Into<BigUint>, ty: TypeId) -> Expr {
        Expr { kind: ExprKind::Constant(value.into()), ty }
    }

    fn leaf(&mut self, ty: TypeId) -> Expr {
        if self.choices.below(3) > 0
            && let Some(read) = self.read(ty)
        {
            return read;
        }
        let value = match self.world.types.get(ty) {
            Type::Bits { width, .. } => self.choices.bits(width),
            Type::Bool => self.choices.bits(1),
            Type::Enum(_) => BigUint::from(self.choices.below(3)),
            _ => BigUint::from(self.choices.below(super::world::ERRORS.len())),
        };
        self.constant(value, ty)
    }

    fn conditional(&mut self, ty: TypeId, depth: u32) -> Expr {
        let bool = self.world.bool;
        let condition = Box::new(self.expr(bool, depth));
        let (then, otherwise) = (Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth)));
        Expr { kind: ExprKind::Conditional(condition, then, otherwise), ty }
    }

    fn read(&mut self, ty: TypeId) -> Option<Expr> {
        self.place(ty).map(|place| Expr { kind: ExprKind::Read(place), ty })
    }

    fn read_or_invalid(&mut self, ty: TypeId) -> Expr {
        self.read(ty).unwrap_or(Expr { kind: ExprKind::Invalid, ty })
    }

    fn twin(&mut self, ty: TypeId) -> Option<TypeId> {
        let twins: Vec<TypeId> = (self.world.twins.iter())
            .filter_map(|(a, b)| if *a == ty { Some(*b) } else { (*b == ty).then_some(*a) })
            .collect();
        if twins.is_empty() { None } else { Some(self.choices.pick(&twins)) }
    }

    /// Any scalar type of bits.
    pub fn bits_type(&mut self) -> TypeId {
        let all: Vec<TypeId> = self.world.scalars.clone();
        let bits: Vec<TypeId> = all.into_iter().filter(|ty| *ty != self.world.bool).collect();
        self.choices.pick(&bits)
    }

    fn unsigned(&mut self) -> TypeId {
        let ty = self.bits_type();
        match self.world.types.get(ty) {
            Type::Bits { signed: false, .. } => ty,
            _ => self.world.bit8,
        }
    }

    /// A type with at least one place, for comparisons.
    fn any_type(&mut self) -> TypeId {
        let index = self.choices.below(self.world.places.len());
        self.world.places[index].ty
    }

    fn boolean(&mut self, depth: u32) -> Expr {
        let ty = self.world.bool;
        let kind = match self.choices.below(9) {
            0 => return self.leaf(ty),
            1 => ExprKind::Unary(UnaryOp::Not, Box::new(self.expr(ty, depth))),
            2 => {
                let op = self.choices.pick(&[BinaryOp::And, BinaryOp::Or]);
                self.both(op, ty, ty, depth)
            }
            3 | 4 => {
                let op = self.choices.pick(&[
                    BinaryOp::Less,
                    BinaryOp::LessOrEqual,
                    BinaryOp::Greater,
                    BinaryOp::GreaterOrEqual,
                ]);
                let of = self.bits_type();
                self.both(op, of, of, depth)
            }
            5 | 6 => {
                let op = self.choices.pick(&[BinaryOp::Equal, BinaryOp::NotEqual]);
                let of = self.any_type();
                self.both(op, of, of, depth)
            }
            7 => match self.place_where(|types, ty| {
                let kind = types.as_composite(ty).map(|composite| composite.kind);
                matches!(kind, Some(CompositeKind::Header | CompositeKind::Union))
            }) {
                Some(place) => ExprKind::IsValid(place),
                None => return self.leaf(ty),
            },
            _ => {
                let bit = self.world.types.add(Type::Bits { width: 1, signed: false });
                ExprKind::Cast(Box::new(self.expr(bit, depth)))
            }
        };
        Expr { kind, ty }
    }

    fn both(&mut self, op: BinaryOp, left: TypeId, right: TypeId, depth: u32) -> ExprKind {
        let (left, right) = (self.expr(left, depth), self.expr(right, depth));
        ExprKind::Binary(op, Box::new(left), Box::new(right))
    }

    fn arithmetic(&mut self, ty: TypeId, width: u32, signed: bool, depth: u32) -> Expr {
        let kind = match self.choices.below(13) {
            0 => return self.leaf(ty),
            1 => {
                let op = self.choices.pick(&[UnaryOp::Complement, UnaryOp::Negate]);
                ExprKind::Unary(op, Box::new(self.expr(ty, depth)))
            }
            2 | 3 => {
                let op = self.choices.pick(&[
                    BinaryOp::Add,
                    BinaryOp::Subtract,
                    BinaryOp::Multiply,
                    BinaryOp::AddSaturating,
                    BinaryOp::SubtractSaturating,
                ]);
                self.both(op, ty, ty, depth)
            }
            4 => {
                let op = self.choices.pick(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor]);
                self.both(op, ty, ty, depth)
            }
            5 if !signed => {
                let op = self.choices.pick(&[BinaryOp::Divide, BinaryOp::Modulo]);
                self.both(op, ty, ty, depth)
            }
            6 | 7 => {
                let op = self.choices.pick(&[BinaryOp::ShiftLeft, BinaryOp::ShiftRight]);
                let by = self.unsigned();
                self.both(op, ty, by, depth)
            }
            8 if width >= 2 => {
                let low = 1 + self.choices.below(width as usize - 1) as u32;
                let right = self.world.types.add(Type::Bits { width: low, signed: false });
                let left = self.world.types.add(Type::Bits { width: width - low, signed });
                self.both(BinaryOp::Concat, left, right, depth)
            }
            9 => return self.conditional(ty, depth),
            10 if width >= 1 && !signed => {
                let extra = self.choices.pick(&[0, 1, 7, 8, 24, 64, 100]);
                let low = self.choices.below(extra as usize + 1) as u32;
                let wider = self.world.types.add(Type::Bits { width: width + extra, signed: false });
                let of = if self.choices.below(2) == 0 { self.wide_enough(width + low) } else { wider };
                let of = Box::new(self.expr(of, depth));
                ExprKind::Slice { of, high: low + width - 1, low }
            }
            11 => {
                let from = match width == 1 && !signed && self.choices.below(2) == 0 {
                    true => self.world.bool,
                    false => self.bits_type(),
                };
                ExprKind::Cast(Box::new(self.expr(from, depth)))
            }
            12 if ty == self.world.bit32 => return self.query(depth),
            _ => return self.leaf(ty),
        };
        Expr { kind, ty }
    }

    /// A type of the pool with at least this width, or a new one.
    fn wide_enough(&mut self, width: u32) -> TypeId {
        let found = self
            .world
            .scalars
            .iter()
            .copied()
            .find(|ty| *ty != self.world.bool && self.world.types.bits(*ty) >= width);
        found.unwrap_or_else(|| self.world.types.add(Type::Bits { width, signed: false }))
    }

    /// A property of a stack, a header or the packet: `bit<32>`.
    fn query(&mut self, depth: u32) -> Expr {
        let ty = self.world.bit32;
        let stack = |types: &jettison_p4_front::ir::Types, ty| matches!(types.get(ty), Type::Stack { .. });
        let kind = match self.choices.below(4) {
            0 => self.place_where(stack).map(ExprKind::NextIndex),
            1 => self.place_where(stack).map(ExprKind::LastIndex),
            2 => self.place_where(|types, ty| types.is_header(ty)).map(ExprKind::SizeInBits),
            _ => self.in_parser.then_some(ExprKind::PacketLength),
        };
        match kind {
            Some(kind) => Expr { kind, ty },
            None => self.expr(ty, depth),
        }
    }

    /// A place of this type, perhaps by a computed index.
    pub fn place(&mut self, ty: TypeId) -> Option<Place> {
        self.place_where(|_, other| other == ty)
    }

    pub fn place_where(
        &mut self,
        wanted: impl Fn(&jettison_p4_front::ir::Types, TypeId) -> bool,
    ) -> Option<Place> {
        let types = &self.world.types;
        let fitting: Vec<usize> =
            (0..self.world.places.len()).filter(|i| wanted(types, self.world.places[*i].ty)).collect();
        if fitting.is_empty() {
            return None;
        }
        let index = self.choices.pick(&fitting);
        let mut place = self.world.places[index].clone();
        for step in &mut place.steps {
            let Step::Element(at) = *step else { continue };
            *step = match self.choices.below(8) {
                5 | 6 => Step::Index(Box::new(self.index(at))),
                7 if self.in_parser && self.choices.once_in(3) => Step::Last,
                4 if self.in_parser && self.choices.once_in(8) => Step::Next,
                _ => continue,
            };
        }
        Some(place)
    }

    fn index(&mut self, at: u32) -> Expr {
        let ty = self.unsigned();
        if self.choices.below(2) == 0 {
            let fits = self.world.types.bits(ty) >= 3;
            return self.constant(if fits { at } else { 0 }, ty);
        }
        let of = self.expr(ty, 1);
        if self.choices.below(4) == 0 {
            return of;
        }
        let mask = self.constant(if self.world.types.bits(ty) >= 3 { 3u8 } else { 0 }, ty);
        Expr { kind: ExprKind::Binary(BinaryOp::BitAnd, Box::new(of), Box::new(mask)), ty }
    }
}
