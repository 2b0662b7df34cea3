//! `switch` on a table's action or on a value.

use num_bigint::BigUint;

use super::Checker;
use super::table::TableInfo;
use super::ty::Ty;
use super::value::{Kind, Object};
use crate::diagnostic::Diagnostic;
use crate::ir::{Expr as IrExpr, ExprKind as Ir, Place, StmtKind, SwitchCase as IrCase};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, SwitchCase};

impl<'a> Checker<'a> {
    pub(super) fn switch(&mut self, on: &'a Expr, cases: &'a [SwitchCase], span: Span) -> Option<()> {
        let value = self.expr(on)?;
        if let Kind::Object(Object::ActionRun(table, root)) = value.kind {
            let ty = self.lower_ty(&value.ty, on.span)?;
            let table = self.output.table_infos.get(table)?.clone();
            let on = IrExpr { kind: Ir::Read(Place::variable(root, ty)), ty };
            return self.switch_cases(on, cases, span, |checker, label| checker.action_label(&table, label));
        }
        if matches!(value.kind, Kind::Object(_) | Kind::Type | Kind::List { .. } | Kind::Record { .. }) {
            return self.error(on.span, "expected `action_run` or a value in `switch`");
        }
        let ty = value.ty.clone();
        let base = self.types.base(&ty);
        if !matches!(base, Ty::Bit(_) | Ty::Int(_) | Ty::Bool | Ty::Error | Ty::Enum(_)) {
            let shown = self.types.show(&ty);
            return self.error(on.span, format!("`switch` is not defined for the type `{shown}`"));
        }
        let on = self.lower(&value, on.span)?;
        self.switch_cases(on, cases, span, |checker, label| {
            let given = checker.operand(label)?;
            // A literal can denote a value of a serializable enum.
            let given = if given.ty == Ty::InfInt { checker.cast(given, &ty, label.span)? } else { given };
            let given = checker.convert(given, &ty, label.span)?;
            match checker.bits_of(&given) {
                Some(bits) => Some(bits),
                None => checker.error(label.span, "`switch` label must be known at compile time"),
            }
        })
    }

    fn switch_cases(
        &mut self,
        on: IrExpr,
        cases: &'a [SwitchCase],
        span: Span,
        mut label_value: impl FnMut(&mut Self, &'a Expr) -> Option<BigUint>,
    ) -> Option<()> {
        let mut done: Vec<IrCase> = Vec::new();
        let mut default = None;
        // Labels without a body yet.
        let mut values: Vec<BigUint> = Vec::new();
        let mut is_default = false;
        let mut sound = true;
        for case in cases {
            if matches!(case.label.kind, ExprKind::Default | ExprKind::DontCare) {
                if default.is_some() || is_default {
                    self.error::<()>(case.label.span, "duplicate `default`");
                    sound = false;
                }
                is_default = true;
            } else if let Some(value) = label_value(self, &case.label) {
                let known = done.iter().flat_map(|case| &case.values).chain(&values).any(|v| *v == value);
                if known {
                    self.error::<()>(case.label.span, "duplicate `switch` label");
                    sound = false;
                }
                values.push(value);
            } else {
                sound = false;
            }
            let Some(body) = &case.body else { continue };
            let (_, block) = self.block_of(|checker| checker.block(body));
            let values = std::mem::take(&mut values);
            if std::mem::take(&mut is_default) {
                // Labels that share the body of `default` need a case of their own only if they have values.
                default = Some(block);
                if !values.is_empty() {
                    let shared = default.clone().unwrap_or_default();
                    done.push(IrCase { values, body: shared });
                }
            } else {
                done.push(IrCase { values, body: block });
            }
        }
        if !values.is_empty() {
            done.push(IrCase { values, body: Vec::new() });
        }
        if !sound {
            return None;
        }
        let default = default.unwrap_or_default();
        self.emit(span, StmtKind::Switch { on, cases: done, default });
        Some(())
    }

    /// Index of the action that a label names.
    fn action_label(&mut self, table: &TableInfo, label: &'a Expr) -> Option<BigUint> {
        let ExprKind::Name { name, .. } = &label.kind else {
            return self.error(label.span, "expected the name of an action of the table");
        };
        match table.actions.iter().position(|action| action.written == name.text) {
            Some(index) => Some(BigUint::from(index)),
            None => {
                let message = format!("`{}` is not an action of this table", name.text);
                let mut error = Diagnostic::error(label.span, message);
                let known = table.actions.iter().map(|action| &*action.written);
                if let Some(near) = super::constant::nearest(&name.text, known) {
                    error = error.hint(format!("did you mean `{near}`?"));
                }
                self.fail(error)
            }
        }
    }
}
