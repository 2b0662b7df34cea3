//! End of connections.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use jettison_core::{Duration, Time};
use jettison_live::host::Stop;
use jettison_sockets::{CloseReason, SocketEvent};
use jettison_tcp::Payload;
use jettison_tcp::TcpParameters;
use socket2::SockRef;

use super::harness::{At, Log, Pair, Run, Script, V4, address, endpoint, ignore, ip, newreno, options};

/// Creates a client that connects and writes.
fn client(run: &mut Run, port: u16, parameters: TcpParameters, bytes: u64, close: bool) -> Log {
    let log = Log::default();
    let options = options(parameters);
    let start = move |_, host: &mut dyn jettison_sockets::Sockets| {
        let socket = host.tcp_connect(endpoint(V4[1], port), &options);
        host.write(socket, Payload::Zeros(bytes));
        if close {
            host.close(socket);
        }
    };
    run.program("client", 0, Script { start, on_event: ignore, log: Arc::clone(&log) });
    log
}

fn last(log: &Log) -> (Time, SocketEvent) {
    *log.lock().expect("no thread panicked").last().expect("there was an event")
}

fn reason(log: &Log) -> Option<CloseReason> {
    match last(log).1 {
        SocketEvent::Closed(_, reason) => Some(reason),
        _ => None,
    }
}

#[test]
fn a_port_without_listener_resets_the_connection() {
    let Some(pair) = Pair::new("a_port_without_listener_resets_the_connection") else { return };
    let mut run = Run::new(&pair, V4);
    let log = client(&mut run, 9, newreno(), 100, false);
    run.go(Duration::from_millis(200));
    assert_eq!(log.lock().unwrap().len(), 1);
    assert_eq!(reason(&log), Some(CloseReason::Reset));
}

#[test]
fn a_reset_by_the_peer_is_reported() {
    let Some(pair) = Pair::new("a_reset_by_the_peer_is_reported") else { return };
    let listener = pair.inside(1, || TcpListener::bind(SocketAddr::new(address(V4[1]), 7000)).unwrap());
    let peer = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        thread::sleep(std::time::Duration::from_millis(100));
        // Resets at once, like a killed process with unread data.
        SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    });
    let mut run = Run::new(&pair, V4);
    let log = client(&mut run, 7000, newreno(), 1 << 30, false);
    run.go(Duration::from_millis(500));
    peer.join().unwrap();
    let events: Vec<SocketEvent> = log.lock().unwrap().iter().map(|(_, event)| *event).collect();
    assert!(matches!(events[0], SocketEvent::Connected(_)), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, SocketEvent::Acknowledged(_))));
    assert_eq!(reason(&log), Some(CloseReason::Reset));
}

#[test]
fn a_vanished_peer_times_out_after_the_maximum_number_of_retransmissions() {
    let test = "a_vanished_peer_times_out_after_the_maximum_number_of_retransmissions";
    let Some(pair) = Pair::private(test) else { return };
    let listener = pair.inside(1, || TcpListener::bind(SocketAddr::new(address(V4[1]), 7001)).unwrap());
    let mut run = Run::new(&pair, V4);
    let patient = TcpParameters { max_retransmissions: 1, ..newreno() };
    let log = client(&mut run, 7001, patient, 1 << 30, false);
    let namespace = Arc::clone(&pair.namespaces[1]);
    // From now on the peer sends nothing, not even a reset.
    let call = move |_| ip(&namespace, &["addr", "flush", "dev", "v1"]).expect("`ip` worked in the setup");
    run.program("cut", 0, At { at: Some(Time::from_millis(200)), call });
    run.go(Duration::from_millis(2500));
    drop(listener);
    assert_eq!(reason(&log), Some(CloseReason::TimedOut));
    let (when, _) = last(&log);
    assert!(when > Time::from_millis(500), "{when:?}");
}

#[test]
fn the_last_acknowledgement_precedes_the_end_of_a_connection() {
    let Some(pair) = Pair::new("the_last_acknowledgement_precedes_the_end_of_a_connection") else { return };
    let mut run = Run::new(&pair, V4);
    let log = client(&mut run, 7002, newreno(), 300_000, true);
    let (received, served) = (Arc::new(Mutex::new(0)), Log::default());
    let total = Arc::clone(&received);
    let listening = options(newreno());
    let server = Script {
        start: move |_, host: &mut dyn jettison_sockets::Sockets| {
            host.tcp_listen(7002, &listening);
        },
        on_event: move |event, _, host: &mut dyn jettison_sockets::Sockets| match event {
            SocketEvent::Readable(socket) => {
                while let Some(payload) = host.read(socket, 10_000) {
                    *total.lock().expect("no thread panicked") += payload.len();
                }
            }
            SocketEvent::PeerClosed(socket) => host.close(socket),
            _ => {}
        },
        log: Arc::clone(&served),
    };
    run.program("server", 1, server);
    run.go(Duration::from_millis(400));
    assert_eq!(*received.lock().unwrap(), 300_000);
    for log in [&log, &served] {
        assert_eq!(reason(log), Some(CloseReason::Finished), "{:?}", log.lock().unwrap());
    }
    let events: Vec<SocketEvent> = log.lock().unwrap().iter().map(|(_, event)| *event).collect();
    let acknowledged = events.iter().rposition(|event| matches!(event, SocketEvent::Acknowledged(_)));
    assert!(acknowledged.is_some_and(|at| at < events.len() - 1), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, SocketEvent::PeerClosed(_))), "{events:?}");
}

#[test]
fn a_run_ends_on_request() {
    let Some(pair) = Pair::new("a_run_ends_on_request") else { return };
    let run = Run::new(&pair, V4);
    let stop = Arc::new(Stop::new().unwrap());
    let shared = Arc::clone(&stop);
    let stopper = thread::spawn(move || {
        thread::sleep(std::time::Duration::from_millis(150));
        shared.stop();
    });
    let done = run.go_until(Duration::from_secs(30), &stop);
    stopper.join().unwrap();
    assert!(done.ended < Time::from_secs(10), "{:?}", done.ended);
    assert!(stop.is_stopped());
}
