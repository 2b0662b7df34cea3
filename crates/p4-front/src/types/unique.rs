//! Control-plane names: each refers to one entity (§20.3.3.1).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use crate::source::Span;

const HINT: &str = "a control plane could not tell them apart: change a declaration or its `@name`";

/// Reports tables of one name. Names clash through `@name`, and if a type is applied twice without an instance.
///
/// Actions may share a name, because programs translated from P4_14 rely on it: a table's list tells them apart.
pub(super) fn control_plane_names(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: FxHashMap<&Arc<str>, Span> = FxHashMap::default();
    for table in &program.tables {
        match seen.get(&table.name) {
            Some(first) => diagnostics.push(clash(&table.name, table.span, *first)),
            None => {
                seen.insert(&table.name, table.span);
            }
        }
    }
}

fn clash(name: &str, span: Span, first: Span) -> Diagnostic {
    let error = Diagnostic::error(span, format!("duplicate control-plane name `{name}`"));
    // Two instances of one declaration have the same position.
    match first == span {
        true => error.label("in two instances").hint(HINT),
        false => error.related(first, "this has the same name").hint(HINT),
    }
}

impl Checker<'_> {
    /// Reports a second extern object of a name.
    pub(super) fn unique_object(&mut self, path: &Arc<str>, span: Span) {
        match self.output.objects.get(path) {
            Some(first) => {
                let error = clash(path, span, *first);
                self.report(error);
            }
            None => {
                self.output.objects.insert(path.clone(), span);
            }
        }
    }
}
