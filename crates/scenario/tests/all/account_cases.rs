//! Accounts of delays that are known by hand.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{AccountRow, Reason, RunRecord, Status, UnitKind};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

/// Runs a flow `f` from `a` to `b` over a link of 80 Mbit/s, so that a byte takes 100 ns, and 10 ms.
fn run(flow: &str, link: &str) -> RunRecord {
    let rate = if link.contains("rate") { "" } else { "rate = \"80 Mbit/s\"" };
    let text = format!(
        r#"
        name = "accounts"
        duration = "5 s"
        [nodes]
        a = {{ kind = "host" }}
        b = {{ kind = "host" }}
        [links.l]
        between = ["a", "b"]
        delay = "10 ms"
        {rate}
        {link}
        [flows.f]
        from = "a"
        to = "b"
        {flow}
        [record]
        accounts = true
        "#
    );
    let builder = Builder::standard();
    let scenario = Scenario::parse(&text, "test", &NoFiles, &Changes::default(), &builder.registries());
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let settings = &scenario.variants[0].settings;
    let mut world =
        builder.build(settings, &scenario.contents, 1, &BuildOptions::default()).expect("it can be built");
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

/// The parts of a unit: component, microseconds, and the drop or mark.
fn parts(
    record: &RunRecord,
    kind: UnitKind,
    number: u64,
    part: u32,
) -> Vec<(&'static str, f64, Option<u64>)> {
    let of = |row: &AccountRow| {
        (row.part.component.name(), row.part.duration.as_nanos() as f64 / 1e3, row.part.decision)
    };
    rows(record, kind, number, part).iter().map(of).collect()
}

fn rows(record: &RunRecord, kind: UnitKind, number: u64, part: u32) -> Vec<AccountRow> {
    let rows = record.accounts.all().expect("they are in memory");
    let is_own = |row: &AccountRow| (row.unit.kind, row.unit.number, row.unit.part) == (kind, number, part);
    rows.into_iter().filter(is_own).collect()
}

/// Segments of 20 packets over TCP with segments of 1,000 bytes: with headers and framing 1,054, which take 105.4 µs. An ACK takes
/// 5.4 µs, with a SACK block 6.6 µs, as long as a SYN.
fn segments(more: &str) -> String {
    format!(
        r#"
        app = {{ kind = "segments", size = "20 kB", interval = "1 s" }}
        transport = {{ kind = "tcp", mss = 1000, timestamps = false, quick_acks = false{more} }}
        "#
    )
}

/// The ends of all parts' lists: the last packet is transmitted and arrives.
const WAY: [(&str, f64, Option<u64>); 2] = [("serialisation", 105.4, None), ("propagation", 10_000.0, None)];

#[test]
fn a_segment_waits_for_the_connection_and_for_the_window() {
    let record = run(&segments(""), "");
    // A window of ten packets. Each second packet is acknowledged; the third ACK, of packet 6, lets the last one out, into a queue
    // of five packets at the host and its own predecessor's rest.
    let window = 6.0 * 105.4 + 10_000.0 + 5.4 + 10_000.0;
    let expected =
        [&[("handshake", 20_013.2, None), ("window", window, None), ("queue", 527.0, None)], WAY.as_slice()]
            .concat();
    assert_eq!(parts(&record, UnitKind::Segment, 1, 0), expected);
    // The connection is there, and idle: the application has nothing to send.
    assert_eq!(parts(&record, UnitKind::Segment, 2, 0), expected[1..]);
    let rows = rows(&record, UnitKind::Segment, 2, 0);
    assert!(rows.iter().all(|row| row.start == Time::from_secs(1) && row.status == Status::Shown));
}

#[test]
fn a_lost_packet_is_waited_for_until_its_repair() {
    // The SYN is the first packet, so that the eighth carries the seventh thousand bytes. Three more must arrive for its loss to
    // show: the tenth, and its SACK comes back.
    let wait = 10.0 * 105.4 + 10_000.0 + 6.6 + 10_000.0;
    for (more, component) in [("", "retransmission_rack"), (", rack_tlp = false", "retransmission_fast")] {
        let record = run(&segments(more), "loss = { scheduled = [{ packet = 8 }] }");
        let found = parts(&record, UnitKind::Segment, 1, 0);
        assert_eq!(found[..2], [("handshake", 20_013.2, None), (component, wait, Some(0))]);
        assert_eq!(found[3..], WAY);
        // The window was reduced for that loss.
        let second = parts(&record, UnitKind::Segment, 2, 0);
        assert!(second.iter().any(|part| part.0 == "window" && part.2 == Some(0)), "{second:?}");
    }
}

#[test]
fn a_lost_tail_is_waited_for_until_a_probe_or_a_timeout() {
    let link = "loss = { scheduled = [{ packet = 21 }] }";
    let of = |more: &str| {
        let found = parts(&run(&segments(more), link), UnitKind::Segment, 1, 0);
        found.iter().find(|part| part.0.starts_with("retransmission")).copied().expect("it was repaired")
    };
    // The last ACK is that of the 19th packet: a round trip and the delayed ACK's 40 ms after the last packet. Two smoothed RTTs
    // later, and the 200 ms by which the ACK of a single packet may be delayed, a probe repeats it.
    let (component, wait, decision) = of("");
    assert_eq!((component, decision), ("retransmission_tlp", Some(0)));
    assert!((280_000.0..310_000.0).contains(&wait), "{wait}");
    // Without probes that takes the timeout, at least 200 ms beyond the RTT.
    let (component, wait, decision) = of(", rack_tlp = false");
    assert_eq!((component, decision), ("retransmission_rto", Some(0)));
    assert!((220_000.0..310_000.0).contains(&wait), "{wait}");
}

#[test]
fn the_peers_window_holds_the_sender_back() {
    let record = run(&segments(", receive_buffer = \"4 kB\""), "");
    // Two pairs of packets a round trip: the last pair is sent after the ACKs of four others.
    let round = 2.0 * 105.4 + 10_000.0 + 5.4 + 10_000.0;
    let found = parts(&record, UnitKind::Segment, 2, 0);
    let (component, wait, decision) = found[0];
    assert_eq!((component, decision), ("receive_window", None));
    // The second pair follows the first by the time of a pair, and the sum over odd rounds has no such wait.
    assert!((wait - (4.0 * round + 210.8)).abs() < 0.001, "{wait}");
    assert_eq!(found[1], ("queue", 105.4, None));
    assert_eq!(found[2..], WAY);
}

#[test]
fn a_paced_sender_waits_for_its_turn() {
    let record = run(&segments(", pacing = true, initial_window = 40"), "");
    let found = parts(&record, UnitKind::Segment, 1, 0);
    let names: Vec<&str> = found.iter().map(|part| part.0).collect();
    assert_eq!(names, ["handshake", "pacing", "serialisation", "propagation"]);
    // 2 × 40 packets a round trip of 20.0132 ms while slow start lasts, in bursts of two quanta: the last of 20 packets leaves after
    // less than a quarter of one.
    assert!((3_000.0..20_013.2 / 4.0).contains(&found[1].1), "{found:?}");
}

#[test]
fn a_segment_that_has_come_waits_behind_one_that_has_not() {
    let flow = segments("").replace("20 kB", "2 kB").replace("1 s", "5 ms");
    // Packet 20 is the first one of segment 10, written at 45 ms. RACK's timer repairs it: the RTT of the packet that came
    // 5 ms later, and a fourth of the least one.
    let record = run(&flow, "loss = { scheduled = [{ packet = 20 }] }");
    let repair = (105.4 + 10_000.0 + 6.6 + 10_000.0) + 20_013.2 / 4.0;
    let late = parts(&record, UnitKind::Segment, 10, 0);
    assert_eq!(late[0], ("retransmission_rack", repair, Some(0)));
    let came = 45_000.0 + late.iter().map(|part| part.1).sum::<f64>();
    for (number, written) in [(11, 50_000.0), (12, 55_000.0), (13, 60_000.0)] {
        let own =
            [("queue", 105.4, None), WAY[0], WAY[1], ("head_of_line", came - written - 10_210.8, Some(0))];
        let found = parts(&record, UnitKind::Segment, number, 0);
        assert_eq!(found.len(), 4, "{found:?}");
        for (found, own) in found.iter().zip(own) {
            assert_eq!((found.0, found.2), (own.0, own.2));
            assert!((found.1 - own.1).abs() < 0.001, "{found:?}, expected {own:?}");
        }
    }
}

#[test]
fn a_lost_datagram_ends_with_its_drop() {
    let flow = "app = { kind = \"cbr\", rate = \"1 Mbit/s\" }\ntransport = \"udp\"";
    let record = run(flow, "loss = { scheduled = [{ packet = 3 }] }");
    let lost = rows(&record, UnitKind::Datagram, 2, 0);
    assert!(lost.iter().all(|row| (row.status, row.reason) == (Status::Never, Reason::Lost)), "{lost:?}");
    // 1,470 bytes with headers and framing.
    assert_eq!(parts(&record, UnitKind::Datagram, 2, 0), [("serialisation", 151.2, Some(0))]);
    let next = parts(&record, UnitKind::Datagram, 3, 0);
    assert_eq!(next, [("serialisation", 151.2, None), ("propagation", 10_000.0, None)]);
}

fn video(transport: &str, viewer: &str, link: &str) -> RunRecord {
    let app = format!("app = {{ kind = \"spatial-video\"{viewer} }}");
    run(&format!("{app}\ntransport = {{ kind = \"octopus\"{transport} }}"), link)
}

/// Units of a kind whose first row satisfies a condition.
fn units(
    record: &RunRecord,
    kind: UnitKind,
    is_wanted: impl Fn(&AccountRow) -> bool,
) -> Vec<Vec<AccountRow>> {
    let rows = record.accounts.all().expect("they are in memory");
    let units = rows.chunk_by(|one, other| one.unit == other.unit);
    units.filter(|own| own[0].unit.kind == kind && is_wanted(&own[0])).map(<[AccountRow]>::to_vec).collect()
}

#[test]
fn layers_wait_for_those_below_and_for_earlier_frames() {
    let link = "loss = { scheduled = [{ packet = 90 }] }";
    // Not repaired, the rest of the group of pictures never comes: each message says for want of which packet.
    let record = video(", repair = \"none\"", "", link);
    let lost = units(&record, UnitKind::Message, |row| row.reason == Reason::Lost);
    let [message] = lost.as_slice() else { panic!("one was lost: {lost:?}") };
    assert_eq!(
        (message[0].status, message.last().and_then(|row| row.part.decision)),
        (Status::Never, Some(0))
    );
    let depending = units(&record, UnitKind::Message, |row| row.reason == Reason::Dependency);
    assert!(depending.len() > 3, "{depending:?}");
    for own in &depending {
        let last = own.last().expect("it has rows").part;
        assert_eq!((last.component.name(), last.decision), ("dependency", Some(0)));
    }
    // Repaired, what came in the meantime waits for it.
    let record = video(", repair = \"retransmit\"", "", link);
    let is_repaired = |own: &&Vec<AccountRow>| {
        own.iter().any(|row| row.part.component.name().starts_with("retransmission"))
    };
    let shown = units(&record, UnitKind::Message, |row| row.status == Status::Shown);
    let repaired: Vec<_> = shown.iter().filter(is_repaired).collect();
    let [message] = repaired.as_slice() else { panic!("one was repaired: {repaired:?}") };
    assert!(message.iter().any(|row| row.part.decision == Some(0)));
    let waited = shown.iter().filter(|own| own.iter().any(|row| row.part.component.name() == "dependency"));
    let waited: Vec<_> = waited.collect();
    assert!(!waited.is_empty());
    for own in waited {
        assert_eq!(own[0].unit.number, message[0].unit.number, "the others came later");
        assert_eq!(own.last().map(|row| (row.end, row.part.decision)), Some((message[0].end, Some(0))));
    }
}

#[test]
fn frames_beyond_their_deadline_are_late() {
    let record = video("", ", viewer = { playout_deadline = \"11 ms\" }", "");
    let late = units(&record, UnitKind::Frame, |row| row.status == Status::Late);
    let shown = units(&record, UnitKind::Frame, |row| row.status == Status::Shown);
    assert!(late.len() + shown.len() > 100 && !late.is_empty(), "{} {}", late.len(), shown.len());
    for (own, is_late) in late.iter().map(|own| (own, true)).chain(shown.iter().map(|own| (own, false))) {
        assert_eq!(own[0].end.since(own[0].start).as_micros() > 11_000, is_late, "{own:?}");
        assert_eq!(own[0].reason == Reason::Deadline, is_late);
    }
}

#[test]
fn what_the_sender_drops_or_refuses_never_comes() {
    let slow = "rate = \"1 Mbit/s\"";
    let of = |more: &str| {
        let text = video(more, "", slow);
        units(&text, UnitKind::Message, |row| row.status == Status::Never)
    };
    let dropped = of("");
    assert!(dropped.iter().any(|own| matches!(own[0].reason, Reason::Sender(_))), "{:?}", dropped.len());
    let refused = of(", send_buffer = \"30 kB\", adapt = false");
    let refused: Vec<_> = refused.iter().filter(|own| own[0].reason == Reason::Refused).collect();
    assert!(!refused.is_empty());
    assert!(refused.iter().all(|own| own[0].start == own[0].end && own.len() == 1));
}
