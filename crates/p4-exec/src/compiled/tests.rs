//! Tests of the machine itself. Program behaviour is tested against the reference machine, and with packets.

use jettison_core::Seed;

use super::*;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header pair_t { bit<8> a; bit<16> b; }
struct headers_t { pair_t[3] pairs; }
struct meta_t { @field_list(1) bit<8> kept; bit<8> lost; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.pairs.next);
        transition select(hdr.pairs.last.a) {
            0 : start;
            1 : loop;
            2 : reject;
            default : accept;
        }
    }
    state loop { transition loop; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        meta.kept = hdr.pairs[0].a;
        meta.lost = 7;
        sm.egress_spec = (bit<9>) hdr.pairs[0].b;
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { hdr.pairs[0].b = (bit<16>) (meta.kept ++ meta.lost); }
}
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

fn compiled(text: &str) -> (Compiled, Plane, Arc<Program>) {
    let mut sources = Sources::default();
    let main = sources.add("test.p4", text);
    let (program, _) =
        jettison_p4_front::compile(&mut sources, main, &Options::default()).expect("the program is right");
    let program = Arc::new(program);
    let plane = Plane::new(&program, Seed(1).stream(&["test"]));
    (Compiled::new(program.clone()), plane, program)
}

fn error(program: &Program, parsed: Parsed) -> &str {
    &program.errors[parsed.error as usize]
}

#[test]
fn headers_extend_into_the_zeros_after_the_stored_bytes() {
    let (mut machine, mut plane, program) = compiled(PROGRAM);
    machine.reset();
    let parsed = machine.parse(Frame { bytes: &[0, 1, 2, 9, 0x12], zeros: 1 }, &mut plane);
    assert_eq!((error(&program, parsed), parsed.consumed), ("NoError", 6));
    let mut out = Vec::new();
    machine.deparse(&mut out, &mut plane);
    assert_eq!(out, [0, 1, 2, 9, 0x12, 0]);
    machine.reset();
    let parsed = machine.parse(Frame { bytes: &[0, 1, 2, 9, 0x12], zeros: 0 }, &mut plane);
    assert_eq!((error(&program, parsed), parsed.consumed), ("PacketTooShort", 3));
    assert_eq!(program.errors[machine.standard(Standard::ParserError) as usize], "PacketTooShort".into());
}

/// §12.8.1 of the specification and the bound that it leaves to the target.
#[test]
fn parsers_end_with_full_stacks_rejection_and_too_many_transitions() {
    let (mut machine, mut plane, program) = compiled(PROGRAM);
    let mut end = |bytes: &[u8]| {
        machine.reset();
        let parsed = machine.parse(Frame { bytes, zeros: 0 }, &mut plane);
        error(&program, parsed).to_owned()
    };
    assert_eq!(end(&[0; 12]), "StackOutOfBounds");
    assert_eq!(end(&[1, 0, 0]), "ParserTimeout");
    assert_eq!(end(&[2, 0, 0]), "NoError");
}

#[test]
fn a_saved_packet_is_restored_unchanged() {
    let (mut machine, mut plane, _) = compiled(PROGRAM);
    let mut saved = [Saved::default(), Saved::default()];
    for (saved, bytes) in saved.iter_mut().zip([[5, 0, 1], [6, 0, 2]]) {
        machine.reset();
        machine.parse(Frame { bytes: &bytes, zeros: 0 }, &mut plane);
        machine.run(Block::Ingress, Frame::default(), &mut plane);
        machine.save(saved);
    }
    for (saved, out) in saved.iter().zip([[5, 5, 7], [6, 6, 7]]) {
        machine.load(saved);
        assert_eq!(machine.standard(Standard::EgressSpec), u64::from(out[0]) - 4);
        machine.run(Block::Egress, Frame::default(), &mut plane);
        let mut bytes = Vec::new();
        machine.deparse(&mut bytes, &mut plane);
        assert_eq!(bytes, out);
    }
    machine.load(&Saved::default());
    assert_eq!(machine.standard(Standard::EgressSpec), 0);
}

#[test]
fn only_listed_metadata_survive_while_headers_stay() {
    let (mut machine, mut plane, program) = compiled(PROGRAM);
    machine.reset();
    machine.parse(Frame { bytes: &[5, 0, 1], zeros: 0 }, &mut plane);
    machine.run(Block::Ingress, Frame::default(), &mut plane);
    let mut saved = Saved::default();
    machine.save(&mut saved);
    let list = program.numbered_lists.get(&1).copied();
    assert!(list.is_some());
    for (list, kept) in [(list, 5), (None, 0)] {
        machine.load(&saved);
        machine.keep_only(list, &saved);
        assert_eq!(machine.standard(Standard::EgressSpec), 0);
        machine.run(Block::Egress, Frame::default(), &mut plane);
        let mut bytes = Vec::new();
        machine.deparse(&mut bytes, &mut plane);
        assert_eq!(bytes, [5, kept, 0]);
    }
}

#[test]
fn standard_metadata_are_truncated_to_their_width() {
    let (mut machine, _, _) = compiled(PROGRAM);
    machine.set_standard(Standard::EgressSpec, 0x3ff);
    assert_eq!(machine.standard(Standard::EgressSpec), 0x1ff);
    machine.set_standard(Standard::IngressGlobalTimestamp, u64::MAX);
    assert_eq!(machine.standard(Standard::IngressGlobalTimestamp), (1 << 48) - 1);
}

/// A save is one copy: headers, metadata and standard metadata are the first words of the store.
#[test]
fn the_state_of_a_packet_is_contiguous() {
    let (machine, _, program) = compiled(PROGRAM);
    let (_, layout) = lower(&program);
    let pipeline = &program.pipeline;
    let state = [pipeline.headers, pipeline.metadata, pipeline.standard_metadata];
    let words = state.map(|var| layout.words(program.variables[var.index()].ty));
    assert_eq!(layout.slot(state[0]), 0);
    assert_eq!(layout.slot(state[1]), words[0]);
    assert_eq!(layout.slot(state[2]), words[0] + words[1]);
    assert_eq!(machine.image.state as u32, words.iter().sum::<u32>());
}
