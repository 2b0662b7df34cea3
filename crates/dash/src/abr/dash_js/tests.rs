//! Decisions computed by hand from the rules of dash.js's source.

use jettison_core::{Duration, Rate, Time};

use super::super::testing::{download, ladder, playing};
use super::super::{AbrRule, AbrState, Choice, Download, Progress};
use super::bola::Bola;
use super::estimate::{Estimate, EstimateStyle};
use super::switches::SwitchHistory;
use super::{DashJs, DashJsRules};
use crate::content::AdaptationSet;
use crate::player::Kind;

const S: fn(u64) -> Duration = Duration::from_secs;
const MS: fn(u64) -> Duration = Duration::from_millis;

/// Rules of 4.3 or 5.2.
fn rules(major: u8) -> DashJsRules {
    DashJsRules {
        initial_video: Rate::from_kbit(1000),
        initial_audio: Rate::from_kbit(100),
        healthy: S(if major == 4 { 12 } else { 18 }),
        abandons: major == 5,
        major,
    }
}

fn ired() -> AdaptationSet {
    ladder(&[280, 980, 2080])
}

/// Rule after its first choice and `count` downloads at `kbit`, with this level after each.
fn after(major: u8, kbit: u64, count: usize, level: Duration) -> DashJs {
    let set = ired();
    let mut rule = DashJs::new(rules(major), Kind::Video);
    rule.choose(&playing(&set, Duration::ZERO));
    for _ in 0..count {
        rule.on_segment(&download(kbit, S(1)), &playing(&set, level));
    }
    rule
}

fn choose(rule: &mut DashJs, level: Duration) -> usize {
    rule.choose(&playing(&ired(), level)).representation
}

#[test]
fn the_first_segments_follow_the_initial_bitrate() {
    let (video, audio) = (ired(), ladder(&[64, 128]));
    for major in [4, 5] {
        // 980 of 1000 kbit/s, 64 of 100 kbit/s.
        assert_eq!(DashJs::new(rules(major), Kind::Video).choose(&playing(&video, S(0))), Choice::now(1));
        let state = AbrState { kind: Kind::Audio, ..playing(&audio, S(0)) };
        assert_eq!(DashJs::new(rules(major), Kind::Audio).choose(&state), Choice::now(0));
    }
}

#[test]
fn bola_is_on_above_12_s_and_off_at_6_s_in_4_3() {
    let mut rule = after(4, 1000, 3, S(4));
    let mut by_level = |level| {
        choose(&mut rule, level);
        rule.by_level
    };
    assert!(!by_level(S(12)));
    assert!(by_level(MS(12_001)));
    assert!(by_level(MS(6_001)));
    assert!(!by_level(S(6)));
    assert!(!by_level(S(12)));
}

#[test]
fn bola_is_on_from_18_s_and_off_below_9_s_in_5_2() {
    let mut rule = after(5, 1000, 3, S(4));
    let mut by_level = |level| {
        choose(&mut rule, level);
        rule.by_level
    };
    assert!(!by_level(MS(17_999)));
    assert!(by_level(S(18)));
    assert!(by_level(S(9)));
    assert!(!by_level(MS(8_999)));
}

#[test]
fn a_level_that_fell_below_the_lower_threshold_in_transit_turns_bola_off() {
    let mut rule = after(4, 1000, 3, S(13));
    assert!(rule.by_level);
    // 5 s before the segment of 4 s, 9 s after it.
    rule.on_segment(&download(1000, S(1)), &playing(&ired(), S(9)));
    assert!(!rule.by_level);
}

