//! Pacing of segments.

use jettison_core::{Rate, Time};
use jettison_tcp::{Payload, Switch, TcpParameters};

use crate::harness::*;

fn paced() -> TcpParameters {
    TcpParameters { pacing: Switch::On, ..parameters() }
}

#[test]
fn without_pacing_a_window_leaves_in_a_burst() {
    let mut net = Net::established(ms(50), &parameters());
    net.send(10 * MSS);
    assert!(net.sent_by(Client).iter().all(|seen| seen.at == at(150)));
}

#[test]
fn slow_start_is_paced_at_two_windows_per_rtt() {
    let mut net = Net::established(ms(50), &paced());
    net.send(10 * MSS);
    net.run_until(at(245));
    let times: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1].since(pair[0]).as_micros()).collect();
    // 10 segments in 100 ms at twice the rate: 5 ms each.
    assert_eq!(gaps, [5000; 9]);
}

#[test]
fn gains_are_parameters_and_avoidance_has_its_own() {
    for gain in [1.0, 1.2] {
        let parameters = TcpParameters { pacing_gain_avoidance: gain, ..paced() };
        let mut net = Net::established(ms(50), &parameters);
        net.script(lose(&[30]));
        net.send(u64::MAX / 4);
        net.run_until(Time::from_secs(2));
        net.log.clear();
        let before = net.statistics();
        net.run_until(Time::from_secs(2) + ms(100));
        let rate = before.pacing_rate.expect("paced").as_bits() as f64;
        let expected = gain * before.congestion_window as f64 * 8.0 / before.smoothed_rtt.as_secs_f64();
        assert!((rate / expected - 1.0).abs() < 1e-6);
        let times: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
        let least = times.windows(2).map(|pair| pair[1].since(pair[0])).min().expect("many");
        let spacing = MSS as f64 * 8.0 / rate;
        assert!((least.as_secs_f64() / spacing - 1.0).abs() < 0.1, "{least} against {spacing} s");
    }
}

#[test]
fn a_quantum_leaves_back_to_back() {
    let mut net = Net::established(ms(50), &TcpParameters { pacing_quantum: 5, ..paced() });
    net.send(10 * MSS);
    net.run_until(at(245));
    let bursts: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
    assert_eq!(bursts, [[at(150); 5], [at(175); 5]].concat());
}

#[test]
fn offloaded_bursts_are_spaced_by_what_they_take_at_the_pacing_rate() {
    let mut net = Net::established(ms(50), &TcpParameters { gso: true, ..paced() });
    net.send(10 * MSS);
    net.run_until(at(245));
    let bursts: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
    // 20 segments in an RTT of 100 ms: a fifth of a segment in 1/1024 s, so the least burst, of two, each 10 ms.
    assert_eq!(bursts, [[at(150); 2], [at(160); 2], [at(170); 2], [at(180); 2], [at(190); 2]].concat());
}

#[test]
fn an_offloaded_burst_is_a_1024th_of_a_second_of_the_pacing_rate() {
    for (gso, least, most) in [(true, 10, 12), (false, 1, 1)] {
        let mut net = Net::established(ms(50), &TcpParameters { gso, initial_window: 400, ..paced() });
        net.script(lose(&[1500]));
        net.send(u64::MAX / 4);
        net.run_until(Time::from_secs(1));
        // The loss leaves half of the window; 1.2 times 950 segments in 100 ms are 11.1 in 1/1024 s.
        let window = net.statistics().congestion_window / MSS;
        assert!((930..970).contains(&window), "{window}");
        net.log.clear();
        net.run_until(at(1400));
        let times: Vec<Time> =
            net.sent_by(Client).iter().filter(|seen| seen.length > 0).map(|seen| seen.at).collect();
        let sizes: Vec<usize> = times.chunk_by(|a, b| a == b).map(<[Time]>::len).collect();
        let whole = sizes.iter().filter(|size| (least..=most).contains(*size)).count();
        assert!(whole * 20 >= sizes.len() * 19, "{sizes:?}");
    }
}

/// Shares of the bursts that have two and four segments, of an unpaced flow in congestion avoidance behind a bottleneck; quick
/// ACKs as in Linux.
fn shares_behind(rate: Rate, limit: usize, gso: bool) -> (f64, f64) {
    let mut net = Net::new(ms(20)).with_bottleneck(rate, limit);
    let parameters = TcpParameters { mss: 1448, gso, quick_acks: true, ..parameters() };
    net.add_flow(&parameters, &parameters, Time::ZERO, [1, 2]);
    net.keeps_log = false;
    net.client().write(Payload::Zeros(u64::MAX / 2));
    net.run_until(Time::from_secs(4));
    net.keeps_log = true;
    net.run_until(Time::from_secs(5));
    let times: Vec<Time> =
        net.sent_by(Client).iter().filter(|seen| seen.length > 0).map(|seen| seen.at).collect();
    let sizes: Vec<usize> = times.chunk_by(|a, b| a == b).map(<[Time]>::len).collect();
    let share = |of: usize| sizes.iter().filter(|size| **size == of).count() as f64 / sizes.len() as f64;
    (share(2), share(4))
}

/// Linux 6.1 with NewReno over an RTT of 40 ms, the last quarter of a transfer: at 10 Mbit/s nine in ten bursts had two
/// segments, at 50 Mbit/s four in five had four, although each ACK released two.
#[test]
fn with_offload_new_data_waits_for_acks_until_a_burst_is_whole_as_in_a_kernel() {
    let (twos, _) = shares_behind(Rate::from_mbit(10), 40, true);
    assert!(twos >= 0.9, "{twos}");
    let (_, fours) = shares_behind(Rate::from_mbit(50), 200, true);
    assert!(fours >= 0.75, "{fours}");
    let (twos, fours) = shares_behind(Rate::from_mbit(50), 200, false);
    assert!(twos >= 0.9 && fours <= 0.05, "without offload: {twos}, {fours}");
}

#[test]
fn offload_never_holds_back_the_end_of_the_data() {
    let mut net = Net::established(ms(50), &TcpParameters { gso: true, ..parameters() });
    for segments in [1, 3, 7, 25] {
        net.send(segments * MSS);
        net.run_until(net.now + Time::from_secs(1).since(Time::ZERO));
        assert_eq!(net.statistics().flight_size, 0, "{segments} segments arrived");
        assert_eq!(net.statistics().timeouts, 0);
    }
}

#[test]
fn pacing_at_one_window_per_rtt_still_grows_the_window() {
    let parameters = TcpParameters { pacing_gain_avoidance: 1.0, pacing_gain_slow_start: 1.0, ..paced() };
    let mut net = Net::established(ms(50), &parameters);
    net.keeps_log = false;
    net.send(u64::MAX / 4);
    net.run_until(Time::from_secs(1));
    assert!(net.statistics().congestion_window >= 100 * MSS, "{}", net.statistics().congestion_window);
}
