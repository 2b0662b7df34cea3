//! Tests of synthetic traces, against Winstein et al. 2013, section 3.1.

use proptest::prelude::*;

use super::*;

fn paper(seed: u64) -> Synthesis {
    Synthesis { seed, ..Synthesis::default() }
}

fn rates(synthesis: &Synthesis, seconds: usize) -> Vec<f64> {
    let noise = Noise::draw(Seed(synthesis.seed), seconds * 50, synthesis.volatility, synthesis.outage);
    synthesis.rates(&noise).unwrap()
}

#[test]
fn the_same_values_make_the_same_lines_and_another_seed_makes_others() {
    assert_eq!(paper(7).trace().unwrap(), paper(7).trace().unwrap());
    assert_ne!(paper(7).trace().unwrap(), paper(8).trace().unwrap());
}

#[test]
fn a_trace_never_changes_between_versions_or_machines() {
    let trace = Synthesis { duration: Duration::from_secs(10), ..paper(7) }.trace().unwrap();
    let times = trace.opportunities();
    let sum: u64 = times.iter().map(|at| u64::from(*at)).sum();
    assert_eq!((times.len(), &times[..5], sum), GOLDEN);
}
const GOLDEN: (usize, &[u32], u64) = (643, &[5, 6, 8, 9, 11], 694_013);

#[test]
fn the_period_is_the_duration() {
    for millis in [1_000, 1_001, 60_000] {
        let trace = Synthesis { duration: Duration::from_millis(millis), ..paper(3) }.trace().unwrap();
        assert_eq!(trace.period_millis(), millis);
    }
}

#[test]
fn section_3_1_the_rate_wanders_200_packets_a_second_in_a_second() {
    // Far from zero and from the maximum rate, over 2,000 s.
    let wide = Synthesis { max: packets(500_000), ..paper(5) };
    let rates = rates(&wide, 2_000);
    let after_a_second: Vec<f64> = rates.iter().step_by(50).copied().collect();
    let squares: Vec<f64> =
        after_a_second.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0])).collect();
    let deviation = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!((190.0..210.0).contains(&deviation), "{deviation}");
}

#[test]
fn section_3_1_the_rate_stays_between_zero_and_its_maximum() {
    let rates = rates(&paper(5), 1_000);
    assert!(rates.iter().all(|rate| (0.0..=1_000.0).contains(rate)));
    assert!(rates.contains(&0.0) && rates.contains(&1_000.0));
}

#[test]
fn section_3_1_an_outage_lasts_for_its_mean_time() {
    let mean_outage = |outage: Duration| {
        let rates = rates(&Synthesis { outage, ..paper(5) }, 20_000);
        let runs: Vec<usize> =
            rates.chunk_by(|a, b| a == b).filter(|run| run[0] == 0.0).map(<[f64]>::len).collect();
        assert!(runs.len() > 100, "{}", runs.len());
        runs.iter().sum::<usize>() as f64 * TICK / runs.len() as f64
    };
    let second = mean_outage(Duration::from_secs(1));
    assert!((0.85..1.15).contains(&second), "{second}");
    let none = mean_outage(Duration::ZERO);
    assert!((none - TICK).abs() < 1e-9, "{none}: a tick at zero");
}

#[test]
fn section_3_1_packets_leave_as_a_poisson_process() {
    // A constant rate of 500 per second: a mean of 5 in 10 ms, with a variance of 5.
    let steady = Synthesis { volatility: Rate::ZERO, duration: Duration::from_secs(200), ..paper(9) };
    let trace = steady.trace().unwrap();
    let mut counts = vec![0f64; 20_000];
    for at in trace.opportunities() {
        counts[((at - 1) / 10) as usize] += 1.0;
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let variance =
        counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / counts.len() as f64;
    assert!((4.93..5.07).contains(&mean), "{mean}");
    assert!((0.96..1.04).contains(&(variance / mean)), "{variance} at {mean}");
}

#[test]
fn the_trace_has_the_required_mean() {
    for (seed, mbit) in (1..30).map(|seed| (seed, 2 + seed % 9)) {
        let mean = Rate::from_mbit(mbit);
        let trace = Synthesis { mean: Some(mean), ..paper(seed) }.trace().unwrap();
        let has = trace.opportunities().len() as f64 * OPPORTUNITY_BITS / 120.0;
        assert!((has / mean.as_bits() as f64 - 1.0).abs() < 0.02, "{has} for {mean}");
    }
}

#[test]
fn invalid_parameters_are_refused() {
    let refusal = |synthesis: Synthesis| synthesis.trace().unwrap_err().to_string();
    for duration in [Duration::ZERO, Duration::from_millis(999), Duration::from_nanos(1_500_000_001)] {
        let said = refusal(Synthesis { duration, ..paper(1) });
        assert!(said.contains("must be 1 s to 86400 s in whole milliseconds"), "{said}");
    }
    assert!(refusal(Synthesis { duration: Duration::from_secs(86_401), ..paper(1) }).contains("86400 s"));
    assert!(refusal(Synthesis { max: Rate::ZERO, ..paper(1) }).ends_with("got 0 bit/s"));
    assert!(refusal(Synthesis { mean: Some(Rate::ZERO), ..paper(1) }).ends_with("got 0 bit/s"));
    assert!(
        refusal(Synthesis { mean: Some(Rate::from_mbit(13)), ..paper(1) }).contains("below the maximum rate")
    );
    assert!(
        refusal(Synthesis { volatility: Rate::from_mbit(20_000), ..paper(1) }).contains("volatility must be")
    );
    let pull = Synthesis { pull: Duration::from_millis(99), mean: Some(Rate::from_mbit(1)), ..paper(1) };
    assert!(refusal(pull).contains("at least 100 ms"));
    let long = Synthesis { duration: LONGEST, max: FASTEST, ..paper(1) };
    assert!(refusal(long).contains("at most 50 million"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_values_make_a_trace_or_a_message(
        seed: u64,
        millis in 900u64..4_000,
        mean in prop::option::of(0u64..30),
        max in 0u64..40,
        volatility in 0u64..40,
        pull in 0u64..3_000,
        outage in 0u64..3_000,
    ) {
        let synthesis = Synthesis {
            seed,
            duration: Duration::from_millis(millis),
            mean: mean.map(Rate::from_mbit),
            max: Rate::from_mbit(max),
            volatility: Rate::from_mbit(volatility),
            pull: Duration::from_millis(pull),
            outage: Duration::from_millis(outage),
        };
        if let Ok(trace) = synthesis.trace() {
            prop_assert_eq!(trace.period_millis(), millis);
        }
    }
}