#[test]
fn nine_tenths_of_the_mean_count_without_the_wait_for_the_first_byte() {
    // 0.9 · 2400 = 2160 kbit/s; the wait of 1 ms (at least) takes off a quarter per mille.
    assert_eq!(choose(&mut after(4, 2400, 3, S(10)), S(10)), 2);
    assert_eq!(choose(&mut after(4, 2300, 3, S(10)), S(10)), 1, "2070 kbit/s");
    // A wait of 400 ms takes a tenth off a segment of 4 s: 2400 · 0.9 · 0.9 = 1944 kbit/s.
    let mut rule = after(4, 2400, 0, S(10));
    let late = Download {
        requested_at: Time::ZERO,
        first_byte_at: Time::from_millis(400),
        finished_at: Time::from_millis(1400),
        ..download(2400, S(1))
    };
    for _ in 0..3 {
        rule.on_segment(&late, &playing(&ired(), S(10)));
    }
    assert_eq!(choose(&mut rule, S(10)), 1);
    // 5.2 takes nothing off.
    let mut rule = after(5, 2400, 0, S(10));
    for _ in 0..3 {
        rule.on_segment(&late, &playing(&ired(), S(10)));
    }
    assert_eq!(choose(&mut rule, S(10)), 2);
}

#[test]
fn little_in_the_buffer_limits_the_choice() {
    // 0.5 · 3000 · 2/4 = 750 kbit/s in 4.3; 0.7 of it are 1050 kbit/s in 5.2.
    assert_eq!(choose(&mut after(4, 3000, 3, S(6)), S(2)), 0);
    assert_eq!(choose(&mut after(5, 3000, 3, S(6)), S(2)), 1);
    // The first two segments are not limited.
    assert_eq!(choose(&mut after(4, 3000, 1, S(6)), S(2)), 2);
    // An empty buffer.
    assert_eq!(choose(&mut after(5, 3000, 3, S(6)), MS(299)), 0);
}

#[test]
fn a_window_of_four_grows_where_throughputs_vary() {
    let mut estimate = Estimate::new(EstimateStyle::Window, Kind::Video);
    for kbit in [1000, 1000, 1000, 1000, 1000, 1200] {
        estimate.push(&download(kbit, S(1)));
    }
    assert_eq!(estimate.mean(), Some(1050.0));
    estimate.push(&download(2400, S(1)));
    // One pair differs by a factor of 2: five of them, 1000, 1000, 1000, 1200, 2400.
    assert_eq!(estimate.mean(), Some(1320.0));
}

#[test]
fn responses_faster_than_50_ms_count_as_cached_in_4_3() {
    let mut estimate = Estimate::new(EstimateStyle::Window, Kind::Video);
    estimate.push(&download(9000, MS(49)));
    assert_eq!(estimate.mean(), Some(9000.0), "there is nothing else to go by");
    estimate.push(&download(1000, MS(50)));
    assert_eq!(estimate.mean(), Some(1000.0), "the first other one replaces it");
    estimate.push(&download(9000, MS(49)));
    assert_eq!(estimate.mean(), Some(1000.0));
    let mut audio = Estimate::new(EstimateStyle::Window, Kind::Audio);
    audio.push(&download(1000, MS(50)));
    audio.push(&download(3000, MS(5)));
    assert_eq!(audio.mean(), Some(2000.0));
}

#[test]
fn the_lower_of_two_weighted_averages_counts_in_5_2() {
    let mut estimate = Estimate::new(EstimateStyle::Weighted, Kind::Video);
    estimate.push(&download(1000, S(1)));
    assert_eq!(estimate.mean(), Some(1000.0));
    estimate.push(&download(500, S(1)));
    // Each weighs 1.5 s. Fast: (0.2929·500 + 0.7071·292.9)/0.5 = 707; slow: 734.
    assert_eq!(estimate.mean(), Some(707.0));
    assert_eq!(estimate.safe(), Some(0.9 * 707.0));
}

#[test]
fn bola_s_levels_are_those_of_the_formula() {
    // γ = ln(2080/280)/0.6 = 3.342, V = 10/γ = 2.992.
    let bola = Bola::new(&ired(), 12.0, true).unwrap();
    assert!((bola.minimum_level(1) - 11.49).abs() < 0.01, "{}", bola.minimum_level(1));
    assert!((bola.minimum_level(2) - 14.73).abs() < 0.01, "{}", bola.minimum_level(2));
    assert!(Bola::new(&ladder(&[500]), 12.0, true).is_none());
}

