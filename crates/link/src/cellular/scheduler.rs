//! Which users a slot serves: those whose rates are highest in proportion to their throughput (proportional fair).

use jettison_core::{Bytes, Duration, RandomStream};

use super::{FadingParameters, Numerology, SchedulerParameters, UserParameters};

/// A scheduler. In each slot the user with the largest ratio of rate and throughput comes first, and takes as much of the slot as it
/// has data for; the next one has the rest. A user's throughput is averaged over slots, exponentially, also over those in which it
/// has no data. Ties go to the own user, then to the first.
#[derive(Debug, Clone)]
pub(super) struct Scheduler {
    numerology: Numerology,
    /// Weight of a slot in the average.
    weight: f64,
    own: Channel,
    own_average: f64,
    users: Vec<User>,
    /// The next slot.
    slot: u64,
}

/// Another user.
#[derive(Debug, Clone)]
struct User {
    channel: Channel,
    /// Bytes of a slot at the nominal rate.
    bytes: f64,
    /// Bytes that come in a slot; `None`: always enough.
    load: Option<f64>,
    backlog: f64,
    average: f64,
    /// Bytes of it in the present slot.
    served: f64,
}

/// What the own user asks of a slot.
#[derive(Debug, Clone, Copy)]
struct Request {
    own: f64,
    used: f64,
    must_send: bool,
}

/// A channel whose rate fades.
#[derive(Debug, Clone)]
struct Channel {
    fading: Option<Fading>,
    /// The present rate, as a multiple of the nominal one.
    factor: f64,
}

#[derive(Debug, Clone)]
struct Fading {
    random: RandomStream,
    snr: f64,
    /// Correlation of the amplitude from one subframe to the next.
    correlation: f64,
    /// In-phase and quadrature parts, each of variance 1/2.
    amplitude: [f64; 2],
}

impl Channel {
    fn new(parameters: Option<&FadingParameters>, random: RandomStream) -> Channel {
        let fading = parameters.map(|parameters| {
            let subframes = parameters.coherence.as_secs_f64() / Duration::from_millis(1).as_secs_f64();
            let mut fading = Fading {
                random,
                snr: libm::pow(10.0, parameters.snr_db / 10.0),
                correlation: libm::exp(-1.0 / subframes),
                amplitude: [0.0; 2],
            };
            fading.amplitude = fading.noise();
            fading
        });
        let mut channel = Channel { fading, factor: 1.0 };
        channel.factor();
        channel
    }

    fn factor(&mut self) {
        if let Some(fading) = &self.fading {
            let [i, q] = fading.amplitude;
            let gain = i * i + q * q;
            self.factor = libm::log2(1.0 + fading.snr * gain) / libm::log2(1.0 + fading.snr);
        }
    }

    /// The next subframe.
    fn step(&mut self) {
        if let Some(fading) = &mut self.fading {
            let noise = fading.noise();
            let share = libm::sqrt(1.0 - fading.correlation * fading.correlation);
            for (part, noise) in fading.amplitude.iter_mut().zip(noise) {
                *part = fading.correlation * *part + share * noise;
            }
            self.factor();
        }
    }
}

impl Fading {
    /// Two normal numbers of variance 1/2 (Box & Muller 1958).
    fn noise(&mut self) -> [f64; 2] {
        let radius = libm::sqrt(-libm::log1p(-self.random.unit()));
        let angle = 2.0 * std::f64::consts::PI * self.random.unit();
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    }
}

impl User {
    /// What it could send in a whole slot, and what of that it has.
    fn possible(&self) -> (f64, f64) {
        let most = self.bytes * self.channel.factor;
        (most, if self.load.is_some() { most.min(self.backlog) } else { most })
    }
}

