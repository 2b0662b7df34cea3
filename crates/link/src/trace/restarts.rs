//! Restarts of the downloads with which a drive test was recorded.
//!
//! The phones of the Irish 5G dataset measured a download, and about every 12 rows its rate is near zero for one to three
//! rows, also where the phone lay still: the download was started anew. The network was there all the time, so a link that
//! repeats these rows has outages that are not the network's.
//!
//! A restart is at most [`MOST_ROWS`] rows near zero between rows of high rate:
//!
//! - the reference is the lower of two medians, of the [`BESIDE`] rows before and of the [`BESIDE`] rows after;
//! - high is a reference of at least [`HIGH`];
//! - near zero is below a tenth of the reference, which the rows directly before and after are not;
//! - the rows near zero last for at most [`LONGEST`] seconds up to the next row.
//!
//! Longer outages have more rows near zero, or a median near zero on one side, and stay.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Handling of restarts of a drive test's downloads.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "restarts of downloads")]
pub enum Restarts {
    /// Their rates are interpolated between the rows before and after.
    #[default]
    Interpolate,
    /// They are replayed as outages.
    Keep,
}

/// The rate of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// Seconds since a fixed time; larger than in the row before.
    pub second: u64,
    /// Bytes per second.
    pub bytes: u64,
}

/// Maximum number of rows near zero.
const MOST_ROWS: usize = 3;
/// Number of rows before and after, each, of which the median is taken.
const BESIDE: usize = 5;
/// Minimum reference in bytes per second: 1 Mbit/s.
const HIGH: u64 = 125_000;
/// Factor by which a rate near zero is below the reference.
const NEAR_ZERO: u64 = 10;
/// Maximum seconds near zero. The recordings have rows up to 3 s apart and restarts of up to 4 s.
const LONGEST: u64 = 6;

/// Finds the restarts: for each the rows near zero. Rows of high rate are on both sides of each.
pub(super) fn restarts(rows: &[Row]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = BESIDE;
    while start + BESIDE < rows.len() {
        let longest = (1..=MOST_ROWS).map(|count| start..start + count);
        match longest.into_iter().find(|range| is_restart(rows, range)) {
            Some(range) => {
                start = range.end;
                found.push(range);
            }
            None => start += 1,
        }
    }
    found
}

/// Whether these rows, of which [`BESIDE`] others precede, are all of a restart.
fn is_restart(rows: &[Row], range: &Range<usize>) -> bool {
    let Some(after) = rows.get(range.end..range.end + BESIDE) else { return false };
    let before = &rows[range.start - BESIDE..range.start];
    let reference = median(before).min(median(after));
    let is_near_zero = |row: &Row| row.bytes * NEAR_ZERO < reference;
    reference >= HIGH
        && rows[range.clone()].iter().all(is_near_zero)
        && !is_near_zero(&rows[range.start - 1])
        && !is_near_zero(&rows[range.end])
        && rows[range.end].second - rows[range.start].second <= LONGEST
}

fn median(rows: &[Row]) -> u64 {
    let mut rates: Vec<u64> = rows.iter().map(|row| row.bytes).collect();
    rates.sort_unstable();
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}

