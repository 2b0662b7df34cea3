//! Scripts at ports with each kind of queue: the order of packets that are kept, and that none is lost or doubled.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jettison_core::{DropReason, MarkReason, Time};
use jettison_measure::{Decision, Outcome as DecisionOutcome, RunRecord};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Files, Scenario};
use jettison_sim::{Effects, Intervention, Replaced, Replacement, Script, Tap, Window, World, can_revert};
use jettison_wire::{Ecn, FlowId, Packet};

/// The flows end before the run, so that all packets have left.
const TEXT: &str = r#"name = "order"
duration = "6 s"
[nodes]
a = { kind = "host" }
b = { kind = "host" }
ROUTER
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "1 ms"
queue = { kind = "tail-drop", limit = "1000 packets" }
[links.bottleneck]
between = ["r", "b"]
RATE
delay = "5 ms"
QUEUE
reverse = { queue = "tail-drop" }
[flows.one]
FLOW
app = { kind = "cbr", rate = "900 kbit/s", payload = "1000 B" }
[flows.two]
FLOW
app = { kind = "cbr", rate = "900 kbit/s", payload = "600 B", gaps = "poisson" }
[flows.three]
FLOW
app = { kind = "cbr", rate = "300 kbit/s", payload = "200 B", gaps = "poisson" }
"#;
const FLOW: &str = "from = \"a\"\nto = \"b\"\ntransport = { kind = \"udp\", ecn = \"ECN\" }\nstop = \"3 s\"";

/// A network with one bottleneck.
#[derive(Clone)]
struct Network {
    router: &'static str,
    rate: &'static str,
    queue: &'static str,
    ecn: &'static str,
    /// Whether all packets leave in the order in which they came.
    is_fifo: bool,
}

const PLAIN: Network = Network {
    router: "r = { kind = \"router\" }",
    rate: "rate = \"1500 kbit/s\"",
    queue: "queue = { kind = \"tail-drop\", limit = \"20 packets\" }",
    ecn: "not-ect",
    is_fifo: true,
};

/// A trace with an opportunity every 10 ms.
struct Opportunities;

impl Files for Opportunities {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Ok(b"10\n".to_vec())
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

/// A packet that has left a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Left {
    at: Time,
    id: u32,
    flow: FlowId,
    ecn: Ecn,
    hop_limit: u8,
}

/// Packets that have left a port, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(String, Left)>>>);

impl Tap for Log {
    fn transmitted(&mut self, direction: &str, packet: &Packet, now: Time) {
        let meta = &packet.meta;
        let left =
            Left { at: now, id: meta.id, flow: meta.flow, ecn: packet.ecn(), hop_limit: meta.hop_limit };
        self.0.lock().expect("no thread panicked").push((direction.to_owned(), left));
    }
}

impl Log {
    fn of(&self, direction: &str) -> Vec<Left> {
        let log = self.0.lock().expect("no thread panicked");
        log.iter().filter(|(name, _)| name == direction).map(|(_, left)| *left).collect()
    }
}

/// A network, checked.
struct Ready {
    builder: Builder,
    scenario: Scenario,
    /// The direction with the queue.
    bottleneck: &'static str,
}

/// What a run left.
struct Outcome {
    record: RunRecord,
    effects: Effects,
    sent: Vec<Left>,
    arrived: usize,
}

impl Network {
    fn ready(&self) -> Ready {
        let is_host = self.router.is_empty();
        let text = TEXT
            .replace("ROUTER", if is_host { "r = { kind = \"router\" }" } else { self.router })
            .replace("RATE", self.rate)
            .replace("QUEUE", self.queue)
            .replace("FLOW", FLOW)
            .replace("ECN", self.ecn);
        // Without a router of its own, the queue is that of the sending host.
        let text = match is_host {
            true => text.replace("between = [\"a\", \"r\"]", "between = [\"r\", \"b\"]").replacen(
                "between = [\"r\", \"b\"]\nrate = \"1500",
                "between = [\"a\", \"r\"]\nrate = \"1500",
                1,
            ),
            false => text,
        };
        let builder = Builder::standard();
        let scenario =
            Scenario::parse(&text, "order", &Opportunities, &Changes::default(), &builder.registries())
                .unwrap_or_else(|error| panic!("{error}"));
        Ready { builder, scenario, bottleneck: "bottleneck.forward" }
    }
}

