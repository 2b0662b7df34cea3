//! What commands print for people: the answer first, then one table, in at most 60 lines.

use super::support::{Folder, SMALL, changed};

const LINES: usize = 60;

/// The lines of its tables.
fn tables(printed: &str) -> String {
    printed.lines().filter(|line| line.starts_with('│')).collect::<Vec<_>>().join("\n")
}

/// Runs a command and holds its output to the limit; returns the output.
#[track_caller]
fn short(folder: &Folder, arguments: &[&str]) -> String {
    let ran = folder.jettison(arguments);
    assert_eq!(ran.status, Some(0), "{arguments:?}: {}", ran.stderr);
    let count = ran.stdout.lines().count();
    assert!(count <= LINES, "{arguments:?} prints {count} lines:\n{}", ran.stdout);
    if let Some(at) = ran.stdout.lines().position(|line| line.starts_with("Left out: ")) {
        let last: Vec<&str> = ran.stdout.lines().skip(at).collect();
        assert!(last.len() <= 2 && last.concat().contains("--all`"), "{last:?}");
    }
    ran.stdout
}

/// The small scenario with so many flows, queue disciplines and rates.
fn wide(flows: usize, queues: usize, rates: usize) -> String {
    let queues: Vec<String> =
        (0..queues).map(|n| format!("{{ kind = \"tail-drop\", limit = \"{} packets\" }}", 20 + n)).collect();
    let rates: Vec<String> = (0..rates).map(|n| format!("\"{} Mbit/s\"", 5 + n)).collect();
    let more = |n: usize| {
        format!("[flows.f{n}x]\nfrom = \"a\"\nto = \"b\"\napp = \"bulk\"\nstart_jitter = \"50 ms\"\n")
    };
    let more: String = (0..flows).map(more).collect();
    changed("[[vary]]", &format!("{more}\n[[vary]]"))
        .replace("values = [\"tail-drop\", \"codel\"]", &format!("values = [{}]", queues.join(", ")))
        .replace(
            "[quick]",
            &format!(
                "[[vary]]\nname = \"rate\"\npath = \"links.bottleneck.rate\"\nvalues = [{}]\n\n[quick]",
                rates.join(", ")
            ),
        )
}

#[test]
fn the_answer_comes_first() {
    let folder = Folder::with_small();
    let printed = short(&folder, &["run", "small.toml", "--runs", "5"]);
    assert!(
        printed.starts_with(
            "small compares 2 values of queue (tail-drop, codel) over 5 seeds. codel has the lowest RTT of "
        ),
        "{printed}"
    );
    let words = printed.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(words.contains("% interval, paired by seed)"), "{words}");
    let records = folder.jettison(&["report", "out/small", "--json"]).records();
    assert_eq!((&records[0]["type"], &records[0]["best"][0]), (&"answer".into(), &"queue=codel".into()));
    assert_eq!(records[0]["answer"], words.as_str());
    assert_eq!(folder.json("out/small/manifest.json")["answer"], words.as_str());
    assert_eq!(short(&folder, &["report", "out/small"]).lines().next(), printed.lines().next());
    let one = short(&folder, &["run", "small.toml", "--runs", "1"]);
    assert!(one.replace('\n', " ").contains("With one seed a difference may be chance"), "{one}");
    let records = folder.jettison(&["report", "out/small", "--json"]).records();
    assert_eq!(records[0]["best"], serde_json::json!([]), "one seed has no winner");
}

#[test]
fn results_of_many_variants_and_flows_fit_on_a_screen() {
    let folder = Folder::new();
    // Matrices; a list of one axis; a list with groups of flows, the names of which are many.
    for (name, text) in [("matrix", wide(1, 6, 5)), ("list", wide(0, 30, 1)), ("groups", wide(12, 8, 1))] {
        let file = format!("{name}.toml");
        folder.write(&file, &text.replace("name = \"small\"", &format!("name = \"{name}\"")));
        short(&folder, &["run", &file, "--quick"]);
        let results = format!("out/{name}-quick");
        let all = folder.jettison(&["report", &results, "--all"]);
        assert!(all.stdout.lines().count() > LINES || name != "matrix", "{name}: {}", all.stdout);
        assert!(!all.stdout.contains("Left out"), "{}", all.stdout);
        short(&folder, &["report", &results]);
        short(&folder, &["report", &results, "--flows"]);
        short(&folder, &["check", &file]);
    }
    short(&folder, &["run", "matrix.toml", "--quick", "--out", "again", "--seed", "7"]);
    short(&folder, &["compare", "out/matrix-quick", "again"]);
}

