//! Rules of decoding and its metrics.

use jettison_core::Duration;
use jettison_measure::{EventKind, EventLimits, FrameScore, UnitKind, metrics};
use jettison_wire::FlowId;
use proptest::prelude::*;

use super::testing::{Watched, spatial, temporal, volumetric};
use super::{
    Decoder, ScoreParameters, SingleLayerDecoder, SpatialDecoder, TemporalDecoder, VolumetricDecoder, Window,
};
use crate::content::ssim;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// Delivers all three layers of a frame, 40 ms and more after its capture.
fn whole(watched: &mut Watched<SpatialDecoder>, frame: u32) {
    (0..3).for_each(|layer| watched.comes(frame, layer, 0, 0, 40 + u64::from(layer)));
}

#[test]
fn a_layer_needs_the_lower_layers_of_its_frame() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    watched.comes(0, 0, 0, 0, 40);
    watched.comes(0, 2, 0, 0, 50);
    watched.comes(5, 1, 0, 0, 40); // the first of a group again
    let scores = watched.scores(0);
    assert_eq!((scores[0].layers, scores[0].ssim_db, scores[0].latency), (1, 10.0, Some(MS(40))));
    assert_eq!((scores[5].layers, scores[5].latency), (0, None));
}

#[test]
fn a_layer_needs_its_own_layer_of_the_frame_before_but_in_the_first_frame_of_a_group() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    whole(&mut watched, 0);
    watched.comes(1, 0, 0, 0, 40); // without layers 1 and 2
    whole(&mut watched, 2);
    whole(&mut watched, 4); // without frame 3
    whole(&mut watched, 5);
    whole(&mut watched, 6);
    assert_eq!(watched.layers(), [3, 1, 1, 0, 0, 3, 3]);
}

#[test]
fn a_layer_waits_for_its_references() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    whole(&mut watched, 1);
    whole(&mut watched, 2);
    (0..3).for_each(|layer| watched.comes(0, layer, 0, 0, 400));
    watched.comes(2, 0, 0, 0, 900); // early
    let scores = watched.scores(0);
    assert_eq!(scores.iter().map(|score| score.layers).collect::<Vec<_>>(), [3, 3, 3]);
    // Frame 2 was captured 66.67 ms after frame 0, and decoded with it.
    assert_eq!(
        (scores[0].latency, scores[2].latency),
        (Some(MS(400)), Some(Duration::from_nanos(333_333_334)))
    );
}

#[test]
fn a_frames_latency_ends_with_its_highest_decoded_layer() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    watched.comes(0, 0, 0, 1, 30);
    watched.comes(0, 1, 0, 1, 95);
    let score = watched.scores(0)[0];
    assert_eq!((score.latency, score.ssim_db), (Some(MS(95)), 16.0));
    assert!((score.ssim - ssim::from_db(16.0)).abs() < 1e-12);
}

#[test]
fn a_layer_of_another_rung_does_not_fit() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    watched.comes(0, 0, 0, 0, 30);
    watched.comes(0, 1, 0, 1, 31);
    watched.comes(1, 0, 0, 2, 30); // nonexistent rung
    assert_eq!(watched.layers(), [1, 0]);
}

#[test]
fn a_frame_that_cannot_be_shown_scores_the_last_one_shown_times_a_decay() {
    let parameters = ScoreParameters { decay: MS(500), ..ScoreParameters::default() };
    let mut watched = Watched::with(SpatialDecoder::new(spatial()), parameters);
    watched.comes(1, 0, 0, 0, 40); // without the first frame of its group
    whole(&mut watched, 5);
    watched.comes(8, 0, 0, 0, 40);
    let scores = watched.scores(0);
    assert!(
        scores[..5].iter().all(|score| (score.ssim_db, score.ssim) == (0.0, 0.0)),
        "nothing was shown yet"
    );
    for (frame, frames_since) in [(6, 1.0), (7, 2.0), (8, 3.0)] {
        let left = libm::exp(-frames_since / 30.0 / 0.5);
        assert!((scores[frame].ssim_db - 18.0 * left).abs() < 1e-6, "{frame}");
        assert!((scores[frame].ssim - ssim::from_db(18.0) * left).abs() < 1e-6, "{frame}");
    }
}