#[test]
fn bola_goes_by_throughput_until_a_segment_has_come() {
    let mut bola = Bola::new(&ired(), 12.0, true).unwrap();
    let at = |secs| Time::from_secs(100) + S(secs);
    assert_eq!(bola.choose(2, 13.0, at(0)).representation, 2);
    let came =
        Download { representation: 2, finished_at: at(1), requested_at: at(0), ..download(3000, S(1)) };
    // Placeholder 14.73 − 13 = 1.73, of which 99 % remain.
    bola.on_segment(&came, 13.0);
    assert_eq!(bola.choose(2, 13.0, at(1)).representation, 2);
    bola.on_segment(&came, 13.0);
    // From here the level decides: 13 + 1.70 s are just below 14.73 s.
    assert_eq!(bola.choose(2, 13.0, at(1)).representation, 1);
    // A level of 15 s and the placeholder, but the throughput carries only the lowest: stay (BOLA-O).
    assert_eq!(bola.choose(0, 15.0, at(1)).representation, 1);
    assert_eq!(bola.choose(2, 15.0, at(1)).representation, 2);
}

#[test]
fn bola_delays_requests_of_lower_representations_only() {
    let mut bola = Bola::new(&ired(), 12.0, true).unwrap();
    let at = Time::from_secs(100);
    let came = Download { finished_at: at, requested_at: at, ..download(300, S(1)) };
    bola.choose(0, 4.0, at);
    bola.on_segment(&came, 4.0);
    bola.choose(0, 4.0, at);
    bola.on_empty();
    // The lowest is fetched up to V·(1 + γ) = 12.99 s.
    let decision = bola.choose(0, 16.0, at);
    assert_eq!(decision.representation, 0);
    assert!((decision.delay - (16.0 - 12.992)).abs() < 0.01, "{}", decision.delay);
    // The highest is not delayed.
    assert_eq!(bola.choose(2, 40.0, at).delay, 0.0);
}

#[test]
fn a_representation_left_downwards_too_often_is_avoided() {
    let mut history = SwitchHistory::new(true);
    history.push(1, 0);
    for _ in 0..4 {
        history.push(0, 1);
    }
    assert_eq!(history.limit(), None, "five checks");
    history.push(1, 1);
    assert_eq!(history.limit(), Some(0), "one drop of six");
    for _ in 0..8 {
        history.push(1, 1);
    }
    assert_eq!(history.limit(), None, "the drop is among the last eight no longer");
}

/// Progress of a segment of 4 s at 2080 kbit/s, of which `received` bytes have come by 102 s; events every 100 ms.
fn abandoned(major: u8, received: u64, level: Duration) -> Option<usize> {
    let set = ired();
    let mut rule = DashJs::new(DashJsRules { abandons: true, ..rules(major) }, Kind::Video);
    rule.choose(&playing(&set, S(0)));
    let at = |step: u64| Time::from_secs(100) + MS(100 * step);
    (1..=20).find_map(|step| {
        let progress = Progress {
            representation: 2,
            segment: 10,
            bytes: 1_040_000,
            received: received * step / 20,
            requested_at: at(0),
            first_byte_at: at(0),
        };
        rule.on_progress(&progress, &AbrState { now: at(step), ..playing(&set, level) })
    })
}

#[test]
fn a_request_slower_than_1_8_times_its_media_time_is_abandoned() {
    // 1,040,000 bytes in 7.2 s are 1156 kbit/s: 289 kB in 2 s.
    assert_eq!(abandoned(4, 200_000, S(4)), Some(0), "0.9 · 800 kbit/s");
    assert_eq!(abandoned(4, 275_000, S(4)), Some(1), "0.9 · 1100 kbit/s");
    assert_eq!(abandoned(4, 295_000, S(4)), None);
    assert_eq!(abandoned(5, 250_000, S(4)), Some(1), "1000 kbit/s, without a margin");
    assert_eq!(abandoned(4, 200_000, MS(12_001)), None);
}

#[test]
fn after_an_abandoned_request_the_representation_may_only_fall() {
    let mut rule = after(5, 3000, 3, S(10));
    rule.abandoned_at = Some(Time::from_secs(95));
    rule.current = Some(0);
    assert_eq!(choose(&mut rule, S(10)), 0);
    assert!(!rule.may_replace(Time::from_secs(104)));
    rule.abandoned_at = Some(Time::from_secs(90));
    assert_eq!(choose(&mut rule, S(10)), 2);
}
