//! Slow start, common to all window-based controllers of this crate, and its end before loss.

use std::borrow::Cow;

use jettison_core::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::hystart::LinuxHyStart;
use super::hystart_plus_plus::{Advice, CSS_GROWTH_DIVISOR, HyStartPlusPlus, L};
use super::{AckSample, ControllerContext, Growth};

/// The rule that ends slow start before loss: `"auto"`, `"linux"`, `"rfc9406"` or `false` in files, and `true` for
/// `"rfc9406"`, which was the only one once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HyStart {
    /// The controller's default.
    #[default]
    Auto,
    /// None: slow start ends with a loss or a mark.
    Off,
    /// HyStart with its ACK train and its delay rule, as in Linux.
    Linux,
    /// HyStart++ (RFC 9406).
    Rfc9406,
}

impl HyStart {
    /// The rule, with `habit` for [`HyStart::Auto`].
    #[must_use]
    pub const fn or(self, habit: HyStart) -> HyStart {
        match self {
            HyStart::Auto => habit,
            fixed => fixed,
        }
    }
}

impl Serialize for HyStart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            HyStart::Auto => serializer.serialize_str("auto"),
            HyStart::Off => serializer.serialize_bool(false),
            HyStart::Linux => serializer.serialize_str("linux"),
            HyStart::Rfc9406 => serializer.serialize_str("rfc9406"),
        }
    }
}

impl<'de> Deserialize<'de> for HyStart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HyStart, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = HyStart;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"auto\", \"linux\", \"rfc9406\" or false")
            }
            fn visit_bool<E: serde::de::Error>(self, on: bool) -> Result<HyStart, E> {
                Ok(if on { HyStart::Rfc9406 } else { HyStart::Off })
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<HyStart, E> {
                match text {
                    "auto" => Ok(HyStart::Auto),
                    "linux" => Ok(HyStart::Linux),
                    "rfc9406" => Ok(HyStart::Rfc9406),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for HyStart {
    fn schema_name() -> Cow<'static, str> {
        "HyStart".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "enum": ["auto", "linux", "rfc9406", true, false] })
    }
}

/// Slow start.
#[derive(Debug, Clone)]
pub struct SlowStart {
    mss: u64,
    growth: Growth,
    paced: bool,
    end: End,
}

/// The rule that ends it before loss, with its state.
#[derive(Debug, Clone)]
enum End {
    Never,
    Linux(LinuxHyStart),
    Rfc9406(HyStartPlusPlus),
}

impl SlowStart {
    /// Creates slow start for a context; `habit` is the controller's default rule.
    pub fn new(context: &ControllerContext, habit: HyStart) -> SlowStart {
        SlowStart {
            mss: context.mss,
            growth: context.growth,
            paced: context.paced,
            end: match context.hystart.or(habit) {
                HyStart::Auto | HyStart::Off => End::Never,
                HyStart::Linux => End::Linux(LinuxHyStart::new(context.paced)),
                HyStart::Rfc9406 => End::Rfc9406(HyStartPlusPlus::default()),
            },
        }
    }

    /// Sets the segment size, which may shrink when the connection is established.
    pub fn set_mss(&mut self, mss: u64) {
        self.mss = mss;
    }

    /// Lets Linux's HyStart see an ACK, in slow start or not, before it makes the window grow. It may lower `ssthresh` to
    /// `window`. `epoch`: the start of the present stage of congestion avoidance, for controllers that have stages.
    #[inline]
    pub fn observe(&mut self, ack: &AckSample, window: u64, ssthresh: &mut u64, epoch: Option<Time>) {
        if let End::Linux(hystart) = &mut self.end
            && hystart.on_ack(ack, window < *ssthresh, window, self.mss, epoch)
        {
            *ssthresh = window;
        }
    }

    /// Prepares for the slow start after a timeout, in which Linux's HyStart acts anew.
    pub fn on_rto(&mut self) {
        if let End::Linux(hystart) = &mut self.end {
            hystart.reset();
        }
    }

