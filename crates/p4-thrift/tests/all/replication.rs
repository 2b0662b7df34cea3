//! Multicast groups, clone sessions, queues, and what the switch does not do.

use jettison_p4_thrift::ApplicationError;
use jettison_p4_thrift::codec::{Fields, Kind, Value};
use serde_json::json;

use crate::support::{Bench, elements, field, list, of};

/// Arguments of a method of multicast: the context and numbers.
fn numbers<const N: usize>(numbers: [i32; N]) -> Fields {
    (2i16..).zip(numbers).fold(Fields::new().with(1, 0), |fields, (at, number)| fields.with(at, number))
}

fn mc(method: &str) -> String {
    format!("simple_pre_lag:bm_mc_{method}")
}

#[test]
fn a_group_has_nodes_with_ports() {
    let mut bench = Bench::new();
    assert_eq!(bench.get(&mc("mgrp_create"), numbers([5])), Value::I32(5));
    // Ports 0 and 3.
    let node = bench.get(&mc("node_create"), numbers([9]).with(3, "1001").with(4, ""));
    bench.run(&mc("node_associate"), numbers([5]).with(3, node.clone()));
    let Value::Binary(text) = bench.get(&mc("get_entries"), numbers([])) else { panic!("it is text") };
    let read: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let wanted = json!({
        "mgrps": [{ "id": 5, "l1_handles": [0] }],
        "l1_handles": [{ "handle": 0, "rid": 9, "l2_handle": 0 }],
        "l2_handles": [{ "handle": 0, "ports": [0, 3], "lags": [] }],
        "lags": [],
    });
    assert_eq!(read, wanted);
    assert_eq!(bench.testbed.switch().replication().members(5).len(), 2);
    bench.run(&mc("node_update"), numbers([0]).with(3, "10").with(4, ""));
    assert_eq!(bench.testbed.switch().replication().members(5).len(), 1);
    bench.run(&mc("node_dissociate"), numbers([5, 0]));
    bench.run(&mc("node_destroy"), numbers([0]));
    bench.run(&mc("mgrp_destroy"), numbers([5]));
    assert_eq!(bench.code(&mc("mgrp_destroy"), numbers([5])), 2, "INVALID_MGID");
    assert_eq!(bench.code(&mc("mgrp_create"), numbers([70_000])), 2);
    assert_eq!(bench.code(&mc("node_destroy"), numbers([0])), 4, "INVALID_L1_HANDLE");
    assert_eq!(bench.code(&mc("node_create"), numbers([9]).with(3, "12").with(4, "")), 5);
    assert_eq!(bench.code(&mc("node_create"), numbers([9]).with(3, "1").with(4, "1")), 5, "no LAGs");
    assert_eq!(bench.code(&mc("set_lag_membership"), numbers([1]).with(3, "1")), 5);
}

#[test]
fn a_session_clones_to_a_port_or_a_group() {
    let mut bench = Bench::new();
    let add = |config: Fields| Fields::new().with(1, 100).with(2, config);
    let session = || Fields::new().with(1, 100);
    assert_eq!(bench.code("simple_switch:mirroring_session_get", session()), 1, "SESSION_NOT_FOUND");
    bench.run("simple_switch:mirroring_session_add", add(Fields::new().with(1, 3)));
    let port = Fields::new().with(1, 3);
    assert_eq!(bench.get("simple_switch:mirroring_session_get", session()), Value::Struct(port));
    assert_eq!(bench.get("simple_switch:mirroring_mapping_get_egress_port", session()), Value::I32(3));
    bench.run("simple_switch:mirroring_session_add", add(Fields::new().with(2, 6)));
    let group = Fields::new().with(2, 6);
    assert_eq!(bench.get("simple_switch:mirroring_session_get", session()), Value::Struct(group));
    let both = add(Fields::new().with(1, 3).with(2, 6));
    assert!(bench.refused("simple_switch:mirroring_session_add", both).1.contains("not both"));
    bench.refused(
        "simple_switch:mirroring_session_add",
        Fields::new().with(1, 40_000).with(2, Fields::new().with(1, 1)),
    );
    bench.run("simple_switch:mirroring_session_delete", session());
    assert_eq!(bench.code("simple_switch:mirroring_session_delete", session()), 1);
    assert_eq!(bench.get("simple_switch:mirroring_mapping_delete", session()), Value::I32(-1));
    assert_eq!(
        bench.get("simple_switch:mirroring_mapping_add", Fields::new().with(1, 2).with(2, 4)),
        Value::I32(0)
    );
}

