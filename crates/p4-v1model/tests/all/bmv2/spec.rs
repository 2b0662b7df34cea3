//! The target `spec`: what it changes in cases whose `bmv2` behaviour is recorded.

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::TargetModel;
use jettison_p4_oracle::Reference;

use super::{load, run};

/// The packets that leave, of both machines, when a case runs for the target `spec`.
fn packets(file: &str, name: &str) -> Vec<String> {
    let (cases, base) = load(file);
    let case = cases.iter().find(|case| case.name == name).expect("the case exists");
    let program = run::compile(case, &base, TargetModel::Spec).expect("the program is right");
    let compiled = run::run(case, &program, Compiled::new(program.clone()));
    let reference = run::run(case, &program, Reference::new(program.clone()));
    assert_eq!(compiled, reference);
    let sent = |lines: &[String]| -> Vec<String> {
        lines.iter().filter(|line| line.starts_with("> ")).cloned().collect()
    };
    assert_ne!(sent(&compiled), sent(&case.recorded), "the targets differ");
    sent(&compiled)
}

#[test]
fn set_valid_leaves_the_fields_of_a_header_as_they_were() {
    assert_eq!(packets("headers", "set_valid_again_after_set_invalid"), ["> 1 ~ ee02030405060708"]);
}

#[test]
fn a_selector_uses_as_many_hash_bits_as_it_declares() {
    let sent = packets("tables", "selector_crc16_width_1");
    let member = |line: &String| line["> 1 ~ 01".len()..][..2].to_owned();
    assert_eq!(sent.len(), 8);
    assert!(sent.iter().all(|line| ["11", "21"].contains(&&*member(line))), "{sent:?}");
}

#[test]
fn the_packet_length_is_that_of_the_frame_that_came() {
    assert_eq!(
        packets("packets", "packet_length_after_set_valid"),
        ["> 1 ~ 1717000000000000000000000000000001"]
    );
}

#[test]
fn resubmitted_and_recirculated_packets_have_a_time() {
    assert_eq!(packets("packets", "resubmit_timestamp"), ["> 1 ~ 0200000000000000"]);
    assert_eq!(packets("packets", "recirculate_timestamp"), ["> 1 ~ 0402000000000000"]);
}

#[test]
fn a_truncation_holds_for_replicas_and_recirculated_packets() {
    assert_eq!(packets("packets", "truncate_and_recirculate"), ["> 1 ~ 18000000000000000102"]);
    let replicas = packets("packets", "truncate_and_multicast");
    assert_eq!(replicas, ["> 2 ~ 00000000000000000102", "> 3 ~ 00000000000000000102"]);
}

#[test]
fn a_clone_session_is_not_cut_to_fifteen_bits() {
    assert_eq!(packets("packets", "clone_ingress_session_32768"), ["> 1 ~ 0001000000000000"]);
}
