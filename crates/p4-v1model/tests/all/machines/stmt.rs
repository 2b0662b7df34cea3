//! Random statements.

use jettison_p4_front::ir::{
    BinaryOp, Block, CompositeKind, Expr, ExprKind, FunctionId, Place, Step, Stmt, StmtKind, SwitchCase,
    TableId, Type, TypeId,
};
use num_bigint::BigUint;

use super::generator::Generator;
use super::world::stmt;

/// Allowed content of a block.
#[derive(Debug, Clone, Copy, Default)]
pub struct May {
    /// Callable functions: those before this number.
    pub call: usize,
    /// Applicable tables: those before this number.
    pub apply: usize,
    pub exit: bool,
    pub returns: bool,
    pub emit: bool,
    /// Whether checksums with a payload are allowed.
    pub payload: bool,
    /// Whether the block is in a loop.
    pub in_loop: bool,
}

impl Generator<'_> {
    /// A random block.
    pub fn block(&mut self, may: May, depth: u32) -> Block {
        let most = if depth == 0 { 2 } else { 5 };
        let count = self.choices.below(most + 1);
        let mut block = Vec::new();
        for _ in 0..count {
            if !self.choices.is_exhausted() {
                self.stmt(may, depth, &mut block);
            }
        }
        block
    }

    fn stmt(&mut self, may: May, depth: u32, block: &mut Block) {
        let nested = depth > 0;
        let kind = match self.choices.below(24) {
            6 => self.assign_slice(),
            7 => self.some_place().map(StmtKind::Reset),
            8 | 9 => self.validity(block),
            10 | 11 => self.shift_stack(),
            12 | 13 if nested => {
                let condition = self.condition(2);
                let (then, otherwise) = (self.block(may, depth - 1), self.block(may, depth - 1));
                Some(StmtKind::If { condition, then, otherwise })
            }
            14 if nested => Some(self.switch(may, depth - 1)),
            15 if nested => Some(self.looping(may, depth - 1, block)),
            16 => match self.choices.below(4) {
                0 if may.in_loop => Some(StmtKind::Break),
                1 if may.in_loop => Some(StmtKind::Continue),
                2 if may.returns => Some(StmtKind::Return),
                3 if may.exit => Some(StmtKind::Exit),
                _ => None,
            },
            17 if may.call > 0 => {
                let function = FunctionId(self.choices.below(may.call) as u32);
                let after = self.block(May { emit: may.emit, ..May::default() }, 0);
                Some(StmtKind::Call { function, after })
            }
            18 if may.apply > 0 => Some(self.apply(may.apply)),
            19..=21 => {
                // Arguments are evaluated before the call, so they must not contain a `last` that may fail.
                let in_parser = std::mem::take(&mut self.in_parser);
                let kind = self.external(may);
                self.in_parser = in_parser;
                kind
            }
            22 if may.emit => self.emit(),
            23 if self.in_parser => self.packet_stmt(block),
            _ => self.assign(),
        };
        if let Some(kind) = kind.or_else(|| self.assign()) {
            block.push(stmt(kind));
        }
    }

    pub fn condition(&mut self, depth: u32) -> Expr {
        let bool = self.world.bool;
        self.expr(bool, depth)
    }

    fn some_place(&mut self) -> Option<Place> {
        self.place_where(|_, _| true)
    }

    fn assign(&mut self) -> Option<StmtKind> {
        // Half of the assignments are to scalars.
        let scalars = self.choices.below(2) == 0;
        let to = self.place_where(|types, ty| !scalars || !matches!(types.get(ty), Type::Composite(_)))?;
        let value = self.expr(to.ty, 3);
        Some(StmtKind::Assign { to, value })
    }

    fn assign_slice(&mut self) -> Option<StmtKind> {
        let to = self.place_where(|types, ty| matches!(types.get(ty), Type::Bits { width: 1.., .. }))?;
        let width = self.world.types.bits(to.ty);
        let low = self.choices.below(width as usize) as u32;
        let high = low + self.choices.below((width - low) as usize) as u32;
        let ty = self.world.types.add(Type::Bits { width: high - low + 1, signed: false });
        let value = self.expr(ty, 2);
        Some(StmtKind::AssignSlice { to, high, low, value })
    }

    /// A validity statement. For a union's member, earlier statements invalidate the other members, as in the front
    /// end.
    fn validity(&mut self, block: &mut Block) -> Option<StmtKind> {
        let place = self.place_where(|types, ty| types.is_header(ty))?;
        if self.choices.once_in(3) {
            return Some(StmtKind::SetInvalid(place));
        }
        self.invalidate_others(&place, block);
        Some(StmtKind::SetValid(place))
    }

    pub fn invalidate_others(&mut self, place: &Place, block: &mut Block) {
        let Some(Step::Field(chosen)) = place.steps.last().cloned() else { return };
        let mut parent = place.clone();
        parent.steps.pop();
        parent.ty = self.type_of(&parent);
        let Some(composite) = self.world.types.as_composite(parent.ty) else { return };
        if composite.kind != CompositeKind::Union {
            return;
        }
        let members: Vec<TypeId> = composite.fields.iter().map(|field| field.ty).collect();
        for (i, ty) in members.into_iter().enumerate() {
            if i as u32 != chosen {
                block.push(stmt(StmtKind::SetInvalid(parent.step(Step::Field(i as u32), ty))));
            }
        }
    }

    pub fn type_of(&self, place: &Place) -> TypeId {
        let mut ty = self.world.variables[place.root.index()].ty;
        for step in &place.steps {
            ty = self.world.types.field(ty, if let Step::Field(field) = step { *field } else { 0 });
        }
        ty
    }

    fn shift_stack(&mut self) -> Option<StmtKind> {
        let place = self.place_where(|types, ty| matches!(types.get(ty), Type::Stack { .. }))?;
        let count = self.choices.below(6) as u32;
        Some(match self.choices.below(2) {
            0 => StmtKind::PushFront(place, count),
            _ => StmtKind::PopFront(place, count),
        })
    }

    fn switch(&mut self, may: May, depth: u32) -> StmtKind {
        let ty = match self.choices.below(4) {
            0 | 1 => self.bits_type(),
            2 => self.world.bool,
            _ => self.world.error,
        };
        let on = self.expr(ty, 2);
        let mut cases: Vec<SwitchCase> = Vec::new();
        for _ in 0..self.choices.below(4) {
            let mut values = Vec::new();
            for _ in 0..=self.choices.below(2) {
                let value = match self.world.types.get(ty) {
                    Type::Bits { width, .. } => self.choices.bits(width),
                    Type::Bool => self.choices.bits(1),
                    _ => BigUint::from(self.choices.below(9)),
                };
                let known = cases.iter().any(|case| case.values.contains(&value)) || values.contains(&value);
                if !known {
                    values.push(value);
                }
            }
            let body = self.block(may, depth);
            cases.push(SwitchCase { values, body });
        }
        StmtKind::Switch { on, cases, default: self.block(may, depth) }
    }

    /// A loop of a few iterations, with a counter that nothing else writes.
    fn looping(&mut self, may: May, depth: u32, block: &mut Block) -> StmtKind {
        let ty = self.world.bit8;
        let counter = Place::variable(self.world.variable("rounds", ty), ty);
        block.push(stmt(StmtKind::Reset(counter.clone())));
        let read = Expr { kind: ExprKind::Read(counter.clone()), ty };
        let rounds = self.choices.below(4);
        let most = self.constant(rounds, ty);
        let kind = ExprKind::Binary(BinaryOp::Less, Box::new(read.clone()), Box::new(most));
        let mut condition = Expr { kind, ty: self.world.bool };
        if self.choices.once_in(3) {
            let more = self.condition(1);
            let kind = ExprKind::Binary(BinaryOp::And, Box::new(condition), Box::new(more));
            condition = Expr { kind, ty: self.world.bool };
        }
        let plain = May { emit: may.emit, ..May::default() };
        let before = if self.choices.once_in(3) { self.block(plain, 0) } else { Vec::new() };
        let mut update = if self.choices.once_in(3) { self.block(plain, 0) } else { Vec::new() };
        let one = self.constant(1u8, ty);
        let kind = ExprKind::Binary(BinaryOp::Add, Box::new(read), Box::new(one));
        update.push(stmt(StmtKind::Assign { to: counter, value: Expr { kind, ty } }));
        let body = self.block(May { in_loop: true, ..may }, depth);
        StmtKind::Loop { before, condition, body, update }
    }

    fn apply(&mut self, tables: usize) -> StmtKind {
        let table = TableId(self.choices.below(tables) as u32);
        let (bool, bit32) = (self.world.bool, self.world.bit32);
        let variable = |generator: &Generator<'_>, ty| {
            let place = generator.world.places.iter().find(|place| place.ty == ty && place.steps.is_empty());
            place.map(|place| place.root)
        };
        let hit = if self.choices.below(2) == 1 { variable(self, bool) } else { None };
        let action = if self.choices.below(2) == 1 { variable(self, bit32) } else { None };
        StmtKind::Apply { table, hit, action }
    }

    fn emit(&mut self) -> Option<StmtKind> {
        self.place_where(|types, ty| matches!(types.get(ty), Type::Composite(_) | Type::Stack { .. }))
            .map(StmtKind::Emit)
    }
}

/// Statements of these kinds.
pub fn block_of(kinds: impl IntoIterator<Item = StmtKind>) -> Vec<Stmt> {
    kinds.into_iter().map(stmt).collect()
}