#[test]
fn frames_decoded_after_the_deadline_are_not_shown_but_remain_references() {
    let parameters = ScoreParameters { playout_deadline: Some(MS(100)), ..ScoreParameters::default() };
    let mut watched = Watched::with(SpatialDecoder::new(spatial()), parameters);
    watched.comes(0, 0, 0, 0, 99);
    watched.comes(0, 1, 0, 0, 101);
    watched.comes(1, 0, 0, 0, 100);
    watched.comes(1, 1, 0, 0, 100);
    watched.comes(2, 0, 0, 0, 101);
    let scores = watched.scores(0);
    let layers: Vec<u8> = scores.iter().map(|score| score.layers).collect();
    assert_eq!(layers, [1, 2, 0]);
    assert_eq!(scores[0].latency, Some(MS(99)));
}

/// The summary value of a part of a metric.
fn part(meter: jettison_measure::FlowMeter, metric: jettison_measure::Metric, part: &str) -> f64 {
    use jettison_core::Time;
    use jettison_measure::{Recorder, RecorderSettings};
    let mut recorder = Recorder::new(RecorderSettings::default());
    recorder.add_flow("cam");
    *recorder.flow(jettison_wire::FlowId(0)).expect("it was added") = meter;
    let record = recorder.finish(Time::from_millis(4_000));
    let mut values = record.summary.iter();
    values.find(|value| value.metric == metric && value.part == part).map_or(f64::NAN, |value| value.mean)
}

#[test]
fn a_deadline_counts_the_layers_decoded_by_then() {
    let parameters = ScoreParameters {
        decay: MS(500),
        deadlines: vec![MS(100), MS(200), MS(300)],
        ..ScoreParameters::default()
    };
    let mut watched = Watched::with(SpatialDecoder::new(spatial()), parameters);
    whole(&mut watched, 0); // 18 dB at all deadlines
    watched.comes(1, 0, 0, 0, 100); // 10 dB at 100 ms,
    watched.comes(1, 1, 0, 0, 150); // 14 dB at 200 and 300 ms
    watched.comes(2, 0, 0, 0, 201); // 10 dB at 300 ms alone
    // Nothing of frame 3.
    watched.sent(0);
    watched.comes(4, 1, 0, 0, 40); // without the base layer
    watched.finish(4_000);
    // In the order of the deadlines: frames 0 and 1, 0 and 1, 0 to 2 of five.
    for (deadline, share) in [("100 ms", 40.0), ("200 ms", 40.0), ("300 ms", 60.0)] {
        assert_eq!(part(watched.meter.clone(), metrics::FRAMES_IN_TIME, deadline), share);
    }
    let left = |frames: f64| libm::exp(-frames / 30.0 / 0.5);
    for (deadline, sum) in [
        ("100 ms", 18.0 + 10.0 * (1.0 + left(1.0) + left(2.0) + left(3.0))),
        ("200 ms", 18.0 + 14.0 * (1.0 + left(1.0) + left(2.0) + left(3.0))),
        ("300 ms", 18.0 + 14.0 + 10.0 * (1.0 + left(1.0) + left(2.0))),
    ] {
        let found = part(watched.meter.clone(), metrics::SQI_AT_DEADLINE, deadline);
        assert!((found - sum / 5.0).abs() < 1e-6, "{deadline}: {found}");
    }
    let scores: Vec<u8> = watched.meter.video().scores().iter().map(|score| score.layers).collect();
    assert_eq!(scores, [3, 2, 1, 0, 0], "the deadlines change nothing else");
}

