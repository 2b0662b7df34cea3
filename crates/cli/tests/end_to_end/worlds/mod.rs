//! Scenarios whose results can be computed by hand, end to end.

mod changes;
mod overload;
mod paths;
mod ping;
mod profile;
mod segments;
mod trace_link;

use serde_json::Value;

use super::support::Folder;

/// Runs a scenario of one variant; returns its records.
fn measure(scenario: &str, set: &[&str]) -> Vec<Value> {
    let folder = Folder::new();
    folder.write("world.toml", scenario);
    let set = set.iter().flat_map(|option| ["--set", option]);
    folder.jettison(&["run", "world.toml", "--json"].into_iter().chain(set).collect::<Vec<_>>()).records()
}

/// The mean of an object's metric in a scenario of one variant.
#[track_caller]
fn mean(records: &[Value], object: &str, metric: &str) -> f64 {
    super::support::mean(records, "default", object, metric)
}
