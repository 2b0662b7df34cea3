//! A case as a scenario of the simulator, or of `jettison live`.

use jettison_core::Duration;
use toml::{Table, Value};

use crate::case::{Case, Load};

/// Rate of links that are no bottleneck.
const FAST: &str = "100 Gbit/s";

/// The scenario of a case; all flows start `offset` later than the case says.
///
/// The path is that of the virtual machine: no delay before the bottleneck and all of it on the way back. Each
/// flow's two hosts are the same.
pub fn text(case: &Case, offset: Duration) -> String {
    let mut flows = Table::new();
    for i in 0..case.flows {
        flows.insert(format!("flow{}", i + 1), flow(case, offset + case.spacing * u64::from(i)).into());
    }
    let mut root = Table::new();
    root.insert("name".to_owned(), format!("oracle/{}", case.name).into());
    root.insert("duration".to_owned(), case.duration.to_string().into());
    root.insert("warm_up".to_owned(), case.warm_up.to_string().into());
    root.insert("nodes".to_owned(), nodes().into());
    root.insert("links".to_owned(), links(case).into());
    root.insert("flows".to_owned(), flows.into());
    root.to_string()
}

fn table<const N: usize>(pairs: [(&str, Value); N]) -> Table {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn nodes() -> Table {
    let node = |kind: &str| Value::Table(table([("kind", kind.into())]));
    table([("sender", node("host")), ("router", node("router")), ("receiver", node("host"))])
}

fn links(case: &Case) -> Table {
    let large = || Value::Table(table([("kind", "tail-drop".into()), ("limit", "1000000 packets".into())]));
    let between = |a: &str, b: &str| Value::Array(vec![a.into(), b.into()]);
    let access = table([
        ("between", between("sender", "router")),
        ("rate", FAST.into()),
        ("overhead", "0 bytes".into()),
        ("queue", large()),
    ]);
    let reverse = table([("rate", FAST.into()), ("delay", case.rtt.to_string().into()), ("queue", large())]);
    let bottleneck = table([
        ("between", between("router", "receiver")),
        ("rate", case.rate.to_string().into()),
        ("overhead", "0 bytes".into()),
        ("queue", Value::Table(case.queue.clone())),
        ("reverse", reverse.into()),
    ]);
    table([("access", access.into()), ("bottleneck", bottleneck.into())])
}

fn flow(case: &Case, start: Duration) -> Table {
    let congestion: Value = match case.congestion.as_str() {
        "reno" => "newreno".into(),
        // Its default is exact, and sends ECT(1); Linux sends ECT(0).
        "dctcp" => {
            table([("kind", "dctcp".into()), ("rounding", "linux".into()), ("codepoint", "ect0".into())])
                .into()
        }
        other => other.into(),
    };
    let app = match case.load {
        Load::Bulk => table([("kind", "bulk".into())]),
        Load::Transfers { size } => table([("kind", "bulk".into()), ("bytes", size.to_string().into())]),
        Load::OnOff { size, interval } => table([
            ("kind", "segments".into()),
            ("size", size.to_string().into()),
            ("interval", interval.to_string().into()),
        ]),
    };
    let transport = table([
        ("kind", "tcp".into()),
        ("congestion", congestion),
        ("ecn", case.ecn.into()),
        ("receive_buffer", "32 MiB".into()),
        ("idle_restart", "linux".into()),
    ]);
    table([
        ("from", "sender".into()),
        ("to", "receiver".into()),
        ("start", start.to_string().into()),
        ("app", app.into()),
        ("transport", transport.into()),
    ])
}
