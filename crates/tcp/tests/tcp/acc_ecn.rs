//! Accurate ECN feedback (RFC 9768) between two connections.

use jettison_core::Time;
use jettison_tcp::{EcnOption, EcnSwitch, Payload, TcpParameters};
use jettison_wire::{Ecn, Order, TcpFlags};

use crate::harness::*;

fn accurate() -> TcpParameters {
    TcpParameters { ecn: EcnSwitch::Accurate, ..parameters() }
}

fn with(ecn: EcnSwitch) -> TcpParameters {
    TcpParameters { ecn, ..parameters() }
}

/// A flow of 5 segments between ends with these switches.
fn short(client: &TcpParameters, server: &TcpParameters) -> Net {
    let mut net = Net::new(ms(10));
    net.add_flow(client, server, Time::ZERO, [5, 6]);
    net.client().write(Payload::Zeros(5 * MSS));
    net.run_until(at(300));
    assert_eq!(net.flows[0].received_bytes[1], 5 * MSS);
    net
}

#[test]
fn rfc9768_3_1_1_both_ends_agree_and_say_how_syn_and_syn_ack_arrived() {
    let net = short(&accurate(), &accurate());
    let (client, server) = (net.sent_by(Client), net.sent_by(Server));
    assert_eq!((client[0].ace, client[0].ecn, client[0].option), (0b111, Ecn::NotEct, None));
    assert_eq!((server[0].ace, server[0].ecn), (0b010, Ecn::NotEct));
    let option = server[0].option.expect("to see whether it passes");
    assert_eq!((option.order(), option.fields()), (Order::Ect1First, &[1, 0, 1][..]));
    // As Linux 7.2: the ACK of the SYN-ACK has the handshake's encoding, and an option.
    assert_eq!((client[1].ace, client[1].length), (0b010, 0));
    assert_eq!(client[1].option.expect("an option").fields(), [1, 0, 1]);
    assert!(client[2..].iter().all(|seen| seen.ace == 5 && seen.ecn == Ecn::Ect0));
    // Pure ACKs are capable, too, and count the bytes that came as ECT(0).
    let acks = &server[1..];
    assert!(acks.iter().all(|seen| seen.ace == 5 && seen.ecn == Ecn::Ect0));
    assert_eq!(acks.last().unwrap().option.unwrap().fields(), [1 + 5 * MSS as u32]);
}

#[test]
fn rfc9768_3_1_2_falls_back_to_what_the_peer_has() {
    use EcnSwitch::{Accurate, Off, On};
    for (client, server, syn, syn_ack, expected) in [
        (Accurate, On, 0b111, 0b001, Ecn::Ect0),
        (On, Accurate, 0b011, 0b001, Ecn::Ect0),
        (Accurate, Off, 0b111, 0b000, Ecn::NotEct),
        (Off, Accurate, 0b000, 0b000, Ecn::NotEct),
    ] {
        let net = short(&with(client), &with(server));
        let case = format!("{client:?} to {server:?}");
        assert_eq!((net.log[0].ace, net.sent_by(Server)[0].ace), (syn, syn_ack), "{case}");
        for seen in &net.log {
            let is_data = seen.length > 0;
            assert_eq!(seen.ecn, if is_data { expected } else { Ecn::NotEct }, "{case}: RFC 3168 or none");
            assert_eq!(seen.option, None, "{case}");
        }
    }
}

#[test]
fn rfc9768_3_1_4_1_the_third_syn_asks_for_nothing() {
    let mut net = Net::pair(ms(10), &accurate());
    net.script(|seen| if seen.at < Time::from_secs(2) { Fate::Drop } else { Fate::Pass });
    net.client().write(Payload::Zeros(3 * MSS));
    net.run_until(Time::from_secs(6));
    let syns: Vec<u8> = net.log.iter().filter(|seen| seen.flags.0 & 0x3f == 2).map(|seen| seen.ace).collect();
    // As seen in Linux 7.2.
    assert_eq!(syns, [0b111, 0b111, 0b000]);
    assert_eq!(net.flows[0].received_bytes[1], 3 * MSS);
    assert!(net.log.iter().all(|seen| seen.ecn == Ecn::NotEct));
}