impl Scheduler {
    /// A scheduler; `random` names its streams.
    pub fn new(
        parameters: &SchedulerParameters,
        numerology: Numerology,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Scheduler {
        let slot = numerology.slot().as_secs_f64();
        let bytes = |bits: u64| bits as f64 / 8.0 * slot;
        let user = |number: usize, user: &UserParameters| User {
            channel: Channel::new(user.fading.as_ref(), random(&format!("user-{number}"))),
            bytes: bytes(user.rate.as_bits()),
            load: user.load.map(|load| bytes(load.as_bits())),
            backlog: 0.0,
            average: 0.0,
            served: 0.0,
        };
        let users = parameters.users.iter().flat_map(|user| (0..user.count).map(move |_| user));
        Scheduler {
            numerology,
            weight: (slot / parameters.average.as_secs_f64()).min(1.0),
            own: Channel::new(parameters.fading.as_ref(), random("own")),
            own_average: 0.0,
            users: users.enumerate().map(|(number, parameters)| user(number, parameters)).collect(),
            slot: 0,
        }
    }

    /// Passes over the slots before `slot`, in which the own user had nothing to send.
    pub fn skip_to(&mut self, slot: u64) {
        while self.slot < slot {
            self.prepare();
            self.serve(None);
        }
    }

    /// The own user's bytes in the next slot, of those that the link has for it alone.
    pub fn own_bytes(&mut self, link: Bytes) -> u64 {
        self.prepare();
        (link.get() as f64 * self.own.factor) as u64
    }

    /// Decides the slot for which [`own_bytes`](Scheduler::own_bytes) was asked, of which the own user would use `used` bytes. With
    /// `must_send` it retransmits, which comes first. Returns the share of the slot that it may use.
    pub fn decide(&mut self, own: u64, used: u64, must_send: bool) -> f64 {
        self.serve(Some(Request { own: own as f64, used: used as f64, must_send }))
    }

    /// Passes over the slot for which [`own_bytes`](Scheduler::own_bytes) was asked: the own user cannot send in it.
    pub fn decide_for_others(&mut self) {
        self.serve(None);
    }

    /// Begins a slot: channels change once a subframe, data come.
    fn prepare(&mut self) {
        let is_first =
            self.slot > 0 && self.numerology.subframe(self.slot) == self.numerology.start(self.slot);
        if is_first {
            self.own.step();
        }
        for user in &mut self.users {
            if is_first {
                user.channel.step();
            }
            user.backlog += user.load.unwrap_or(0.0);
        }
    }

    /// Serves users in the order of their ratios of rate and throughput; returns the share of the slot that the own one may use.
    fn serve(&mut self, own: Option<Request>) -> f64 {
        self.slot += 1;
        // Whoever was never served comes first.
        let ratio = |rate: f64, average: f64| if average > 0.0 { rate / average } else { f64::INFINITY };
        let mut own_open = own.filter(|own| own.own >= 1.0 || own.must_send);
        let (mut own_share, mut own_bytes) = (0.0, 0.0);
        let mut left = 1.0;
        while left > 1e-9 {
            let mut best = own_open.map(|own| (ratio(own.own, self.own_average), None));
            if !own_open.is_some_and(|own| own.must_send) {
                for (index, user) in self.users.iter().enumerate() {
                    let (most, possible) = user.possible();
                    let own = ratio(most, user.average);
                    let is_open = user.served == 0.0 && possible >= 1.0;
                    if is_open && best.is_none_or(|(best, _)| own > best) {
                        best = Some((own, Some(index)));
                    }
                }
            }
            let Some((_, served)) = best else { break };
            left -= match served {
                Some(index) => {
                    let (most, possible) = self.users[index].possible();
                    let share = (possible / most).min(left);
                    self.users[index].served = share * most;
                    share
                }
                None => {
                    let Some(own) = own_open.take() else { break };
                    own_share = left;
                    own_bytes = own.used.min(own.own * left);
                    if own.must_send { left } else { own_bytes / own.own }
                }
            };
        }
        self.own_average += self.weight * (own_bytes - self.own_average);
        for user in &mut self.users {
            let bytes = std::mem::take(&mut user.served);
            user.backlog -= if user.load.is_some() { bytes } else { 0.0 };
            user.average += self.weight * (bytes - user.average);
        }
        own_share
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::{Rate, Seed};

    use super::*;

    fn scheduler(users: Vec<UserParameters>, fading: Option<FadingParameters>) -> Scheduler {
        let parameters = SchedulerParameters { users, average: Duration::from_millis(100), fading };
        Scheduler::new(&parameters, Numerology::new(0).unwrap(), &|name| Seed(7).stream(&[name]))
    }

    fn user(rate: u64, load: Option<u64>, count: u32) -> UserParameters {
        UserParameters { rate: Rate::from_mbit(rate), load: load.map(Rate::from_mbit), fading: None, count }
    }

    /// Slots of 10,000 that the own user gets with 1,250 bytes a slot (10 Mbit/s).
    fn share(mut scheduler: Scheduler) -> f64 {
        let share = |_| {
            let own = scheduler.own_bytes(Bytes::new(1250));
            scheduler.decide(own, own, false)
        };
        (0..10_000).map(share).sum()
    }

    #[test]
    fn alone_every_slot_is_the_users() {
        assert_eq!(share(scheduler(vec![], None)), 10_000.0);
    }

    #[test]
    fn users_with_data_get_equal_time_whatever_their_rates() {
        for rate in [2, 10, 50] {
            let slots = share(scheduler(vec![user(rate, None, 3)], None));
            assert!((2400.0..=2600.0).contains(&slots), "{rate} Mbit/s: {slots}");
        }
    }

    #[test]
    fn a_user_with_little_data_takes_no_more_time_than_it_needs() {
        // 2 Mbit/s on a channel of 20 Mbit/s: a tenth of the time.
        let slots = share(scheduler(vec![user(20, Some(2), 1)], None));
        assert!((8990.0..=9010.0).contains(&slots), "{slots}");
    }

    #[test]
    fn a_retransmission_comes_first() {
        let mut scheduler = scheduler(vec![user(10, None, 5)], None);
        for _ in 0..50 {
            let own = scheduler.own_bytes(Bytes::new(1250));
            assert_eq!(scheduler.decide(own, own, true), 1.0);
        }
    }

    #[test]
    fn fading_users_are_served_when_their_channels_are_good() {
        let fading = || FadingParameters { snr_db: 10.0, coherence: Duration::from_millis(10) };
        let others = UserParameters { fading: Some(fading()), ..user(10, None, 3) };
        let mut scheduler = scheduler(vec![others], Some(fading()));
        let (mut served, mut all, mut slots) = (0, 0, 0);
        for _ in 0..50_000 {
            let own = scheduler.own_bytes(Bytes::new(1250));
            all += own;
            if scheduler.decide(own, own, false) > 0.0 {
                (served, slots) = (served + own, slots + 1);
            }
        }
        let (mean, gained) = (all as f64 / 50_000.0, served as f64 / f64::from(slots));
        assert!(gained > 1.1 * mean, "{gained} bytes in slots served, {mean} in all");
    }
}
