//! Substitutes for registries and files.

use std::collections::BTreeMap;
use std::io;

use jettison_core::{Bytes, Duration};
use jettison_registry::{ParameterError, parameters};
use jettison_scenario::{
    Changes, Files, Fits, GaugesOf, InitiatorOf, Kind, Kinds, ReadFile, Registries, Scenario, TraceCheck,
    TraceProblem, UsualTransport,
};
use jettison_sockets::Initiator;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// CoDel.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct CoDel {
    /// Sojourn time to keep below.
    target: Duration,
    /// Sliding window.
    interval: Duration,
    /// Whether to mark.
    ecn: bool,
}
impl Default for CoDel {
    fn default() -> CoDel {
        CoDel { target: Duration::from_millis(5), interval: Duration::from_millis(100), ecn: false }
    }
}

/// Tail drop.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TailDrop {
    /// Most packets.
    packets: Option<u64>,
    /// Most bytes.
    bytes: Option<Bytes>,
}

/// iRED.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Ired {
    /// N.
    n: u32,
}

/// TCP.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Tcp {
    /// Controller.
    congestion: String,
    /// Growth.
    growth: Growth,
    /// Pacing gains.
    gains: Vec<f64>,
}
impl Default for Tcp {
    fn default() -> Tcp {
        Tcp { congestion: "cubic".to_owned(), growth: Growth::PerByte, gains: vec![2.0, 1.2] }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Growth {
    PerByte,
    PerAck,
}

/// CBR.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cbr {
    /// Rate.
    rate: jettison_core::Rate,
}

/// Video from a trace.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Video {
    /// The trace.
    #[schemars(extend("format" = "input-file"))]
    trace: String,
}

/// A player, whose server listens at the `from` end.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Player {
    /// Content.
    content: Content,
    /// A further file.
    #[serde(default)]
    extra: Option<FileName>,
}

/// A ladder, or a manifest file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Content {
    /// Rates.
    Ladder {
        /// Mbit/s.
        rates: Vec<f64>,
    },
    /// A manifest.
    Manifest {
        /// The manifest's file.
        mpd: FileName,
    },
}

/// The name of a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct FileName(#[schemars(extend("format" = "input-file"))] String);

/// Checks a manifest: it begins with `<MPD`, and may name another file after that.
fn check_player(value: &serde_json::Value, files: ReadFile<'_>) -> Result<(), ParameterError> {
    let Content::Manifest { mpd } = parameters::<Player>(value)?.content else { return Ok(()) };
    let wrong = |message: String| ParameterError::at("mpd", message).under("content");
    let content = (files.0)(&mpd.0).map_err(wrong)?;
    let Some(sizes) = content.strip_prefix(b"<MPD") else {
        return Err(wrong(format!("`{}` is no MPD", mpd.0)));
    };
    match std::str::from_utf8(sizes).expect("the shelf holds text").trim() {
        "" => Ok(()),
        sizes => (files.0)(sizes).map(drop).map_err(wrong),
    }
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Nothing {}

fn kind<T: JsonSchema + DeserializeOwned + 'static>(check: fn(&T) -> Result<(), ParameterError>) -> Kind {
    Kind {
        description: "for tests".to_owned(),
        schema: schema_for!(T).to_value(),
        check: Box::new(move |value, _| check(&parameters::<T>(value)?)),
    }
}

pub fn registries() -> Registries {
    let codel = kind(|codel: &CoDel| {
        if codel.target < codel.interval {
            return Ok(());
        }
        Err(ParameterError::at("target", "must be shorter than `interval`"))
    });
    let tcp = kind(|tcp: &Tcp| {
        if let Some(at) = tcp.gains.iter().position(|gain| *gain <= 0.0) {
            return Err(ParameterError::at(&at.to_string(), "a gain must be above 0").under("gains"));
        }
        match tcp.congestion.as_str() {
            "cubic" | "newreno" => Ok(()),
            other => {
                Err(ParameterError::at("congestion", format!("unknown congestion controller `{other}`")))
            }
        }
    });
    Registries {
        disciplines: Kinds::new("queue discipline")
            .with("tail-drop", kind(|_: &TailDrop| Ok(())))
            .with("codel", codel),
        port_queues: Kinds::new("queue discipline").with("ired", kind(|_: &Ired| Ok(()))),
        transports: Kinds::new("transport").with("tcp", tcp).with("udp", kind(|_: &Nothing| Ok(()))),
        applications: Kinds::new("application")
            .with("bulk", kind(|_: &Nothing| Ok(())))
            .with("ping", kind(|_: &Nothing| Ok(())))
            .with("cbr", kind(|_: &Cbr| Ok(())))
            .with("video", kind(|_: &Video| Ok(())))
            .with("player", Kind { check: Box::new(check_player), ..kind(|_: &Player| Ok(())) }),
        fits: Fits(Box::new(|application, transport| match (application, transport) {
            ("bulk", Some("udp")) => Err("`bulk` runs over tcp; write `transport = \"tcp\"`".to_owned()),
            _ => Ok(()),
        })),
        usual_transport: UsualTransport(Box::new(|application| match application {
            "bulk" | "player" => Some("tcp".to_owned()),
            "cbr" | "video" => Some("udp".to_owned()),
            _ => None,
        })),
        initiator: InitiatorOf(Box::new(|application| match application {
            "player" => Initiator::To,
            _ => Initiator::From,
        })),
        gauges: GaugesOf(Box::new(|_, _| Default::default())),
        trace: TraceCheck(Box::new(|text| {
            let bad = text.lines().position(|line| line.trim().parse::<u64>().is_err());
            if text.is_empty() {
                return Err(TraceProblem { line: None, message: "an empty trace".to_owned() });
            }
            match bad {
                Some(line) => Err(TraceProblem { line: Some(line + 1), message: "not a number".to_owned() }),
                None => Ok(()),
            }
        })),
    }
}

