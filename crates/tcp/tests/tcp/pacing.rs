//! Pacing of segments.

use jettison_core::Time;
use jettison_tcp::{Switch, TcpParameters};

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
fn pacing_at_one_window_per_rtt_still_grows_the_window() {
    let parameters = TcpParameters { pacing_gain_avoidance: 1.0, pacing_gain_slow_start: 1.0, ..paced() };
    let mut net = Net::established(ms(50), &parameters);
    net.keeps_log = false;
    net.send(u64::MAX / 4);
    net.run_until(Time::from_secs(1));
    assert!(net.statistics().congestion_window >= 100 * MSS, "{}", net.statistics().congestion_window);
}
