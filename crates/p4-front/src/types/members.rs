//! Member access `of.name`, without a call.

use num_bigint::BigInt;

use super::constant::nearest;
use super::ty::{NamedBody, Ty};
use super::value::{Kind, Object, Value};
use super::{Body, Checker};
use crate::diagnostic::Diagnostic;
use crate::ir::{Expr as IrExpr, ExprKind as Ir, Step, StmtKind, UnaryOp};
use crate::source::Span;
use crate::syntax::ast::{Expr, Name};

/// Field of the standard metadata that a switch measures only for programs that mention it.
const DEQUEUE_RATE: &str = "jettison_dequeue_rate";

/// Field of the standard metadata that a switch sets only for programs that mention it.
const QUEUE: &str = "qid";

/// Field of the standard metadata that follows the headers only for programs that mention it.
const PACKET_LENGTH: &str = "packet_length";

impl<'a> Checker<'a> {
    /// Elaborates `of.name`.
    pub(super) fn member(&mut self, of: &'a Expr, name: &'a Name, span: Span) -> Option<Value> {
        if let Some(ty) = self.type_of_name(of) {
            let ty = ty?;
            return self.type_member(&ty, name);
        }
        let base = self.expr(of)?;
        self.member_of(base, name, span)
    }

    /// A member of an enum or of `error`.
    fn type_member(&mut self, ty: &Ty, name: &Name) -> Option<Value> {
        let (value, known): (Option<Value>, Vec<_>) = match ty {
            Ty::Error => (index_of(&self.errors, name, ty), self.errors.clone()),
            Ty::MatchKind => (index_of(&self.match_kinds, name, ty), self.match_kinds.clone()),
            Ty::Enum(id) | Ty::Serializable(id) => match &self.types.named[*id].body {
                NamedBody::Enum(members) => (index_of(members, name, ty), members.to_vec()),
                NamedBody::Serializable { members, .. } => {
                    let member = members.iter().find(|(member, _)| *member == name.text);
                    let value = member.map(|(_, value)| Value::int(ty.clone(), value.clone()));
                    (value, members.iter().map(|(member, _)| member.clone()).collect())
                }
                _ => (None, Vec::new()),
            },
            _ => (None, Vec::new()),
        };
        if value.is_some() {
            return value;
        }
        let shown = self.types.show(ty);
        let mut error = Diagnostic::error(name.span, format!("`{shown}` has no member `{}`", name.text));
        if let Some(near) = nearest(&name.text, known.iter().map(|known| &**known)) {
            error = error.hint(format!("did you mean `{near}`?"));
        }
        self.fail(error)
    }

    /// A field of a value.
    pub(super) fn member_of(&mut self, base: Value, name: &'a Name, span: Span) -> Option<Value> {
        match base.ty.clone() {
            Ty::Composite(_, id) => {
                let fields = self.types.fields(id);
                let Some(index) = fields.iter().position(|field| field.name == name.text) else {
                    self.report_unknown_field(name, &fields, &base.ty);
                    return None;
                };
                let ty = fields[index].ty.clone();
                self.output.reads_dequeue_rate |= &*name.text == DEQUEUE_RATE;
                self.output.reads_qid |= &*name.text == QUEUE;
                self.output.reads_packet_length |= &*name.text == PACKET_LENGTH;
                match &base.kind {
                    Kind::Fields(items) => items.get(index).cloned(),
                    Kind::Invalid => self.zero(&ty, span),
                    _ => {
                        let place = self.placed(&base, span)?;
                        let id = self.lower_ty(&ty, span)?;
                        let step = Step::Field(u32::try_from(index).ok()?);
                        Some(self.read(place.step(step, id), ty))
                    }
                }
            }
            Ty::Stack(element, size) => self.stack_member(base, &element, size, name, span),
            Ty::Applied(table) => self.applied_member(table, name, span),
            Ty::List(_) if &*name.text == "size" => match &base.kind {
                Kind::Fields(items) => Some(Value::int(Ty::InfInt, BigInt::from(items.len()))),
                _ => None,
            },
            Ty::Tuple(_) if matches!(base.kind, Kind::Record { .. }) => {
                let Kind::Record { fields, .. } = base.kind else { return None };
                match fields.into_iter().find(|(field, _)| field.text == name.text) {
                    Some((_, value)) => Some(value),
                    None => self.error(name.span, format!("unknown field `{}`", name.text)),
                }
            }
            other => {
                let shown = self.types.show(&other);
                self.error(name.span, format!("`{shown}` has no field `{}`", name.text))
            }
        }
    }

