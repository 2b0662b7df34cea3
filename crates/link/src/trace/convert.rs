//! From opportunities to grants and back.

use thiserror::Error;

use super::grants::{Grants, Stretch};
use super::{Trace, TraceError};

/// The most opportunities that grants are turned into.
const MOST_OPPORTUNITIES: u64 = 50_000_000;

/// Grants that become no trace of opportunities.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConvertError {
    /// More lines than are of use.
    #[error(
        "it grants {count} opportunities, more than {MOST_OPPORTUNITIES}; cut it, or keep it as a base station's grants"
    )]
    TooMany {
        /// How many.
        count: u64,
    },
    /// The opportunities are no trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl Grants {
    /// The same capacity as grants, with `bytes` for an opportunity.
    ///
    /// What leaves at m ms in a [`Trace`] leaves at m ms here too: the grant is that of the interval that ends then. What
    /// leaves at 0 is put into the first interval.
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
    /// granted, at the end of the interval that brings them.
    ///
    /// The period stays. If it does not end with an opportunity, the rest of the bytes become one if they are half of it
    /// or more; otherwise the last opportunity is put off until then.
    pub fn to_opportunities(&self, bytes: u32) -> Result<Trace, ConvertError> {
        let each = u64::from(bytes.max(1));
        let count = self.total() / each;
        if count > MOST_OPPORTUNITIES {
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
    fn what_leaves_at_zero_is_in_the_first_interval() {
        let grants = Grants::of_opportunities(&trace(&[0, 0, 1, 2]), 100);
        assert_eq!([grants.granted_before(1), grants.granted_before(2)], [300, 400]);
    }

    #[test]
    fn opportunities_come_when_their_bytes_have() {
        // 145 bytes a millisecond: 1,450 at the end of each ten.
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
            "1,000 are half of it"
        );
        assert_eq!(silent_end.to_opportunities(40_000).unwrap().opportunities(), [30]);
    }

    #[test]
    fn more_lines_than_are_of_use_are_refused() {
        let grants = Grants::of([Stretch { ttis: 1_000, bytes: 1 << 60 }]).unwrap();
        let error = grants.to_opportunities(1_504).unwrap_err();
        assert!(matches!(error, ConvertError::TooMany { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn opportunities_survive_there_and_back(
            mut times in prop::collection::vec(1u32..2_000, 1..80), bytes in 1u32..5_000,
        ) {
            times.sort_unstable();
            let trace = trace(&times);
            let back = Grants::of_opportunities(&trace, bytes).to_opportunities(bytes).unwrap();
            prop_assert_eq!(back, trace);
        }

        #[test]
        fn no_more_and_hardly_less_is_offered(
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
            // At any time but the end, what has been offered has been granted, and all of it but a part of one.
            for (number, at) in trace.opportunities().iter().enumerate().rev().skip(1) {
                let granted = grants.granted_before(u64::from(*at));
                prop_assert!(granted >= (number as u64 + 1) * u64::from(each));
                let before = grants.granted_before(u64::from(*at) - 1);
                prop_assert!(before < (number as u64 + 1) * u64::from(each));
            }
        }
    }
}
