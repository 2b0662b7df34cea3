//! PSA switches under arbitrary packets: both machines agree, no packet stays inside, and what never ends is reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jettison_core::Seed;
use jettison_p4_exec::Machine;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_oracle::Reference;
use jettison_p4_v1model::control::{self, Located};
use jettison_p4_v1model::stf::{EndlessLoop, Sent, Testbed};

/// Sessions to a port, to the recirculation port, to the controller and to a group; a group with the recirculation port.
const COMMANDS: &str = "\
    mc_mgrp_create 1\n\
    mc_node_create 3 2 PSA_PORT_RECIRCULATE\n\
    mc_node_associate 1 0\n\
    mc_mgrp_create 5\n\
    mc_node_create 4 6 7\n\
    mc_node_associate 5 1\n\
    mirroring_add 1 2\n\
    mirroring_add 2 PSA_PORT_CPU truncate=6\n\
    mirroring_add 3 PSA_PORT_RECIRCULATE priority=3\n\
    mirroring_add_mc 4 1 truncate=5\n";

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stf/psa");
    let entries =
        fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("it can be read"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "p4"));
    paths.sort();
    paths
}

fn compiled(path: &Path) -> (Arc<Program>, Vec<Located>) {
    let mut sources = Sources::default();
    let main = sources.add(path.display().to_string(), fs::read_to_string(path).expect("it can be read"));
    let (program, _) =
        jettison_p4_front::compile(&mut sources, main, &Options::default()).expect("it compiles");
    let file = sources.add("commands", COMMANDS);
    let commands = control::parse(&sources, file, &program).expect("the commands are valid");
    (Arc::new(program), commands)
}

/// What a packet causes, and how many packets stay inside.
type Effect = (Result<(), EndlessLoop>, Vec<Sent>, usize);

/// Sends packets of a few values, so that they meet the programs' conditions.
fn effects<M: Machine + Send>(
    program: &Arc<Program>,
    commands: &[Located],
    machine: M,
    seed: u64,
) -> Vec<Effect> {
    let mut testbed = Testbed::new(program, machine, 500).expect("the switch can be built");
    for located in commands {
        testbed.switch_mut().apply(&located.command).expect("the command is accepted");
    }
    let mut random = Seed(seed).stream(&["packets"]);
    let mut effects = Vec::new();
    for _ in 0..60 {
        let length = random.uniform(0, 9);
        let bytes: Vec<u8> = (0..length).map(|_| random.uniform(0, 10) as u8).collect();
        let port = [0, 3, 510][random.uniform(0, 2) as usize];
        let done = testbed.receive(port, &bytes).and_then(|()| testbed.settle());
        let ended = done.is_err();
        effects.push((done, testbed.take_sent(), testbed.switch().simple_switch().packets_inside()));
        if ended {
            break;
        }
    }
    effects
}

#[test]
fn both_machines_agree_and_no_packet_stays_inside() {
    for path in programs() {
        let (program, commands) = compiled(&path);
        for seed in 0..4 {
            let fast = effects(&program, &commands, Compiled::new(program.clone()), seed);
            let exact = effects(&program, &commands, Reference::new(program.clone()), seed);
            assert_eq!(fast, exact, "{}, seed {seed}", path.display());
            for (done, _, inside) in &fast {
                assert!(done.is_err() || *inside == 0, "{}, seed {seed}: {inside} packets", path.display());
            }
        }
    }
}

/// A clone at the egress of the recirculation port, to that port, takes no time; the switch lets time pass.
#[test]
fn clones_that_never_end_are_reported() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stf/psa/clone_e2e.p4");
    let text = fs::read_to_string(&path).expect("it can be read");
    let text = text
        .replace("if (istd.packet_path == PSA_PacketPath_t.CLONE_E2E)", "if (false)")
        .replace("send_to_port(ostd, (PortId_t) 1);", "send_to_port(ostd, PSA_PORT_RECIRCULATE);");
    let mut sources = Sources::default();
    let main = sources.add(path.display().to_string(), text);
    let (program, _) =
        jettison_p4_front::compile(&mut sources, main, &Options::default()).expect("it compiles");
    let program = Arc::new(program);
    let file = sources.add("commands", COMMANDS);
    let commands = control::parse(&sources, file, &program).expect("the commands are valid");
    let mut testbed = Testbed::new(&program, Compiled::new(program.clone()), 500).expect("it can be built");
    for located in &commands {
        testbed.switch_mut().apply(&located.command).expect("the command is accepted");
    }
    let done = testbed.receive(0, &[3, 0, 0, 0]).and_then(|()| testbed.settle());
    assert_eq!(done, Err(EndlessLoop));
}
