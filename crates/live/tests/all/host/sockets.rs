//! Behaviour of sockets from a program's view.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use jettison_core::Duration;
use jettison_sockets::{Datagram, SocketEvent, Sockets};
use jettison_tcp::Payload;
use jettison_wire::InlineBytes;

use super::harness::{Log, Pair, Run, Script, V4, V6, address, endpoint, ignore, newreno, options};

#[test]
fn a_datagram_keeps_its_head_length_and_traffic_class() {
    let Some(pair) = Pair::new("a_datagram_keeps_its_head_length_and_traffic_class") else {
        return;
    };
    for addresses in [V4, V6] {
        let mut run = Run::new(&pair, addresses);
        let head = InlineBytes::new(&(1..=40).collect::<Vec<u8>>()).unwrap();
        let short = InlineBytes::new(b"abc").unwrap();
        // DSCP 46 with ECT(1), a plain datagram, and one that needs several packets.
        let sent = [
            Datagram { head, length: 1400, traffic_class: 46 << 2 | 1 },
            Datagram { head: short, length: 3, traffic_class: 0 },
            Datagram { head: short, length: 60, traffic_class: 0 },
            Datagram { head, length: 9000, traffic_class: 2 },
        ];
        let log = Log::default();
        let receiver = Script {
            start: |_, host: &mut dyn Sockets| {
                host.udp_bind(7100);
            },
            on_event: ignore,
            log: Arc::clone(&log),
        };
        run.program("receiver", 1, receiver);
        let start = move |_, host: &mut dyn Sockets| {
            let socket = host.udp_bind(0);
            for datagram in &sent {
                host.send_to(socket, endpoint(addresses[1], 7100), datagram);
            }
            assert!(host.device_backlog(address(addresses[1]).into()) >= 4);
        };
        run.program("sender", 0, Script { start, on_event: ignore, log: Log::default() });
        let done = run.go(Duration::from_millis(200));
        assert_eq!(done.notes, Vec::<String>::new());
        let log = log.lock().unwrap();
        let arrived: Vec<Datagram> = log
            .iter()
            .map(|(_, event)| match event {
                SocketEvent::Datagram { datagram, from, .. } => {
                    assert_eq!(from.address, address(addresses[0]).into());
                    *datagram
                }
                other => panic!("{other:?}"),
            })
            .collect();
        // The rest of a datagram is zeros on the wire, and the first 40 bytes are read as the head.
        let padded = [&b"abc"[..], &[0; 37]].concat();
        let mut expected = sent;
        expected[2].head = InlineBytes::new(&padded).unwrap();
        assert_eq!(arrived, expected);
    }
}

#[test]
fn back_pressure_is_the_data_that_the_peer_has_not_accepted() {
    let Some(pair) = Pair::new("back_pressure_is_the_data_that_the_peer_has_not_accepted") else { return };
    // The kernel accepts the connection; nothing reads from it.
    let listener = pair.inside(1, || TcpListener::bind(SocketAddr::new(address(V4[1]), 7101)).unwrap());
    const WRITTEN: u64 = 64 << 20;
    let mut run = Run::new(&pair, V4);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&seen);
    let options = options(newreno());
    let start = move |_, host: &mut dyn Sockets| {
        let socket = host.tcp_connect(endpoint(V4[1], 7101), &options);
        host.write(socket, Payload::Zeros(WRITTEN));
        assert_eq!((host.unsent(socket), host.unacknowledged(socket)), (WRITTEN, WRITTEN));
    };
    let on_event = move |event, _, host: &mut dyn Sockets| {
        if let SocketEvent::Acknowledged(socket) = event {
            let estimate = host.path_estimate(socket);
            shared.lock().expect("no thread panicked").push((
                host.unsent(socket),
                host.unacknowledged(socket),
                estimate,
            ));
        }
    };
    run.program("writer", 0, Script { start, on_event, log: Log::default() });
    run.go(Duration::from_millis(500));
    drop(listener);
    let seen = seen.lock().unwrap();
    let (unsent, unacknowledged, estimate) = *seen.last().unwrap();
    // The peer's buffer takes some bytes, the rest waits. Unsent bytes are also unacknowledged.
    assert!(unsent > WRITTEN / 2 && unsent < WRITTEN, "{unsent}");
    assert!((unsent..WRITTEN).contains(&unacknowledged), "{unacknowledged}");
    assert!(seen.is_sorted_by_key(|(_, unacknowledged, _)| std::cmp::Reverse(*unacknowledged)));
    assert!(estimate.rtt.is_some() && estimate.min_rtt.is_some() && estimate.bandwidth.is_some());
    assert_eq!(estimate.backlog, unsent);
}

#[test]
fn a_port_in_use_is_noted() {
    let Some(pair) = Pair::new("a_port_in_use_is_noted") else { return };
    let mut run = Run::new(&pair, V4);
    let options = options(newreno());
    let start = move |_, host: &mut dyn Sockets| {
        host.udp_bind(7102);
        let second = host.udp_bind(7102);
        host.close(second);
        host.tcp_listen(7102, &options);
        let second = host.tcp_listen(7102, &options);
        assert_eq!((host.unsent(second), host.read(second, 10)), (0, None));
    };
    run.program("twice", 0, Script { start, on_event: ignore, log: Log::default() });
    let done = run.go(Duration::from_millis(50));
    let named = |port: &str| done.notes.iter().any(|note| note.starts_with("host h1") && note.contains(port));
    assert!(named("UDP port 7102") && named("TCP port 7102"), "{:?}", done.notes);
}