impl Ready {
    fn world(&self) -> World {
        let settings = &self.scenario.variants[0].settings;
        let options = BuildOptions { tap_all: true, ..BuildOptions::default() };
        self.builder.build(settings, &self.scenario.contents, 1, &options).expect("it builds")
    }

    fn run(&self, script: Option<Script>) -> Outcome {
        let mut world = self.world();
        if let Some(script) = script {
            world.set_script(script);
        }
        let log = Log::default();
        world.set_tap(Box::new(log.clone()));
        world.run(Time::ZERO + self.scenario.variants[0].settings.duration, &AtomicBool::new(false));
        let effects = world.script().map(|script| script.effects()).unwrap_or_default();
        let sent = log.of(self.bottleneck);
        let arrived = match self.scenario.variants[0].settings.links["access"].between[0].as_str() {
            "a" => log.of("access.forward").len(),
            // All that the host has sent, which is what has left or was dropped.
            _ => 0,
        };
        Outcome { record: world.finish(), effects, sent, arrived }
    }

    /// The queue that is looked at.
    fn queue(&self) -> u32 {
        self.world().queue_named(self.bottleneck).expect("it has the queue")
    }
}

fn bytes(record: RunRecord) -> Vec<u8> {
    record.to_bytes().expect("a record has bytes")
}

fn in_order(packets: &[Left], which: impl Fn(&Left) -> bool) -> bool {
    let ids: Vec<u32> = packets.iter().filter(|left| which(left)).map(|left| left.id).collect();
    ids.is_sorted_by(|one, other| one < other)
}

/// The packets that were dropped.
fn dropped(record: &RunRecord) -> Vec<Decision> {
    let decisions = record.drops.iter().map(|decision| decision.expect("the log is readable"));
    decisions.filter(|decision| decision.drop_reason().is_some()).collect()
}

/// Reverts some drops of a network, one at a time.
fn check(what: &str, network: &Network) {
    let ready = network.ready();
    let base = ready.run(None);
    let queue = ready.queue();
    let drops = dropped(&base.record);
    let of_queue = || drops.iter().filter(|drop| drop.queue == queue);
    let reasons: BTreeSet<DropReason> = of_queue().filter_map(Decision::drop_reason).collect();
    let candidates: Vec<&Decision> =
        of_queue().filter(|drop| drop.drop_reason().is_some_and(can_revert)).collect();
    assert!(candidates.len() >= 5, "{what}: {} drops for {reasons:?}", candidates.len());
    let step = candidates.len().div_ceil(6);
    for drop in candidates.into_iter().step_by(step) {
        let flip = Script::new().with(Intervention::Flip { decision: drop.id });
        let changed = ready.run(Some(flip));
        let (id, all) = (drop.id, drops.len());
        let case = format!("{what}: decision {id} of {all} ({}) at {}", drop.outcome.reason(), drop.time);
        let reverted = changed.record.drops.iter().map(Result::unwrap).find(|own| own.id == id);
        assert_eq!(reverted.map(|own| own.outcome), drop.drop_reason().map(DecisionOutcome::Kept), "{case}");
        assert_eq!((changed.effects.kept, changed.effects.dropped), (1, 0), "{case}");
        let differs = base.sent.iter().zip(&changed.sent).position(|(one, other)| one.id != other.id);
        let kept = changed.sent[differs.unwrap_or(base.sent.len())];
        assert!(base.sent.iter().all(|left| left.id != kept.id), "{case}: {kept:?} left before, too");
        assert_eq!(kept.flow, drop.flow, "{case}");
        assert!(kept.at >= drop.time, "{case}: it left at {}", kept.at);
        assert!(changed.sent.iter().all(|left| left.hop_limit == base.sent[0].hop_limit), "{case}");
        if network.is_fifo {
            assert!(in_order(&changed.sent, |_| true), "{case}");
        }
        for flow in 0..3 {
            assert!(in_order(&changed.sent, |left| left.flow == FlowId(flow)), "{case}: flow {flow}");
        }
        if base.arrived > 0 {
            let lost = |outcome: &Outcome| {
                let drops = dropped(&outcome.record).into_iter();
                let is_loss = |drop: &Decision| drop.drop_reason().is_some_and(DropReason::is_loss);
                drops.filter(|drop| drop.queue == queue && is_loss(drop)).count()
            };
            assert_eq!(changed.sent.len() + lost(&changed), changed.arrived, "{case}: packets are missing");
            assert_eq!(base.sent.len() + lost(&base), base.arrived, "{case}");
        }
    }
}

