//! Conversion between delivery opportunities and grants.

use thiserror::Error;

use super::grants::{Grants, Stretch};
use super::{Trace, TraceError};

/// The largest number of opportunities that a conversion produces.
const MAX_OPPORTUNITIES: u64 = 50_000_000;

/// Grants that cannot become delivery opportunities.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConvertError {
    /// The trace would have too many lines.
    #[error(
        "a trace must have at most {MAX_OPPORTUNITIES} opportunities, got {count}; shorten it, or keep the format of grants"
    )]
    TooMany {
        /// Number of opportunities.
        count: u64,
    },
    /// The opportunities are not a valid trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl Grants {
    /// The same capacity as grants, with `bytes` per opportunity.
    ///
    /// An opportunity at m ms in a [`Trace`] becomes the grant of the interval that ends at m ms, so packets leave at
    /// the same time. Opportunities at 0 are assigned to the first interval.
    pub fn of_opportunities(trace: &Trace, bytes: u32) -> Grants {
        let mut end = 0u32;
        let mut stretches = Vec::new();
        for same in trace.opportunities().chunk_by(|a, b| (*a).max(1) == (*b).max(1)) {
            let at = same[0].max(1);
            stretches.push(Stretch { ttis: at - 1 - end, bytes: 0 });
            stretches.push(Stretch { ttis: 1, bytes: u64::from(bytes) * same.len() as u64 });
            end = at;
        }
        Grants::of(stretches).expect("a trace has an opportunity, none of nothing, and a period of 32 bits")
    }

    /// The same capacity as opportunities of `bytes` each (at least 1): one whenever that many more bytes have been
    /// granted, at the end of the interval that completes them.
    ///
    /// The period does not change. If it does not end with an opportunity, the remaining bytes become one if they are
    /// at least half of its size; otherwise the last opportunity is moved to the end of the period.
    pub fn to_opportunities(&self, bytes: u32) -> Result<Trace, ConvertError> {
        let each = u64::from(bytes.max(1));
        let count = self.total() / each;
        if count > MAX_OPPORTUNITIES {
            return Err(ConvertError::TooMany { count });
        }
        let mut opportunities = Vec::with_capacity(count as usize + 1);
        let (mut start, mut before) = (0u64, 0u64);
        for Stretch { ttis, bytes } in self.stretches() {
            let (first, last) = (before / each + 1, (before + bytes) / each);
            for number in first..=last {
                // The smallest k with before + ⌊bytes · k / ttis⌋ at number · each.
                let wanted = u128::from(number * each - before) * u128::from(ttis);
                let ttis = wanted.div_ceil(u128::from(bytes)) as u64; // at most this stretch's
                opportunities.push((start + ttis) as u32); // at most the period, which 32 bits hold
            }
            start += u64::from(ttis);
            before += bytes;
        }
        let period = self.period() as u32;
        if opportunities.last() != Some(&period) {
            let rest = self.total() % each;
            match opportunities.last_mut() {
                Some(last) if rest * 2 < each => *last = period,
                _ => opportunities.push(period),
            }
        }
        Ok(Trace::from_opportunities(opportunities)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trace(opportunities: &[u32]) -> Trace {
        Trace::from_opportunities(opportunities.to_vec()).unwrap()
    }

    #[test]
    fn an_opportunity_is_the_grant_of_the_interval_that_ends_with_it() {
        let grants = Grants::of_opportunities(&trace(&[3, 7, 7]), 1_504);
        let until = |ttis| grants.granted_before(ttis);
        assert_eq!([until(2), until(3), until(6), until(7)], [0, 1_504, 1_504, 3 * 1_504]);
        assert_eq!(grants.period(), 7);
    }

    #[test]
    fn opportunities_at_zero_are_in_the_first_interval() {
        let grants = Grants::of_opportunities(&trace(&[0, 0, 1, 2]), 100);
        assert_eq!([grants.granted_before(1), grants.granted_before(2)], [300, 400]);
    }

    #[test]
    fn an_opportunity_comes_when_its_bytes_are_complete() {
        // 145 bytes per millisecond: 1,450 at the end of each ten.
        let grants = Grants::parse(b"10\n3\n1450\n0\n2900\n").unwrap();
        assert_eq!(grants.to_opportunities(1_450).unwrap().opportunities(), [10, 25, 30]);
        let eased = grants.to_opportunities(1_000).unwrap();
        assert_eq!(eased.opportunities(), [7, 22, 26, 30], "350 bytes are left over");
    }

    #[test]
    fn the_period_stays() {
        let silent_end = Grants::parse(b"10\n3\n1500\n1500\n0\n").unwrap();
        assert_eq!(silent_end.to_opportunities(1_500).unwrap().opportunities(), [10, 30]);
        assert_eq!(
            silent_end.to_opportunities(2_000).unwrap().opportunities(),
            [14, 30],
            "1,000 bytes are at least half of an opportunity"
        );
        assert_eq!(silent_end.to_opportunities(40_000).unwrap().opportunities(), [30]);
    }

    #[test]
    fn too_many_lines_are_refused() {
        let grants = Grants::of([Stretch { ttis: 1_000, bytes: 1 << 60 }]).unwrap();
        let error = grants.to_opportunities(1_504).unwrap_err();
        assert!(matches!(error, ConvertError::TooMany { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn opportunities_survive_a_round_trip(
            mut times in prop::collection::vec(1u32..2_000, 1..80), bytes in 1u32..5_000,
        ) {
            times.sort_unstable();
            let trace = trace(&times);
            let back = Grants::of_opportunities(&trace, bytes).to_opportunities(bytes).unwrap();
            prop_assert_eq!(back, trace);
        }

        #[test]
        fn conversion_offers_no_more_and_at_most_one_opportunity_less(
            stretches in prop::collection::vec((1u32..30, 0u64..20_000), 1..30), each in 1u32..3_000,
        ) {
            let stretches: Vec<Stretch> =
                stretches.into_iter().map(|(ttis, bytes)| Stretch { ttis, bytes }).collect();
            prop_assume!(stretches.iter().any(|stretch| stretch.bytes > 0));
            let grants = Grants::of(stretches).unwrap();
            let trace = grants.to_opportunities(each).unwrap();
            prop_assert_eq!(trace.period_millis(), grants.period());
            let offered = trace.opportunities().len() as u64 * u64::from(each);
            prop_assert!(offered.abs_diff(grants.total()) <= u64::from(each));
            // At any time before the end, all offered bytes have been granted, and less than one opportunity is
            // missing.
            for (number, at) in trace.opportunities().iter().enumerate().rev().skip(1) {
                let granted = grants.granted_before(u64::from(*at));
                prop_assert!(granted >= (number as u64 + 1) * u64::from(each));
                let before = grants.granted_before(u64::from(*at) - 1);
                prop_assert!(before < (number as u64 + 1) * u64::from(each));
            }
        }
    }
}