    /// Grows `window` by up to `newly` acknowledged bytes, at most to `ssthresh`, which HyStart++ may lower to the
    /// window. Returns the remaining bytes, for congestion avoidance.
    pub fn on_ack(&mut self, ack: &AckSample, newly: u64, window: &mut u64, ssthresh: &mut u64) -> u64 {
        let mut increase = match self.growth {
            // RFC 5681 eq. 2.
            Growth::PerAck => newly.min(self.mss),
            Growth::PerByte => newly,
        };
        // RFC 9406 §4.3: only the initial slow start, while ssthresh is still arbitrarily high.
        if *ssthresh == u64::MAX
            && let End::Rfc9406(hystart) = &mut self.end
        {
            if !self.paced {
                increase = increase.min(L * self.mss);
            }
            match hystart.on_ack(ack) {
                Advice::Standard => {}
                Advice::Conservative => increase /= CSS_GROWTH_DIVISOR,
                Advice::Leave => {
                    *ssthresh = *window;
                    return newly;
                }
            }
        }
        let grown = window.saturating_add(increase);
        if grown <= *ssthresh {
            *window = grown;
            return 0;
        }
        *window = *ssthresh;
        match self.growth {
            Growth::PerByte => grown - *ssthresh,
            Growth::PerAck => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::super::testing::{MSS, ack, context};
    use super::*;

    /// Runs rounds of `samples` ACKs with the given RTTs in ms; returns the window after each round.
    fn rounds(slow_start: &mut SlowStart, rtts: &[u64], samples: u64) -> (Vec<u64>, u64) {
        let (mut window, mut ssthresh) = (10 * MSS, u64::MAX);
        let (mut acknowledged, mut windows) = (0, Vec::new());
        for &rtt in rtts {
            let next = acknowledged + samples * MSS;
            for _ in 0..samples {
                acknowledged += MSS;
                let mut sample = ack(MSS);
                sample.acknowledged = acknowledged;
                // All but the last ACK of a round arrive while the round's own data is in flight.
                sample.next_offset = next + samples * MSS;
                sample.rtt = Some(Duration::from_millis(rtt));
                slow_start.on_ack(&sample, MSS, &mut window, &mut ssthresh);
            }
            windows.push(window);
        }
        (windows, ssthresh)
    }

    #[test]
    fn rfc9406_4_2_a_steady_rtt_never_leaves_slow_start() {
        let mut slow_start = SlowStart::new(&context(), HyStart::Rfc9406);
        let (windows, ssthresh) = rounds(&mut slow_start, &[20; 10], 10);
        assert_eq!(windows[9], 110 * MSS);
        assert_eq!(ssthresh, u64::MAX);
    }

    #[test]
    fn rfc9406_4_2_a_rise_quarters_growth_for_five_rounds_and_then_ends_slow_start() {
        let mut slow_start = SlowStart::new(&context(), HyStart::Rfc9406);
        let rtts: Vec<u64> = [20, 20].into_iter().chain([30; 16]).collect();
        let (windows, ssthresh) = rounds(&mut slow_start, &rtts, 10);
        assert!(ssthresh < u64::MAX, "left slow start");
        assert_eq!(*windows.last().unwrap(), ssthresh);
        let css: Vec<u64> =
            windows.windows(2).map(|w| w[1] - w[0]).filter(|grown| *grown == 10 * MSS / 4).collect();
        assert!(css.len() >= 3, "conservative rounds grow by a quarter: {windows:?}");
    }

    #[test]
    fn rfc9406_4_2_a_falling_rtt_resumes_slow_start() {
        let mut slow_start = SlowStart::new(&context(), HyStart::Rfc9406);
        let rtts: Vec<u64> = [20, 20, 30, 30].into_iter().chain([20; 12]).collect();
        let (windows, ssthresh) = rounds(&mut slow_start, &rtts, 10);
        assert_eq!(ssthresh, u64::MAX);
        assert_eq!(windows[15] - windows[14], 10 * MSS, "full growth again");
    }

    #[test]
    fn rfc9406_4_3_growth_per_ack_is_limited_unless_paced() {
        for (paced, expected) in [(false, 8 * MSS), (true, 20 * MSS)] {
            let mut slow_start = SlowStart::new(&ControllerContext { paced, ..context() }, HyStart::Rfc9406);
            let (mut window, mut ssthresh) = (10 * MSS, u64::MAX);
            slow_start.on_ack(&ack(20 * MSS), 20 * MSS, &mut window, &mut ssthresh);
            assert_eq!(window - 10 * MSS, expected);
        }
    }

    #[test]
    fn rules_are_named_in_files_and_true_means_what_it_meant() {
        let read = |text: &str| serde_json::from_str::<HyStart>(text);
        for (text, rule) in [
            ("\"auto\"", HyStart::Auto),
            ("\"linux\"", HyStart::Linux),
            ("\"rfc9406\"", HyStart::Rfc9406),
            ("false", HyStart::Off),
        ] {
            assert_eq!(read(text).unwrap(), rule);
            assert_eq!(serde_json::to_string(&rule).unwrap(), text);
        }
        assert_eq!(read("true").unwrap(), HyStart::Rfc9406);
        assert!(read("\"on\"").unwrap_err().to_string().contains("linux"));
    }
}
