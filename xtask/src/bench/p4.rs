//! P4 programs in the simulator without I/O: packets enter at one port, pass the program's ingress and egress, and leave at
//! another; the front end; ternary tables.

use std::hint::black_box;
use std::sync::Arc;

use jettison_core::{DropReason, Duration, MarkReason, Seed, Time};
use jettison_measure::Outcomes;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_exec::table::{Entry, EntryAction, Tables};
use jettison_p4_front::ir::{ActionValue, KeyMatch, Program};
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::control::parse;
use jettison_p4_v1model::{P4Switch, SwitchPlan};
use jettison_queue::QueueDiscipline;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_switch::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};
use jettison_wire::{Address, Headers, InlineBytes, Packet, Transport, UdpHeader};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading};

/// Number of routes in the forwarding table.
const ROUTES: u32 = 1000;
/// Packets per measurement.
const BATCH: u64 = 200_000;
/// Number of measurements, of which the best counts.
const ROUNDS: usize = 15;
/// Backlogs for CoDel and for iRED; the latter is between iRED's thresholds, so that it draws and clones.
const WAITING: [u64; 2] = [20, 40];
/// Interval of 64-byte packets at two million packets per second.
const SPACING: Duration = Duration::from_nanos(500);
/// Payload of a 64-byte Ethernet frame without its check sequence: 14 + 20 + 8 + 18.
const PAYLOAD: usize = 18;

/// Number of entries and of masks in the ternary table.
const ENTRIES: u64 = 10_000;
const MASKS: u64 = 16;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let rate = |name: &str, required, program: &'static str, waiting| Benchmark {
        group: "p4",
        name: name.to_owned(),
        unit: "packets/s",
        required: Some(required),
        better: Better::Higher,
        measure: Box::new(move || packet_rate(program, waiting).map(Reading::of)),
    };
    vec![
        rate("p4-lpm", 2e6, "forward", 0),
        rate("p4-codel", 1e6, "codel", WAITING[0]),
        rate("p4-ired", 1e6, "ired", WAITING[1]),
        Benchmark {
            group: "p4",
            name: "p4-front-end".to_owned(),
            unit: "ms/1000 lines",
            required: Some(50.0),
            better: Better::Lower,
            measure: Box::new(|| front_end().map(Reading::of)),
        },
        Benchmark {
            group: "p4",
            name: "p4-ternary".to_owned(),
            unit: "ns/lookup",
            required: Some(1000.0),
            better: Better::Lower,
            measure: Box::new(|| ternary().map(Reading::of)),
        },
    ]
}

/// Sink that discards drops and marks.
pub(super) struct Discard;

impl PortOutcomes for Discard {
    fn at(&mut self, _: Option<Port>) -> &mut dyn Outcomes {
        self
    }
    fn offered(&mut self, _: Port, _: &Packet, _: Time) {}
}

