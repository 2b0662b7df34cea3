//! Tests of the command language and of the commands' effects.

use std::sync::Arc;

use jettison_switch::{Port, Replica};
use num_bigint::BigUint;

use super::*;
use crate::testing::{Toy, empty_program, nothing, plan, toy};
use crate::{MirrorSession, MirrorTarget, P4Switch};
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{Entry, EntryAction, Handle};
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{
    ActionProfile, ActionProfileId, ActionValue, Expr, ExprKind, Extern, ExternId, ExternInstance,
    ExternKind, FieldListChoice, Function, FunctionId, FunctionKind, HashAlgorithm, Key, KeyMatch, MatchKind,
    MeterUnit, Program, Stmt, StmtKind, Table, TableAction, TableId, Type, ValueSet, VarId, Variable,
};
use jettison_p4_front::source::{FileId, Sources, Span};

const SPAN: Span = Span { file: FileId(0), start: 3, end: 5 };

/// `ingress.forward` (lpm on 32 bits), `ingress.acl` (ternary, range), `ingress.ecmp` (a selector's); actions
/// `ingress.set_port(bit<9> port)` and `NoAction`; a register, counters, a meter, a value set.
fn program() -> Program {
    let mut program = empty_program();
    let bits =
        |width, types: &mut jettison_p4_front::ir::Types| types.add(Type::Bits { width, signed: false });
    let [nine, sixteen, thirty_two, eight] = [9, 16, 32, 8].map(|width| bits(width, &mut program.types));
    program.variables.push(Variable { name: "port".into(), ty: nine });
    let action = |name: &str, data| TableAction {
        function: FunctionId(0),
        name: name.into(),
        data,
        before: Vec::new(),
        after: Vec::new(),
        default_only: false,
        table_only: false,
    };
    let actions =
        || vec![action("ingress.set_port", vec![("port".into(), VarId(0))]), action(".NoAction", Vec::new())];
    let key = |name: &str, ty, kind| Key {
        expr: Expr { kind: ExprKind::Constant(BigUint::default()), ty },
        kind,
        name: name.into(),
    };
    let table = |name: &str, keys, profile| Table {
        name: name.into(),
        before: Vec::new(),
        keys,
        actions: actions(),
        default: ActionValue { action: 1, data: Vec::new() },
        default_is_const: false,
        entries: Vec::new(),
        entries_are_const: false,
        size: Some(3),
        profile,
        direct_counter: None,
        direct_meter: None,
        direct_in_actions: false,
        span: SPAN,
    };
    let lpm = vec![key("hdr.ipv4.dst", thirty_two, MatchKind::Lpm)];
    let acl = vec![key("port", sixteen, MatchKind::Ternary), key("size", eight, MatchKind::Range)];
    let ecmp = vec![key("dst", eight, MatchKind::Exact), key("src", eight, MatchKind::Selector)];
    program.tables = vec![
        table("ingress.forward", lpm, None),
        table("ingress.acl", acl, None),
        table("ingress.ecmp", ecmp, Some(ActionProfileId(0))),
    ];
    let selector = Some((HashAlgorithm::Crc16, 16));
    program.profiles = vec![ActionProfile { name: "ingress.hashed".into(), size: 8, selector }];
    program.value_sets = vec![ValueSet {
        name: "p.set".into(),
        size: 4,
        keys: vec![(sixteen, MatchKind::Exact), (nine, MatchKind::Exact)],
    }];
    let object = |name: &str, kind| ExternInstance { name: name.into(), kind, initial: None };
    program.externs = vec![
        object("ingress.r", ExternKind::Register { size: 4, ty: sixteen }),
        object("ingress.c", ExternKind::Counter { size: 2 }),
        object("ingress.m", ExternKind::Meter { size: 2, unit: MeterUnit::Packets }),
        object("ingress.d", ExternKind::DirectCounter),
    ];
    program
}

fn read(text: &str) -> Result<Vec<Command>, Vec<String>> {
    let program = program();
    let mut sources = Sources::default();
    let file = sources.add("s1.txt", text);
    let one_line =
        |errors: Vec<Diagnostic>| errors.iter().map(|error| error.one_line(&sources)).collect::<Vec<_>>();
    let located = parse(&sources, file, &program).map_err(one_line)?;
    Ok(located.into_iter().map(|located| located.command).collect())
}

