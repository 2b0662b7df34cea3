//! Deprecated keys work, with a warning that has their place and the replacement.

use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, NoFiles, Scenario};

const TEXT: &str = r#"name = "old"
duration = "10 s"
[nodes]
a = { kind = "host" }
b = { kind = "host" }
[links.only]
between = ["a", "b"]
rate = "10 Mbit/s"
queue = "tail-drop"
[flows.f]
from = "a"
to = "b"
app = "bulk"
transport = { kind = "tcp" }
"#;

const TRANSPORT: &str = "transport = { kind = \"tcp\" }";

fn load(text: &str, set: &[&str]) -> Scenario {
    let changes = Changes { set: set.iter().map(|option| option.to_string()).collect(), quick: false };
    let registries = Builder::standard().registries();
    Scenario::parse(text, "s.toml", &NoFiles, &changes, &registries).expect("nothing is wrong with it")
}

fn warnings(scenario: &Scenario) -> Vec<String> {
    scenario.warnings.iter().map(|warning| warning.to_string()).collect()
}

/// The warnings of the file with another transport.
fn warnings_of(transport: &str) -> Vec<String> {
    warnings(&load(&TEXT.replace(TRANSPORT, &format!("transport = {transport}")), &[]))
}

#[test]
fn a_deprecated_key_gets_a_warning_with_line_and_replacement() {
    assert_eq!(
        warnings_of(
            r#"{ kind = "tcp", congestion = "cubic", congestion_parameters = { c = 0.5, beta = 0.8 } }"#
        ),
        ["s.toml:14:51: `flows.f.transport.congestion_parameters` is deprecated; \
          write `congestion = { kind = \"cubic\", c = 0.5, beta = 0.8 }`"]
    );
}

#[test]
fn the_replacement_names_the_default_controller_if_none_is_set() {
    assert_eq!(
        warnings_of(r#"{ kind = "octopus", congestion_parameters = { rtprop_window = "100 s" } }"#),
        ["s.toml:14:33: `flows.f.transport.congestion_parameters` is deprecated; \
          write `congestion = { kind = \"bbr\", rtprop_window = \"100 s\" }`"]
    );
}

#[test]
fn current_keys_get_no_warning() {
    for transport in [r#""tcp""#, r#"{ kind = "tcp", congestion = { kind = "cubic", c = 0.5 } }"#] {
        assert_eq!(warnings_of(transport), Vec::<String>::new());
    }
}

#[test]
fn a_message_about_an_option_quotes_it() {
    let scenario = load(TEXT, &["flows.f.transport.congestion_parameters={ c = 0.5 }"]);
    assert_eq!(
        warnings(&scenario),
        [
            "--set flows.f.transport.congestion_parameters={ c = 0.5 }: `flows.f.transport.congestion_parameters` is \
          deprecated; write `congestion = { kind = \"cubic\", c = 0.5 }`"
        ]
    );
}

#[test]
fn a_deprecated_key_common_to_all_variants_gets_one_warning() {
    let old =
        r#"{ kind = "tcp", congestion = "reno", congestion_parameters = {} }"#.replace("reno", "newreno");
    let text = format!(
        "{}[[vary]]\npath = \"links.only.queue\"\nvalues = [\"tail-drop\", \"codel\"]\n",
        TEXT.replace(TRANSPORT, &format!("transport = {old}"))
    );
    assert_eq!(warnings(&load(&text, &[])).len(), 1);
}

#[test]
fn a_warning_about_an_arm_has_its_line() {
    let text = format!(
        "{TEXT}[[vary]]\npath = \"flows.f.transport\"\nvalues = [\n  \"tcp\",\n  \
         {{ kind = \"tcp\", congestion = \"newreno\", congestion_parameters = {{ beta = 0.6 }}, label = \"old\" }},\n]\n"
    );
    let wanted = "congestion = { kind = \"newreno\", beta = 0.6 }";
    let said = warnings(&load(&text, &[]));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("s.toml:19:"), "{said:?}");
    assert!(said[0].ends_with(&format!("is deprecated; write `{wanted}`")), "{said:?}");
}

#[test]
fn the_effective_configuration_has_current_keys_only() {
    let old = r#"{ kind = "tcp", congestion = "cubic", congestion_parameters = { c = 0.5 } }"#;
    let scenario = load(&TEXT.replace(TRANSPORT, &format!("transport = {old}")), &[]);
    let transport = &scenario.variants[0].effective["flows"]["f"]["transport"];
    assert_eq!(transport["congestion"]["kind"], "cubic");
    assert_eq!(transport["congestion"]["c"], 0.5);
    assert_eq!(transport["congestion"]["beta"], 0.7, "with its defaults");
    assert!(transport.get("congestion_parameters").is_none());
    let again = load(&scenario.variants[0].effective_toml(), &[]);
    assert_eq!(warnings(&again), Vec::<String>::new());
    assert_eq!(again.variants[0].effective, scenario.variants[0].effective);
}
