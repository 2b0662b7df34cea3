//! Names, order and units of series.

use jettison_measure::Declared;

/// Main series in order; others are collapsed.
const MAIN: [&str; 9] =
    ["backlog", "sojourn", "throughput", "goodput", "cwnd", "rtt", "srtt", "owd", "jitter"];
/// Main series of a streaming flow: quality of experience and, next to the buffer, the sender's state.
const OF_VIEWERS: [&str; 12] = [
    "active_players",
    "buffer",
    "cwnd",
    "in_flight",
    "frames_per_second",
    "representation_rate",
    "segment_rate",
    "goodput",
    "rtt",
    "srtt",
    "owd",
    "jitter",
];

/// Main series of real-time video.
const OF_PICTURES: [&str; 8] = [
    "sqi_ssim",
    "frame_latency",
    "age_of_information",
    "bandwidth_estimate",
    "send_buffer",
    "in_flight",
    "goodput",
    "srtt",
];

/// The main series, in order, of an object for which `has` returns whether it has a metric.
pub(super) fn main_series(has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let all: &[&str] = match has("buffer") {
        true => &OF_VIEWERS,
        false if has("frame_latency") || has("age_of_information") => &OF_PICTURES,
        false => &MAIN,
    };
    // Goodput alternates with the segments; their rate gives the same information.
    let repeats = |metric: &str| metric == "goodput" && has("segment_rate");
    all.iter().filter(|metric| has(metric) && !repeats(metric)).copied().collect()
}

/// A metric's name for headings: its title, if it has one.
pub(super) fn readable(metric: &str) -> String {
    let Some(title) = Declared::named(metric).and_then(|declared| declared.title) else {
        return metric.replace('_', " ");
    };
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a value of the series holds until the next one, as for the representation of segments.
pub(super) fn is_step(metric: &str) -> bool {
    metric == "representation_rate"
}

/// Whether zero is significant: an empty buffer, a frozen picture. The axis then shows zero clear of its edge.
pub(super) fn shows_zero(metric: &str) -> bool {
    matches!(metric, "buffer" | "frames_per_second")
}

/// A unit with short numbers for values up to `largest`, and its divisor.
pub(super) fn scaled(unit: &str, largest: f64) -> (&str, f64) {
    match unit {
        "bytes" if largest >= 1e7 => ("MB", 1e6),
        "bytes" if largest >= 1e4 => ("kB", 1e3),
        "ms" if largest >= 2e4 => ("s", 1e3),
        "us" if largest >= 2e4 => ("ms", 1e3),
        "us" => ("µs", 1.0),
        "kbit/s" if largest >= 1e4 => ("Mbit/s", 1e3),
        "Mbit/s" if largest >= 1e4 => ("Gbit/s", 1e3),
        other => (other, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_of_experience_comes_first_for_viewers() {
        let of = |series: &[&str]| main_series(|metric| series.contains(&metric));
        assert_eq!(of(&["goodput", "rtt", "in_flight", "cwnd"]), ["goodput", "cwnd", "rtt"]);
        let player = ["goodput", "cwnd", "segment_rate", "buffer", "ssthresh"];
        assert_eq!(of(&player), ["buffer", "cwnd", "segment_rate"]);
        assert_eq!(of(&["goodput", "buffer", "active_players"]), ["active_players", "buffer", "goodput"]);
    }

    #[test]
    fn large_numbers_get_larger_units() {
        assert_eq!(scaled("kbit/s", 2_080.0), ("kbit/s", 1.0));
        assert_eq!(scaled("kbit/s", 45_000.0), ("Mbit/s", 1e3));
    }
}
