//! CAKE end to end: after an outage, under a flood, with acknowledgements on a slow return path, and behind a NAT.

use crate::support;

use jettison_measure::{Metric, RunRecord, metrics};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, NoFiles, Scenario};

use support::{run, run_variant};

#[track_caller]
fn value(record: &RunRecord, object: &str, metric: Metric) -> f64 {
    record.summary_value(object, metric).unwrap_or_else(|| panic!("{object} has no {}", metric.name)).mean
}

/// One bulk flow from `server` over 10 Mbit/s and 40 ms, with `line` for the bottleneck.
fn line(duration: &str, line: &str) -> String {
    format!(
        r#"
        name = "line"
        duration = "{duration}"
        warm_up = "0 s"
        [nodes]
        server = {{ kind = "host" }}
        isp = {{ kind = "router" }}
        pc = {{ kind = "host" }}
        [links.core]
        between = ["server", "isp"]
        rate = "1 Gbit/s"
        delay = "0 ms"
        [links.line]
        between = ["isp", "pc"]
        delay = "20 ms"
        {line}
        [flows.bulk]
        from = "server"
        to = "pc"
        app = "bulk"
        transport = {{ kind = "tcp", congestion = "cubic" }}
        "#
    )
}

#[test]
fn after_an_outage_it_carries_as_much_as_fq_codel() {
    let carried = |queue: &str, outage: &str| {
        let changes =
            format!(r#"[{{ at = "10 s", rate = "0 Mbit/s" }}, {{ at = "{outage}", rate = "10 Mbit/s" }}]"#);
        let bottleneck = format!("rate = \"10 Mbit/s\"\nqueue = {queue}\nchanges = {changes}");
        value(&run(&line("30 s", &bottleneck)), "bulk", metrics::GOODPUT)
    };
    for outage in ["10.5 s", "12 s", "15 s"] {
        let [cake, shaped, fq_codel] = [
            "\"cake\"",
            "{ kind = \"cake\", bandwidth = \"10 Mbit/s\", overhead = \"raw\" }",
            "\"fq-codel\"",
        ]
        .map(|queue| carried(queue, outage));
        eprintln!(
            "10 s to {outage}: cake {cake:.2}, with a shaper {shaped:.2}, fq-codel {fq_codel:.2} Mbit/s"
        );
        assert!(cake > 0.9 * fq_codel && shaped > 0.9 * fq_codel, "{cake}, {shaped} and {fq_codel}");
    }
}

#[test]
fn an_outage_costs_an_unresponsive_flow_its_backlog_and_no_more() {
    // 8.4 Mbit/s with headers, below the capacity, and a buffer that overflows within an outage of 5 s. Linux 6.1, from the end of
    // the outage on: 8.30 Mbit/s with CAKE, which drops its backlog at once and nothing after that, and 8.40 with FQ-CoDel.
    let carried = |queue: &str| {
        let changes = r#"[{ at = "5 s", rate = "0 Mbit/s" }, { at = "10 s", rate = "10 Mbit/s" }]"#;
        let text = line("30 s", &format!("rate = \"10 Mbit/s\"\nqueue = {queue}\nchanges = {changes}"))
            .replace("warm_up = \"0 s\"", "warm_up = \"10 s\"")
            .replace(
                "app = \"bulk\"",
                "app = { kind = \"cbr\", rate = \"8.2432 Mbit/s\", payload = \"1472 bytes\" }",
            )
            .replace("transport = { kind = \"tcp\", congestion = \"cubic\" }", "");
        value(&run(&text), "bulk", metrics::GOODPUT)
    };
    let [cake, fq_codel] =
        ["{ kind = \"cake\", tins = \"best-effort\", memlimit = \"4 MiB\" }", "\"fq-codel\""].map(carried);
    eprintln!("after an outage: cake {cake:.2}, fq-codel {fq_codel:.2} Mbit/s");
    assert!(cake > 0.9 * fq_codel && cake > 8.1, "{cake} and {fq_codel}");
}

#[test]
fn a_flood_leaves_tcp_its_half() {
    // Linux 6.1 with 20 Mbit/s of UDP beside CUBIC, on the same path: 4.84 Mbit/s of TCP and 5.01 Mbit/s of UDP (IP lengths),
    // with either memory limit.
    for memlimit in ["4 MiB", "500 kB"] {
        let queue = format!(
            "{{ kind = \"cake\", bandwidth = \"10 Mbit/s\", tins = \"best-effort\", isolation = \"flows\", overhead = \"0 bytes\", memlimit = \"{memlimit}\" }}"
        );
        let text = line("16 s", &format!("rate = \"1 Gbit/s\"\nqueue = {queue}"))
            .replace("warm_up = \"0 s\"", "warm_up = \"4 s\"");
        let flood = "[flows.flood]\nfrom = \"server\"\nto = \"pc\"\napp = { kind = \"cbr\", rate = \"19.627 Mbit/s\", payload = \"1472 bytes\" }";
        let record = run(&format!("{text}\n{flood}\n"));
        let tcp = value(&record, "bulk", metrics::GOODPUT);
        let udp = value(&record, "flood", metrics::GOODPUT) * 1500.0 / 1472.0;
        eprintln!("{memlimit}: TCP {tcp:.2}, UDP {udp:.2} Mbit/s");
        let near = |ours: f64, linux: f64| (ours / linux - 1.0).abs() < 0.1;
        assert!(near(tcp, 4.84) && near(udp, 5.01), "{tcp} and {udp}");
    }
}

#[test]
fn the_ack_filter_speeds_up_a_download_whose_acks_have_a_slow_way_back() {
    let text = line(
        "40 s",
        r#"
        rate = "20 Mbit/s"
        queue = "fq-codel"
        reverse = { rate = "1 Mbit/s", queue = "up" }
        [queues.up]
        kind = "cake"
        bandwidth = "0.2 Mbit/s"
        tins = "best-effort"
        ack_filter = "off"
        [[vary]]
        path = "queues.up.ack_filter"
        values = ["off", "conservative", "aggressive"]
        "#,
    )
    .replace("warm_up = \"0 s\"", "warm_up = \"10 s\"");
    let figures = ["off", "conservative", "aggressive"].map(|filter| {
        let record = run_variant(&text, &format!("ack_filter={filter}"));
        let figures = [
            value(&record, "bulk", metrics::GOODPUT),
            value(&record, "bulk", metrics::RTT),
            value(&record, "line.reverse", metrics::DROPS),
        ];
        eprintln!("{filter}: goodput, RTT, drops up {figures:.2?}");
        figures
    });
    let [off, conservative, aggressive] = figures.map(|figures| figures[0]);
    assert!(off > 0.0 && conservative > 1.1 * off && aggressive > 0.95 * conservative, "{figures:?}");
}

/// Three uploads of one inside host and one of another, through a router that translates.
fn behind_a_nat(nat: bool, home: &str) -> String {
    let flows: String = [("a", 1), ("a", 2), ("a", 3), ("b", 4)]
        .iter()
        .map(|(host, n)| {
            format!(
                "[flows.{host}{n}]\nfrom = \"{host}\"\nto = \"server\"\napp = \"bulk\"\ntransport = {{ kind = \"tcp\", congestion = \"cubic\" }}\n"
            )
        })
        .collect();
    format!(
        r#"
        name = "nat"
        duration = "20 s"
        warm_up = "5 s"
        [nodes]
        a = {{ kind = "host" }}
        b = {{ kind = "host" }}
        home = {{ kind = "router"{home} }}
        server = {{ kind = "host" }}
        [queues.up]
        kind = "cake"
        bandwidth = "8 Mbit/s"
        isolation = "dual-srchost"
        nat = {nat}
        [links.lan-a]
        between = ["a", "home"]
        rate = "1 Gbit/s"
        delay = "0 ms"
        [links.lan-b]
        between = ["b", "home"]
        rate = "1 Gbit/s"
        delay = "0 ms"
        [links.line]
        between = ["home", "server"]
        rate = "10 Mbit/s"
        delay = "10 ms"
        queue = "up"
        reverse = {{ queue = "fq-codel" }}
        {flows}
        "#
    )
}

const TRANSLATES: &str = r#", nat = { inside = ["lan-a", "lan-b"] }"#;

#[test]
fn hosts_behind_a_nat_share_the_line_if_it_looks_them_up() {
    let share_of_b = |nat| {
        let record = run(&behind_a_nat(nat, TRANSLATES));
        value(&record, "b4", metrics::GOODPUT) / value(&record, "all flows", metrics::GOODPUT)
    };
    let (hosts, addresses) = (share_of_b(true), share_of_b(false));
    eprintln!("share of the host with one flow: {hosts:.3} with nat, {addresses:.3} without");
    assert!((0.47..0.53).contains(&hosts) && (0.22..0.28).contains(&addresses), "{hosts} and {addresses}");
}

#[test]
fn a_look_up_without_a_translation_is_refused() {
    let registries = Builder::standard().registries();
    let problems =
        |text: &str| match Scenario::parse(text, "s.toml", &NoFiles, &Changes::default(), &registries) {
            Ok(_) => "nothing wrong".to_owned(),
            Err(error) => error.to_string(),
        };
    assert_eq!(problems(&behind_a_nat(true, TRANSLATES)), "nothing wrong");
    assert_eq!(problems(&behind_a_nat(false, "")), "nothing wrong");
    let missing = problems(&behind_a_nat(true, ""));
    assert!(
        missing.contains(
            "`up` has `nat = true`, but `home`, which sends on link `line`, has no `nat`; write `nat = { inside = [\"…\"] }` at \
             `nodes.home`, or remove `nat = true`"
        ),
        "{missing}"
    );
    let unknown = problems(&behind_a_nat(true, r#", nat = { inside = ["lan-a", "lan-bb"] }"#));
    assert!(unknown.contains("unknown link `lan-bb`; did you mean `lan-b`?"), "{unknown}");
}
