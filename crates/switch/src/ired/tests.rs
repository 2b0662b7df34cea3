//! Each rule of the paper's two algorithms, and both options where the paper leaves a choice open.

use jettison_core::Seed;
use jettison_wire::{Address, Headers, Transport, UdpHeader};

use super::*;

fn random() -> RandomStream {
    Seed(1).stream(&["queues", "bottleneck", "ired"])
}

fn ired(change: impl FnOnce(&mut IredParameters)) -> Ired {
    let mut parameters = IredParameters::default();
    change(&mut parameters);
    Ired::new(&parameters, random()).unwrap()
}

fn packet() -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    Packet::model(Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport }, 1000)
}

/// Departure of a packet with an `enq_qdepth` of `depth`; returns whether it is cloned.
fn departs(ired: &mut Ired, depth: u32) -> bool {
    // iRED ignores the depth at departure and the sojourn time.
    let queue = QueueReading {
        enq_qdepth: depth,
        deq_qdepth: 7,
        sojourn: Duration::from_millis(3),
        ..Default::default()
    };
    ired.handle_departure(&mut packet(), &queue, Time::ZERO).feedback.is_some()
}

/// Disables random clones: the register never exceeds a random number.
fn without_coin(parameters: &mut IredParameters) {
    parameters.numerator = Some(0);
}

#[test]
fn table_1_thresholds_follow_from_buffer_and_n() {
    let thresholds = |buffer, n| {
        IredParameters { buffer: Packets(buffer), n, ..IredParameters::default() }.thresholds().unwrap()
    };
    assert_eq!(thresholds(64, 4), (28, 56));
    assert_eq!(thresholds(128, 8), (56, 112));
    assert_eq!(thresholds(256, 16), (112, 224));
    assert_eq!(thresholds(512, 32), (224, 448));
    // Table I prints 832 for this maximum; 2 · minThsld is 896.
    assert_eq!(thresholds(1024, 64), (448, 896));
}

#[test]
fn an_n_that_leaves_no_lower_threshold_is_refused() {
    for n in [32, 33, u64::MAX] {
        let parameters = IredParameters { n, ..IredParameters::default() };
        assert_eq!(parameters.thresholds().unwrap_err().path, ["n"]);
    }
    assert_eq!(IredParameters { n: 31, ..IredParameters::default() }.thresholds(), Ok((1, 2)));
}

#[test]
fn algorithm_1_averages_old_and_enq_qdepth_half_and_half() {
    // Thresholds 28 and 56: 60 after 60 is above, 60 after 0 (30) and 0 after 60 (30) are between.
    let mut ired = ired(without_coin);
    assert!(!departs(&mut ired, 60));
    assert!(departs(&mut ired, 60));
    assert!(!departs(&mut ired, 0));
}

#[test]
fn algorithm_1_below_min_nothing_is_cloned_and_nothing_drawn() {
    let mut ired = ired(|p| p.numerator = Some(REGISTER_FULL));
    for depth in [0, 27, 28, 27] {
        assert!(!departs(&mut ired, depth), "{depth}");
    }
    assert_eq!(ired.random.uniform(0, 511), random().uniform(0, 511));
}

#[test]
fn algorithm_1_between_the_thresholds_inclusive_a_coin_is_flipped() {
    for depth in [28, 40, 56] {
        // Numerator 512 with range 511: the test always succeeds if it is made.
        let mut always = ired(|p| p.numerator = Some(512));
        departs(&mut always, depth);
        assert!(departs(&mut always, depth), "{depth}");
        let mut never = ired(without_coin);
        departs(&mut never, depth);
        assert!(!departs(&mut never, depth), "{depth}");
    }
}

#[test]
fn algorithm_1_clones_if_2_exceeds_random_0_to_511() {
    let mut ired = ired(|_| {});
    departs(&mut ired, 40); // average 20: below, no draw
    let mut twin = random();
    let mut clones = 0;
    for _ in 0..100_000 {
        let expected = 2 > twin.uniform(0, 511);
        assert_eq!(departs(&mut ired, 40), expected);
        clones += u32::from(expected);
    }
    // 1 in 256: 390.6 expected, deviation 19.7.
    assert!((310..=470).contains(&clones), "{clones}");
}

