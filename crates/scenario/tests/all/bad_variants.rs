//! Invalid axes, `[quick]` tables and options, each with the exact message.

use crate::support;

use support::{GOOD, changed, expect, messages, parse_with};

#[test]
fn invalid_axes() {
    expect(
        "\"links.bottleneck.queue\"",
        "\"links.botleneck.queue\"",
        r#"s.toml:36:8: unknown key `links.botleneck.queue`; did you mean `links.bottleneck.queue`?"#,
    );
    expect(
        "\"links.bottleneck.queue\"",
        "\"links.bottleneck.queu\"",
        r#"s.toml:36:8: unknown key `links.bottleneck.queu`; did you mean `links.bottleneck.queue`?"#,
    );
    expect(
        "\"links.bottleneck.queue\"",
        "\"links.bottleneck.queue.target\"",
        r#"s.toml:36:8: `links.bottleneck.queue` names the queue `ired-64` and has no keys; set `queues.ired-64.target` instead"#,
    );
    expect(
        "\"links.bottleneck.queue\"",
        "\"links..queue\"",
        r#"s.toml:36:8: `links..queue` is not a valid path: empty key; separate keys with dots, such as `links.bottleneck.rate`"#,
    );
    expect(
        "\"links.bottleneck.queue\"",
        "\"seeds\"",
        r#"s.toml:36:8: `seeds` cannot vary: it is common to all variants; vary a key of nodes, queues, links or flows, or a time"#,
    );
    expect(
        "\"links.bottleneck.queue\"",
        "\"flows.bulk.transport.congestoin\"",
        r#"s.toml:36:8: unknown key `flows.bulk.transport.congestoin`; did you mean `flows.bulk.transport.congestion`?"#,
    );
    expect(
        "[\"ired-64\", \"codel\"]",
        "[]",
        r#"s.toml:37:10: `vary[0].values` must have at least 1 entry, got 0; add a value"#,
    );
    expect(
        "[\"ired-64\", \"codel\"]",
        "[\"codel\", \"codel\"]",
        r#"s.toml:34:1: labels of axis `queue` must be unique, got `codel` twice; remove one, or give tables a `label`"#,
    );
    expect(
        "[\"ired-64\", \"codel\"]",
        "[\"codel\", \"coddel\"]",
        r#"s.toml:37:20: unknown queue `coddel`, neither a [queues] entry nor a discipline; did you mean `codel`?"#,
    );
    expect(
        "path = \"links.bottleneck.queue\"\n",
        "",
        r#"s.toml:34:1: `vary[0]` must have either `path` and `values`, or `variants`; write one of the two; each variant has a `name` and a `set`"#,
    );
    expect(
        "[[vary]]\n",
        "[[vary]]\nname = \"queue\"\nvariants = []\n[[vary]]\n",
        r#"s.toml:36:12: `vary[0].variants` must have at least 1 entry, got 0; add a variant"#,
    );
    let many: Vec<String> = (1..=200).map(|n| format!("\"{n} ms\"")).collect();
    let axis = |key: &str| {
        format!("[[vary]]\npath = \"links.{key}.delay\"\nname = \"{key}\"\nvalues = [{}]\n", many.join(", "))
    };
    let text = format!("{GOOD}{}{}", axis("access"), axis("bottleneck"));
    assert_eq!(
        messages(&text),
        r#"s.toml:34:1: the axes must give at most 10000 variants, got 80000; remove axes or values"#
    );
}

#[test]
fn an_unused_quick_table_is_checked() {
    let quick = |table: &str| changed("[nodes]", &format!("[quick]\n{table}\n\n[nodes]"));
    assert_eq!(quick("duration = \"6 s\""), "nothing wrong");
    assert_eq!(
        quick("duration = \"5 s\""),
        r#"s.toml:7:12: `duration` must be longer than `warm_up` (5 s), got 5 s; lengthen `duration` or shorten `warm_up`"#
    );
    assert_eq!(
        quick("durration = \"6 s\""),
        r#"s.toml:7:13: unknown key `durration`; did you mean `duration`?"#
    );
    assert_eq!(
        quick("\"links.bottlneck.rate\" = \"1 Mbit/s\""),
        r#"s.toml:7:26: unknown key `links.bottlneck.rate`; did you mean `links.bottleneck.rate`?"#
    );
}