fn one(text: &str) -> Command {
    let commands = read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    <[Command; 1]>::try_from(commands).unwrap_or_else(|commands| panic!("{text}: {commands:?}"))[0].clone()
}

fn error(text: &str) -> String {
    read(text).expect_err("it is wrong").join("\n")
}

fn switch() -> P4Switch<Toy> {
    let (machine, _) = toy(14, nothing, nothing);
    plan(program()).build(machine).expect("a plan without commands")
}

/// Executes the commands of a file and returns the last result.
fn apply<M: Machine + Send>(switch: &mut P4Switch<M>, text: &str) -> Result<Answer, CommandError> {
    let mut answer = Ok(Answer::Done);
    for command in read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")) {
        answer = switch.apply(&command);
    }
    answer
}

fn big(value: u32) -> BigUint {
    BigUint::from(value)
}

fn set_port(port: u32) -> EntryAction {
    EntryAction::Action(ActionValue { action: 0, data: vec![big(port)] })
}

#[test]
fn table_add_reads_keys_data_and_a_priority_where_there_is_one() {
    let forward = Entry { keys: vec![KeyMatch::Lpm(big(0x0a00_0000), 8)], priority: 0, action: set_port(3) };
    assert_eq!(
        one("table_add ingress.forward ingress.set_port 10.0.0.0/8 => 3"),
        Command::TableAdd { table: TableId(0), entry: forward }
    );
    // The smallest priority wins in a command file, the largest in a table.
    let keys = vec![KeyMatch::Ternary(big(80), big(0xffff)), KeyMatch::Range(big(1), big(9))];
    let action = EntryAction::Action(ActionValue { action: 1, data: Vec::new() });
    assert_eq!(
        one("  table_add acl NoAction 80&&&0xffff 1->9 => 7 # the web"),
        Command::TableAdd { table: TableId(1), entry: Entry { keys, priority: -7, action } }
    );
}

#[test]
fn a_file_has_one_command_per_line_with_comments_and_blank_lines() {
    let commands = read("# all\n\n  # more\nregister_reset r\r\n\tmc_mgrp_create 7   # seven\n").unwrap();
    let expected = [Command::RegisterReset { register: ExternId(0) }, Command::GroupCreate { group: 7 }];
    assert_eq!(commands, expected);
    // Comments of C++, and the ports of `simple_switch`, which links replace.
    let commands =
        read("// all\nport_add veth0 0\nregister_reset r // again\nport_remove 0\nshow_ports\n").unwrap();
    assert_eq!(commands, expected[..1]);
}

