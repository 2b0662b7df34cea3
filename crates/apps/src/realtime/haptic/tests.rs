use jettison_core::Seed;
use proptest::prelude::*;

use super::*;
use crate::load::probe::ProbeHead;
use crate::testing::{Bench, REMOTE};

fn sent(parameters: &HapticParameters, seed: u64, until: Time) -> Vec<Time> {
    let mut bench = Bench::default();
    let mut sender = HapticSender::new(parameters, REMOTE, 0, Seed(seed).stream(&["signal"]));
    sender.start(Time::ZERO, &mut bench);
    bench.run(&mut sender, until);
    let heads = bench.sent.iter().enumerate().map(|(number, (at, _, datagram))| {
        let head = ProbeHead::parse(datagram.head.as_slice()).expect("each has a head");
        assert_eq!((head.sequence, head.sent_at), (number as u64, *at));
        assert_eq!(datagram.length, parameters.payload.get() as u16);
        head.sent_at
    });
    heads.collect()
}

#[test]
fn without_a_dead_band_every_sample_is_sent() {
    let sent = sent(&HapticParameters::default(), 1, Time::from_secs(2));
    let expected: Vec<Time> = (0..2_000).map(Time::from_millis).collect();
    assert_eq!(sent, expected);
}

#[test]
fn a_dead_band_of_a_tenth_sends_a_small_share() {
    let parameters = HapticParameters { deadband: Some(0.1), ..HapticParameters::default() };
    let share = sent(&parameters, 1, Time::from_secs(300)).len() as f64 / 300_000.0;
    // The signal is synthetic: its share does not describe a real one, but matches the documentation.
    assert!((0.02..0.03).contains(&share), "{share}");
    let wider = HapticParameters { deadband: Some(0.2), ..HapticParameters::default() };
    assert!(sent(&wider, 1, Time::from_secs(300)).len() < sent(&parameters, 1, Time::from_secs(300)).len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn exactly_the_samples_outside_the_band_are_sent(
        seed in 0..1_000_u64,
        fraction in 0.02..0.5_f64,
        floor in 0.0..0.2_f64,
        samples in 100..2_000_u32,
    ) {
        let parameters =
            HapticParameters { samples, deadband: Some(fraction), floor, ..HapticParameters::default() };
        let mut sent = sent(&parameters, seed, Time::from_secs(6)).into_iter().peekable();
        // Repeat the same draws, sample by sample.
        let mut signal = Signal::new(&parameters, Seed(seed).stream(&["signal"]));
        let (mut gap, mut at, mut held) = (Gap::of_frequency(f64::from(samples)), Time::ZERO, None::<f64>);
        while at < Time::from_secs(6) {
            let force = signal.at(at.since(Time::ZERO));
            let is_felt = held.is_none_or(|held| {
                let off = (force - held).abs();
                off > floor && off > fraction * held.abs()
            });
            let was_sent = sent.next_if_eq(&at).is_some();
            prop_assert_eq!(was_sent, is_felt, "at {}: {} after {:?}", at, force, held);
            if was_sent {
                held = Some(force);
            }
            at += gap.advance();
        }
        prop_assert_eq!(sent.next(), None);
    }
}

#[test]
fn the_receiver_counts_late_samples_and_the_longest_gap() {
    let mut bench = Bench::default();
    let mut receiver = HapticReceiver::new(&HapticParameters::default(), 9);
    receiver.start(Time::ZERO, &mut bench);
    let datagram = |sequence: u64, sent_at: Time| jettison_sockets::Datagram {
        head: ProbeHead { sequence, sent_at }.emit(),
        length: 100,
        traffic_class: 0,
    };
    for (sequence, delay) in [(0, 2), (1, 7), (3, 60)] {
        let sent_at = Time::from_millis(sequence);
        bench.now = sent_at + Duration::from_millis(delay);
        bench.deliver(&mut receiver, datagram(sequence, sent_at));
    }
    // 2 of 4 later than 5 ms, 1 later than 10 ms and 50 ms; one is lost. Arrivals at 2, 8 and 63 ms.
    assert_eq!(bench.meter.loss(), Some(0.25));
    let timeliness = bench.meter.timeliness().expect("the receiver asked for it");
    let late: Vec<u64> = timeliness.late().map(|(_, late)| late).collect();
    assert_eq!(late, [2, 1, 1]);
    assert_eq!(timeliness.longest_gap(), Some(Duration::from_millis(55)));
}

#[test]
fn parameters_out_of_range_name_their_key() {
    let key = |change: &dyn Fn(&mut HapticParameters)| {
        let mut parameters = HapticParameters::default();
        change(&mut parameters);
        parameters.validate().err().map(|error| error.path.join("."))
    };
    assert_eq!(key(&|_| ()), None);
    assert_eq!(key(&|p| p.samples = 0).as_deref(), Some("samples"));
    assert_eq!(key(&|p| p.deadband = Some(1.0)).as_deref(), Some("deadband"));
    assert_eq!(key(&|p| p.deadband = Some(f64::NAN)).as_deref(), Some("deadband"));
    assert_eq!(key(&|p| p.floor = -1.0).as_deref(), Some("floor"));
    assert_eq!(key(&|p| p.force = 0.0).as_deref(), Some("force"));
    assert_eq!(key(&|p| p.contact = Duration::ZERO).as_deref(), Some("contact"));
    assert_eq!(key(&|p| p.deadlines.swap(0, 1)).as_deref(), Some("deadlines"));
    assert_eq!(key(&|p| p.deadlines = vec![Duration::ZERO]).as_deref(), Some("deadlines"));
    assert_eq!(key(&|p| p.deadlines.clear()), None);
}
