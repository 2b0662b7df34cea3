//! The receive window.

use jettison_core::{Bytes, Time};
use jettison_tcp::Payload;
use jettison_tcp::{ConnectionEvent, TcpParameters};
use jettison_wire::TcpFlags;

use crate::harness::*;

fn buffer(bytes: u64) -> TcpParameters {
    TcpParameters { receive_buffer: Bytes::new(bytes), ..parameters() }
}

#[test]
fn rfc9293_3_8_6_never_sends_past_the_window() {
    let mut net = Net::established(ms(10), &buffer(7500));
    net.send(100 * MSS);
    net.run_until(Time::from_secs(5));
    assert_eq!(net.flows[0].received_bytes[1], 100 * MSS);
    let mut edge = 7500;
    for seen in &net.log {
        match seen.from {
            Server => edge = edge.max(seen.ack + i64::from(seen.window)),
            Client => assert!(seen.seq + seen.length as i64 <= edge, "{seen:?}"),
        }
    }
}

#[test]
fn a_congestion_window_of_a_segment_or_less_stops_nothing() {
    for (window, segments) in [(MSS, 5), (MSS, 1), (10, 5)] {
        let congestion = serde_json::json!({ "kind": "constant", "window": format!("{window} B") });
        let congestion = serde_json::from_value(congestion).expect("a controller with its window");
        let parameters = TcpParameters { congestion, ..parameters() };
        let mut net = Net::established(ms(10), &parameters);
        net.send(segments * MSS);
        net.client().close();
        net.server().close();
        net.run_until(Time::from_secs(5));
        assert_eq!(net.flows[0].received_bytes[1], segments * MSS, "window {window}");
        assert!(net.client().is_closed() && net.server().is_closed(), "window {window}");
    }
}

#[test]
fn rfc7323_2_windows_beyond_64_kb_are_scaled() {
    let parameters = TcpParameters { initial_window: 1000, ..buffer(1 << 20) };
    let mut net = Net::established(ms(10), &parameters);
    net.send(u64::MAX / 4);
    assert_eq!(net.segments().len(), 65, "the window of a SYN-ACK is not scaled (RFC 7323 §2.2)");
    net.run_until(at(55));
    assert!(net.statistics().flight_size > 900 * MSS);
}

#[test]
fn rfc9293_3_8_6_1_a_closed_window_is_probed_until_it_opens() {
    let mut net = Net::established(ms(10), &buffer(5 * MSS));
    net.flows[0].reads = false;
    net.send(20 * MSS);
    net.run_until(at(100));
    let statistics = net.statistics();
    assert_eq!((statistics.flight_size, statistics.peer_window), (0, 0));
    assert!(statistics.is_receive_limited);
    net.log.clear();
    net.run_until(at(5000));
    let probes: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
    assert!(net.log.iter().all(|seen| seen.length == 0), "no data into a closed window");
    let gaps: Vec<u64> = probes.windows(2).map(|pair| pair[1].since(pair[0]).as_millis()).collect();
    assert_eq!(gaps[..3], [400, 800, 1600], "backs off");
    assert_eq!(net.sent_by(Server).len(), probes.len(), "each is answered");
    // The application reads: an update is sent immediately, but is lost; a probe then finds the window open.
    let now = net.now;
    let updates = net.sent_by(Server).len() as u64 + 100;
    net.script(move |seen| {
        if seen.from == Server && seen.at == now && seen.index < updates { Fate::Drop } else { Fate::Pass }
    });
    net.flows[0].reads = true;
    net.pump(0);
    net.run_until(at(15_000));
    assert_eq!(net.flows[0].received_bytes[1], 20 * MSS);
    assert_eq!(net.statistics().timeouts, 0);
}

#[test]
fn rfc9293_3_8_6_2_2_a_window_update_lets_the_sender_continue_immediately() {
    let mut net = Net::established(ms(10), &buffer(5 * MSS));
    net.flows[0].reads = false;
    net.send(20 * MSS);
    net.run_until(at(300));
    net.log.clear();
    net.flows[0].reads = true;
    net.run_until(at(320));
    assert_eq!(net.sent_by(Server)[0].at, at(300));
    assert_eq!(net.sent_by(Client)[0].at, at(310));
    net.run_until(at(1000));
    assert_eq!(net.flows[0].received_bytes[1], 20 * MSS);
}

#[test]
fn a_slow_reader_gets_everything_without_silly_windows() {
    let mut net = Net::established(ms(10), &buffer(10 * MSS));
    net.flows[0].reads = false;
    net.send(60 * MSS);
    let mut read = 0;
    for step in 0..4000 {
        net.run_until(at(30 + step * 5));
        if let Some(payload) = net.server().read(137) {
            read += payload.len();
            net.pump(0);
        }
    }
    assert_eq!(read, 60 * MSS);
    let small = net.sent_by(Client).iter().filter(|seen| (1..500).contains(&seen.length)).count();
    assert!(small <= 3, "{small} silly segments");
}

#[test]
fn fin_passes_a_closed_window() {
    let mut net = Net::established(ms(10), &buffer(2 * MSS));
    net.flows[0].reads = false;
    net.send(2 * MSS);
    net.run_until(at(100));
    net.client().close();
    net.run_until(at(400));
    assert!(
        net.flows[0].events.iter().any(|event| event.1 == Server && event.2 == ConnectionEvent::PeerClosed)
    );
    assert!(net.log.iter().any(|seen| seen.is(TcpFlags::FIN)));
    assert_eq!(net.server().readable(), 2 * MSS);
    assert_eq!(net.server().read(u64::MAX), Some(Payload::Zeros(2 * MSS)));
}
