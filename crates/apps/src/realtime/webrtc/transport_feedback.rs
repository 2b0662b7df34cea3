//! Transport-wide feedback: draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.
//!
//! WebRTC sends one message per interval. A modelled datagram holds 40 bytes, so a message reports up to eighteen packets here,
//! and an interval may need several.

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_wire::InlineBytes;

// Version 2, FMT 15; packet type RTPFB.
const FIRST_BYTE: u8 = 0x80 | 15;
const PACKET_TYPE: u8 = 205;
/// Up to the first chunk.
const FIXED: usize = 20;
const MOST: usize = InlineBytes::CAPACITY;
/// Unit of the reference time: 64 ms; of deltas: 250 µs.
const REFERENCE: u64 = 64_000_000;
const DELTA: i64 = 250_000;
/// Packet status symbols (§3.1.1).
const MISSING: u8 = 0;
const SMALL: u8 = 1;
const LARGE: u8 = 2;
/// Symbols of a status vector with two bits each (§3.1.4), and the longest run (§3.1.3).
const VECTOR: usize = 7;
const LONGEST_RUN: usize = 0x1fff;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TransportFeedback {
    pub bytes: InlineBytes,
}

/// Takes from `arrivals`, by transport-wide number, what fits into a message that begins at number `base`; returns it and the
/// number behind the last one that it reports. `None` if no number from `base` on has arrived.
pub(super) fn report(
    arrivals: &mut BTreeMap<u64, Time>,
    base: u64,
    count: u8,
) -> Option<(TransportFeedback, u64)> {
    let (_, first_arrival) = arrivals.range(base..).next()?;
    let reference = first_arrival.as_nanos() / REFERENCE;
    let mut clock = (reference * REFERENCE) as i64;
    let newest = *arrivals.last_key_value()?.0;
    // Symbols and deltas, as long as a message could hold them.
    let (mut symbols, mut deltas): (Vec<u8>, Vec<i16>) = (Vec::new(), Vec::new());
    for number in base..=newest {
        if symbols.len() == LONGEST_RUN || deltas.len() >= MOST - FIXED {
            break;
        }
        let Some(at) = arrivals.get(&number) else {
            symbols.push(MISSING);
            continue;
        };
        let ticks = (at.as_nanos() as i64 - clock).div_euclid(DELTA);
        let Ok(delta) = i16::try_from(ticks) else { break };
        clock += ticks * DELTA;
        symbols.push(if (0..=255).contains(&delta) { SMALL } else { LARGE });
        deltas.push(delta);
    }
    let (chunks, used) = chunks(&symbols);
    let used_symbols = &symbols[..used];
    let mut body = chunks;
    let mut delta = deltas.iter();
    for symbol in used_symbols.iter().filter(|symbol| **symbol != MISSING) {
        let delta = delta.next().expect("one of each packet that arrived");
        if *symbol == SMALL { body.push(*delta as u8) } else { body.extend(delta.to_be_bytes()) }
    }
    let length = (FIXED + body.len()).next_multiple_of(4);
    let mut bytes = [0; MOST];
    bytes[..4].copy_from_slice(&[FIRST_BYTE, PACKET_TYPE, 0, (length / 4 - 1) as u8]);
    bytes[12..14].copy_from_slice(&(base as u16).to_be_bytes());
    bytes[14..16].copy_from_slice(&(used as u16).to_be_bytes());
    bytes[16..19].copy_from_slice(&(reference as u32).to_be_bytes()[1..]);
    bytes[19] = count;
    bytes[FIXED..FIXED + body.len()].copy_from_slice(&body);
    let next = base + used as u64;
    arrivals.retain(|number, _| *number < base || *number >= next);
    Some((TransportFeedback { bytes: InlineBytes::new(&bytes[..length]).expect("at most 40 bytes") }, next))
}

