//! iRED with the service model of a software switch: clones take slots of the queue and CPU time, but no link.

use jettison_core::Duration;
use jettison_switch::{ServiceSettings, SlowdownSettings};
use serde_json::json;

use super::traffic::Load;
use super::{equal, fifo, native_with, p4_with};

fn equal_with(service: &ServiceSettings, at_least: usize) {
    let parameters = json!({ "kind": "ired", "limit": "64 packets" });
    for load in [Load::STEADY, Load::BURSTS] {
        let arrivals = load.arrivals(1);
        let native = native_with(&parameters, &arrivals, Some(service));
        let p4 = p4_with("ired", "mirroring_add 101 1", fifo(64), &arrivals, Some(service));
        equal(&native, &p4, at_least);
    }
}

#[test]
fn ired_is_equal_with_a_thread_for_each_stage() {
    let egress = Duration::from_micros(600);
    equal_with(&ServiceSettings { cpus: 7, egress, ..ServiceSettings::default() }, 200);
}

#[test]
fn ired_is_equal_on_one_processor_of_varying_speed() {
    let quantiles = vec![[0.1, 0.5], [0.5, 1.0], [0.9, 2.0]];
    let slowdown = Some(SlowdownSettings { quantiles, hold: Duration::from_millis(100) });
    let service = ServiceSettings {
        ingress: Duration::from_micros(150),
        egress: Duration::from_micros(350),
        slice: Duration::from_millis(10),
        slowdown,
        ..ServiceSettings::default()
    };
    equal_with(&service, 200);
}
