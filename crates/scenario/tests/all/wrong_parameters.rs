//! Wrong parameters of every kind of component: place, key, requirement, value found, and nearest known name, in a file, an
//! option and an axis.

use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, NoFiles, Registries, Scenario};

/// The lines that cases replace, by path.
const LINES: [(&str, &str); 7] = [
    ("links.bottleneck.queue", "queue = \"tail-drop\""),
    ("flows.f.transport", "transport = \"tcp\""),
    ("flows.f.app", "app = \"bulk\""),
    ("flows.d.app", "app = \"dash\""),
    ("flows.v.transport", "transport = \"octopus\""),
    ("flows.v.app", "app = \"spatial-video\""),
    ("links.access.loss", "loss = 0"),
];

const TEXT: &str = r#"name = "wrong"
duration = "10 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
loss = 0
[links.bottleneck]
between = ["r", "b"]
rate = "10 Mbit/s"
queue = "tail-drop"
reverse = { queue = "tail-drop" }
[flows.f]
from = "a"
to = "b"
transport = "tcp"
app = "bulk"
[flows.d]
from = "a"
to = "b"
app = "dash"
[flows.v]
from = "a"
to = "b"
transport = "octopus"
app = "spatial-video"
"#;

/// Path of the line, value with `¦` before the error, and message.
const CASES: &[(&str, &str, &str)] = &[
    // Queue disciplines.
    (
        "links.bottleneck.queue",
        r#"{ kind = ¦"coddel" }"#,
        "`links.bottleneck.queue.kind`: unknown queue discipline `coddel`; did you mean `codel`?",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "codel", ¦tagret = "5 ms" }"#,
        "unknown key `links.bottleneck.queue.tagret`; did you mean `target`?",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "codel", target = ¦5 }"#,
        "`links.bottleneck.queue.target` must be a duration with its unit (such as \"20 ms\"), got 5",
    ),
    ("links.bottleneck.queue", r#"{ kind = "fq-codel", flows = ¦0 }"#, "`links.bottleneck.queue.flows`"),
    // Disciplines within another.
    (
        "links.bottleneck.queue",
        r#"{ kind = "priority", bands = ["tail-drop", ¦"coddel"] }"#,
        "`links.bottleneck.queue.bands[1]`: unknown queue discipline `coddel`; did you mean `codel`?",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "priority", bands = ["tail-drop", { kind = "codel", ¦tagret = "5 ms" }] }"#,
        "unknown key `links.bottleneck.queue.bands[1].tagret`; did you mean `target`?",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "priority", bands = ["tail-drop", { kind = "codel", target = ¦5 }] }"#,
        "`links.bottleneck.queue.bands[1].target` must be a duration with its unit (such as \"20 ms\"), got 5",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "priority", bands = [{ kind = "fq-codel", flows = ¦0 }] }"#,
        "`links.bottleneck.queue.bands[0].flows`",
    ),
    // Queues with port hooks.
    (
        "links.bottleneck.queue",
        r#"{ kind = ¦"irred" }"#,
        "`links.bottleneck.queue.kind`: unknown queue discipline `irred`; did you mean `ired`?",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "ired", ¦clone_pth = "direct" }"#,
        "unknown key `links.bottleneck.queue.clone_pth`; did you mean `clone_path`?",
    ),
    (
        "links.bottleneck.queue",
        r#"{ kind = "ired", culprit = ¦"yes" }"#,
        "`links.bottleneck.queue.culprit` must be true or false, got \"yes\"",
    ),
    ("links.bottleneck.queue", r#"{ kind = "ired", n = ¦32 }"#, "`links.bottleneck.queue.n`"),
    // Transports.
    (
        "flows.f.transport",
        r#"{ kind = ¦"tpc" }"#,
        "`flows.f.transport.kind`: unknown transport `tpc`; did you mean `tcp`?",
    ),
    ("flows.f.transport", r#"¦"tpc""#, "`flows.f.transport`: unknown transport `tpc`; did you mean `tcp`?"),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", ¦min_rot = "1 s" }"#,
        "unknown key `flows.f.transport.min_rot`; did you mean `min_rto`?",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", mss = ¦"big" }"#,
        "`flows.f.transport.mss` must be an integer, got \"big\"",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", ecn = ¦"on" }"#,
        "`flows.f.transport.ecn` must be one of auto, accurate, true, false, got \"on\"",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", mss = ¦0 }"#,
        "`flows.f.transport.mss` must be 1 to 65000 bytes, got 0",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", dscp = ¦64 }"#,
        "`flows.f.transport.dscp` must be 0 to 63, got 64",
    ),
    // TCP's congestion controllers.
    (
        "flows.f.transport",
        r#"{ kind = "tcp", congestion = ¦"cubik" }"#,
        "`flows.f.transport.congestion`: unknown congestion controller `cubik`; did you mean `cubic`?",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", congestion = { kind = ¦"cubik" } }"#,
        "`flows.f.transport.congestion.kind`: unknown congestion controller `cubik`; did you mean `cubic`?",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", congestion = { kind = "cubic", ¦betta = 0.7 } }"#,
        "unknown key `flows.f.transport.congestion.betta`; did you mean `beta`?",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", congestion = { kind = "cubic", beta = ¦"x" } }"#,
        "`flows.f.transport.congestion.beta` must be a number, got \"x\"",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", congestion = { kind = "cubic", beta = ¦1.5 } }"#,
        "`flows.f.transport.congestion.beta` must be in (0, 1), got 1.5",
    ),
    (
        "flows.f.transport",
        r#"{ kind = "tcp", congestion_parameters = { ¦betta = 0.7 } }"#,
        "unknown key `flows.f.transport.congestion_parameters.betta`; did you mean `beta`?",
    ),
    // Controllers of the message transport.
    (
        "flows.v.transport",
        r#"{ kind = "octopus", congestion = ¦"screm" }"#,
        "`flows.v.transport.congestion`: unknown congestion controller `screm`; did you mean `scream`?",
    ),
    (
        "flows.v.transport",
        r#"{ kind = "octopus", congestion = { kind = "sprout", ¦percentil = 0.1 } }"#,
        "unknown key `flows.v.transport.congestion.percentil`; did you mean `percentile`?",
    ),
    (
        "flows.v.transport",
        r#"{ kind = "octopus", congestion = { kind = "sprout", percentile = ¦"low" } }"#,
        "`flows.v.transport.congestion.percentile` must be a number, got \"low\"",
    ),
    (
        "flows.v.transport",
        r#"{ kind = "octopus", congestion = { kind = "sprout", percentile = ¦0.9 } }"#,
        "`flows.v.transport.congestion.percentile` must be in [0.0001, 0.5], got 0.9",
    ),
    (
        "flows.v.transport",
        r#"{ kind = "octopus", congestion = { kind = "cubic", beta = ¦0 } }"#,
        "`flows.v.transport.congestion.beta` must be in (0, 1), got 0",
    ),
    // Applications.
    ("flows.f.app", r#"¦"bullk""#, "`flows.f.app`: unknown application `bullk`; did you mean `bulk`?"),
    (
        "flows.f.app",
        r#"{ kind = ¦"bullk" }"#,
        "`flows.f.app.kind`: unknown application `bullk`; did you mean `bulk`?",
    ),
    (
        "flows.f.app",
        r#"{ kind = "web", ¦shap = 1.2 }"#,
        "unknown key `flows.f.app.shap`; did you mean `shape`?",
    ),
    ("flows.f.app", r#"{ kind = "web", shape = ¦"x" }"#, "`flows.f.app.shape` must be a number, got \"x\""),
    ("flows.f.app", r#"{ kind = "web", shape = ¦0 }"#, "`flows.f.app.shape` must be > 0, got 0"),
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { ¦max_bufer = "30 s" } }"#,
        "unknown key `flows.d.app.player.max_bufer`; did you mean `max_buffer`?",
    ),
    // Adaptation rules.
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { abr = ¦"bolla" } }"#,
        "`flows.d.app.player.abr`: unknown adaptation rule `bolla`; did you mean `bola`?",
    ),
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { abr = { kind = ¦"bolla" } } }"#,
        "`flows.d.app.player.abr.kind`: unknown adaptation rule `bolla`; did you mean `bola`?",
    ),
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { abr = { kind = "bola", ¦gama_p = 5 } } }"#,
        "unknown key `flows.d.app.player.abr.gama_p`; did you mean `gamma_p`?",
    ),
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { abr = { kind = "throughput", history = { ¦saftey = 0.9 } } } }"#,
        "unknown key `flows.d.app.player.abr.history.saftey`; did you mean `safety`?",
    ),
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { abr = { kind = "bola", gamma_p = ¦"x" } } }"#,
        "`flows.d.app.player.abr.gamma_p` must be a number, got \"x\"",
    ),
    (
        "flows.d.app",
        r#"{ kind = "dash", player = { abr = { kind = "bola", gamma_p = ¦-1 } } }"#,
        "`flows.d.app.player.abr.gamma_p` must be > 0, got -1",
    ),
    // Encoders.
    (
        "flows.v.app",
        r#"{ kind = "spatial-video", encoder = ¦"salsiffy" }"#,
        "`flows.v.app.encoder`: unknown encoder `salsiffy`; did you mean `salsify`?",
    ),
    (
        "flows.v.app",
        r#"{ kind = "spatial-video", encoder = { kind = ¦"salsiffy" } }"#,
        "`flows.v.app.encoder.kind`: unknown encoder `salsiffy`; did you mean `salsify`?",
    ),
    (
        "flows.v.app",
        r#"{ kind = "spatial-video", encoder = { kind = "salsify", ¦shar = 1 } }"#,
        "unknown key `flows.v.app.encoder.shar`; did you mean `share`?",
    ),
    (
        "flows.v.app",
        r#"{ kind = "spatial-video", encoder = { kind = "salsify", share = ¦"x" } }"#,
        "`flows.v.app.encoder.share` must be a number, got \"x\"",
    ),
    (
        "flows.v.app",
        r#"{ kind = "spatial-video", encoder = { kind = "salsify", share = ¦0 } }"#,
        "`flows.v.app.encoder.share` must be",
    ),
    // Links have no `kind`: their keys choose the model.
    (
        "links.access.loss",
        r#"{ ¦probabilty = 0.1 }"#,
        "unknown key `links.access.loss.probabilty`; did you mean `probability`?",
    ),
    ("links.access.loss", r#"¦"often""#, "`links.access.loss` must be a share"),
    ("links.access.loss", r#"¦1.5"#, "`links.access.loss` must be in [0, 1], got 1.5"),
    ("links.access.loss", r#"{ scheduled = [{ packet = ¦0 }] }"#, "`links.access.loss.scheduled[0].packet`"),
];

fn said(text: &str, set: &[String], registries: &Registries) -> String {
    let changes = Changes { set: set.to_vec(), quick: false };
    match Scenario::parse(text, "s.toml", &NoFiles, &changes, registries) {
        Ok(_) => "nothing wrong".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Line and column of `¦` in the text, and the text without it.
fn placed(text: &str) -> (String, String) {
    let at = text.find('¦').expect("something is at fault");
    let (line, start) = (text[..at].matches('\n').count() + 1, text[..at].rfind('\n').map_or(0, |at| at + 1));
    (format!("s.toml:{line}:{}: ", text[start..at].chars().count() + 1), text.replace('¦', ""))
}

#[test]
fn the_unchanged_scenario_passes_the_check() {
    let registries = Builder::standard().registries();
    assert_eq!(said(TEXT, &[], &registries), "nothing wrong");
}

#[test]
fn an_error_in_a_file_has_line_column_key_requirement_and_nearest_name() {
    let registries = Builder::standard().registries();
    for (path, value, message) in CASES {
        let (_, line) = LINES.iter().find(|(known, _)| known == path).expect("it is a line");
        let key = line.split(' ').next().expect("a line has a key");
        let (place, text) = placed(&TEXT.replacen(line, &format!("{key} = {value}"), 1));
        let said = said(&text, &[], &registries);
        assert!(said.starts_with(&format!("{place}{message}")), "{value}\n{said}\nand not\n{place}{message}");
        assert_eq!(said.lines().count(), 1, "{value}: {said}");
    }
}

#[test]
fn a_message_about_an_option_quotes_it() {
    let registries = Builder::standard().registries();
    for (path, value, message) in CASES {
        let option = format!("{path}={}", value.replace('¦', ""));
        let said = said(TEXT, std::slice::from_ref(&option), &registries);
        assert!(said.starts_with(&format!("--set {option}: {message}")), "{said}\nand not\n{message}");
    }
}

#[test]
fn an_error_in_an_arm_has_its_line_and_column() {
    let registries = Builder::standard().registries();
    for (path, value, message) in CASES {
        let axis = format!("{TEXT}[[vary]]\npath = \"{path}\"\nvalues = [{value}]\n");
        let (place, text) = placed(&axis);
        let said = said(&text, &[], &registries);
        assert!(said.starts_with(&format!("{place}{message}")), "{value}\n{said}\nand not\n{place}{message}");
    }
}
