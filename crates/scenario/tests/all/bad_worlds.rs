//! Inconsistent nodes, links and flows, each with the exact message.

use crate::support;

use support::{GOOD, changed, expect, messages};

#[test]
fn an_invalid_policy_route() {
    let route = |keys: &str| {
        changed("{ kind = \"router\" }", &format!("{{ kind = \"router\", routes = [{{ {keys} }}] }}"))
    };
    assert_eq!(route("from = \"h1\", via = \"bottleneck\""), "nothing wrong");
    assert_eq!(
        route("from = \"h3\", via = \"botleneck\""),
        r#"s.toml:8:43: unknown node `h3`; did you mean `h1`?
s.toml:8:55: unknown link `botleneck`; did you mean `bottleneck`?"#
    );
    assert_eq!(route("to = \"h2\""), r#"s.toml:8:34: `nodes.r.routes[0]` has no `via`; add `via`: a string"#);
    let far = "[links.far]\nbetween = [\"h1\", \"h2\"]\nrate = \"1 Mbit/s\"\n[links.access]";
    let text = GOOD.replace("[links.access]", far);
    let text = text.replace("{ kind = \"router\" }", "{ kind = \"router\", routes = [{ via = \"far\" }] }");
    assert_eq!(
        messages(&text),
        r#"s.toml:8:42: link `far` does not join `r`; links of `r`: access, bottleneck"#
    );
}

#[test]
fn an_invalid_service_model() {
    let service = |keys: &str| {
        changed("{ kind = \"router\" }", &format!("{{ kind = \"router\", service = {{ {keys} }} }}"))
    };
    assert_eq!(service("cpus = 4, queue_rate = \"5000 packets/s\""), "nothing wrong");
    assert_eq!(service("cpus = 0"), r#"s.toml:8:43: `nodes.r.service.cpus` must be >= 1, got 0"#);
    assert_eq!(service("egress = \"0 us\""), r#"s.toml:8:45: `nodes.r.service.egress` must be > 0, got 0 s"#);
    assert_eq!(
        service("slowdown = { quantiles = [[0.5, 0.0]], hold = \"1 s\" }"),
        r#"s.toml:8:61: `nodes.r.service.slowdown.quantiles` must have probabilities in [0, 1] and factors > 0, got [[0.5, 0]]"#
    );
    let unknown = service("engress = \"10 us\"");
    assert!(unknown.contains("unknown key `nodes.r.service.engress`"), "{unknown}");
    assert_eq!(
        changed("{ kind = \"router\" }", "{ kind = \"router\", service = {}, ingress_delay = \"1 ms\" }"),
        "s.toml:8:54: `ingress_delay` is not used with `service`, which has its own times and buffers; remove `ingress_delay` or `service`"
    );
    let host = changed("h1 = { kind = \"host\" }", "h1 = { kind = \"host\", service = {} }");
    assert!(host.contains("unknown key `nodes.h1.service`"), "{host}");
}

#[test]
fn an_unreachable_destination() {
    expect(
        "[\"r\", \"h2\"]",
        "[\"r\", \"h1\"]",
        r#"s.toml:29:6: no path of links and routers from `h1` to `h2`; add the missing link to [links]"#,
    );
    // A host on the way forwards nothing.
    let text = GOOD
        .replace("r = { kind = \"router\" }", "r = { kind = \"host\" }")
        .replace("queue = \"ired-64\"", "");
    assert_eq!(
        messages(&text.replace("\"ired-64\", ", "")),
        r#"s.toml:29:6: no path of links and routers from `h1` to `h2`; add the missing link to [links]"#
    );
}

#[test]
fn invalid_ends() {
    expect(
        "[\"r\", \"h2\"]",
        "[\"r\", \"r\"]",
        r#"s.toml:21:11: link `bottleneck` must join two nodes, both ends are `r`; name another node"#,
    );
    expect(
        "to = \"h2\"",
        "to = \"r\"",
        r#"s.toml:29:6: `flows.bulk.to` must be a host, got the router `r`; hosts: h1, h2"#,
    );
    expect(
        "to = \"h2\"",
        "to = \"h1\"",
        r#"s.toml:29:6: `from` and `to` must be different hosts, both are `h1`; name another host"#,
    );
}

#[test]
fn a_link_with_no_carrier_or_several() {
    expect(
        "\"10 Mbit/s\"",
        "\"0 Mbit/s\"",
        r#"s.toml:22:8: `links.bottleneck.rate` must be > 0, got 0 bit/s; for an outage, set the rate to zero and back in `changes`"#,
    );
    expect(
        "rate = \"10 Mbit/s\"\n",
        "",
        r#"s.toml:20:1: link `bottleneck` has no `rate`, `trace`, `cell` or `profile`; add `rate = "10 Mbit/s"`, `trace = "FILE"`, `cell = "FILE"` or `profile = "FILE"`"#,
    );
    expect(
        "rate = \"10 Mbit/s\"\n",
        "rate = \"10 Mbit/s\"\ntrace = \"good.down\"\n",
        r#"s.toml:23:9: link `bottleneck` has both `rate` and `trace`; keep one"#,
    );
    expect(
        "reverse = {",
        "reverse = { rate = \"0 bit/s\",",
        r#"s.toml:25:20: `links.bottleneck.reverse.rate` must be > 0, got 0 bit/s; for an outage, set the rate to zero and back in `changes`"#,
    );
    expect(
        "delay = \"9 ms\"",
        "overhead = \"1 MB\"",
        r#"s.toml:23:12: `links.bottleneck.overhead` must be <= 65535 bytes, got 1 MB"#,
    );
}

#[test]
fn changes_out_of_order_or_without_an_end() {
    let change = |list: &str| changed("delay = \"9 ms\"", &format!("changes = [{list}]"));
    assert_eq!(
        change("{ at = \"1 s\", rate = \"0 bit/s\" }, { at = \"2 s\", rate = \"1 Mbit/s\" }"),
        "nothing wrong"
    );
    assert_eq!(
        change("{ at = \"2 s\", loss = 0.5 }, { at = \"1 s\", delay = \"1 ms\" }"),
        r#"s.toml:23:47: changes must be in order of time, got 1 s after 2 s; sort `changes` by `at`, without equal times"#
    );
    assert_eq!(
        change("{ at = \"2 s\", rate = \"0 bit/s\" }"),
        r#"s.toml:23:33: the last change of rate must be > 0, got 0 bit/s; add a change that ends the outage"#
    );
    assert_eq!(
        change("{ at = \"2 s\" }"),
        r#"s.toml:23:12: `links.bottleneck.changes[0]` has no `rate`, `delay` or `loss`; add at least one of them"#
    );
    let text = GOOD.replace(
        "rate = \"10 Mbit/s\"",
        "trace = \"good.down\"\nchanges = [{ at = \"1 s\", rate = \"1 bit/s\" }]",
    );
    assert_eq!(
        messages(&text),
        r#"s.toml:23:33: `changes` must not set the rate of a link with a trace or a cell; change `delay` or `loss`, or give the link a `rate`"#
    );
}

#[test]
fn duplicate_addresses_and_flow_names() {
    let text = GOOD.replace("{ kind = \"host\" }", "{ kind = \"host\", address = \"198.18.0.1\" }");
    assert_eq!(
        messages(&text),
        r#"s.toml:9:33: addresses must be unique: `h1` and `h2` both have 198.18.0.1; change one, or remove both for the default addresses"#
    );
    let text =
        GOOD.replace("[[vary]]", "[flows.\"bulk.1\"]\nfrom = \"h1\"\nto = \"h2\"\napp = \"ping\"\n[[vary]]");
    assert_eq!(
        messages(&text.replace("start_jitter = \"100 ms\"", "count = 2")),
        r#"s.toml:34:1: flow names must be unique: `bulk` and `bulk.1` both make `bulk.1`; rename one of them"#
    );
}

#[test]
fn a_pipeline_queue_on_a_host() {
    expect(
        "reverse = { queue = \"tail-drop\" }\n",
        "",
        r#"s.toml:24:9: `ired-64` needs a native router as the sender, but from `h2` to `r` on link `bottleneck` the sender is a host; set another queue for that direction: `reverse = { queue = "tail-drop" }`
s.toml:36:11: `ired-64` needs a native router as the sender, but from `h2` to `r` on link `bottleneck` the sender is a host; set another queue for that direction: `reverse = { queue = "tail-drop" }`"#,
    );
    expect(
        "[\"r\", \"h2\"]",
        "[\"h2\", \"r\"]",
        r#"s.toml:24:9: `ired-64` needs a native router as the sender, but from `h2` to `r` on link `bottleneck` the sender is a host; set it where a native router sends, and set `queue = "tail-drop"` here
s.toml:37:11: `ired-64` needs a native router as the sender, but from `h2` to `r` on link `bottleneck` the sender is a host; set it where a native router sends, and set `queue = "tail-drop"` here"#,
    );
}

#[test]
fn an_invalid_trace() {
    let trace = |name: &str| changed("rate = \"10 Mbit/s\"", &format!("trace = \"{name}\""));
    assert_eq!(trace("good.down"), "nothing wrong");
    assert_eq!(
        trace("missing.down"),
        r#"s.toml:22:9: cannot read `shelf/missing.down`: no such file; write the path relative to the scenario's folder"#
    );
    assert_eq!(trace("bad.down"), r#"shelf/bad.down:2:1: not a number"#);
    assert_eq!(trace("empty.down"), r#"shelf/empty.down: an empty trace"#);
    expect(
        "rate = \"10 Mbit/s\"",
        "trace = { fille = \"good.down\" }",
        r#"s.toml:22:11: unknown key `links.bottleneck.trace.fille`; did you mean `file`?"#,
    );
    expect(
        "app = { kind = \"bulk\" }",
        "app = { kind = \"video\", trace = \"none.csv\" }",
        r#"s.toml:31:33: cannot read `shelf/none.csv`: no such file; write the path relative to the scenario's folder"#,
    );
}

#[test]
fn two_flows_on_one_port() {
    let flows = "[flows.a]\nfrom = \"h1\"\nto = \"h2\"\napp = \"bulk\"\nport = 7000\ncount = 3\n\
        [flows.b]\nfrom = \"h1\"\nto = \"h2\"\napp = \"bulk\"\nport = 7002\n\
        [flows.c]\nfrom = \"h1\"\nto = \"h2\"\napp = \"video\"\nport = 7002\n";
    let text = messages(&format!("{GOOD}{flows}"));
    assert!(text.contains("`a` and `b` both listen on tcp port 7002 of `h2`"), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.contains("both listen")).count(),
        1,
        "UDP ports are others: {text}"
    );
}

#[test]
fn two_servers_on_one_port() {
    // A player's `from` end listens: two at `h1` are in each other's way, and one at `h2` is in that of `bulk`.
    let player = |name: &str, from: &str, to: &str| {
        format!(
            "[flows.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\napp = {{ kind = \"player\", content = {{ rates = [1.0] }} }}\nport = 80\n"
        )
    };
    let said = messages(&format!("{GOOD}{}{}", player("a", "h1", "h2"), player("b", "h1", "h2")));
    assert!(said.contains("`a` and `b` both listen on tcp port 80 of `h1`"), "{said}");
    let bulk = "[flows.c]\nfrom = \"h1\"\nto = \"h2\"\napp = \"bulk\"\nport = 80\n";
    assert_eq!(messages(&format!("{GOOD}{}{bulk}", player("a", "h1", "h2"))), "nothing wrong");
    let said = messages(&format!("{GOOD}{}{bulk}", player("a", "h2", "h1")));
    assert!(said.contains("`a` and `c` both listen on tcp port 80 of `h2`"), "{said}");
}

#[test]
fn addresses_of_two_families() {
    let text =
        GOOD.replace("h1 = { kind = \"host\" }", "h1 = { kind = \"host\", address = \"2001:db8::1\" }");
    assert!(
        messages(&text).contains("`h1` and `h2` must have addresses of one family"),
        "{}",
        messages(&text)
    );
}
