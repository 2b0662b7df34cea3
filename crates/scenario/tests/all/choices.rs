//! Both forms of a choice, an id and a table with `kind`, wherever a scenario chooses a component.

use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, NoFiles, Scenario};
use serde_json::Value;

const TEXT: &str = r#"name = "choices"
duration = "10 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
c = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "10 Mbit/s"
queue = "tail-drop"
reverse = { queue = "tail-drop" }
[links.other]
between = ["r", "c"]
rate = "10 Mbit/s"
[flows.f]
from = "a"
to = "b"
app = "bulk"
transport = "tcp"
[flows.d]
from = "a"
to = "b"
app = "dash"
[flows.v]
from = "a"
to = "c"
transport = "octopus"
app = "spatial-video"
"#;

/// Path of the choice, an id other than the default, a parameter of it, and a value.
const CHOICES: [(&str, &str, &str, &str); 10] = [
    ("links.bottleneck.queue", "codel", "target", "9 ms"),
    ("links.bottleneck.queue", "ired", "clone_path", "direct"),
    ("flows.f.transport", "octopus", "initial_rtt", "300 ms"),
    ("flows.f.transport.congestion", "newreno", "beta", "0.6"),
    ("flows.v.transport.congestion", "sprout", "percentile", "0.1"),
    ("flows.f.app", "web", "shape", "1.5"),
    ("flows.d.app.player.abr", "bola", "gamma_p", "6"),
    ("flows.d.app.player", "vlc", "rebuffer", "2 s"),
    ("flows.v.app.encoder", "salsify", "share", "0.5"),
    ("flows.d.app.player.abr", "throughput", "history.safety", "0.8"),
];

fn effective(text: &str, set: &[String]) -> Value {
    let registries = Builder::standard().registries();
    let changes = Changes { set: set.to_vec(), quick: false };
    let mut scenario = Scenario::parse(text, "s.toml", &NoFiles, &changes, &registries)
        .unwrap_or_else(|error| panic!("{set:?}: {error}"));
    scenario.variants.pop().expect("a scenario has a variant").effective
}

fn with(path: &str, value: &str) -> Value {
    effective(TEXT, &[format!("{path}={value}")])
}

#[test]
fn an_id_and_a_table_with_that_kind_are_equal() {
    for (path, id, ..) in CHOICES {
        let table = format!("{{ kind = \"{id}\" }}");
        assert_eq!(with(path, id), with(path, &table), "{path}");
        assert_ne!(with(path, id), effective(TEXT, &[]), "{path}");
    }
}

#[test]
fn a_parameter_of_an_id_may_be_set_by_its_path() {
    for (path, id, key, value) in CHOICES {
        let (chosen, set) = (format!("{path}={id}"), format!("{path}.{key}={value}"));
        let both = effective(TEXT, &[chosen.clone(), set]);
        assert_ne!(both, effective(TEXT, std::slice::from_ref(&chosen)), "{path}.{key}");
        let at = path.split('.').fold(&both, |value, key| &value[key]);
        assert_eq!(at["kind"], id, "{path}");
    }
}

#[test]
fn a_parameter_of_the_default_may_be_set_without_naming_it() {
    let said = [
        "app = \"bulk\"\ntransport = \"tcp\"",
        "app = \"bulk\"\ntransport = { kind = \"tcp\" }",
        "app = \"bulk\"\ntransport = { kind = \"tcp\", congestion = \"cubic\" }",
        "app = \"bulk\"\ntransport = { kind = \"tcp\", congestion = { kind = \"cubic\", c = 0.4 } }",
    ];
    for said in said {
        let text = TEXT.replace("app = \"bulk\"\ntransport = \"tcp\"", said);
        let set = effective(&text, &["flows.f.transport.congestion.beta=0.8".to_owned()]);
        let congestion = &set["flows"]["f"]["transport"]["congestion"];
        assert_eq!((&congestion["kind"], &congestion["beta"]), (&"cubic".into(), &0.8.into()), "{said}");
        let axis = format!("{text}[[vary]]\npath = \"flows.f.transport.congestion.beta\"\nvalues = [0.8]\n");
        assert_eq!(
            effective(&axis, &[])["flows"]["f"]["transport"],
            set["flows"]["f"]["transport"],
            "{said}"
        );
    }
}
