//! Export of queues as `tc` commands and as SQM's configuration.

use std::collections::BTreeSet;

use jettison_scenario::build::Builder;
use jettison_scenario::export::{SqmOptions, TcOptions};
use jettison_scenario::{Changes, NoFiles, Scenario};

const HOME: &str = r#"
name = "home"
duration = "2 s"
[nodes]
isp = { kind = "router" }
home = { kind = "router" }
[queues.aqm]
kind = "fq-codel"
limit = "150 kB"
[links.access]
between = ["isp", "home"]
rate = "50 Mbit/s"
delay = "10 ms"
overhead = "38 bytes"
queue = "aqm"
loss = "0.5 %"
[links.access.reverse]
rate = "10 Mbit/s"
"#;

fn scenario(set: &[&str]) -> (Builder, Scenario) {
    let builder = Builder::standard();
    let changes = Changes { set: set.iter().map(|one| (*one).to_owned()).collect(), quick: false };
    let scenario = Scenario::parse(HOME, "home.toml", &NoFiles, &changes, &builder.registries());
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    (builder, scenario)
}

/// The commands of the download's queue, without comments.
fn tc(set: &[&str]) -> Vec<String> {
    let (builder, scenario) = scenario(set);
    let options = TcOptions {
        link: Some("access".into()),
        node: Some("isp".into()),
        device: Some("eth0".into()),
        ..TcOptions::default()
    };
    let text = builder.export_tc(&scenario, &options).unwrap_or_else(|error| panic!("{error}"));
    let commands = text.lines().filter(|line| line.starts_with("tc ") && !line.contains(" del "));
    commands.map(|line| line.replace("dev \"eth0\" ", "")).collect()
}

fn refused(set: &[&str], options: &TcOptions) -> String {
    let (builder, scenario) = scenario(set);
    builder.export_tc(&scenario, options).expect_err("it is refused").to_string()
}

fn sqm(set: &[&str], options: &SqmOptions) -> Result<String, String> {
    let (builder, scenario) = scenario(set);
    builder.export_sqm(&scenario, options).map_err(|error| error.to_string())
}

#[test]
fn a_queue_stands_below_a_shaper_for_the_links_rate() {
    assert_eq!(
        tc(&[]),
        [
            "tc qdisc add root handle 1: htb default 1",
            // 38 bytes beside the IP length are 24 beside Linux's.
            "tc class add parent 1: classid 1:1 htb rate 50mbit ceil 50mbit burst 6250 cburst 6250 quantum 1514 overhead 24",
            "tc qdisc add parent 1:1 handle 2: fq_codel limit 100 flows 1024 quantum 1514 target 5ms interval 100ms ecn \
             drop_batch 64",
        ]
    );
}

#[test]
fn a_link_that_counts_less_than_ethernet_has_a_size_table() {
    let commands =
        tc(&["links.access.overhead=\"4 bytes\"", "links.access.queue={kind=\"tail-drop\",limit=\"15 kB\"}"]);
    assert_eq!(commands[0], "tc qdisc add root handle 1: stab overhead -10 linklayer ethernet htb default 1");
    assert!(!commands[1].contains("overhead"), "{}", commands[1]);
    // Below the table Linux counts 1,504 bytes for a packet of 1,500.
    assert_eq!(commands[2], "tc qdisc add parent 1:1 handle 2: bfifo limit 15040");
    let equal = tc(&["links.access.overhead=\"14 bytes\""]);
    assert!(!equal.concat().contains("overhead"), "{equal:?}");
}

