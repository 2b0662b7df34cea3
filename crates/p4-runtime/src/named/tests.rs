use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::{Seed, Time};
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_v1model::{P4Switch, SwitchPlan};

use crate::attached::Attached;
use crate::{Change, Code, Fault};

use super::Named;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> kind; }
header ipv4_t { bit<8> tos; bit<32> src; bit<32> dst; int<8> skew; }
@controller_header("packet_out") header out_t { bit<9> port; bit<7> pad; }
struct headers { out_t sent; ethernet_t ethernet; ipv4_t ipv4; }
struct seen_t { bit<48> mac; bit<9> port; }
struct metadata { }
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
  value_set<bit<16>>(4) kinds;
  state start { p.extract(h.ethernet); transition select(h.ethernet.kind) { kinds: ip; default: accept; } }
  state ip { p.extract(h.ipv4); transition accept; }
}
control V(inout headers h, inout metadata m) { apply { } }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
  direct_counter(CounterType.packets_and_bytes) hits;
  counter(8, CounterType.packets) totals;
  meter(4, MeterType.bytes) limits;
  register<bit<32>>(16) state;
  action send(bit<9> port, bit<48> mac) { s.egress_spec = port; h.ethernet.dst = mac; }
  action discard() { mark_to_drop(s); }
  table routes {
    key = { h.ipv4.dst: lpm; }
    actions = { send; discard; }
    counters = hits;
    default_action = discard();
  }
  table acl {
    key = { h.ipv4.src: ternary; h.ipv4.tos: range; h.ipv4.skew: exact; h.ethernet.kind: optional; }
    actions = { discard; NoAction; }
    support_timeout = true;
    default_action = NoAction();
  }
  apply {
    bit<32> v; state.read(v, 0); state.write(1, v); totals.count(0); bit<8> c; limits.execute_meter(0, c);
    acl.apply(); routes.apply();
    digest<seen_t>(1, { h.ethernet.src, s.ingress_port });
  }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { } }
