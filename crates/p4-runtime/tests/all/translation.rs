//! Translated types ("User-defined types" of §8, and §18.1): a controller writes and reads other values than the program.

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_p4_runtime::Translations;
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::info::{Representation, SdnType};
use jettison_p4_runtime::proto::runtime::*;

use super::support::*;

const PROGRAM: &str = include_str!("translated.p4");
const OK: i32 = 0;
const INVALID: i32 = 3;
const ALREADY_EXISTS: i32 = 6;
const EXHAUSTED: i32 = 8;
const OUT_OF_RANGE: i32 = 11;

/// A device with given values, by URI.
fn with(given: &[(&str, &[(&str, u64)])]) -> Bench {
    let given: BTreeMap<String, BTreeMap<String, u64>> = (given.iter())
        .map(|(uri, values)| {
            ((*uri).to_owned(), values.iter().map(|(value, number)| ((*value).to_owned(), *number)).collect())
        })
        .collect();
    let (program, config) = compiled(PROGRAM);
    let info = config.p4info.clone().unwrap();
    let node = Node::standalone(1, CPU, program, config).unwrap();
    let mut node = node.with_translations(Translations::given(&given).unwrap());
    let client = node.open();
    node.message(client, arbitration(1, 10), Time::ZERO).unwrap();
    node.take_messages();
    Bench { node, info, client, now: Time::ZERO }
}

fn by_port(bench: &Bench, from: &str, to: &str) -> TableEntry {
    TableEntry {
        table_id: bench.table("by_port"),
        match_fields: vec![exact(1, from.as_bytes())],
        action: Some(bench.call("send", to.as_bytes())),
        ..TableEntry::default()
    }
}

fn insert(bench: &mut Bench, entry: TableEntry) -> i32 {
    bench.write(INSERT, EntityKind::TableEntry(entry))
}

