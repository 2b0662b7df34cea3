//! Adaptive RED: `max_p` follows the average queue length (Floyd, Gummadi & Shenker, *Adaptive RED: An Algorithm for Increasing
//! the Robustness of RED's Active Queue Management*, 2001).
//!
//! The rule and its constants are as the message of Linux's commit 8af2a218 and tc-red(8) (`adaptive`) state them after the
//! paper; the paper's automatic settings (`configure`) are as remembered.

use jettison_core::{Bytes, Duration, Rate};

use crate::{RedSettings, Threshold};

/// Time between two adaptations.
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// Largest step up, and its share of `max_p`.
const ALPHA: f64 = 0.01;
const ALPHA_SHARE: f64 = 0.25;
/// Factor of a step down.
const BETA: f64 = 0.9;
/// Bounds of `max_p` within which steps are made.
const LOWEST: f64 = 0.01;
const HIGHEST: f64 = 0.5;
/// The target: the middle fifth between the thresholds.
const TARGET: (f64, f64) = (0.4, 0.6);

/// Adapts `max_p`: additive increase while the average is above its target range, multiplicative decrease below.
pub(super) fn adapt(settings: &mut RedSettings, average: f64) {
    let (min, max) = (settings.min_th.value() as f64, settings.max_th.value() as f64);
    let place = (average - min) / (max - min);
    if place > TARGET.1 && settings.max_p <= HIGHEST {
        settings.max_p += ALPHA.min(settings.max_p * ALPHA_SHARE);
    } else if place < TARGET.0 && settings.max_p >= LOWEST {
        settings.max_p *= BETA;
    }
}

/// Sets the thresholds and the weight of the average for a target delay at a link's rate C in packets/s: `min_th` is
/// max(5, delay · C / 2) packets, `max_th` three times that, and w_q = 1 − exp(−1 / C).
pub(super) fn configure(settings: &mut RedSettings, delay: Duration, rate: Rate, mean_packet: Bytes) {
    let packets = rate.as_bits() as f64 / 8.0 / mean_packet.get() as f64;
    let min = (delay.as_secs_f64() * packets / 2.0).max(5.0);
    let whole = |value: f64| (libm::round(value) as u64).max(1);
    (settings.min_th, settings.max_th) = match settings.min_th.is_bytes() {
        true => {
            let bytes = whole(min * mean_packet.get() as f64);
            (Threshold::Bytes(bytes), Threshold::Bytes(bytes.saturating_mul(3)))
        }
        false => (Threshold::Packets(whole(min)), Threshold::Packets(whole(min).saturating_mul(3))),
    };
    settings.w_q = -libm::expm1(-1.0 / packets.max(1.0));
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use jettison_measure::NoOutcomes;
    use serde_json::json;

    use super::*;
    use crate::QueueDiscipline;
    use crate::testing::{build_error, built, packet};

    fn settings(max_p: f64) -> RedSettings {
        let (min_th, max_th) = (Threshold::Packets(10), Threshold::Packets(20));
        RedSettings { min_th, max_th, w_q: 0.1, max_p, gentle: false, maximum_packet_size: 1500 }
    }

    fn adapted(max_p: f64, average: f64) -> f64 {
        let mut settings = settings(max_p);
        adapt(&mut settings, average);
        settings.max_p
    }

    #[test]
    fn max_p_steps_up_above_the_target_and_down_below() {
        assert_eq!(adapted(0.1, 16.1), 0.1 + 0.01);
        assert_eq!(adapted(0.02, 30.0), 0.02 + 0.005, "a quarter of a small max_p");
        assert_eq!(adapted(0.1, 13.9), 0.1 * 0.9);
        assert_eq!((adapted(0.1, 14.1), adapted(0.1, 15.9)), (0.1, 0.1), "within the target");
    }

    #[test]
    fn max_p_stays_within_its_bounds() {
        assert_eq!((adapted(0.51, 100.0), adapted(0.009, 0.0)), (0.51, 0.009));
        let mut settings = settings(0.1);
        (0..1000).for_each(|_| adapt(&mut settings, 100.0));
        assert!((0.5..=0.51).contains(&settings.max_p), "{}", settings.max_p);
        (0..1000).for_each(|_| adapt(&mut settings, 0.0));
        assert!((0.009..=0.01).contains(&settings.max_p), "{}", settings.max_p);
    }

    #[test]
    fn automatic_thresholds_and_weight_follow_the_rate() {
        let mut packets = settings(0.1);
        // 10,000 packets of 500 bytes a second.
        configure(&mut packets, Duration::from_millis(5), Rate::from_mbit(40), Bytes::new(500));
        assert_eq!((packets.min_th, packets.max_th), (Threshold::Packets(25), Threshold::Packets(75)));
        assert!((packets.w_q - 1e-4).abs() < 1e-8, "{}", packets.w_q);
        configure(&mut packets, Duration::from_millis(5), Rate::from_mbit(1), Bytes::new(500));
        assert_eq!((packets.min_th, packets.max_th), (Threshold::Packets(5), Threshold::Packets(15)));
        let mut bytes =
            RedSettings { min_th: Threshold::Bytes(1), max_th: Threshold::Bytes(2), ..settings(0.1) };
        configure(&mut bytes, Duration::from_millis(5), Rate::from_mbit(40), Bytes::new(500));
        assert_eq!((bytes.min_th, bytes.max_th), (Threshold::Bytes(12_500), Threshold::Bytes(37_500)));
    }

    fn max_p(queue: &dyn QueueDiscipline, now: Time) -> f64 {
        let mut taken = Vec::new();
        queue.gauges(now, &mut taken);
        taken
            .iter()
            .find(|(gauge, ..)| gauge.name == "red_max_p")
            .map_or(f64::NAN, |taken: &(jettison_core::Gauge, String, f64)| taken.2)
    }

    #[test]
    fn it_adapts_twice_a_second_and_an_idle_queue_counts_as_one_that_drains() {
        let mut queue =
            built(json!({ "kind": "red", "adaptive": true, "w_q": 1.0, "max_p": 0.1, "s": "1 ms" }));
        (0..14).for_each(|id| queue.enqueue(packet(id, 500), Time::ZERO, &mut NoOutcomes));
        assert_eq!(queue.next_wakeup(), Some(Time::from_millis(500)));
        queue.handle_wakeup(Time::from_millis(500), &mut NoOutcomes);
        assert_eq!(max_p(&*queue, Time::ZERO), 0.11);
        let emptied = Time::from_millis(600);
        while queue.dequeue(emptied, &mut NoOutcomes).is_some() {}
        queue.handle_wakeup(Time::from_secs(1), &mut NoOutcomes);
        assert_eq!(max_p(&*queue, Time::ZERO), 0.11 * 0.9);
        assert!(!built(json!("red")).uses_wakeups());
    }

    #[test]
    fn a_target_delay_is_for_adaptive_red_only() {
        let (path, message) = build_error(json!({ "kind": "red", "target_delay": "5 ms" }));
        assert_eq!(path, "target_delay");
        assert!(message.contains("adaptive = true"), "{message}");
        let zero = json!({ "kind": "red", "adaptive": true, "target_delay": "0 ms" });
        assert_eq!(build_error(zero).1, "must be > 0, got 0 s");
        let mut queue = built(json!({ "kind": "red", "adaptive": true, "target_delay": "5 ms" }));
        queue.capacity_changed(Rate::ZERO, Time::ZERO);
        queue.capacity_changed(Rate::from_mbit(10), Time::ZERO);
        assert!(max_p(&*queue, Time::ZERO) > 0.0);
    }
}
