//! Which names are types.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::ast::Name;

/// What is declared, innermost last.
#[derive(Default)]
pub(super) struct Scopes {
    /// Of each name, whether its declarations are of types.
    names: FxHashMap<Arc<str>, Vec<bool>>,
    /// The declarations, in order.
    declared: Vec<Arc<str>>,
    /// How many there were when each open scope was opened.
    opened: Vec<usize>,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.opened.push(self.declared.len());
    }

    /// Forgets what was declared since the matching [`Scopes::open`].
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

    /// Whether the innermost declaration of a name is a type's.
    pub(super) fn is_type(&self, name: &str) -> bool {
        self.names.get(name).and_then(|declarations| declarations.last()).copied().unwrap_or(false)
    }

    /// Whether a name is declared.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|declarations| !declarations.is_empty())
    }
}
