//! Rules of chains, on tables made by hand.

use jettison_core::{Duration, Time};
use jettison_measure::{Component, EventKind, Status, Unit, UnitKind};

use super::*;

const AT: fn(u64) -> Time = Time::from_millis;
const MS: fn(u64) -> Duration = Duration::from_millis;
const QUEUE: &str = "bottleneck.forward";

/// Parts as (component, place, ms, decision).
type Parts<'a> = &'a [(Component, &'a str, u64, Option<u64>)];

fn account(unit: Unit, start: u64, status: Status, reason: &str, parts: Parts<'_>) -> Account {
    let part = |(component, place, ms, decision): &(Component, &str, u64, Option<u64>)| Part {
        component: *component,
        place: (*place).to_owned(),
        duration: MS(*ms),
        decision: *decision,
    };
    let parts: Vec<Part> = parts.iter().map(part).collect();
    let took: u64 = parts.iter().map(|own| own.duration.as_nanos()).sum();
    let end = Time::from_nanos(AT(start).as_nanos() + took);
    Account {
        flow: "viewer".to_owned(),
        unit,
        start: AT(start),
        end,
        status,
        reason: reason.to_owned(),
        parts,
    }
}

fn segment(number: u64, start: u64, parts: Parts<'_>) -> Account {
    account(Unit::new(UnitKind::Segment, number, 1), start, Status::Shown, "", parts)
}

/// A segment that took what is usual: 500 ms.
fn usual(number: u64, start: u64) -> Account {
    segment(
        number,
        start,
        &[
            (Component::Application, "server", 100, None),
            (Component::Window, "server", 200, None),
            (Component::Queue, QUEUE, 50, None),
            (Component::Propagation, QUEUE, 150, None),
            (Component::Playout, "client", 6000, None),
        ],
    )
}

fn decision(id: u64, at: u64, outcome: &str, rule: &str, unit: Unit) -> Decision {
    Decision {
        id,
        at: AT(at),
        queue: QUEUE.to_owned(),
        flow: "viewer".to_owned(),
        outcome: outcome.to_owned(),
        rule: rule.to_owned(),
        packet: Some(id + 100),
        unit: Some(unit),
        waited: Duration::ZERO,
        retransmission: false,
        backlog: Some(100),
        holders: "bulk 81, viewer 19".to_owned(),
        gauges: "codel_count=3".to_owned(),
    }
}

fn event(kind: EventKind, since: u64, at: u64, duration: u64, unit: Unit) -> Event {
    Event {
        id: 0,
        flow: "viewer".to_owned(),
        kind,
        since: AT(since),
        at: AT(at),
        duration: MS(duration),
        cost: duration as f64 / 1e3,
        unit: Some(unit),
    }
}

fn segment_unit(number: u64) -> Unit {
    Unit::new(UnitKind::Segment, number, 1)
}

/// Ten usual segments, one a second, and an eleventh.
fn with_segment(last: Account, decisions: Vec<Decision>) -> (Event, Evidence) {
    let stall = event(EventKind::Stall, 10_400, 12_000, 2_000, last.unit);
    let accounts = (1..=10).map(|number| usual(number, 1_000 * number - 100)).chain([last]).collect();
    (stall.clone(), Evidence::new(vec![stall], accounts, decisions))
}

#[test]
fn a_stall_is_traced_to_the_drop_whose_repair_made_a_segment_late() {
    let late = segment(
        11,
        10_500,
        &[
            (Component::Application, "server", 100, None),
            (Component::RetransmissionTimeout, "server", 3_000, Some(7)),
            (Component::Queue, QUEUE, 50, None),
            (Component::Propagation, QUEUE, 150, None),
        ],
    );
    let drops = vec![
        decision(3, 4_000, "drop", "buffer-full", segment_unit(4)),
        decision(7, 10_650, "drop", "buffer-full", segment_unit(11)),
    ];
    let (stall, evidence) = with_segment(late, drops);
    let found = explain(&stall, &evidence);
    let [cause] = found.causes.as_slice() else { panic!("{:?}", found.causes) };
    assert_eq!((cause.kind, cause.place.as_str()), (CauseKind::Drops, QUEUE));
    assert_eq!((cause.decisions.as_slice(), cause.from, cause.to), ([7].as_slice(), AT(10_650), AT(10_650)));
    assert_eq!(cause.rules, [("buffer-full".to_owned(), 1)]);
    assert_eq!(cause.state.as_ref().map(|own| own.holders.as_str()), Some("bulk 81, viewer 19"));
    assert_eq!(found.count, 1, "the segments before had come before the decline began");
    let told = told(&found, &Check::None).join("\n");
    for part in ["segment 11", "retransmission timeout", "1 by buffer-full", "ids 7", "held by bulk 81"] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
}

#[test]
fn waits_beyond_the_usual_are_a_cause_and_usual_ones_are_not() {
    let late = segment(
        11,
        10_500,
        &[
            (Component::Application, "server", 100, None),
            (Component::Window, "server", 200, None),
            (Component::Queue, QUEUE, 1_050, None),
            (Component::Propagation, QUEUE, 150, None),
        ],
    );
    let (stall, evidence) = with_segment(late, Vec::new());
    let found = explain(&stall, &evidence);
    let [cause] = found.causes.as_slice() else { panic!("{:?}", found.causes) };
    assert_eq!((cause.kind, cause.excess), (CauseKind::Waits, MS(1_000)));
    assert_eq!((cause.from, cause.to), (AT(10_800), AT(11_850)));
    assert!(!found.is_usual && found.is_revertible());
}

#[test]
fn a_full_window_is_laid_to_the_drops_before_it_or_else_to_the_queue() {
    let parts: Parts<'_> = &[
        (Component::Application, "server", 100, None),
        (Component::Window, "server", 2_200, None),
        (Component::Queue, QUEUE, 350, None),
        (Component::Propagation, QUEUE, 150, None),
    ];
    let drop = decision(9, 10_600, "drop", "codel", segment_unit(11));
    let (stall, evidence) = with_segment(segment(11, 10_500, parts), vec![drop]);
    let kinds = |found: &Explanation| found.causes.iter().map(|cause| cause.kind).collect::<Vec<_>>();
    let by_drops = explain(&stall, &evidence);
    assert_eq!(kinds(&by_drops), [CauseKind::Drops, CauseKind::Waits]);
    assert_eq!(
        (by_drops.causes[0].excess, by_drops.causes[0].decisions.as_slice()),
        (MS(2_000), [9].as_slice())
    );
    let (stall, evidence) = with_segment(segment(11, 10_500, parts), Vec::new());
    let by_waits = explain(&stall, &evidence);
    assert_eq!((kinds(&by_waits), by_waits.causes[0].excess), (vec![CauseKind::Waits], MS(2_300)));
    // The window says nothing about when the queue was long.
    assert_eq!(by_waits.causes[0].to.since(by_waits.causes[0].from), MS(350));
}

#[test]
fn what_is_always_slow_is_explained_by_what_is_usual() {
    let accounts: Vec<Account> = (1..=10).map(|number| usual(number, 1_000 * number - 100)).collect();
    let stall = event(EventKind::Stall, 5_000, 6_000, 1_000, segment_unit(6));
    let evidence = Evidence::new(vec![stall.clone()], accounts, Vec::new());
    let found = explain(&stall, &evidence);
    assert!(found.is_usual);
    assert_eq!(found.causes[0].kind, CauseKind::Waits, "the window is full because packets wait: {found:?}");
}

#[test]
fn a_frame_that_never_came_is_traced_to_the_drop_of_its_packet_at_its_queue() {
    let frame = |number: u64, status, reason: &str| {
        let parts: Parts<'_> =
            &[(Component::Queue, QUEUE, 20, None), (Component::Propagation, QUEUE, 10, None)];
        account(Unit::new(UnitKind::Frame, number, 0), 40 * number, status, reason, parts)
    };
    let mut accounts: Vec<Account> = (0..50).map(|number| frame(number, Status::Shown, "")).collect();
    accounts[30] = frame(30, Status::Never, "lost");
    let unit = Unit::new(UnitKind::Frame, 30, 0);
    let drops = vec![decision(5, 1_210, "drop", "red", unit)];
    let skipped = event(EventKind::SkippedFrame, 1_200, 1_600, 40, unit);
    let evidence = Evidence::new(vec![skipped.clone()], accounts, drops);
    let found = explain(&skipped, &evidence);
    let [cause] = found.causes.as_slice() else { panic!("{:?}", found.causes) };
    assert_eq!((cause.kind, cause.decisions.as_slice()), (CauseKind::Drops, [5].as_slice()));
    assert_eq!(found.members.len(), 1);
}

#[test]
fn what_the_sender_never_sent_names_nothing_to_revert() {
    let unit = Unit::new(UnitKind::Message, 30, 2);
    let missing =
        account(unit, 1_200, Status::Never, "over-bitrate", &[(Component::Application, "server", 5, None)]);
    let layers = event(EventKind::MissingLayers, 1_200, 1_600, 40, unit);
    let evidence = Evidence::new(vec![layers.clone()], vec![missing], Vec::new());
    let found = explain(&layers, &evidence);
    assert_eq!(found.causes.iter().map(|own| own.kind).collect::<Vec<_>>(), [CauseKind::Sender]);
    assert!(!found.is_revertible());
    let told = told(&found, &Check::Nothing).join("\n");
    assert!(told.contains("over-bitrate") && told.contains("other:"), "{told}");
}

#[test]
fn a_verdict_needs_a_tenth_of_the_cost_to_be_gone() {
    let stall = event(EventKind::Stall, 0, 0, 1_000, segment_unit(1));
    let left = |all| Check::Left { all, each: Vec::new() }.is_confirmed(&stall);
    assert_eq!(
        [left(0.0), left(0.9), left(0.91), left(2.0)],
        [Some(true), Some(true), Some(false), Some(false)]
    );
    assert_eq!((Check::Nothing.is_confirmed(&stall), Check::None.is_confirmed(&stall)), (Some(false), None));
}

#[test]
fn a_ladder_has_a_lane_for_each_queue_and_marks_the_decisive_drop() {
    let late = segment(
        11,
        10_500,
        &[
            (Component::Propagation, "bottleneck.reverse", 50, None),
            (Component::RetransmissionTimeout, "server", 3_000, Some(7)),
            (Component::Queue, QUEUE, 50, None),
            (Component::Propagation, QUEUE, 150, None),
        ],
    );
    let drops = vec![decision(7, 10_650, "drop", "buffer-full", segment_unit(11))];
    let (stall, evidence) = with_segment(late, drops);
    let drawn = ladder(&explain(&stall, &evidence), &evidence, true);
    assert_eq!(drawn.matches("class=\"lane\"").count(), 3, "sender, queue, viewer: {drawn}");
    assert_eq!(drawn.matches("drop 7 by buffer-full").count(), 1);
    assert!(drawn.contains("request of segment 11") && drawn.contains("prefers-color-scheme: dark"));
    assert_eq!(drawn.matches('<').count(), drawn.matches('>').count());
}

#[test]
fn an_overview_counts_events_by_kind() {
    let stall = event(EventKind::Stall, 0, 0, 1_000, segment_unit(1));
    let switch = Event { kind: EventKind::SwitchDown, cost: 0.5, ..stall.clone() };
    let all = [stall.clone(), switch.clone(), switch, stall];
    assert_eq!(overview(&all), "2 stalls (2.00 s), 2 switches down (1.00 s) of 1 viewer");
    assert_eq!(overview(&[]), "no events");
}

#[test]
fn the_answer_divides_the_cost_among_places_and_counts_confirmed_chains() {
    let late = segment(
        11,
        10_500,
        &[
            (Component::RetransmissionTimeout, "server", 3_000, Some(7)),
            (Component::Queue, QUEUE, 1_050, None),
            (Component::Propagation, QUEUE, 150, None),
        ],
    );
    let (stall, evidence) =
        with_segment(late, vec![decision(7, 10_650, "drop", "buffer-full", segment_unit(11))]);
    let explained = explain(&stall, &evidence);
    let gone = (explained.clone(), Check::Left { all: 0.0, each: Vec::new() });
    let kept = (explained, Check::Left { all: 2.0, each: Vec::new() });
    assert_eq!(
        answer(&[&gone, &kept], 9).as_deref(),
        Some(
            "The 2 most expensive of 9 events cost 4.00 s, which goes back 100 % to queue bottleneck.forward (75 % drops, \
             25 % waits). Runs without the causes named confirm 1 of 2 chains; `other` marks the rest."
        )
    );
    let alone = (gone.0.clone(), Check::None);
    let said = answer(&[&alone], 1).unwrap_or_default();
    assert!(said.starts_with("The one event costs 2.00 s,") && !said.contains("confirm"), "{said}");
    assert_eq!(answer(&[], 0), None);
}

/// A segment of a live run, whose sender's kernel took `ms` for what nobody saw.
fn of_a_kernel(ms: u64) -> Account {
    segment(
        11,
        10_500,
        &[
            (Component::Unseen, "server", ms, None),
            (Component::Queue, QUEUE, 50, None),
            (Component::Propagation, QUEUE, 150, None),
        ],
    )
}

#[test]
fn what_a_kernel_did_unseen_is_laid_to_the_drops_meanwhile_and_said_to_be_unseen() {
    let drops = vec![decision(7, 10_650, "drop", "buffer-full", segment_unit(11))];
    let (stall, evidence) = with_segment(of_a_kernel(3_000), drops);
    let found = explain(&stall, &evidence);
    let [cause] = found.causes.as_slice() else { panic!("{:?}", found.causes) };
    assert_eq!(
        (cause.kind, cause.decisions.as_slice(), cause.is_share),
        (CauseKind::Drops, [7].as_slice(), false)
    );
    let text = told(&found, &Check::live()).join("\n");
    for part in ["not seen at server 3.00 s", "3.00 s of it passed unseen in a host's kernel meanwhile"] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(text.ends_with("not checked: a live run cannot be repeated"), "{text}");
    assert_eq!(Check::live().is_confirmed(&stall), None);
}

#[test]
fn what_a_kernel_did_unseen_without_drops_or_waits_has_no_cause_but_itself() {
    let (stall, evidence) = with_segment(of_a_kernel(3_000), Vec::new());
    let found = explain(&stall, &evidence);
    let [cause] = found.causes.as_slice() else { panic!("{:?}", found.causes) };
    assert_eq!(
        (cause.kind, cause.place.as_str(), cause.is_revertible()),
        (CauseKind::Unseen, "server", false)
    );
    let text = told(&found, &Check::live()).join("\n");
    assert!(text.contains("100 % of that time: not seen: in the kernel of server"), "{text}");
}
