//! Gauges of congestion controllers, against hand-computed values.

use jettison_core::{Gauge, Time};
use serde_json::json;

use super::testing::{MSS, ack, context, loss, rto};
use super::{CongestionController, RecoveryEnd, controllers};

fn built(id: &str) -> Box<dyn CongestionController> {
    let mut controller = controllers().build(&json!(id), &context()).expect("it has defaults");
    controller.on_established(MSS, 10 * MSS);
    controller.on_handshake(Time::ZERO, None);
    controller
}

fn reported(controller: &dyn CongestionController) -> Vec<(Gauge, String, f64)> {
    let mut taken = Vec::new();
    controller.gauges(Time::ZERO, &mut taken);
    taken
}

fn value(controller: &dyn CongestionController, name: &str) -> f64 {
    let all = reported(controller);
    all.iter().find(|(gauge, ..)| gauge.name == name).unwrap_or_else(|| panic!("no {name} in {all:?}")).2
}

#[test]
fn a_controller_reports_exactly_the_gauges_that_it_declares() {
    for entry in controllers().iter() {
        let reported: Vec<Gauge> = reported(&*built(entry.id)).into_iter().map(|(gauge, ..)| gauge).collect();
        assert_eq!(reported, entry.gauges, "{}", entry.id);
        let prefix = format!("{}_", entry.id);
        assert!(entry.gauges.iter().all(|gauge| gauge.name.starts_with(&prefix)), "{}", entry.id);
        assert!(entry.gauges.iter().all(|gauge| gauge.description.ends_with('.')), "{}", entry.id);
    }
}

#[test]
fn cubics_w_max_is_the_window_of_the_last_congestion() {
    let mut controller = built("cubic");
    assert!(value(&*controller, "cubic_w_max").is_nan());
    controller.on_congestion(&loss(10 * MSS));
    assert_eq!(value(&*controller, "cubic_w_max"), (10 * MSS) as f64);
    let (window, flight) = (controller.ssthresh(), 7 * MSS);
    controller.on_recovery_end(&RecoveryEnd {
        now: Time::ZERO,
        kind: super::CongestionKind::Loss,
        window,
        flight_size: flight,
        loss_flight_size: 10 * MSS,
        retransmitted: MSS,
    });
    assert!(value(&*controller, "cubic_k").is_nan(), "no ACK has begun the stage yet");
    controller.on_ack(&ack(MSS));
    // RFC 9438 §4.2: cbrt((W_max - cwnd) / C), in segments.
    let k = libm::cbrt((10.0 - window as f64 / MSS as f64) / 0.4);
    assert!((value(&*controller, "cubic_k") - k).abs() < 1e-12);
    assert!(value(&*controller, "cubic_w_est") >= window as f64);
    // RFC 9438 §4.8.
    controller.on_rto(&rto(7 * MSS, false));
    assert!(value(&*controller, "cubic_w_max").is_nan());
}

#[test]
fn bbr_reports_its_model_once_it_has_one() {
    let mut controller = built("bbr");
    assert!(value(&*controller, "bbr_bandwidth").is_nan());
    assert_eq!(value(&*controller, "bbr_state"), 0.0);
    controller.on_handshake(Time::ZERO, Some(jettison_core::Duration::from_millis(20)));
    assert_eq!(value(&*controller, "bbr_min_rtt"), 20.0);
    assert!(value(&*controller, "bbr_pacing_gain") > 2.0, "Startup");
}

#[test]
fn dctcp_and_prague_start_from_an_alpha_of_one() {
    assert_eq!(value(&*built("dctcp"), "dctcp_alpha"), 1.0);
    assert_eq!(value(&*built("prague"), "prague_alpha"), 1.0);
    let mut dctcp = built("dctcp");
    dctcp.on_ack(&ack(MSS));
    // RFC 8257 §3.3: a window without marks, g = 1/16.
    assert_eq!(value(&*dctcp, "dctcp_alpha"), 15.0 / 16.0);
}

#[test]
fn newcwv_starts_validated_and_without_a_measurement() {
    let controller = built("newcwv");
    assert_eq!(value(&*controller, "newcwv_validated"), 1.0);
    assert!(value(&*controller, "newcwv_pipe_ack").is_nan());
}