#[test]
fn frames_of_any_kind_of_video_are_in_time_or_not() {
    /// Share of frames in time at 100 ms of four, of which the second comes late and the fourth never.
    fn share<D: Decoder>(decoder: D) -> f64 {
        let mut watched = Watched::new(decoder);
        for (frame, after) in [(0, 100), (2, 60), (1, 170)] {
            watched.comes(frame, 0, 0, 0, after);
        }
        (0..4).for_each(|frame| watched.sent(frame));
        watched.finish(4_000);
        part(watched.meter, metrics::FRAMES_IN_TIME, "100 ms")
    }
    assert_eq!(share(SpatialDecoder::new(spatial())), 25.0, "frame 2 waits for frame 1");
    assert_eq!(share(SingleLayerDecoder::new(spatial().single_layer().into())), 25.0);
    assert_eq!(share(TemporalDecoder::new(temporal(), false)), 50.0, "frame 2 needs frame 0 alone");
    assert_eq!(share(VolumetricDecoder::new(volumetric(), true)), 50.0);
}

#[test]
fn a_playout_deadline_bounds_the_others() {
    let parameters = ScoreParameters { playout_deadline: Some(MS(150)), ..ScoreParameters::default() };
    let mut watched = Watched::with(SpatialDecoder::new(spatial()), parameters);
    watched.comes(0, 0, 0, 0, 150);
    watched.comes(1, 0, 0, 0, 151);
    watched.finish(4_000);
    for (deadline, share) in [("100 ms", 0.0), ("200 ms", 50.0), ("400 ms", 50.0)] {
        assert_eq!(part(watched.meter.clone(), metrics::FRAMES_IN_TIME, deadline), share);
    }
}

#[test]
fn deadlines_ascend() {
    let found = |deadlines: Vec<Duration>| {
        let parameters = ScoreParameters { deadlines, ..ScoreParameters::default() };
        parameters.validate().err().map(|error| error.to_string())
    };
    assert_eq!((found(vec![]), found(vec![MS(1), MS(5)])), (None, None));
    for wrong in [vec![MS(0)], vec![MS(5), MS(5)], vec![MS(5), MS(1)], (1..=17).map(MS).collect()] {
        let error = found(wrong).expect("it must be refused");
        assert!(error.contains("must be at most 16 durations > 0 in ascending order"), "{error}");
    }
    let error = found(vec![MS(300), MS(200)]).expect("it must be refused");
    assert!(error.contains("got [300 ms, 200 ms]"), "{error}");
}

#[test]
fn a_message_whose_frame_has_been_scored_is_counted_as_late() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    watched.comes(0, 0, 0, 0, 40);
    let overtaking = Window::<()>::OPEN;
    watched.comes(overtaking, 0, 0, 0, 40);
    assert_eq!(watched.meter.video().scores().len(), 1);
    watched.comes(0, 1, 0, 0, 9_000);
    watched.comes(1, 0, 0, 0, 9_000);
    let scores = watched.scores(0);
    assert_eq!((scores[0].layers, scores[1].layers), (1, 1));
    assert_eq!(scores.len() as u32, overtaking + 1);
}

#[test]
fn sent_frames_are_scored_at_the_end_without_any_message() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    (0..90).for_each(|frame| watched.sent(frame));
    whole(&mut watched, 0);
    // The run ends at 3.5 s; frames 0 to 45 were captured from 1 s to 2.5 s.
    let scores = watched.scores(3_500);
    assert_eq!(scores.len(), 46);
    assert!(scores[1..].iter().all(|score| score.layers == 0));
    // Without any message, all frames from the first to the last sent one are scored.
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    (0..20).for_each(|frame| watched.sent(frame));
    let scores = watched.scores(60_000);
    assert_eq!(scores.len(), 20);
    assert_eq!(scores[0].captured_at.as_nanos(), 1_000_000_000);
}