#[test]
fn every_command_is_parsed() {
    for (text, command) in [
        (
            "table_modify forward set_port 4 => 2",
            Command::TableModify { table: TableId(0), entry: Handle(4), action: set_port(2) },
        ),
        ("table_delete forward 4", Command::TableDelete { table: TableId(0), entry: Handle(4) }),
        ("table_clear acl", Command::TableClear { table: TableId(1) }),
        (
            "table_set_default forward set_port 511",
            Command::TableSetDefault { table: TableId(0), action: set_port(511) },
        ),
        (
            "table_set_default forward set_port => 511",
            Command::TableSetDefault { table: TableId(0), action: set_port(511) },
        ),
        ("table_reset_default forward", Command::TableResetDefault { table: TableId(0) }),
        ("table_num_entries forward", Command::TableCount { table: TableId(0) }),
        (
            "table_indirect_add_with_group ecmp 3 => 1",
            Command::TableAdd {
                table: TableId(2),
                entry: Entry {
                    keys: vec![KeyMatch::Exact(big(3))],
                    priority: 0,
                    action: EntryAction::Group(1),
                },
            },
        ),
        (
            "table_indirect_set_default ecmp 1",
            Command::TableSetDefault { table: TableId(2), action: EntryAction::Member(1) },
        ),
        (
            "act_prof_create_member hashed set_port 5",
            Command::MemberCreate {
                profile: ActionProfileId(0),
                action: ActionValue { action: 0, data: vec![big(5)] },
            },
        ),
        (
            "act_prof_modify_member hashed set_port 2 5",
            Command::MemberModify {
                profile: ActionProfileId(0),
                member: 2,
                action: ActionValue { action: 0, data: vec![big(5)] },
            },
        ),
        (
            "act_prof_add_member_to_group hashed 1 0",
            Command::MemberGroupAdd { profile: ActionProfileId(0), member: 1, group: 0 },
        ),
        ("pvs_clear set", Command::ValueSetClear { set: jettison_p4_front::ir::ValueSetId(0) }),
        ("mirroring_add 5 7", Command::MirroringAdd { session: 5, config: MirrorSession::to_port(Port(7)) }),
        (
            "mirroring_add 5 7 truncate=64 priority=2",
            Command::MirroringAdd {
                session: 5,
                config: MirrorSession { to: MirrorTarget::Port(Port(7)), truncate: Some(64), priority: 2 },
            },
        ),
        ("mirroring_add_mc 5 9", Command::MirroringAdd { session: 5, config: MirrorSession::to_group(9) }),
        ("mirroring_delete 5", Command::MirroringDelete { session: 5 }),
        ("set_queue_depth 100", Command::QueueDepth { packets: 100, port: None, priority: None }),
        (
            "set_queue_rate 5000 2 1",
            Command::QueueRate { packets_per_second: 5000, port: Some(Port(2)), priority: Some(1) },
        ),
        ("mc_node_create 10 1 2 3", Command::NodeCreate { rid: 10, ports: [1, 2, 3].map(Port).to_vec() }),
        ("mc_node_dissociate 7 0", Command::NodeDissociate { group: 7, node: 0 }),
        ("register_read ingress.r 2", Command::RegisterRead { register: ExternId(0), index: Some(2) }),
        (
            "register_write r 0 0xffff",
            Command::RegisterWrite { register: ExternId(0), index: 0, value: big(0xffff) },
        ),
        ("counter_read d 9", Command::CounterRead { counter: ExternId(3), index: 9 }),
        (
            "meter_array_set_rates m 0.1:3 1:4",
            Command::MeterRates {
                meter: ExternId(2),
                index: None,
                rates: ["0.1:3", "1:4"].map(|rate| rate.parse().expect("a rate")),
            },
        ),
    ] {
        assert_eq!(one(text), command, "{text}");
    }
    let Command::CrcParameters { algorithm, parameters } =
        one("set_crc16_parameters calc 0x1021 0xffff 0 false true")
    else {
        panic!("it is one")
    };
    assert_eq!((algorithm, parameters.polynomial), (HashAlgorithm::Crc16Custom, 0x1021));
    assert!(!parameters.reflect_data && parameters.reflect_remainder);
}

#[test]
fn errors_have_a_position_and_suggest_a_fix() {
    for (text, place, message) in [
        ("\ntable_ad forward set_port 1 => 1", "s1.txt:2:1: error", "unknown command `table_ad`"),
        ("table_add forwrd set_port 1 => 1", "s1.txt:1:11: error", "did you mean `forward`"),
        ("table_add forward set_prt 1 => 1", "s1.txt:1:19: error", "did you mean `set_port`"),
        ("table_add forward set_port 10.0.0.0/33 => 1", "s1.txt:1:28: error", "0 to 32"),
        ("table_add forward set_port => 1", "s1.txt:1:28: error", "missing key `hdr.ipv4.dst`"),
        (
            "table_add forward set_port 1 2 => 1",
            "s1.txt:1:30: error",
            "expected `=>`: table `ingress.forward` has 1 key",
        ),
        ("table_add forward set_port 1 => 512", "s1.txt:1:33: error", "must fit in 9 bits"),
        (
            "table_add forward set_port 1 =>",
            "s1.txt:1:31: error",
            "missing `port` of action `ingress.set_port`",
        ),
        ("table_add forward set_port 1 => 1 9", "s1.txt:1:35: error", "unexpected argument `9`"),
        ("table_add acl NoAction 1 1->2 =>", "s1.txt:1:32: error", "priority"),
        ("table_add ecmp", "s1.txt:1:14: error", "missing action"),
        ("mirroring_add 32768 1", "s1.txt:1:15: error", "0 to 32767"),
        ("mirroring_add 1 2 priority=8", "s1.txt:1:19: error", "0 to 7"),
        ("mc_node_create 1 2 | 3", "s1.txt:1:20: error", "not supported"),
        ("register_write r x 1", "s1.txt:1:18: error", "the index must be a number"),
        ("register_write r 0 65536", "s1.txt:1:20: error", "must fit in 16 bits"),
        ("meter_set_rates m 0 2:1 1:1", "s1.txt:1:25: error", "the peak"),
        ("meter_set_rates m 0 2 1:1", "s1.txt:1:21: error", "RATE:BURST"),
        ("register_read c", "s1.txt:1:15: error", "unknown register"),
    ] {
        let error = error(text);
        assert!(error.starts_with(place) && error.contains(message), "{text}: {error}");
    }
    assert_eq!(error("a\nregister_reset r\nb").lines().count(), 2, "each invalid line once");
}

