//! Explicit congestion notification (RFC 3168).

use jettison_core::Time;
use jettison_tcp::{EcnSwitch, TcpParameters};
use jettison_wire::{Ecn, TcpFlags};

use crate::harness::*;

fn with_ecn() -> TcpParameters {
    TcpParameters { ecn: EcnSwitch::On, ..parameters() }
}

#[test]
fn rfc3168_6_1_1_is_used_only_if_both_ends_agree() {
    for (client, server) in [(true, true), (true, false), (false, true)] {
        let with =
            |on| TcpParameters { ecn: if on { EcnSwitch::On } else { EcnSwitch::Off }, ..parameters() };
        let mut net = Net::new(ms(10));
        net.add_flow(&with(client), &with(server), Time::ZERO, [5, 6]);
        net.client().write(jettison_tcp::Payload::Zeros(5 * MSS));
        net.run_until(at(200));
        let syn = &net.log[0];
        assert_eq!(syn.is(TcpFlags::ECE.with(TcpFlags::CWR)), client);
        let syn_ack = &net.sent_by(Server)[0];
        assert_eq!(syn_ack.is(TcpFlags::ECE), client && server);
        assert!(!syn_ack.is(TcpFlags::CWR));
        let expected = if client && server { Ecn::Ect0 } else { Ecn::NotEct };
        assert!(net.sent_by(Client).iter().filter(|seen| seen.length > 0).all(|seen| seen.ecn == expected));
        let rest = net.log.iter().filter(|seen| seen.length == 0);
        assert!(
            rest.map(|seen| seen.ecn).all(|ecn| ecn == Ecn::NotEct),
            "SYNs and pure ACKs are not capable"
        );
    }
}

#[test]
fn rfc3168_6_1_2_many_marks_in_a_window_cause_one_reduction_and_no_retransmission() {
    for prr in [true, false] {
        let mut net = Net::established(ms(10), &TcpParameters { prr, ..with_ecn() });
        net.script(|seen| {
            if seen.segment().is_some_and(|n| (12..25).contains(&n)) { Fate::Mark } else { Fate::Pass }
        });
        net.send(300 * MSS);
        net.run_until(at(95));
        let statistics = net.statistics();
        assert_eq!((statistics.ecn_reductions, statistics.recoveries), (1, 0), "PRR {prr}");
        assert!((10 * MSS..=15 * MSS).contains(&statistics.ssthresh), "{}", statistics.ssthresh);
        net.run_until(at(1000));
        let statistics = net.statistics();
        assert_eq!((statistics.ecn_reductions, statistics.segments_retransmitted), (1, 0));
        assert_eq!(net.server().statistics().ce_received, 13);
        assert_eq!(net.flows[0].received_bytes[1], 300 * MSS);
    }
}

#[test]
fn rfc3168_6_1_3_the_echo_lasts_until_cwr_arrives() {
    let mut net = Net::established(ms(10), &with_ecn());
    net.script(|seen| if seen.segment() == Some(12) { Fate::Mark } else { Fate::Pass });
    net.send(200 * MSS);
    net.run_until(at(1000));
    let cwr: Vec<_> = net.sent_by(Client).into_iter().filter(|seen| seen.is(TcpFlags::CWR)).collect();
    assert_eq!(cwr.len(), 1);
    assert_eq!(cwr[0].at, at(70), "on the first new segment after the echo");
    let echoes: Vec<_> = net.sent_by(Server).into_iter().filter(|seen| seen.is(TcpFlags::ECE)).collect();
    assert!(!echoes.is_empty());
    assert!(echoes.iter().all(|seen| (at(60)..=at(80)).contains(&seen.at)));
}

#[test]
fn rfc3168_6_1_5_retransmissions_are_not_capable() {
    let mut net = Net::established(ms(10), &with_ecn());
    net.script(lose(&[3]));
    net.send(20 * MSS);
    net.run_until(at(200));
    let copies: Vec<Ecn> =
        net.sent_by(Client).iter().filter(|seen| seen.segment() == Some(3)).map(|seen| seen.ecn).collect();
    assert_eq!(copies, [Ecn::Ect0, Ecn::NotEct]);
}

#[test]
fn rfc3168_6_1_2_loss_and_marks_in_one_window_cause_one_reduction() {
    let mut net = Net::established(ms(10), &with_ecn());
    net.script(|seen| match seen.segment() {
        Some(11) => Fate::Mark,
        Some(20) if seen.at < at(60) => Fate::Drop,
        _ => Fate::Pass,
    });
    net.send(300 * MSS);
    net.run_until(at(1000));
    let statistics = net.statistics();
    assert_eq!((statistics.ecn_reductions, statistics.recoveries), (1, 1));
    assert!((9 * MSS..=12 * MSS).contains(&statistics.ssthresh), "halved once: {}", statistics.ssthresh);
    assert_eq!(net.flows[0].received_bytes[1], 300 * MSS);
}
