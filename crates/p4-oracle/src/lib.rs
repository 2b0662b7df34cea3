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
use jettison_p4_front::ir::{FieldListId, Program, VarId};

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
        let mut run = self.start(frame, Frame::default(), plane);
        let error = match run.parser(run.program.pipeline.parser) {
            Ok(()) => 0,
            Err(error) => error.0,
        };
        run.set_standard(Standard::ParserError, u64::from(error));
        Parsed { error, consumed: run.packet.position().div_ceil(8) }
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
        self.out.clear();
        let mut run = self.start(Frame::default(), Frame::default(), plane);
        run.control(run.program.pipeline.deparser);
        out.extend_from_slice(self.out.bytes());
    }

    fn standard(&self, field: Standard) -> u64 {
        let variable = self.program.pipeline.standard_metadata.index();
        standard_field(&self.program, field).map_or(0, |i| low(self.variables[variable].parts()[i].bits()))
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

    fn standard(&self, field: Standard) -> u64 {
        let variable = self.program.pipeline.standard_metadata.index();
        standard_field(self.program, field).map_or(0, |i| low(self.variables[variable].parts()[i].bits()))
    }

    fn set_standard(&mut self, field: Standard, value: u64) {
        set_standard(self.program, self.variables, field, value);
    }
}

/// Index of a field in the program's `standard_metadata_t`.
fn standard_field(program: &Program, field: Standard) -> Option<usize> {
    let ty = program.variables[program.pipeline.standard_metadata.index()].ty;
    let composite = program.types.as_composite(ty)?;
    composite.fields.iter().position(|candidate| &*candidate.name == field.name())
}

fn set_standard(program: &Program, variables: &mut [Value], field: Standard, value: u64) {
    let variable = program.pipeline.standard_metadata.index();
    let Some(i) = standard_field(program, field) else { return };
    let width = program.types.bits(program.types.field(program.variables[variable].ty, i as u32));
    variables[variable].parts_mut()[i] = Value::Bits(cut(BigUint::from(value), width));
}