#[test]
fn queues_have_depths_and_rates() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.get("simple_switch:set_all_egress_queue_depths", Fields::new().with(1, 64)),
        Value::I32(0)
    );
    let rate = Fields::new().with(1, 3).with(2, 5_000i64);
    assert_eq!(bench.get("simple_switch:set_egress_queue_rate", rate), Value::I32(0));
    let one = Fields::new().with(1, 3).with(2, 7).with(3, 10);
    assert_eq!(bench.get("simple_switch:set_egress_priority_queue_depth", one), Value::I32(0));
    let (kind, text) =
        bench.refused("simple_switch:set_egress_queue_depth", Fields::new().with(1, 600).with(2, 1));
    assert_eq!(kind, ApplicationError::Internal);
    assert!(text.contains("the port must be < 511, got 600"), "{text}");
    bench.refused("simple_switch:set_egress_queue_rate", Fields::new().with(1, 3).with(2, -1i64));
}

#[test]
fn a_switch_tells_its_ports_times_and_numbers() {
    let mut bench = Bench::new();
    let info = bench.get("bm_mgmt_get_info", Fields::new());
    assert_eq!((field(&info, 1), field(&info, 2)), (&Value::I64(7), &Value::I32(9090)));
    let ports = bench.get("bm_dev_mgr_show_ports", Fields::new());
    let [only] = elements(&ports) else { panic!("{ports:?}") };
    assert_eq!((field(only, 1), field(only, 2)), (&Value::I32(1), &Value::from("s1-eth1")));
    assert_eq!(bench.get("simple_switch:get_time_elapsed_us", Fields::new()), Value::I64(1_500_000));
    assert_eq!(bench.get("simple_switch:get_time_since_epoch_us", Fields::new()), Value::I64(5));
    let id = |kind: i32, name: &str| Fields::new().with(1, 0).with(2, kind).with(3, name);
    assert_eq!(bench.get("bm_get_id_from_name", id(0, "In.prefixes")), Value::I32(1));
    assert_eq!(bench.get("bm_get_id_from_name", id(2, "In.hits")), Value::I32(1));
    assert_eq!(bench.code("bm_get_id_from_name", id(4, "In.hits")), 1, "INVALID_RESOURCE_NAME");
    assert_eq!(bench.code("bm_get_id_from_name", id(9, "In.hits")), 0, "INVALID_RESOURCE_TYPE");
}

#[test]
fn what_a_switch_does_not_do_is_refused() {
    let mut bench = Bench::new();
    assert_eq!(bench.code("bm_load_new_config", Fields::new().with(1, "{}")), 1, "CONFIG_SWAP_DISABLED");
    assert_eq!(bench.code("bm_dev_mgr_add_port", Fields::new().with(1, "eth0").with(2, 4).with(3, "")), 1);
    let samples = list(Kind::I32, [Value::I32(0)]);
    assert_eq!(bench.code("bm_learning_ack", of("x").with(2, 1).with(3, 1i64).with(4, samples)), 3);
    assert_eq!(bench.refused("bm_serialize_state", Fields::new()).0, ApplicationError::Internal);
    assert_eq!(bench.refused("bm_mt_fly", Fields::new()).0, ApplicationError::UnknownMethod);
    assert_eq!(
        bench.refused("simple_pre:bm_mc_mgrp_create", Fields::new()).0,
        ApplicationError::UnknownMethod
    );
}
