//! Tests of the trace link, each against Mahimahi's rules.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;

fn link(opportunities: &[u32]) -> TraceLink {
    TraceLink::new(Arc::new(Trace::from_opportunities(opportunities.to_vec()).unwrap()))
}

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Departure times of packets that all wait from the start.
fn backlogged(link: &mut TraceLink, sizes: &[u32]) -> Vec<u64> {
    let mut now = Time::ZERO;
    sizes
        .iter()
        .map(|size| {
            now = link.ready_at(now);
            now = link.begin(*size, now);
            now.as_micros() / 1_000
        })
        .collect()
}

#[test]
fn a_full_packet_uses_one_opportunity() {
    assert_eq!(backlogged(&mut link(&[3, 7, 7, 20]), &[1504; 4]), [3, 7, 7, 20]);
}

#[test]
fn several_packets_share_an_opportunity() {
    assert_eq!(backlogged(&mut link(&[3, 7, 10]), &[500, 500, 504, 1504]), [3, 3, 3, 7]);
}

#[test]
fn a_packet_spans_opportunities_and_leaves_at_the_last() {
    // 504 of 1,504 are left at 3 ms: the second packet begins there and ends at 7, where 1,008 bytes are left.
    assert_eq!(backlogged(&mut link(&[3, 7, 10]), &[1000, 1000, 1008, 1]), [3, 7, 7, 10]);
    assert_eq!(backlogged(&mut link(&[3, 7, 10]), &[4000]), [10]);
    assert_eq!(backlogged(&mut link(&[2]), &[1504 * 5]), [10]);
}

#[test]
fn the_trace_repeats_with_its_last_timestamp_as_period() {
    // 0 and 5 in the first round; 5 (0 of the second) and 10; 10 and 15.
    assert_eq!(backlogged(&mut link(&[0, 5]), &[1504; 6]), [0, 5, 5, 10, 10, 15]);
    assert_eq!(backlogged(&mut link(&[4, 5]), &[1504; 5]), [4, 5, 9, 10, 14]);
}

#[test]
fn opportunities_at_which_nothing_waits_are_lost() {
    let mut link = link(&[3, 7, 10]);
    assert_eq!(link.ready_at(ms(4)), ms(7));
    assert_eq!(link.begin(1504, ms(7)), ms(7));
    assert_eq!(link.ready_at(ms(7)), ms(10));
    assert_eq!(link.ready_at(Time::from_nanos(10_000_001)), ms(13));
}

#[test]
fn the_rest_of_an_opportunity_is_lost_when_nothing_waits_at_its_instant() {
    let mut link = link(&[3, 7, 10]);
    assert_eq!(link.ready_at(Time::ZERO), ms(3));
    assert_eq!(link.begin(100, ms(3)), ms(3));
    assert_eq!(link.ready_at(ms(3)), ms(3), "still open at that instant");
    assert_eq!(link.ready_at(Time::from_nanos(3_000_001)), ms(7), "gone after it");
    assert_eq!(link.begin(1504, ms(7)), ms(7));
}

#[test]
fn a_long_idle_time_skips_whole_rounds() {
    let mut skipping = link(&[0, 2, 5]);
    assert_eq!(skipping.ready_at(ms(5_000_001)), ms(5_000_002));
    assert_eq!(skipping.begin(1504, ms(5_000_002)), ms(5_000_002));
    assert_eq!(skipping.ready_at(ms(5_000_003)), ms(5_000_005));
    // At the seam, the old round's last opportunity precedes the new round's zero.
    let mut seam = link(&[0, 5]);
    assert_eq!(seam.ready_at(ms(50)), ms(50));
    assert_eq!(seam.begin(1504, ms(50)), ms(50));
    assert_eq!(seam.ready_at(ms(50)), ms(50));
    assert_eq!(seam.begin(1504, ms(50)), ms(50));
    assert_eq!(seam.ready_at(ms(50)), ms(55));
}

#[test]
fn mahimahi_counts_four_bytes_with_each_packet() {
    assert_eq!(link(&[1]).overhead(), 4);
    assert_eq!(link(&[1]).with_overhead(14).overhead(), 14);
}

#[test]
fn rate_is_the_mean_of_its_hundred_milliseconds() {
    // 12 opportunities in the first 100 ms, one in the second.
    let mut times: Vec<u32> = (0..12).map(|n| n * 8).collect();
    times.push(200);
    let link = link(&times);
    assert_eq!(link.rate(ms(99)), Rate::from_bits(12 * 1504 * 80));
    assert_eq!(link.rate(ms(100)), Rate::ZERO);
    assert_eq!(link.next_change(ms(99)), Some(ms(100)));
    assert_eq!(link.next_change(ms(100)), Some(ms(200)));
    assert_eq!(
        link.rate(ms(200)),
        Rate::from_bits(13 * 1504 * 80),
        "200 itself and the next round's first twelve"
    );
}