#[test]
fn the_p4info_names_the_types_of_the_controller() {
    let bench = Bench::of(PROGRAM);
    let types = &bench.info.type_info.as_ref().unwrap().new_types;
    let sdn = |name: &str| match &types[name].representation {
        Some(Representation::TranslatedType(translation)) => {
            (translation.uri.clone(), translation.sdn_type.clone().unwrap())
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(sdn("network_t"), ("example.org/network".into(), SdnType::SdnBitwidth(32)));
    assert!(matches!(sdn("port_t"), (uri, SdnType::SdnString(_)) if uri == "example.org/port"));
    let table = bench.info.tables.iter().find(|table| table.preamble.as_ref().unwrap().alias == "by_network");
    let widths: Vec<i32> = table.unwrap().match_fields.iter().map(|field| field.bitwidth).collect();
    assert_eq!(widths, [32, 0], "the width of a text is unset");
}

#[test]
fn given_names_stand_for_the_numbers_of_the_program() {
    let mut bench = with(&[("example.org/port", &[("north", 4), ("south", 300)])]);
    let entry = by_port(&bench, "north", "south");
    assert_eq!(insert(&mut bench, entry.clone()), OK);
    assert_eq!(insert(&mut bench, entry.clone()), ALREADY_EXISTS);
    let read = bench.entries(TableEntry::default());
    assert_eq!((&read[0].match_fields, &read[0].action), (&entry.match_fields, &entry.action));
    bench.frame(4, 1, 2);
    assert_eq!(bench.departed(), [300]);
    // One entry by its key.
    assert_eq!(bench.entries(TableEntry { action: None, ..entry.clone() }).len(), 1);
    assert_eq!(bench.write(DELETE, EntityKind::TableEntry(entry)), OK);
    assert!(bench.entries(TableEntry::default()).is_empty());

    let unknown = by_port(&bench, "nord", "south");
    let request = WriteRequest {
        device_id: 1,
        election_id: election(10),
        updates: vec![update(INSERT, EntityKind::TableEntry(unknown))],
        ..WriteRequest::default()
    };
    let errors = bench.node.write(&request, Time::ZERO).unwrap().unwrap();
    assert_eq!(errors[0].canonical_code, INVALID);
    assert_eq!(errors[0].message, "`meta.port`: unknown value `nord`; did you mean `north`?");
}

#[test]
fn without_given_names_a_name_gets_a_number_at_its_first_use() {
    let mut bench = Bench::of(PROGRAM);
    // 1 and 2; 3 is taken as a number, so the next name gets 4.
    for (from, to) in [("a", "b"), ("b", "3"), ("3", "c")] {
        let entry = by_port(&bench, from, to);
        assert_eq!(insert(&mut bench, entry), OK, "{from}");
    }
    for (port, to) in [(1, 2), (2, 3), (3, 4)] {
        bench.frame(port, 1, 2);
        assert_eq!(bench.departed(), [to]);
    }
    let mut bad = by_port(&bench, "a", "b");
    bad.match_fields = vec![exact(1, &[0xff, 0xfe])];
    assert_eq!(insert(&mut bench, bad), INVALID, "not UTF-8");
    let empty = by_port(&bench, "", "b");
    assert_eq!(insert(&mut bench, empty), INVALID);
    // There are 512 numbers, and 0 is given to none.
    let last = (5..600).map(|n| {
        let entry = by_port(&bench, &format!("port{n}"), "a");
        insert(&mut bench, entry)
    });
    assert_eq!(last.collect::<Vec<_>>().into_iter().filter(|code| *code == EXHAUSTED).count(), 595 - 507);
}

#[test]
fn a_batch_that_fails_gives_no_name_a_number() {
    let mut bench = Bench::of(PROGRAM);
    let good = update(INSERT, EntityKind::TableEntry(by_port(&bench, "x", "y")));
    let bad = update(DELETE, EntityKind::TableEntry(by_port(&bench, "z", "y")));
    let request = WriteRequest {
        device_id: 1,
        election_id: election(10),
        updates: vec![good, bad],
        atomicity: 1,
        ..WriteRequest::default()
    };
    assert!(bench.node.write(&request, Time::ZERO).unwrap().is_some());
    let entry = by_port(&bench, "first", "second");
    assert_eq!(insert(&mut bench, entry), OK);
    bench.frame(1, 1, 2);
    assert_eq!(bench.departed(), [2]);
}

#[test]
fn packets_carry_names_of_ports() {
    let mut bench = with(&[("example.org/port", &[("north", 4)])]);
    bench.frame(4, 9, 8);
    bench.frame(5, 9, 8);
    let names: Vec<Vec<u8>> = (bench.messages().into_iter())
        .map(|message| match message {
            StreamResponse::Packet(packet) => packet.metadata[0].value.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, [b"north".to_vec(), b"5".to_vec()], "a port without a name is a number");
    let out = |port: &str| {
        let metadata = vec![PacketMetadata { metadata_id: 1, value: port.as_bytes().to_vec() }];
        StreamMessageRequest {
            update: Some(StreamRequest::Packet(PacketOut { payload: frame(1, 2), metadata })),
        }
    };
    bench.node.message(bench.client, out("north"), Time::ZERO).unwrap();
    bench.node.message(bench.client, out("7"), Time::ZERO).unwrap();
    assert_eq!(bench.departed(), [4, 7]);
    bench.node.message(bench.client, out("west"), Time::ZERO).unwrap();
    assert!(
        matches!(&bench.messages()[..], [StreamResponse::Error(error)] if error.canonical_code == INVALID)
    );
}

fn by_network(bench: &Bench, value: &[u8], mask: &[u8], port: Option<&str>) -> TableEntry {
    let ternary = FieldMatchKind::Ternary(Ternary { value: value.to_vec(), mask: mask.to_vec() });
    let mut match_fields = vec![FieldMatch { field_id: 1, kind: Some(ternary) }];
    match_fields.extend(port.map(|port| FieldMatch {
        field_id: 2,
        kind: Some(FieldMatchKind::Optional(Exact { value: port.as_bytes().to_vec() })),
    }));
    TableEntry {
        table_id: bench.table("by_network"),
        match_fields,
        priority: 1,
        action: Some(bench.call("send", b"9")),
        ..TableEntry::default()
    }
}

#[test]
fn numbers_of_another_width_stand_for_themselves_or_are_given() {
    let mut bench = Bench::of(PROGRAM);
    let masked = by_network(&bench, &[0x30], &[0xf0], None);
    assert_eq!(insert(&mut bench, masked), OK, "numbers that stand for themselves have masks");
    let large = by_network(&bench, &[0x10, 0], &[0x10, 0], None);
    assert_eq!(insert(&mut bench, large), OUT_OF_RANGE, "13 bits");

    let mut bench = with(&[("example.org/network", &[("0xfffffffd", 7)])]);
    let (value, ones) = ([0xff, 0xff, 0xff, 0xfd], [0xff; 4]);
    let entry = by_network(&bench, &value, &ones, Some("1"));
    assert_eq!(insert(&mut bench, entry.clone()), OK);
    assert_eq!(bench.entries(TableEntry::default())[0].match_fields, entry.match_fields);
    let mut tagged = vec![0; 60];
    tagged[12..16].copy_from_slice(&[0x81, 0, 0, 7]);
    bench.node.receive(1, &tagged, Time::ZERO).unwrap();
    assert_eq!(bench.departed(), [9]);
    let masked = by_network(&bench, &[0x30], &[0xf0], None);
    assert_eq!(insert(&mut bench, masked), INVALID, "a given value has no mask");
    let unknown = by_network(&bench, &[5], &ones, None);
    assert_eq!(insert(&mut bench, unknown), INVALID);
    let wide = by_network(&bench, &[1, 0, 0, 0, 0], &ones, None);
    assert_eq!(insert(&mut bench, wide), OUT_OF_RANGE);
}

#[test]
fn two_values_of_one_number_are_refused() {
    let twice =
        BTreeMap::from([("u".to_owned(), BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 1)]))]);
    assert_eq!(Translations::given(&twice).unwrap_err(), "`u`: both `a` and `b` are 1");
    let empty = BTreeMap::from([("u".to_owned(), BTreeMap::from([(String::new(), 1)]))]);
    assert!(Translations::given(&empty).is_err());
}
