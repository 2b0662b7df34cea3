//! RED in Linux: tc-red(8).

use jettison_registry::ParameterError;

use super::{RedParameters, RedSettings, adaptive};
use crate::{Limit, Qdisc, QdiscContext, Threshold, Victim, tc_rate};

/// Linux's `red`. Its thresholds are in bytes, and its weight is a power of two that `tc` finds from `burst`.
pub(super) fn qdisc(parameters: RedParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    ParameterError::require(!parameters.gentle, "gentle", "be false for `tc`", true)?;
    ParameterError::unless(parameters.victim == Victim::Arrival, "victim", || {
        "must be \"arrival\" for `tc`: Linux's red signals no other packet".to_owned()
    })?;
    let settings = settings(&parameters, context)?;
    let mean = parameters.mean_packet.get() + context.header.get();
    let min = in_bytes(settings.min_th, context);
    let max = in_bytes(settings.max_th, context);
    let (power, burst) = burst(settings.w_q, min as f64 / mean as f64);
    let mut qdisc = Qdisc::new("red");
    if settings.min_th.is_bytes() {
        qdisc = qdisc.note(
            "a packet's length does not change its probability in Linux; here it is scaled by \
             `maximum_packet_size`",
        );
    } else {
        qdisc = qdisc.note(format!(
            "min_th {}, max_th {}: Linux's red counts bytes, so that small packets count less; in packets of {} bytes",
            settings.min_th, settings.max_th, context.mtu.get()
        ));
    }
    let weight = libm::ldexp(1.0, -power);
    if (weight - settings.w_q).abs() > weight * 1e-9 {
        qdisc = qdisc.note(format!("w_q {}: Linux's is a power of two, {weight}", settings.w_q));
    }
    let limit = match parameters.limit {
        Limit { bytes: u64::MAX, packets: u64::MAX } => u64::MAX,
        Limit { bytes, packets } => bytes.min(packets.saturating_mul(context.mtu.get())),
    };
    if parameters.limit.packets != u64::MAX {
        qdisc = qdisc.note(format!(
            "limit {}: Linux's red counts bytes, in packets of {} bytes",
            parameters.limit,
            context.mtu.get()
        ));
    }
    qdisc = qdisc.byte_limit(limit, context);
    for (name, value) in [("min", min), ("max", max), ("avpkt", mean), ("burst", burst)] {
        qdisc = qdisc.option(name, value);
    }
    qdisc = qdisc.option("probability", settings.max_p);
    let idle = match parameters.s {
        // The rate at which a small packet takes `s`.
        Some(s) => Some(jettison_core::Rate::from_bits(
            u64::try_from(u128::from(mean) * 8_000_000_000 / u128::from(s.as_nanos().max(1)))
                .unwrap_or(u64::MAX),
        )),
        None => context.rate,
    };
    match idle {
        Some(rate) => qdisc = qdisc.option("bandwidth", tc_rate(rate)),
        None => {
            qdisc = qdisc.note("bandwidth: 10 Mbit/s, tc's own, since the link has no fixed rate");
        }
    }
    for (is_set, word) in [
        (parameters.ecn, "ecn"),
        (parameters.ecn && !parameters.mark_above_max, "harddrop"),
        (parameters.adaptive, "adaptive"),
    ] {
        if is_set {
            qdisc = qdisc.word(word);
        }
    }
    Ok(qdisc)
}

/// Thresholds, weight and probability; those of Adaptive RED's `target_delay` at the link's rate.
fn settings(parameters: &RedParameters, context: &QdiscContext<'_>) -> Result<RedSettings, ParameterError> {
    let mut settings = parameters.settings();
    if let Some(delay) = parameters.target_delay {
        let Some(rate) = context.rate else {
            return Err(ParameterError::at(
                "target_delay",
                "must be unset for `tc` without a fixed rate of the link: the thresholds depend on it",
            ));
        };
        adaptive::configure(&mut settings, delay, rate, parameters.mean_packet);
    }
    Ok(settings)
}

fn in_bytes(threshold: Threshold, context: &QdiscContext<'_>) -> u64 {
    match threshold {
        Threshold::Packets(packets) => context.in_linux(packets.saturating_mul(context.mtu.get())),
        Threshold::Bytes(bytes) => context.in_linux(bytes),
    }
}

/// The nearest weight 1/2^n, and the burst in packets by which `tc` finds it: the largest L that the paper's (3) allows with
/// this weight, L + 1 + ((1 - w)^(L + 1) - 1) / w < min. A weight twice as large would not allow it.
fn burst(w_q: f64, min: f64) -> (i32, u64) {
    let power = libm::round(-libm::log2(w_q)).clamp(1.0, 31.0) as i32;
    let weight = libm::ldexp(1.0, -power);
    let average = |burst: u64| {
        let arrivals = (burst + 1) as f64;
        arrivals + libm::expm1(arrivals * libm::log1p(-weight)) / weight
    };
    // The average grows with the burst, and exceeds `burst - 1 / w`.
    let (mut low, mut high) = (1, (min + 1.0 / weight) as u64 + 2);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if average(middle) < min { low = middle } else { high = middle }
    }
    (power, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_burst_of_the_papers_table_gives_its_weight() {
        // Floyd & Jacobson 1993, §6: min_th of 5 packets and bursts of 50 need w_q <= 0.0042.
        let (power, largest) = burst(0.0042, 5.0);
        assert_eq!(power, 8);
        assert!((50..56).contains(&largest), "{largest}");
        // tc-red(8)'s guideline for 30, 90 and 1.5 kB is 33.
        assert_eq!(burst(0.0625, 20.0), (4, 33));
        assert_eq!(burst(1.0, 5.0).0, 1);
    }
}
