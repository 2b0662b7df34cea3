//! Opening and closing of connections.

use jettison_core::Time;
use jettison_tcp::Payload;
use jettison_tcp::{CloseReason, ConnectionEvent, TcpParameters};
use jettison_wire::TcpFlags;

use crate::harness::*;

const SYN_ACK: TcpFlags = TcpFlags::SYN.with(TcpFlags::ACK);

#[test]
fn rfc9293_3_5_three_way_handshake_takes_an_rtt() {
    let mut net = Net::pair(ms(10), &parameters());
    net.run_until(at(100));
    let flags: Vec<_> = net.log.iter().map(|seen| (seen.at, seen.from, seen.flags)).collect();
    assert_eq!(
        flags,
        [(at(0), Client, TcpFlags::SYN), (at(10), Server, SYN_ACK), (at(20), Client, TcpFlags::ACK)]
    );
    assert_eq!(
        net.flows[0].events,
        [(at(20), Client, ConnectionEvent::Connected), (at(30), Server, ConnectionEvent::Connected)]
    );
    assert_eq!(net.statistics().smoothed_rtt, ms(20));
}

fn lose_syns(count: u64) -> impl FnMut(&Seen) -> Fate {
    move |seen| {
        let is_lost = seen.is(TcpFlags::SYN) && seen.index < count && seen.from == Client;
        if is_lost { Fate::Drop } else { Fate::Pass }
    }
}

#[test]
fn the_timestamp_of_a_syn_that_was_sent_again_gives_a_sample() {
    let mut net = Net::pair(ms(10), &parameters());
    net.script(lose_syns(1));
    net.run_until(at(1025));
    assert_eq!((net.statistics().smoothed_rtt, net.statistics().rto), (ms(20), ms(200)));
}

#[test]
fn the_initial_window_survives_as_many_lost_syns_as_the_parameter_says() {
    // 1 in RFC 6928, 2 in Linux.
    for (lost_syns, lost, window) in [(1, 1, 1), (2, 1, 10), (2, 2, 1), (1, 0, 10)] {
        let mut net = Net::pair(ms(10), &TcpParameters { lost_syns, ..parameters() });
        net.script(lose_syns(lost));
        net.run_until(at(3050));
        assert_eq!(net.statistics().congestion_window, window * MSS, "{lost} lost of {lost_syns}");
    }
}

#[test]
fn rfc6298_5_7_a_lost_syn_is_retransmitted_after_a_second_and_reduces_the_initial_window() {
    // With timestamps the SYN that arrived gives a sample, as in Linux.
    let mut net = Net::pair(ms(10), &TcpParameters { timestamps: false, ..parameters() });
    net.script(lose_syns(2));
    net.run_until(at(3015));
    let syns: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
    assert_eq!(syns, [at(0), at(1000), at(3000)]);
    net.run_until(at(3050));
    assert_eq!(net.statistics().congestion_window, MSS, "RFC 5681 §3.1: one segment");
    assert_eq!(net.statistics().rto.as_millis(), 3000);
}

#[test]
fn an_unanswered_syn_times_out() {
    let mut net = Net::pair(ms(10), &parameters());
    net.script(|_| Fate::Drop);
    net.run_to_end(Time::from_secs(400));
    let (when, _, event) = net.flows[0].events[0];
    assert_eq!(event, ConnectionEvent::Closed { reason: CloseReason::TimedOut });
    assert_eq!(when, Time::from_secs(1 + 2 + 4 + 8 + 16 + 32 + 64));
    assert!(net.client().is_closed());
}

#[test]
fn a_lost_syn_ack_and_a_lost_handshake_ack_are_repaired() {
    for lost in [(Server, 0), (Client, 1)] {
        let mut net = Net::pair(ms(10), &parameters());
        net.script(move |seen| if (seen.from, seen.index) == lost { Fate::Drop } else { Fate::Pass });
        net.client().write(Payload::Zeros(5 * MSS));
        net.run_until(at(5000));
        assert_eq!(net.flows[0].received_bytes[1], 5 * MSS, "{lost:?}");
    }
}

#[test]
fn options_are_used_only_if_both_ends_have_them() {
    for (client, server) in [(true, false), (false, true)] {
        let with = |on| TcpParameters { sack: on, timestamps: on, ..parameters() };
        let mut net = Net::new(ms(10));
        net.add_flow(&with(client), &with(server), Time::ZERO, [5, 6]);
        net.script(lose(&[3]));
        net.client().write(Payload::Zeros(40 * MSS));
        net.run_until(at(2000));
        assert!(net.log.iter().all(|seen| seen.sack.is_empty()));
        assert_eq!(net.flows[0].received_bytes[1], 40 * MSS);
    }
}

#[test]
fn rfc9293_3_7_1_segments_have_the_smaller_mss_of_both_ends() {
    let mut net = Net::new(ms(10));
    let small = TcpParameters { mss: 500, ..parameters() };
    net.add_flow(&parameters(), &small, Time::ZERO, [5, 6]);
    net.client().write(Payload::Zeros(2 * MSS));
    net.run_until(at(1000));
    assert_eq!(net.log.iter().map(|seen| seen.length).max(), Some(500));
    // The server's segments fit too, and the initial window counts in segments of the size sent.
    assert_eq!(net.flows[0].received_bytes[1], 2 * MSS);
}

