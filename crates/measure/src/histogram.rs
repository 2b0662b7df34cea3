//! A histogram with buckets of constant relative width, in pages that exist from their first value on.
//!
//! Values below 2,048 have a bucket each. Above, each power of two is divided into 1,024 buckets, so that a bucket is at most
//! 0.1 % wide. Most distributions of a run have few values, or values close together: a page has 32 neighbouring buckets, and
//! a histogram of one value takes 200 bytes.

/// Base-2 logarithm of the number of buckets per power of two.
const RESOLUTION: u32 = 10;
/// First value that may share its bucket, minus one; all its bits are set.
const EXACT: u64 = (2 << RESOLUTION) - 1;
/// Base-2 logarithm of the number of buckets per page.
const PAGE_BITS: u32 = 5;
const PAGE: usize = 1 << PAGE_BITS;
/// Place of a page without values.
const ABSENT: u16 = u16::MAX;
/// Largest value that a histogram takes.
const MOST: u64 = u64::MAX / 2;

/// Counts of unsigned integers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Histogram {
    /// Number of the page that the first entry of `places` belongs to.
    first: usize,
    /// Place in `pages` of each page, or [`ABSENT`].
    places: Vec<u16>,
    pages: Vec<[u32; PAGE]>,
    /// Buckets with counts beyond 32 bits, and how many times 2^32 each has in addition.
    carries: Vec<(usize, u64)>,
    count: u64,
}

/// Bucket of a value.
#[inline]
fn bucket_of(value: u64) -> usize {
    let octave = u64::BITS - 1 - RESOLUTION - (value | EXACT).leading_zeros();
    ((octave as usize) << RESOLUTION) + (value >> octave) as usize
}

/// Lowest and highest value of a bucket.
fn values_of(bucket: usize) -> (u64, u64) {
    let octave = (bucket >> RESOLUTION).saturating_sub(1);
    let lowest = ((bucket - (octave << RESOLUTION)) as u64) << octave;
    (lowest, lowest + (1 << octave) - 1)
}

