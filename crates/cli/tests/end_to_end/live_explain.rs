//! `jettison explain` of live results: a viewer and a call that a flood starves, and what their router and applications saw.

use std::path::Path;

use jettison_core::{Duration, Time};
use jettison_measure::{Component, EventKind, Status, UnitKind};
use jettison_report::explain::{Account, Evidence};
use jettison_report::{RunKey, stored_evidence};

use super::live::can_run_live;
use super::support::Folder;

/// A flood takes the link, and its queue of 20 packets, from 4 s to 7 s; the viewer's buffer holds at most 2 s.
const FLOOD: &str = r#"name = "flood"
duration = "10 s"
record.accounts = true

[nodes]
server = { kind = "host" }
router = { kind = "router" }
client = { kind = "host" }

[links.access]
between = ["server", "router"]
rate = "1 Gbit/s"

[links.bottleneck]
between = ["router", "client"]
rate = "5 Mbit/s"
delay = "10 ms"
queue = { kind = "tail-drop", limit = "20 packets" }

[flows.viewer]
from = "server"
to = "client"
[flows.viewer.app]
kind = "dash"
player = { abr = "bola", max_buffer = "2 s", start_up = "1 s", rebuffer = "1 s" }
[flows.viewer.app.content]
duration = "60 s"
segment_duration = "1 s"
[[flows.viewer.app.content.ladder.video]]
width = 640
height = 360
frame_rate = 25
bitrate = "1 Mbit/s"
[[flows.viewer.app.content.ladder.video]]
width = 1280
height = 720
frame_rate = 25
bitrate = "2 Mbit/s"

[flows.call]
from = "server"
to = "client"
app = { kind = "conference", rate = "500 kbit/s" }

[flows.flood]
from = "server"
to = "client"
transport = "udp"
app = { kind = "cbr", rate = "8 Mbit/s" }
start = "4 s"
stop = "7 s"

[flows.outside]
from = "client"
to = "server"
app = { kind = "command", at_to = "sleep 1" }
"#;

#[test]
fn a_live_stall_is_explained_by_what_the_router_saw() {
    if !can_run_live("a_live_stall_is_explained_by_what_the_router_saw") {
        return;
    }
    let folder = Folder::new();
    folder.write("flood.toml", FLOOD);
    let ran = folder.jettison(&["live", "flood.toml", "--yes", "--out", "out"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");

    let text = folder.jettison(&["explain", "out", "--viewer", "viewer", "--worst", "3"]).ok();
    // Lines are broken where numbers of the run let them be.
    let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    for part in [
        "stall of `viewer`",
        "of its packets dropped or marked at bottleneck.forward",
        "by buffer-full",
        "not checked: a live run cannot be repeated",
        "What the hosts' kernels did between them is not",
        "`outside` is an external program: only its packets at the router are seen.",
    ] {
        assert!(words.contains(part), "{part} is not in:\n{text}");
    }
    let holders = text.lines().find(|line| line.contains("packets waited, held by")).unwrap_or_default();
    assert!(holders.contains("flood"), "{text}");
    let records = folder.jettison(&["explain", "out", "--viewer", "viewer", "--json"]).records();
    assert_eq!(records[0]["type"], "unseen");
    assert!(records[1..].iter().all(|own| own["verdict"] == "unchecked"), "{records:?}");
    let page = String::from_utf8_lossy(&folder.read("out/report.html")).into_owned();
    assert!(page.contains("Events of viewers") && page.contains("a live run cannot be repeated"));

    let key = RunKey { variant: "default".to_owned(), seed: 1 };
    let evidence = stored_evidence(&folder.path("out"), &key).expect("it can be read").expect("it is there");
    accounts_add_up(&evidence);
    drops_are_known(&evidence);

    let said = folder.jettison(&["whatif", "out", "--flip", "0"]).refused();
    assert!(said.contains("was measured live, which cannot be repeated"), "{said}");
    let said = folder.jettison(&["explain", "out", "--check-sample", "3"]).refused();
    assert!(said.contains("was measured live, which cannot be repeated"), "{said}");
    without_accounts(&folder);
}

/// Accounts of both viewers: their parts add up, and the router's are among them.
fn accounts_add_up(evidence: &Evidence) {
    let whole = |own: &Account| own.parts.iter().fold(Duration::ZERO, |sum, part| sum + part.duration);
    let has = |own: &Account, component| own.parts.iter().any(|part| part.component == component);
    for (flow, kind, least) in [("viewer", UnitKind::Segment, 4), ("call", UnitKind::Frame, 50)] {
        let accounts = evidence.accounts(flow);
        let shown: Vec<&Account> = accounts
            .iter()
            .filter(|own| own.unit.kind == kind && own.unit.number > 0 && own.status == Status::Shown)
            .collect();
        assert!(shown.len() >= least, "{flow}: {} shown of {}", shown.len(), accounts.len());
        for own in accounts {
            assert_eq!(own.start.saturating_add(whole(own)), own.end, "{flow}: {own:?}");
        }
        for own in shown {
            let seen = [Component::Unseen, Component::Serialisation, Component::Propagation];
            assert!(seen.iter().all(|component| has(own, *component)), "{flow}: {own:?}");
        }
    }
    // The kernel sends again what the router dropped.
    let repaired = evidence.accounts("viewer").iter().flat_map(|own| &own.parts).any(|part| {
        matches!(part.component, Component::Retransmission | Component::HeadOfLine) && part.decision.is_some()
    });
    assert!(repaired, "no segment waited for a dropped packet");
}

/// Drops of both viewers say what they carried, and whose packets held the queue.
fn drops_are_known(evidence: &Evidence) {
    assert!(evidence.events.iter().any(|own| own.kind == EventKind::Stall), "it stalls");
    let drops = |flow: &'static str| {
        let all = evidence.decisions(Time::from_millis(4_200), Time::from_secs(7));
        all.filter(move |own| own.flow == flow && own.queue == "bottleneck.forward")
    };
    let known = |flow, kind| {
        let own: Vec<_> = drops(flow).collect();
        let named = own.iter().filter(|drop| drop.unit.is_some_and(|unit| unit.kind == kind)).count();
        // Packets without data (SYN, ACK, FIN) carry no unit; how many of them meet the flood differs from run to run.
        assert!(named > 0 && 2 * named > own.len(), "{flow}: {named} of {}: {own:?}", own.len());
        assert!(own.iter().all(|drop| drop.backlog == Some(20) && drop.holders.contains("flood")), "{own:?}");
    };
    known("viewer", UnitKind::Segment);
    known("call", UnitKind::Frame);
}

/// Without accounts there is nothing to explain, and the message says how to have them.
fn without_accounts(folder: &Folder) {
    let short = ["record.accounts=false", "duration=1 s", "flows.flood.start=0 s", "flows.flood.stop=1 s"];
    let mut arguments = vec!["live", "flood.toml", "--yes", "--out", "bare"];
    arguments.extend(short.iter().flat_map(|setting| ["--set", setting]));
    assert_eq!(folder.jettison(&arguments).status, Some(0));
    let said = folder.jettison(&["explain", "bare"]).refused();
    let file = Path::new("flood.toml").display();
    assert!(
        said.contains("bare has no accounts of delays")
            && said.contains(&format!("run `jettison live {file} --set record.accounts=true`")),
        "{said}"
    );
}
