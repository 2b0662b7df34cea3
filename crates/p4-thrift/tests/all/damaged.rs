//! Bytes that are no messages, or messages that no client sends.

use jettison_p4_thrift::codec::{Fields, Kind, Message, MessageKind, Value, read_message, write_message};
use proptest::prelude::*;

use crate::support::{Bench, exact, of};

fn refused(bytes: &[u8]) -> String {
    read_message(&mut &*bytes).expect_err("it is malformed").to_string()
}

/// A call whose only argument is this.
fn call(argument: &[u8]) -> Vec<u8> {
    [&[0x80, 1, 0, 1, 0, 0, 0, 1, b'm', 0, 0, 0, 5], argument].concat()
}

#[test]
fn lengths_are_not_believed() {
    // A string and a name of 2 GiB in a stream that ends, a list of as many elements, and a negative length.
    let text = refused(&call(&[11, 0, 1, 0x7f, 255, 255, 255]));
    assert!(text.contains("too long"), "{text}");
    assert!(refused(&[0x7f, 255, 255, 255, b'm']).contains("too long"));
    assert!(refused(&call(&[15, 0, 1, 2, 0x7f, 255, 255, 255, 1])).contains("fill whole buffer"));
    assert!(refused(&call(&[11, 0, 1, 255, 255, 255, 255])).contains("negative"));
    let many = [&call(&[15, 0, 1, 2, 0, 0x10, 0, 0])[..], &vec![1; 1 << 20][..]].concat();
    assert!(refused(&many).contains("too many values"));
}

#[test]
fn values_are_not_nested_without_end() {
    let structs = [12, 0, 1].repeat(100_000);
    assert!(refused(&call(&structs)).contains("nested too deeply"));
    let lists = [&[15, 0, 1][..], &[15, 0, 0, 0, 1].repeat(100_000)].concat();
    assert!(refused(&call(&lists)).contains("nested too deeply"));
}

#[test]
fn what_is_no_message_is_refused() {
    assert!(refused(b"GET / HTTP/1.1\r\n\r\n").contains("too long"));
    assert!(refused(&[0x80, 2, 0, 1, 0, 0, 0, 0]).contains("version"));
    assert!(refused(&[0x80, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0]).contains("kind of message"));
    assert!(refused(&call(&[5, 0, 1])).contains("type of a value"));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::I32),
        (-2i32..10).prop_map(Value::I32),
        any::<i64>().prop_map(Value::I64),
        any::<i16>().prop_map(Value::I16),
        any::<f64>().prop_map(Value::Double),
        proptest::collection::vec(any::<u8>(), 0..9).prop_map(Value::Binary),
        proptest::sample::select(NAMES).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec((1i16..8, inner.clone()), 0..6)
                .prop_map(|fields| Value::Struct(Fields(fields))),
            proptest::collection::vec(inner, 0..4)
                .prop_map(|all| Value::List(all.first().map_or(Kind::Bool, Value::kind), all)),
        ]
    })
}

const NAMES: &[&str] = &[
    "In.exact_t",
    "In.prefixes",
    "In.masks",
    "In.balanced",
    "In.profiled",
    "In.fixed",
    "In.choice",
    "In.seen",
    "In.shared_actions",
    "In.arrivals",
    "In.limits",
    "In.hits",
    "In.send",
    "In.drop",
    "P.kinds",
    "calc",
    "01",
    "",
];

const METHODS: &[&str] = &[
    "bm_mt_add_entry",
    "bm_mt_indirect_add_entry",
    "bm_mt_indirect_ws_add_entry",
    "bm_mt_modify_entry",
    "bm_mt_delete_entry",
    "bm_mt_set_default_action",
    "bm_mt_indirect_set_default_member",
    "bm_mt_clear_entries",
    "bm_mt_set_entry_ttl",
    "bm_mt_get_num_entries",
    "bm_mt_get_entries",
    "bm_mt_get_entry",
    "bm_mt_get_default_entry",
    "bm_mt_get_entry_from_key",
    "bm_mt_act_prof_add_member",
    "bm_mt_act_prof_modify_member",
    "bm_mt_act_prof_delete_member",
    "bm_mt_act_prof_create_group",
    "bm_mt_act_prof_delete_group",
    "bm_mt_act_prof_add_member_to_group",
    "bm_mt_act_prof_remove_member_from_group",
    "bm_mt_act_prof_get_members",
    "bm_mt_act_prof_get_member",
    "bm_mt_act_prof_get_groups",
    "bm_mt_act_prof_get_group",
    "bm_counter_read",
    "bm_counter_write",
    "bm_counter_reset_all",
    "bm_mt_read_counter",
    "bm_mt_write_counter",
    "bm_mt_reset_counters",
    "bm_meter_set_rates",
    "bm_meter_array_set_rates",
    "bm_meter_get_rates",
    "bm_mt_set_meter_rates",
    "bm_mt_get_meter_rates",
    "bm_register_read",
    "bm_register_read_all",
    "bm_register_write",
    "bm_register_write_range",
    "bm_register_reset",
    "bm_parse_vset_add",
    "bm_parse_vset_remove",
    "bm_parse_vset_get",
    "bm_parse_vset_clear",
    "bm_set_crc16_custom_parameters",
    "bm_set_crc32_custom_parameters",
    "bm_get_id_from_name",
    "bm_reset_state",
    "simple_pre_lag:bm_mc_mgrp_create",
    "simple_pre_lag:bm_mc_node_create",
    "simple_pre_lag:bm_mc_node_update",
    "simple_pre_lag:bm_mc_node_associate",
    "simple_pre_lag:bm_mc_get_entries",
    "simple_switch:mirroring_session_add",
    "simple_switch:mirroring_session_get",
    "simple_switch:set_egress_queue_depth",
    "simple_switch:set_egress_priority_queue_rate",
];

proptest! {
    #[test]
    fn damaged_bytes_never_panic(at in 0usize..64, byte in any::<u8>(), cut in 0usize..80) {
        let fields = of("In.exact_t").with(3, Value::structs([exact(&[0, 0, 0, 0, 0, 1])])).with(4, "In.send");
        let whole = Message {
            kind: MessageKind::Call,
            name: "standard:bm_mt_add_entry".to_owned(),
            sequence: 1,
            fields,
            is_strict: true,
        };
        let mut bytes = write_message(&whole);
        let place = at % bytes.len();
        bytes[place] = byte;
        bytes.truncate(bytes.len().saturating_sub(cut));
        let _ = read_message(&mut &*bytes);
    }

    #[test]
    fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_message(&mut &*bytes);
    }

    /// A result is one that can be written, and whatever was refused left the switch able to answer.
    #[test]
    fn any_arguments_are_answered(
        calls in proptest::collection::vec(
            (proptest::sample::select(METHODS), proptest::sample::select(NAMES), proptest::collection::vec(value(), 0..5)),
            1..12,
        ),
    ) {
        let mut bench = Bench::new();
        for (method, name, values) in calls {
            let mut fields = of(name);
            fields.0.extend((3i16..).zip(values));
            if let Ok(Some(value)) = bench.call(method, fields) {
                let fields = Fields::new().with(0, value);
                let message =
                    Message { kind: MessageKind::Reply, name: String::new(), sequence: 0, fields, is_strict: true };
                let read = read_message(&mut &*write_message(&message)).unwrap().unwrap();
                // Not compared as values: a rate may be no number.
                prop_assert_eq!(write_message(&read), write_message(&message));
            }
        }
        prop_assert!(matches!(bench.call("bm_get_config", Fields::new()), Ok(Some(_))));
    }
}
