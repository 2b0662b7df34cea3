//! Adaptive streaming end to end: a server, viewers and load generators over TCP, queues and links.

use crate::support;

use jettison_core::Time;
use jettison_measure::{RunRecord, metrics};

/// Runs flows for three minutes over this bottleneck, with a base RTT of 20 ms.
fn run(bottleneck: &str, flows: &str) -> RunRecord {
    let text = format!(
        r#"
        name = "dash"
        duration = "180 s"
        sample_interval = "20 ms"
        [nodes]
        server = {{ kind = "host" }}
        r = {{ kind = "router" }}
        client = {{ kind = "host" }}
        [links.access]
        between = ["server", "r"]
        rate = "1 Gbit/s"
        delay = "0 ms"
        [links.bottleneck]
        between = ["r", "client"]
        delay = "10 ms"
        {bottleneck}
        {flows}
        "#
    );
    support::run(&text)
}

fn viewer(player: &str, more: &str) -> String {
    format!(
        r#"
        [flows.viewer]
        from = "server"
        to = "client"
        app = {{ kind = "dash", player = {{ {player} }} }}
        {more}
        "#
    )
}

fn value(record: &RunRecord, flow: &str, metric: jettison_measure::Metric) -> f64 {
    record.summary_value(flow, metric).unwrap_or_else(|| panic!("no {} of {flow}", metric.name)).mean
}

#[test]
fn a_fast_link_gives_the_top_representation_a_full_buffer_and_idle_times() {
    let record = run("rate = \"20 Mbit/s\"", &viewer("", ""));
    assert_eq!(value(&record, "viewer", metrics::STALLS), 0.0);
    assert!(value(&record, "viewer", metrics::START_UP_DELAY) < 2.0);
    assert!(value(&record, "viewer", metrics::REPRESENTATION_RATE) > 1_950.0);
    assert!(value(&record, "viewer", metrics::FRAMES_PER_SECOND) > 28.0);
    let buffer = record.summary_value("viewer", metrics::BUFFER).and_then(|buffer| buffer.percentiles);
    assert!(buffer.is_some_and(|[median, _, high]| median > 25.0 && high <= 30.0), "{buffer:?}");
    // 2.2 Mbit/s of media on 20 Mbit/s: the client is idle most of the time.
    assert!(value(&record, "viewer", metrics::GOODPUT) < 3.0);
    assert_eq!(value(&record, "viewer", metrics::RETRANSMITS), 0.0);
}

#[test]
fn a_slow_link_gives_the_lowest_representation_and_a_slower_link_stalls() {
    let slow = run("rate = \"600 kbit/s\"", &viewer("", ""));
    assert!(value(&slow, "viewer", metrics::REPRESENTATION_RATE) < 400.0);
    assert_eq!(value(&slow, "viewer", metrics::STALLS), 0.0);
    let too_slow = run("rate = \"200 kbit/s\"", &viewer("", ""));
    assert!(value(&too_slow, "viewer", metrics::STALLS) >= 5.0);
    // 280 + 64 kbit/s of media over less than 200 kbit/s: playback stalls at least two fifths of the time.
    assert!(value(&too_slow, "viewer", metrics::STALL_RATIO) > 40.0);
    let scores = [&slow, &too_slow].map(|record| value(record, "viewer", metrics::LINEAR_QOE));
    assert!(scores[0] > 0.0 && scores[1] < 0.0, "{scores:?}");
}

#[test]
fn equal_viewers_get_equal_shares_under_fair_queueing() {
    let bottleneck = "rate = \"5 Mbit/s\"\nqueue = \"fq-codel\"";
    let record = run(bottleneck, &viewer("abr = \"throughput\"", "count = 3\nstart_jitter = \"4 s\""));
    assert!(value(&record, "all flows", metrics::RATE_FAIRNESS) > 0.95);
    assert!(value(&record, "all flows", metrics::FAIRNESS) > 0.95);
}

#[test]
fn one_connection_per_segment_is_slower_than_a_persistent_one() {
    let bottleneck = "rate = \"4 Mbit/s\"\ndelay = \"100 ms\"".replace("delay = \"100 ms\"", "");
    let burst = |connections: &str| {
        let player =
            format!("connections = \"{connections}\", abr = {{ kind = \"fixed\", representation = 1 }}");
        let record = run(&bottleneck, &viewer(&player, ""));
        assert_eq!(value(&record, "viewer", metrics::STALLS), 0.0);
        value(&record, "viewer", metrics::COMPLETION)
    };
    let (lasting, fresh) = (burst("persistent"), burst("per-segment"));
    // A handshake costs one more round trip of 20 ms, and slow start restarts each time.
    assert!(fresh > lasting + 15.0, "{fresh} ms against {lasting}");
}

#[test]
fn a_load_follows_its_sinusoid() {
    let load = r#"
        [flows.load]
        from = "server"
        to = "client"
        app = { kind = "dash-load", player = { abr = { kind = "fixed", representation = 0 } } }
    "#;
    let record = run("rate = \"100 Mbit/s\"", load);
    let players = record.series.iter().find(|series| series.metric == metrics::ACTIVE_PLAYERS);
    let players = players.expect("a load says how many players it has");
    let players = players.points().unwrap();
    let mean = |from: u64, to: u64| {
        let inside = |at: &Time| (Time::from_secs(from)..Time::from_secs(to)).contains(at);
        let values = players.iter().filter(|(at, _)| inside(at)).map(|(_, v)| *v);
        jettison_measure::statistics::mean(&values.collect::<Vec<_>>()).expect("there are samples")
    };
    // λ is 15 at 90 s and 35 at 150 s; the number of players changes in steps and lags accordingly.
    let (low, high) = (mean(85, 100), mean(150, 165));
    assert!((14.0..19.0).contains(&low) && (30.0..36.0).contains(&high), "{low} and {high}");
    assert!(value(&record, "load", metrics::SESSIONS) > 30.0);
}

