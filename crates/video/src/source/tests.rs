//! Invariants of every encoder, for any behaviour of the transport.

use jettison_core::{Duration, Rate, Time};
use jettison_tcp::PathEstimate;
use proptest::prelude::*;
use serde_json::Value;

use super::sources;
use super::testing::videos;
use crate::{Fate, MessageHead, Outgoing};

fn estimates() -> impl Strategy<Value = PathEstimate> {
    let rate = || prop_oneof![Just(0), 1u64..30_000_000, 1u64..=u64::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..500_000, 0..=u64::MAX];
    let rtt = || proptest::option::of(0u64..2_000_000_000);
    (proptest::option::of(rate()), rtt(), any::<bool>(), proptest::option::of(bytes()), bytes(), bytes())
        .prop_map(|(bandwidth, rtt, is_app_limited, budget, backlog, in_flight)| PathEstimate {
            bandwidth: bandwidth.map(Rate::from_bits),
            rtt: rtt.map(Duration::from_nanos),
            min_rtt: rtt.map(Duration::from_nanos),
            is_app_limited,
            budget,
            backlog,
            in_flight,
        })
}

fn fates() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Acknowledged),
        Just(Fate::Lost),
        Just(Fate::Refused),
        Just(Fate::Dropped(jettison_core::DropReason::StaleMessage)),
    ]
}

proptest! {
    #[test]
    fn messages_are_valid_and_frames_count_up(
        steps in proptest::collection::vec((estimates(), fates(), 0usize..40), 1..60),
    ) {
        for entry in sources().iter() {
            for video in videos().iter().filter(|video| entry.facts.kinds.contains(&video.kind())) {
                let mut source = entry.build(&Value::Null, video).expect("defaults are valid");
                source.start(Time::from_millis(3));
                let mut sent: Vec<Outgoing> = Vec::new();
                let mut due = Time::ZERO;
                for (frame, (path, fate, which)) in (0u32..).zip(&steps) {
                    let now = source.next_frame().expect("it does not end");
                    prop_assert!(now > due, "{}", entry.id);
                    due = now;
                    let before = sent.len();
                    source.make_frame(now, path, &mut sent);
                    for message in &sent[before..] {
                        prop_assert_eq!(message.params.validate(), Ok(()), "{}", entry.id);
                        prop_assert!(message.length as usize >= MessageHead::LENGTH);
                        prop_assert_eq!(message.head.frame, frame);
                        prop_assert_eq!(message.head.captured_at, now);
                        prop_assert_eq!(MessageHead::parse(message.head.emit().as_slice()), Some(message.head));
                    }
                    let parts: Vec<_> = sent[before..].iter().map(|m| (m.head.layer, m.head.cell)).collect();
                    let mut distinct = parts.clone();
                    distinct.sort_unstable();
                    distinct.dedup();
                    prop_assert_eq!(distinct.len(), parts.len(), "{} sends a part twice", entry.id);
                    if let Some(message) = sent.get(which % sent.len().max(1)) {
                        source.handle_fate(&message.head, *fate, now);
                    }
                }
            }
        }
    }

    /// A decoder finds all references from the messages alone, if all of them arrive.
    #[test]
    fn frames_without_layers_refer_to_frames_that_were_sent(
        steps in proptest::collection::vec(estimates(), 1..60),
        refused in proptest::collection::vec(any::<bool>(), 60),
    ) {
        for entry in sources().iter() {
            for video in &videos()[..2] {
                let gop = [10, 8][usize::from(matches!(video, super::Video::Temporal(_)))];
                if entry.facts.is_layered || !entry.facts.kinds.contains(&video.kind()) {
                    continue;
                }
                let mut source = entry.build(&Value::Null, video).expect("defaults are valid");
                source.start(Time::ZERO);
                let (mut out, mut taken) = (Vec::new(), Vec::new());
                for (path, is_refused) in steps.iter().zip(&refused) {
                    let now = source.next_frame().expect("it does not end");
                    source.make_frame(now, path, &mut out);
                    for message in out.drain(..) {
                        if *is_refused {
                            source.handle_fate(&message.head, Fate::Refused, now);
                            continue;
                        }
                        let (frame, skipped) = (message.head.frame, u32::from(message.head.cell));
                        let needs_none = skipped >= frame % gop;
                        prop_assert!(needs_none || taken.contains(&(frame - 1 - skipped)), "{}", entry.id);
                        taken.push(frame);
                    }
                }
            }
        }
    }
}