/// The chunks of as many symbols as fit together with their deltas, and how many these are.
fn chunks(symbols: &[u8]) -> (Vec<u8>, usize) {
    let (mut out, mut used, mut space) = (Vec::new(), 0, MOST - FIXED);
    while used < symbols.len() && space > 2 {
        space -= 2;
        let rest = &symbols[used..];
        let run = rest.iter().take_while(|symbol| **symbol == rest[0]).count();
        // A run of as many symbols as a vector holds, or of all that are left, is a run length chunk.
        if run >= VECTOR || run == rest.len() {
            let fitting = space.checked_div(usize::from(rest[0])).unwrap_or(LONGEST_RUN);
            let run = run.min(fitting).min(LONGEST_RUN);
            if run == 0 {
                break;
            }
            out.extend((u16::from(rest[0]) << 13 | run as u16).to_be_bytes());
            space -= run * usize::from(rest[0]);
            used += run;
            continue;
        }
        let mut chunk = 0b11u16 << 14;
        let mut fitting = 0;
        for (place, symbol) in rest.iter().take(VECTOR).enumerate() {
            let Some(left) = space.checked_sub(usize::from(*symbol)) else { break };
            space = left;
            chunk |= u16::from(*symbol) << (12 - 2 * place);
            fitting += 1;
        }
        if fitting == 0 {
            break;
        }
        out.extend(chunk.to_be_bytes());
        used += fitting;
        if fitting < VECTOR {
            break; // only the last chunk may be incomplete
        }
    }
    (out, used)
}

impl TransportFeedback {
    /// Reads a message: calls `each` with the numbers from the base number on, extended near `near`, and their arrivals by the
    /// receiver's clock. False, possibly after some calls, if it is not well-formed.
    pub(super) fn read(payload: &[u8], near: u64, mut each: impl FnMut(u64, Option<Time>)) -> bool {
        TransportFeedback::try_read(payload, near, &mut each).is_some()
    }

