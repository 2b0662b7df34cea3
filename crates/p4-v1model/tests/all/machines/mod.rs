//! Comparison of the compiled and the reference machine on random programs and packets.

mod choices;
mod expr;
mod externs;
mod generator;
mod parser;
mod print;
mod stmt;
mod tables;
mod world;

use jettison_core::{Seed, Time};
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_exec::{Block, Digest, Frame, Machine, Parsed, Plane, Standard};
use jettison_p4_front::ir::{ExternId, ExternKind, FieldListId, Program};
use jettison_p4_oracle::Reference;
use proptest::prelude::*;

/// A packet, and the handling of its state between ingress and egress.
#[derive(Debug, Clone)]
struct Packet {
    bytes: Vec<u8>,
    zeros: usize,
    port: u64,
    /// Field list to preserve, as for a clone; all fields if the packet only waits in a queue.
    keep: Option<Option<u32>>,
}

fn packet() -> impl Strategy<Value = Packet> {
    let keep = prop_oneof![Just(None), Just(Some(None)), (0u32..2).prop_map(|list| Some(Some(list)))];
    (prop::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..90), 0usize..30, 0u64..600, keep)
        .prop_map(|(bytes, zeros, port, keep)| Packet { bytes, zeros, port, keep })
}

/// Observable result of a packet.
#[derive(Debug, Clone, PartialEq)]
struct Trace {
    parsed: Parsed,
    standard: Vec<u64>,
    digests: Vec<Digest>,
    effects: String,
    out: Vec<u8>,
    objects: Vec<String>,
}

fn run<M: Machine>(program: &Program, machine: &mut M, plane: &mut Plane, packet: &Packet) -> Trace {
    let frame = Frame { bytes: &packet.bytes, zeros: packet.zeros };
    let mut standard = Vec::new();
    let mut look = |machine: &M| standard.extend(Standard::ALL.map(|field| machine.standard(field)));
    machine.reset();
    machine.set_standard(Standard::IngressPort, packet.port);
    machine.set_standard(Standard::PacketLength, frame.length() as u64);
    plane.packet_bytes = frame.length() as u64;
    let parsed = machine.parse(frame, plane);
    look(machine);
    let rest = parsed.consumed.min(frame.length());
    let stored = rest.min(frame.bytes.len());
    let payload =
        Frame { bytes: &frame.bytes[stored..], zeros: frame.length() - rest - (frame.bytes.len() - stored) };
    for block in [Block::VerifyChecksum, Block::Ingress] {
        machine.run(block, payload, plane);
        look(machine);
    }
    let mut saved = M::Saved::default();
    machine.save(&mut saved);
    machine.reset();
    match packet.keep {
        None => machine.load(&saved),
        Some(list) => {
            machine.parse(frame, plane);
            machine.keep_only(list.map(FieldListId), &saved);
        }
    }
    for block in [Block::Egress, Block::ComputeChecksum] {
        machine.run(block, payload, plane);
        look(machine);
    }
    let mut out = vec![0xee];
    machine.deparse(&mut out, plane);
    look(machine);
    let digests = plane.effects.digests.drain(..).collect();
    let effects = format!("{:?}", plane.effects);
    plane.effects.clear();
    plane.effects.messages.clear();
    plane.now += jettison_core::Duration::from_micros(300);
    Trace { parsed, standard, digests, effects, out, objects: objects(program, plane) }
}

fn objects(program: &Program, plane: &Plane) -> Vec<String> {
    let look = |(i, instance): (usize, &jettison_p4_front::ir::ExternInstance)| {
        let id = ExternId(i as u32);
        match instance.kind {
            ExternKind::Register { .. } => format!("{:?}", plane.objects.register(id)),
            ExternKind::Counter { .. } | ExternKind::DirectCounter => {
                format!("{:?}", plane.objects.counter(id))
            }
            ExternKind::Meter { .. } | ExternKind::DirectMeter { .. } => {
                format!("{:?}", plane.objects.meter(id))
            }
        }
    };
    program.externs.iter().enumerate().map(look).collect()
}

fn plane(program: &Program, changes: &[tables::Change]) -> Plane {
    let mut plane = Plane::new(program, Seed(5).stream(&["machines"]));
    plane.now = Time::from_micros(7);
    for change in changes {
        change.apply(&mut plane);
    }
    plane
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn the_compiled_machine_agrees_with_the_reference(
        numbers in prop::collection::vec(any::<u32>(), 0..2400),
        packets in prop::collection::vec(packet(), 1..4),
    ) {
        let (program, changes) = generator::program(&numbers);
        let mut reference = (Reference::new(program.clone()), plane(&program, &changes));
        let mut compiled = (Compiled::new(program.clone()), plane(&program, &changes));
        for packet in &packets {
            let expected = run(&program, &mut reference.0, &mut reference.1, packet);
            let found = run(&program, &mut compiled.0, &mut compiled.1, packet);
            prop_assert!(found == expected, "{}", print::difference(&program, &changes, &expected, &found));
        }
    }
}

/// The generator produces every kind of statement and expression.
#[test]
fn random_programs_cover_every_construct() {
    let mut stream = Seed(9).stream(&["programs"]);
    let mut wanted: Vec<&str> = "
        Constant Read Unary Binary Conditional Slice Cast Aggregate Invalid IsValid LastIndex NextIndex
        PacketLength SizeInBits Not Complement Negate Add Subtract AddSaturating SubtractSaturating Multiply
        Divide Modulo ShiftLeft ShiftRight BitAnd BitOr BitXor Concat And Or Equal NotEqual Less LessOrEqual
        Greater GreaterOrEqual Field Element Index Next Last Assign AssignSlice Reset SetValid SetInvalid
        PushFront PopFront If Switch Loop Break Continue Return Exit Call Apply Extract Lookahead Advance
        Verify CallParser Emit Extern RegisterRead RegisterWrite Count ExecuteMeter ReadDirectMeter Random Hash
        VerifyChecksum UpdateChecksum Digest Clone Resubmit Recirculate Truncate LogMessage Assert Nothing Of
        Numbered Any Value Mask Range ValueSet Accept Reject State Select Exact Lpm Ternary Optional Selector"
        .split_whitespace()
        .collect();
    for _ in 0..300 {
        let numbers: Vec<u32> = (0..2400).map(|_| stream.uniform(0, u64::from(u32::MAX)) as u32).collect();
        let (program, _) = generator::program(&numbers);
        let text = format!("{program:?}");
        let words: std::collections::HashSet<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        wanted.retain(|word| !words.contains(word));
    }
    assert_eq!(wanted, Vec::<&str>::new());
}
