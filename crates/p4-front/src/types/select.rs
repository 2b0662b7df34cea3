//! `transition select(…) { … }`

use super::Checker;
use super::keyset::Set;
use super::parser::States;
use super::print::count;
use super::ty::Ty;
use super::value::{Kind, Value};
use crate::ir::{Expr as IrExpr, KeySet, SelectCase as IrCase, Transition};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, SelectCase};

impl<'a> Checker<'a> {
    pub(super) fn select(
        &mut self,
        on: &'a [Expr],
        cases: &'a [SelectCase],
        states: &States,
        span: Span,
    ) -> Option<Transition> {
        let mut values = self.in_order(on, span, |checker, e| checker.operand(e))?;
        // `select({a, b})` is `select(a, b)`.
        if let [Value { kind: Kind::List { items, rest: false }, .. }] = values.as_slice() {
            values = items.clone();
        }
        let mut scalars = Vec::new();
        let mut groups = Vec::with_capacity(values.len());
        for value in &values {
            let mut flat = Vec::new();
            self.flatten(value, span, &mut flat)?;
            groups.push(flat.len());
            scalars.extend(flat);
        }
        let mut lowered: Vec<IrExpr> = Vec::with_capacity(scalars.len());
        for scalar in &scalars {
            let base = self.types.base(&scalar.ty);
            if matches!(base, Ty::Varbit(_)) {
                return self.error(span, "`varbit` values are not allowed in `select`");
            }
            lowered.push(self.number_or_value(scalar, span)?);
        }
        let mut done = Vec::with_capacity(cases.len());
        let mut sound = true;
        let mut catch_all = None;
        for case in cases {
            if let Some(first) = catch_all {
                let warning = crate::diagnostic::Diagnostic::warning(case.span, "unreachable case");
                self.report(warning.related(first, "this case matches everything"));
            }
            let to = self.target(&case.to, states);
            let keys = self.case_keys(case, &values, &scalars, &groups);
            let (Some(to), Some(keys)) = (to, keys) else {
                sound = false;
                continue;
            };
            if keys.iter().all(|key| *key == KeySet::Any) {
                catch_all = catch_all.or(Some(case.span));
            }
            done.push(IrCase { keys, to });
        }
        // Statements of the cases run before the select and must not change the selected values.
        sound.then_some(Transition::Select { on: lowered, cases: done })
    }

    fn number_or_value(&mut self, value: &Value, span: Span) -> Option<IrExpr> {
        match value.ty {
            Ty::InfInt => self.number_operand(value, span),
            _ => self.lower(value, span),
        }
    }

    fn case_keys(
        &mut self,
        case: &'a SelectCase,
        values: &[Value],
        scalars: &[Value],
        groups: &[usize],
    ) -> Option<Vec<KeySet>> {
        if let [key] = case.keys.as_slice() {
            if matches!(key.kind, ExprKind::Default | ExprKind::DontCare) {
                return Some(vec![KeySet::Any]);
            }
            if let Some(set) = self.named_set(key) {
                return Some(vec![KeySet::ValueSet(set)]);
            }
        }
        let mut keys = Vec::with_capacity(scalars.len());
        // One key per expression, or per part of a single composite one.
        if case.keys.len() == values.len() {
            let mut at = 0;
            for ((key, value), count) in case.keys.iter().zip(values).zip(groups) {
                self.group_keys(key, value, &scalars[at..at + count], &mut keys)?;
                at += count;
            }
        } else if case.keys.len() == scalars.len() {
            for (key, scalar) in case.keys.iter().zip(scalars) {
                keys.push(self.key(key, &scalar.ty)?);
            }
        } else {
            let message = format!("expected {}, found {}", count(values.len(), "key set"), case.keys.len());
            return self.error(case.span, message);
        }
        Some(keys)
    }

    /// Key sets of one expression of `select`.
    fn group_keys(
        &mut self,
        key: &'a Expr,
        value: &Value,
        scalars: &[Value],
        keys: &mut Vec<KeySet>,
    ) -> Option<()> {
        let composite = matches!(value.ty, Ty::Composite(..) | Ty::Tuple(_) | Ty::Stack(..));
        if !composite {
            keys.push(self.key(key, &value.ty)?);
            return Some(());
        }
        match &key.kind {
            ExprKind::DontCare | ExprKind::Default => {
                keys.extend(scalars.iter().map(|_| KeySet::Any));
                Some(())
            }
            ExprKind::List { items, rest: None } if items.len() == scalars.len() => {
                for (item, scalar) in items.iter().zip(scalars) {
                    keys.push(self.key(item, &scalar.ty)?);
                }
                Some(())
            }
            _ => {
                let given = self.operand(key)?;
                let given = self.convert(given, &value.ty, key.span)?;
                let mut flat = Vec::new();
                self.flatten(&given, key.span, &mut flat)?;
                for part in flat {
                    keys.push(KeySet::Value(self.lower(&part, key.span)?));
                }
                Some(())
            }
        }
    }

    fn key(&mut self, key: &'a Expr, ty: &Ty) -> Option<KeySet> {
        let span = key.span;
        // A selected number without a width gets the width 32.
        let wanted = if *ty == Ty::InfInt { Ty::Bit(32) } else { ty.clone() };
        Some(match self.set(key, &wanted)? {
            Set::Any => KeySet::Any,
            Set::Value(value) => KeySet::Value(self.lower(&value, span)?),
            Set::Mask(value, mask) => KeySet::Mask(self.lower(&value, span)?, self.lower(&mask, span)?),
            Set::Range(low, high) => KeySet::Range(self.lower(&low, span)?, self.lower(&high, span)?),
            Set::Named(set) => KeySet::ValueSet(set),
        })
    }
}
