//! Order of declarations: a name is declared before it is used (§6.6.1). Only states of a parser are an exception.

use super::Checker;
use super::scope::declared_name;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Declaration, DeclarationKind, Name};

/// Positions of the top-level declarations.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Span and index of each declaration, by file and start.
    spans: Vec<(Span, usize)>,
}

impl Order {
    pub fn of(declarations: &[Declaration]) -> Order {
        let mut spans: Vec<(Span, usize)> =
            declarations.iter().enumerate().map(|(index, declaration)| (declaration.span, index)).collect();
        spans.sort_by_key(|(span, index)| (span.file, span.start, *index));
        Order { spans }
    }

    /// Index of the declaration around a name; none for a name that a macro or an included file put into it.
    fn around(&self, name: Span) -> Option<usize> {
        let after =
            self.spans.partition_point(|(span, _)| (span.file, span.start) <= (name.file, name.start));
        let (span, index) = self.spans.get(after.checked_sub(1)?)?;
        (span.file == name.file && name.end <= span.end).then_some(*index)
    }
}

impl<'a> Checker<'a> {
    /// Reports the use of a top-level name in front of its declaration.
    pub(super) fn check_order(&mut self, name: &'a Name) {
        let declarations = self.declarations;
        let Some(here) = self.order.around(name.span) else { return };
        let Some(numbers) = self.globals.get(&name.text) else { return };
        // A program's control may have the name of an architecture's block type, which the package mentions before.
        if matches!(declarations[here].kind, DeclarationKind::Package { .. }) {
            return;
        }
        // A declaration that contains itself is an error of its own. One overload is enough.
        let Some(first) = numbers.iter().min().copied().filter(|first| *first > here) else { return };
        let Some(there) = declared_name(&declarations[first].kind).map(|name| name.span) else { return };
        let error = Diagnostic::error(name.span, format!("`{}` is used before its declaration", name.text));
        let error = error.label("not declared yet").related(there, "declared here");
        self.report(error.hint("move the declaration in front of its first use"));
    }
}