#[test]
fn a_script_names_its_devices_by_the_environment() {
    let (builder, scenario) = scenario(&[]);
    let text = builder.export_tc(&scenario, &TcOptions { with_netem: true, ..TcOptions::default() }).unwrap();
    for part in [
        "#!/bin/sh\n",
        "if [ -n \"${ACCESS_FORWARD:-}\" ]; then",
        "if [ -n \"${ACCESS_REVERSE_FAR:-}\" ]; then",
        "# access.forward, from isp to home: aqm (home.toml:7:1)",
        "handle 1: netem delay 10ms loss random 0.5% limit 1976",
        "limit 150 kB: Linux's fq_codel counts packets, not bytes",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// The options of netem for the download, and the comments about them.
fn netem(set: &[&str]) -> (String, Vec<String>) {
    let (builder, scenario) = scenario(set);
    let options = TcOptions { node: Some("isp".into()), with_netem: true, ..TcOptions::default() };
    let text = builder.export_tc(&scenario, &options).expect("a script");
    let after = text.split_once("impairments, for what").expect("netem").1;
    let comments = after.lines().filter_map(|line| line.trim().strip_prefix("# "));
    let mut commands = after.lines().filter(|line| !line.trim_start().starts_with('#'));
    let options = commands.find_map(|line| line.split_once(" netem ")).expect("a command").1;
    (options.to_owned(), comments.map(str::to_owned).collect())
}

#[test]
fn impairments_are_netems_and_comments_say_where_it_differs() {
    let (options, comments) = netem(&[
        "links.access.jitter={deviation=\"2 ms\",distribution=\"pareto\",reorder=true}",
        "links.access.reorder={probability=\"25 %\",gap=5}",
        "links.access.duplicate=\"1 %\"",
        "links.access.corrupt=\"0.1 %\"",
        "links.access.loss={four_state={p13=\"1 %\",p31=\"20 %\",p14=\"0.5 %\"}}",
    ]);
    assert_eq!(
        options,
        "delay 10ms 2ms distribution pareto reorder 25% gap 5 loss state 1% 20% 0% 100% 0.5% duplicate 1% \
         corrupt 0.1% limit 1976"
    );
    assert_eq!(comments, ["duplicate: of a packet that netem loses, the copy may arrive"]);
    let (options, comments) = netem(&[
        "links.access.jitter={deviation=\"2 ms\",distribution=\"uniform\",correlation=\"25 %\"}",
        "links.access.loss={probability=\"10 %\",correlation=\"25 %\"}",
        "links.access.reorder={probability=\"1 %\",delay=\"2 ms\"}",
    ]);
    assert_eq!(options, "delay 10ms 2ms reorder 1% loss gemodel 7.5% 67.5% 100% 0% limit 1976");
    let about: Vec<&str> = comments.iter().filter_map(|one| Some(one.split_once(':')?.0)).collect();
    assert_eq!(about, ["jitter", "jitter", "reorder", "loss"], "{comments:?}");
}

#[test]
fn a_queue_that_linux_lacks_is_refused_at_its_place() {
    let all = TcOptions::default();
    let text = refused(&["links.access.queue=pi2"], &all);
    assert!(text.starts_with(
        "--set links.access.queue=pi2: `links.access.queue`: Linux has no queueing discipline for PI2"
    ));
    assert!(text.contains("nearest: `pie`"), "{text}");
    let text = refused(&["queues.aqm={kind=\"codel\",clock=\"1 us\"}"], &all);
    assert!(text.contains("`queues.aqm.clock` must be unset for `tc`"), "{text}");
}

#[test]
fn unknown_names_and_ambiguous_devices_are_refused() {
    let options = |link: &str, node: &str, device: &str| {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        TcOptions { link: some(link), node: some(node), device: some(device), ..TcOptions::default() }
    };
    let with = |options: TcOptions| refused(&[], &options);
    assert!(with(options("acess", "", "")).contains("unknown link `acess`; did you mean `access`?"));
    assert!(with(options("", "hme", "")).contains("unknown node `hme`; did you mean `home`?"));
    assert!(
        with(options("", "", "eth0"))
            .contains("must name the device of one queue, got 2 queues (access.forward, access.reverse")
    );
    assert!(
        with(options("access", "isp", "eth0; reboot"))
            .contains("`--dev` must be the name of a network device")
    );
    let several = refused(
        &["vary=[{name=\"q\",path=\"links.access.queue\",values=[\"aqm\",\"codel\"]}]"],
        &TcOptions::default(),
    );
    assert!(several.contains("add `--variant` with one of: q=aqm q=codel"), "{several}");
    let unknown = TcOptions { variant: Some("q=cdel".into()), ..TcOptions::default() };
    assert!(with(unknown).contains("unknown variant `q=cdel`"));
}

#[test]
fn sqm_has_both_directions_of_an_access_link() {
    let options = SqmOptions { interface: "eth1".into(), ..SqmOptions::default() };
    let text = sqm(&[], &options).unwrap();
    let found: BTreeSet<&str> = text.lines().map(str::trim).collect();
    for line in [
        "config queue 'eth1'",
        "option interface 'eth1'",
        "option download '50000'",
        "option upload '10000'",
        "option qdisc 'fq_codel'",
        "option script 'simplest.qos'",
        "option linklayer 'ethernet'",
        "option overhead '24'",
        "option ingress_ecn 'ECN'",
        "option ilimit '100'",
        "option etarget '5ms'",
        "option iqdisc_opts 'flows 1024 quantum 1514 interval 100ms drop_batch 64'",
    ] {
        assert!(found.contains(line), "no {line:?} in\n{text}");
    }
    // Named, the sender of the upload is the other one.
    let other = sqm(&[], &SqmOptions { router: Some("isp".into()), ..options }).unwrap();
    assert!(other.contains("option upload '50000'"), "{other}");
}

#[test]
fn sqm_refuses_what_it_does_not_know() {
    let options = SqmOptions { interface: "wan".into(), ..SqmOptions::default() };
    let pie = sqm(&["links.access.queue=pie"], &options).unwrap_err();
    assert!(pie.contains("OpenWrt's SQM has CAKE and FQ-CoDel, not pie"), "{pie}");
    let same = sqm(&["links.access.reverse.rate=\"50 Mbit/s\""], &options).unwrap_err();
    assert!(same.contains("the same rate in both directions; add `--router`"), "{same}");
    let lost = SqmOptions { router: Some("nobody".into()), ..options };
    assert!(sqm(&[], &lost).unwrap_err().contains("no end of link `access`; name isp or home"));
}