#[test]
fn algorithm_1_above_max_every_packet_is_cloned_and_nothing_drawn() {
    let mut ired = ired(without_coin);
    // 200 after nothing averages 100.
    assert!(departs(&mut ired, 200));
    for _ in 0..100 {
        assert!(departs(&mut ired, 57));
    }
    assert_eq!(ired.random.uniform(0, 511), random().uniform(0, 511));
}

#[test]
fn the_arithmetic_times_ten_sees_half_packets() {
    // 56 and 57 average 56.5, which is above 56; whole packets would hide it.
    let mut ired = ired(without_coin);
    departs(&mut ired, 56);
    assert!(departs(&mut ired, 57));
    // 27 and 28 average 27.5: below 28, so no random test.
    let mut ired = self::ired(|p| p.numerator = Some(512));
    departs(&mut ired, 27);
    assert!(!departs(&mut ired, 28));
}

#[test]
fn average_two_sample_forgets_all_but_the_previous_packet() {
    let mut ired = ired(without_coin);
    let averages: Vec<u64> = [100, 100, 0, 0, 100].map(|depth| ired.update_average(depth)).to_vec();
    assert_eq!(averages, [500, 1000, 500, 0, 500]);
}

#[test]
fn average_ewma_halves_the_past_at_each_packet() {
    let mut ired = ired(|p| p.average = Average::Ewma);
    let averages: Vec<u64> = [100, 100, 0, 0, 100].map(|depth| ired.update_average(depth)).to_vec();
    assert_eq!(averages, [500, 750, 375, 187, 593]);
}

#[test]
fn both_averages_settle_on_a_constant_depth() {
    for average in [Average::TwoSample, Average::Ewma] {
        let mut ired = ired(|p| p.average = average);
        let last = (0..100).map(|_| ired.update_average(40)).last().unwrap();
        // Rounding down may leave the EWMA a tenth short.
        assert!((399..=400).contains(&last), "{average:?}: {last}");
    }
}

#[test]
fn probability_squared_grows_at_each_packet_and_saturates() {
    let mut ired = ired(|p| p.probability = Probability::Squared);
    departs(&mut ired, 40);
    let mut registers = Vec::new();
    for _ in 0..6 {
        registers.push(ired.register);
        departs(&mut ired, 40);
    }
    assert_eq!(registers, [2, 4, 16, 256, 65_535, 65_535]);
    // The saturated register exceeds every random number.
    assert!((0..1_000).all(|_| departs(&mut ired, 40)));
}

#[test]
fn probability_squared_tests_the_value_before_squaring() {
    let mut ired = ired(|p| p.probability = Probability::Squared);
    departs(&mut ired, 40);
    let mut twin = random();
    for register in [2, 4, 16, 256, 65_535, 65_535] {
        assert_eq!(departs(&mut ired, 40), register > twin.uniform(0, 511), "{register}");
    }
}

#[test]
fn probability_squared_starts_again_below_min_and_not_above_max() {
    let mut ired = ired(|p| p.probability = Probability::Squared);
    for _ in 0..4 {
        departs(&mut ired, 40);
    }
    assert_eq!(ired.register, 256);
    departs(&mut ired, 1000);
    departs(&mut ired, 1000);
    assert_eq!(ired.register, 256);
    departs(&mut ired, 0);
    departs(&mut ired, 0);
    assert_eq!(ired.register, 2);
}

#[test]
fn algorithm_1_by_its_text_squares_first_and_draws_up_to_n() {
    // A register of 1 stays 1, so that of 0 to 4 two numbers are a clone.
    let mut text = ired(|p| p.probability = Probability::Algorithm1);
    departs(&mut text, 40);
    let mut twin = random();
    let mut clones = 0;
    for _ in 0..10_000 {
        let expected = 1 >= twin.uniform(0, 4);
        assert_eq!(departs(&mut text, 40), expected);
        clones += u32::from(expected);
    }
    assert!((3_800..4_200).contains(&clones), "{clones}");

    // From 2 the register is 4 at the first coin: at least every number up to N.
    let mut certain = ired(|p| (p.probability, p.numerator) = (Probability::Algorithm1, Some(2)));
    departs(&mut certain, 40);
    assert!(departs(&mut certain, 40));
    assert_eq!(certain.register, 4);
}

