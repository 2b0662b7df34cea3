//! Invalid keys, units and values, each with the exact message: file, line, problem and remedy.

use crate::support;

use support::{GOOD, expect, messages};

#[test]
fn the_good_scenario_passes_the_check() {
    assert_eq!(messages(GOOD), "nothing wrong");
}

#[test]
fn invalid_toml() {
    expect(
        "duration = \"60 s\"",
        "duration = 60 s",
        r#"s.toml:2:12: invalid TOML: string values must be quoted, expected literal string"#,
    );
    expect("[nodes]", "[nodes", r#"s.toml:6:7: invalid TOML: unclosed table, expected `]`"#);
    expect("seeds = 5", "duration = \"1 s\"", r#"s.toml:4:1: invalid TOML: duplicate key"#);
}

#[test]
fn an_unknown_key_gets_the_nearest_known_one() {
    expect("duration", "durration", r#"s.toml:2:1: unknown key `durration`; did you mean `duration`?"#);
    expect(
        "rate = \"10 Mbit/s\"",
        "rate = \"10 Mbit/s\"\ndelai = \"1 ms\"",
        r#"s.toml:23:1: unknown key `links.bottleneck.delai`; did you mean `delay`?"#,
    );
    expect(
        "congestion =",
        "congestoin =",
        r#"s.toml:30:29: unknown key `flows.bulk.transport.congestoin`; did you mean `congestion`?"#,
    );
    expect(
        "n = 4",
        "n = 4\nwireless = true",
        r#"s.toml:14:1: unknown key `queues.ired-64.wireless`; known: kind, n"#,
    );
    expect(
        "[[vary]]\nname",
        "[[vary]]\nnmae",
        r#"s.toml:35:1: unknown key `vary[0].nmae`; did you mean `name`?"#,
    );
    expect(
        "kind = \"host\" }\nr",
        "kind = \"host\", routes = [] }\nr",
        r#"s.toml:7:23: unknown key `nodes.h1.routes`; known: kind, address, queue, layer, mac, prefix, gateway, neighbours, commands, congestion, sysctls"#,
    );
}

#[test]
fn a_wrong_unit_or_type() {
    expect(
        "\"60 s\"",
        "60",
        r#"s.toml:2:12: `duration` must be a duration with its unit (such as "20 ms"), got 60"#,
    );
    expect(
        "\"60 s\"",
        "\"60\"",
        r#"s.toml:2:12: `duration`: `60` has no unit; write one of ns, us, ms, s, min, such as "20 ms""#,
    );
    expect(
        "\"60 s\"",
        "\"60 sec\"",
        r#"s.toml:2:12: `duration`: `sec` is not a unit of a duration; use one of ns, us, ms, s, min"#,
    );
    expect(
        "\"10 Mbit/s\"",
        "\"10 ms\"",
        r#"s.toml:22:8: `links.bottleneck.rate`: `ms` is not a unit of a rate; use one of bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s"#,
    );
    expect(
        "\"60 s\"",
        "\"99999999999999999999 s\"",
        r#"s.toml:2:12: `duration` must be <= 18446744073 s, got `99999999999999999999 s`"#,
    );
    expect(
        "\"60 s\"",
        "\"600000 min\"",
        r#"s.toml:2:12: `duration` must be at most a year, got `600000 min`"#,
    );
    expect(
        "\"60 s\"",
        "07:32:00",
        r#"s.toml:2:12: `duration`: `:32:00` is not a unit of a duration; use one of ns, us, ms, s, min"#,
    );
    expect("n = 4", "n = 4.5", r#"s.toml:13:5: `queues.ired-64.n` must be an integer, got 4.5"#);
    expect(
        "n = 4",
        "n = 4294967296",
        r#"s.toml:13:5: `queues.ired-64.n` must be in [0, 4294967295], got 4294967296"#,
    );
    expect(
        "n = 4",
        "n = nan",
        r#"s.toml:13:5: `queues.ired-64.n` must be a finite number; write a decimal number"#,
    );
    expect("n = 4", "n = 99999999999999999999", r#"s.toml:13:5: invalid TOML: integer number overflowed"#);
    expect(
        "[\"h1\", \"r\"]",
        "[\"h1\"]",
        r#"s.toml:16:11: `links.access.between` must have 2 entries, got 1"#,
    );
    expect(
        "[\"h1\", \"r\"]",
        "\"h1-r\"",
        r#"s.toml:16:11: `links.access.between` must be a list of 2, got "h1-r""#,
    );
    expect(
        "queue = \"ired-64\"",
        "queue = 64",
        r#"s.toml:24:9: `links.bottleneck.queue` must be a queue discipline or a table, got 64"#,
    );
    expect(
        "h1 = { kind = \"host\" }",
        "h1 = \"host\"",
        r#"s.toml:7:6: `nodes.h1` must be a table, got "host""#,
    );
    expect(
        "h1 = { kind = \"host\" }",
        "h1 = { kind = \"host\", address = \"198.18.0\" }",
        r#"s.toml:7:33: `nodes.h1.address` must be an IP address (such as "198.18.0.1"), got "198.18.0""#,
    );
}

#[test]
fn a_missing_key() {
    expect(
        "duration = \"60 s\"\n",
        "",
        r#"s.toml:1:1: the file has no `duration`; add `duration`: a duration with its unit (such as "20 ms")"#,
    );
    expect(
        "between = [\"h1\", \"r\"]\n",
        "",
        r#"s.toml:15:1: `links.access` has no `between`; add `between`: a list of 2"#,
    );
    expect("from = \"h1\"\n", "", r#"s.toml:27:1: `flows.bulk` has no `from`; add `from`: a string"#);
    expect(
        "kind = \"ired\"\n",
        "",
        r#"s.toml:11:1: `queues.ired-64` has no `kind`; add one of: tail-drop, codel, ired"#,
    );
    expect("kind = \"router\"", "", r#"s.toml:8:5: `nodes.r` has no `kind`; add one of: host, router, p4"#);
    expect(
        "app = { kind = \"bulk\" }",
        "app = { kind = \"cbr\" }",
        r#"s.toml:31:7: `flows.bulk.app` has no `rate`; add `rate`: a rate with its unit (such as "10 Mbit/s")"#,
    );
}

#[test]
fn an_unknown_name() {
    expect("from = \"h1\"", "from = \"h11\"", r#"s.toml:28:8: unknown node `h11`; did you mean `h1`?"#);
    expect(
        "[\"r\", \"h2\"]",
        "[\"r\", \"elsewhere\"]",
        r#"s.toml:21:17: unknown node `elsewhere`; known: h1, r, h2"#,
    );
    expect(
        "queue = \"ired-64\"",
        "queue = \"ired-65\"",
        r#"s.toml:24:9: unknown queue `ired-65`, neither a [queues] entry nor a discipline; did you mean `ired-64`?"#,
    );
    expect(
        "queue = \"ired-64\"",
        "queue = \"coddel\"",
        r#"s.toml:24:9: unknown queue `coddel`, neither a [queues] entry nor a discipline; did you mean `codel`?"#,
    );
    expect(
        "queue = \"ired-64\"",
        "queue = { kind = \"coddel\" }",
        r#"s.toml:24:18: `links.bottleneck.queue.kind`: unknown queue discipline `coddel`; did you mean `codel`?"#,
    );
    expect(
        "kind = \"router\"",
        "kind = \"ruoter\"",
        r#"s.toml:8:14: `nodes.r.kind`: unknown node kind `ruoter`; did you mean `router`?"#,
    );
    expect(
        "kind = \"tcp\"",
        "kind = \"tpc\"",
        r#"s.toml:30:22: `flows.bulk.transport.kind`: unknown transport `tpc`; did you mean `tcp`?"#,
    );
    expect(
        "transport = { kind = \"tcp\", congestion = \"newreno\" }",
        "transport = \"tpc\"",
        r#"s.toml:30:13: `flows.bulk.transport`: unknown transport `tpc`; did you mean `tcp`?"#,
    );
    expect(
        "kind = \"bulk\"",
        "kind = \"bullk\"",
        r#"s.toml:31:16: `flows.bulk.app.kind`: unknown application `bullk`; did you mean `bulk`?"#,
    );
    expect(
        "\"newreno\"",
        "\"newrenno\"",
        r#"s.toml:30:42: `flows.bulk.transport.congestion`: unknown congestion controller `newrenno`"#,
    );
}

#[test]
fn parameters_refused_by_the_builder() {
    expect(
        "queue = \"ired-64\"",
        "queue = { kind = \"codel\", target = \"200 ms\" }",
        r#"s.toml:24:36: `links.bottleneck.queue.target` must be shorter than `interval`"#,
    );
    expect(
        "congestion = \"newreno\"",
        "gains = [1.0, 0.0]",
        r#"s.toml:30:43: `flows.bulk.transport.gains[1]`: a gain must be above 0"#,
    );
    expect(
        "congestion = \"newreno\"",
        "growth = \"per-acks\"",
        r#"s.toml:30:38: `flows.bulk.transport.growth` must be one of per-byte, per-ack, got "per-acks"; did you mean `per-ack`?"#,
    );
    expect(
        "kind = \"tcp\", congestion = \"newreno\"",
        "kind = \"udp\"",
        r#"s.toml:30:13: `bulk` runs over tcp; write `transport = "tcp"`"#,
    );
}

#[test]
fn loss_out_of_range() {
    expect(
        "delay = \"9 ms\"",
        "loss = 1.5",
        r#"s.toml:23:8: `links.bottleneck.loss` must be in [0, 1], got 1.5"#,
    );
    expect(
        "delay = \"9 ms\"",
        "loss = -0.1",
        r#"s.toml:23:8: `links.bottleneck.loss` must be in [0, 1], got -0.1"#,
    );
    expect(
        "delay = \"9 ms\"",
        "loss = \"120 %\"",
        r#"s.toml:23:8: `links.bottleneck.loss` must be a share (0 to 1, or "0 %" to "100 %"), got "120 %""#,
    );
    expect(
        "delay = \"9 ms\"",
        "loss = \"often\"",
        r#"s.toml:23:8: `links.bottleneck.loss` must be a share (0 to 1, or "0 %" to "100 %"), got "often""#,
    );
    expect(
        "delay = \"9 ms\"",
        "loss = { probabilty = 0.1 }",
        r#"s.toml:23:10: unknown key `links.bottleneck.loss.probabilty`; did you mean `probability`?"#,
    );
    expect(
        "delay = \"9 ms\"",
        "loss = { scheduled = [{ count = 2 }] }",
        r#"s.toml:23:23: `links.bottleneck.loss.scheduled[0].at`: requires exactly one of `at` (a time) and `packet` (a number)"#,
    );
}

#[test]
fn rate_ratios_of_unknown_or_equal_flows() {
    expect(
        "seeds = 5",
        "rate_ratios = [[\"bulk\", \"bulc\"]]",
        r#"s.toml:4:25: unknown flow `bulc`; did you mean `bulk`?"#,
    );
    expect(
        "seeds = 5",
        "rate_ratios = [[\"bulk\", \"bulk\"]]",
        r#"s.toml:4:16: a pair of `rate_ratios` must be of two entries, got `bulk` twice; name two entries of [flows]"#,
    );
}

#[test]
fn bad_settings_of_what_is_recorded() {
    expect(
        "seeds = 5",
        "record = { identities = { sample = 0 } }",
        r#"s.toml:4:36: `sample` must be in (0, 1], got 0; write `identities = false` to record none"#,
    );
    expect(
        "seeds = 5",
        "record = { identities = { sample = 1.5 } }",
        r#"s.toml:4:36: `sample` must be in (0, 1], got 1.5; write `identities = false` to record none"#,
    );
    expect(
        "seeds = 5",
        "record = { identities = { sampel = 0.1 } }",
        r#"s.toml:4:27: unknown key `record.identities.sampel`; did you mean `sample`?"#,
    );
    expect(
        "seeds = 5",
        "record = { identity = true }",
        r#"s.toml:4:12: unknown key `record.identity`; did you mean `identities`?"#,
    );
    expect(
        "seeds = 5",
        "record = { identities = \"some\" }",
        r#"s.toml:4:25: `record.identities` must be true or false or a table, got "some""#,
    );
}

#[test]
fn inconsistent_times() {
    expect(
        "\"60 s\"",
        "\"5 s\"",
        r#"s.toml:2:12: `duration` must be longer than `warm_up` (5 s), got 5 s; lengthen `duration` or shorten `warm_up`"#,
    );
    expect(
        "\"60 s\"",
        "\"4 s\"",
        r#"s.toml:2:12: `duration` must be longer than `warm_up` (5 s), got 4 s; lengthen `duration` or shorten `warm_up`"#,
    );
    expect(
        "seeds = 5",
        "sample_interval = \"0 s\"",
        r#"s.toml:4:19: `sample_interval` must be > 0, got 0 s; write a duration such as "100 ms""#,
    );
    expect(
        "seeds = 5",
        "sample_interval = \"1 ns\"",
        r#"s.toml:4:19: a run must have at most 100000000 samples per series, got 60000000000; write a longer `sample_interval`"#,
    );
    expect(
        "start_jitter = \"100 ms\"",
        "start = \"5 s\"\nstop = \"4 s\"",
        r#"s.toml:33:8: `stop` must be after `start` (5 s), got 4 s; write a later `stop` or an earlier `start`"#,
    );
}

#[test]
fn counts_out_of_range() {
    expect("seeds = 5", "seeds = 0", r#"s.toml:4:9: `seeds` must be in [1, 100000], got 0"#);
    expect("seeds = 5", "seeds = []", r#"s.toml:4:9: `seeds` must have at least 1 entry, got 0"#);
    expect(
        "seeds = 5",
        "seeds = [1, 2, 1]",
        r#"s.toml:4:9: `seeds` must be unique, got 1 twice; remove one: equal seeds give equal runs"#,
    );
    expect(
        "seeds = 5",
        "seeds = \"five\"",
        r#"s.toml:4:9: `seeds` must be an integer or a list, got "five""#,
    );
    expect(
        "start_jitter = \"100 ms\"",
        "count = 100001",
        r#"s.toml:32:9: `flows.bulk.count` must be in [0, 100000], got 100001"#,
    );
    expect(
        "start_jitter = \"100 ms\"",
        "count = 3\nport = 65534",
        r#"s.toml:33:8: the last flow's port must be <= 65535, got 65536; write a lower `port` or a smaller `count`"#,
    );
}

#[test]
fn names_that_cannot_be_files() {
    expect(
        "name = \"ired/ingress-vs-egress\"",
        "name = \"../elsewhere\"",
        r#"s.toml:1:8: `name` must be a valid folder name, got `../elsewhere`; use letters, digits, `-`, `_`, `.` and `+`, with `/` between folders, such as "ired/mixed""#,
    );
    expect(
        "[links.access]",
        "[links.\"a/b\"]",
        r#"s.toml:15:1: `a/b` is not a valid name in [links]; use letters, digits, `-`, `_`, `.` and `+`, without a leading `.`"#,
    );
}
