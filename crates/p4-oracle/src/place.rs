//! Places: finding, reading, writing.

use super::Run;
use super::value::{Value, saturated};
use jettison_p4_front::ir::{Place, Step};

/// An error of the parser: an index into the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParserError(pub u32);

/// The way to a value: the variable, then the part of each composite or stack on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    pub root: usize,
    pub parts: Vec<usize>,
}

impl Run<'_> {
    /// The way to a place; `None` if an index is out of range.
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
                    panic!("{other:?} is no stack: the checker lets none through")
                }
            };
            here = &here.parts()[part];
            path.parts.push(part);
        }
        Ok(Some(path))
    }

    /// What is at a place; zero if it is out of range.
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

    /// Changes what is at a place; does nothing if it is out of range.
    pub fn change(&mut self, place: &Place, change: impl FnOnce(&mut Value)) -> Result<(), ParserError> {
        if let Some(path) = self.resolve(place)? {
            change(self.at_mut(&path));
        }
        Ok(())
    }

    /// What is at the end of a path.
    pub fn at(&self, path: &Path) -> &Value {
        path.parts.iter().fold(&self.variables[path.root], |value, part| &value.parts()[*part])
    }

    /// What is at the end of a path, to change it.
    pub fn at_mut(&mut self, path: &Path) -> &mut Value {
        path.parts.iter().fold(&mut self.variables[path.root], |value, part| &mut value.parts_mut()[*part])
    }

    /// An error by its name.
    pub fn error(&self, name: &str) -> ParserError {
        let index = self.program.errors.iter().position(|error| **error == *name);
        ParserError(u32::try_from(index.unwrap_or(0)).unwrap_or(0))
    }
}