#[test]
fn a_kept_packet_leaves_in_its_place_at_tail_drop() {
    check("tail-drop", &PLAIN);
}

#[test]
fn a_kept_packet_leaves_in_its_place_at_disciplines_that_drop_on_arrival() {
    for queue in ["red", "pie", "pi2", "fred"] {
        let own: &'static str = Box::leak(format!("queue = \"{queue}\"").into_boxed_str());
        check(queue, &Network { queue: own, ..PLAIN });
    }
}

#[test]
fn a_kept_packet_leaves_in_its_place_at_codel() {
    check("codel", &Network { queue: "queue = \"codel\"", ..PLAIN });
}

#[test]
fn a_kept_packet_leaves_before_the_next_of_its_flow_at_fair_queues() {
    let fair = Network { is_fifo: false, ..PLAIN };
    check("fq-codel", &Network { queue: "queue = \"fq-codel\"", ..fair.clone() });
    let evicts = "queue = { kind = \"fq-codel\", limit = \"15 packets\" }";
    check("fq-codel that evicts", &Network { queue: evicts, ..fair.clone() });
    let cake = "queue = { kind = \"cake\", bandwidth = \"1400 kbit/s\" }";
    check("cake", &Network { queue: cake, ..fair.clone() });
    let sfq = "queue = { kind = \"sfq\", limit = \"20 packets\" }";
    check("sfq", &Network { queue: sfq, ..fair });
}

#[test]
fn a_kept_packet_leaves_in_its_place_at_queues_with_hooks() {
    check("ired", &Network { queue: "queue = \"ired\"", ..PLAIN });
    check("egress-red", &Network { queue: "queue = \"egress-red\"", ..PLAIN });
}

#[test]
fn a_kept_packet_leaves_in_its_place_at_p4_programs() {
    for program in ["codel", "pi2", "red", "ired"] {
        let router = format!(
            "[nodes.r]\nkind = \"p4\"\nprogram = \"<{program}.p4>\"\nroute = \"table_add ipv4_lpm send ${{address}}/32 => ${{port}}\""
        );
        let router: &'static str = Box::leak(router.into_boxed_str());
        check(program, &Network { router, ..PLAIN });
    }
}

#[test]
fn a_kept_packet_leaves_in_its_place_at_other_links_and_nodes() {
    check("trace", &Network { rate: "trace = { file = \"up\" }", ..PLAIN });
    check(
        "tbf",
        &Network {
            queue: "queue = { kind = \"tbf\", rate = \"1 Mbit/s\", burst = \"3000 B\", queue = { kind = \"tail-drop\", limit = \"20 packets\" } }",
            ..PLAIN
        },
    );
    let router = "[nodes.r]\nkind = \"router\"\nservice = { cpus = 1 }";
    check("software switch", &Network { router, ..PLAIN });
    check("host", &Network { router: "", queue: "queue = \"codel\"", ..PLAIN });
    check("host", &Network { router: "", ..PLAIN });
}

#[test]
fn a_script_without_matches_changes_nothing() {
    for queue in ["codel", "fq-codel", "ired", "pi2", "cake", "dualpi2"] {
        let own: &'static str = Box::leak(format!("queue = \"{queue}\"").into_boxed_str());
        let ready = Network { queue: own, ecn: "ect0", ..PLAIN }.ready();
        let (base, mut world) = (bytes(ready.run(None).record), ready.world());
        world.set_script(Script::watching(None));
        world.set_tap(Box::new(Log::default()));
        let end = Time::ZERO + ready.scenario.variants[0].settings.duration;
        world.run(end, &AtomicBool::new(false));
        assert!(bytes(world.finish()) == base, "{queue}");
        let never = Script::new()
            .with(Intervention::Flip { decision: u64::MAX })
            .with(Intervention::Keep { queue: 0, packet: u32::MAX })
            .with(Intervention::Drop { queue: ready.queue(), packet: u32::MAX, on_arrival: false });
        let outcome = ready.run(Some(never));
        assert_eq!(outcome.effects, Effects::default());
        assert!(bytes(outcome.record) == base, "{queue}");
    }
}

