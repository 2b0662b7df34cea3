use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::{Kind, metrics};

const OBJECT: ObjectId = ObjectId { kind: Kind::Queue, index: 3 };

fn series() -> Series {
    Series::new(OBJECT, metrics::BACKLOG, "")
}

/// Points on a grid with gaps and some beside it.
fn points() -> impl Strategy<Value = Vec<(Time, f64)>> {
    let step = prop_oneof![6 => Just(100u64), 1 => 1..1000u64, 1 => Just(0u64)];
    let value = prop_oneof![0..4u32, any::<u32>()].prop_map(|value| f64::from(value) / 3.0 - 1e3);
    vec((step, value), 1..200).prop_map(|steps| {
        let mut now = 0;
        steps
            .into_iter()
            .map(|(step, value)| {
                now += step;
                (Time::from_millis(now), value)
            })
            .collect()
    })
}

/// The same points with at most `limit` in memory, beside another series.
fn spilled(points: &[(Time, f64)], limit: usize) -> Series {
    let mut all = [series(), Series::new(OBJECT, metrics::THROUGHPUT, "")];
    let mut spill = Spill::with_limit(limit);
    for (time, value) in points {
        all[0].push(*time, *value);
        all[1].push(*time, -value);
        spill.add_point();
        if spill.add_point() {
            spill.relieve(all.iter_mut());
        }
    }
    let [series, _] = all;
    series
}

proptest! {
    #[test]
    fn a_spilled_series_equals_one_in_memory(points in points(), limit in 2..60usize) {
        let whole = series().with(points.iter().copied());
        let spilled = spilled(&points, limit);
        prop_assert_eq!(spilled.spilled.is_some(), 2 * points.len() > limit);
        prop_assert_eq!(&spilled, &whole);
        prop_assert_eq!(spilled.points().unwrap(), points.clone());
        prop_assert_eq!((spilled.len(), spilled.latest()), (whole.len(), whole.latest()));
        prop_assert!(spilled.values.len() <= limit);
    }

    #[test]
    fn the_statistics_of_a_spilled_series_are_the_same_bits(
        points in points(),
        limit in 2..20usize,
        start in 0..5_000u64,
        share in 0.0..1.0f64,
    ) {
        let start = Time::from_millis(start);
        let shares = [0.0, share, 0.5, 0.99, 1.0];
        let bits = |series: Series| {
            let found = series.statistics(start, shares).unwrap();
            found.map(|(mean, quantiles)| (mean.to_bits(), quantiles.map(f64::to_bits)))
        };
        let whole = bits(series().with(points.iter().copied()));
        prop_assert_eq!(bits(spilled(&points, limit)), whole);
    }
}

#[test]
fn a_grid_takes_no_memory_for_its_times() {
    let series = series().with((1..=1000).map(|n| (Time::from_millis(100 * n), 1.0)));
    assert!(series.times.runs().0.is_empty());
    let pieces: Vec<_> = series.pieces().map(Result::unwrap).collect();
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].times().last(), Some(Time::from_secs(100)));
}

#[test]
fn a_copy_of_a_spilled_series_keeps_its_points() {
    let points: Vec<_> = (0..50).map(|n| (Time::from_millis(n * n), n as f64)).collect();
    let original = spilled(&points, 10);
    let mut copy = original.clone();
    copy.push(Time::from_secs(10), 1.0);
    drop(original);
    assert_eq!(copy.len(), 51);
    assert_eq!(copy.points().unwrap()[..50], points);
}

#[test]
fn copies_of_a_run_share_the_file_and_keep_their_own_points() {
    let mut all = [(Spill::with_limit(8), series())];
    let add = |(spill, series): &mut (Spill, Series), n: u64, value: f64| {
        series.push(Time::from_millis(n), value);
        if spill.add_point() {
            spill.relieve(std::iter::once(series));
        }
    };
    (0..50).for_each(|n| add(&mut all[0], n, n as f64));
    // From here on they write to the same file in turns.
    let [first] = all;
    let mut all = [first.clone(), first];
    for n in 50..120 {
        add(&mut all[0], n, n as f64);
        add(&mut all[1], n, -(n as f64));
    }
    let [(_, first), (_, second)] = all;
    let points = |sign: f64| -> Vec<_> {
        (0..120).map(|n| (Time::from_millis(n), if n < 50 { 1.0 } else { sign } * n as f64)).collect()
    };
    assert_eq!(first.points().unwrap(), points(1.0));
    assert_eq!(second.points().unwrap(), points(-1.0));
    let chunks = |series: &Series| series.spilled.as_ref().map_or(0, |spilled| spilled.chunks.len());
    assert!(chunks(&first) > 10 && chunks(&second) > 10);
}
