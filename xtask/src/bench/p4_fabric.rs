//! A large pipeline: `p4/fabric.p4` with VLANs, 10,000 routes, 500 ternary entries, next hops and groups of them; and writes of
//! entries over P4Runtime's messages.

use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;

use jettison_core::{Duration, Seed, Time};
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::source::Sources;
use jettison_p4_runtime::info;
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::runtime::{
    Action, ActionParam, Entity, EntityKind, FieldMatch, FieldMatchKind, ForwardingPipelineConfig, Lpm,
    MasterArbitrationUpdate, StreamMessageRequest, StreamRequest, TableAction, TableActionKind, TableEntry,
    Uint128, Update, WriteRequest,
};
use jettison_p4_v1model::control::parse;
use jettison_p4_v1model::{Frames, P4Switch, SwitchPlan};
use jettison_queue::QueueDiscipline;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_switch::{Departure, Port, Switch, SwitchOutcomes};
use jettison_wire::Packet;
use prost::Message;

use super::p4::{Discard, compile};
use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading};

const PORTS: u16 = 32;
const ROUTES: u32 = 10_000;
/// One route in ten leads to a group of next hops.
const GROUPED: u32 = 10;
const RULES: u32 = 500;
const NEXT_HOPS: u32 = 64;
const GROUPS: u32 = 16;
const BATCH: u64 = 100_000;
const ROUNDS: usize = 11;
const SPACING: Duration = Duration::from_micros(1);
const ROUTER: [u8; 6] = [2, 0, 0, 0, 0, 1];
const WRITTEN: u32 = 10_000;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    vec![
        Benchmark {
            group: "p4",
            name: "p4-fabric".to_owned(),
            unit: "packets/s",
            required: Some(5e5),
            better: Better::Higher,
            measure: Box::new(|| packet_rate().map(Reading::of)),
        },
        Benchmark {
            group: "p4",
            name: "p4runtime-write".to_owned(),
            unit: "ms/10,000 entries",
            required: Some(1000.0),
            better: Better::Lower,
            measure: Box::new(|| write().map(Reading::of)),
        },
    ]
}

/// The switch's configuration. Port N is an untagged port of VLAN 100 + N; odd ports are tagged at their other end.
fn commands() -> String {
    let mut text = String::new();
    let mut add = |line: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{line}"); // a string takes all
    };
    for port in 0..u32::from(PORTS) {
        let vlan = 100 + port;
        add(format_args!("table_add vlan set_vlan {port} 0 0&&&0 => {vlan} 10"));
        add(format_args!("table_add vlan set_vlan {port} 1 {vlan}&&&0xfff => {vlan} 5"));
        add(format_args!("table_add my_mac route {vlan} 02:00:00:00:00:01 => 1"));
        if port % 2 == 1 {
            add(format_args!("table_add port_out send_tagged {port} {vlan} =>"));
        }
    }
    for hop in 0..NEXT_HOPS {
        let (port, vlan) = (hop % u32::from(PORTS), 100 + hop % u32::from(PORTS));
        add(format_args!(
            "table_add next_hops forward {hop} => 02:00:00:00:00:01 06:00:00:00:00:{hop:02x} {vlan} {port}"
        ));
        add(format_args!("act_prof_create_member ecmp set_next_hop {hop}"));
    }
    for group in 0..GROUPS {
        add(format_args!("act_prof_create_group ecmp"));
        for hop in 4 * group..4 * group + 4 {
            add(format_args!("act_prof_add_member_to_group ecmp {hop} {group}"));
        }
        add(format_args!("table_indirect_add_with_group groups {:#x} => {group}", 0x8000 | group));
    }
    for route in 0..ROUTES {
        let (prefix, length) = (destination(route), 20 + route % 9);
        let mask = u32::MAX << (32 - length);
        let prefix = std::net::Ipv4Addr::from(prefix & mask);
        match route % GROUPED {
            0 => add(format_args!("table_add routes set_group 1 {prefix}/{length} => {}", route % GROUPS)),
            _ => add(format_args!(
                "table_add routes set_next_hop 1 {prefix}/{length} => {}",
                route % NEXT_HOPS
            )),
        }
    }
    // Rules as access lists have them: a source network, a service, a host pair, a port; each with its own mask.
    for rule in 0..RULES {
        let host = std::net::Ipv4Addr::from(0xc612_0000 | (rule << 4));
        let any = "0&&&0";
        let (src, dst, protocol, dst_port) = match rule % 4 {
            0 => (format!("{host}&&&0xfffffff0"), any.to_owned(), any, any.to_owned()),
            1 => (any.to_owned(), any.to_owned(), "17&&&0xff", format!("{}&&&0xffff", 20_000 + rule)),
            2 => (
                format!("{host}&&&0xffffffff"),
                format!("{}&&&0xffffff00", std::net::Ipv4Addr::from(destination(rule) & 0xffff_ff00)),
                any,
                any.to_owned(),
            ),
            _ => (any.to_owned(), any.to_owned(), "6&&&0xff", format!("{}&&&0xfff0", 16 * rule)),
        };
        let action = if rule % 8 == 1 { "set_dscp" } else { "permit" };
        let value = if rule % 8 == 1 { "10" } else { "" };
        add(format_args!(
            "table_add acl {action} 0&&&0 {src} {dst} {protocol} 0&&&0 {dst_port} => {value} {}",
            rule + 1
        ));
    }
    text
}

