//! Places: resolution, reads and writes.

use super::Run;
use super::value::{Value, saturated};
use jettison_p4_front::ir::{Place, Step};

/// A parser error: an index into the program's errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParserError(pub u32);

/// Path to a value: the variable, then the member of each composite or stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    pub root: usize,
    pub parts: Vec<usize>,
}

impl Run<'_> {
    /// Resolves a place; `None` if an index is out of range.
    pub fn resolve(&self, place: &Place) -> Result<Option<Path>, ParserError> {
        let mut path = Path { root: place.root.index(), parts: Vec::new() };
        let mut here = &self.variables[path.root];
        for step in &place.steps {
            let part = match (step, here) {
                (Step::Field(part) | Step::Element(part), _) => *part as usize,
                (Step::Index(index), _) => {
                    let index = saturated(self.eval(index)?.bits());
                    match usize::try_from(index) {
                        Ok(index) if index < here.parts().len() => index,
                        _ => return Ok(None),
                    }
                }
                (Step::Next, Value::Stack { next, elements }) => {
                    let next = *next as usize;
                    if next >= elements.len() {
                        return Err(self.error("StackOutOfBounds"));
                    }
                    next
                }
                (Step::Last, Value::Stack { next, .. }) => {
                    let last = next.checked_sub(1).ok_or_else(|| self.error("StackOutOfBounds"))?;
                    last as usize
                }
                (Step::Next | Step::Last, other) => {
                    panic!("{other:?} is not a stack: the checker rejects such programs")
                }
            };
            here = &here.parts()[part];
            path.parts.push(part);
        }
        Ok(Some(path))
    }

    /// Reads a place; zero if it is out of range.
    pub fn read(&self, place: &Place) -> Result<Value, ParserError> {
        Ok(match self.resolve(place)? {
            Some(path) => self.at(&path).clone(),
            None => Value::zero(&self.program.types, place.ty),
        })
    }

    /// Writes to a place; does nothing if it is out of range.
    pub fn write(&mut self, place: &Place, value: Value) -> Result<(), ParserError> {
        self.change(place, |at| *at = value)
    }

    /// Modifies the value at a place; does nothing if it is out of range.
    pub fn change(&mut self, place: &Place, change: impl FnOnce(&mut Value)) -> Result<(), ParserError> {
        if let Some(path) = self.resolve(place)? {
            change(self.at_mut(&path));
        }
        Ok(())
    }

    /// The value at the end of a path.
    pub fn at(&self, path: &Path) -> &Value {
        path.parts.iter().fold(&self.variables[path.root], |value, part| &value.parts()[*part])
    }

    /// The value at the end of a path, mutable.
    pub fn at_mut(&mut self, path: &Path) -> &mut Value {
        path.parts.iter().fold(&mut self.variables[path.root], |value, part| &mut value.parts_mut()[*part])
    }

    /// Finds an error by its name.
    pub fn error(&self, name: &str) -> ParserError {
        let index = self.program.errors.iter().position(|error| **error == *name);
        ParserError(u32::try_from(index.unwrap_or(0)).unwrap_or(0))
    }
}
