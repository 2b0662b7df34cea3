//! `jettison check`: reports the planned runs or the errors, and runs nothing.

use std::fs;

use super::support::{Folder, changed, project};

#[test]
fn a_valid_file_is_answered_with_the_planned_runs() {
    let folder = Folder::with_small();
    let printed = folder.jettison(&["check", "small.toml"]).ok();
    assert_eq!(plan(&printed), "small.toml: OK: 2 variants × 2 seeds = 4 runs of 2 s");
    let printed = folder.jettison(&["check", "small.toml", "--set", "seeds=1"]).ok();
    assert_eq!(plan(&printed), "small.toml: OK: 2 variants × 1 seed = 2 runs of 2 s");
    let one = ["check", "small.toml", "--set", "seeds=1", "--set", "vary=[]"];
    assert_eq!(plan(&folder.jettison(&one).ok()), "small.toml: OK: 1 variant × 1 seed = 1 run of 2 s");
    assert_eq!(folder.names(""), ["small.toml"]);
}

/// The first of the two lines on a valid file; the second is the estimate.
#[track_caller]
fn plan(printed: &str) -> &str {
    let [plan, estimate] = printed.lines().collect::<Vec<_>>()[..] else { panic!("{printed}") };
    for part in ["  about ", " packets, ", " of CPU, ", " of memory, ", " on disk"] {
        assert!(estimate.contains(part), "{estimate}");
    }
    plan
}