    /// `size`, `next`, `last`, `lastIndex`, `nextIndex` of a stack (§8.18 of the specification).
    fn stack_member(
        &mut self,
        base: Value,
        element: &Ty,
        size: u32,
        name: &Name,
        span: Span,
    ) -> Option<Value> {
        if !matches!(
            element,
            Ty::Composite(crate::syntax::ast::Composite::Header | crate::syntax::ast::Composite::Union, _)
        ) {
            let error = Diagnostic::error(name.span, format!("arrays have no field `{}`", name.text));
            return self
                .fail(error.hint("only header stacks, arrays of headers or header unions, have fields"));
        }
        match &*name.text {
            "size" => Some(Value::int(Ty::Bit(32), size)),
            "last" | "next" => {
                self.only_in_parsers(name)?;
                let place = self.placed(&base, span)?;
                let step = if &*name.text == "last" { Step::Last } else { Step::Next };
                let id = self.lower_ty(element, span)?;
                Some(self.read(place.step(step, id), element.clone()))
            }
            "lastIndex" => {
                self.only_in_parsers(name)?;
                let place = self.placed(&base, span)?;
                self.value(Ty::Bit(32), Ir::LastIndex(place), span)
            }
            "nextIndex" => {
                let place = self.placed(&base, span)?;
                self.value(Ty::Bit(32), Ir::NextIndex(place), span)
            }
            _ => {
                let message = format!("header stacks have no field `{}`", name.text);
                let hint = "available are `size`, and in parsers `next`, `last`, `lastIndex` and `nextIndex`";
                self.fail(Diagnostic::error(name.span, message).hint(hint))
            }
        }
    }

    /// Reports an error outside of parsers, for `next` and `last`.
    pub(super) fn only_in_parsers(&mut self, name: &Name) -> Option<()> {
        if self.context.body == Body::Parser {
            return Some(());
        }
        self.error(name.span, format!("`{}` of a stack is allowed only in parsers", name.text))
    }

    /// `hit`, `miss` and `action_run` of the table application just emitted.
    fn applied_member(&mut self, table: usize, name: &Name, span: Span) -> Option<Value> {
        match &*name.text {
            "hit" | "miss" => {
                let id = self.lower_ty(&Ty::Bool, span)?;
                let place = self.temporary(id);
                let root = place.root;
                if let Some(StmtKind::Apply { hit, .. }) = self.out.last_mut().map(|last| &mut last.kind) {
                    *hit = Some(root);
                }
                let value = self.read(place, Ty::Bool);
                if &*name.text == "hit" {
                    return Some(value);
                }
                let value = self.lower(&value, span)?;
                let ty = value.ty;
                let kind = Ir::Unary(UnaryOp::Not, Box::new(value));
                Some(Value::new(Ty::Bool, Kind::Expr(IrExpr { kind, ty })))
            }
            "action_run" => {
                let ty = Ty::ActionRun(table);
                let id = self.lower_ty(&ty, span)?;
                let place = self.temporary(id);
                let root = place.root;
                if let Some(StmtKind::Apply { action, .. }) = self.out.last_mut().map(|last| &mut last.kind) {
                    *action = Some(root);
                }
                Some(Value::new(ty, Kind::Object(Object::ActionRun(table, root))))
            }
            _ => {
                let message = format!("the result of `apply` has no field `{}`", name.text);
                self.fail(
                    Diagnostic::error(name.span, message)
                        .hint("available are `hit`, `miss` and `action_run`"),
                )
            }
        }
    }
}

fn index_of(members: &[std::sync::Arc<str>], name: &Name, ty: &Ty) -> Option<Value> {
    let index = members.iter().position(|member| *member == name.text)?;
    Some(Value::new(ty.clone(), Kind::Index(u32::try_from(index).ok()?)))
}