/// Files by name.
#[derive(Debug, Default)]
pub struct Shelf(pub BTreeMap<&'static str, &'static str>);

impl Files for Shelf {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let text = self.0.get(name).ok_or(io::Error::new(io::ErrorKind::NotFound, "no such file"))?;
        Ok(text.as_bytes().to_vec())
    }
    fn display(&self, name: &str) -> String {
        format!("shelf/{name}")
    }
}

/// Rounds of 20 s: 10 s each of 8 Mbit/s, 41 ms, 1 % and of 2 Mbit/s, 80 ms, 1 %.
const STEPS: &str = r#"{
    "changes": [{"time": 0, "bw": 8, "rtt": 41, "loss": 1}, {"time": 10, "bw": 2, "rtt": 80, "loss": 1}],
    "repeat": "True", "pause": 10, "duration": 640
}"#;

pub fn shelf() -> Shelf {
    Shelf(BTreeMap::from([
        ("good.down", "1\n2\n3\n"),
        ("bad.down", "1\nx\n3\n"),
        ("empty.down", ""),
        ("cell.trace", "10\n3\n14500\n0\n2900\n"),
        ("short.trace", "10\n4\n14500\n0\n2900\n"),
        ("thin.trace", "10\n3\n20\n0\n15\n"),
        ("mot.csv", "frames"),
        ("film.mpd", "<MPD"),
        ("sized.mpd", "<MPD mot.csv"),
        ("lost.mpd", "<MPD none.csv"),
        ("steps.json", STEPS),
        ("negative.json", "{\"changes\": [{\"time\": 0, \"bw\": 1}, {\"time\": 5, \"bw\": -1}]}"),
        ("text.json", "steps\ndown"),
        ("hasty.json", "{\"changes\": [{\"time\": 0, \"bw\": 1}], \"repeat\": true, \"pause\": 0.0001}"),
    ]))
}

pub fn parse_with(text: &str, set: &[&str], quick: bool) -> Result<Scenario, String> {
    let changes = Changes { set: set.iter().map(|option| option.to_string()).collect(), quick };
    Scenario::parse(text, "s.toml", &shelf(), &changes, &registries()).map_err(|error| error.to_string())
}

/// The messages about a text, one per line.
pub fn messages(text: &str) -> String {
    parse_with(text, &[], false).map(|_| "nothing wrong".to_owned()).unwrap_or_else(|messages| messages)
}

/// A valid scenario, which tests change.
pub const GOOD: &str = r#"name = "ired/ingress-vs-egress"
duration = "60 s"
warm_up = "5 s"
seeds = 5

[nodes]
h1 = { kind = "host" }
r = { kind = "router" }
h2 = { kind = "host" }

[queues.ired-64]
kind = "ired"
n = 4

[links.access]
between = ["h1", "r"]
rate = "1 Gbit/s"
delay = "1 ms"

[links.bottleneck]
between = ["r", "h2"]
rate = "10 Mbit/s"
delay = "9 ms"
queue = "ired-64"
reverse = { queue = "tail-drop" }

[flows.bulk]
from = "h1"
to = "h2"
transport = { kind = "tcp", congestion = "newreno" }
app = { kind = "bulk" }
start_jitter = "100 ms"

[[vary]]
name = "queue"
path = "links.bottleneck.queue"
values = ["ired-64", "codel"]
"#;

/// The messages of the good scenario with one thing changed.
#[track_caller]
pub fn changed(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "the scenario has no {from:?}");
    messages(&GOOD.replacen(from, to, 1))
}

#[track_caller]
pub fn expect(from: &str, to: &str, message: &str) {
    assert_eq!(changed(from, to), message);
}
