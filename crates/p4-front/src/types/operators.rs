//! Operators and casts.

use num_bigint::Sign;
use num_traits::{ToPrimitive, Zero};

use super::Checker;
use super::constant::wrap;
use super::emit::may_fail;
use super::ty::Ty;
use super::value::{Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, ExprKind as Ir, StmtKind};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, UnaryOp};

impl<'a> Checker<'a> {
    pub(super) fn unary(&mut self, operator: UnaryOp, of: &'a Expr, span: Span) -> Option<Value> {
        let mut value = self.operand(of)?;
        if matches!(value.ty, Ty::Serializable(_)) {
            value.ty = self.types.base(&value.ty);
        }
        let ty = value.ty.clone();
        let folded = match (operator, &value.kind, &ty) {
            (UnaryOp::Not, Kind::Bool(value), _) => Some(Kind::Bool(!value)),
            (UnaryOp::Not, _, Ty::Bool) => None,
            (UnaryOp::Plus, _, Ty::InfInt | Ty::Bit(_) | Ty::Int(_)) => return Some(value),
            (UnaryOp::Minus, Kind::Int(number), Ty::InfInt | Ty::Bit(_) | Ty::Int(_)) => {
                Some(Kind::Int(wrap(&-number, &ty)))
            }
            (UnaryOp::Complement, Kind::Int(number), Ty::Bit(_) | Ty::Int(_)) => {
                Some(Kind::Int(wrap(&!number, &ty)))
            }
            (UnaryOp::Minus | UnaryOp::Complement, _, Ty::Bit(_) | Ty::Int(_)) => None,
            _ => {
                let shown = self.types.show(&ty);
                return self.error(span, format!("operator is not defined for `{shown}`"));
            }
        };
        if let Some(kind) = folded {
            return Some(Value::new(ty, kind));
        }
        let operator = match operator {
            UnaryOp::Not => ir::UnaryOp::Not,
            UnaryOp::Complement => ir::UnaryOp::Complement,
            _ => ir::UnaryOp::Negate,
        };
        let of = Box::new(self.lower(&value, span)?);
        self.value(ty, Ir::Unary(operator, of), span)
    }

    pub(super) fn binary(
        &mut self,
        operator: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        span: Span,
    ) -> Option<Value> {
        if matches!(operator, BinaryOp::And | BinaryOp::Or) {
            return self.logical(operator, left, right, span);
        }
        let (l, r) = self.pair(span, |checker| checker.operand(left), |checker| checker.operand(right))?;
        self.operate(operator, l, r, left.span, right.span, span)
    }

    /// Elaborates an operator on two values.
    pub(super) fn operate(
        &mut self,
        operator: BinaryOp,
        left: Value,
        right: Value,
        left_span: Span,
        right_span: Span,
        span: Span,
    ) -> Option<Value> {
        match operator {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shift(operator, left, right, right_span, span),
            BinaryOp::Concat => self.concat(left, right, left_span, right_span, span),
            BinaryOp::Equal | BinaryOp::NotEqual => self.equality(operator, left, right, span),
            _ => {
                let (left, right) = self.same_integers(left, right, span)?;
                self.arithmetic(operator, left, right, right_span, span)
            }
        }
    }

    /// Elaborates `&&` and `||`: side effects of the right operand occur only if it is evaluated.
    fn logical(&mut self, operator: BinaryOp, left: &'a Expr, right: &'a Expr, span: Span) -> Option<Value> {
        let is_and = operator == BinaryOp::And;
        let l = self.condition(left);
        let (r, block) = self.block_of(|checker| checker.condition(right));
        let (l, r) = (l?, r?);
        if let Kind::Bool(known) = l.kind {
            if known == is_and {
                self.out.extend(block);
                return Some(r);
            }
            return Some(l);
        }
        let l = self.lower(&l, span)?;
        let r = self.lower(&r, span)?;
        if block.is_empty() && !may_fail(&r) {
            let operator = if is_and { ir::BinaryOp::And } else { ir::BinaryOp::Or };
            return self.value(Ty::Bool, Ir::Binary(operator, Box::new(l), Box::new(r)), span);
        }
        let result = self.saved(span, l);
        let condition = ir::Expr { kind: Ir::Read(result.clone()), ty: result.ty };
        let mut block = block;
        block.push(ir::Stmt { kind: StmtKind::Assign { to: result.clone(), value: r }, span });
        let (then, otherwise) = if is_and { (block, Vec::new()) } else { (Vec::new(), block) };
        self.emit(span, StmtKind::If { condition, then, otherwise });
        Some(self.read(result, Ty::Bool))
    }

