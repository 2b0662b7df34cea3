//! `jettison whatif`: answers, results of both halves, and what is wrong with a question.

use serde_json::Value;

use super::support::{Folder, SMALL, changed};

/// A stored result of the small scenario.
fn stored(text: &str) -> Folder {
    let folder = Folder::new();
    folder.write("small.toml", text);
    folder.jettison(&["run", "small.toml", "--out", "out"]).ok();
    folder
}

const ONE: [&str; 4] = ["--variant", "queue=codel", "--seed", "1"];

#[test]
fn a_reverted_drop_is_told_in_words_and_both_halves_are_results() {
    let folder = stored(SMALL);
    let mut arguments = vec!["whatif", "out", "--flip", "0", "--out", "both"];
    arguments.extend(ONE);
    let text = folder.jettison(&arguments).ok();
    for part in [
        "What if decision 0 were reverted? queue=codel (seed 1) of small",
        "Decision 0: at ",
        "bottleneck.forward dropped (codel) packet ",
        "1 drop reverted",
        "bulk",
        "goodput (Mbit/s)",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(text.lines().count() <= 62, "{text}");
    let results = folder.jettison(&["report", "both"]).ok();
    assert!(results.contains("original") && results.contains("changed"), "{results}");
    folder.jettison(&["compare", "out", "both"]).ok();
    folder.jettison(&["verify", "both"]).ok();
    // The half without the change is the stored run.
    let of = |folder: &Folder, name: &str, variant: &str| -> Vec<Value> {
        let ran = folder.jettison(&["report", name, "--json"]);
        let records = ran.records().into_iter();
        records.filter(|r| r["type"] == "summary" && r["variant"] == variant).collect()
    };
    let original = of(&folder, "both", "original");
    let again = Folder::new();
    again.write("small.toml", SMALL);
    again.jettison(&["run", "small.toml", "--seed", "1", "--runs", "1", "--out", "out"]).ok();
    let stored = of(&again, "out", "queue=codel");
    let value = |r: &Value| (r["object"].clone(), r["metric"].clone(), r["mean"].clone(), r["p99"].clone());
    assert!(!stored.is_empty());
    assert_eq!(original.iter().map(value).collect::<Vec<_>>(), stored.iter().map(value).collect::<Vec<_>>());
}

#[test]
fn records_have_the_question_the_decisions_and_the_differences() {
    let folder = stored(SMALL);
    let mut arguments =
        vec!["whatif", "out", "--flip-rule", "codel", "--from", "1s", "--to", "1900 ms", "--json"];
    arguments.extend(ONE);
    let records = folder.jettison(&arguments).records();
    let of = |kind: &str| records.iter().filter(|r| r["type"] == kind).collect::<Vec<_>>();
    let asked = of("whatif");
    assert_eq!(
        (asked.len(), &asked[0]["variant"], &asked[0]["from_ns"]),
        (1, &"queue=codel".into(), &1_000_000_000_u64.into())
    );
    let reverted = of("reverted");
    assert_eq!(asked[0]["kept"], reverted.len());
    assert!(reverted.iter().all(|r| r["reason"] == "codel" && r["queue"] == "bottleneck.forward"));
    let differences = of("difference");
    assert!(differences.iter().any(|r| r["flow"] == "bulk" && r["metric"] == "goodput"));
}

#[test]
fn a_queue_is_exchanged_and_draws_give_intervals() {
    let folder = stored(SMALL);
    let mut arguments = vec!["whatif", "out", "--queue", "links.bottleneck.queue=fq-codel", "--at", "1s"];
    arguments.extend(ONE);
    let text = folder.jettison(&arguments).ok();
    assert!(text.contains("disciplines exchanged") && text.contains("RTT p99"), "{text}");
    arguments.extend(["--draws", "3", "--horizon", "800 ms"]);
    let text = folder.jettison(&arguments).ok();
    assert!(text.contains("Means over 3 draws") && text.contains("to 1.8 s"), "{text}");
}

#[test]
fn a_wrong_question_is_answered_by_one_message() {
    let folder = stored(SMALL);
    let whatif = |more: &[&str], one: bool| {
        let mut arguments = vec!["whatif", "out"];
        arguments.extend(more);
        if one {
            arguments.extend(ONE);
        }
        let said = folder.jettison(&arguments).refused();
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    };
    for (arguments, wanted) in [
        (&["--flip", "4000000"][..], "unknown drop id 4000000: those of this run are 0 to "),
        (&["--flip-rule", "codel", "--from", "2s", "--to", "1s"], "--from 2 s must be before --to 1 s"),
        (&["--flip-rule", "codle", "--from", "1s"], "unknown rule `codle`; did you mean `codel`?"),
        (
            &["--flip-rule", "codel", "--from", "1s", "--queue-name", "bottleneck.forwart"],
            "unknown queue `bottleneck.forwart`; did you mean `bottleneck.forward`?",
        ),
        (&["--flip-rule", "codel", "--from", "9s"], "must be before the end of the run, 2 s"),
        (&["--queue", "links.bottleneck.rate=1 Mbit/s", "--at", "1s"], "only queues can be exchanged"),
        (&["--queue", "links.bottleneck.queue=fq-codel", "--at", "3s"], "before the end of the run"),
        (&["--queue", "links.bottleneck.queue=codel", "--at", "1s"], "changes no queue of this run"),
        (&["--queue", "links.bottleneck.queue=codle", "--at", "1s"], "did you mean `codel`?"),
        (&["--flip", "0", "--until", "1ms"], "--until must be after the change"),
    ] {
        let said = whatif(arguments, true);
        assert!(said.contains(wanted), "{said}");
    }
    let said = whatif(&["--flip", "0"], false);
    assert!(
        said.contains("has 4 runs; choose one with --variant and --seed: queue=tail-drop (seed 1)"),
        "{said}"
    );
    let said = whatif(&["--flip", "0", "--variant", "queue=codle"], false);
    assert!(said.contains("unknown variant `queue=codle`; did you mean `queue=codel`?"), "{said}");
    let said = whatif(&["--flip", "0", "--variant", "queue=codel", "--seed", "9"], false);
    assert!(said.contains("no run of `queue=codel` has the seed 9; its seeds are 1, 2"), "{said}");
    let ran = folder.jettison(&["whatif", "out"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("--flip"), "{}", ran.stderr);
    let said = folder.jettison(&["whatif", "nowhere", "--flip", "0"]).refused();
    assert!(said.contains("nowhere"), "{said}");
}

#[test]
fn a_result_that_cannot_be_repeated_says_why() {
    let folder = stored(&changed("[links.access]", "[record]\nidentities = false\n[links.access]"));
    let mut arguments = vec!["whatif", "out", "--flip", "0"];
    arguments.extend(ONE);
    let said = folder.jettison(&arguments).refused();
    assert!(said.contains("has no identities of drops"), "{said}");
    // A rule needs none.
    let mut rule = vec!["whatif", "out", "--flip-rule", "codel", "--from", "1s"];
    rule.extend(ONE);
    folder.jettison(&rule).ok();
    folder.write("small.toml", SMALL);
    let said = folder.jettison(&rule).refused();
    assert!(said.contains("small.toml has changed since out was written (SHA-256 "), "{said}");
    // Without its file, the results still hold the scenario.
    std::fs::remove_file(folder.path("small.toml")).expect("it is ours");
    folder.jettison(&rule).ok();
    let folder = Folder::new();
    let traced = SMALL.replacen("rate = \"5 Mbit/s\"", "trace = { file = \"up.trace\" }", 1);
    folder.write("small.toml", &traced);
    folder.write("up.trace", "1\n2\n4\n");
    folder.jettison(&["run", "small.toml", "--out", "out"]).ok();
    folder.jettison(&rule).ok();
    folder.write("up.trace", "1\n2\n5\n");
    let said = folder.jettison(&rule).refused();
    assert!(said.contains("up.trace has changed since out was written"), "{said}");
    std::fs::remove_file(folder.path("up.trace")).expect("it is ours");
    let said = folder.jettison(&rule).refused();
    assert!(said.contains("up.trace cannot be read") && said.contains("--data"), "{said}");
    folder.write("data/up.trace", "1\n2\n4\n");
    rule.extend(["--data", "data"]);
    folder.jettison(&rule).ok();
}
