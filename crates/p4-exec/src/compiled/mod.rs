//! Compiled machine: instructions over one array of words.
//!
//! Every field, local and constant has a fixed slot in the store. Wide values take several slots; a header takes a word
//! for its validity before its fields. The packet's state (headers, metadata, standard metadata) is contiguous at the
//! start, so that saving a packet is one copy. Instructions name slots; no tree is walked and nothing is allocated per
//! packet. Tests compare this machine with the reference machine.

mod code;
mod layout;
mod lower;
mod plan;
mod run;
mod scalar;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::code::Code;
use self::lower::lower;
use self::run::{Memory, Run};
use super::{Block, Frame, Machine, Parsed, Plane, Standard};
use jettison_p4_front::ir::{FieldListId, Program, Step};

/// Machine that runs compiled code.
#[derive(Debug, Clone)]
pub struct Compiled {
    image: Arc<Image>,
    memory: Memory,
}

/// The immutable part of a compiled program, shared by its machines.
#[derive(Debug)]
struct Image {
    code: Code,
    /// Number of words of the packet's state, and the offset of the metadata in it.
    state: usize,
    metadata: usize,
    /// Slot and width of each field of the standard metadata, in the order of [`Standard::ALL`].
    standard: [Option<(usize, u32)>; Standard::ALL.len()],
    /// Words that each field list preserves: first slot and count.
    lists: Vec<Vec<(usize, usize)>>,
}

/// A packet's state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Saved {
    words: Vec<u64>,
}

impl Compiled {
    /// Compiles a program.
    pub fn new(program: Arc<Program>) -> Compiled {
        let image = Image::new(&program);
        let memory = Memory::new(&image.code);
        Compiled { image: Arc::new(image), memory }
    }

    fn start<'a>(&'a mut self, frame: Frame<'a>, out: &'a mut Vec<u8>, plane: &'a mut Plane) -> Run<'a> {
        Run::new(&self.image.code, &mut self.memory, frame, out, plane)
    }

    #[inline]
    fn parse_from(&mut self, entry: u32, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        let mut out = Vec::new();
        let mut run = self.start(frame, &mut out, plane);
        let error = run.run(entry).unwrap_or(0);
        Parsed { error, consumed: run.consumed() }
    }

    #[inline]
    fn deparse_from(&mut self, entry: u32, out: &mut Vec<u8>, plane: &mut Plane) {
        let mut run = self.start(Frame::default(), out, plane);
        run.run(entry);
        run.fill_up();
    }
}

impl Image {
    fn new(program: &Program) -> Image {
        let (code, layout) = lower(program);
        let words =
            |var: jettison_p4_front::ir::VarId| layout.words(program.variables[var.index()].ty) as usize;
        let pipeline = &program.pipeline;
        let ends = [pipeline.headers, pipeline.metadata, pipeline.standard_metadata]
            .map(|var| layout.slot(var) as usize + words(var));
        let state = ends.into_iter().max().unwrap_or(0);
        let first = layout.slot(pipeline.metadata).min(layout.slot(pipeline.standard_metadata));

        let standard = Standard::ALL.map(|field| {
            layout.standard(program, field).map(|(slot, ty)| (slot as usize, program.types.bits(ty)))
        });

        let kept = |place: &jettison_p4_front::ir::Place| {
            if place.root != pipeline.metadata && place.root != pipeline.standard_metadata {
                return None;
            }
            let (mut slot, mut ty) = (layout.slot(place.root), program.variables[place.root.index()].ty);
            for step in &place.steps {
                let (Step::Field(part) | Step::Element(part)) = step else { return None };
                slot += layout.parts(ty)[*part as usize].0;
                ty = program.types.field(ty, *part);
            }
            Some((slot as usize, layout.words(ty) as usize))
        };
        let lists =
            program.field_lists.iter().map(|list| list.places.iter().filter_map(kept).collect()).collect();
        Image { code, state, metadata: first as usize, standard, lists }
    }
}

impl Machine for Compiled {
    type Saved = Saved;

    fn reset(&mut self) {
        self.memory.store[..self.image.code.cleared].fill(0);
    }

    fn parse(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        let parsed = self.parse_from(self.image.code.entries.parser, frame, plane);
        self.set_standard(Standard::ParserError, u64::from(parsed.error));
        parsed
    }

    fn parse_at_egress(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        self.parse_from(self.image.code.entries.parser_at_egress, frame, plane)
    }

    fn deparse_at_ingress(&mut self, out: &mut Vec<u8>, plane: &mut Plane) {
        self.deparse_from(self.image.code.entries.deparser_at_ingress, out, plane);
    }

    fn run(&mut self, block: Block, payload: Frame<'_>, plane: &mut Plane) {
        let entry = self.image.code.entries.blocks[block as usize];
        if self.image.code.is_empty(entry) {
            return;
        }
        self.start(payload, &mut Vec::new(), plane).run(entry);
    }

    fn deparse(&mut self, out: &mut Vec<u8>, plane: &mut Plane) {
        self.deparse_from(self.image.code.entries.deparser, out, plane);
    }

    #[inline]
    fn standard(&self, field: Standard) -> u64 {
        self.image.standard[field as usize].map_or(0, |(slot, _)| self.memory.store[slot])
    }

    #[inline]
    fn set_standard(&mut self, field: Standard, value: u64) {
        if let Some((slot, width)) = self.image.standard[field as usize] {
            let mask = u64::MAX.checked_shr(64u32.saturating_sub(width)).unwrap_or(0);
            self.memory.store[slot] = value & mask;
        }
    }

    fn save(&self, saved: &mut Saved) {
        saved.words.clear();
        saved.words.extend_from_slice(&self.memory.store[..self.image.state]);
    }

    fn load(&mut self, saved: &Saved) {
        let state = &mut self.memory.store[..self.image.state];
        if saved.words.is_empty() {
            state.fill(0);
        } else {
            state.copy_from_slice(&saved.words);
        }
    }

    fn keep_only(&mut self, list: Option<FieldListId>, from: &Saved) {
        let state = self.image.state;
        self.memory.store[self.image.metadata..state].fill(0);
        let Some(list) = list else { return };
        for (slot, words) in &self.image.lists[list.index()] {
            if let Some(kept) = from.words.get(*slot..slot + words) {
                self.memory.store[*slot..slot + words].copy_from_slice(kept);
            }
        }
    }
}
