//! A table's list of actions, and the actions with data of its default and entries.

use std::sync::Arc;

use super::binding::Bound;
use super::infer::Inference;
use super::print::count;
use super::scope::Entity;
use super::table::{Listed, Parts};
use super::ty::Ty;
use super::{Body, Checker, Context, annotation, written_name};
use crate::diagnostic::Diagnostic;
use crate::ir::{ActionValue, Place, TableAction, VarId};
use crate::source::Span;
use crate::syntax::ast::{ActionRef, Argument, Direction, Expr, ExprKind};

impl<'a> Checker<'a> {
    /// Elaborates `a;` or `a(x);` in the list of actions.
    pub(super) fn listed_action(&mut self, reference: &'a ActionRef, parts: &mut Parts<'a>) -> Option<()> {
        let ExprKind::Name { name, global } = &reference.name.kind else {
            return self.error(reference.span, "expected the name of an action");
        };
        let Entity::Action(action) = self.lookup(name, *global)? else {
            return self.error(name.span, format!("`{}` is not an action", name.text));
        };
        if parts.listed.iter().any(|listed| listed.action == action) {
            return self.error(name.span, format!("duplicate action `{}` in the list", name.text));
        }
        let info = self.output.actions[action].clone();
        let directed =
            info.written.iter().take_while(|parameter| parameter.direction != Direction::None).count();
        let given = reference.arguments.len();
        if given < directed {
            let message =
                format!("missing arguments for the {directed} directed parameters of `{}`", name.text);
            let error = Diagnostic::error(reference.span, message);
            return self.fail(error.hint("supply them in the list of actions: `a(x);`"));
        }
        if given > info.written.len() {
            let message =
                format!("`{}` takes {}, found {given}", name.text, count(info.written.len(), "argument"));
            return self.error(reference.span, message);
        }
        let tys: Vec<Ty> = info.parameters[..given].iter().map(|(ty, _)| ty.clone()).collect();
        let places: Vec<Option<Place>> =
            info.parameters[..given].iter().map(|(_, place)| Some(place.clone())).collect();
        let context = Context { body: Body::Table, ..self.context.clone() };
        let (bound, mut before) = self.in_context(context.clone(), |checker| {
            let written = &info.written[..given];
            let bound = checker.evaluate(
                written,
                &tys,
                &reference.arguments,
                &mut Inference::default(),
                reference.span,
            )?;
            checker.copy_in(&places, &bound, reference.span)?;
            Some(bound)
        });
        let bound: Vec<Bound> = bound?;
        let (_, after) =
            self.in_context(context, |checker| checker.copy_out(&places, &bound, reference.span));
        let mut data: Vec<(Arc<str>, VarId)> = Vec::new();
        for (parameter, (ty, place)) in info.written.iter().zip(&info.parameters).skip(given) {
            let base = self.types.base(ty);
            if !matches!(base, Ty::Bit(_) | Ty::Int(_) | Ty::Bool | Ty::Error | Ty::Enum(_)) {
                let shown = self.types.show(ty);
                let message = format!("action data must be scalar, found `{shown}`");
                return self.error(parameter.ty.span, message);
            }
            let name = written_name(&parameter.annotations).unwrap_or_else(|| parameter.name.text.clone());
            data.push((name, place.root));
        }
        before.shrink_to_fit();
        parts.listed.push(Listed { written: name.text.clone(), action, given });
        parts.actions.push(TableAction {
            function: info.id,
            name: info.name.clone(),
            data,
            before,
            after,
            default_only: annotation(&reference.annotations, "defaultonly").is_some(),
            table_only: annotation(&reference.annotations, "tableonly").is_some(),
        });
        Some(())
    }

    /// Elaborates an action with its data, as in the default action or an entry.
    pub(super) fn action_value(&mut self, e: &'a Expr, parts: &mut Parts<'a>) -> Option<ActionValue> {
        let (callee, arguments): (&'a Expr, &'a [Argument]) = match &e.kind {
            ExprKind::Call { callee, arguments, .. } => (callee, arguments),
            _ => (e, &[]),
        };
        let ExprKind::Name { name, global } = &callee.kind else {
            return self.error(e.span, "expected an action");
        };
        let Entity::Action(action) = self.lookup(name, *global)? else {
            return self.error(name.span, format!("`{}` is not an action", name.text));
        };
        let index = match parts.listed.iter().position(|listed| listed.action == action) {
            Some(index) => index,
            None if &*name.text == "NoAction" => self.add_listed(name.text.clone(), action, parts) as usize,
            None => {
                let message = format!("`{}` is not in the table's list of actions", name.text);
                return self.fail(Diagnostic::error(name.span, message).hint("add it to `actions`"));
            }
        };
        let data = self.action_data(action, parts.listed[index].given, arguments, e.span)?;
        Some(ActionValue { action: u32::try_from(index).ok()?, data })
    }

    /// Values of the parameters whose arguments the list of actions does not supply.
    fn action_data(
        &mut self,
        action: usize,
        given: usize,
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Vec<num_bigint::BigUint>> {
        let info = self.output.actions[action].clone();
        let named = arguments.iter().any(|argument| argument.name.is_some());
        // The list's arguments may be repeated before the others.
        let skipped = if !named && arguments.len() == info.written.len() { given } else { 0 };
        let open = &info.written[given..];
        let rest: Vec<&'a Argument> = match named {
            true => {
                let mut rest = Vec::new();
                for parameter in open {
                    let same = |argument: &&Argument| {
                        argument.name.as_ref().is_some_and(|name| name.text == parameter.name.text)
                    };
                    rest.extend(arguments.iter().find(same));
                }
                rest
            }
            false => arguments.iter().skip(skipped).collect(),
        };
        if rest.len() > open.len() {
            let message = format!("expected {}, found {}", count(open.len(), "argument"), rest.len());
            return self.error(span, message);
        }
        let mut data = Vec::with_capacity(open.len());
        for (index, parameter) in open.iter().enumerate() {
            let Some(e) = rest.get(index).map(|argument| &argument.value).or(parameter.default.as_ref())
            else {
                return self
                    .error(span, format!("missing argument for the parameter `{}`", parameter.name.text));
            };
            let ty = info.parameters[given + index].0.clone();
            let value = self.operand(e)?;
            let value = self.convert(value, &ty, e.span)?;
            match self.bits_of(&value) {
                Some(bits) => data.push(bits),
                None => return self.error(e.span, "action data must be known at compile time"),
            }
        }
        Some(data)
    }
}