#[test]
fn rfc9768_3_2_3_2_2_syn_acks_lose_their_option_and_then_their_flags() {
    let mut net = Net::pair(ms(10), &accurate());
    net.script(|seen| {
        let is_early = seen.from == Server && seen.at < Time::from_secs(2);
        if is_early { Fate::Drop } else { Fate::Pass }
    });
    net.server_writes(20 * MSS);
    net.run_until(Time::from_secs(9));
    let syn_acks: Vec<(u8, bool)> = net
        .sent_by(Server)
        .iter()
        .filter(|seen| seen.is(TcpFlags::SYN))
        .map(|seen| (seen.ace, seen.option.is_some()))
        .collect();
    assert_eq!(syn_acks[..3], [(0b010, true), (0b010, false), (0b000, false)]);
    // Section 3.1.5: a server that sent such a SYN-ACK sends nothing that is ECN-capable.
    assert!(net.sent_by(Server).iter().all(|seen| seen.ecn == Ecn::NotEct));
}

#[test]
fn rfc9768_3_1_5_a_syn_for_the_other_feedback_resets() {
    let mut net = Net::pair(ms(10), &accurate());
    net.script(|seen| if seen.from == Server { Fate::Drop } else { Fate::Pass });
    net.run_until(at(100));
    // A SYN with the same number as the first, that asks for RFC 3168.
    net.inject_syn(0b011);
    net.run_until(at(200));
    assert!(net.sent_by(Server).last().unwrap().is(TcpFlags::RST));
}

#[test]
fn rfc9768_3_1_5_cwr_is_never_set_and_one_reduction_answers_the_marks_of_a_window() {
    let mut net = Net::established(ms(10), &accurate());
    net.script(|seen| {
        if seen.from == Client && seen.segment().is_some_and(|n| (12..25).contains(&n)) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    });
    net.send(300 * MSS);
    net.run_until(at(1000));
    let statistics = net.statistics();
    assert_eq!((statistics.ecn_reductions, statistics.recoveries), (1, 0));
    assert_eq!((statistics.ce_reported, net.server().statistics().ce_received), (13, 13));
    assert!(net.sent_by(Client).iter().all(|seen| seen.ace == 5), "ACE, not CWR");
    assert_eq!(net.sent_by(Server).last().unwrap().ace, (5 + 13) % 8);
    assert_eq!(net.flows[0].received_bytes[1], 300 * MSS);
}

