//! P4 networks as other projects describe them: numbers of ports, files of entities, hosts with Ethernet interfaces.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{RunRecord, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Files, Scenario};

/// Forwards by destination address to ports, and floods ARP; frames with the EtherType 0x88b5 go back to where they came from.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> ether_type; }
struct headers { ethernet_t ethernet; }
struct meta_t {}
parser P(packet_in packet, out headers hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.ethernet); transition accept; }
}
control V(inout headers hdr, inout meta_t meta) { apply {} }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t std) {
    action drop() { mark_to_drop(std); }
    action send(bit<9> port) { std.egress_spec = port; }
    action flood() { std.mcast_grp = 1; }
    table to { key = { hdr.ethernet.dst : exact; } actions = { send; flood; drop; } default_action = drop(); }
    table any { key = { hdr.ethernet.ether_type : ternary @name("type"); } actions = { send; drop; NoAction; } default_action = NoAction(); }
    apply {
        if (hdr.ethernet.ether_type == 0x88b5) {
            bit<48> before = hdr.ethernet.dst;
            hdr.ethernet.dst = hdr.ethernet.src;
            hdr.ethernet.src = before;
            std.egress_spec = std.ingress_port;
        } else {
            to.apply();
            any.apply();
        }
    }
}
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { if (std.mcast_grp != 0 && std.egress_port == std.ingress_port) { mark_to_drop(std); } }
}
control C(inout headers hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

/// Three hosts at the ports 1, 2 and 7 of a switch.
const SCENARIO: &str = r#"name = "lan"
duration = "10 s"
[nodes]
h1 = { kind = "host", layer = 2, address = "10.0.0.1", mac = "02:00:00:00:00:01" }
h2 = { kind = "host", layer = 2, address = "10.0.0.2", mac = "02:00:00:00:00:02" }
h3 = { kind = "host", layer = 2, address = "10.0.0.3", mac = "02:00:00:00:00:03" }
s = { kind = "p4", program = "main.p4", entities = "s.json" }
[links]
a = { between = ["h1", "s"], rate = "1 Gbit/s", ports = { s = 1 } }
b = { between = ["s", "h2"], rate = "1 Gbit/s", ports = { s = 2 } }
c = { between = ["s", "h3"], rate = "1 Gbit/s", ports = { s = 7 } }
[flows.ping]
from = "h1"
to = "h2"
app = { kind = "ping", interval = "1 s", count = 5 }
[flows.far]
from = "h2"
to = "h3"
app = { kind = "ping", interval = "1 s", count = 5 }
"#;

const ENTITIES: &str = r#"{ "target": "bmv2", "p4info": "build/x", "table_entries": [
  { "table": "I.to", "match": { "hdr.ethernet.dst": "02:00:00:00:00:01" }, "action_name": "I.send", "action_params": { "port": 1 } },
  { "table": "I.to", "match": { "hdr.ethernet.dst": ["02:00:00:00:00:02"] }, "action_name": "I.send", "action_params": { "port": 2 } },
  { "table": "I.to", "match": { "hdr.ethernet.dst": "02:00:00:00:00:03" }, "action_name": "I.send", "action_params": { "port": 7 } },
  { "table": "I.to", "default_action": true, "action_name": "I.flood", "action_params": {} }
 ],
 "multicast_group_entries": [ { "multicast_group_id": 1, "replicas": [
   { "egress_port": 1, "instance": 1 }, { "egress_port": 2, "instance": 1 }, { "egress_port": 7, "instance": 1 }, { "egress_port": 5 } ] } ],
 "clone_session_entries": [ { "clone_session_id": 5, "replicas": [ { "egress_port": 2, "instance": 0 } ], "packet_length_bytes": 64 } ]
}"#;

