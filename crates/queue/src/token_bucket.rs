//! A token bucket: the state of every shaper and policer here.

use jettison_core::{Bytes, Rate, Time};

/// Tokens per byte. A token is one bit per second during one nanosecond, so refills and costs are whole numbers of tokens and
/// the rate is exact over any time.
const PER_BYTE: i64 = 8 * 1_000_000_000;

/// Tokens that arrive at a rate, up to a depth, and are spent by the byte.
///
/// It starts full. [`TokenBucket::take`] may leave a debt, as HTB's classes do; a shaper that never sends without the tokens
/// asks [`TokenBucket::covers`] first.
#[derive(Debug, Clone)]
pub struct TokenBucket {
    /// In bit/s.
    rate: u64,
    depth: i64,
    tokens: i64,
    /// Time of the last refill.
    at: Time,
}

impl TokenBucket {
    /// The largest depth.
    pub const MAX_DEPTH: Bytes = Bytes::new(1_000_000_000);

    /// A full bucket. A depth above [`TokenBucket::MAX_DEPTH`] is cut to it.
    pub fn new(rate: Rate, depth: Bytes) -> TokenBucket {
        let depth = in_tokens(depth.get());
        TokenBucket { rate: rate.as_bits(), depth, tokens: depth, at: Time::ZERO }
    }

    /// The rate.
    pub fn rate(&self) -> Rate {
        Rate::from_bits(self.rate)
    }

    /// The depth.
    pub fn depth(&self) -> Bytes {
        Bytes::new((self.depth / PER_BYTE) as u64)
    }

    /// Changes rate and depth; the tokens stay, up to the new depth.
    pub fn set(&mut self, rate: Rate, depth: Bytes) {
        self.rate = rate.as_bits();
        self.depth = in_tokens(depth.get());
        self.tokens = self.tokens.min(self.depth);
    }

    /// Adds the tokens that have arrived until `now`.
    #[inline]
    pub fn refill(&mut self, now: Time) {
        self.tokens = self.level(now);
        self.at = self.at.max(now);
    }

    /// Whether the tokens of the last refill cover `bytes`.
    #[inline]
    pub fn covers(&self, bytes: u64) -> bool {
        self.tokens >= in_tokens(bytes)
    }

    /// Spends the tokens for `bytes`.
    #[inline]
    pub fn take(&mut self, bytes: u64) {
        self.tokens = self.tokens.saturating_sub(in_tokens(bytes)).max(-in_tokens(u64::MAX));
    }

    /// Whether more was spent than there was, at the last refill.
    #[inline]
    pub fn in_debt(&self) -> bool {
        self.tokens < 0
    }

    /// When the bucket will cover `bytes`; [`Time::MAX`] if never.
    #[inline]
    pub fn due(&self, bytes: u64) -> Time {
        let missing = i128::from(in_tokens(bytes)) - i128::from(self.tokens);
        match (missing > 0, self.rate) {
            (false, _) => self.at,
            (true, 0) => Time::MAX,
            (true, rate) => {
                let nanos = (missing as u128).div_ceil(u128::from(rate));
                Time::from_nanos(self.at.as_nanos().saturating_add(u64::try_from(nanos).unwrap_or(u64::MAX)))
            }
        }
    }

    /// Tokens at `now`, in bytes; negative for a debt.
    pub fn bytes(&self, now: Time) -> f64 {
        self.level(now) as f64 / PER_BYTE as f64
    }

    #[inline]
    fn level(&self, now: Time) -> i64 {
        let elapsed = now.as_nanos().saturating_sub(self.at.as_nanos());
        let room = (self.depth as u64).wrapping_sub(self.tokens as u64);
        let arrived = u128::from(self.rate) * u128::from(elapsed);
        if arrived >= u128::from(room) { self.depth } else { self.tokens.wrapping_add(arrived as i64) }
    }
}

#[inline]
fn in_tokens(bytes: u64) -> i64 {
    bytes.min(TokenBucket::MAX_DEPTH.get()) as i64 * PER_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bucket(bits: u64, bytes: u64) -> TokenBucket {
        TokenBucket::new(Rate::from_bits(bits), Bytes::new(bytes))
    }

    #[test]
    fn a_bucket_starts_full_and_fills_at_its_rate() {
        let mut bucket = bucket(8_000, 1500);
        assert!(bucket.covers(1500) && !bucket.covers(1501));
        bucket.take(1500);
        bucket.refill(Time::from_millis(999));
        assert!(bucket.covers(999) && !bucket.covers(1000));
        assert_eq!(bucket.due(1000), Time::from_secs(1));
        bucket.refill(Time::from_secs(10));
        assert_eq!((bucket.bytes(Time::from_secs(20)), bucket.depth()), (1500.0, Bytes::new(1500)));
    }

    #[test]
    fn a_rate_that_divides_nothing_has_no_drift() {
        // 7 bit/s: a byte takes 8/7 s. Refills at odd times lose nothing.
        let mut bucket = bucket(7, 1000);
        bucket.take(1000);
        for second in 0..800 {
            bucket.refill(Time::from_nanos(second * 1_000_000_000 + 333_333_333 * (second % 3)));
        }
        bucket.refill(Time::from_secs(800));
        assert!(bucket.covers(700) && !bucket.covers(701));
        assert_eq!(bucket.bytes(Time::from_secs(800)), 700.0);
    }

    #[test]
    fn a_debt_is_paid_before_tokens_count() {
        let mut bucket = bucket(8_000, 100);
        bucket.take(600);
        assert!(bucket.in_debt());
        assert_eq!(bucket.due(0), Time::from_millis(500));
        assert_eq!(bucket.due(1), Time::from_millis(501));
    }

    #[test]
    fn a_rate_of_zero_never_pays() {
        let mut bucket = bucket(0, 100);
        bucket.take(100);
        assert_eq!(bucket.due(1), Time::MAX);
        assert_eq!(bucket.due(0), Time::ZERO);
    }

    proptest! {
        /// `due` is the first nanosecond at which the bucket covers the bytes; nothing overflows.
        #[test]
        fn due_is_the_first_instant_that_covers(
            bits in 1u64.., depth in 1u64.., spent in any::<u64>(), bytes in 0u64..100_000, at in 0u64..1 << 50
        ) {
            let mut bucket = bucket(bits, depth);
            bucket.take(spent);
            let bytes = bytes.min(bucket.depth().get());
            let due = bucket.due(bytes);
            bucket.refill(Time::from_nanos(at));
            prop_assert_eq!(bucket.covers(bytes), due.as_nanos() <= at);
        }
    }
}