/// An address behind a route. Each route has a /20 of its own.
fn destination(route: u32) -> u32 {
    0x0b00_0000 + (route << 12) + 5
}

fn switch() -> Result<P4Switch<Compiled>, String> {
    let program = compile("<fabric.p4>")?;
    let mut sources = Sources::default();
    let file = sources.add("commands", commands());
    let commands = parse(&sources, file, &program)
        .map_err(|errors| errors.first().map_or(String::new(), |error| error.one_line(&sources)))?;
    let queue = || -> Box<dyn QueueDiscipline> { Box::new(TailDrop::new(TailDropParameters::default())) };
    let stream = |name: &str| Seed(1).stream(&["bench", name]);
    let streams = (0..PORTS).map(|port| stream(&port.to_string())).collect();
    let queues = (0..PORTS).map(|_| queue()).collect();
    let machine = Compiled::new(Arc::clone(&program));
    let mut plan = SwitchPlan::new(program, queues, stream("ingress"), streams);
    plan.frames = Frames::Raw;
    plan.commands = commands.into_iter().map(|command| (Time::ZERO, command.command)).collect();
    plan.build(machine).map_err(|error| error.to_string())
}

/// Frames of 64 bytes without their check sequence, to addresses all over the routes. About half of them hit a rule.
fn packets() -> Vec<Packet> {
    let packet = |number: u32| {
        let source = 0xc612_0000 | (number * 7 % (16 * RULES));
        let mut frame = ROUTER.to_vec();
        frame.extend([6, 0, 0, 0, 1, 1, 8, 0]);
        let mut ip = [0_u8; 20];
        ip[0] = 0x45;
        ip[2..4].copy_from_slice(&46_u16.to_be_bytes());
        (ip[8], ip[9]) = (64, 17);
        ip[12..16].copy_from_slice(&source.to_be_bytes());
        ip[16..20].copy_from_slice(&destination(number * 37 % ROUTES).to_be_bytes());
        let sum: u32 = ip.as_chunks().0.iter().map(|pair| u32::from(u16::from_be_bytes(*pair))).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        let sum = !((folded & 0xffff) + (folded >> 16)) as u16;
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        frame.extend(ip);
        frame.extend(5000_u16.to_be_bytes());
        frame.extend((20_000 + (number % 1000) as u16).to_be_bytes());
        frame.extend([0, 26, 0, 0]);
        frame.resize(60, 0);
        Packet::from_frame(frame)
    };
    (0..8192).map(packet).collect()
}