    /// Elaborates `condition ? then : otherwise`.
    pub(super) fn conditional(
        &mut self,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
        span: Span,
    ) -> Option<Value> {
        let condition = self.condition(condition);
        let (a, mut then_block) = self.block_of(|checker| checker.operand(then));
        let (b, mut else_block) = self.block_of(|checker| checker.operand(otherwise));
        let (condition, a, b) = (condition?, a?, b?);
        let (a, b) = self.same_types(a, b, span)?;
        if let Kind::Bool(known) = condition.kind {
            let (value, block) = if known { (a, then_block) } else { (b, else_block) };
            self.out.extend(block);
            return Some(value);
        }
        if a.ty == Ty::InfInt {
            return self.error(span, "at least one of the values requires a width, as in `8w5`");
        }
        let ty = a.ty.clone();
        let condition = self.lower(&condition, span)?;
        let (a, b) = (self.lower(&a, span)?, self.lower(&b, span)?);
        if then_block.is_empty() && else_block.is_empty() && !may_fail(&a) && !may_fail(&b) {
            let kind = Ir::Conditional(Box::new(condition), Box::new(a), Box::new(b));
            return self.value(ty, kind, span);
        }
        let id = self.lower_ty(&ty, span)?;
        let result = self.temporary(id);
        let assign = |value| ir::Stmt { kind: StmtKind::Assign { to: result.clone(), value }, span };
        then_block.push(assign(a));
        else_block.push(assign(b));
        self.emit(span, StmtKind::If { condition, then: then_block, otherwise: else_block });
        Some(self.read(result, ty))
    }

    /// Converts two values to one type: literals adapt to the other operand.
    pub(super) fn same_types(&mut self, left: Value, right: Value, span: Span) -> Option<(Value, Value)> {
        let untyped = |value: &Value| {
            matches!(value.kind, Kind::List { .. } | Kind::Record { .. } | Kind::Dots)
                || (matches!(value.kind, Kind::Invalid) && value.ty == Ty::Any)
        };
        if left.ty == right.ty && !untyped(&left) && !untyped(&right) {
            return Some((left, right));
        }
        if let (Kind::List { items: l, rest: false }, Kind::List { items: r, rest: false }) =
            (&left.kind, &right.kind)
            && l.len() == r.len()
        {
            let pairs: Option<Vec<(Value, Value)>> =
                l.iter().zip(r).map(|(l, r)| self.same_types(l.clone(), r.clone(), span)).collect();
            let (l, r): (Vec<Value>, Vec<Value>) = pairs?.into_iter().unzip();
            let ty = Ty::Tuple(l.iter().map(|item| item.ty.clone()).collect());
            return Some((Value::new(ty.clone(), Kind::Fields(l)), Value::new(ty, Kind::Fields(r))));
        }
        match (untyped(&left), untyped(&right)) {
            (true, true) => {
                let ty = left.ty.clone();
                let right = self.convert(right, &ty, span)?;
                Some((self.convert(left, &ty, span)?, right))
            }
            (true, false) => Some((self.convert(left, &right.ty, span)?, right)),
            (false, true) => {
                let right = self.convert(right, &left.ty, span)?;
                Some((left, right))
            }
            (false, false) => {
                let left = self.to_base(left, &right);
                let right = self.to_base(right, &left);
                if left.ty == Ty::InfInt {
                    return Some((self.convert(left, &right.ty, span)?, right));
                }
                let right = self.convert(right, &left.ty, span)?;
                Some((left, right))
            }
        }
    }