#[test]
fn a_value_set_takes_one_value_per_field_or_all_bits_together() {
    let member = vec![KeyMatch::Exact(big(0x1234)), KeyMatch::Exact(big(5))];
    for text in ["pvs_add set 0x1234 5", "pvs_add p.set 0x246805"] {
        assert_eq!(
            one(text),
            Command::ValueSetAdd { set: jettison_p4_front::ir::ValueSetId(0), member: member.clone() },
            "{text}"
        );
    }
    assert!(error("pvs_add set 0x4000000").contains("25 bits"));
    let mut switch = switch();
    assert_eq!(apply(&mut switch, "pvs_add set 1 1"), Ok(Answer::Done));
    assert_eq!(apply(&mut switch, "pvs_remove set 1 1"), Ok(Answer::Done));
    assert!(apply(&mut switch, "pvs_remove set 1 1").is_err());
}

#[test]
fn entries_are_added_changed_dumped_and_removed() {
    let mut switch = switch();
    let add = "table_add forward set_port 10.0.0.0/8 => 1\ntable_add forward set_port 0/0 => 2";
    assert_eq!(apply(&mut switch, add), Ok(Answer::Number(1)));
    assert_eq!(apply(&mut switch, "table_modify forward set_port 1 => 3"), Ok(Answer::Done));
    assert_eq!(apply(&mut switch, "table_set_default forward set_port 4"), Ok(Answer::Done));
    let Ok(Answer::Text(text)) = apply(&mut switch, "table_dump forward") else { panic!("a text") };
    let expected = "table ingress.forward\n\
                    0: hdr.ipv4.dst=0xa000000/8 => ingress.set_port(port=0x1)\n\
                    1: hdr.ipv4.dst=0x0/0 => ingress.set_port(port=0x3)\n\
                    default: ingress.set_port(port=0x4)\n";
    assert_eq!(text, expected);
    assert_eq!(apply(&mut switch, "table_delete forward 0\ntable_num_entries forward"), Ok(Answer::Count(1)));
    let again = apply(&mut switch, "table_delete forward 0").unwrap_err().to_string();
    assert_eq!(again, "table `ingress.forward`: unknown entry 0");
    assert_eq!(apply(&mut switch, "table_clear forward\ntable_num_entries forward"), Ok(Answer::Count(0)));
    apply(&mut switch, "table_reset_default forward").unwrap();
    assert_eq!(
        *switch.plane().tables.table(TableId(0)).default(),
        EntryAction::Action(ActionValue { action: 1, data: vec![] })
    );
}

#[test]
fn a_full_table_rejects_entries() {
    let mut switch = switch();
    for port in 0..3 {
        apply(&mut switch, &format!("table_add forward set_port 10.{port}.0.0/16 => 1")).unwrap();
    }
    let full = apply(&mut switch, "table_add forward set_port 10.9.0.0/16 => 1").unwrap_err().to_string();
    assert_eq!(full, "table `ingress.forward`: the table is full: it has 3 entries");
}

#[test]
fn members_and_groups_have_numbers_from_zero() {
    let mut switch = switch();
    let members = "act_prof_create_member hashed set_port 1\nact_prof_create_member hashed set_port 2";
    assert_eq!(apply(&mut switch, members), Ok(Answer::Number(1)));
    assert_eq!(apply(&mut switch, "act_prof_create_group hashed"), Ok(Answer::Number(0)));
    let use_it = "act_prof_add_member_to_group hashed 1 0\ntable_indirect_add_with_group ecmp 7 => 0";
    assert_eq!(apply(&mut switch, use_it), Ok(Answer::Number(0)));
    assert!(apply(&mut switch, "act_prof_add_member_to_group hashed 9 0").is_err());
}

