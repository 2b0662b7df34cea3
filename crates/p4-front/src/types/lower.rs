//! Lowering of types and values to the IR.

use std::sync::Arc;

use num_bigint::BigUint;

use super::Checker;
use super::constant::pattern;
use super::ty::{NamedBody, Ty};
use super::value::{Kind, Value};
use crate::ir::{self, Composite, CompositeKind, Expr, ExprKind, Field, Type, TypeId};
use crate::source::Span;
use crate::syntax::ast;

/// Maximum size of a type's values in bits.
const MAX_BITS: u32 = 1 << 23;

impl Checker<'_> {
    /// Lowers a type to its run-time type.
    pub(super) fn lower_ty(&mut self, ty: &Ty, span: Span) -> Option<TypeId> {
        if let Some(id) = self.output.lowered.get(ty) {
            return Some(*id);
        }
        let lowered = match ty {
            Ty::Bool => Type::Bool,
            Ty::Bit(width) => Type::Bits { width: *width, signed: false },
            Ty::Int(width) => Type::Bits { width: *width, signed: true },
            Ty::Varbit(most) => Type::Varbit { max_width: *most },
            Ty::Error => Type::Error,
            Ty::ActionRun(_) => Type::Bits { width: 32, signed: false },
            Ty::Enum(id) => {
                let named = &self.types.named[*id];
                let NamedBody::Enum(members) = &named.body else { return None };
                let (name, members) = (named.name.clone(), members.to_vec());
                Type::Enum(self.output.types.add_enum(name, members))
            }
            Ty::Serializable(_) | Ty::Newtype(_) => {
                let base = self.types.base(ty);
                let id = self.lower_ty(&base, span)?;
                self.output.lowered.insert(ty.clone(), id);
                return Some(id);
            }
            Ty::Stack(element, size) => Type::Stack { element: self.lower_ty(element, span)?, size: *size },
            Ty::Tuple(items) => {
                let mut fields = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let name = Arc::from(format!("f{index}"));
                    fields.push(Field { name, ty: self.lower_ty(item, span)? });
                }
                let composite = Composite { name: Arc::from(""), kind: CompositeKind::Struct, fields };
                Type::Composite(self.output.types.add_composite(composite))
            }
            Ty::Composite(what, id) => {
                let fields = self.types.fields(*id);
                let mut lowered = Vec::with_capacity(fields.len());
                for field in fields.iter() {
                    lowered.push(Field { name: field.name.clone(), ty: self.lower_ty(&field.ty, span)? });
                }
                let kind = match what {
                    ast::Composite::Header => CompositeKind::Header,
                    ast::Composite::Union => CompositeKind::Union,
                    ast::Composite::Struct => CompositeKind::Struct,
                };
                let name = self.types.named[*id].name.clone();
                Type::Composite(self.output.types.add_composite(Composite { name, kind, fields: lowered }))
            }
            Ty::InfInt => {
                return self.error(span, "a run-time integer requires a width, as in `8w5`");
            }
            _ => {
                let shown = self.types.show(ty);
                return self.error(span, format!("the type `{shown}` is not allowed at run time"));
            }
        };
        let id = self.output.types.add(lowered);
        if self.output.types.bits(id) > MAX_BITS {
            return self.error(span, format!("values of a type must have at most {MAX_BITS} bits"));
        }
        self.output.lowered.insert(ty.clone(), id);
        Some(id)
    }

    /// Lowers a value to an expression.
    pub(super) fn lower(&mut self, value: &Value, span: Span) -> Option<Expr> {
        if let Kind::Expr(expr) = &value.kind {
            return Some(expr.clone());
        }
        let ty = self.lower_ty(&value.ty, span)?;
        let kind = match &value.kind {
            Kind::Int(number) => {
                let width = self.types.base(&value.ty).width().unwrap_or(0);
                ExprKind::Constant(pattern(number, width))
            }
            Kind::Bool(value) => ExprKind::Constant(BigUint::from(u8::from(*value))),
            Kind::Index(index) => ExprKind::Constant(BigUint::from(*index)),
            Kind::Invalid => ExprKind::Invalid,
            Kind::Fields(items) | Kind::List { items, rest: false } => {
                let items: Option<Vec<Expr>> = items.iter().map(|item| self.lower(item, span)).collect();
                ExprKind::Aggregate(items?)
            }
            Kind::Record { fields, rest: false } => {
                let items: Option<Vec<Expr>> =
                    fields.iter().map(|(_, item)| self.lower(item, span)).collect();
                ExprKind::Aggregate(items?)
            }
            Kind::List { .. } | Kind::Record { .. } | Kind::Dots => {
                return self.error(span, "cannot infer the type of `...`");
            }
            Kind::Text(_) => return self.error(span, "strings are not allowed at run time"),
            Kind::Object(_) => return self.error(span, "expected a value, found an object"),
            Kind::Type => return self.error(span, "expected a value, found a type"),
            Kind::Expr(_) => return None,
        };
        Some(Expr { kind, ty })
    }

    /// Creates a value from an IR expression.
    pub(super) fn value(&mut self, ty: Ty, kind: ExprKind, span: Span) -> Option<Value> {
        let id = self.lower_ty(&ty, span)?;
        Some(Value::new(ty, Kind::Expr(Expr { kind, ty: id })))
    }

    /// Bits of a compile-time scalar.
    pub(super) fn bits_of(&self, value: &Value) -> Option<BigUint> {
        match &value.kind {
            Kind::Int(number) => {
                let width = self.types.base(&value.ty).width()?;
                Some(pattern(number, width))
            }
            Kind::Bool(value) => Some(BigUint::from(u8::from(*value))),
            Kind::Index(index) => Some(BigUint::from(*index)),
            Kind::Expr(Expr { kind: ir::ExprKind::Constant(number), .. }) => Some(number.clone()),
            _ => None,
        }
    }
}