impl Histogram {
    /// Adds a value of at most `u64::MAX / 2`.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bucket = bucket_of(value);
        let page = (bucket >> PAGE_BITS).wrapping_sub(self.first);
        let place = self.places.get(page).copied().unwrap_or(ABSENT);
        match self.pages.get_mut(usize::from(place)) {
            Some(counts) => {
                let count = &mut counts[bucket % PAGE];
                *count = count.wrapping_add(1);
                if *count == 0 {
                    self.carry(bucket, 1);
                }
            }
            None => self.new_page(bucket)[bucket % PAGE] = 1,
        }
        self.count += 1;
    }

    /// Adds `times` equal values; `None` if the value or the number of values is out of range.
    pub fn record_many(&mut self, value: u64, times: u64) -> Option<()> {
        if value > MOST {
            return None;
        }
        self.count = self.count.checked_add(times)?;
        let bucket = bucket_of(value);
        let page = (bucket >> PAGE_BITS).wrapping_sub(self.first);
        let place = self.places.get(page).copied().unwrap_or(ABSENT);
        let counts = match usize::from(place) {
            place if place < self.pages.len() => &mut self.pages[place],
            _ => self.new_page(bucket),
        };
        let sum = u64::from(counts[bucket % PAGE]) + (times & u64::from(u32::MAX));
        counts[bucket % PAGE] = sum as u32;
        let carried = (times >> 32) + (sum >> 32);
        if carried > 0 {
            self.carry(bucket, carried);
        }
        Some(())
    }

    /// Allocates the page of a bucket.
    #[cold]
    fn new_page(&mut self, bucket: usize) -> &mut [u32; PAGE] {
        let page = bucket >> PAGE_BITS;
        if self.places.is_empty() {
            self.first = page;
        } else if page < self.first {
            let missing = self.first - page;
            self.places.splice(0..0, std::iter::repeat_n(ABSENT, missing));
            self.first = page;
        }
        if self.places.len() <= page - self.first {
            self.places.resize(page - self.first + 1, ABSENT);
        }
        let place = self.pages.len();
        self.places[page - self.first] = place as u16; // there are fewer than 2,000 pages
        self.pages.push([0; PAGE]);
        &mut self.pages[place]
    }

    #[cold]
    fn carry(&mut self, bucket: usize, times: u64) {
        match self.carries.iter_mut().find(|(own, _)| *own == bucket) {
            Some((_, carried)) => *carried += times,
            None => self.carries.push((bucket, times)),
        }
    }

    /// Number of values.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.places.clear();
        self.pages.clear();
        self.carries.clear();
        self.count = 0;
    }

    /// Buckets with values and their counts, in ascending order.
    fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let pages = self.places.iter().enumerate();
        let pages = pages.filter_map(|(page, place)| {
            Some(((self.first + page) << PAGE_BITS, self.pages.get(usize::from(*place))?))
        });
        let buckets = pages.flat_map(|(first, counts)| {
            counts.iter().enumerate().map(move |(at, count)| (first + at, u64::from(*count)))
        });
        let buckets = buckets.map(|(bucket, count)| (bucket, count + self.carried(bucket)));
        buckets.filter(|(_, count)| *count > 0)
    }

    fn carried(&self, bucket: usize) -> u64 {
        self.carries.iter().find(|(own, _)| *own == bucket).map_or(0, |(_, times)| times << 32)
    }

    /// The highest value of each bucket with values, and its count, in ascending order.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.buckets().map(|(bucket, count)| (values_of(bucket).1, count))
    }

    /// The highest value that is equal to the largest within the resolution; zero if empty.
    pub fn max(&self) -> u64 {
        self.recorded().last().map_or(0, |(value, _)| value)
    }

    /// The quantiles `shares` (0 to 1, ascending): the highest value of the bucket that holds the quantile, for share 0 the
    /// lowest value of the first bucket; zero if empty.
    pub fn quantiles(&self, shares: impl Iterator<Item = f64>) -> impl Iterator<Item = u64> {
        let mut buckets = self.buckets();
        let (mut bucket, mut below) = (0, 0u64);
        shares.map(move |share| {
            let wanted = ((share.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
            while below < wanted {
                let Some((next, count)) = buckets.next() else { break };
                (bucket, below) = (next, below + count);
            }
            let (lowest, highest) = values_of(bucket);
            if share == 0.0 { lowest } else { highest }
        })
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        for (value, count) in other.recorded() {
            // Both counts are of values recorded one by one: their sum stays far below the limit.
            let _ = self.record_many(value, count);
        }
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Histogram) -> bool {
        self.count == other.count && self.buckets().eq(other.buckets())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        values.iter().for_each(|value| histogram.record(*value));
        histogram
    }

    fn a_value() -> impl Strategy<Value = u64> {
        prop_oneof![0..5_000u64, 0..10_000_000_000u64, 0..=MOST]
    }

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        let last = bucket_of(MOST);
        assert_eq!(values_of(last).1, MOST);
        let mut next = 0;
        for bucket in 0..=last {
            let (lowest, highest) = values_of(bucket);
            assert_eq!(lowest, next);
            assert_eq!((bucket_of(lowest), bucket_of(highest)), (bucket, bucket));
            assert!((highest - lowest) as f64 <= lowest as f64 / 1000.0, "{lowest}..={highest}");
            next = highest.wrapping_add(1);
        }
        assert!(last >> PAGE_BITS < usize::from(ABSENT));
    }

    proptest! {
        #[test]
        fn quantiles_are_the_exact_ones_within_a_bucket(
            mut values in vec(a_value(), 1..200),
            shares in vec(0.0..=1.0f64, 1..20),
        ) {
            let histogram = of(&values);
            values.sort_unstable();
            prop_assert_eq!(histogram.count(), values.len() as u64);
            let mut shares = shares;
            shares.sort_by(f64::total_cmp);
            for (share, quantile) in shares.iter().zip(histogram.quantiles(shares.iter().copied())) {
                let rank = ((share * values.len() as f64).ceil() as usize).max(1);
                let exact = values[rank - 1];
                prop_assert_eq!(bucket_of(quantile), bucket_of(exact));
                prop_assert!(quantile >= exact || *share == 0.0);
            }
            prop_assert_eq!(histogram.max(), values_of(bucket_of(*values.last().unwrap())).1);
        }

        #[test]
        fn neither_order_nor_batches_make_a_difference(
            values in vec((a_value(), 1..4u64), 0..60),
            split in any::<prop::sample::Index>(),
        ) {
            let one_by_one: Vec<u64> =
                values.iter().flat_map(|(value, times)| (0..*times).map(|_| *value)).collect();
            let expected = of(&one_by_one);
            let mut backwards = Histogram::default();
            for (value, times) in values.iter().rev() {
                prop_assert!(backwards.record_many(*value, *times).is_some());
            }
            prop_assert_eq!(&backwards, &expected);
            let (left, right) = one_by_one.split_at(split.index(one_by_one.len() + 1));
            let mut merged = of(left);
            merged.merge(&of(right));
            prop_assert_eq!(&merged, &expected);
            merged.clear();
            prop_assert_eq!(&merged, &Histogram::default());
            one_by_one.iter().for_each(|value| merged.record(*value));
            prop_assert_eq!(&merged, &expected);
        }
    }

    #[test]
    fn a_bucket_counts_beyond_32_bits() {
        let mut histogram = of(&[3, 900]);
        assert!(histogram.record_many(3, u64::from(u32::MAX)).is_some());
        histogram.record(3);
        assert!(histogram.record_many(900, 5 << 32).is_some());
        let expected = [(3, (1 << 32) + 1), (900, (5 << 32) + 1)];
        assert_eq!(histogram.recorded().collect::<Vec<_>>(), expected);
        assert_eq!(histogram.quantiles([0.1, 0.9].into_iter()).collect::<Vec<_>>(), [3, 900]);
        let again = histogram.clone();
        assert_eq!(histogram.record_many(1, u64::MAX), None, "the number of values exceeds 64 bits");
        assert_eq!(histogram, again);
        assert_eq!(histogram.record_many(MOST + 1, 1), None);
    }
}
