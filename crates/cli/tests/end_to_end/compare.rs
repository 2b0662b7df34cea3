//! `jettison compare`: two results side by side.

use serde_json::json;

use super::support::{Folder, changed, keys};

/// The small scenario's results in `a`, and those of one with another rate in `b`.
fn two_results() -> Folder {
    let folder = Folder::with_small();
    folder.write("faster.toml", &changed("rate = \"5 Mbit/s\"", "rate = \"8 Mbit/s\""));
    folder.jettison(&["run", "small.toml", "--quick", "--out", "a"]).ok();
    folder.jettison(&["run", "faster.toml", "--quick", "--out", "b"]).ok();
    folder
}

#[test]
fn the_table_has_both_results_and_lists_their_differences() {
    let folder = two_results();
    let before = folder.names("");
    let printed = folder.jettison(&["compare", "a", "b", "--all"]).ok();
    for text in [
        "small: A (sim, 1 seed) against B (sim, 1 seed).",
        "A (sim): small, a\n",
        "B (sim): small, b\n",
        "queue=codel\n",
        " throughput ",
        "│     p99 ",
        "Warning: The settings differ\n",
    ] {
        assert!(printed.contains(text), "no {text:?} in:\n{printed}");
    }
    let rate = "    links.bottleneck.rate: \"5 Mbit/s\" | \"8 Mbit/s\"\n";
    assert!(printed.contains(rate), "{printed}");
    let short = folder.jettison(&["compare", "a", "b"]).ok();
    assert!(short.contains(rate) && short.lines().count() < printed.lines().count(), "{short}");
    assert_eq!(folder.names(""), before, "nothing was written");
}

#[test]
fn json_prints_records() {
    let folder = two_results();
    let records = folder.jettison(&["compare", "a", "b", "--json"]).records();
    assert_eq!(
        (&records[1]["type"], &records[1]["side"], &records[1]["mode"]),
        (&json!("side"), &json!("A"), &json!("sim"))
    );
    let row = records.iter().find(|record| {
        record["type"] == "comparison"
            && record["object"] == "bottleneck.forward"
            && record["metric"] == "throughput"
    });
    let row = row.expect("both have the throughput of the bottleneck");
    assert_eq!(
        keys(row),
        [
            "type",
            "variant",
            "object",
            "metric",
            "unit",
            "a",
            "a_ci95",
            "a_n",
            "b",
            "b_ci95",
            "b_n",
            "difference",
            "difference_ci95",
            "paired",
            "ratio",
            "identical",
            "percentiles"
        ]
    );
    let of = |object: &str, metric: &str| {
        let found = records.iter().find(|record| record["object"] == object && record["metric"] == metric);
        found.unwrap_or_else(|| panic!("no {metric} of {object}"))
    };
    for (object, metric) in [("bottleneck.forward", "sojourn"), ("echo", "rtt")] {
        let percentiles = of(object, metric)["percentiles"].as_array().expect("a list");
        let percents: Vec<_> = percentiles.iter().filter_map(|found| found["percent"].as_u64()).collect();
        assert_eq!(percents, [50, 99]);
        assert!(percentiles[0]["a"].as_f64() <= percentiles[1]["a"].as_f64(), "{percentiles:?}");
    }
    let ratio = row["ratio"].as_f64().expect("the throughput is not zero");
    assert!((1.3..1.7).contains(&ratio), "{row}");
}

#[test]
fn the_page_is_written_to_the_requested_folder() {
    let folder = two_results();
    let printed = folder.jettison(&["compare", "a", "b", "--all", "--out", "page"]).ok();
    assert!(printed.ends_with("Page: page/compare.html\n"), "{printed}");
    assert_eq!(folder.names("page"), ["compare.html"]);
    let page = String::from_utf8(folder.read("page/compare.html")).expect("a page is UTF-8");
    assert!(page.contains(
        "\"title\":\"Throughput of bottleneck.forward over time under queue=codel, one line per result\""
    ));
}

#[test]
fn results_that_cannot_be_compared_are_refused() {
    let folder = two_results();
    folder.write("theirs/letter.txt", "dear");
    let ours = "holds no Jettison results";
    for (a, b, wrong) in
        [("a", "theirs", ours), ("theirs", "b", ours), ("a", "nowhere", "nowhere does not exist")]
    {
        let said = folder.jettison(&["compare", a, b]).refused();
        assert!(said.contains(wrong), "{said}");
    }
    let said = folder.jettison(&["compare", "a", "./a", "--out", "page"]).refused();
    assert_eq!(said, "jettison: a is given twice; name the folders of two results");
    let said = folder.jettison(&["compare", "a", "b", "--all", "--out", "small.toml"]).refused();
    assert_eq!(said, "jettison: small.toml is a file, not a folder; choose another with --out");
}