struct Shelf(BTreeMap<&'static str, String>);

impl Files for Shelf {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let text = self.0.get(name).ok_or(io::Error::new(io::ErrorKind::NotFound, "no such file"))?;
        Ok(text.clone().into_bytes())
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn load(text: &str, entities: &str) -> Result<Scenario, String> {
    let builder = Builder::standard();
    let shelf = Shelf(BTreeMap::from([("main.p4", PROGRAM.to_owned()), ("s.json", entities.to_owned())]));
    Scenario::parse(text, "s.toml", &shelf, &Changes::default(), &builder.registries())
        .map_err(|error| error.to_string())
}

fn run(text: &str, entities: &str) -> RunRecord {
    let scenario = load(text, entities).unwrap_or_else(|messages| panic!("{messages}"));
    let settings = &scenario.variants[0].settings;
    let built = Builder::standard().build(settings, &scenario.contents, 1, &BuildOptions::default());
    let mut world = built.unwrap_or_else(|failure| panic!("{failure}"));
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

/// The messages of the scenario with one thing changed.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert!(SCENARIO.contains(from), "the scenario has no {from:?}");
    load(&SCENARIO.replacen(from, to, 1), ENTITIES).err().unwrap_or_else(|| "nothing wrong".to_owned())
}

/// The messages of the entities with one thing changed.
#[track_caller]
fn entities(from: &str, to: &str) -> String {
    assert!(ENTITIES.contains(from), "the file has no {from:?}");
    load(SCENARIO, &ENTITIES.replacen(from, to, 1)).err().unwrap_or_else(|| "nothing wrong".to_owned())
}

fn loss(record: &RunRecord, flow: &str) -> f64 {
    record.summary_value(flow, metrics::LOSS).expect("a ping has a loss").mean
}

#[test]
fn hosts_find_each_other_by_arp_through_a_switch_that_keeps_frames() {
    let record = run(SCENARIO, ENTITIES);
    assert_eq!((loss(&record, "ping"), loss(&record, "far")), (0.0, 0.0));
}

#[test]
fn without_flooded_arp_only_permanent_neighbours_are_reached() {
    let dropped = ENTITIES.replace("I.flood", "I.drop");
    let known = SCENARIO.replacen(
        "mac = \"02:00:00:00:00:01\"",
        "mac = \"02:00:00:00:00:01\", neighbours = { \"10.0.0.2\" = \"02:00:00:00:00:02\" }",
        1,
    );
    let known = known.replacen(
        "mac = \"02:00:00:00:00:02\"",
        "mac = \"02:00:00:00:00:02\", neighbours = { \"10.0.0.1\" = \"02:00:00:00:00:01\" }",
        1,
    );
    let record = run(&known, &dropped);
    assert_eq!((loss(&record, "ping"), loss(&record, "far")), (0.0, 100.0));
}

#[test]
fn frames_reach_their_host_or_come_back_from_the_switch() {
    let frames = |frame: &str| {
        let app = format!("{{ kind = \"frames\", frames = [{frame}], interval = \"100 ms\", count = 10 }}");
        SCENARIO.replacen("{ kind = \"ping\", interval = \"1 s\", count = 5 }", &app, 1)
    };
    // Its destination is that of the flow's `to` host.
    let record =
        run(&frames("{ ether_type = 0x1234, vlan = 7, payload = \"01 02\", length = 50 }"), ENTITIES);
    let value = |record: &RunRecord, metric| record.summary_value("ping", metric).map(|value| value.mean);
    assert_eq!(value(&record, metrics::LOSS), Some(0.0));
    // 10 frames of 68 bytes in 10 s.
    let goodput = value(&record, metrics::GOODPUT).expect("the sink counts bytes");
    assert!((goodput - 68.0 * 80.0 / 10.0 / 1e6).abs() < 1e-6, "{goodput} Mbit/s");
    // The switch answers this EtherType itself.
    let record = run(&frames("\"ffffffffffff 000000000000 88b5 00\""), ENTITIES);
    assert_eq!(value(&record, metrics::LOSS), Some(0.0));
    assert!(value(&record, metrics::RTT).is_some_and(|rtt| rtt > 0.0));
}

#[test]
fn a_port_without_a_link_drops_what_is_sent_there() {
    let record = run(SCENARIO, &ENTITIES.replace("\"port\": 7", "\"port\": 4"));
    assert_eq!((loss(&record, "ping"), loss(&record, "far")), (0.0, 100.0));
}

#[test]
fn links_without_a_number_get_the_free_ones_in_order() {
    let text = SCENARIO.replacen(", ports = { s = 2 }", "", 1).replacen(", ports = { s = 7 }", "", 1);
    let entities = ENTITIES
        .replace("\"port\": 7", "\"port\": 3")
        .replace("\"port\": 2", "\"port\": 0")
        .replace("\"port\": 3", "\"port\": 2")
        .replace("\"egress_port\": 7", "\"egress_port\": 0")
        .replace(", { \"egress_port\": 5 }", "");
    let record = run(&text, &entities);
    assert_eq!((loss(&record, "ping"), loss(&record, "far")), (0.0, 0.0));
}

#[test]
fn numbers_of_ports_are_unique_and_those_of_p4_routers() {
    for (from, to, message) in [
        (
            "ports = { s = 2 }",
            "ports = { s = 1 }",
            "links `a` and `b` are both port 1 of `s`; write another number",
        ),
        ("ports = { s = 2 }", "ports = { h2 = 2 }", "`h2` has no port numbers: only P4 routers have"),
        ("ports = { s = 2 }", "ports = { h1 = 2 }", "`h1` is not an end of link `b`; name `s` or `h2`"),
        ("ports = { s = 2 }", "ports = { s = 511 }", "must be at most 510, got 511"),
        ("ports = { s = 2 }", "ports = { s = -1 }", "`links.b.ports.s`"),
    ] {
        let found = changed(from, to);
        assert!(found.contains(message), "{to}: {found}");
    }
}

#[test]
fn keys_of_layer_2_are_checked() {
    for (from, to, message) in [
        (
            "h1 = { kind = \"host\", layer = 2,",
            "h1 = { kind = \"host\",",
            "`mac` is of hosts with an Ethernet interface; add `layer = 2`",
        ),
        ("h1 = { kind = \"host\", layer = 2,", "h1 = { kind = \"host\", layer = 4,", "nodes.h1.layer"),
        ("mac = \"02:00:00:00:00:01\"", "mac = \"02:00\"", "a hardware address is such as"),
        ("mac = \"02:00:00:00:00:01\"", "mac = \"03:00:00:00:00:01\"", "the group address 03:00:00:00:00:01"),
        (
            "mac = \"02:00:00:00:00:01\"",
            "mac = \"02:00:00:00:00:02\"",
            "`h1` and `h2` both have 02:00:00:00:00:02",
        ),
        ("mac = \"02:00:00:00:00:01\"", "prefix = 33", "`prefix` must be at most 32"),
        (
            "mac = \"02:00:00:00:00:01\"",
            "gateway = \"fe80::1\"",
            "`gateway` must be of the family of 10.0.0.1",
        ),
        (
            "kind = \"p4\", program = \"main.p4\", entities = \"s.json\"",
            "kind = \"router\"",
            "native routers carry no frames",
        ),
        ("between = [\"s\", \"h3\"]", "between = [\"h1\", \"h3\"]", "a host with `layer = 2` has one link"),
    ] {
        let found = changed(from, to);
        assert!(found.contains(message), "{to}: {found}");
    }
    let text = SCENARIO
        .replace(", layer = 2", "")
        .replace(", mac = \"02:00:00:00:00:01\"", "")
        .replace(", mac = \"02:00:00:00:00:02\"", "")
        .replace(", mac = \"02:00:00:00:00:03\"", "")
        .replacen(
            "kind = \"ping\", interval = \"1 s\"",
            "kind = \"frames\", frames = [\"ffffffffffff000000000000123400\"]",
            1,
        );
    let found = load(&text, ENTITIES).expect_err("frames need Ethernet");
    assert!(found.contains("`frames` needs hosts with `layer = 2`, `h1` has none"), "{found}");
}

#[test]
fn wrong_entities_are_refused_with_file_and_path() {
    for (from, to, message) in [
        (
            "\"table\": \"I.to\"",
            "\"table\": \"I.tp\"",
            "s.json:1:1: `table_entries[0].table`: unknown table `I.tp`; did you mean `I.to`?",
        ),
        ("\"I.send\"", "\"I.sent\"", "`table_entries[0].action_name`"),
        ("\"port\": 1 ", "\"prt\": 1 ", "has no parameter `prt`; did you mean `port`?"),
        ("\"port\": 1 ", "", "`table_entries[0].action_params.port`: missing parameter of `I.send`"),
        ("\"port\": 1 ", "\"port\": 512 ", "the value must fit in 9 bits"),
        ("\"port\": 1 ", "\"port\": [] ", "must be a number or a string, got a list"),
        (
            "hdr.ethernet.dst",
            "hdr.ethernet.dest",
            "has no match field `hdr.ethernet.dest`; did you mean `hdr.ethernet.dst`?",
        ),
        (
            "\"match\": { \"hdr.ethernet.dst\": \"02:00:00:00:00:01\" }, ",
            "",
            "`table_entries[0].match.hdr.ethernet.dst`: missing match field, which is exact",
        ),
        ("[\"02:00:00:00:00:02\"]", "[1, 2]", "a match of this kind has one value, got 2"),
        ("[\"02:00:00:00:00:02\"]", "\"02:00:00:00:00:01\"", "`table_entries[1]`"),
        (
            "\"table_entries\"",
            "\"table_entrys\"",
            "unknown key `table_entrys`; did you mean `table_entries`?",
        ),
        ("\"multicast_group_id\": 1", "\"multicast_group_id\": 0", "must be a number from 1 to 32767, got 0"),
        (
            "{ \"egress_port\": 5 }",
            "{ \"egress_port\": 1, \"instance\": 1 }",
            "`multicast_group_entries[0].replicas[3]`: the replica of port 1 and instance 1 is given twice",
        ),
        (
            "{ \"egress_port\": 5 }",
            "{ \"egress_prt\": 5 }",
            "`multicast_group_entries[0].replicas[3].egress_prt`",
        ),
        ("\"clone_session_id\": 5", "\"clone_session_id\": -5", "`clone_session_id` must be a number"),
        ("\"table_entries\": [", "\"table_entries\": [,", "s.json:1:60: invalid JSON"),
    ] {
        let found = entities(from, to);
        assert!(found.contains(message), "{to}: {found}");
    }
    let ranked = |priority: &str| {
        let entry = format!(
            "\"table_entries\": [ {{ \"table\": \"any\", \"match\": {{ \"type\": [\"0x806\", \"0xffff\"] }}, {priority} \"action_name\": \"I.drop\" }},"
        );
        entities("\"table_entries\": [", &entry)
    };
    assert!(ranked("").contains("the priority must be > 0, because table `I.any`"), "{}", ranked(""));
    assert_eq!(ranked("\"priority\": 3,"), "nothing wrong");
}