#[test]
fn an_error_in_an_option_quotes_the_option() {
    let set = |option: &str| parse_with(GOOD, &[option], false).expect_err("something is wrong");
    assert_eq!(
        set("duration=1 s"),
        r#"--set duration=1 s: `duration` must be longer than `warm_up` (5 s), got 1 s; lengthen `duration` or shorten `warm_up`"#
    );
    assert_eq!(
        set("durration=70 s"),
        r#"--set durration=70 s: unknown key `durration`; did you mean `duration`?"#
    );
    assert_eq!(
        set("links.bottlneck.rate=1 Mbit/s"),
        r#"--set links.bottlneck.rate=1 Mbit/s: unknown key `links.bottlneck.rate`; did you mean `links.bottleneck.rate`?"#
    );
    assert_eq!(
        set("links.bottleneck.rate=0 bit/s"),
        r#"--set links.bottleneck.rate=0 bit/s: `links.bottleneck.rate` must be > 0, got 0 bit/s; for an outage, set the rate to zero and back in `changes`"#
    );
    assert_eq!(
        set("links.bottleneck.rate=fast"),
        r#"--set links.bottleneck.rate=fast: `links.bottleneck.rate`: `fast` is not a rate; write a number and a unit, such as "10 Mbit/s""#
    );
    assert_eq!(
        set("links.bottleneck.queue.n=4"),
        r#"--set links.bottleneck.queue.n=4: `links.bottleneck.queue` names the queue `ired-64` and has no keys; set `queues.ired-64.n` instead"#
    );
    assert_eq!(
        set("flows.bulk.transport.congestion=newrenno"),
        r#"--set flows.bulk.transport.congestion=newrenno: `flows.bulk.transport.congestion`: unknown congestion controller `newrenno`"#
    );
    assert_eq!(
        set("flows.bulk.transport.gain=1"),
        r#"--set flows.bulk.transport.gain=1: unknown key `flows.bulk.transport.gain`; did you mean `flows.bulk.transport.gains`?"#
    );
    assert_eq!(
        set("vary[0].values=[\"coddel\"]"),
        r#"--set vary[0].values=["coddel"]: unknown queue `coddel`, neither a [queues] entry nor a discipline; did you mean `codel`?"#
    );
    assert_eq!(
        set("vary[1].values=[]"),
        r#"--set vary[1].values=[]: unknown key `vary[1].values`: index 1 is out of range; `vary` has length 1, and indices start at 0"#
    );
    assert_eq!(
        set("quick.duration=1 s"),
        r#"--set quick.duration=1 s: `quick` cannot be set: it only holds values of other keys; set those keys"#
    );
    assert_eq!(
        set("duration"),
        r#"--set duration: `duration` has no `=`; write --set path=value, such as --set "links.bottleneck.rate=5 Mbit/s""#
    );
    assert_eq!(
        set("duration.x=1"),
        r#"--set duration.x=1: `duration.x` cannot be set: `duration` has no keys; set `duration` as a whole"#
    );
}

#[test]
fn all_errors_are_reported_at_once_in_the_order_of_the_file() {
    let text = GOOD
        .replace("warm_up = \"5 s\"", "warm_up = \"5 parsecs\"")
        .replace("[\"h1\", \"r\"]", "[\"h1\", \"rr\"]")
        .replace("rate = \"1 Gbit/s\"", "rate = \"1 Gbps\"")
        .replace("to = \"h2\"", "to = \"h3\"")
        .replace("congestion = \"newreno\"", "congestion = \"reno\"")
        .replace("\"codel\"]", "\"coddel\"]");
    assert_eq!(
        messages(&text),
        r#"s.toml:3:11: `warm_up`: `parsecs` is not a unit of a duration; use one of ns, us, ms, s, min
s.toml:16:18: unknown node `rr`; did you mean `r`?
s.toml:17:8: `links.access.rate`: `Gbps` is not a unit of a rate; use one of bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s
s.toml:29:6: unknown node `h3`; did you mean `h1`?
s.toml:30:42: `flows.bulk.transport.congestion`: unknown congestion controller `reno`
s.toml:37:22: unknown queue `coddel`, neither a [queues] entry nor a discipline; did you mean `codel`?"#
    );
}

#[test]
fn invalid_baselines() {
    let with = |baseline: &str| messages(&format!("baseline = {baseline}\n{GOOD}"));
    assert_eq!(with("\"codel\""), "nothing wrong");
    assert_eq!(
        with("\"coddel\""),
        "s.toml:1:12: `baseline` must name a variant or a label of an axis, got `coddel`; did you mean `codel`?"
    );
    assert_eq!(
        with("\"wireless\""),
        "s.toml:1:12: `baseline` must name a variant or a label of an axis, got `wireless`; labels: ired-64, codel"
    );
    assert_eq!(with("7"), "s.toml:1:12: `baseline` must be a string, got 7");
}
