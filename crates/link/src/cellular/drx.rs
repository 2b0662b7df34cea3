//! Discontinuous reception: when a base station can reach the device (TS 38.321 §5.7).

use jettison_core::Time;

use super::DrxParameters;

/// The device's timers.
#[derive(Debug, Clone)]
pub(super) struct Drx {
    parameters: DrxParameters,
    /// End of drx-InactivityTimer.
    active_until: Time,
}

impl Drx {
    pub fn new(parameters: DrxParameters) -> Drx {
        Drx { parameters, active_until: Time::ZERO }
    }

    /// Whether it listens at `now`: drx-onDurationTimer or drx-InactivityTimer runs. For retransmissions it always does
    /// (drx-RetransmissionTimer).
    pub fn is_active(&self, now: Time) -> bool {
        let in_cycle = now.as_nanos() % self.parameters.cycle.as_nanos();
        in_cycle < self.parameters.on_duration.as_nanos() || now < self.active_until
    }

    /// A new transmission was announced at `now`.
    pub fn transmitted(&mut self, now: Time) {
        self.active_until = now.saturating_add(self.parameters.inactivity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_listens_in_its_on_duration_and_after_a_transmission() {
        let mut drx = Drx::new(DrxParameters::default()); // 8 of 40 ms, and 10 ms
        let active = |drx: &Drx, ms| drx.is_active(Time::from_millis(ms));
        assert!(active(&drx, 7) && !active(&drx, 8) && !active(&drx, 39) && active(&drx, 40));
        drx.transmitted(Time::from_millis(46));
        assert!(active(&drx, 55) && !active(&drx, 56));
    }
}