#[test]
fn the_estimate_grows_with_the_load_and_is_in_the_record() {
    let folder = Folder::with_small();
    let of = |set: &[&str]| -> serde_json::Value {
        let arguments: Vec<&str> = ["check", "small.toml", "--json"].iter().chain(set).copied().collect();
        serde_json::from_str(&folder.jettison(&arguments).ok()).expect("it is a record")
    };
    let (short, long) = (of(&[]), of(&["--set", "duration=20 s"]));
    let packets =
        |record: &serde_json::Value| record["estimate"]["packets"].as_f64().expect("it has packets");
    let ratio = packets(&long) / packets(&short);
    assert!((9.0..11.0).contains(&ratio), "{ratio}");
    assert_eq!((short["type"].as_str(), short["variants"].as_u64()), (Some("check"), Some(2)));
    assert_eq!(short["estimate"]["variants"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_record_lists_the_commands_of_a_live_scenario() {
    let folder = Folder::with_small();
    let record = |folder: &Folder| -> serde_json::Value {
        let printed = folder.jettison(&["check", "small.toml", "--json"]).ok();
        serde_json::from_str(&printed).expect("it is a record")
    };
    assert_eq!(record(&folder)["commands"], serde_json::json!([]));
    let app = r#"{ kind = "command", at_to = "iperf3 -c '{from}' -t 1", user = "nobody", environment = { A = "b" } }"#;
    folder.write("small.toml", &changed(r#"app = "bulk""#, &format!("app = {app}")));
    let commands = record(&folder)["commands"].clone();
    let [command] = &commands.as_array().expect("a list")[..] else { panic!("{commands}") };
    assert_eq!(command["key"], "flows.bulk.app.at_to");
    assert_eq!(command["words"], serde_json::json!(["iperf3", "-c", "{from}", "-t", "1"]));
    assert_eq!((&command["user"], &command["environment"]["A"]), (&"nobody".into(), &"b".into()));
    assert_eq!(command["variants"].as_array().map(Vec::len), Some(2), "{commands}");
}

#[test]
fn a_run_that_does_not_fit_into_memory_is_refused_with_the_figure() {
    // More than any machine has: what two links of 10 Tbit/s hold in their delay of a minute.
    let folder = Folder::with_small();
    let set = ["links.access.rate=10000 Gbit/s", "links.bottleneck.rate=10000 Gbit/s", "duration=120 s"]
        .into_iter()
        .chain(["links.access.delay=60 s", "links.bottleneck.delay=60 s"])
        .flat_map(|option| ["--set", option]);
    let said = folder.jettison(&["run", "small.toml"].into_iter().chain(set).collect::<Vec<_>>()).refused();
    assert!(said.contains("of memory, and") && said.contains("--force"), "{said}");
    assert!(!folder.names("").contains(&"out".to_owned()), "nothing was written");
}

#[test]
fn each_of_several_files_is_checked() {
    let folder = Folder::with_small();
    folder.write("wrong.toml", &changed("seeds", "seds"));
    let ran = folder.jettison(&["check", "wrong.toml", "small.toml"]);
    assert_eq!(ran.status, Some(2));
    assert_eq!(plan(&ran.stdout), "small.toml: OK: 2 variants × 2 seeds = 4 runs of 2 s");
    assert_eq!(
        ran.stderr,
        "wrong.toml:4:1: unknown key `seds`; did you mean `seeds`?\n  4 | seds = 2\n    | ^^^^\n"
    );
}

#[test]
fn an_invalid_quick_table_is_found_without_quick() {
    let folder = Folder::new();
    folder.write("wrong.toml", &changed("[quick]\nduration = \"1 s\"", "[quick]\nduration = \"0.1 s\""));
    let said = folder.jettison(&["check", "wrong.toml"]).refused();
    assert!(
        said.starts_with("wrong.toml:39:12: `duration` must be longer than `warm_up` (500 ms), got 100 ms"),
        "{said}"
    );
}

#[test]
fn the_projects_own_scenarios_are_valid() {
    let mut files = Vec::new();
    for paper in fs::read_dir(project("scenarios")).expect("the project has scenarios") {
        let paper = paper.expect("the folder can be read").path();
        for file in fs::read_dir(&paper).expect("a paper's folder can be read") {
            let file = file.expect("the folder can be read").path().display().to_string();
            if file.ends_with(".toml")
                && ![".paper.toml", ".value.toml", "/claims.toml"].iter().any(|end| file.ends_with(end))
            {
                files.push(file);
            }
        }
    }
    assert!(files.len() >= 6, "{files:?}");
    let arguments: Vec<&str> =
        ["check", "--all"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let printed = Folder::new().jettison(&arguments).ok();
    assert_eq!(printed.lines().filter(|line| line.contains(": OK: ")).count(), files.len());
}

#[test]
fn an_option_may_lead_into_a_default_that_the_file_leaves_out() {
    let folder = Folder::with_small();
    for set in ["flows.bulk.transport.congestion=newreno", "links.access.queue.limit=5 packets"] {
        folder.jettison(&["check", "small.toml", "--set", set]).ok();
        // With values that the default does not admit it is an error of the option.
        let (path, _) = set.split_once('=').expect("it has a value");
        let said = folder.jettison(&["check", "small.toml", "--set", &format!("{path}=nonesuch")]).refused();
        assert!(said.starts_with(&format!("--set {path}=nonesuch: ")), "{said}");
        let said = folder.jettison(&["check", "small.toml", "--set", &format!("{path}x=1")]).refused();
        assert!(said.contains("unknown key") && said.contains(&format!("did you mean `{path}`?")), "{said}");
    }
    let queue = ["run", "small.toml", "--quick", "--json", "--set", "links.access.queue.limit=1 packet"];
    let few = folder.jettison(&queue).records();
    let drops = few.iter().find(|record| record["object"] == "access.forward" && record["metric"] == "drops");
    assert!(drops.and_then(|record| record["mean"].as_f64()).is_some_and(|drops| drops > 0.0), "{drops:?}");
}

#[test]
fn messages_name_what_the_user_wrote() {
    let folder = Folder::with_small();
    let said = |arguments: &[&str]| folder.jettison(arguments).refused();
    let broken = "links.bottleneck.queue={ kind = \"codel\"";
    let message = said(&["check", "small.toml", "--set", broken]);
    assert!(message.contains("invalid TOML in the value of `links.bottleneck.queue`: "), "{message}");
    let message = said(&["run", "small.toml", "--gauges=nonesuch,red_average"]);
    assert!(message.starts_with("--gauges=nonesuch,red_average: unknown gauge `nonesuch`"), "{message}");
    let message = said(&["run", "small.toml", "--seed", "x"]);
    assert!(message.contains("'--seed <N>': must be a whole number from 0 to "), "{message}");
    let message = said(&["run", "small.toml", "--runs", "0"]);
    assert!(message.contains("must be a whole number from 1 to 100000"), "{message}");
    let message = said(&["check", "small.toml", "--set", "duration=-1 s"]);
    assert!(message.contains("`duration` must be >= 0, got `-1 s`"), "{message}");
}

#[test]
fn variants_that_an_option_makes_equal_are_warned_of() {
    let folder = Folder::with_small();
    let ran = folder.jettison(&["check", "small.toml", "--set", "links.bottleneck.queue.kind=codel"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let said = "variants `queue=tail-drop` and `queue=codel` have the same settings";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}
