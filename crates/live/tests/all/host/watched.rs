//! Sockets opened by external programs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use jettison_core::Duration;
use jettison_live::host::{SocketRule, Watched};
use jettison_measure::metrics;

use super::harness::{Pair, Run, V4, address};

#[test]
fn a_commands_connection_has_a_congestion_window_and_an_rtt() {
    let Some(pair) = Pair::new("a_commands_connection_has_a_congestion_window_and_an_rtt") else { return };
    let server = SocketAddr::new(address(V4[1]), 7200);
    let listener = pair.inside(1, || TcpListener::bind(server).unwrap());
    // A control connection and a data connection.
    let mut streams = pair.inside(0, || [0; 2].map(|_| TcpStream::connect(server).unwrap()));
    let mut accepted = [0; 2].map(|_| listener.accept().unwrap().0);
    streams[0].write_all(b"hello").unwrap();
    let [_, mut data] = streams;
    let sink = thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while accepted[1].read(&mut buffer).unwrap() > 0 {}
    });
    let source = thread::spawn(move || {
        for _ in 0..50 {
            data.write_all(&[1; 20_000]).unwrap();
            thread::sleep(std::time::Duration::from_millis(10));
        }
    });
    let mut run = Run::new(&pair, V4);
    let rule = SocketRule { peer: server.ip(), port: Some(server.port()) };
    run.watch("command", |flow| Watched { flow, host: 0, rule });
    let rule = SocketRule { peer: server.ip(), port: Some(1) };
    run.watch("nothing", |flow| Watched { flow, host: 0, rule });
    let done = run.go(Duration::from_millis(450));
    source.join().unwrap();
    sink.join().unwrap();
    let windows = done.series("command", metrics::CWND);
    assert!(windows.len() >= 3 && windows.iter().all(|window| *window >= 14_480.0), "{windows:?}");
    assert_eq!(done.series("command", metrics::SRTT).len(), windows.len());
    assert!(done.mean("command", metrics::RTT) > 0.0);
    assert!(done.mean("command", metrics::RETRANSMITS) >= 0.0);
    assert_eq!(done.series("nothing", metrics::CWND), Vec::<f64>::new());
    assert_eq!(done.notes, Vec::<String>::new());
}