#[test]
fn rfc9293_3_6_both_directions_close_and_the_first_waits() {
    let mut net = Net::established(ms(10), &parameters());
    net.client().write(Payload::Zeros(1500));
    net.client().close();
    net.run_until(at(60));
    let fin = net.log.iter().find(|seen| seen.is(TcpFlags::FIN)).expect("FIN left");
    assert_eq!((fin.seq, fin.length), (1000, 500), "the last segment carries FIN");
    assert!(net.flows[0].events.contains(&(at(40), Server, ConnectionEvent::PeerClosed)));
    assert_eq!(net.flows[0].received_bytes[1], 1500);
    // The other direction stays open.
    net.server().write(Payload::Zeros(700));
    net.server().close();
    net.run_until(at(200));
    assert_eq!(net.flows[0].received_bytes[0], 700);
    assert!(net.server().is_closed(), "it closed last");
    assert!(!net.client().is_closed(), "TIME-WAIT");
    net.run_to_end(Time::from_secs(10));
    assert!(net.client().is_closed());
    let finished = ConnectionEvent::Closed { reason: CloseReason::Finished };
    let ends: Vec<_> =
        net.flows[0].events.iter().filter(|event| event.2 == finished).map(|event| event.1).collect();
    assert_eq!(ends.len(), 2);
}

#[test]
fn rfc9293_3_6_simultaneous_close_ends_both() {
    let mut net = Net::established(ms(10), &parameters());
    net.client().close();
    net.server().close();
    net.run_to_end(Time::from_secs(10));
    assert!(net.client().is_closed() && net.server().is_closed());
    let finished = ConnectionEvent::Closed { reason: CloseReason::Finished };
    assert_eq!(net.flows[0].events.iter().filter(|event| event.2 == finished).count(), 2);
}

#[test]
fn a_lost_fin_and_a_lost_last_ack_are_repaired() {
    for lost in [(Client, TcpFlags::FIN), (Server, TcpFlags::FIN)] {
        let mut net = Net::established(ms(10), &parameters());
        let mut once = true;
        net.script(move |seen| {
            let hit = seen.from == lost.0 && seen.is(lost.1) && std::mem::take(&mut once);
            if hit { Fate::Drop } else { Fate::Pass }
        });
        net.client().close();
        net.server().close();
        net.run_to_end(Time::from_secs(20));
        assert!(net.client().is_closed() && net.server().is_closed(), "{lost:?}");
    }
}

#[test]
fn abort_resets_the_peer() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(50 * MSS);
    net.run_until(at(45));
    net.client().abort();
    net.run_to_end(Time::from_secs(1));
    assert!(net.log.iter().any(|seen| seen.from == Client && seen.is(TcpFlags::RST)));
    let reasons: Vec<_> = net.flows[0].events.iter().map(|event| (event.1, event.2)).collect();
    assert!(reasons.contains(&(Client, ConnectionEvent::Closed { reason: CloseReason::Aborted })));
    assert!(reasons.contains(&(Server, ConnectionEvent::Closed { reason: CloseReason::Reset })));
    assert!(net.server().is_closed());
}

#[test]
fn real_bytes_and_zeros_arrive_as_written() {
    let mut net = Net::established(ms(10), &parameters());
    let head: Vec<u8> = (0..2500u32).map(|i| (i % 251) as u8).collect();
    net.client().write(Payload::from(&head[..]));
    net.client().write(Payload::Zeros(10_000));
    net.client().write(Payload::from(&b"tail"[..]));
    net.script(lose(&[1, 4, 12]));
    net.run_until(at(1000));
    let mut bytes = Vec::new();
    for payload in &net.flows[0].received[1] {
        match payload {
            Payload::Bytes(real) => bytes.extend_from_slice(real),
            Payload::Zeros(count) => bytes.resize(bytes.len() + *count as usize, 0),
        }
    }
    let expected: Vec<u8> = head.into_iter().chain(vec![0; 10_000]).chain(*b"tail").collect();
    assert_eq!(bytes, expected);
}

#[test]
fn sequence_numbers_wrap_around() {
    for isn in [u32::MAX - 20_000, u32::MAX, u32::MAX - 1] {
        let mut net = Net::new(ms(10));
        net.add_flow(&parameters(), &parameters(), Time::ZERO, [isn, isn.wrapping_sub(500)]);
        net.script(lose(&[15, 16, 22, 40]));
        net.client().write(Payload::Zeros(100 * MSS));
        net.client().close();
        net.run_until(at(3000));
        assert_eq!(net.flows[0].received_bytes[1], 100 * MSS, "ISN {isn}");
        assert_eq!(net.client().unacknowledged(), 0);
        assert_eq!(net.statistics().timeouts, 0);
    }
}

#[test]
fn an_endless_source_can_be_stopped() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(u64::MAX / 2);
    net.run_until(at(200));
    net.client().discard_unsent();
    net.client().close();
    net.server().close();
    net.run_to_end(Time::from_secs(20));
    let sent = net.flows[0].received_bytes[1];
    assert!(sent > 0 && sent.is_multiple_of(MSS));
    assert!(net.client().is_closed() && net.server().is_closed());
}
