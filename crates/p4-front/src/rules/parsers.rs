//! Parsers: states and locals share one namespace (§13.2), and some path should end in `accept`.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::duplicate;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{DeclarationKind, Name, ParserDeclaration, State, Transition};

pub(super) fn check(parser: &ParserDeclaration, found: &mut Vec<Diagnostic>) {
    namespace(parser, found);
    reach(parser, found);
}

fn namespace(parser: &ParserDeclaration, found: &mut Vec<Diagnostic>) {
    let locals: Vec<&Name> = parser
        .locals
        .iter()
        .filter_map(|local| match &local.kind {
            DeclarationKind::Constant { name, .. }
            | DeclarationKind::Variable { name, .. }
            | DeclarationKind::Instance { name, .. }
            | DeclarationKind::ValueSet { name, .. } => Some(name),
            _ => None,
        })
        .collect();
    for state in &parser.states {
        if let Some(first) = locals.iter().find(|local| local.text == state.name.text) {
            let error = duplicate("name", &state.name, first.span);
            found.push(error.hint("states and local declarations of a parser share one namespace"));
        }
    }
}

/// Warns if no path from `start` leads to `accept`. Such a parser is legal: it rejects every packet, or never ends.
fn reach(parser: &ParserDeclaration, found: &mut Vec<Diagnostic>) {
    let states: FxHashMap<&Arc<str>, &State> =
        parser.states.iter().map(|state| (&state.name.text, state)).collect();
    let start: Arc<str> = Arc::from("start");
    let Some(first) = states.get(&start) else { return };
    let mut waiting = vec![*first];
    let mut seen = vec![first.name.text.clone()];
    while let Some(state) = waiting.pop() {
        let targets: Vec<&Name> = match &state.transition {
            None => Vec::new(),
            Some(Transition::To(name)) => vec![name],
            Some(Transition::Select { cases, .. }) => cases.iter().map(|case| &case.to).collect(),
        };
        for target in targets {
            // An unknown state is an error of its own.
            let Some(next) = states.get(&target.text) else {
                if &*target.text != "reject" {
                    return;
                }
                continue;
            };
            if !seen.contains(&target.text) {
                seen.push(target.text.clone());
                waiting.push(*next);
            }
        }
    }
    let message = format!("the parser `{}` never accepts a packet", parser.name.text);
    let warning = Diagnostic::warning(parser.name.span, message);
    let warning = warning.related(first.name.span, "no path from here leads to `accept`");
    found.push(warning.hint("a state without a transition goes to `reject`: add `transition accept;`"));
}