/// A long flow of BBR, which does not answer marks, of which each `one_in`th segment is marked and half of the ACKs is lost.
/// Returns the marks that the server received, and those that the client was told of.
fn thinned(one_in: u64, options: bool) -> (u64, u64) {
    const SEGMENTS: u64 = 20_000;
    let parameters = &TcpParameters {
        congestion: "bbr".into(),
        receive_buffer: jettison_core::Bytes::new(40 * MSS),
        ..accurate()
    };
    let mut net = Net::established(ms(10), parameters);
    net.keeps_log = false;
    let mut state = 12_345u64;
    net.script(move |seen| {
        if seen.from == Client {
            let is_marked = seen.segment().is_some_and(|n| n % one_in == 0);
            return if is_marked { Fate::Mark } else { Fate::Pass };
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The last ACKs arrive, so that all is told at the end.
        let is_late = seen.ack as u64 > (SEGMENTS - 100) * MSS;
        match (state >> 63 == 0 && !is_late, options) {
            (true, _) => Fate::Drop,
            (false, true) => Fate::Pass,
            (false, false) => Fate::Strip,
        }
    });
    net.send(SEGMENTS * MSS);
    net.run_until(Time::from_secs(60));
    assert_eq!(net.flows[0].received_bytes[1], SEGMENTS * MSS);
    let received = net.server().statistics().ce_received;
    (received, net.statistics().ce_reported)
}

#[test]
fn rfc9768_2_3_marks_are_counted_though_half_of_the_acks_are_lost() {
    for one_in in [1, 3, 20] {
        let (received, reported) = thinned(one_in, true);
        assert!(received >= 20_000 / one_in, "{received}");
        assert_eq!(reported, received, "one in {one_in}");
    }
}

#[test]
fn rfc9768_3_2_2_5_2_without_options_no_mark_is_missed() {
    // ACE alone cannot tell how often it wrapped: the safest case is assumed.
    let (received, reported) = thinned(20, false);
    assert!(reported >= received, "{reported} of {received}");
    assert!(reported < 4 * received, "{reported} of {received}");
}

#[test]
fn rfc9768_3_2_2_3_mangling_in_the_handshake_ends_ecn_for_that_direction() {
    // The SYN arrives as ECT(0): the client learns it from the SYN-ACK.
    let mut net = Net::pair(ms(10), &accurate());
    net.script(|seen| {
        let is_syn = seen.from == Client && seen.is(TcpFlags::SYN);
        if is_syn { Fate::Rewrite(Ecn::Ect0) } else { Fate::Pass }
    });
    net.client().write(Payload::Zeros(5 * MSS));
    net.server_writes(5 * MSS);
    net.run_until(at(300));
    assert_eq!(net.sent_by(Server)[0].ace, 0b100);
    assert!(net.sent_by(Client).iter().all(|seen| seen.ecn == Ecn::NotEct));
    let data: Vec<Ecn> = net.sent_by(Server).iter().filter(|s| s.length > 0).map(|s| s.ecn).collect();
    assert!(!data.is_empty() && data.iter().all(|ecn| *ecn == Ecn::Ect0), "the other direction goes on");
    // The SYN-ACK arrives with CE: the server learns it from the client's ACK.
    let mut net = Net::pair(ms(10), &accurate());
    net.script(|seen| {
        let is_syn_ack = seen.from == Server && seen.is(TcpFlags::SYN);
        if is_syn_ack { Fate::Rewrite(Ecn::Ce) } else { Fate::Pass }
    });
    net.client().write(Payload::Zeros(5 * MSS));
    net.server_writes(5 * MSS);
    net.run_until(at(300));
    assert_eq!(net.sent_by(Client)[1].ace, 0b110);
    assert!(net.sent_by(Client)[2..].iter().all(|seen| seen.ace == 6), "counted, once");
    assert!(net.sent_by(Server).iter().all(|seen| seen.ecn == Ecn::NotEct));
}

#[test]
fn retransmissions_are_ecn_capable_and_carry_the_newest_counters() {
    // Measured in Linux 7.2; draft-briscoe-iccrg-prague-congestion-control §2.2 for Prague; RFC 9768 §3.2: the newest values.
    let mut net = Net::established(ms(10), &accurate());
    let mut lose = lose(&[3]);
    net.script(move |seen| lose(seen));
    net.send(20 * MSS);
    net.run_until(at(300));
    let copies: Vec<Ecn> =
        net.sent_by(Client).iter().filter(|seen| seen.segment() == Some(3)).map(|seen| seen.ecn).collect();
    assert_eq!(copies, [Ecn::Ect0, Ecn::Ect0]);
    let sacked: Vec<_> = net.sent_by(Server).into_iter().filter(|seen| !seen.sack.is_empty()).collect();
    assert!(!sacked.is_empty() && sacked.iter().all(|seen| seen.option.is_some()));
}

#[test]
fn the_option_rules_are_never_changed_and_always() {
    let run = |ecn_option| {
        let mut net = Net::established(ms(10), &TcpParameters { ecn_option, ..accurate() });
        net.send(20 * MSS);
        net.run_until(at(300));
        let count = |side| net.sent_by(side).iter().filter(|seen| seen.option.is_some()).count();
        let longest = net.sent_by(Client).iter().map(|seen| seen.length).max().unwrap();
        (count(Client), count(Server), longest)
    };
    assert_eq!(run(EcnOption::Never), (0, 0, MSS));
    let (data, acks, longest) = run(EcnOption::Changed);
    assert!((data, longest) == (0, MSS) && acks >= 10, "full segments leave no room");
    // As Linux 7.2: every packet, and segments that are 12 bytes smaller.
    let (data, acks, longest) = run(EcnOption::Always);
    assert!(data >= 20 && acks >= 10);
    assert_eq!(longest, MSS - 12);
}

#[test]
fn rfc9331_4_2_prague_without_accurate_feedback_is_reno_with_ect0() {
    let prague = TcpParameters { congestion: "prague".into(), ..parameters() };
    let net = short(&prague, &with(EcnSwitch::On));
    assert_eq!((net.log[0].ace, net.sent_by(Server)[0].ace), (0b111, 0b001));
    let data: Vec<Ecn> = net.sent_by(Client).iter().filter(|s| s.length > 0).map(|s| s.ecn).collect();
    assert_eq!(data, [Ecn::Ect0; 5]);
}
