#![forbid(unsafe_code)]
//! Reference machine for P4 programs, for tests.
//!
//! It follows the specification and the doc comments of the [`ir`](jettison_p4_front::ir) step by step: it walks the
//! tree, computes with integers of arbitrary size, and tries table entries one by one. It is slow but simple. Tests
//! compare the compiled machine of `jettison-p4-exec` with it; production code must not depend on this crate.

mod expr;
mod externs;
mod packet;
mod parser;
mod place;
mod psa;
mod stmt;
mod table;
#[cfg(test)]
mod tests;
mod value;

use std::sync::Arc;

use num_bigint::BigUint;

use self::place::Path;
use self::value::{Value, cut, low};
use jettison_p4_exec::objects::{BitReader, BitWriter};
use jettison_p4_exec::{Block, Frame, Machine, Parsed, Plane, Standard};
use jettison_p4_front::ir::{FieldListId, FunctionId, ParserId, Program, VarId};

/// Machine that runs a program by walking its tree.
#[derive(Debug, Clone)]
pub struct Reference {
    program: Arc<Program>,
    variables: Vec<Value>,
    out: BitWriter,
}

/// Saved state of a packet: headers, metadata and standard metadata.
#[derive(Debug, Clone, Default)]
pub struct Saved(Option<[Value; 3]>);

/// One run of a block.
struct Run<'a> {
    program: &'a Program,
    variables: &'a mut Vec<Value>,
    plane: &'a mut Plane,
    out: &'a mut BitWriter,
    packet: BitReader<'a>,
    packet_length: usize,
    payload: Frame<'a>,
    transitions: u32,
    /// Number of iterations of all loops so far.
    iterations: u32,
}

impl Reference {
    /// Creates a machine with all values zero.
    pub fn new(program: Arc<Program>) -> Reference {
        let variables = program.variables.iter().map(|variable| Value::zero(&program.types, variable.ty));
        Reference { variables: variables.collect(), program, out: BitWriter::new() }
    }

    fn start<'a>(&'a mut self, packet: Frame<'a>, payload: Frame<'a>, plane: &'a mut Plane) -> Run<'a> {
        Run {
            program: &self.program,
            variables: &mut self.variables,
            plane,
            out: &mut self.out,
            packet: BitReader::new(packet),
            packet_length: packet.length(),
            payload,
            transitions: 0,
            iterations: 0,
        }
    }

    /// The variables of a packet's state.
    fn state(&self) -> [VarId; 3] {
        let pipeline = &self.program.pipeline;
        [pipeline.headers, pipeline.metadata, pipeline.standard_metadata]
    }
}

impl Machine for Reference {
    type Saved = Saved;

    fn reset(&mut self) {
        for (value, variable) in self.variables.iter_mut().zip(&self.program.variables) {
            *value = Value::zero(&self.program.types, variable.ty);
        }
    }

    fn parse(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        let parsed = self.parse_with(self.program.pipeline.parser, frame, plane);
        self.set_standard(Standard::ParserError, u64::from(parsed.error));
        parsed
    }

    fn parse_at_egress(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        let pipeline = &self.program.pipeline;
        let parser = pipeline.psa.as_ref().map_or(pipeline.parser, |psa| psa.parser);
        self.parse_with(parser, frame, plane)
    }

    fn deparse_at_ingress(&mut self, out: &mut Vec<u8>, plane: &mut Plane) {
        let pipeline = &self.program.pipeline;
        let deparser = pipeline.psa.as_ref().map_or(pipeline.deparser, |psa| psa.deparser);
        self.deparse_with(deparser, out, plane);
    }

    fn run(&mut self, block: Block, payload: Frame<'_>, plane: &mut Plane) {
        let mut run = self.start(Frame::default(), payload, plane);
        let pipeline = &run.program.pipeline;
        run.control(match block {
            Block::VerifyChecksum => pipeline.verify_checksum,
            Block::Ingress => pipeline.ingress,
            Block::Egress => pipeline.egress,
            Block::ComputeChecksum => pipeline.compute_checksum,
        });
    }