    /// Converts a serializable enum to its underlying type if the other operand is a number.
    fn to_base(&self, value: Value, other: &Value) -> Value {
        let numeric = matches!(other.ty, Ty::InfInt | Ty::Bit(_) | Ty::Int(_) | Ty::Serializable(_));
        if matches!(value.ty, Ty::Serializable(_)) && numeric && value.ty != other.ty {
            let ty = self.types.base(&value.ty);
            return Value { ty, ..value };
        }
        value
    }

    fn same_integers(&mut self, left: Value, right: Value, span: Span) -> Option<(Value, Value)> {
        let unwrapped = |checker: &Self, value: Value| match value.ty {
            Ty::Serializable(_) => Value { ty: checker.types.base(&value.ty), ..value },
            _ => value,
        };
        let (left, right) = (unwrapped(self, left), unwrapped(self, right));
        for value in [&left, &right] {
            if !matches!(value.ty, Ty::InfInt | Ty::Bit(_) | Ty::Int(_)) {
                let shown = self.types.show(&value.ty);
                let error = Diagnostic::error(span, format!("operator is not defined for `{shown}`"));
                return self.fail(error.hint("operands must be of type `bit<W>`, `int<W>` or `int`"));
            }
        }
        if left.ty != right.ty && left.ty.width().is_some() && right.ty.width().is_some() {
            let (l, r) = (self.types.show(&left.ty), self.types.show(&right.ty));
            let error =
                Diagnostic::error(span, format!("operands must have the same type, found `{l}` and `{r}`"));
            return self.fail(error.hint(format!("cast one of them: `({l})…`")));
        }
        self.same_types(left, right, span)
    }

    fn arithmetic(
        &mut self,
        operator: BinaryOp,
        left: Value,
        right: Value,
        right_span: Span,
        span: Span,
    ) -> Option<Value> {
        let ty = left.ty.clone();
        let is_division = matches!(operator, BinaryOp::Divide | BinaryOp::Modulo);
        if is_division && ty.is_signed() {
            return self.error(span, "division and modulo are not defined for `int<W>`");
        }
        let saturating = matches!(operator, BinaryOp::AddSaturating | BinaryOp::SubtractSaturating);
        if ty == Ty::InfInt && saturating {
            return self.error(span, "saturating arithmetic requires operands with a width");
        }
        let (operator_ir, compares) = binary_op(operator);
        let result = if compares { Ty::Bool } else { ty.clone() };
        if is_division && matches!(&right.kind, Kind::Int(number) if number.is_zero()) {
            return self.error(right_span, "division by zero");
        }
        if let (Kind::Int(l), Kind::Int(r)) = (&left.kind, &right.kind) {
            let kind = self.fold(operator, &ty, l, r, span)?;
            return Some(Value::new(result, kind));
        }
        let (l, r) = (self.lower(&left, span)?, self.lower(&right, span)?);
        self.value(result, Ir::Binary(operator_ir, Box::new(l), Box::new(r)), span)
    }

    fn equality(&mut self, operator: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        let (left, right) = self.same_types(left, right, span)?;
        let wanted = operator == BinaryOp::Equal;
        let known = match (&left.kind, &right.kind) {
            (Kind::Int(l), Kind::Int(r)) => Some(l == r),
            (Kind::Bool(l), Kind::Bool(r)) => Some(l == r),
            (Kind::Index(l), Kind::Index(r)) => Some(l == r),
            (Kind::Text(l), Kind::Text(r)) => Some(l == r),
            _ => None,
        };
        if let Some(equal) = known {
            return Some(Value::bool(equal == wanted));
        }
        let left = self.typed_list(left);
        let right = self.typed_list(right);
        let (l, r) = (self.lower(&left, span)?, self.lower(&right, span)?);
        self.value(Ty::Bool, Ir::Binary(binary_op(operator).0, Box::new(l), Box::new(r)), span)
    }

    fn typed_list(&self, value: Value) -> Value {
        match value.kind {
            Kind::List { items, rest: false } => Value::new(value.ty, Kind::Fields(items)),
            _ => value,
        }
    }

