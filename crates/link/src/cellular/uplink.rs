//! Uplink grants: scheduling requests and buffer status reports (TS 38.321 §5.4.4, §5.4.5).

use std::collections::VecDeque;

use jettison_core::Time;

use super::GrantParameters;

/// What the base station knows of a device's buffer, and has granted.
///
/// Both are counted from the start of the run. A report says up to where the buffer reaches; it is exact, where the standard's
/// tables (§6.1.3.1) round up.
#[derive(Debug, Clone)]
pub(super) struct Uplink {
    parameters: GrantParameters,
    /// Bytes granted so far.
    granted: u64,
    /// Bytes up to which the base station will grant.
    known: u64,
    /// Reports on their way, with the instant from which they count.
    reports: VecDeque<(Time, u64)>,
    /// Whether a scheduling request is pending.
    is_requested: bool,
}

impl Uplink {
    pub fn new(parameters: GrantParameters) -> Uplink {
        Uplink { parameters, granted: 0, known: 0, reports: VecDeque::new(), is_requested: false }
    }

    /// The bytes that the device may send in a slot at `now`. With data, without a grant and without a report under way, it sends
    /// a scheduling request at the next opportunity.
    pub fn allowed(&mut self, has_data: bool, now: Time) -> u64 {
        while let Some((_, until)) = self.reports.pop_front_if(|(at, _)| *at <= now) {
            self.known = self.known.max(until);
            self.is_requested = false;
        }
        let allowed = self.known.saturating_sub(self.granted);
        if allowed == 0 && has_data && self.reports.is_empty() && !self.is_requested {
            let period = self.parameters.sr_period.as_nanos();
            let opportunity = Time::from_nanos(now.as_nanos().div_ceil(period).saturating_mul(period));
            let at = opportunity.saturating_add(self.parameters.delay);
            self.reports.push_back((at, self.granted + self.parameters.first.get()));
            self.is_requested = true;
        }
        allowed
    }

    /// The device used a grant of `bytes`, with a report of what its buffer still has.
    pub fn sent(&mut self, bytes: u64, rest: u64, now: Time) {
        self.granted += bytes;
        if rest == 0 {
            // The base station knows that nothing is left.
            self.known = self.known.min(self.granted);
            self.reports.clear();
        } else if self.granted + rest > self.known {
            self.reports.push_back((now.saturating_add(self.parameters.delay), self.granted + rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// §5.4.4, §5.4.5: a request at the next opportunity, then a grant, whose report brings grants for the rest.
    #[test]
    fn data_wait_for_a_request_and_a_grant() {
        let mut uplink = Uplink::new(GrantParameters::default()); // 10 ms, 4 ms, 128 bytes
        assert_eq!(uplink.allowed(false, Time::from_millis(1)), 0);
        assert_eq!(uplink.allowed(true, Time::from_millis(3)), 0);
        assert_eq!(uplink.allowed(true, Time::from_millis(13)), 0);
        assert_eq!(uplink.allowed(true, Time::from_millis(14)), 128, "the request at 10 ms, and the delay");
        uplink.sent(128, 1400, Time::from_millis(14));
        assert_eq!(uplink.allowed(true, Time::from_millis(17)), 0);
        assert_eq!(uplink.allowed(true, Time::from_millis(18)), 1400);
        uplink.sent(1400, 0, Time::from_millis(18));
        assert_eq!(uplink.allowed(false, Time::from_millis(25)), 0);
    }

    /// New data reported in time need no request.
    #[test]
    fn reports_in_grants_keep_an_uplink_going() {
        let mut uplink = Uplink::new(GrantParameters::default());
        uplink.allowed(true, Time::ZERO);
        assert_eq!(uplink.allowed(true, Time::from_millis(4)), 128);
        uplink.sent(128, 2000, Time::from_millis(4));
        assert_eq!(uplink.allowed(true, Time::from_millis(8)), 2000);
        uplink.sent(500, 3000, Time::from_millis(8));
        assert_eq!(uplink.allowed(true, Time::from_millis(9)), 1500);
        uplink.sent(1500, 1500, Time::from_millis(9));
        assert_eq!(uplink.allowed(true, Time::from_millis(12)), 1500);
    }
}