#[test]
fn registers_counters_and_meters_are_read_and_written() {
    let mut switch = switch();
    apply(&mut switch, "register_write r 3 0xbeef").unwrap();
    assert_eq!(apply(&mut switch, "register_read r 3"), Ok(Answer::Values(vec![big(0xbeef)])));
    let all = Answer::Values([0, 0, 0, 0xbeef].map(big).to_vec());
    assert_eq!(apply(&mut switch, "register_read r"), Ok(all));
    assert_eq!(apply(&mut switch, "register_reset r\nregister_read r 3"), Ok(Answer::Values(vec![big(0)])));
    let beyond = apply(&mut switch, "register_write r 4 1").unwrap_err().to_string();
    assert_eq!(beyond, "the index of `ingress.r` must be < 4, got 4");
    let counted = Ok(Answer::Counter { packets: 7, bytes: 700 });
    assert_eq!(apply(&mut switch, "counter_write c 1 7 700\ncounter_read c 1"), counted);
    assert_eq!(apply(&mut switch, "counter_write d 5 7 700\ncounter_read d 5"), counted);
    assert_eq!(
        apply(&mut switch, "counter_reset c\ncounter_read c 1").unwrap().to_string(),
        "packets=0, bytes=0"
    );
    apply(&mut switch, "meter_array_set_rates m 0.1:1 1:2").unwrap();
    apply(&mut switch, "meter_set_rates m 1 0.2:1 1:2").unwrap();
    let rate =
        |index| switch.plane().objects.meter(ExternId(2)).rates(index).map(|rates| rates[0].per_microsecond);
    assert_eq!((rate(0), rate(1)), (Some(100_000_000), Some(200_000_000)));
    assert!(apply(&mut switch, "meter_set_rates m 2 0.2:1 1:2").is_err());
}

#[test]
fn multicast_groups_reach_the_pipeline() {
    let mut switch = switch();
    let create = "mc_mgrp_create 7\nmc_node_create 4 2 1";
    assert_eq!(apply(&mut switch, create), Ok(Answer::Number(0)));
    apply(&mut switch, "mc_node_associate 7 0").unwrap();
    let replica = |port| Replica { port: Port(port), number: 4 };
    assert_eq!(switch.replication.members(7), [replica(1), replica(2)]);
    assert!(
        apply(&mut switch, "mc_node_create 0 4")
            .unwrap_err()
            .to_string()
            .contains("the port must be < 4, got 4")
    );
    assert!(
        apply(&mut switch, "mc_node_associate 8 0").unwrap_err().to_string().contains("mc_mgrp_create 8")
    );
    apply(&mut switch, "mc_node_update 0 3\nmc_node_destroy 0").unwrap();
    assert!(switch.replication.members(7).is_empty());
}

#[test]
fn an_unconfigured_constant_session_gives_a_warning() {
    let mut program = program();
    let constant = |session: u32| {
        let ty = program.types.clone().add(Type::Bits { width: 32, signed: false });
        Expr { kind: ExprKind::Constant(big(session)), ty }
    };
    let clone = |session| {
        let call = Extern::Clone { egress: true, session: constant(session), keep: FieldListChoice::Nothing };
        Stmt { kind: StmtKind::Extern(Box::new(call)), span: SPAN }
    };
    let choice =
        StmtKind::If { condition: constant(1), then: vec![clone(6), clone(6)], otherwise: vec![clone(5)] };
    let body = vec![Stmt { kind: choice, span: SPAN }];
    program.functions =
        vec![Function { name: Arc::from("e"), kind: FunctionKind::Control, body, span: SPAN }];
    let warnings = unconfigured_sessions(&program, &[one("mirroring_add 5 1")]);
    let [warning] = &warnings[..] else { panic!("one: {warnings:?}") };
    assert!(warning.message.contains("session 6") && !warning.is_error());
    assert_eq!(unconfigured_sessions(&program, []).len(), 2);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(lines in proptest::collection::vec("(table_add|pvs_add|meter_set_rates|mirroring_add|register_write|mc_node_create|set_crc32_parameters|table_indirect_add)? ?(forward|acl|set|m|r|5)? ?(set_port|NoAction)? ?[ -~é]{0,20}(=>)?[ -~]{0,12}", 0..6)) {
        let _ = read(&lines.join("\n"));
    }
}