fn packet_rate() -> Result<f64, String> {
    let mut switch = switch()?;
    let packets = packets();
    let (mut pending, mut sink) = (Vec::new(), Discard);
    let mut now = Time::ZERO;
    let mut round = |count: u64| {
        let mut sent = 0;
        for number in 0..count {
            now += SPACING;
            let packet = packets[number as usize % packets.len()].clone();
            let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
            switch.handle_packet(Port(number as u16 % PORTS), packet, now, &mut out);
            while let Some(port) = pending.pop() {
                let mut out = SwitchOutcomes { pending: &mut Vec::new(), sink: &mut sink };
                if let Some(Departure::Transmit(packet)) = switch.poll_transmit(port, now, &mut out) {
                    black_box(&packet);
                    sent += 1;
                }
            }
        }
        sent
    };
    round(BATCH / 10);
    let mut best = 0.0_f64;
    for _ in 0..ROUNDS {
        let stopwatch = CpuStopwatch::start();
        let sent = round(BATCH);
        let took = stopwatch.elapsed().as_secs_f64();
        if sent != BATCH {
            return Err(format!("all {BATCH} packets must leave the switch, got {sent}"));
        }
        best = best.max(BATCH as f64 / took);
    }
    Ok(best)
}

/// Milliseconds for the entries of one request, from its bytes to the table.
fn write() -> Result<f64, String> {
    let program = compile("<fabric.p4>")?;
    let described = info::describe(&program)?;
    let find = |name: &str| {
        let tables = described.tables.iter().map(|table| &table.preamble);
        let actions = described.actions.iter().map(|action| &action.preamble);
        let found = tables.chain(actions).flatten().find(|preamble| preamble.alias == name);
        found.map(|preamble| preamble.id).ok_or_else(|| format!("no `{name}`"))
    };
    let (table_id, action_id) = (find("routes")?, find("set_next_hop")?);
    let update = |route: u32| {
        let param = ActionParam { param_id: 1, value: vec![(route % NEXT_HOPS) as u8] };
        let action = Action { action_id, params: vec![param] };
        let prefix = (destination(route) & 0xffff_ff00).to_be_bytes().to_vec();
        let exact = jettison_p4_runtime::proto::runtime::Exact { value: vec![1] };
        let entry = TableEntry {
            table_id,
            match_fields: vec![
                FieldMatch { field_id: 1, kind: Some(FieldMatchKind::Exact(exact)) },
                FieldMatch {
                    field_id: 2,
                    kind: Some(FieldMatchKind::Lpm(Lpm { value: prefix, prefix_len: 24 })),
                },
            ],
            action: Some(TableAction { kind: Some(TableActionKind::Action(action)) }),
            ..TableEntry::default()
        };
        Update { kind: 1, entity: Some(Entity { entity: Some(EntityKind::TableEntry(entry)) }) }
    };
    let election_id = Some(Uint128 { high: 0, low: 1 });
    let request = WriteRequest {
        device_id: 1,
        election_id,
        updates: (0..WRITTEN).map(update).collect(),
        ..WriteRequest::default()
    };
    let bytes = request.encode_to_vec();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let config = ForwardingPipelineConfig { p4info: Some(described.clone()), ..Default::default() };
        let mut node =
            Node::standalone(1, 510, program.clone(), config).map_err(|fault| fault.to_string())?;
        let client = node.open();
        let update = MasterArbitrationUpdate { device_id: 1, election_id, ..Default::default() };
        let hello = StreamMessageRequest { update: Some(StreamRequest::Arbitration(update)) };
        node.message(client, hello, Time::ZERO).map_err(|fault| fault.to_string())?;
        let stopwatch = CpuStopwatch::start();
        let read = WriteRequest::decode(&bytes[..]).map_err(|error| error.to_string())?;
        if let Some(errors) = node.write(&read, Time::ZERO).map_err(|fault| fault.to_string())? {
            let failed = errors.iter().find(|error| error.canonical_code != 0);
            return Err(failed.map_or(String::new(), |error| error.message.clone()));
        }
        best = best.min(stopwatch.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}