impl Outcomes for Discard {
    fn dropped(&mut self, packet: Packet, _: DropReason, _: Time) {
        black_box(packet);
    }
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

pub(super) fn compile(name: &str) -> Result<Arc<Program>, String> {
    let (path, text) =
        jettison_p4_front::library::program(name).ok_or_else(|| format!("unknown program {name}"))?;
    compiled(&path, text)
}

fn compiled(path: &str, text: &str) -> Result<Arc<Program>, String> {
    let mut sources = Sources::default();
    let main = sources.add(path, text);
    match jettison_p4_front::compile(&mut sources, main, &Options::default()) {
        Ok((program, _)) => Ok(Arc::new(program)),
        Err(errors) => Err(errors.first().map_or(String::new(), |error| error.one_line(&sources))),
    }
}

/// Creates a switch with two ports, its program's own commands, and routes for a thousand /24 prefixes, all to port 1.
fn switch(name: &str) -> Result<P4Switch<Compiled>, String> {
    let program = compile(&format!("<{name}.p4>"))?;
    let mut text = String::new();
    if let Some((_, commands)) = jettison_p4_front::library::program(&format!("<{name}.commands>")) {
        text.push_str(commands);
        text.push('\n');
    }
    for route in 0..ROUTES {
        text.push_str(&format!("table_add ipv4_lpm send 11.{}.{}.0/24 => 1\n", route >> 8, route & 255));
    }
    let mut sources = Sources::default();
    let file = sources.add("commands", text);
    let commands = parse(&sources, file, &program)
        .map_err(|errors| errors.first().map_or(String::new(), |error| error.one_line(&sources)))?;
    let queue = || -> Box<dyn QueueDiscipline> { Box::new(TailDrop::new(TailDropParameters::default())) };
    let stream = |name: &str| Seed(1).stream(&["bench", name]);
    let streams = vec![stream("0"), stream("1")];
    let machine = Compiled::new(Arc::clone(&program));
    let mut plan = SwitchPlan::new(program, vec![queue(), queue()], stream("ingress"), streams);
    plan.commands = commands.into_iter().map(|command| (Time::ZERO, command.command)).collect();
    plan.build(machine).map_err(|error| error.to_string())
}

fn packets() -> Vec<Packet> {
    let packet = |number: u32| {
        let route = number * 37 % ROUTES;
        let headers = Headers {
            src: Address::v4(198, 18, 0, 1),
            dst: Address::v4(11, (route >> 8) as u8, (route & 255) as u8, (number % 250) as u8 + 1),
            transport: Transport::Udp(UdpHeader {
                src_port: 5000,
                dst_port: 5001,
                inline: InlineBytes::default(),
            }),
        };
        Packet::model(headers, PAYLOAD)
    };
    (0..4096).map(packet).collect()
}

fn packet_rate(name: &str, waiting: u64) -> Result<f64, String> {
    let mut switch = switch(name)?;
    let packets = packets();
    let (mut pending, mut sink) = (Vec::new(), Discard);
    let mut now = Time::ZERO;
    let mut round = |count: u64, waiting: u64| {
        let mut sent = 0;
        for number in 0..count {
            now += SPACING;
            let packet = packets[number as usize % packets.len()].clone();
            let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
            if switch.next_wakeup().is_some_and(|due| due <= now) {
                switch.handle_wakeup(now, &mut out);
            }
            switch.handle_packet(Port(0), packet, now, &mut out);
            if switch.backlog(Port(1)).packets > waiting
                && let Some(Departure::Transmit(packet)) = switch.poll_transmit(Port(1), now, &mut out)
            {
                black_box(&packet);
                sent += 1;
            }
            pending.clear();
        }
        sent
    };
    round(BATCH / 10, waiting);
    let mut best = 0.0_f64;
    for _ in 0..ROUNDS {
        let stopwatch = CpuStopwatch::start();
        let sent = round(BATCH, waiting);
        let took = stopwatch.elapsed().as_secs_f64();
        if sent * 10 < BATCH * 9 {
            return Err(format!("at least 90 % of {BATCH} packets must leave the switch, got {sent}"));
        }
        best = best.max(BATCH as f64 / took);
    }
    Ok(best)
}

/// Milliseconds for a thousand lines, the built-in includes counted: they are read too.
fn front_end() -> Result<f64, String> {
    let mut lines = 0;
    let mut texts = Vec::new();
    for name in jettison_p4_front::library::programs() {
        let (path, text) =
            jettison_p4_front::library::program(&name).ok_or_else(|| format!("unknown program {name}"))?;
        lines += text.lines().count();
        texts.push((path, text));
    }
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let stopwatch = CpuStopwatch::start();
        for (path, text) in &texts {
            black_box(compiled(path, text)?);
        }
        best = best.min(stopwatch.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best / (lines as f64 / 1000.0))
}

const TERNARY: &str = r#"
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; bit<32> b; }
struct headers_t { h_t h; }
struct meta_t {}
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {} }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
    action send(bit<9> port) { sm.egress_spec = port; }
    table t {
        key = { hdr.h.a : ternary; hdr.h.b : ternary; }
        actions = { send; NoAction; }
        size = 20000;
    }
    apply { t.apply(); }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) { apply {} }
control C(inout headers_t hdr, inout meta_t m) { apply {} }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

fn ternary() -> Result<f64, String> {
    let program = compiled("ternary.p4", TERNARY)?;
    let mut tables = Tables::new(&program);
    let id = jettison_p4_front::ir::TableId(0);
    let mask = |number: u64| (u64::from(u32::MAX) << (number % MASKS)) & u64::from(u32::MAX);
    let mut random = Seed(1).stream(&["bench", "ternary"]);
    let mut keys = Vec::new();
    for number in 0..ENTRIES {
        let (a, b) = (random.uniform(0, u64::from(u32::MAX)), random.uniform(0, u64::from(u32::MAX)));
        keys.push([a, b]);
        let field = |value: u64| KeyMatch::Ternary(value.into(), mask(number).into());
        let action = EntryAction::Action(ActionValue { action: 0, data: vec![(number % 500).into()] });
        let entry = Entry { keys: vec![field(a), field(b)], priority: number as i64, action };
        tables.table_mut(id).insert(entry).map_err(|error| error.to_string())?;
    }
    let table = tables.table(id);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let stopwatch = CpuStopwatch::start();
        let mut found = 0;
        for key in &keys {
            found += u64::from(table.lookup(black_box(key)).is_some());
            // A lookup without a match tries every mask.
            found += u64::from(table.lookup(black_box(&[key[1] ^ 0x5555_0000, key[0]])).is_some());
        }
        let took = stopwatch.elapsed().as_secs_f64();
        if found < ENTRIES {
            return Err(format!("all {ENTRIES} entries must be found, got {found}"));
        }
        best = best.min(took * 1e9 / (2 * ENTRIES) as f64);
    }
    Ok(best)
}
