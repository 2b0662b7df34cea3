use proptest::prelude::*;

use super::super::layout::Layout;
use super::*;

const MSS: u64 = 100;
const MOST: u16 = u16::MAX;

fn message(head: usize, rest: Payload) -> MessagePayload {
    let bytes: Vec<u8> = (0..head as u8).map(|i| 255 - i).collect();
    MessagePayload { head: InlineBytes::new(&bytes).expect("at most 20"), rest }
}

fn real(length: usize) -> Payload {
    Payload::Bytes((0..length).map(|i| (i * 31 % 251) as u8).collect())
}

/// Head and rest, concatenated.
fn bytes(payload: &MessagePayload) -> Vec<u8> {
    let mut bytes = payload.head.as_slice().to_vec();
    match &payload.rest {
        Payload::Bytes(rest) => bytes.extend_from_slice(rest),
        Payload::Zeros(count) => bytes.resize(bytes.len() + *count as usize, 0),
    }
    bytes
}

fn take(assembly: &mut Assembly, layout: &Layout, payload: &MessagePayload, index: u32) {
    let content = layout.content(payload, index);
    let taken = if index < layout.data {
        assembly.take_data(index, index + 1 == layout.data, content)
    } else {
        assembly.take_parity(index, content, MOST)
    };
    assert_eq!(taken, Ok(()));
}

/// Adds the packets in that order; returns the message as soon as it is complete, and the number of packets it took.
fn assemble(layout: &Layout, payload: &MessagePayload, order: &[u32]) -> Option<(MessagePayload, usize)> {
    let mut assembly = Assembly::default();
    for (taken, index) in order.iter().enumerate() {
        take(&mut assembly, layout, payload, *index);
        if let Some((whole, _)) = assembly.finish() {
            return Some((whole, taken + 1));
        }
    }
    None
}

#[test]
fn packets_make_the_message_in_any_order() {
    for payload in [message(16, Payload::Zeros(500)), message(0, real(333)), message(20, real(80))] {
        let layout = Layout::new(payload.len(), MSS, 0.0, MOST).expect("few packets");
        let order: Vec<u32> = (0..layout.data).rev().collect();
        let (whole, taken) = assemble(&layout, &payload, &order).expect("all are there");
        assert_eq!((whole, taken), (payload, layout.data as usize), "not before the last packet");
    }
}

#[test]
fn duplicates_count_once() {
    let payload = message(0, Payload::Zeros(250));
    let layout = Layout::new(250, MSS, 0.0, MOST).expect("three packets");
    assert_eq!(assemble(&layout, &payload, &[0, 0, 2, 2, 0]), None);
    assert_eq!(assemble(&layout, &payload, &[0, 0, 2, 2, 1]).map(|(_, taken)| taken), Some(5));
}

#[test]
fn a_virtual_message_stays_virtual_and_keeps_its_head_when_parity_completes_it() {
    let payload = message(16, Payload::Zeros(484));
    let layout = Layout::new(payload.len(), MSS, 0.3, MOST).expect("few packets");
    assert_eq!((layout.data, layout.parity), (6, 2));
    let (whole, taken) = assemble(&layout, &payload, &[1, 2, 4, 5, 6, 7]).expect("six of eight");
    assert_eq!((whole, taken), (payload, 6), "0 and 3 were missing");
}

#[test]
fn inconsistent_packets_are_reported() {
    let content = || Content { inline: InlineBytes::default(), rest: Payload::Zeros(100) };
    let mut assembly = Assembly::default();
    assert_eq!(assembly.take_data(5, false, content()), Ok(()));
    assert_eq!(assembly.take_data(3, true, content()), Err(Contradiction), "packet 5 is beyond the last");
    assert_eq!(assembly.take_data(7, true, content()), Ok(()));
    assert_eq!(assembly.take_data(8, true, content()), Err(Contradiction), "two ends");
    assert_eq!(assembly.take_data(9, false, content()), Err(Contradiction), "beyond the end");
    assert_eq!(assembly.take_parity(9, content(), MOST), Err(Contradiction), "no parity header");
    let parity = |data: u16, last: u16, length: u64| {
        let inline = InlineBytes::new(&ParityHeader { data, last }.emit()).expect("four bytes");
        Content { inline, rest: Payload::Zeros(length) }
    };
    assert_eq!(assembly.take_parity(9, parity(9, 50, 100), MOST), Err(Contradiction), "eight, not nine");
    assert_eq!(
        assembly.take_parity(7, parity(8, 50, 100), MOST),
        Err(Contradiction),
        "not the number of a parity packet"
    );
    assert_eq!(
        assembly.take_parity(8, parity(8, 150, 100), MOST),
        Err(Contradiction),
        "more bytes than it covers"
    );
    assert_eq!(assembly.take_parity(8, parity(8, 50, 100), MOST), Ok(()));
    assert_eq!(assembly.take_parity(9, parity(8, 50, 102), MOST), Err(Contradiction), "another length");
}

proptest! {
    #[test]
    fn any_n_packets_make_the_message(
        head in 0usize..=20, length in 1usize..2000, is_real: bool, parity in 0.0f64..1.5,
        order in any::<prop::sample::Selector>(),
    ) {
        let payload = message(head, if is_real { real(length) } else { Payload::Zeros(length as u64) });
        let layout = Layout::new(payload.len(), MSS, parity, MOST).expect("few packets");
        let mut left: Vec<u32> = (0..layout.packets()).collect();
        let mut taken = Vec::new();
        while !left.is_empty() {
            let next = *order.select(left.iter());
            left.retain(|index| *index != next);
            taken.push(next);
        }
        // Without parity a receiver knows the end only by the last packet; with parity, from any parity packet.
        let (whole, needed) = assemble(&layout, &payload, &taken).expect("all packets are there");
        prop_assert_eq!(bytes(&whole), bytes(&payload));
        let first = &taken[..layout.data as usize];
        let knows = first.iter().any(|index| index + 1 >= layout.data);
        prop_assert_eq!(needed == layout.data as usize, knows);
    }

    #[test]
    fn no_packets_make_it_panic(
        packets in prop::collection::vec(
            (0u32..12, any::<bool>(), any::<bool>(), prop::collection::vec(0u8..6, 0..20), 0u64..40, any::<bool>()), 0..40,
        ),
    ) {
        let mut assembly = Assembly::default();
        for (index, is_parity, is_last, inline, rest, is_real) in packets {
            let rest = if is_real { Payload::Bytes(vec![1; rest as usize].into()) } else { Payload::Zeros(rest) };
            let content = Content { inline: InlineBytes::new(&inline).expect("below 40"), rest };
            let _ = if is_parity {
                assembly.take_parity(index, content, MOST)
            } else {
                assembly.take_data(index, is_last, content)
            };
            if assembly.finish().is_some() {
                assembly.begin(Time::ZERO);
            }
        }
    }
}