#[test]
fn table_1_prints_an_upper_threshold_of_its_own() {
    let mut parameters = IredParameters {
        buffer: Packets(1024),
        n: 64,
        max_threshold: Some(Packets(832)),
        ..Default::default()
    };
    assert_eq!(parameters.thresholds(), Ok((448, 832)));
    parameters.max_threshold = Some(Packets(447));
    let error = parameters.thresholds().unwrap_err();
    assert_eq!(error.path, ["max_threshold"]);
    assert!(error.to_string().contains("448 packets"), "{error}");
}

#[test]
fn probability_constant_never_moves() {
    let mut ired = ired(|_| {});
    for _ in 0..50 {
        departs(&mut ired, 40);
    }
    assert_eq!(ired.register, 2);
}

#[test]
fn algorithm_2_the_flag_drops_the_next_packet_and_is_cleared() {
    let mut ired = ired(|_| {});
    assert_eq!(ired.admit(&mut packet(), Time::ZERO), Ok(0));
    ired.handle_feedback(Feedback { value: 1 }, Time::ZERO);
    assert_eq!(ired.admit(&mut packet(), Time::ZERO), Err(DropReason::IredFlag));
    assert_eq!(ired.admit(&mut packet(), Time::ZERO), Ok(0));
}

#[test]
fn algorithm_2_there_is_one_flag_and_no_counter() {
    let mut ired = ired(|_| {});
    for _ in 0..3 {
        ired.handle_feedback(Feedback { value: 1 }, Time::ZERO);
    }
    assert_eq!(ired.admit(&mut packet(), Time::ZERO), Err(DropReason::IredFlag));
    assert_eq!(ired.admit(&mut packet(), Time::ZERO), Ok(0));
}

#[test]
fn algorithm_2_any_packet_can_be_dropped() {
    // Neither a small packet (a pure ACK) nor an ECN-capable one is spared.
    let mut ired = ired(|_| {});
    let mut ack = packet();
    ack.meta.length = 40;
    ack.meta.traffic_class = jettison_wire::Ecn::Ect0 as u8;
    ired.handle_feedback(Feedback { value: 1 }, Time::ZERO);
    assert_eq!(ired.admit(&mut ack, Time::ZERO), Err(DropReason::IredFlag));
}

#[test]
fn clone_path_and_delay_are_those_configured() {
    assert_eq!(ired(|_| {}).feedback_path(), FeedbackPath::CloneThroughQueue);
    let direct = ired(|p| {
        p.clone_path = ClonePath::Direct;
        p.recirculation_delay = Some(Duration::from_millis(1));
    });
    assert_eq!(direct.feedback_path(), FeedbackPath::Recirculate);
    assert_eq!(direct.recirculation_delay(), Some(Duration::from_millis(1)));
}

/// Gauges of the internal state.
fn reported(ired: &Ired) -> Vec<(&'static str, f64)> {
    let mut taken: Vec<(jettison_core::Gauge, String, f64)> = Vec::new();
    ired.gauges(Time::ZERO, &mut taken);
    assert_eq!(taken.iter().map(|(gauge, ..)| *gauge).collect::<Vec<_>>(), GAUGES);
    taken.into_iter().map(|(gauge, _, value)| (gauge.name, value)).collect()
}

#[test]
fn the_average_and_its_probability_are_gauges() {
    let mut two = ired(|parameters| parameters.average = Average::TwoSample);
    assert_eq!(reported(&two), [("ired_average", 0.0), ("ired_probability", 0.0)]);
    departs(&mut two, 20);
    departs(&mut two, 40);
    // (20 + 40) / 2 is between 28 and 56: the register's 2 in 512.
    assert_eq!(reported(&two), [("ired_average", 30.0), ("ired_probability", 2.0 / 512.0)]);
    departs(&mut two, 80);
    assert_eq!(reported(&two), [("ired_average", 60.0), ("ired_probability", 1.0)]);

    let mut ewma = ired(|parameters| parameters.average = Average::Ewma);
    departs(&mut ewma, 20);
    departs(&mut ewma, 40);
    // 0 → 10 → 25.
    assert_eq!(reported(&ewma), [("ired_average", 25.0), ("ired_probability", 0.0)]);
}