#[test]
fn a_reverted_mark_gives_the_packet_its_ecn_field_back() {
    for (queue, ecn, came) in
        [("codel", "ect0", Ecn::Ect0), ("codel", "ect1", Ecn::Ect1), ("pi2", "ect1", Ecn::Ect1)]
    {
        let own: &'static str =
            Box::leak(format!("queue = {{ kind = \"{queue}\", ecn = true }}").into_boxed_str());
        let ecn: &'static str = ecn;
        let own = if queue == "pi2" { "queue = \"pi2\"" } else { own };
        let ready = Network { queue: own, ecn, ..PLAIN }.ready();
        let base = ready.run(None);
        assert_eq!(dropped(&base.record).len(), 0, "{queue}");
        let marked: Vec<&Left> = base.sent.iter().filter(|left| left.ecn == Ecn::Ce).collect();
        assert!(marked.len() > 4, "{queue}: {}", marked.len());
        // In a queue that serves in order, marks have the order of the packets.
        let changed = ready.run(Some(Script::new().with(Intervention::Flip { decision: 3 })));
        assert_eq!(changed.effects.unmarked, 1);
        let same = changed.sent.iter().find(|left| left.id == marked[3].id).unwrap();
        assert_eq!((same.at, same.ecn), (marked[3].at, came), "{queue}");
        let others = changed.sent.iter().filter(|left| left.ecn == Ecn::Ce).count();
        assert_eq!(others, marked.len() - 1, "the receiver does not react");
        let unmark = Intervention::Unmark { queue: ready.queue(), packet: same.id };
        assert!(bytes(ready.run(Some(Script::new().with(unmark))).record) == bytes(changed.record));
    }
}

#[test]
fn a_packet_is_dropped_when_its_turn_comes_or_on_arrival() {
    let ready = PLAIN.ready();
    let (base, queue) = (ready.run(None), ready.queue());
    let victim = base.sent[300];
    for on_arrival in [false, true] {
        let drop = Intervention::Drop { queue, packet: victim.id, on_arrival };
        let changed = ready.run(Some(Script::new().with(drop)));
        assert_eq!(changed.effects.dropped, 1);
        let mut logged = dropped(&changed.record);
        logged.retain(|drop| drop.drop_reason() == Some(DropReason::Scripted));
        assert_eq!((logged.len(), logged[0].queue, logged[0].flow), (1, queue, victim.flow));
        // The link takes the next packet in its place.
        let place = changed.sent.iter().position(|left| left.at == victim.at).unwrap();
        match on_arrival {
            false => {
                assert_eq!(logged[0].time, victim.at);
                assert_eq!((place, changed.sent[place].id), (300, base.sent[301].id));
            }
            true => assert!(logged[0].time < victim.at),
        }
        assert!(changed.sent.iter().all(|left| left.id != victim.id));
        assert!(in_order(&changed.sent, |_| true));
    }
    let mark = Intervention::Mark { queue, packet: victim.id };
    let ect = Network { ecn: "ect0", ..PLAIN }.ready();
    let marked = ect.run(Some(Script::new().with(mark.clone())));
    assert_eq!((marked.effects.marked, marked.sent[300].ecn, marked.sent[301].ecn), (1, Ecn::Ce, Ecn::Ect0));
    // A packet that is not ECN-capable stays as it is.
    assert_eq!(ready.run(Some(Script::new().with(mark))).effects, Effects::default());
}

#[test]
fn a_flow_is_spared_and_a_rule_is_switched_off_in_a_window() {
    let ready = Network { queue: "queue = \"codel\"", ..PLAIN }.ready();
    let (base, queue) = (ready.run(None), ready.queue());
    let window = Window { from: Time::from_millis(500), to: Time::from_millis(2500) };
    let spared = ready.run(Some(Script::new().with(Intervention::Spare { queue, flow: FlowId(0), window })));
    let lost = |outcome: &Outcome, flow: u32| {
        let drops = dropped(&outcome.record).into_iter();
        drops.filter(|drop| drop.flow == FlowId(flow) && window.contains(drop.time)).count()
    };
    assert!(lost(&base, 0) > 3 && lost(&spared, 0) == 0 && lost(&spared, 1) > 3);
    assert!(in_order(&spared.sent, |_| true));
    let (drops, marks) = (vec![DropReason::CoDel], vec![MarkReason::CoDel]);
    let rule = Intervention::Rule { queue: None, drops, marks, window };
    let off = ready.run(Some(Script::new().with(rule)));
    assert!(dropped(&off.record).iter().all(|drop| !window.contains(drop.time)));
    assert!(in_order(&off.sent, |_| true) && off.effects.kept > 10);
    assert_eq!(off.sent.len() + dropped(&off.record).len(), off.arrived);
}