#[test]
fn a_frame_that_cannot_have_been_captured_yet_is_ignored() {
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    whole(&mut watched, 0);
    let head =
        crate::MessageHead { frame: u32::MAX, layer: 0, cell: 0, rung: 0, captured_at: watched.captured(1) };
    let now = watched.captured(2);
    let mut meter = std::mem::take(&mut watched.meter);
    crate::Sink::handle_message(watched.viewer(), &head, 900, now, &mut meter);
    watched.meter = meter;
    assert_eq!(watched.layers(), [3]);
}

#[test]
fn a_temporal_frame_needs_those_it_refers_to() {
    let mut watched = Watched::new(TemporalDecoder::new(temporal(), false));
    for frame in [0, 2, 3, 5, 6, 8, 9, 12, 14, 15] {
        watched.comes(frame, 0, 0, 0, 40);
    }
    // 5 and 6 lack 4; 14 has 12, which has 8.
    assert_eq!(watched.layers(), [1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1]);
}

#[test]
fn the_first_frame_of_a_group_refers_to_the_one_before_only_if_groups_are_open() {
    for (open_gop, expected) in [(false, [1, 0, 1]), (true, [1, 0, 0])] {
        let mut watched = Watched::new(TemporalDecoder::new(temporal(), open_gop));
        watched.comes(0, 0, 0, 0, 40);
        watched.comes(16, 0, 0, 0, 40);
        let layers = watched.layers();
        assert_eq!([layers[0], layers[8], layers[16]], expected, "{open_gop}");
    }
}

#[test]
fn a_temporal_frame_waits_for_its_reference() {
    let mut watched = Watched::new(TemporalDecoder::new(temporal(), true));
    for frame in [1, 4, 7, 8, 9, 6] {
        watched.comes(frame, 0, 0, 0, 40);
    }
    watched.comes(0, 0, 0, 0, 400);
    let scores = watched.scores(0);
    let layers: Vec<u8> = scores.iter().map(|score| score.layers).collect();
    assert_eq!(layers, [1, 1, 0, 0, 1, 0, 1, 1, 1, 1]);
    let newest = scores[9];
    assert_eq!((newest.ssim_db, newest.latency), (9.0, Some(MS(100))));
}

#[test]
fn age_of_information_counts_frames_that_are_newer_than_all_before() {
    let mut watched = Watched::new(TemporalDecoder::new(temporal(), false));
    watched.comes(0, 0, 0, 0, 40);
    watched.comes(3, 0, 0, 0, 40); // 140 ms after the capture of frame 0: not decodable, yet delivered
    watched.comes(2, 0, 0, 0, 90);
    watched.comes(6, 0, 0, 0, 40); // 140 ms after that of frame 3
    assert_eq!((watched.meter.video().age().count(), watched.meter.video().age().mean()), (2, MS(140)));
}

#[test]
fn without_layers_a_frame_needs_all_earlier_ones_of_its_group() {
    let mut watched = Watched::new(SingleLayerDecoder::new(spatial().single_layer().into()));
    for frame in [0, 1, 3, 4, 5, 6] {
        watched.comes(frame, 0, 0, 1, 40);
    }
    watched.comes(7, 0, 0, 2, 40); // nonexistent rung
    let scores = watched.scores(0);
    let layers: Vec<u8> = scores.iter().map(|score| score.layers).collect();
    assert_eq!(layers, [1, 1, 0, 0, 0, 1, 1, 0]);
    assert_eq!(scores[0].ssim_db, 20.0, "all that the layers show");
}

