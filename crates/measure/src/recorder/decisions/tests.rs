use jettison_core::{DropReason, Duration, Gauge, MarkReason, Time};
use jettison_wire::{Address, FlowId, Headers, Packet, Transport, UdpHeader};

use super::*;
use crate::{Description, RecorderSettings, Unit, UnitKind};

const COUNT: Gauge = Gauge::new("codel_count", "count", "Signals.");
const AT: Time = Time::from_millis(50);

fn datagram(id: u32, flow: u32) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
    let mut packet = Packet::model(Headers { src, dst, transport }, 100);
    (packet.meta.id, packet.meta.flow) = (id, FlowId(flow));
    packet.meta.enqueued_at = Time::from_millis(20);
    packet
}

/// A recorder of two flows, with three packets in queue 0: two of flow 0 and one of flow 1, number 2, which is coming.
fn recorder(identities: Identities) -> Recorder {
    let mut recorder = Recorder::new(RecorderSettings { identities, ..RecorderSettings::default() });
    recorder.add_queue("l.forward");
    recorder.add_flow("bulk");
    recorder.add_flow("video");
    if let Some(provenance) = recorder.provenance() {
        for (id, flow) in [(0, 0), (1, 0), (2, 1)] {
            let packet = datagram(id, flow);
            provenance.describe(Description::new(Unit::new(UnitKind::Datagram, u64::from(id), 0), 0));
            provenance.datagram(&packet, AT);
            provenance.enqueued(0, &packet, AT);
        }
    }
    recorder
}

fn complete(recorder: &mut Recorder) {
    assert!(recorder.ends_call());
    recorder.complete(&mut |queue, out| {
        assert_eq!(queue, 0);
        out.set(&COUNT, 3.0);
        out.set_part(&COUNT, "x", f64::NAN);
        Some((2, 256))
    });
    assert!(!recorder.ends_call());
}

#[test]
fn a_drop_has_what_the_packet_carried_and_the_state_after_the_call() {
    let mut recorder = recorder(Identities::All);
    recorder.packet_dropped(Place::Queue(0), &datagram(2, 1), DropReason::BufferFull, AT);
    complete(&mut recorder);
    let drops = recorder.finish(AT).drops.to_vec().unwrap();
    let [drop] = &drops[..] else { panic!("one drop") };
    assert_eq!((drop.id, drop.queue, drop.outcome), (0, 0, Outcome::Dropped(DropReason::BufferFull)));
    let identity = drop.identity.as_ref().unwrap();
    assert_eq!((identity.packet, identity.waited), (2, None), "it did not wait");
    let unit = identity.content.and_then(|content| content.unit);
    assert_eq!(unit, Some(Unit::new(UnitKind::Datagram, 2, 0).of(FlowId(1))));
    let state = identity.queue.as_ref().unwrap();
    assert_eq!((state.packets, state.bytes, &state.holders[..]), (2, 256, &[(FlowId(0), 2)][..]));
    let gauges: Vec<_> = state.gauges.iter().map(|(key, value)| (key.name, key.part, *value)).collect();
    assert_eq!(gauges, [("codel_count", "", 3.0)]);
}

#[test]
fn a_packet_that_waited_is_evicted_while_another_comes_and_dropped_otherwise() {
    let mut recorder = recorder(Identities::All);
    recorder.packet_dropped(Place::Queue(0), &datagram(0, 0), DropReason::BufferFull, AT);
    complete(&mut recorder);
    recorder.packet_dropped(Place::Queue(0), &datagram(1, 0), DropReason::CoDel, AT);
    complete(&mut recorder);
    recorder.packet_dropped(Place::Beside(0), &datagram(2, 1), DropReason::LinkLoss, AT);
    complete(&mut recorder);
    let drops = recorder.finish(AT).drops.to_vec().unwrap();
    let waited = |drop: &Decision| drop.identity.as_ref().unwrap().waited;
    let outcomes: Vec<_> = drops.iter().map(|drop| (drop.outcome.name(), waited(drop))).collect();
    let sojourn = Some(Duration::from_millis(30));
    assert_eq!(outcomes, [("eviction", sojourn), ("drop", sojourn), ("drop", None)]);
}

#[test]
fn decisions_keep_their_order_whether_they_have_a_queue_or_not() {
    let mut recorder = recorder(Identities::All);
    recorder.packet_marked(Place::Queue(0), &datagram(0, 0), MarkReason::ALL[0], AT);
    recorder.packet_dropped(Place::Node, &datagram(1, 0), DropReason::NoRoute, AT);
    complete(&mut recorder);
    recorder.packet_dropped(Place::Node, &datagram(2, 1), DropReason::NoRoute, AT);
    assert_eq!(recorder.decisions(), 3);
    let decisions = recorder.finish(AT).drops.to_vec().unwrap();
    assert_eq!(decisions.iter().map(|own| own.id).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(decisions[0].outcome.name(), "mark");
    assert!(decisions[1].identity.as_ref().is_some_and(|own| own.queue.is_none()));
}

#[test]
fn without_identities_the_log_has_drops_alone() {
    let mut recorder = recorder(Identities::Off);
    assert!(recorder.provenance().is_none());
    recorder.packet_marked(Place::Queue(0), &datagram(0, 0), MarkReason::ALL[0], AT);
    recorder.packet_dropped(Place::Queue(0), &datagram(1, 0), DropReason::CoDel, AT);
    assert!(!recorder.ends_call());
    let decisions = recorder.finish(AT).drops.to_vec().unwrap();
    let rows: Vec<_> = decisions.iter().map(|own| (own.id, own.outcome.name(), &own.identity)).collect();
    assert_eq!(rows, [(1, "drop", &None)]);
}

#[test]
fn a_sample_has_its_share_and_the_counters_have_all() {
    let mut recorder = recorder(Identities::Sample(0.1));
    for _ in 0..100_000 {
        recorder.packet_dropped(Place::Node, &datagram(1, 0), DropReason::NoSocket, AT);
        recorder.packet_dropped(Place::Queue(0), &datagram(1, 0), DropReason::CoDel, AT);
        if recorder.ends_call() {
            complete(&mut recorder);
        }
    }
    assert_eq!(recorder.decisions(), 200_000);
    let record = recorder.finish(AT);
    let share = record.drops.len() as f64 / 200_000.0;
    // Five standard deviations of a binomial.
    assert!((share - 0.1).abs() < 5.0 * (0.09_f64 / 200_000.0).sqrt(), "{share}");
    let drops = record.drops.to_vec().unwrap();
    assert!(drops.iter().all(|drop| is_sampled(drop.id, 0.1) && is_sampled(drop.id, 0.2)));
    assert!((0..1000).all(|id| is_sampled(id, 1.0)));
    assert_eq!(record.summary_value("l.forward", crate::metrics::DROPS).unwrap().mean, 100_000.0);
}
