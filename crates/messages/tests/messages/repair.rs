//! Retransmission: reliable streams, and repair policies of unreliable ones.

use jettison_messages::{MessageEvent, MessageParams, OctopusParameters, Repair, StreamOptions};
use jettison_tcp::Payload;

use super::harness::*;

fn dropping(parameters: &OctopusParameters, numbers: &'static [u64]) -> Net {
    let mut net = Net::new(ms(10), parameters);
    net.script(
        move |seen| if seen.is_data() && numbers.contains(&seen.nth) { Fate::Drop } else { Fate::Pass },
    );
    net
}

#[test]
fn a_reliable_stream_retransmits_under_a_new_number() {
    let mut net = dropping(&parameters(), &[1]);
    net.ends[0].open_stream(1, StreamOptions { reliable: true });
    net.send(4_900);
    net.run_to_end(at(1000));
    let again = net.data().pop().expect("six packets");
    assert_eq!((again.header.sequence, again.place(), again.at), (5, Some((0, 1)), at(20)));
    assert!(again.is_retransmission());
    assert_eq!(net.delivered(), [0]);
    assert_eq!(net.received[1][0].0, at(30));
    assert_eq!(net.statistics(0).packets_retransmitted, 1);
}

#[test]
fn a_lost_retransmission_is_retransmitted_too() {
    let mut net = dropping(&parameters(), &[1, 5, 6, 7, 8]);
    net.ends[0].open_stream(1, StreamOptions { reliable: true });
    net.send(4_900);
    net.run_to_end(at(20_000));
    assert_eq!(net.delivered(), [0]);
}

#[test]
fn retransmissions_come_before_new_messages() {
    let mut net = dropping(&parameters(), &[0]);
    net.ends[0].open_stream(1, StreamOptions { reliable: true });
    for _ in 0..20 {
        net.send(980);
    }
    net.run_to_end(at(1000));
    let data = net.data();
    let place = data.iter().position(|seen| seen.place() == Some((0, 0)) && seen.is_retransmission());
    // At 20 ms three ACKs show the loss; two packets have already been sent in response to them.
    assert_eq!(place.map(|place| data[place].at), Some(at(20)));
    assert!(place.is_some_and(|place| place < 16), "{place:?}");
}

#[test]
fn unreliable_streams_repair_if_configured() {
    let mut net = dropping(&OctopusParameters { repair: Repair::Retransmit, ..parameters() }, &[1]);
    net.send(4_900);
    net.run_to_end(at(1000));
    assert_eq!((net.delivered(), net.statistics(0).packets_retransmitted), (vec![0], 1));
}

#[test]
fn while_fresh_repairs_only_fresh_messages() {
    let with = |fresh| {
        let parameters = OctopusParameters { repair: Repair::WhileFresh, fresh: ms(fresh), ..parameters() };
        let mut net = dropping(&parameters, &[1]);
        net.send(4_900);
        net.run_to_end(at(1000));
        net
    };
    assert_eq!(with(21).delivered(), [0], "the loss is known after 20 ms");
    let late = with(20);
    assert_eq!(late.delivered(), [] as [u32; 0]);
    assert!(matches!(late.events[0][..], [(_, MessageEvent::Lost { .. })]));
}

#[test]
fn repairs_of_an_unreliable_stream_end() {
    let repair = Repair::Retransmit;
    let parameters = OctopusParameters { repair, max_retransmissions: 2, probe_packets: 1, ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    // A router that drops the second packet of every message.
    net.script(|seen| if seen.is_data() && seen.header.index == 1 { Fate::Drop } else { Fate::Pass });
    for _ in 0..10 {
        net.send(2_940);
        net.run_until(net.now + ms(100));
    }
    // Probes for the very last packet have the same fate; new data passes.
    net.send(500);
    net.run_to_end(at(60_000));
    assert_eq!(net.delivered(), [10]);
    let statistics = net.statistics(0);
    assert_eq!((statistics.lost.messages, statistics.in_flight), (10, 0));
    let of_first = net.data().iter().filter(|seen| seen.place() == Some((0, 1))).count();
    assert_eq!(of_first, 3, "once, plus two retransmissions");
}

#[test]
fn obsolete_messages_are_not_retransmitted() {
    let parameters = OctopusParameters { repair: Repair::Retransmit, ..parameters() };
    let mut net = dropping(&parameters, &[1]);
    net.send(4_900);
    net.run_until(at(5));
    let dropper = MessageParams { drop_flag: true, ..MessageParams::default() };
    net.send_with(1, Payload::Zeros(980).into(), dropper).expect("there is room");
    net.run_to_end(at(1000));
    assert_eq!((net.delivered(), net.statistics(0).packets_retransmitted), (vec![1], 0));
    assert_eq!(net.statistics(0).lost.messages, 1);
}

#[test]
fn a_reliable_stream_waits_for_its_oldest_message() {
    let parameters = OctopusParameters { reassembly: 4, ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    // The very first packet is lost repeatedly.
    net.script(|seen| {
        let is_first = seen.place() == Some((0, 0));
        if is_first && seen.at < at(3000) { Fate::Drop } else { Fate::Pass }
    });
    net.ends[0].open_stream(1, StreamOptions { reliable: true });
    for _ in 0..30 {
        net.send(1_500);
    }
    net.run_until(at(2999));
    assert_eq!(net.delivered(), [1, 2, 3]);
    net.run_to_end(at(60_000));
    assert_eq!(net.delivered().len(), 30);
    assert_eq!(net.statistics(1).given_up, 0);
}