#[test]
fn a_flow_that_bypasses_the_queue_waits_for_one_packet_at_most() {
    let ready = PLAIN.ready();
    let queue = ready.queue();
    let window = Window { from: Time::from_secs(1), to: Time::from_secs(2) };
    let bypass = Intervention::Bypass { queue, flow: FlowId(2), window };
    let changed = ready.run(Some(Script::new().with(bypass)));
    assert!(changed.effects.bypassed > 100);
    let drops = dropped(&changed.record).into_iter();
    let lost = drops.filter(|drop| drop.flow == FlowId(2) && window.contains(drop.time)).count();
    assert_eq!(lost, 0);
    assert_eq!(
        changed.sent.len() + dropped(&changed.record).len(),
        changed.arrived,
        "each packet leaves once"
    );
    assert!(in_order(&changed.sent, |left| left.flow != FlowId(2)));
    let overtakes = changed.sent.windows(2).filter(|pair| pair[0].id > pair[1].id).count();
    assert!(overtakes > 50, "{overtakes}");
}

#[test]
fn a_flow_that_is_carried_past_queue_and_link_loses_nothing_and_keeps_its_order() {
    let ready = PLAIN.ready();
    let queue = ready.queue();
    let window = Window { from: Time::from_secs(1), to: Time::from_secs(2) };
    let carry = Intervention::Carry { queue, flow: FlowId(2), window };
    let changed = ready.run(Some(Script::new().with(carry)));
    assert!(changed.effects.bypassed > 100);
    let drops = dropped(&changed.record);
    assert!(!drops.iter().any(|drop| drop.flow == FlowId(2) && window.contains(drop.time)));
    assert_eq!(changed.sent.len() + drops.len(), changed.arrived, "each packet leaves once");
    assert!(in_order(&changed.sent, |left| left.flow != FlowId(2)));
}

#[test]
fn packets_move_to_another_discipline_in_their_order() {
    for (queue, router) in [("codel", PLAIN.router), ("fq-codel", PLAIN.router), ("tail-drop", "")] {
        let own: &'static str = Box::leak(format!("queue = \"{queue}\"").into_boxed_str());
        let ready = Network { router, queue: own, ..PLAIN }.ready();
        let to = Network { router, queue: "queue = \"pie\"", ..PLAIN }.ready();
        let at = Time::from_millis(1500);
        let make = {
            let (settings, link) = (to.scenario.variants[0].settings.clone(), "bottleneck");
            move || {
                let (discipline, hooks) =
                    Builder::standard().queue_of(&settings, link, true, 1).expect("the queue is right");
                Replaced { discipline, hooks }
            }
        };
        let replace = Intervention::Replace { queue: ready.queue(), at, discipline: Replacement::new(make) };
        let (base, changed) = (ready.run(None), ready.run(Some(Script::new().with(replace))));
        assert_eq!(changed.effects.replaced, 1, "{queue}");
        let until = |sent: &[Left]| sent.iter().take_while(|left| left.at <= at).count();
        assert_eq!(base.sent[..until(&base.sent)], changed.sent[..until(&changed.sent)], "{queue}");
        let reasons: BTreeSet<&str> = dropped(&changed.record)
            .iter()
            .filter(|drop| drop.time > at)
            .map(|drop| drop.outcome.reason())
            .collect();
        assert!(reasons.contains("pie"), "{queue}: {reasons:?}");
        for flow in 0..3 {
            assert!(in_order(&changed.sent, |left| left.flow == FlowId(flow)), "{queue}");
        }
        if changed.arrived > 0 {
            assert_eq!(changed.sent.len() + dropped(&changed.record).len(), changed.arrived, "{queue}");
        }
    }
}
