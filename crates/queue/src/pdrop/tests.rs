//! The choice of the message to drop when the buffer is full.

use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::Position;
use serde_json::json;

use super::*;
use crate::testing::{build_error, built, labelled, message, packet, solo};

fn of_priority(message: u32, priority: u8) -> OctopusHeader {
    OctopusHeader { priority, ..solo(message) }
}

/// Priority dropping as in the paper.
fn paper(limit: &str) -> Box<dyn QueueDiscipline> {
    built(json!({ "kind": "pdrop", "limit": limit }))
}

/// Priority dropping that evicts until the arrival fits.
fn pdrop(limit: &str) -> Box<dyn QueueDiscipline> {
    built(json!({ "kind": "pdrop", "limit": limit, "evict": "until-fits" }))
}

/// Enqueues all packets.
fn enqueue(
    queue: &mut dyn QueueDiscipline,
    packets: impl IntoIterator<Item = Packet>,
) -> Vec<(u32, DropReason)> {
    let mut tally = Tally::default();
    packets.into_iter().for_each(|packet| queue.enqueue(packet, Time::ZERO, &mut tally));
    tally.drops.iter().map(|(id, reason, _)| (*id, *reason)).collect()
}

fn drain(queue: &mut dyn QueueDiscipline) -> Vec<u32> {
    std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes)).map(|packet| packet.meta.id).collect()
}

fn least_important<const N: usize>(ids: [u32; N]) -> Vec<(u32, DropReason)> {
    ids.map(|id| (id, DropReason::LeastImportant)).to_vec()
}

#[test]
fn nothing_is_dropped_before_the_buffer_is_full() {
    for mut queue in [paper("8 packets"), pdrop("8 packets")] {
        let all = (0..8).map(|number| labelled(number, 1000, of_priority(number, 7 - number as u8)));
        assert!(enqueue(&mut *queue, all).is_empty());
        assert_eq!(drain(&mut *queue), (0..8).collect::<Vec<_>>(), "first in, first out");
    }
}

#[test]
fn all_less_important_messages_are_dropped_although_one_would_do() {
    let mut queue = paper("6 packets");
    let all = [(0, 5), (1, 1), (2, 3), (3, 0), (4, 2), (5, 1)];
    enqueue(&mut *queue, all.map(|(id, priority)| labelled(id, 1000, of_priority(id, priority))));
    // Of priority 1: 5, 3 and 2 go, the least important first; 1 and 0 stay.
    assert_eq!(enqueue(&mut *queue, [labelled(6, 1000, of_priority(6, 1))]), least_important([0, 2, 4]));
    assert_eq!(drain(&mut *queue), [1, 3, 5, 6]);
}

#[test]
fn newer_messages_of_less_importance_are_dropped_too() {
    let mut queue = paper("3 packets");
    let two = message(10, 2, 1000, of_priority(1, 0));
    enqueue(&mut *queue, [two[0].clone()]);
    enqueue(&mut *queue, [labelled(20, 1000, of_priority(2, 1)), labelled(21, 1000, of_priority(3, 2))]);
    assert_eq!(enqueue(&mut *queue, [two[1].clone()]), least_important([21, 20]));
    assert_eq!(drain(&mut *queue), [10, 11]);
}

#[test]
fn with_nothing_less_important_the_arriving_packet_alone_is_dropped() {
    for (queued, arriving) in [(0, 0), (0, 3), (2, 2)] {
        let mut queue = paper("2 packets");
        enqueue(&mut *queue, [0, 1].map(|id| labelled(id, 1000, of_priority(id, queued))));
        let late = message(10, 2, 1000, of_priority(9, arriving));
        assert_eq!(enqueue(&mut *queue, [late[0].clone()]), [(10, DropReason::BufferFull)]);
        queue.dequeue(Time::ZERO, &mut NoOutcomes);
        assert!(enqueue(&mut *queue, [late[1].clone()]).is_empty(), "there is room for the rest");
        assert_eq!(drain(&mut *queue), [1, 11]);
    }
}

