use super::*;
use crate::testing::{build_error, try_build};
use serde_json::{Value, json};

fn micros(time: Duration) -> u64 {
    time.as_nanos() / 1_000
}

#[test]
fn targets_intervals_and_quanta_are_those_of_linux() {
    // `tc -s qdisc show`, Linux 6.1, three digits: rate in kbit/s, rtt in ms; target and interval in us, quantum in bytes.
    for (kbit, rtt, target, interval, quantum) in [
        (100_000, 100, 5_000, 100_000, 1_514),
        (25_000, 100, 5_000, 100_000, 762),
        (10_000, 100, 5_000, 100_000, 305),
        (2_500, 100, 7_270, 102_000, 300),
        (1_000, 100, 18_200, 113_000, 300),
        (625, 100, 29_100, 124_000, 300),
        (250, 100, 72_700, 168_000, 300),
        (100, 100, 182_000, 363_000, 300),
        (50_000, 20, 1_000, 20_000, 1_514),
        (1_000, 20, 18_200, 37_200, 300),
        (1_000, 1_000, 50_000, 1_000_000, 300),
    ] {
        let parameters = CakeParameters { rtt: Rtt(Duration::from_millis(rtt)), ..Default::default() };
        let rate = Some(Rate::from_kbit(kbit));
        let aqm = parameters.aqm(rate);
        for (ours, linux) in [(aqm.target, target), (aqm.interval, interval)] {
            assert!(micros(ours).abs_diff(linux) * 200 <= linux, "{kbit} kbit/s: {ours} and {linux} us");
        }
        assert_eq!(parameters.quantum(rate), quantum, "{kbit} kbit/s");
    }
    assert_eq!(CakeParameters::default().quantum(None), 1_514);
    let lan = CakeParameters { rtt: Rtt(Duration::from_millis(1)), ..Default::default() };
    assert_eq!(
        lan.aqm(None),
        Aqm {
            target: Duration::from_micros(50),
            interval: Duration::from_millis(1),
            mtu_time: Duration::ZERO
        }
    );
}

#[test]
fn target_and_interval_can_be_set() {
    let set = CakeParameters {
        target: Some(Duration::from_millis(8)),
        interval: Some(Duration::from_millis(60)),
        ..Default::default()
    };
    let aqm = set.aqm(Some(Rate::from_kbit(100)));
    assert_eq!((aqm.target, aqm.interval), (Duration::from_millis(8), Duration::from_millis(60)));
}

#[test]
fn memory_limits_are_those_of_linux() {
    let limit = |bandwidth: Option<Rate>, rtt| {
        CakeParameters { rtt: Rtt(Duration::from_millis(rtt)), ..Default::default() }.memory(bandwidth)
    };
    assert_eq!(limit(Some(Rate::from_mbit(100)), 100), 5_000_000);
    assert_eq!(limit(Some(Rate::from_mbit(10)), 100), 4 << 20);
    assert_eq!(limit(Some(Rate::from_mbit(10_000)), 1), 5_000_000);
    assert_eq!(limit(Some(Rate::from_mbit(1_000)), 1_000), 15_503_360);
    assert_eq!(limit(None, 100), 15_503_360);
    let set = CakeParameters { memlimit: Some(Bytes::new(1_000)), ..Default::default() };
    assert_eq!(set.memory(None), 1_000);
}

#[test]
fn a_packet_has_the_memory_that_it_has_in_linux() {
    let measured = [(1500, 2304), (1000, 2304), (500, 1280), (200, 1280), (100, 768), (40, 768)];
    for (length, memory) in measured {
        assert_eq!(memory_of(length), memory, "{length} bytes");
    }
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: Value| build_error(json!({ "kind": "cake", key: value })).0;
    assert_eq!(error("flows", json!(0)), "flows");
    assert_eq!(error("flows", json!(1023)), "flows");
    assert_eq!(error("flows", json!(65_544)), "flows");
    assert_eq!(error("quantum", json!("15 bytes")), "quantum");
    assert_eq!(error("tins", json!("diffserv9")), "tins");
    assert_eq!(error("isolation", json!("all")), "isolation");
    assert_eq!(error("hosts", json!("all")), "hosts");
    assert_eq!(error("target", json!("0 ms")), "target");
    assert_eq!(error("interval", json!("0 ms")), "interval");
    assert_eq!(error("rtt", json!("0 ms")), "rtt");
    assert_eq!(error("memlimit", json!("0 bytes")), "memlimit");
    assert_eq!(error("overhead", json!("300 bytes")), "overhead");
}

#[test]
fn errors_say_what_is_required() {
    let message = |value: Value| build_error(value).1;
    let of = |key: &str, value: &str| message(json!({ "kind": "cake", key: value }));
    assert_eq!(of("bandwidth", "0 Mbit/s"), "must be > 0; leave it out for no shaper, got 0 bit/s");
    assert!(
        of("overhead", "300 bytes").contains("in [-64, 256] bytes, got 300"),
        "{}",
        of("overhead", "300 bytes")
    );
    assert!(of("overhead", "docsys").contains("did you mean `docsis`?"));
    assert!(of("rtt", "satelite").contains("did you mean `satellite`?"));
    for (key, wrong, near) in
        [("tins", "besteffort", "best-effort"), ("isolation", "triple", "triple-isolate")]
    {
        assert!(of(key, wrong).contains(near), "{}", of(key, wrong));
    }
    let estimate = json!({ "kind": "cake", "autorate_ingress": true });
    assert_eq!(message(estimate), "requires `bandwidth`, the first estimate");
    let both = json!({ "kind": "cake", "hosts": "flows", "isolation": "dual-srchost" });
    assert!(message(both).contains("present name"));
}

#[test]
fn former_names_still_work() {
    for (old, new) in [
        ("triple", Isolation::TripleIsolate),
        ("source", Isolation::DualSrchost),
        ("destination", Isolation::DualDsthost),
        ("flows", Isolation::Flows),
    ] {
        let value = json!({ "hosts": old });
        let parameters: CakeParameters = serde_json::from_value(value).expect("valid");
        assert_eq!(parameters.isolation(), new);
        assert!(try_build(json!({ "kind": "cake", "hosts": old })).is_ok());
    }
}