    fn try_read(payload: &[u8], near: u64, each: &mut dyn FnMut(u64, Option<Time>)) -> Option<()> {
        let fixed: &[u8; FIXED] = payload.first_chunk()?;
        let length = 4 * (usize::from(u16::from_be_bytes([fixed[2], fixed[3]])) + 1);
        if fixed[0] != FIRST_BYTE || fixed[1] != PACKET_TYPE {
            return None;
        }
        let body = payload.get(FIXED..length)?;
        let base = super::packet::extend(u16::from_be_bytes([fixed[12], fixed[13]]), near);
        let count = usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
        let reference = u32::from_be_bytes([0, fixed[16], fixed[17], fixed[18]]);
        let mut symbols = Vec::with_capacity(count.min(64));
        let mut rest = body;
        while symbols.len() < count {
            let (chunk, behind) = rest.split_first_chunk::<2>()?;
            rest = behind;
            let chunk = u16::from_be_bytes(*chunk);
            let left = count - symbols.len();
            match chunk >> 14 {
                0b11 => symbols.extend((0..VECTOR.min(left)).map(|n| (chunk >> (12 - 2 * n) & 3) as u8)),
                0b10 => symbols.extend((0..14.min(left)).map(|n| (chunk >> (13 - n) & 1) as u8)),
                _ => {
                    let run = usize::from(chunk & 0x1fff).min(left);
                    if run == 0 {
                        return None;
                    }
                    symbols.extend(std::iter::repeat_n((chunk >> 13 & 3) as u8, run));
                }
            }
        }
        let mut clock = (u64::from(reference) * REFERENCE) as i64;
        for (number, symbol) in (base..).zip(symbols) {
            let ticks = match symbol {
                SMALL => {
                    let (delta, behind) = rest.split_first()?;
                    rest = behind;
                    i64::from(*delta)
                }
                LARGE => {
                    let (delta, behind) = rest.split_first_chunk::<2>()?;
                    rest = behind;
                    i64::from(i16::from_be_bytes(*delta))
                }
                _ => {
                    each(number, None);
                    continue;
                }
            };
            clock += ticks * DELTA;
            each(number, Some(Time::from_nanos(clock.max(0) as u64)));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(message: &TransportFeedback, near: u64) -> Vec<(u64, Option<u64>)> {
        let mut found = Vec::new();
        let is_good = TransportFeedback::read(message.bytes.as_slice(), near, |number, at| {
            found.push((number, at.map(|at| at.as_micros())));
        });
        assert!(is_good);
        found
    }

    #[test]
    fn holmer_3_1_a_message_has_reference_time_chunks_and_deltas() {
        let mut arrivals: BTreeMap<u64, Time> =
            [(5, 70_000), (6, 71_000), (7, 71_250)].map(|(n, us)| (n, Time::from_micros(us))).into();
        let (message, next) = report(&mut arrivals, 5, 3).expect("something arrived");
        assert_eq!((next, arrivals.len()), (8, 0));
        let expected = [
            0x8f, 205, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, // header and sources
            0, 5, 0, 3, 0, 0, 1, 3, // base, count, 64 ms, number of the feedback
            0x20, 3, 24, 4, 1, 0, 0, 0, // a run of three small deltas: 6 ms, 1 ms, 250 µs
        ];
        assert_eq!(message.bytes.as_slice(), expected);
        assert_eq!(read(&message, 0), [(5, Some(70_000)), (6, Some(71_000)), (7, Some(71_250))]);
    }

    #[test]
    fn holmer_3_1_1_missing_packets_and_large_deltas_are_told() {
        let mut arrivals: BTreeMap<u64, Time> =
            [(1, 1000), (3, 200_000), (4, 150_000)].map(|(n, us)| (n, Time::from_micros(us))).into();
        let (message, next) = report(&mut arrivals, 0, 0).expect("something arrived");
        assert_eq!(next, 5);
        let found = read(&message, 0);
        assert_eq!(
            found,
            [
                (0, None),
                (1, Some(1000)),
                (2, None),
                (3, Some(200_000)),
                (4, Some(150_000)) // reordered: a negative delta
            ]
        );
    }

    #[test]
    fn what_does_not_fit_goes_into_the_next_message() {
        let mut arrivals: BTreeMap<u64, Time> = (0..40).map(|n| (n, Time::from_millis(n))).collect();
        let (mut base, mut counts) = (0, Vec::new());
        while let Some((message, next)) = report(&mut arrivals, base, 0) {
            let found = read(&message, base);
            assert_eq!(found[0], (base, Some(1000 * base)));
            counts.push(next - base);
            base = next;
        }
        assert_eq!(counts, [18, 18, 4]);
    }

    #[test]
    fn a_long_gap_is_one_run() {
        let mut arrivals: BTreeMap<u64, Time> = [(500, Time::from_millis(9))].into();
        let (message, next) = report(&mut arrivals, 0, 0).expect("it arrived");
        assert_eq!(next, 501);
        let found = read(&message, 0);
        assert_eq!((found.len(), found[500].1), (501, Some(9000)));
    }

    proptest! {
        #[test]
        fn all_arrivals_come_back(gaps in prop::collection::vec((1u64..4, 0u64..400), 1..80), wide in 0u64..3) {
            let (mut number, mut at) = (65_000 + wide, 1_000u64);
            let mut arrivals = BTreeMap::new();
            for (step, wait) in gaps {
                number += step;
                at += wait * 1000 * (1 + wide * 40);
                arrivals.insert(number, Time::from_micros(at));
            }
            let expected: Vec<(u64, u64)> = arrivals.iter().map(|(n, at)| (*n, at.as_micros() / 250)).collect();
            let (mut base, mut found) = (*arrivals.first_key_value().unwrap().0, Vec::new());
            while let Some((message, next)) = report(&mut arrivals, base, 0) {
                prop_assert!(next > base);
                found.extend(read(&message, base).into_iter().filter_map(|(n, at)| Some((n, at? / 250))));
                base = next;
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..60)) {
            TransportFeedback::read(&payload, 0, |_, _| ());
            let mut like = vec![0x8f, 205, 0, 9];
            like.extend(&payload);
            TransportFeedback::read(&like, 7, |_, _| ());
        }
    }
}