#[test]
fn an_arrival_that_does_not_fit_even_then_is_dropped_after_the_others() {
    let mut queue = paper("3000 bytes");
    enqueue(
        &mut *queue,
        [(0, 7), (1, 2)].map(|(id, priority)| labelled(id, 1500, of_priority(id, priority))),
    );
    let dropped = enqueue(&mut *queue, [labelled(2, 2000, of_priority(2, 2))]);
    assert_eq!(dropped, [(0, DropReason::LeastImportant), (2, DropReason::BufferFull)]);
    assert_eq!(drain(&mut *queue), [1]);
}

#[test]
fn in_the_paper_s_rule_a_message_that_has_begun_to_leave_stays_and_a_dropped_one_takes_its_rest_along() {
    let mut queue = paper("4 packets");
    enqueue(&mut *queue, message(10, 2, 1000, of_priority(1, 6)));
    let mut cut = message(20, 3, 1000, of_priority(2, 6));
    let late = cut.split_off(2);
    enqueue(&mut *queue, cut);
    assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.id), Some(10));
    enqueue(&mut *queue, [packet(0, 1000)]);
    assert_eq!(enqueue(&mut *queue, [packet(1, 1000)]), least_important([20, 21]));
    assert_eq!(enqueue(&mut *queue, late), least_important([22]), "though there is room");
    assert_eq!(drain(&mut *queue), [11, 0, 1]);
}

#[test]
fn the_least_important_message_makes_room_and_of_equals_the_one_queued_last() {
    let mut queue = pdrop("4 packets");
    let all =
        [(0, 5), (1, 5), (2, 3), (3, 0)].map(|(id, priority)| labelled(id, 1000, of_priority(id, priority)));
    enqueue(&mut *queue, all);
    assert_eq!(enqueue(&mut *queue, [labelled(4, 1000, of_priority(4, 2))]), least_important([1]));
    assert_eq!(enqueue(&mut *queue, [labelled(5, 1000, of_priority(5, 2))]), least_important([0]));
    assert_eq!(enqueue(&mut *queue, [labelled(6, 1000, of_priority(6, 2))]), least_important([2]));
    assert_eq!(drain(&mut *queue), [3, 4, 5, 6]);
}

#[test]
fn an_arrival_that_is_the_least_important_itself_is_dropped() {
    let mut queue = pdrop("2 packets");
    enqueue(&mut *queue, [0, 1].map(|id| labelled(id, 1000, of_priority(id, id as u8))));
    assert_eq!(enqueue(&mut *queue, [labelled(2, 1000, of_priority(2, 3))]), least_important([2]));
    assert_eq!(enqueue(&mut *queue, [labelled(3, 1000, of_priority(3, 1))]), least_important([3]));
}

#[test]
fn among_equals_the_arrival_alone_is_dropped_because_the_buffer_is_full() {
    let mut queue = pdrop("2 packets");
    let header = of_priority(1, 4);
    let packets = message(0, 4, 1000, header);
    assert_eq!(enqueue(&mut *queue, packets), [(2, DropReason::BufferFull), (3, DropReason::BufferFull)]);
    // Another attempt finds room.
    assert_eq!(drain(&mut *queue), [0, 1]);
    let again = labelled(2, 1000, OctopusHeader { position: Position::Middle, ..header });
    assert!(enqueue(&mut *queue, [again]).is_empty());
}

#[test]
fn a_message_is_dropped_as_a_whole_and_what_comes_later_of_it_too() {
    let mut queue = pdrop("4 packets");
    let mut large = message(10, 4, 1000, of_priority(1, 6));
    let late = large.split_off(3);
    enqueue(&mut *queue, large);
    enqueue(&mut *queue, [packet(0, 1000)]);
    assert_eq!(enqueue(&mut *queue, [packet(1, 1000)]), least_important([10, 11, 12]));
    assert_eq!(enqueue(&mut *queue, late), least_important([13]), "though there is room");
    assert_eq!(drain(&mut *queue), [0, 1]);
}

#[test]
fn an_arrival_that_is_refused_takes_the_rest_of_its_message_along() {
    let mut queue = pdrop("3 packets");
    enqueue(&mut *queue, [packet(0, 1000)]);
    let dropped = enqueue(&mut *queue, message(10, 4, 1000, of_priority(1, 6)));
    assert_eq!(dropped, least_important([10, 11, 12, 13]));
    assert_eq!(drain(&mut *queue), [0]);
}