#[test]
fn a_backlogged_trace_carries_its_mean_rate() {
    let times: Vec<u32> = (0..1000u32).map(|n| n * n / 500).collect();
    let mut link = link(&times);
    let end = *backlogged(&mut link, &[1404; 15_000]).last().unwrap();
    let carried = 1404.0 * 15_000.0;
    let capacity = link.capacity(Time::ZERO, ms(end)).get() as f64;
    assert!((carried / capacity - 1.0).abs() < 1e-3, "{carried} of {capacity}");
}

#[test]
fn a_recorded_trace_carries_its_mean_rate() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/networks/lte/Verizon-LTE-short.down");
    let Ok(text) = std::fs::read(path) else {
        // Bypasses libtest's capture, so that .ci/run can count it.
        let note = "left out: a_recorded_trace_carries_its_mean_rate (no ../shared/data/networks/lte)";
        let _ = writeln!(std::io::stderr(), "{note}");
        return;
    };
    let trace = Trace::parse(&text).unwrap();
    assert_eq!(trace.opportunities().len(), 58_655);
    assert_eq!(trace.period_millis(), 140_000);
    let mut link = TraceLink::new(Arc::new(trace));
    // Slightly more than two rounds.
    let end = *backlogged(&mut link, &[1504; 130_000]).last().unwrap();
    assert_eq!(end / 140_000, 2);
    let per_second = 130_000.0 / (end as f64 / 1e3);
    let mean = 58_655.0 / 140.0;
    assert!((per_second / mean - 1.0).abs() < 0.1, "{per_second} against {mean} packets a second");
    let capacity = link.capacity(Time::ZERO, ms(end + 1)).get();
    assert!(capacity.abs_diff(130_000 * 1504) < 100 * 1504, "{capacity}");
}

/// Mahimahi's rule, applied literally: every opportunity in turn, to the packets that wait at its instant.
fn reference(trace: &[u32], arrivals: &[(u64, u32)]) -> Vec<u64> {
    let mut left_at = Vec::new();
    let (mut next, mut rest) = (0, None);
    let period = u64::from(*trace.last().unwrap());
    for opportunity in 0.. {
        let round = (opportunity / trace.len()) as u64 * period;
        let now = round + u64::from(trace[opportunity % trace.len()]);
        let mut bytes = 1504;
        while bytes > 0 && next < arrivals.len() {
            let (arrived, size) = arrivals[next];
            if rest.is_none() && arrived > now {
                break;
            }
            let need = rest.unwrap_or(size);
            let carried = need.min(bytes);
            bytes -= carried;
            rest = Some(need - carried);
            if need == carried {
                left_at.push(now);
                rest = None;
                next += 1;
            }
        }
        if next == arrivals.len() {
            break;
        }
    }
    left_at
}

proptest! {
    #[test]
    fn agrees_with_the_rule_read_literally(
        mut trace in prop::collection::vec(0u32..60, 1..20),
        arrivals in prop::collection::vec((0u64..25, 1u32..4000), 1..60),
    ) {
        trace.sort_unstable();
        prop_assume!(trace.last() != Some(&0));
        let mut at = 0;
        let arrivals: Vec<(u64, u32)> = arrivals.into_iter().map(|(gap, size)| { at += gap; (at, size) }).collect();
        let mut link = link(&trace);
        let mut now = Time::ZERO;
        let mut left_at = Vec::new();
        for (arrived, size) in &arrivals {
            now = now.max(ms(*arrived));
            let ready = link.ready_at(now);
            prop_assert!(ready >= now);
            now = link.begin(*size, ready);
            left_at.push(now.as_micros() / 1_000);
        }
        prop_assert_eq!(left_at, reference(&trace, &arrivals));
    }

    #[test]
    fn capacity_counts_every_opportunity_once(
        mut trace in prop::collection::vec(0u32..40, 1..12),
        from in 0u64..300,
        span in 0u64..300,
    ) {
        trace.sort_unstable();
        prop_assume!(trace.last() != Some(&0));
        let period = u64::from(*trace.last().unwrap());
        // Rounds of 1 ms to 600 ms.
        let counted = (0..601u64)
            .flat_map(|round| trace.iter().map(move |at| round * period + u64::from(*at)))
            .filter(|at| (from..from + span).contains(at))
            .count() as u64;
        prop_assert_eq!(link(&trace).capacity(ms(from), ms(from + span)).get(), counted * 1504);
    }
}
