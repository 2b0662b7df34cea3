//! Tests of the server over plain TCP.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::Duration;

use jettison_watch::{Event, FlowSnapshot, Lateness, Layout, QueueSnapshot, Snapshot, Watch};

/// Timeout that turns a hang into a failure; far longer than any operation here.
const TIMEOUT: Duration = Duration::from_secs(30);

#[test]
fn events_arrive_in_order_of_publication() {
    let watch = Watch::start(0).unwrap();
    let mut stream = Stream::open(&watch);
    for event in [layout(1), snapshot(1, 0.2), note("careful\r\nnow"), snapshot(1, 0.4), ended()] {
        watch.publish(&event);
        assert_eq!(stream.next().unwrap(), event);
    }
}

#[test]
fn a_late_page_gets_the_layout_and_the_history_of_the_run() {
    let watch = Watch::start(0).unwrap();
    watch.publish(&layout(1));
    watch.publish(&snapshot(1, 0.2));
    watch.publish(&ended());
    let run: Vec<Event> =
        [layout(2)].into_iter().chain((1..=300).map(|i| snapshot(2, f64::from(i) / 5.0))).collect();
    run.iter().for_each(|event| watch.publish(event));
    for _ in 0..2 {
        let mut stream = Stream::open(&watch);
        assert_eq!(stream.next().unwrap(), ended());
        for event in &run {
            assert_eq!(&stream.next().unwrap(), event);
        }
    }
}

#[test]
fn a_port_in_use_is_named() {
    let first = Watch::start(0).unwrap();
    let port = first.address().port();
    let error = Watch::start(port).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert_eq!(
        error.to_string(),
        format!("port {port} of 127.0.0.1 is in use; choose another port, or 0 for any free port")
    );
    drop(first);
    let second = Watch::start(port).unwrap();
    assert_eq!(second.address().port(), port);
}

#[test]
fn a_stalled_reader_delays_no_other_and_then_gets_the_newest_snapshot() {
    let watch = Watch::start(0).unwrap();
    watch.publish(&layout(1));
    let mut asleep = Stream::open(&watch);
    assert_eq!(asleep.next().unwrap(), layout(1));
    let mut awake = Stream::open(&watch);
    assert_eq!(awake.next().unwrap(), layout(1));

    // Far more data than the socket buffers hold.
    const SNAPSHOTS: u32 = 20_000;
    let (done, wait) = mpsc::channel();
    let publisher = std::thread::spawn(move || {
        (1..=SNAPSHOTS).for_each(|i| watch.publish(&large_snapshot(f64::from(i) / 100.0)));
        watch.publish(&ended());
        let _ = done.send(());
        watch
    });
    wait.recv_timeout(TIMEOUT).expect("publish does not wait for readers");
    let _watch = publisher.join().unwrap();

    for stream in [&mut awake, &mut asleep] {
        let (mut newest, mut count) = (0.0, 0);
        loop {
            match stream.next().unwrap() {
                Event::Snapshot(snapshot) => {
                    assert!(snapshot.time_s > newest, "in order");
                    newest = snapshot.time_s;
                    count += 1;
                }
                event => break assert_eq!(event, ended()),
            }
        }
        assert_eq!(newest, f64::from(SNAPSHOTS) / 100.0);
        assert!(count < SNAPSHOTS, "some snapshots were skipped");
    }
}

#[test]
fn state_is_the_layout_and_the_newest_snapshot() {
    let watch = Watch::start(0).unwrap();
    let state =
        || -> serde_json::Value { serde_json::from_str(&get(&watch, "/api/state", "localhost").1).unwrap() };
    assert_eq!(state(), serde_json::json!({ "layout": null, "snapshot": null }));
    watch.publish(&layout(1));
    watch.publish(&snapshot(1, 0.2));
    watch.publish(&snapshot(1, 0.4));
    let state = state();
    assert_eq!(serde_json::from_value::<Event>(state["layout"].clone()).unwrap(), layout(1));
    assert_eq!(serde_json::from_value::<Event>(state["snapshot"].clone()).unwrap(), snapshot(1, 0.4));
}

#[test]
fn the_page_and_its_files_are_served() {
    let watch = Watch::start(0).unwrap();
    let (head, page) = get(&watch, "/", "127.0.0.1");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-type: text/html"), "{head}");
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
    let files = |text: &str, prefix: &str| -> Vec<String> {
        let quoted = text.split('"').filter_map(|part| part.strip_prefix(prefix));
        quoted.filter(|name| name.ends_with(".js") || name.ends_with(".css")).map(str::to_owned).collect()
    };
    let of = |folder: &'static str, names: Vec<String>| names.into_iter().map(move |name| (folder, name));
    let mut found: Vec<(&str, String)> = of("assets", files(&page, "/assets/")).collect();
    found.extend(of("plots", files(&page, "/plots/")));
    assert!(found.len() >= 5, "{page}");
    // The files that the page names, their imports, and so on.
    let mut next = 0;
    while let Some((folder, name)) = found.get(next).cloned() {
        let (head, content) = get(&watch, &format!("/{folder}/{name}"), "127.0.0.1");
        // A library that the program was built without is empty.
        let may_be_empty = name.starts_with("uPlot");
        assert!(head.starts_with("HTTP/1.1 200") && (may_be_empty || !content.is_empty()), "{name}: {head}");
        let kind = if name.ends_with(".js") { "text/javascript" } else { "text/css" };
        assert!(head.contains(&format!("content-type: {kind}")), "{name}: {head}");
        let imported = of(folder, files(&content, "./")).chain(of("plots", files(&content, "../plots/")));
        for file in imported.collect::<Vec<_>>() {
            if !found.contains(&file) {
                found.push(file);
            }
        }
        next += 1;
    }
    let count = |of: &str| found.iter().filter(|(folder, _)| *folder == of).count();
    assert!(count("assets") > 5 && count("plots") > 8, "{found:?}");
    for path in [
        "/assets/none.js",
        "/plots/none.js",
        "/plots/package.json",
        "/assets/../index.html",
        "/assets/index.html",
        "/plain",
        "/none",
    ] {
        assert!(get(&watch, path, "127.0.0.1").0.starts_with("HTTP/1.1 404"), "{path}");
    }
}