#[test]
fn an_idle_time_collapses_the_window_of_newreno_but_not_of_newcwv() {
    let window = |congestion: &str| {
        let player = "abr = { kind = \"fixed\", representation = 2 }, max_buffer = \"12 s\"";
        let transport =
            format!("transport = {{ kind = \"tcp\", congestion = \"{congestion}\", initial_window = 3 }}");
        let record = run("rate = \"10 Mbit/s\"", &viewer(player, &transport));
        let series = record.series.iter().find(|series| series.metric == metrics::CWND);
        let series = series.expect("the server's connection is observed");
        let points = series.points().unwrap();
        let late = points.iter().filter(|(at, _)| *at > Time::from_secs(30));
        late.map(|(_, window)| *window).fold(f64::MAX, f64::min)
    };
    let (collapsed, kept) = (window("newreno"), window("newcwv"));
    assert!(collapsed <= 3.0 * 1448.0, "{collapsed}");
    assert!(kept > 10.0 * 1448.0, "{kept}");
}

/// The players of programs, in each version.
const PLAYERS: [&str; 5] = [
    r#"kind = "dash.js", version = "4.3""#,
    r#"kind = "dash.js", version = "5.2""#,
    r#"kind = "vlc", version = "2""#,
    r#"kind = "vlc", version = "3""#,
    r#"kind = "shaka""#,
];

#[test]
fn on_a_fast_link_every_player_reaches_the_top_and_its_buffer_target() {
    // Highest targets: 60 s at the top of a long title for dash.js, 30 s for VLC, which in version 3 counts what it has read
    // 1 s ahead of the picture and not the segment that it reads, 10 s for Shaka; a segment has 4 s.
    let targets = [60.0, 60.0, 30.0, 35.0, 10.0];
    for (player, target) in PLAYERS.into_iter().zip(targets) {
        let record = run("rate = \"20 Mbit/s\"", &viewer(player, ""));
        assert_eq!(value(&record, "viewer", metrics::STALLS), 0.0, "{player}");
        assert!(value(&record, "viewer", metrics::REPRESENTATION_RATE) > 1_900.0, "{player}");
        let buffer = record.summary_value("viewer", metrics::BUFFER).and_then(|buffer| buffer.percentiles);
        let high = buffer.map_or(0.0, |[_, _, high]| high);
        assert!(high <= target + 4.0 && high > target - 4.0, "{player}: {high}");
        assert!(value(&record, "viewer", metrics::START_UP_DELAY) < 2.0, "{player}");
    }
}

#[test]
fn below_the_second_bitrate_every_player_plays_the_lowest_almost_without_stalls() {
    for player in PLAYERS {
        let record = run("rate = \"600 kbit/s\"", &viewer(player, ""));
        assert!(value(&record, "viewer", metrics::REPRESENTATION_RATE) < 400.0, "{player}");
        assert!(value(&record, "viewer", metrics::STALL_RATIO) < 5.0, "{player}");
    }
}

#[test]
fn vlc_3_leaves_a_quarter_of_the_rate() {
    // 3/4 of less than 2.8 Mbit/s do not carry 2,080 kbit/s; all of it does.
    let rate = |version: &str| {
        let player = format!("kind = \"vlc\", version = \"{version}\"");
        value(&run("rate = \"2800 kbit/s\"", &viewer(&player, "")), "viewer", metrics::REPRESENTATION_RATE)
    };
    assert!(rate("3") < 1_000.0, "{}", rate("3"));
    assert!(rate("2") > 1_800.0, "{}", rate("2"));
}

#[test]
fn http_2_carries_video_and_audio_on_one_connection() {
    for player in [r#"kind = "dash.js""#, "parallel = true", r#"kind = "vlc""#] {
        let record = run("rate = \"4 Mbit/s\"", &viewer(&format!("{player}, connections = \"http2\""), ""));
        assert_eq!(value(&record, "viewer", metrics::STALLS), 0.0, "{player}");
        assert!(record.summary_value("viewer", metrics::FAILED_TRANSFERS).is_none(), "{player}");
        assert!(value(&record, "viewer", metrics::FRAMES_PER_SECOND) > 22.0, "{player}");
    }
}

#[test]
fn the_same_seed_gives_the_same_session() {
    for player in PLAYERS {
        let once = || {
            let record =
                run("rate = \"3 Mbit/s\"", &viewer(&format!("{player}, connections = \"http2\""), ""));
            [metrics::LINEAR_QOE, metrics::GOODPUT, metrics::SWITCHES].map(|m| value(&record, "viewer", m))
        };
        assert_eq!(once(), once(), "{player}");
    }
}

#[test]
fn a_load_may_have_any_player() {
    let load = r#"
        [flows.load]
        from = "server"
        to = "client"
        app = { kind = "dash-load", player = { kind = "vlc", connections = "http2" }, mean = 6, amplitude = 0, steps = 60 }
    "#;
    let record = run("rate = \"20 Mbit/s\"", load);
    assert!(value(&record, "load", metrics::SESSIONS) > 5.0);
    assert!(value(&record, "load", metrics::REPRESENTATION_RATE) > 300.0);
}