#[test]
fn lists_and_reproductions_fit_on_a_screen() {
    let folder = Folder::new();
    short(&folder, &["list"]);
    for kind in ["queues", "applications", "controllers", "metrics", "reasons", "gauges", "presets"] {
        short(&folder, &["list", kind]);
    }
    short(&folder, &["reproduce"]);
    short(&folder, &["new"]);
    folder.write("small.toml", SMALL);
    let files = ["small.toml"; 40];
    let checked = short(&folder, &[&["check"][..], &files].concat());
    assert!(checked.contains("Left out: "), "{checked}");
}

#[test]
fn columns_are_chosen_by_option_and_by_the_scenario() {
    let folder = Folder::with_small();
    let printed = short(&folder, &["run", "small.toml", "--columns", "rtt_p95,retransmits"]);
    assert!(
        printed.contains("RTT p95")
            && printed.contains("retransmits")
            && !tables(&printed).contains("goodput"),
        "{printed}"
    );
    folder.write("chosen.toml", &changed("[nodes]", "[report]\ncolumns = [\"drops\"]\n\n[nodes]"));
    let printed = short(&folder, &["run", "chosen.toml", "--out", "chosen"]);
    assert!(printed.contains("drops") && !tables(&printed).contains("RTT mean"), "{printed}");
    let refused = folder.jettison(&["run", "small.toml", "--columns", "godput"]);
    assert_eq!(refused.status, Some(2));
    assert!(
        refused.stderr.contains("unknown column `godput`; did you mean `goodput`?"),
        "{}",
        refused.stderr
    );
    folder
        .write("wrong.toml", &changed("[nodes]", "[report]\ncolumns = [\"goodput\", \"rtt_99\"]\n\n[nodes]"));
    let said = folder.jettison(&["check", "wrong.toml"]).refused();
    assert!(said.starts_with("wrong.toml:7:23: unknown column `rtt_99`"), "{said}");
    assert!(said.contains("did you mean `rtt_p99`?"), "{said}");
}

#[test]
fn the_bottleneck_is_the_scenarios_or_said_to_be_guessed() {
    let folder = Folder::with_small();
    let printed = short(&folder, &["run", "small.toml"]);
    assert!(printed.contains("\nBottleneck: bottleneck.forward (guessed: the busiest queue;"), "{printed}");
    folder.write("named.toml", &changed("seeds = 2", "seeds = 2\nbottleneck = \"access.forward\""));
    let printed = short(&folder, &["run", "named.toml"]);
    assert!(printed.contains("\nBottleneck: access.forward\n"), "{printed}");
    for (name, help) in [
        ("botleneck.forward", "did you mean `bottleneck.forward`?"),
        ("access", "write `access.forward` or `access.reverse`"),
    ] {
        folder.write("wrong.toml", &changed("seeds = 2", &format!("seeds = 2\nbottleneck = \"{name}\"")));
        let said = folder.jettison(&["check", "wrong.toml"]).refused();
        assert!(
            said.contains(&format!("`bottleneck` must name a direction of a link, got `{name}`")),
            "{said}"
        );
        assert!(said.contains(help), "{said}");
    }
}

#[test]
fn flows_of_a_kind_are_a_group_and_each_is_shown_on_request() {
    let folder = Folder::new();
    folder.write("many.toml", &SMALL.replacen("app = \"bulk\"", "app = \"bulk\"\ncount = 5", 1));
    let printed = short(&folder, &["run", "many.toml"]);
    assert!(
        printed.contains("│ tail-drop   bulk.* (5)") && !tables(&printed).contains("bulk.3"),
        "{printed}"
    );
    let printed = short(&folder, &["report", "out/small", "--flows"]);
    assert!(printed.contains("bulk.3") && !tables(&printed).contains("bulk.*"), "{printed}");
    let records = folder.jettison(&["report", "out/small", "--json"]).records();
    let group = |metric: &str| {
        let found = records
            .iter()
            .find(|r| r["type"] == "group" && r["metric"] == metric && r["variant"] == "queue=codel");
        found.unwrap_or_else(|| panic!("no group has {metric}")).clone()
    };
    let mean_of_flows = |metric: &str| {
        let is = |r: &&serde_json::Value| {
            r["type"] == "summary"
                && r["variant"] == "queue=codel"
                && r["metric"] == metric
                && r["object"].as_str().is_some_and(|object| object.starts_with("bulk."))
        };
        let means: Vec<f64> = records.iter().filter(is).map(|r| r["mean"].as_f64().unwrap()).collect();
        assert_eq!(means.len(), 5);
        means.iter().sum::<f64>() / 5.0
    };
    assert_eq!((&group("goodput")["object"], &group("goodput")["flows"]), (&"bulk.*".into(), &5.into()));
    let (found, expected) = (group("goodput")["mean"].as_f64().unwrap(), mean_of_flows("goodput"));
    assert!((found - expected).abs() < 1e-9, "{found}, {expected}");
    assert_eq!(folder.json("out/small/manifest.json")["groups"]["bulk.*"].as_array().map(Vec::len), Some(5));
}