    fn deparse(&mut self, out: &mut Vec<u8>, plane: &mut Plane) {
        self.deparse_with(self.program.pipeline.deparser, out, plane);
    }

    fn standard(&self, field: Standard) -> u64 {
        standard(&self.program, &self.variables, field)
    }

    fn set_standard(&mut self, field: Standard, value: u64) {
        set_standard(&self.program, &mut self.variables, field, value);
    }

    fn save(&self, saved: &mut Saved) {
        saved.0 = Some(self.state().map(|variable| self.variables[variable.index()].clone()));
    }

    fn load(&mut self, saved: &Saved) {
        for (i, variable) in self.state().into_iter().enumerate() {
            self.variables[variable.index()] = match &saved.0 {
                Some(values) => values[i].clone(),
                None => Value::zero(&self.program.types, self.program.variables[variable.index()].ty),
            };
        }
    }

    fn keep_only(&mut self, list: Option<FieldListId>, from: &Saved) {
        let program = self.program.clone();
        let [_, metadata, standard] = self.state();
        let mut source = self.clone();
        source.load(from);
        for variable in [metadata, standard] {
            let ty = program.variables[variable.index()].ty;
            self.variables[variable.index()] = Value::zero(&program.types, ty);
        }
        let Some(list) = list else { return };
        for place in &program.field_lists[list.index()].places {
            if place.root != metadata && place.root != standard {
                continue;
            }
            let Some(path) = source.find(place) else { continue };
            let value = path.parts.iter().fold(&source.variables[path.root], |value, i| &value.parts()[*i]);
            let to = path.parts.iter().fold(&mut self.variables[path.root], |at, i| &mut at.parts_mut()[*i]);
            *to = value.clone();
        }
    }
}

impl Reference {
    fn parse_with(&mut self, parser: ParserId, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        let mut run = self.start(frame, Frame::default(), plane);
        let error = match run.parser(parser) {
            Ok(()) => 0,
            Err(error) => error.0,
        };
        Parsed { error, consumed: run.packet.position().div_ceil(8) }
    }

    fn deparse_with(&mut self, deparser: FunctionId, out: &mut Vec<u8>, plane: &mut Plane) {
        self.out.clear();
        self.start(Frame::default(), Frame::default(), plane).control(deparser);
        out.extend_from_slice(self.out.bytes());
    }

    /// Path of a field list's place, whose steps are constant.
    fn find(&self, place: &jettison_p4_front::ir::Place) -> Option<Path> {
        use jettison_p4_front::ir::Step;
        let parts = place.steps.iter().map(|step| match step {
            Step::Field(part) | Step::Element(part) => Some(*part as usize),
            Step::Index(_) | Step::Next | Step::Last => None,
        });
        Some(Path { root: place.root.index(), parts: parts.collect::<Option<_>>()? })
    }
}

impl Run<'_> {
    /// Runs a control to its end.
    fn control(&mut self, function: jettison_p4_front::ir::FunctionId) {
        let program = self.program;
        // `exit` ends the block like its last statement; controls have no parser errors.
        let _ended = self.block(&program.functions[function.index()].body);
    }

    fn set_standard(&mut self, field: Standard, value: u64) {
        set_standard(self.program, self.variables, field, value);
    }
}

/// Value of a field of the standard metadata; 0 if the program's architecture does not have it.
fn standard(program: &Program, variables: &[Value], field: Standard) -> u64 {
    let Some((steps, _)) = field.path(program) else { return 0 };
    let root = &variables[program.pipeline.standard_metadata.index()];
    low(steps.iter().fold(root, |value, step| &value.parts()[*step as usize]).bits())
}

fn set_standard(program: &Program, variables: &mut [Value], field: Standard, value: u64) {
    let Some((steps, ty)) = field.path(program) else { return };
    let root = &mut variables[program.pipeline.standard_metadata.index()];
    let place = steps.iter().fold(root, |value, step| &mut value.parts_mut()[*step as usize]);
    *place = Value::Bits(cut(BigUint::from(value), program.types.bits(ty)));
}