    /// Elaborates `<<` and `>>` (§8.6 of the specification): the right operand may have any width.
    fn shift(
        &mut self,
        operator: BinaryOp,
        left: Value,
        right: Value,
        right_span: Span,
        span: Span,
    ) -> Option<Value> {
        let left = Value { ty: self.enum_base(&left.ty), ..left };
        let right = Value { ty: self.enum_base(&right.ty), ..right };
        let ty = left.ty.clone();
        if !matches!(ty, Ty::InfInt | Ty::Bit(_) | Ty::Int(_)) {
            let shown = self.types.show(&ty);
            return self.error(span, format!("shifts are not defined for `{shown}`"));
        }
        match &right.kind {
            Kind::Int(by) if by.sign() == Sign::Minus => {
                return self.error(right_span, "shift distance must be at least 0");
            }
            Kind::Int(by) => {
                if let Kind::Int(number) = &left.kind {
                    let kind = self.fold_shift(operator, &ty, number, by, span)?;
                    return Some(Value::new(ty, kind));
                }
            }
            _ if matches!(right.ty, Ty::Bit(_)) => {}
            _ => {
                let shown = self.types.show(&right.ty);
                return self.error(
                    right_span,
                    format!("shift distance must be of type `bit<W>` or `int`, found `{shown}`"),
                );
            }
        }
        if ty == Ty::InfInt {
            let error = Diagnostic::error(
                span,
                "a shift by a run-time distance requires a left operand with a width",
            );
            return self.fail(error.hint("give it a width, as in `8w5`"));
        }
        let by = match &right.kind {
            // Any distance of at least the width has the same effect.
            Kind::Int(by) if right.ty == Ty::InfInt => {
                Value::int(Ty::Bit(32), by.to_u32().unwrap_or(u32::MAX))
            }
            _ => right,
        };
        let (l, r) = (self.lower(&left, span)?, self.lower(&by, span)?);
        self.value(ty, Ir::Binary(binary_op(operator).0, Box::new(l), Box::new(r)), span)
    }

    fn enum_base(&self, ty: &Ty) -> Ty {
        if matches!(ty, Ty::Serializable(_)) { self.types.base(ty) } else { ty.clone() }
    }

    /// Elaborates `++`: the left operand gives the upper bits and the signedness.
    fn concat(
        &mut self,
        left: Value,
        right: Value,
        left_span: Span,
        right_span: Span,
        span: Span,
    ) -> Option<Value> {
        let left = Value { ty: self.enum_base(&left.ty), ..left };
        let right = Value { ty: self.enum_base(&right.ty), ..right };
        let mut widths = [0; 2];
        for (width, (value, at)) in widths.iter_mut().zip([(&left, left_span), (&right, right_span)]) {
            let Some(own) = value.ty.width() else {
                let shown = self.types.show(&value.ty);
                let error = Diagnostic::error(at, format!("`++` is not defined for `{shown}`"));
                return self.fail(error.hint("operands must be of type `bit<W>` or `int<W>`"));
            };
            *width = own;
        }
        let width = widths[0] + widths[1];
        if width > super::resolve::MAX_WIDTH {
            return self.error(span, format!("result must have at most {} bits", super::resolve::MAX_WIDTH));
        }
        let ty = if left.ty.is_signed() { Ty::Int(width) } else { Ty::Bit(width) };
        if let (Kind::Int(l), Kind::Int(r)) = (&left.kind, &right.kind) {
            let number = (l << widths[1]) + wrap(r, &Ty::Bit(widths[1]));
            return Some(Value::int(ty.clone(), wrap(&number, &ty)));
        }
        let (l, r) = (self.lower(&left, span)?, self.lower(&right, span)?);
        self.value(ty, Ir::Binary(ir::BinaryOp::Concat, Box::new(l), Box::new(r)), span)
    }