control C(inout headers h, inout metadata m) { apply { } }
control D(packet_out p, in headers h) { apply { p.emit(h.ethernet); p.emit(h.ipv4); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

struct Bed {
    attached: Attached,
    switch: P4Switch<Compiled>,
}

impl Bed {
    fn new() -> Bed {
        let mut sources = jettison_p4_front::source::Sources::default();
        let main = sources.add("test.p4", PROGRAM);
        let compiled = jettison_p4_front::compile(&mut sources, main, &Default::default());
        let program: Arc<Program> = Arc::new(compiled.unwrap_or_else(|errors| panic!("{errors:?}")).0);
        let plan = SwitchPlan::new(program.clone(), Vec::new(), Seed(1).stream(&["ingress"]), Vec::new());
        let switch = plan.build(Compiled::new(program.clone())).unwrap();
        Bed { attached: Attached::new(&program).unwrap(), switch }
    }

    fn write(&mut self, change: Change, json: &str) -> Result<(), Fault> {
        let named: Named = serde_json::from_str(json).unwrap();
        let update = self.attached.update(change, &named)?;
        self.attached.write(&mut self.switch, &update, Time::ZERO)
    }

    fn read(&self, json: &str) -> String {
        let named: Named = serde_json::from_str(json).unwrap();
        serde_json::to_string(&self.attached.read(&self.switch, &named, Time::ZERO).unwrap()).unwrap()
    }

    fn refused(&mut self, change: Change, json: &str) -> (Code, String) {
        let fault = self.write(change, json).unwrap_err();
        (fault.code, fault.message)
    }
}

#[test]
fn entries_are_written_and_read_by_name() {
    let mut bed = Bed::new();
    let route = r#"{"kind":"table","table":"routes","match":{"dst":{"prefix":["0xa000000",8]}},
        "action":{"call":["send",{"port":"0x2","mac":"0x800000000001"}]},"counter":[7,700]}"#;
    bed.write(Change::Insert, route).unwrap();
    let read = bed.read(r#"{"kind":"table","table":"I.routes"}"#);
    assert!(read.contains(r#""match":{"h.ipv4.dst":{"prefix":["0xa000000",8]}}"#), "{read}");
    assert!(read.contains(r#""call":["send",{"mac":"0x800000000001","port":"0x2"}]"#), "{read}");
    assert!(read.contains(r#""counter":[7,700]"#), "{read}");
    let acl = r#"{"kind":"table","table":"acl","priority":5,"idle_timeout":1000,"action":{"call":["discard",{}]},
        "match":{"src":{"prefix":["0xa000000",8]},"tos":{"pair":["0x4","0x8"]},"skew":{"value":"-0x1"},
                 "kind":{"value":"0x800"}}}"#;
    bed.write(Change::Insert, acl).unwrap();
    let read = bed.read(r#"{"kind":"table","table":"acl"}"#);
    assert!(read.contains(r#""h.ipv4.src":{"pair":["0xa000000","0xff000000"]}"#), "{read}");
    assert!(read.contains(r#""h.ipv4.skew":{"value":"0xff"}"#), "{read}");
    assert!(
        read.contains(r#""h.ipv4.tos":{"pair":["0x4","0x8"]}"#) && read.contains(r#""idle":0"#),
        "{read}"
    );
}

#[test]
fn other_entities_are_written_and_read_by_name() {
    let mut bed = Bed::new();
    for json in [
        r#"{"kind":"counter","counter":"totals","index":3,"packets":4,"bytes":400}"#,
        r#"{"kind":"meter","meter":"limits","index":1,"rates":[1000,1500,2000,3000]}"#,
        r#"{"kind":"register","register":"state","index":2,"value":"0x2a"}"#,
        r#"{"kind":"value-set","value_set":"kinds","members":[]}"#,
    ] {
        bed.write(Change::Modify, json).unwrap();
    }
    bed.write(Change::Insert, r#"{"kind":"digest","digest":"seen_t","max_list":1}"#).unwrap();
    assert!(
        bed.read(r#"{"kind":"counter","counter":"totals","index":3}"#).contains(r#""packets":4,"bytes":400"#)
    );
    assert!(bed.read(r#"{"kind":"meter","meter":"limits","index":1}"#).contains("[1000,1500,2000,3000]"));
    assert!(bed.read(r#"{"kind":"register","register":"state","index":2}"#).contains(r#""value":"0x2a""#));
    assert!(bed.read(r#"{"kind":"digest","digest":"seen_t"}"#).contains(r#""max_list":1"#));
}

#[test]
fn a_wrong_name_is_refused_with_the_nearest_right_one() {
    let mut bed = Bed::new();
    let refused = bed.refused(Change::Insert, r#"{"kind":"table","table":"rotes"}"#);
    assert_eq!(refused, (Code::InvalidArgument, "unknown table `rotes`; did you mean `routes`?".to_owned()));
    let json = r#"{"kind":"table","table":"routes","match":{"dest":{"value":"0x1"}}}"#;
    let (_, text) = bed.refused(Change::Insert, json);
    assert!(text.starts_with("the table `routes` has no match field `dest`; "), "{text}");
    let json = r#"{"kind":"table","table":"routes","action":{"call":["sent",{}]}}"#;
    let (_, text) = bed.refused(Change::Insert, json);
    assert_eq!(text, "the table `routes` has no action `sent`; did you mean `send`?");
    let json = r#"{"kind":"table","table":"routes","action":{"call":["send",{"prt":"0x1","mac":"0x1"}]}}"#;
    let (_, text) = bed.refused(Change::Insert, json);
    assert_eq!(text, "the action `send` has no parameter `prt`; did you mean `port`?");
    let json = r#"{"kind":"table","table":"routes","action":{"call":["send",{"port":"0x1"}]}}"#;
    let (_, text) = bed.refused(Change::Insert, json);
    assert_eq!(text, "the action `send` requires the parameter `mac`");
    let json = r#"{"kind":"table","table":"acl","priority":1,"match":{"skew":{"pair":["0x1","0x2"]}}}"#;
    let (_, text) = bed.refused(Change::Insert, json);
    assert_eq!(text, "the match field `h.ipv4.skew` must be a value, got the pair (0x1, 0x2)");
    let json = r#"{"kind":"table","table":"routes","match":{"dst":{"value":"0x100000000"}},"action":{"call":["discard",{}]}}"#;
    assert_eq!(bed.refused(Change::Insert, json).0, Code::OutOfRange);
}

#[test]
fn a_packet_out_requires_a_cpu_port_and_its_fields() {
    let mut bed = Bed::new();
    let fault = bed.attached.packet_out(&bed.switch, vec![1], &BTreeMap::new()).unwrap_err();
    assert!(fault.message.contains("has no CPU port"), "{fault}");
    let none = bed.attached.names().packet_out(vec![1], &BTreeMap::new()).unwrap_err();
    assert_eq!(none.message, "a packet-out requires the field `port`");
}
