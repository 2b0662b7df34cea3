//! Parsers.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::ir::{State, StateId, Target, Transition as IrTransition};
use crate::syntax::ast::{Name, ParserDeclaration, State as Written, Transition};

/// States of a parser by name.
pub(super) struct States {
    numbers: FxHashMap<Arc<str>, StateId>,
}

impl<'a> Checker<'a> {
    /// Elaborates the locals and the states; returns the states and the start state.
    pub(super) fn parser_body(&mut self, parser: &'a ParserDeclaration) -> Option<(Vec<State>, StateId)> {
        self.count_parser(parser);
        for local in &parser.locals {
            self.local(local);
        }
        let mut numbers = FxHashMap::default();
        for (number, state) in (0u32..).zip(&parser.states) {
            if matches!(&*state.name.text, "accept" | "reject") {
                let message = format!("the state name `{}` is reserved", state.name.text);
                self.error::<()>(state.name.span, message);
            }
            if numbers.insert(state.name.text.clone(), StateId(number)).is_some() {
                let message = format!("duplicate state `{}`", state.name.text);
                self.error::<()>(state.name.span, message);
            }
        }
        let states = States { numbers };
        let mut done = Vec::with_capacity(parser.states.len());
        for state in &parser.states {
            done.push(self.state(state, &states));
        }
        let Some(start) = states.numbers.get("start") else {
            let message = format!("missing state `start` in the parser `{}`", parser.name.text);
            return self.error(parser.name.span, message);
        };
        Some((done, *start))
    }

    fn state(&mut self, state: &'a Written, states: &States) -> State {
        self.scopes.open();
        let (next, body) = self.block_of(|checker| {
            for statement in &state.body {
                checker.statement(statement);
            }
            match &state.transition {
                None => None,
                Some(Transition::To(name)) => checker.target(name, states).map(IrTransition::To),
                Some(Transition::Select { on, cases, span }) => checker.select(on, cases, states, *span),
            }
        });
        self.scopes.close();
        let next = next.unwrap_or(IrTransition::To(Target::Reject));
        State { name: state.name.text.clone(), body, next, span: state.span }
    }

    /// Target of a state name.
    pub(super) fn target(&mut self, name: &Name, states: &States) -> Option<Target> {
        match &*name.text {
            "accept" => return Some(Target::Accept),
            "reject" => return Some(Target::Reject),
            _ => {}
        }
        if let Some(state) = states.numbers.get(&name.text) {
            return Some(Target::State(*state));
        }
        let mut error = Diagnostic::error(name.span, format!("unknown state `{}`", name.text));
        // Declaration order, for a deterministic suggestion.
        let mut known: Vec<(&StateId, &Arc<str>)> =
            states.numbers.iter().map(|(name, id)| (id, name)).collect();
        known.sort();
        if let Some(near) = super::constant::nearest(&name.text, known.iter().map(|(_, name)| &***name)) {
            error = error.hint(format!("did you mean `{near}`?"));
        }
        self.fail(error)
    }
}
