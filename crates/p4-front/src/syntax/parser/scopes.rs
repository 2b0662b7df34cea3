//! Scopes: which names denote types.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::ast::Name;

/// Declared names, innermost scope last.
#[derive(Default)]
pub(super) struct Scopes {
    /// For each name, whether each of its declarations (outermost first) is a type.
    names: FxHashMap<Arc<str>, Vec<bool>>,
    /// Declared names, in order.
    declared: Vec<Arc<str>>,
    /// Length of `declared` at the start of each open scope.
    opened: Vec<usize>,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.opened.push(self.declared.len());
    }

    /// Closes the innermost scope and removes its declarations.
    pub(super) fn close(&mut self) {
        let length = self.opened.pop().unwrap_or(0);
        for name in self.declared.drain(length..) {
            if let Some(declarations) = self.names.get_mut(&name) {
                declarations.pop();
            }
        }
    }

    pub(super) fn declare_type(&mut self, name: &Name) {
        self.declare(name, true);
    }

    pub(super) fn declare_value(&mut self, name: &Name) {
        self.declare(name, false);
    }

    fn declare(&mut self, name: &Name, is_type: bool) {
        self.names.entry(name.text.clone()).or_default().push(is_type);
        self.declared.push(name.text.clone());
    }

    /// Whether the innermost declaration of a name is a type.
    pub(super) fn is_type(&self, name: &str) -> bool {
        self.names.get(name).and_then(|declarations| declarations.last()).copied().unwrap_or(false)
    }

    /// Whether a name is declared.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|declarations| !declarations.is_empty())
    }
}
