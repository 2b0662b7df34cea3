//! Layout of values in the store.
//!
//! A scalar takes one word per 64 bits, at least one, lowest word first. A varbit takes its length, then the words of
//! its maximum width (bits above the length are zero). A header takes its validity, then its fields; a stack its next
//! index, then its elements; a union or struct its members.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::plan::{EqualPart, Width};
use crate::Standard;
use crate::table::words_for;
use jettison_p4_front::ir::{CompositeKind, Program, Type, TypeId, Types, VarId};

/// Sizes of types and slots of variables.
pub(super) struct Layout<'p> {
    pub types: &'p Types,
    shapes: RefCell<FxHashMap<TypeId, Rc<Shape>>>,
    /// Slot of each [`VarId`].
    pub slots: Vec<u32>,
}

/// Size and member offsets of a composite.
pub(super) struct Shape {
    pub words: u32,
    /// Offset of each field of a composite, or of a stack's first element.
    pub offsets: Vec<u32>,
}

/// A scalar or varbit inside a value, or a word of the value's structure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaf {
    Value {
        offset: u32,
        width: Width,
    },
    /// A header's validity.
    Valid {
        offset: u32,
    },
    /// A stack's next index.
    Next {
        offset: u32,
        size: u32,
    },
}

impl<'p> Layout<'p> {
    pub fn new(types: &'p Types) -> Layout<'p> {
        Layout { types, shapes: RefCell::default(), slots: Vec::new() }
    }

    pub fn slot(&self, var: VarId) -> u32 {
        self.slots[var.index()]
    }

    /// Slot and type of a field of the standard metadata.
    pub fn standard(&self, program: &Program, field: Standard) -> Option<(u32, TypeId)> {
        let var = program.pipeline.standard_metadata;
        let (steps, of) = field.path(program)?;
        let (mut slot, mut ty) = (self.slot(var), program.variables[var.index()].ty);
        for step in steps {
            slot += self.shape(ty).offsets[step as usize];
            ty = self.types.field(ty, step);
        }
        Some((slot, of))
    }

    /// Number of words of a value.
    pub fn words(&self, ty: TypeId) -> u32 {
        match self.types.get(ty) {
            Type::Composite(_) | Type::Stack { .. } => self.shape(ty).words,
            Type::Varbit { max_width: most } => 1 + words_for(most) as u32,
            _ => words_for(self.types.bits(ty)) as u32,
        }
    }

    pub fn shape(&self, ty: TypeId) -> Rc<Shape> {
        if let Some(shape) = self.shapes.borrow().get(&ty) {
            return shape.clone();
        }
        let mut offsets = Vec::new();
        let words = match self.types.get(ty) {
            Type::Composite(id) => {
                let composite = self.types.composite(id);
                let mut at = u32::from(composite.kind == CompositeKind::Header);
                for field in &composite.fields {
                    offsets.push(at);
                    at += self.words(field.ty);
                }
                at
            }
            Type::Stack { element, size } => {
                offsets.push(1);
                1 + size * self.words(element)
            }
            _ => self.words(ty),
        };
        let shape = Rc::new(Shape { words, offsets });
        self.shapes.borrow_mut().insert(ty, shape.clone());
        shape
    }

    pub fn is_signed(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Bits { signed: true, .. })
    }

    /// Whether a value is a single number, of any width.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        !matches!(self.types.get(ty), Type::Composite(_) | Type::Stack { .. } | Type::Varbit { .. })
    }

    /// Whether a value is a single number of at most 64 bits.
    pub fn is_narrow(&self, ty: TypeId) -> bool {
        self.is_scalar(ty) && self.types.bits(ty) <= 64
    }

    pub fn kind(&self, ty: TypeId) -> Option<CompositeKind> {
        self.types.as_composite(ty).map(|composite| composite.kind)
    }

    /// Members of a composite or stack: offset and type.
    pub fn parts(&self, ty: TypeId) -> Vec<(u32, TypeId)> {
        match self.types.get(ty) {
            Type::Composite(id) => {
                let fields = self.types.composite(id).fields.iter().map(|field| field.ty);
                self.shape(ty).offsets.iter().copied().zip(fields).collect()
            }
            Type::Stack { element, size } => {
                let stride = self.words(element);
                (0..size).map(|index| (1 + index * stride, element)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Leaves of a value, in order.
    pub fn leaves(&self, ty: TypeId, offset: u32, into: &mut Vec<Leaf>) {
        match self.types.get(ty) {
            Type::Composite(_) => {
                if self.kind(ty) == Some(CompositeKind::Header) {
                    into.push(Leaf::Valid { offset });
                }
            }
            Type::Stack { size, .. } => into.push(Leaf::Next { offset, size }),
            Type::Varbit { max_width: most } => {
                into.push(Leaf::Value { offset, width: Width::Varbit { max_width: most } })
            }
            _ => into.push(Leaf::Value { offset, width: Width::Fixed(self.types.bits(ty)) }),
        }
        for (at, part) in self.parts(ty) {
            self.leaves(part, offset + at, into);
        }
    }

    /// Scalars and varbits of a value that starts at a slot.
    pub fn values(&self, ty: TypeId, slot: u32) -> Vec<(u32, Width)> {
        let mut leaves = Vec::new();
        self.leaves(ty, slot, &mut leaves);
        let values = leaves.into_iter().filter_map(|leaf| match leaf {
            Leaf::Value { offset, width } => Some((offset, width)),
            Leaf::Valid { .. } | Leaf::Next { .. } => None,
        });
        values.collect()
    }

    /// Parts of a value that `==` compares.
    pub fn equal_parts(&self, ty: TypeId, at: u32, into: &mut Vec<EqualPart>) {
        let count = self.words(ty);
        let is_header = self.kind(ty) == Some(CompositeKind::Header);
        let parts = self.parts(ty);
        if is_header {
            into.push(EqualPart { header: true, at, count });
        } else if matches!(self.types.get(ty), Type::Composite(_) | Type::Stack { .. }) {
            for (offset, part) in parts {
                self.equal_parts(part, at + offset, into);
            }
        } else {
            match into.last_mut() {
                Some(last) if !last.header && last.at + last.count == at => last.count += count,
                _ => into.push(EqualPart { header: false, at, count }),
            }
        }
    }
}
