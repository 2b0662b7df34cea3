//! What a good file becomes.

mod support;
use support::*;

#[test]
fn tmp() {
    let s = parse_with(GOOD, &[], false).unwrap_or_else(|e| panic!("{e}"));
    for v in &s.variants { println!("{}\n{}", v.name, v.effective_toml()); }
    println!("{}", serde_json::to_string_pretty(&jettison_scenario::schema_json(&registries())).unwrap());
}
