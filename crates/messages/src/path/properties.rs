//! Invariants of all controllers under arbitrary input.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::testing::{sample, with_trace};
use super::*;
use jettison_core::Duration;
use jettison_tcp::congestion::controllers;

#[derive(Debug, Clone)]
struct Step {
    wait: u64,
    sequence: u64,
    bytes: u64,
    delay: i64,
    kind: u8,
    ecn: u8,
    in_flight: u64,
    rtt: u64,
}

fn step() -> impl Strategy<Value = Step> {
    let times = prop_oneof![0..50_000_000u64, Just(0), 0..20_000_000_000u64, 0..10_000_000_000_000_000u64];
    let sizes = prop_oneof![1..2_000u64, Just(0), any::<u64>()];
    (
        (times, 0..40u64, sizes.clone(), any::<i64>()),
        (0..6u8, 0..4u8, prop_oneof![0..1_000_000u64, any::<u64>()], any::<u32>()),
    )
        .prop_map(|((wait, sequence, bytes, delay), (kind, ecn, in_flight, rtt))| Step {
            wait,
            sequence,
            bytes,
            delay: if kind % 2 == 0 { delay % 1_000_000_000 } else { delay },
            kind,
            ecn,
            in_flight,
            rtt: u64::from(rtt),
        })
}

/// Feeds arbitrary feedback, sensible or not; the outputs must stay sensible.
fn survives(controller: &mut dyn PathController, steps: &[Step], may_close: bool) {
    let mut now = Time::from_millis(1);
    for step in steps {
        now = now.saturating_add(Duration::from_nanos(step.wait));
        let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(step.ecn)];
        let sent_at = Time::from_nanos(now.as_nanos().saturating_sub(step.rtt));
        let arrived_at = Time::from_nanos(sent_at.as_nanos().saturating_add_signed(step.delay));
        let (sequence, bytes) = (step.sequence, step.bytes);
        let smoothed = Duration::from_nanos(step.rtt);
        let totals = AckSample {
            in_flight_before: step.in_flight.saturating_add(bytes),
            in_flight: step.in_flight,
            smoothed_rtt: smoothed,
            min_rtt: smoothed,
            rtt: (step.kind != 1).then_some(smoothed),
            is_window_limited: step.kind % 2 == 0,
            lost: bytes,
            ..sample(now, 0, 0)
        };
        let arrived = ArrivedPacket { sequence, bytes, sent_at, arrived_at: Some(arrived_at), ecn };
        let lost = LostPacket { sequence, bytes, sent_at };
        let ack = |arrived: &[ArrivedPacket], lost: &[LostPacket], c: &mut dyn PathController| {
            c.on_ack(&PathAck { sample: &totals, arrived, lost });
        };
        match step.kind {
            0 | 1 => controller.on_sent(&PathSent {
                now,
                sequence,
                bytes,
                in_flight: step.in_flight,
                is_app_limited: step.delay % 2 == 0,
                backlog: step.in_flight,
            }),
            2 => ack(&[arrived], &[], controller),
            3 => ack(&[ArrivedPacket { arrived_at: None, ..arrived }], &[lost], controller),
            4 => ack(&[], &[lost], controller),
            _ => controller.on_timeout(now, step.in_flight),
        }
        if let Some(at) = controller.next_wakeup() {
            controller.handle_wakeup(now.max(at), step.in_flight);
            assert!(
                controller.next_wakeup() != Some(at) || at == Time::MAX,
                "{controller:?} requests the same wakeup again"
            );
        }
        assert!(may_close || controller.window() > 0, "{controller:?}");
        assert!(controller.bandwidth().is_none_or(|rate| may_close || !rate.is_zero()), "{controller:?}");
        assert!(controller.pacing_rate().is_none_or(|rate| !rate.is_zero()), "{controller:?}");
        let _ = (controller.pacing_quantum(), controller.budget(now, step.in_flight), controller.ecn());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn no_feedback_makes_a_controller_panic_or_stop(steps in prop::collection::vec(step(), 1..60)) {
        // TCP's controllers have their own property tests, for the feedback of a connection.
        let tcp = controllers();
        for entry in path_controllers().iter().filter(|entry| tcp.entry(entry.id).is_none()) {
            let is_oracle = entry.id == "oracle";
            let parameters = if is_oracle { json!({ "trace": "t" }) } else { Value::Null };
            let mut controller = with_trace("t", "0\n3\n3\n40\n", |context| {
                entry.build(&parameters, context).expect("the defaults are good")
            });
            survives(&mut *controller, &steps, is_oracle);
        }
    }
}
