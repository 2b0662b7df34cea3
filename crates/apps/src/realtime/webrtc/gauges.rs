//! What a call's sender reports of its state.

use jettison_core::{Gauge, Gauges};
use jettison_messages::gcc::Estimator;

/// The gauges.
pub(super) const GAUGES: &[Gauge] = &[
    BY_DELAY,
    BY_LOSS,
    ACKNOWLEDGED,
    GRADIENT,
    THRESHOLD,
    STATE,
    LIMITED,
    QUEUED,
    IN_FLIGHT,
    WINDOW,
    ENCODER,
    PIXELS,
];

const BY_DELAY: Gauge = Gauge::new("webrtc_delay_rate", "Mbit/s", "Rate by delay.");
const BY_LOSS: Gauge = Gauge::new("webrtc_loss_rate", "Mbit/s", "Rate by losses; none before three windows.");
const ACKNOWLEDGED: Gauge =
    Gauge::new("webrtc_acknowledged_rate", "Mbit/s", "Acknowledged bitrate; none before ten packets.");
const GRADIENT: Gauge = Gauge::new(
    "webrtc_gradient",
    "ms",
    "Slope of the delay as it is compared with the threshold; none before the first group.",
);
const THRESHOLD: Gauge = Gauge::new("webrtc_threshold", "ms", "Threshold of over-use.");
const STATE: Gauge =
    Gauge::new("webrtc_state", "1", "Rate control by delay: -1 decreases, 0 holds, 1 increases.");
const LIMITED: Gauge = Gauge::new("webrtc_limited", "1", "1 in an application-limited region.");
const QUEUED: Gauge = Gauge::new("webrtc_queued", "kB", "Bytes that wait for the pacer.");

const IN_FLIGHT: Gauge =
    Gauge::new("webrtc_in_flight", "kB", "Bytes in flight, as the congestion window counts them.");
const WINDOW: Gauge =
    Gauge::new("webrtc_window", "kB", "Congestion window; none without one, and before the first report.");
const ENCODER: Gauge =
    Gauge::new("webrtc_encoder_target", "Mbit/s", "What the encoder is asked for, after the push-back.");

const PIXELS: Gauge =
    Gauge::new("webrtc_pixels", "1", "Pixels of the encoded picture over those of the captured one.");

/// Reports them; `queues` are bytes in the pacer's and in flight.
pub(super) fn report(estimator: &Estimator, queues: (u64, u64), pixels: f64, out: &mut dyn Gauges) {
    let (queued, in_flight) = queues;
    out.set(&PIXELS, pixels);
    let mbit = |rate: Option<f64>| rate.map_or(f64::NAN, |bits| bits / 1e6);
    let (gradient, threshold) = estimator.gradient();
    out.set(&BY_DELAY, mbit(Some(estimator.delay_rate())));
    out.set(&BY_LOSS, mbit(estimator.loss_rate()));
    out.set(&ACKNOWLEDGED, mbit(estimator.acknowledged_rate()));
    out.set(&GRADIENT, gradient.unwrap_or(f64::NAN));
    out.set(&THRESHOLD, threshold);
    out.set(&STATE, estimator.direction());
    out.set(&LIMITED, f64::from(u8::from(estimator.is_limited_by_application())));
    out.set(&QUEUED, queued as f64 / 1e3);
    out.set(&IN_FLIGHT, in_flight as f64 / 1e3);
    out.set(&WINDOW, estimator.window().map_or(f64::NAN, |bytes| bytes / 1e3));
    out.set(&ENCODER, mbit(Some(estimator.encoder_target().rate)));
}