#[test]
fn without_layers_a_frame_does_not_need_those_that_the_encoder_skipped() {
    let mut watched = Watched::new(SingleLayerDecoder::new(spatial().single_layer().into()));
    watched.comes(0, 0, 0, 0, 40);
    watched.comes(2, 0, 1, 0, 40); // 1 was skipped
    watched.comes(6, 0, 3, 0, 40); // 3 to 5 were skipped: it is the first of its group
    watched.comes(9, 0, 1, 0, 40); // 8 was skipped, 7 was lost
    assert_eq!(watched.layers(), [1, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn without_layers_a_frame_waits_for_earlier_ones() {
    let mut watched = Watched::new(SingleLayerDecoder::new(spatial().single_layer().into()));
    for frame in [1, 2, 4, 0, 3] {
        watched.comes(frame, 0, 0, 0, 40);
    }
    assert_eq!(watched.layers(), [1; 5]);
}

#[test]
fn a_layer_of_density_needs_the_lower_ones_of_its_cell_in_its_frame() {
    let mut watched = Watched::new(VolumetricDecoder::new(volumetric(), true));
    for layer in 0..5 {
        (0..4).for_each(|cell| watched.comes(0, layer, cell, 0, 40));
    }
    // Cell 0 has two layers, cell 1 none but the second, cell 2 (occluded) one.
    watched.comes(1, 0, 0, 0, 40);
    watched.comes(1, 1, 0, 0, 70);
    watched.comes(1, 1, 1, 0, 80);
    watched.comes(1, 3, 0, 0, 85);
    watched.comes(1, 0, 2, 0, 60);
    let scores = watched.scores(0);
    assert_eq!((scores[0].layers, scores[0].latency), (5, Some(MS(40))));
    assert!((scores[0].ssim - 0.99).abs() < 1e-9, "all points");
    assert_eq!((scores[1].layers, scores[1].latency), (2, Some(MS(70))));
    // (2/5 + 0.1 · 1/5) of 2.2 cells: 0.1909 of the points, and the table is linear up to 0.9 at 0.2.
    let share = (0.4 + 0.1 * 0.2) / 2.2;
    assert!((scores[1].ssim - 0.9 * share / 0.2).abs() < 1e-9, "{}", scores[1].ssim);
}

#[test]
fn a_point_cloud_without_a_cell_in_front_is_not_shown() {
    let mut watched = Watched::new(VolumetricDecoder::new(volumetric(), true));
    watched.comes(0, 0, 1, 0, 40);
    watched.comes(1, 0, 2, 0, 40);
    assert_eq!(watched.layers(), [1, 0]);
}

#[test]
fn without_layers_a_cell_has_all_points_up_to_its_density() {
    let mut watched = Watched::new(VolumetricDecoder::new(volumetric(), false));
    (0..4).for_each(|cell| watched.comes(0, 2, cell, 0, 40));
    let score = watched.scores(0)[0];
    assert_eq!(score.layers, 3);
    assert!((score.ssim - 0.965).abs() < 1e-9);
}

#[test]
fn a_viewer_fills_the_summary_and_the_series() {
    use jettison_core::Time;
    use jettison_measure::{Recorder, RecorderSettings};
    let mut recorder = Recorder::new(RecorderSettings::default());
    recorder.add_flow("cam");
    let mut watched = Watched::new(SpatialDecoder::new(spatial()));
    let flow = jettison_wire::FlowId(0);
    watched.meter = std::mem::take(recorder.flow(flow).expect("it was added"));
    (0..30).for_each(|frame| watched.sent(frame));
    (0..30).for_each(|frame| whole(&mut watched, frame));
    watched.finish(4_000);
    *recorder.flow(flow).expect("it was added") = watched.meter;
    recorder.sample_flows(Time::from_millis(4_000));
    let record = recorder.finish(Time::from_millis(4_000));
    let value = |metric| record.summary_value("cam", metric).map_or(f64::NAN, |value| value.mean);
    assert_eq!((value(metrics::SQI_SSIM), value(metrics::FRAMES_DECODED)), (18.0, 100.0));
    assert!((value(metrics::FRAME_LATENCY) - 42.0).abs() < 0.1);
    let of = |metric| record.series.iter().find(|series| series.metric == metric).map(|s| s.len());
    assert_eq!((of(metrics::SQI_SSIM), of(metrics::AGE_OF_INFORMATION)), (Some(10), Some(1)));
    let kept: Vec<_> = record.objects[0].distributions.iter().map(|(metric, _)| *metric).collect();
    assert_eq!(kept, [metrics::AGE_OF_INFORMATION, metrics::FRAME_LATENCY]);
}

/// Checks invariants of any decoder for any sequence of messages.
fn holds<D: Decoder>(decoder: D, messages: &[(u32, u8, u8, u16)]) -> Result<(), TestCaseError> {
    let mut watched = Watched::new(decoder);
    for (place, (frame, layer, cell, rung)) in messages.iter().enumerate() {
        watched.comes(*frame, *layer, *cell, *rung, 10_000 + place as u64);
    }
    let scores = watched.scores(0);
    let is_consecutive = |(place, score): (usize, &FrameScore)| score.frame == place as u32;
    prop_assert!(scores.iter().enumerate().all(is_consecutive));
    for score in scores {
        prop_assert_eq!(score.layers > 0, score.latency.is_some());
        prop_assert!((0.0..=1.0).contains(&score.ssim) && score.ssim_db >= 0.0, "{:?}", score);
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_frame_is_scored_once_and_in_order(
        messages in prop::collection::vec((0u32..400, 0u8..9, 0u8..6, 0u16..3), 0..300),
        open_gop: bool,
        is_layered: bool,
    ) {
        holds(SpatialDecoder::new(spatial()), &messages)?;
        holds(TemporalDecoder::new(temporal(), open_gop), &messages)?;
        holds(SingleLayerDecoder::new(spatial().single_layer().into()), &messages)?;
        holds(VolumetricDecoder::new(volumetric(), is_layered), &messages)?;
    }

    #[test]
    fn the_order_of_arrival_does_not_change_the_decoded_layers(
        mut messages in prop::collection::vec((0u32..30, 0u8..3), 0..100),
        seed: u64,
    ) {
        let layers = |messages: &[(u32, u8)]| {
            let mut watched = Watched::new(SpatialDecoder::new(spatial()));
            watched.comes(30, 0, 0, 0, 60_000);
            messages.iter().for_each(|(frame, layer)| watched.comes(*frame, *layer, 0, 0, 60_000));
            watched.layers()
        };
        let sent = layers(&messages);
        let mut random = jettison_core::Seed(seed).stream(&["order"]);
        for place in (1..messages.len()).rev() {
            messages.swap(place, random.uniform(0, place as u64) as usize);
        }
        prop_assert_eq!(layers(&messages), sent);
    }
}

#[test]
fn events_of_a_viewer_are_late_skipped_and_incomplete_frames() {
    let parameters = ScoreParameters { playout_deadline: Some(MS(100)), ..ScoreParameters::default() };
    let mut watched = Watched::with(SpatialDecoder::new(spatial()), parameters);
    watched.meter.watch_events(EventLimits::default());
    for frame in 0..40 {
        match frame {
            12 => watched.comes(frame, 0, 0, 0, 40), // without its upper layers, and so is the rest of the group
            20 => (0..3).for_each(|layer| watched.comes(frame, layer, 0, 0, 130)),
            29 => {} // the last of a group
            _ => whole(&mut watched, frame),
        }
    }
    watched.finish(0);
    let events = watched.meter.take_events(FlowId(4), jettison_core::Time::from_secs(60));
    let found: Vec<_> = events.iter().map(|e| (e.kind, e.unit.map(|u| (u.kind, u.number, u.part)))).collect();
    let expected = [
        (EventKind::MissingLayers, Some((UnitKind::Message, 12, 1))),
        (EventKind::LateFrame, Some((UnitKind::Frame, 20, 0))),
        (EventKind::SkippedFrame, Some((UnitKind::Frame, 29, 0))),
    ];
    assert_eq!(found, expected);
    // 30 ms of 33.3 until frame 21 is due; frames 12 to 14 lack two of three layers.
    let spans = 1.0 / 30.0;
    for (event, cost) in events.iter().zip([3.0 * spans * 0.25 * 2.0 / 3.0, 0.030, spans]) {
        assert!((event.cost - cost).abs() < 1e-6, "{event:?}: {cost}");
        assert_eq!(event.flow, FlowId(4));
    }
}