/// Replaces the rates of restarts by those on the line from the row before to the row after.
pub(super) fn interpolate(rows: &mut [Row], restarts: &[Range<usize>]) {
    for range in restarts {
        let (from, to) = (rows[range.start - 1], rows[range.end]);
        let span = i128::from(to.second - from.second);
        for row in &mut rows[range.clone()] {
            let rise = i128::from(to.bytes) - i128::from(from.bytes);
            let since = i128::from(row.second - from.second);
            // Between two rates of 64 bits.
            row.bytes = (i128::from(from.bytes) + rise * since / span) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of these rates in Mbit/s, one each second.
    fn rows(mbit: &[f64]) -> Vec<Row> {
        let row = |(second, mbit): (usize, &f64)| Row { second: second as u64, bytes: (mbit * 125e3) as u64 };
        mbit.iter().enumerate().map(row).collect()
    }

    /// First and last row of each restart.
    fn ends(rows: &[Row]) -> Vec<(usize, usize)> {
        restarts(rows).iter().map(|range| (range.start, range.end - 1)).collect()
    }

    fn found(mbit: &[f64]) -> Vec<(usize, usize)> {
        ends(&rows(mbit))
    }

    /// 200 Mbit/s, these rows, 200 Mbit/s.
    fn amid(mbit: &[f64]) -> Vec<f64> {
        [&[200.0; 6], mbit, &[200.0; 6]].concat()
    }

    #[test]
    fn up_to_three_rows_near_zero_between_high_rates_are_a_restart() {
        assert_eq!(found(&amid(&[0.0])), [(6, 6)]);
        assert_eq!(found(&amid(&[0.0, 3.0])), [(6, 7)]);
        assert_eq!(found(&amid(&[19.9, 0.0, 19.9])), [(6, 8)]);
        assert_eq!(found(&amid(&[0.0; 4])), [], "an outage");
        assert_eq!(found(&amid(&[20.0])), [], "a tenth is not below a tenth");
        assert_eq!(found(&amid(&[])), []);
        assert_eq!(found(&amid(&[80.0, 0.0, 0.0, 30.0])), [(7, 8)], "parts of seconds beside it");
    }

    #[test]
    fn the_lower_side_decides() {
        let falls = [[200.0; 6].as_slice(), &[15.0, 0.0], &[20.0; 6]].concat();
        assert_eq!(found(&falls), [(7, 7)], "15 is not near zero beside 20");
        let outage = [[200.0; 6].as_slice(), &[0.0, 0.0], &[0.3; 6]].concat();
        assert_eq!(found(&outage), [], "what follows is no high rate");
        assert_eq!(found(&[[0.9; 6].as_slice(), &[0.0], &[0.9; 6]].concat()), []);
        assert_eq!(found(&[[1.0; 6].as_slice(), &[0.0], &[1.0; 6]].concat()), [(6, 6)]);
    }

    #[test]
    fn a_restart_needs_five_rows_on_each_side() {
        assert_eq!(found(&[[9.0; 5].as_slice(), &[0.0], &[9.0; 5]].concat()), [(5, 5)]);
        assert_eq!(found(&[[9.0; 4].as_slice(), &[0.0], &[9.0; 9]].concat()), []);
        assert_eq!(found(&[[9.0; 9].as_slice(), &[0.0], &[9.0; 4]].concat()), []);
        assert_eq!(found(&[]), []);
    }

    #[test]
    fn restarts_follow_one_another() {
        let mut rates = vec![30.0; 40];
        for at in [8, 9, 21, 33] {
            rates[at] = 0.0;
        }
        assert_eq!(found(&rates), [(8, 9), (21, 21), (33, 33)]);
    }

    #[test]
    fn rows_that_hold_for_long_are_an_outage() {
        let after = |seconds: u64| {
            let mut rows = rows(&amid(&[0.0]));
            rows[7..].iter_mut().for_each(|row| row.second += seconds - 1);
            ends(&rows)
        };
        assert_eq!((after(6), after(7)), (vec![(6, 6)], vec![]));
    }

    #[test]
    fn rates_are_interpolated_by_time() {
        let mut rows = rows(&amid(&[80.0, 0.0, 0.0, 20.0]));
        rows[8..].iter_mut().for_each(|row| row.second += 1); // a second without a row
        let found = restarts(&rows);
        interpolate(&mut rows, &found);
        // From 80 at 6 s to 20 at 10 s: 7 s and 9 s have rows.
        let mbit: Vec<u64> = rows[6..10].iter().map(|row| row.bytes / 125_000).collect();
        assert_eq!(mbit, [80, 65, 35, 20]);
        assert_eq!(ends(&rows), []);
    }

    proptest! {
        #[test]
        fn any_rows_are_interpolated_within_their_neighbours(
            rates in prop::collection::vec((0u64..125_000_000_000, 1u64..5), 0..60),
        ) {
            let mut second = 0;
            let mut rows: Vec<Row> = Vec::new();
            for (bytes, gap) in rates {
                second += gap;
                rows.push(Row { second, bytes });
            }
            let before = rows.clone();
            let found = restarts(&rows);
            interpolate(&mut rows, &found);
            for range in &found {
                let ends = [rows[range.start - 1].bytes, rows[range.end].bytes];
                let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                prop_assert!(rows[range.clone()].iter().all(|row| (low..=high).contains(&row.bytes)));
                prop_assert!(range.len() <= MOST_ROWS);
            }
            let kept = |at: &usize| !found.iter().any(|range| range.contains(at));
            prop_assert!((0..rows.len()).filter(kept).all(|at| rows[at] == before[at]));
        }
    }
}
