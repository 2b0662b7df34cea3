//! `jettison schema`: a JSON Schema that an editor can check scenario files with.

use std::fs;

use jsonschema::Validator;
use serde_json::Value;

use super::support::{Folder, SMALL, changed, project};

fn schema() -> Value {
    serde_json::from_str(&Folder::new().jettison(&["schema"]).ok()).expect("a schema is JSON")
}

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).expect("the schema is one")
}

fn json(toml: &str) -> Value {
    let table: toml::Table = toml.parse().expect("the text is TOML");
    serde_json::to_value(table).expect("TOML without dates is JSON")
}

#[track_caller]
fn accepts(validator: &Validator, name: &str, text: &str) {
    let document = json(text);
    let errors: Vec<String> =
        validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

#[test]
fn it_keeps_to_the_specification_of_schemas() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(&schema).expect("the schema is valid");
}

#[test]
fn it_accepts_the_projects_own_scenarios() {
    let validator = validator();
    accepts(&validator, "small", SMALL);
    for paper in fs::read_dir(project("scenarios")).expect("the project has scenarios") {
        let paper = paper.expect("the folder can be read").path();
        for file in fs::read_dir(&paper).expect("a paper's folder can be read") {
            let file = file.expect("the folder can be read").path();
            let name = file.display().to_string();
            if name.ends_with(".toml")
                && !name.ends_with(".paper.toml")
                && !name.ends_with(".value.toml")
                && !name.ends_with("/claims.toml")
            {
                accepts(&validator, &name, &fs::read_to_string(&file).expect("a scenario is text"));
            }
        }
    }
}

#[test]
fn it_refuses_scenarios_that_check_refuses() {
    let validator = validator();
    let wrong = [
        changed("warm_up", "warmup"),
        changed("delay = \"4 ms\"", "delay = 4"),
        changed("limit = \"20 packets\"", "limits = \"20 packets\""),
        changed("kind = \"tail-drop\", limit", "kind = \"head-drop\", limit"),
        changed("kind = \"router\"", "kind = \"bridge\""),
        changed("between = [\"r\", \"b\"]", "between = [\"r\"]"),
        changed("app = \"bulk\"", "app = { kind = \"bulk\", rate = \"1 Mbit/s\" }"),
    ];
    for text in wrong {
        assert!(!validator.is_valid(&json(&text)), "accepted:\n{text}");
    }
}