#[test]
fn requests_for_other_host_names_are_rejected() {
    let watch = Watch::start(0).unwrap();
    watch.publish(&layout(1));
    for path in ["/", "/events", "/api/state"] {
        let (head, body) = get(&watch, path, "rebound.example.org");
        assert!(head.starts_with("HTTP/1.1 403"), "{path}: {head}");
        assert!(!body.contains("bottleneck"), "{body}");
    }
}

#[test]
fn the_server_listens_on_loopback_only() {
    let watch = Watch::start(0).unwrap();
    assert!(watch.address().ip().is_loopback());
    assert_eq!(watch.url(), format!("http://127.0.0.1:{}/", watch.address().port()));
}

#[test]
fn readers_get_the_last_event_when_the_server_ends() {
    let watch = Watch::start(0).unwrap();
    watch.publish(&layout(1));
    let mut stream = Stream::open(&watch);
    assert_eq!(stream.next().unwrap(), layout(1));
    let _silent = TcpStream::connect(watch.address()).unwrap();
    watch.publish(&ended());
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        drop(watch);
        let _ = done.send(());
    });
    assert_eq!(stream.next().unwrap(), ended());
    assert!(stream.next().is_none());
    wait.recv_timeout(TIMEOUT).expect("the server ends despite an open connection");
}

fn layout(run: u32) -> Event {
    Event::Layout(Layout {
        name: "test".into(),
        variant: "queue=codel".into(),
        seed: 7,
        run,
        runs: 2,
        duration_s: 60.0,
        queues: vec!["bottleneck.forward".into()],
        flows: vec!["bulk".into()],
        open: vec![],
    })
}

fn snapshot(run: u32, time_s: f64) -> Event {
    let drops = vec![("codel".to_string(), 3)];
    let queue = QueueSnapshot { backlog_packets: 5, backlog_bytes: 7500, drops, ..QueueSnapshot::default() };
    let flow = FlowSnapshot { goodput_mbit: 9.5, rtt_ms: Some(20.25), ..FlowSnapshot::default() };
    let lateness_us = Lateness { p50: 1.5, p99: 20.0, max: 90.0 };
    Event::Snapshot(Snapshot { run, time_s, queues: vec![queue], flows: vec![flow], lateness_us })
}

/// A snapshot of about 6 kB.
fn large_snapshot(time_s: f64) -> Event {
    let flows = vec![FlowSnapshot { goodput_mbit: 1.0 / 3.0, ..FlowSnapshot::default() }; 80];
    Event::Snapshot(Snapshot { run: 1, time_s, queues: vec![], flows, lateness_us: Lateness::default() })
}

fn note(text: &str) -> Event {
    Event::Note { text: text.into() }
}

fn ended() -> Event {
    Event::Ended { message: "complete".into() }
}

fn request(watch: &Watch, path: &str, host: &str, connection: &str) -> TcpStream {
    let mut socket = TcpStream::connect(watch.address()).expect("the server listens");
    socket.set_read_timeout(Some(TIMEOUT)).expect("the timeout is not zero");
    write!(socket, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: {connection}\r\n\r\n")
        .expect("the socket is connected");
    socket
}

/// Sends a request. Returns head and body.
fn get(watch: &Watch, path: &str, host: &str) -> (String, String) {
    let mut answer = String::new();
    request(watch, path, host, "close").read_to_string(&mut answer).expect("a complete response");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head ends with an empty line");
    (head.to_string(), body.to_string())
}

/// Events read from `/events`.
struct Stream {
    lines: BufReader<Dechunked>,
}

impl Stream {
    fn open(watch: &Watch) -> Stream {
        let mut socket = BufReader::new(request(watch, "/events", "localhost", "keep-alive"));
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(socket.read_line(&mut head).expect("a head"), 0, "{head}");
        }
        assert!(
            head.starts_with("HTTP/1.1 200") && head.contains("content-type: text/event-stream"),
            "{head}"
        );
        assert!(head.contains("transfer-encoding: chunked"), "{head}");
        Stream { lines: BufReader::new(Dechunked { socket, left: 0 }) }
    }

    /// Returns the next event; `None` at the end of the stream.
    fn next(&mut self) -> Option<Event> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("an event before the timeout") == 0 {
                return None;
            }
            if let Some(json) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(json).expect("an event in one line"));
            }
        }
    }
}

/// The body of a chunked response (RFC 9112 §7.1).
struct Dechunked {
    socket: BufReader<TcpStream>,
    left: usize,
}

impl Read for Dechunked {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        while self.left == 0 {
            let mut line = String::new();
            if self.socket.read_line(&mut line)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end() {
                "" => {}
                "0" => return Ok(0),
                size => self.left = usize::from_str_radix(size, 16).expect("a chunk's size"),
            }
        }
        let read = self.socket.by_ref().take(self.left as u64).read(to)?;
        self.left -= read;
        Ok(read)
    }
}