    /// Elaborates an explicit cast (§8.11.1 of the specification).
    pub(super) fn cast(&mut self, value: Value, to: &Ty, span: Span) -> Option<Value> {
        if matches!(value.kind, Kind::Object(_) | Kind::Type) {
            return self.error(span, "expected a value, found an object");
        }
        let (from, target) = (self.types.base(&value.ty), self.types.base(to));
        let untyped =
            matches!(value.kind, Kind::List { .. } | Kind::Record { .. } | Kind::Dots) || value.ty == Ty::Any;
        if value.ty == *to && !untyped {
            return Some(value);
        }
        if untyped {
            let converted = self.convert(value, &target, span)?;
            return Some(Value { ty: to.clone(), ..converted });
        }
        let integer = |ty: &Ty| matches!(ty, Ty::Bit(_) | Ty::Int(_) | Ty::InfInt);
        match (&value.kind, &from, &target) {
            _ if from == target => Some(Value { ty: to.clone(), ..value }),
            (Kind::Int(number), _, Ty::Bit(_) | Ty::Int(_) | Ty::InfInt) => {
                // An explicit cast of a literal truncates without a warning.
                Some(Value::int(to.clone(), wrap(number, &target)))
            }
            (Kind::Bool(known), _, _)
                if integer(&target) && target.width().is_none_or(|width| width == 1) =>
            {
                Some(Value::int(to.clone(), wrap(&i32::from(*known).into(), &target)))
            }
            (Kind::Int(number), Ty::Bit(1) | Ty::InfInt, Ty::Bool) => match number.to_u8() {
                Some(0) => Some(Value::bool(false)),
                Some(1) => Some(Value::bool(true)),
                _ => self.error(span, "only 0 and 1 can be cast to `bool`"),
            },
            (_, Ty::Bit(_) | Ty::Int(_), Ty::Bit(_) | Ty::Int(_))
            | (_, Ty::Bool, Ty::Bit(1))
            | (_, Ty::Bit(1), Ty::Bool) => {
                let of = Box::new(self.lower(&value, span)?);
                self.value(to.clone(), Ir::Cast(of), span)
            }
            (_, Ty::Tuple(_) | Ty::Composite(..), Ty::Tuple(_) | Ty::Composite(..))
                if !to.is_union() && !value.ty.is_union() =>
            {
                let items = self.parts(&value, span)?;
                let ty = Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect());
                self.convert(Value::new(ty, Kind::List { items, rest: false }), to, span)
            }
            _ => {
                let (from, to) = (self.types.show(&value.ty), self.types.show(to));
                self.error(span, format!("cannot cast `{from}` to `{to}`"))
            }
        }
    }
}

/// The IR operator, and whether its result is a `bool`.
fn binary_op(operator: BinaryOp) -> (ir::BinaryOp, bool) {
    use ir::BinaryOp as Op;
    match operator {
        BinaryOp::Add => (Op::Add, false),
        BinaryOp::Subtract => (Op::Subtract, false),
        BinaryOp::AddSaturating => (Op::AddSaturating, false),
        BinaryOp::SubtractSaturating => (Op::SubtractSaturating, false),
        BinaryOp::Multiply => (Op::Multiply, false),
        BinaryOp::Divide => (Op::Divide, false),
        BinaryOp::Modulo => (Op::Modulo, false),
        BinaryOp::ShiftLeft => (Op::ShiftLeft, false),
        BinaryOp::ShiftRight => (Op::ShiftRight, false),
        BinaryOp::BitAnd => (Op::BitAnd, false),
        BinaryOp::BitOr => (Op::BitOr, false),
        BinaryOp::BitXor => (Op::BitXor, false),
        BinaryOp::Concat => (Op::Concat, false),
        BinaryOp::And => (Op::And, true),
        BinaryOp::Or => (Op::Or, true),
        BinaryOp::Equal => (Op::Equal, true),
        BinaryOp::NotEqual => (Op::NotEqual, true),
        BinaryOp::Less => (Op::Less, true),
        BinaryOp::LessOrEqual => (Op::LessOrEqual, true),
        BinaryOp::Greater => (Op::Greater, true),
        BinaryOp::GreaterOrEqual => (Op::GreaterOrEqual, true),
    }
}
