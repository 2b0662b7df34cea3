//! Units whose delay made an event.

use jettison_core::{Duration, Time};
use jettison_measure::{Component, EventKind, Status, UnitKind};

use super::evidence::{Account, Event, Evidence};

/// Responses that a player's estimate of its throughput averages: dash.js takes four samples, and other rules as many.
const AVERAGED: usize = 4;
/// How far back frames are looked for that an event's frames depend on.
const REFERENCES: u64 = 32;

/// The units that an event's viewer waited for, by the beginnings of their delays.
pub(super) fn members<'a>(event: &Event, evidence: &'a Evidence) -> Vec<&'a Account> {
    let accounts = evidence.accounts(&event.flow).iter();
    match event.kind {
        EventKind::Stall | EventKind::LongStart => {
            let found = accounts.filter(|own| is_fetched(event, own));
            found.filter(|own| own.arrived() > event.since && own.start < event.end()).collect()
        }
        EventKind::SwitchDown => {
            // The choice was made at `at`, from what had come by then.
            let found = accounts.filter(|own| is_fetched(event, own) && own.arrived() <= event.at);
            let mut found: Vec<&Account> = found.collect();
            found.sort_by_key(|own| own.arrived());
            let known = found.len().saturating_sub(AVERAGED);
            let since = found.partition_point(|own| own.arrived() <= event.since);
            found.split_off(known.min(since))
        }
        EventKind::Abandoned => {
            let is_it = |own: &&Account| {
                event.unit.is_some_and(|unit| {
                    own.unit.number == unit.number && is_fetched(event, own) && own.start < event.at
                })
            };
            accounts.filter(is_it).collect()
        }
        EventKind::SlowPage => {
            let is_of_page = |own: &&Account| {
                let kinds = [UnitKind::Object, UnitKind::Handshake, UnitKind::Response];
                kinds.contains(&own.unit.kind)
                    && event.unit.is_some_and(|unit| own.unit.number == unit.number)
            };
            accounts.filter(is_of_page).collect()
        }
        EventKind::LateSample => {
            let kinds = [UnitKind::Sample, UnitKind::Update];
            let found = accounts.filter(|own| kinds.contains(&own.unit.kind));
            found.filter(|own| own.start >= event.since && own.start <= event.end()).collect()
        }
        EventKind::Freeze | EventKind::LateFrame | EventKind::SkippedFrame | EventKind::MissingLayers => {
            frames(event, evidence)
        }
    }
}

/// Whether a unit is one that a streaming session fetched: the session of the event, if its flow has many.
fn is_fetched(event: &Event, account: &Account) -> bool {
    let session = event.unit.map_or(0, |unit| unit.session());
    matches!(account.unit.kind, UnitKind::Segment | UnitKind::Manifest) && account.unit.session() == session
}

/// Frames and messages of the event, and those that they depend on.
fn frames<'a>(event: &Event, evidence: &'a Evidence) -> Vec<&'a Account> {
    let last = match event.kind {
        EventKind::Freeze => event.end(),
        // Frames of a run were captured within its duration.
        _ => Time::from_nanos(
            event.since.saturating_add(event.duration).as_nanos().saturating_sub(FRAME_ROUNDING.as_nanos()),
        ),
    };
    let accounts = || {
        let kinds = [UnitKind::Frame, UnitKind::Message];
        evidence.accounts(&event.flow).iter().filter(move |own| kinds.contains(&own.unit.kind))
    };
    let first = event.unit.map_or(0, |unit| unit.number);
    let is_of_event = |own: &&Account| {
        let is_in_time = own.unit.number == first || own.start >= event.since && own.start < last;
        is_in_time && own.unit.number >= first && is_disturbed(event, own)
    };
    let mut found: Vec<&Account> = accounts().filter(is_of_event).collect();
    let depends = |own: &&Account| {
        own.reason == "dependency" || own.parts.iter().any(|part| part.component == Component::Dependency)
    };
    if found.iter().any(depends) {
        let before = first.saturating_sub(REFERENCES)..first;
        found.extend(
            accounts().filter(|own| before.contains(&own.unit.number) && own.status != Status::Shown),
        );
        found.sort_by_key(|own| (own.start, own.unit));
    }
    found
}

/// Capture times are rounded to nanoseconds.
const FRAME_ROUNDING: Duration = Duration::from_micros(1);

/// Of missing layers only what is missing; of other events all that belongs to their frames.
fn is_disturbed(event: &Event, account: &Account) -> bool {
    event.kind != EventKind::MissingLayers
        || account.unit.kind == UnitKind::Message && account.status != Status::Shown
}