#[test]
fn a_message_that_has_begun_to_leave_is_not_dropped() {
    let mut queue = pdrop("4 packets");
    let mut large = message(10, 6, 1000, of_priority(1, 6));
    let late = large.split_off(4);
    enqueue(&mut *queue, large);
    assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.id), Some(10));
    enqueue(&mut *queue, [packet(0, 1000)]);
    assert_eq!(enqueue(&mut *queue, [packet(1, 1000)]), [(1, DropReason::BufferFull)]);
    // Its later packets are still accepted or dropped one by one.
    assert_eq!(enqueue(&mut *queue, late), [14, 15].map(|id| (id, DropReason::BufferFull)));
    assert_eq!(drain(&mut *queue), [11, 12, 13, 0]);
}

#[test]
fn a_late_packet_of_a_message_that_has_left_is_not_dropped_for_another() {
    let mut queue = pdrop("2 packets");
    let header = of_priority(1, 7);
    enqueue(&mut *queue, message(10, 2, 1000, header));
    assert_eq!(drain(&mut *queue), [10, 11]);
    enqueue(&mut *queue, [labelled(12, 1000, OctopusHeader { position: Position::Middle, ..header })]);
    enqueue(&mut *queue, [packet(0, 1000)]);
    assert_eq!(enqueue(&mut *queue, [packet(1, 1000)]), [(1, DropReason::BufferFull)]);
}

#[test]
fn other_traffic_counts_as_priority_0() {
    let mut queue = pdrop("2 packets");
    enqueue(&mut *queue, [packet(0, 1000), labelled(1, 1000, of_priority(1, 1))]);
    assert_eq!(enqueue(&mut *queue, [packet(2, 1000)]), least_important([1]));
    assert_eq!(enqueue(&mut *queue, [labelled(3, 1000, of_priority(3, 1))]), least_important([3]));
    assert_eq!(enqueue(&mut *queue, [labelled(4, 1000, solo(4))]), [(4, DropReason::BufferFull)]);
    assert_eq!(enqueue(&mut *queue, [packet(5, 1000)]), [(5, DropReason::BufferFull)]);
}

#[test]
fn several_messages_go_where_one_does_not_make_enough_room_and_none_where_all_would_not() {
    let mut queue = pdrop("3000 bytes");
    let all = [(0, 7), (1, 6), (2, 2)].map(|(id, priority)| labelled(id, 900, of_priority(id, priority)));
    enqueue(&mut *queue, all);
    assert_eq!(enqueue(&mut *queue, [packet(3, 3001)]), [(3, DropReason::BufferFull)]);
    assert_eq!(enqueue(&mut *queue, [labelled(4, 2500, of_priority(4, 2))]), [(4, DropReason::BufferFull)]);
    assert_eq!(enqueue(&mut *queue, [labelled(5, 2000, of_priority(5, 2))]), least_important([0, 1]));
    assert_eq!(drain(&mut *queue), [2, 5]);
}

#[test]
fn messages_of_other_streams_with_the_same_number_are_others() {
    let mut queue = pdrop("2 packets");
    let other = OctopusHeader { stream: 1, ..of_priority(1, 7) };
    enqueue(&mut *queue, [labelled(0, 1000, of_priority(1, 6)), labelled(1, 1000, other)]);
    assert_eq!(enqueue(&mut *queue, [packet(2, 1000)]), least_important([1]));
    assert_eq!(enqueue(&mut *queue, [packet(3, 1000)]), least_important([0]));
}

#[test]
fn the_ports_identify_octopus_traffic_and_cannot_be_empty() {
    assert_eq!(build_error(json!({ "kind": "pdrop", "ports": [] })).0, "ports");
    let mut queue = built(json!({ "kind": "pdrop", "ports": [9], "limit": "1 packet" }));
    let dropped = enqueue(&mut *queue, [0, 1].map(|id| labelled(id, 1000, of_priority(id, 7 - id as u8))));
    assert_eq!(dropped, [(1, DropReason::BufferFull)], "to other ports it is other traffic");
}
