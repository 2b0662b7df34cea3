//! Content of traces and generators, and the errors of invalid input.

use std::io::Write as _;
use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Rate, Seed};
use jettison_registry::{ParameterError, parameters};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    SpatialContent, SpatialVideo, TemporalContent, TemporalVideo, VolumetricContent, VolumetricVideo,
};

const SPATIAL: &str = "2 2\n100 0 0 10 40 5.5\n100 0 1 20 100 7\n100 1 0 11 40 5.25\n100 1 1 21 100 7.5\n\
                       200 0 0 30 80 6\n200 0 1 40 200 8\n200 1 0 31 80 6\n200 1 1 41 200 8\n";
const TEMPORAL: &str = "4\n0 100 1\n1 101 2\n2 102 3\n3 103 4\n4 104 5\n";
const VOLUMETRIC: &str = "2 2 2\n0 0 0 10 50\n0 0 1 11 50\n0 1 0 12 100\n0 1 1 13 100\n\
                          1 0 0 20 50\n1 0 1 21 50\n1 1 0 22 100\n1 1 1 23 100\n";

fn random(name: &str) -> RandomStream {
    Seed(7).stream(&["flows", "cam", name])
}

fn files<'a>(content: &'a [u8]) -> impl Fn(&str) -> Result<Arc<[u8]>, String> + 'a {
    move |name| match name {
        "a.trace" => Ok(Arc::from(content)),
        _ => Err(format!("cannot read `{name}`: no such file")),
    }
}

fn spatial(table: Value, content: &[u8]) -> Result<Arc<SpatialVideo>, ParameterError> {
    parameters::<SpatialContent>(&table)?.load(&files(content), &random)
}

fn temporal(table: Value, content: &[u8]) -> Result<Arc<TemporalVideo>, ParameterError> {
    parameters::<TemporalContent>(&table)?.load(&files(content), &random)
}

fn volumetric(table: Value, content: &[u8]) -> Result<Arc<VolumetricVideo>, ParameterError> {
    parameters::<VolumetricContent>(&table)?.load(&files(content), &random)
}

fn from_file() -> Value {
    json!({ "file": "a.trace" })
}

#[test]
fn a_trace_of_quality_layers_is_read_and_repeats() {
    let video = spatial(from_file(), SPATIAL.as_bytes()).expect("it is one");
    assert_eq!((video.gop(), video.layers(), video.frames(), video.rungs()), (2, 2, 2, 2));
    assert_eq!((video.rate(0), video.rate(1)), (Rate::from_kbit(100), Rate::from_kbit(200)));
    let layer = video.layer(1, 1, 0);
    assert_eq!((layer.bytes, layer.cumulative, layer.ssim_db), (31, Rate::from_kbit(80), 6.0));
    assert_eq!(video.layer(0, 5, 1), video.layer(0, 1, 1));
    assert_eq!(video.picture(0, 2)[0].bytes, 10);
    let single = video.single_layer();
    // (10 + 20) / 1.165 = 25.75.
    assert_eq!((single.frame(0, 0).bytes, single.frame(0, 0).ssim_db), (26, 7.0));
    assert_eq!((single.rungs(), single.gop(), single.frames()), (2, 2, 2));
    assert_eq!(single.rate(1), Rate::from_bits(171_674));
}

#[test]
fn a_trace_of_temporal_layers_is_cut_to_whole_groups() {
    let video = temporal(from_file(), TEMPORAL.as_bytes()).expect("it is one");
    assert_eq!((video.gop(), video.frames()), (4, 4));
    assert_eq!((video.frame(3).bytes, video.frame(4).bytes, video.place(6)), (103, 100, 2));
    assert_eq!(video.rate(), Rate::from_bits(406 * 8 * 30 / 4));
    let single = video.single_layer();
    assert_eq!((single.frame(0, 0).bytes, single.frame(0, 4).ssim_db), (86, 1.0));
}

#[test]
fn a_trace_of_point_clouds_is_read_and_repeats() {
    let table = json!({ "file": "a.trace", "front_cells": 9 });
    let video = volumetric(table, VOLUMETRIC.as_bytes()).expect("it is one");
    assert_eq!((video.layers(), video.cells(), video.frames(), video.front_cells()), (2, 2, 2, 2));
    let part = video.part(3, 1, 0);
    assert_eq!((part.bytes, part.cumulative), (22, Rate::from_kbit(100)));
    // (21 + 23) / 1.11 = 39.6.
    assert_eq!(video.single_layer_bytes(1, 1, 2), 40);
}

#[test]
fn traces_may_have_carriage_returns_empty_lines_and_a_byte_order_mark() {
    for (text, read) in [
        (SPATIAL, spatial(from_file(), SPATIAL.as_bytes()).is_ok()),
        (TEMPORAL, temporal(from_file(), TEMPORAL.as_bytes()).is_ok()),
    ] {
        assert!(read, "{text}");
    }
    let odd = format!("\u{feff}{}\r\n\r\n", SPATIAL.trim_end().replace('\n', " \r\n"));
    assert_eq!(spatial(from_file(), odd.as_bytes()), spatial(from_file(), SPATIAL.as_bytes()));
}

/// Returns the text with one line replaced or removed.
fn with(text: &str, line: usize, by: &str) -> String {
    let lines = text.lines().enumerate().map(|(place, old)| if place + 1 == line { by } else { old });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn inconsistent_traces_of_quality_layers_are_refused_with_the_line() {
    let long = "2 2\n100 0 0 10 40 5\n100 0 1 20 100 7\n";
    for (text, message) in [
        (String::new(), "must start with the line `GoP layers`, got an empty file"),
        (with(SPATIAL, 1, "2"), "1: must have 2 values (`GoP layers`), got 1"),
        (with(SPATIAL, 1, "0 2"), "1: GoP must be an integer in [1, 1000], got `0`"),
        (with(SPATIAL, 1, "2 9"), "1: layers must be an integer in [1, 8], got `9`"),
        (with(SPATIAL, 1, "2 3"), "4: must be frame 0, layer 2, got frame 1, layer 0: a line is"),
        (with(SPATIAL, 1, "3 2"), "must have at least one group of pictures of 3 frames, got 2"),
        (with(SPATIAL, 3, ""), "3: must be frame 0, layer 1, got frame 1, layer 0: a line is missing"),
        (with(SPATIAL, 4, "100 3 0 1 40 5"), "4: must be frame 1, layer 0, got frame 3, layer 0"),
        (
            format!("{long}100 0 0 10 40 5\n"),
            "4: must be frame 1, layer 0, got frame 0, layer 0: frames must be in ascending order from 0",
        ),
        (with(SPATIAL, 3, "100 0 1 0 100 7"), "3: bytes must be an integer in [1, 1000000000], got `0`"),
        (with(SPATIAL, 3, "100 0 1 -5 100 7"), "3: bytes must be an integer in [1, 1000000000], got `-5`"),
        (with(SPATIAL, 3, "100 0 1 2.5 100 7"), "3: bytes must be an integer in [1, 1000000000], got `2.5`"),
        (with(SPATIAL, 3, "100 0 1 20 100 NaN"), "3: SSIM(dB) must be a number in [-3.02, 100], got `NaN`"),
        (with(SPATIAL, 3, "100 0 1 20 100 inf"), "3: SSIM(dB) must be a number in [-3.02, 100], got `inf`"),
        (with(SPATIAL, 3, "100 0 1 20 100"), "3: must have 6 values (`ladder(kbit/s) frame layer"),
        (with(SPATIAL, 3, "100 0 1 20 100 7 8"), "3: must have 6 values ("),
        (
            with(SPATIAL, 3, "100 0 1 20 40 7"),
            "3: cumulative(kbit/s) must be above that of the layer below, got 40 kbit/s",
        ),
        (
            with(SPATIAL, 3, "100 0 1 20 90 7"),
            "3: cumulative(kbit/s) of the last layer must be the ladder's 100, got 90 kbit/s",
        ),
        (with(SPATIAL, 3, "100 0 2 20 100 7"), "3: layer must be an integer in [0, 1], got `2`"),
        (
            with(SPATIAL, 3, "0 0 1 20 100 7"),
            "3: ladder(kbit/s) must be an integer in [1, 1000000000], got `0`",
        ),
        (with(SPATIAL, 9, ""), "ladder 200 must have 2 layers of frame 1, got 1"),
        (with(SPATIAL, 5, ""), "5: ladder 100 must have 2 layers of frame 1, got 1"),
        (
            format!("{SPATIAL}300 0 0 5 80 6\n300 0 1 5 300 6\n400 0 0 5 80 6\n"),
            "12: ladder 300 must have 2 frames as ladder 100, got 1",
        ),
        (
            format!("{SPATIAL}100 2 0 5 40 6\n"),
            "10: ladder must be >= 200 (ladders are contiguous and in ascending order), got 100",
        ),
    ] {
        let said = spatial(from_file(), text.as_bytes()).expect_err(message).to_string();
        let expected = match message.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("file: a.trace:{message}"),
            false => format!("file: a.trace: {message}"),
        };
        assert!(said.starts_with(&expected), "{said}\n{expected}");
    }
    let said = spatial(from_file(), b"2 2\n100 \xff 0\n").expect_err("not text").to_string();
    assert_eq!(said, "file: a.trace:2: must be UTF-8 text");
}

#[test]
fn inconsistent_traces_of_temporal_layers_are_refused_with_the_line() {
    for (text, message) in [
        ("", " must start with the line `GoP`, got an empty file"),
        ("3\n0 1 1\n", "1: GoP must be an integer in [4, 64], got `3`"),
        ("12\n0 1 1\n", "1: GoP must be a power of two such as 8, got 12"),
        ("4\n0 1 1\n1 1 1\n", " must have at least one group of pictures of 4 frames, got 2"),
        ("4\n0 1 1\n2 1 1\n", "3: must be frame 1, got frame 2: a line is missing before it"),
        (
            "4\n0 1 1\n1 1 1\n0 1 1\n",
            "4: must be frame 2, got frame 0: frames must be in ascending order from 0",
        ),
        ("4\n0 0 1\n", "2: bytes must be an integer in [1, 1000000000], got `0`"),
        ("4\n0 1 nan\n", "2: SSIM(dB) must be a number in [-3.02, 100], got `nan`"),
        ("4\n0 1\n", "2: must have 3 values (`frame bytes SSIM(dB)`), got 2"),
    ] {
        let said = temporal(from_file(), text.as_bytes()).expect_err(message).to_string();
        assert!(said.starts_with(&format!("file: a.trace:{message}")), "{said}");
    }
}

#[test]
fn inconsistent_traces_of_point_clouds_are_refused_with_the_line() {
    for (text, message) in [
        (String::new(), " must start with the line `layers cells frames`, got an empty file"),
        (with(VOLUMETRIC, 1, "2 0 2"), "1: cells must be an integer in [1, 64], got `0`"),
        (
            with(VOLUMETRIC, 1, "2 2 3"),
            " must have 3 frames by its first line, got 0 of the 4 layers of cells of frame 2",
        ),
        (with(VOLUMETRIC, 1, "2 2 1"), "6: frame must be an integer in [0, 0], got `1`"),
        (
            with(VOLUMETRIC, 9, ""),
            " must have 2 frames by its first line, got 3 of the 4 layers of cells of frame 1",
        ),
        (with(VOLUMETRIC, 4, ""), "4: must be frame 0, layer 1, cell 0, got frame 0, layer 1, cell 1"),
        (
            with(VOLUMETRIC, 7, "0 0 0 1 50"),
            "7: must be frame 1, layer 0, cell 1, got frame 0, layer 0, cell 0",
        ),
        (with(VOLUMETRIC, 4, "0 1 0 0 100"), "4: bytes must be an integer in [1, 1000000000], got `0`"),
        (
            with(VOLUMETRIC, 4, "0 1 0 5 50"),
            "4: cumulative(kbit/s) must be above that of the layer below, got 50 kbit/s",
        ),
        (
            with(VOLUMETRIC, 5, "0 1 1 5 90"),
            "5: cumulative(kbit/s) must be >= 100 kbit/s of the previous cell, got 90 kbit/s",
        ),
        (with(VOLUMETRIC, 5, "0 1 1 5"), "5: must have 5 values ("),
    ] {
        let said = volumetric(from_file(), text.as_bytes()).expect_err(message).to_string();
        assert!(said.starts_with(&format!("file: a.trace:{message}")), "{said}");
    }
}

#[test]
fn an_invalid_table_is_refused_with_its_key() {
    let said =
        |table: Value| spatial(table.clone(), b"").map(|_| table).expect_err("it makes no sense").to_string();
    for (table, message) in [
        (json!({ "file": "b.trace" }), "file: cannot read `b.trace`"),
        (json!({ "file": "a.trace", "generator": {} }), "generator: give `file` or `generator`, not both"),
        (json!({ "overhead": 0.05 }), "overhead: must be in [0.1, 10], got 0.05"),
        (json!({ "generator": { "gop": 0 } }), "generator.gop: must be in [1, 1000], got 0"),
        (
            json!({ "generator": { "duration": "100 ms" } }),
            "generator.duration: must be at least one group of pictures (",
        ),
        (
            json!({ "generator": { "duration": "9000 min" } }),
            "generator.duration: must be at most 100000 frames of 30 sizes each, got 16200000",
        ),
        (json!({ "generator": { "ladder": [] } }), "generator.ladder: must have 1 to 1000 rungs"),
        (
            json!({ "generator": { "ladder": ["2 Mbit/s", "1 Mbit/s"] } }),
            "generator.ladder: must have its bitrates in ascending order",
        ),
        (
            json!({ "generator": { "ladder": ["600 kbit/s"] } }),
            "generator.floors: must leave each layer a bitrate > 0",
        ),
        (json!({ "generator": { "shares": [0.5, 0.2, 1] } }), "generator.shares: must ascend"),
        (json!({ "generator": { "shares": [0.5, 0.9] , "floors": [] } }), "generator.shares: must ascend"),
        (json!({ "generator": { "shares": [1] } }), "generator.floors: must have fewer"),
        (json!({ "generator": { "key_ratios": [] } }), "generator.key_ratios: must be"),
        (json!({ "generator": { "group_variation": -1 } }), "generator.group_variation: must be"),
        (json!({ "generator": { "scenes": { "correlation": 1 } } }), "generator.scenes.correlation: must be"),
        (json!({ "generator": { "quality": { "knee": 0 } } }), "generator.quality.knee: must be"),
        (json!({ "fil": "a" }), "fil: unknown key `fil`; did you mean `file`?"),
    ] {
        let said = said(table.clone());
        assert!(said.starts_with(message), "{table}: {said}");
    }
    let said = temporal(json!({ "generator": { "gop": 12 } }), b"").expect_err("12").to_string();
    assert_eq!(said, "generator.gop: must be a power of two in [4, 64], got 12");
    let said =
        temporal(json!({ "generator": { "layer_ratios": [0, 1, 1] } }), b"").expect_err("0").to_string();
    assert!(said.starts_with("generator.layer_ratios: must be"), "{said}");
    let said = volumetric(json!({ "front_cells": 0 }), b"").expect_err("0").to_string();
    assert_eq!(said, "front_cells: must be in [1, 255], got 0");
    let said = volumetric(json!({ "quality": { "table": [] } }), b"").expect_err("none").to_string();
    assert!(said.starts_with("quality.table: must start"), "{said}");
    let said = volumetric(json!({ "generator": { "cells": [1, 0] } }), b"").expect_err("0").to_string();
    assert!(said.starts_with("generator.cells: must be 1 to 64 numbers in [0.001, 1000000], got"), "{said}");
}

#[test]
fn a_generated_video_has_the_bitrates_of_its_ladder_layer_by_layer() {
    let video = spatial(json!({}), b"").expect("the default makes sense");
    assert_eq!((video.gop(), video.layers(), video.frames(), video.rungs()), (10, 3, 1_800, 10));
    let cumulative =
        |rung: usize| [0, 1, 2].map(|layer| video.layer(rung, 0, layer).cumulative.as_bits() / 1_000);
    assert_eq!(cumulative(0), [400, 700, 1_200]);
    assert_eq!(cumulative(2), [600, 1_500, 3_000]);
    for rung in 0..video.rungs() {
        let mut bits = 0;
        for layer in 0..3 {
            bits += (0..video.frames())
                .map(|frame| 8 * u64::from(video.layer(rung, frame, layer).bytes))
                .sum::<u64>();
            let nominal = video.layer(rung, 0, layer).cumulative.as_bits() * 60;
            assert!(
                bits.abs_diff(nominal) < 8 * 3 * 1_800,
                "rung {rung}, layer {layer}: {bits} of {nominal}"
            );
        }
    }
}

#[test]
fn more_layers_and_more_bitrate_look_better_and_the_first_frame_of_a_group_is_larger() {
    let video = spatial(json!({}), b"").expect("the default makes sense");
    let mean = |rung, layer| {
        (0..video.frames()).map(|frame| video.layer(rung, frame, layer).ssim_db).sum::<f64>() / 1_800.0
    };
    for frame in 0..video.frames() {
        for rung in 0..video.rungs() {
            assert!(video.picture(rung, frame).windows(2).all(|pair| pair[0].ssim_db < pair[1].ssim_db));
        }
    }
    assert!((8.0..14.0).contains(&mean(0, 2)) && (19.0..26.0).contains(&mean(9, 2)), "{}", mean(9, 2));
    let bytes = |is_first: bool| {
        let frames = (0..1_800).filter(|frame| (frame % 10 == 0) == is_first);
        let bytes: Vec<f64> = frames.map(|frame| f64::from(video.layer(5, frame, 0).bytes)).collect();
        bytes.iter().sum::<f64>() / bytes.len() as f64
    };
    let ratio = bytes(true) / bytes(false);
    assert!((3.0..5.0).contains(&ratio), "{ratio}");
}

#[test]
fn sizes_of_generated_frames_vary_as_configured() {
    let spread = |variation: f64| {
        let scenes = json!({ "variation": variation, "length": "500 min" });
        let table = json!({ "generator": { "duration": "600 s", "gop": 600, "group_variation": 0, "scenes": scenes } });
        let video = spatial(table, b"").expect("it makes sense");
        let logs: Vec<f64> = (0..video.frames())
            .filter(|frame| frame % 600 > 0)
            .map(|frame| libm::log(f64::from(video.layer(9, frame, 2).bytes)))
            .collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        libm::sqrt(logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>() / logs.len() as f64)
    };
    assert!(spread(0.0) < 1e-3);
    assert!((spread(0.4) - 0.4).abs() < 0.04, "{}", spread(0.4));
}

#[test]
fn a_scene_that_begins_within_a_group_has_a_large_frame() {
    let scenes = json!({ "variation": 0, "length": "2 s" });
    let video = spatial(json!({ "generator": { "scenes": scenes, "group_variation": 0 } }), b"")
        .expect("it makes sense");
    let mut cuts = 0;
    for group in 0..video.frames() / 10 {
        let bytes: Vec<u32> = (1..10).map(|place| video.layer(5, 10 * group + place, 0).bytes).collect();
        let least = *bytes.iter().min().expect("there are nine");
        cuts += bytes.iter().filter(|bytes| **bytes > 2 * least).count();
    }
    // 30 scenes are expected in 60 s, a tenth of them at the first frame of a group.
    assert!((15..45).contains(&cuts), "{cuts}");
}

#[test]
fn a_generated_temporal_video_has_its_bitrate_and_its_layers() {
    let video = temporal(json!({}), b"").expect("the default makes sense");
    assert_eq!((video.gop(), video.frames()), (8, 1_800));
    assert!(video.rate().as_bits().abs_diff(6_000_000) < 1_000, "{}", video.rate());
    let mean = |place: u32| {
        let frames: Vec<_> = (0..1_800).filter(|frame| frame % 8 == place).map(|n| video.frame(n)).collect();
        let count = frames.len() as f64;
        let bytes = frames.iter().map(|frame| f64::from(frame.bytes)).sum::<f64>() / count;
        (bytes, frames.iter().map(|frame| frame.ssim_db).sum::<f64>() / count)
    };
    let means: Vec<(f64, f64)> = (0..8).map(mean).collect();
    assert!(means[0].1 < means[4].1 && means[4].1 < means[2].1 && means[2].1 < means[1].1, "{means:?}");
    assert!(means[0].0 > means[7].0, "{means:?}");
}

#[test]
fn a_generated_point_cloud_has_its_bitrate_in_equal_layers() {
    let video = volumetric(json!({}), b"").expect("the default makes sense");
    assert_eq!((video.layers(), video.cells(), video.frames(), video.front_cells()), (5, 4, 600, 2));
    let bits = |layer: u8, cell: u8| -> u64 {
        (0..600).map(|frame| 8 * u64::from(video.part(frame, layer, cell).bytes)).sum()
    };
    let all: u64 =
        (0..5).flat_map(|layer| (0..4).map(move |cell| (layer, cell))).map(|(l, c)| bits(l, c)).sum();
    assert!(all.abs_diff(100_000_000 * 30) < 8 * 600 * 20, "{all}");
    for layer in 0..5 {
        let share = (0..4).map(|cell| bits(layer, cell)).sum::<u64>() as f64 / all as f64;
        assert!((share - 0.2).abs() < 0.005, "{share}");
        assert_eq!(video.part(0, layer, 0).cumulative, Rate::from_mbit(20 * (u64::from(layer) + 1)));
    }
    assert!(bits(0, 0) > bits(0, 3));
}

#[test]
fn a_generated_video_differs_between_flows_unless_it_has_a_seed() {
    let of = |seed: Option<u64>, run: u64| {
        let content =
            parameters::<SpatialContent>(&json!({ "generator": { "seed": seed, "duration": "2 s" } }));
        content
            .expect("it makes sense")
            .load(&files(b""), &|name| Seed(run).stream(&["flows", "cam", name]))
            .expect("it makes sense")
    };
    assert_eq!(of(None, 1), of(None, 1));
    assert_ne!(of(None, 1), of(None, 2));
    assert_eq!(of(Some(5), 1), of(Some(5), 2));
    assert_ne!(of(Some(5), 1), of(Some(6), 1));
}

#[test]
fn the_schemas_mark_the_files() {
    let schemas = [
        schemars::schema_for!(SpatialContent),
        schemars::schema_for!(TemporalContent),
        schemars::schema_for!(VolumetricContent),
    ];
    for schema in schemas {
        assert_eq!(schema.pointer("/properties/file/format").and_then(Value::as_str), Some("input-file"));
    }
}

/// The recorded traces of a folder, or `None` and a note.
fn recorded(test: &str, folder: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let path = format!("{}/../../../shared/data/video/{folder}", env!("CARGO_MANIFEST_DIR"));
    let Ok(entries) = std::fs::read_dir(path) else {
        // Past libtest's capture, so that .ci/run can count it.
        let _ = writeln!(std::io::stderr(), "left out: {test} (no ../shared/data/video/{folder})");
        return None;
    };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let read =
        |path: std::path::PathBuf| (path.display().to_string(), std::fs::read(&path).expect("it is there"));
    Some(paths.into_iter().map(read).collect())
}

#[test]
fn recorded_traces_of_quality_layers_are_read() {
    let Some(traces) = recorded("recorded_traces_of_quality_layers_are_read", "svc-quality") else { return };
    assert!(!traces.is_empty());
    for (name, content) in traces {
        let video = spatial(from_file(), &content).expect(&name);
        assert_eq!((video.gop(), video.layers(), video.rungs()), (10, 3, 10), "{name}");
        assert_eq!(video.rate(0), Rate::from_kbit(1_200));
        let bytes = |frame| video.picture(9, frame).iter().map(|layer| u64::from(layer.bytes)).sum::<u64>();
        let bits = 8.0 * (0..video.frames()).map(bytes).sum::<u64>() as f64;
        let seconds = video.frame_rate().offset(video.frames()).as_secs_f64();
        assert!((bits / seconds / 15e6 - 1.0).abs() < 0.05, "{name}: {} Mbit/s", bits / seconds / 1e6);
        // Truncated anywhere in its last frame, it is refused.
        let shorter = content.len() - 40;
        assert!(spatial(from_file(), &content[..shorter]).is_err(), "{name}");
    }
}

#[test]
fn recorded_traces_of_temporal_layers_are_read() {
    let Some(traces) = recorded("recorded_traces_of_temporal_layers_are_read", "svc-temporal") else {
        return;
    };
    for (name, content) in traces {
        let video = temporal(from_file(), &content).expect(&name);
        assert_eq!((video.gop(), video.frames() % 8), (8, 0), "{name}");
        assert!((4e6..8e6).contains(&(video.rate().as_bits() as f64)), "{name}: {}", video.rate());
    }
}

#[test]
fn the_recorded_trace_of_point_clouds_is_read() {
    let Some(traces) = recorded("the_recorded_trace_of_point_clouds_is_read", "volumetric") else { return };
    for (name, content) in traces {
        let video = volumetric(from_file(), &content).expect(&name);
        assert_eq!((video.layers(), video.cells(), video.frames()), (10, 2, 200), "{name}");
        assert_eq!(video.part(0, 0, 0).bytes, 37_979);
        assert!(volumetric(from_file(), &content[..content.len() / 2]).is_err(), "{name}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = spatial(from_file(), &bytes);
        let _ = temporal(from_file(), &bytes);
        let _ = volumetric(from_file(), &bytes);
    }

    #[test]
    fn any_numbers_are_read_or_refused(
        header in "[0-4]( [0-3]){0,2}",
        lines in prop::collection::vec("[0-2]{1,2}( [0-3]| -?[0-9]{1,12}(\\.[0-9])?| nan){1,6}", 0..12),
    ) {
        let text = format!("{header}\n{}", lines.join("\n"));
        let _ = spatial(from_file(), text.as_bytes());
        let _ = temporal(from_file(), text.as_bytes());
        let _ = volumetric(from_file(), text.as_bytes());
    }

    #[test]
    fn consistent_traces_are_read_completely(
        gop in 1usize..4,
        groups in 1usize..4,
        layers in 1usize..5,
        rungs in 1usize..4,
        size in 1u32..100_000,
    ) {
        let mut text = format!("{gop} {layers}\n");
        let mut count = 0;
        for (rung, frame) in (1..=rungs).flat_map(|rung| (0..gop * groups).map(move |frame| (rung, frame))) {
            for layer in 0..layers {
                count += 1;
                let (ladder, upto) = (rung * 1_000, rung * 1_000 * (layer + 1) / layers);
                text += &format!("{ladder} {frame} {layer} {} {upto} {layer}\n", size + count);
            }
        }
        let video = spatial(from_file(), text.as_bytes()).expect("it holds together");
        let mut read = 0;
        for (rung, frame) in (0..rungs).flat_map(|rung| (0..gop * groups).map(move |frame| (rung, frame))) {
            for (layer, part) in video.picture(rung, frame as u32).iter().enumerate() {
                read += 1;
                prop_assert_eq!((part.bytes, part.ssim_db), (size + read, layer as f64));
            }
        }
        prop_assert_eq!(read, count);
        // Without its last line it does not, unless that is a whole ladder or the only one's last frame.
        let shorter = text.trim_end().rsplit_once('\n').map_or("", |(shorter, _)| shorter);
        if layers > 1 || (rungs > 1 && gop * groups > 1) {
            prop_assert!(spatial(from_file(), shorter.as_bytes()).is_err());
        }
    }

    #[test]
    fn any_generator_within_its_ranges_gives_whole_videos(
        seed: u64,
        gop in 1u32..40,
        millis in 1_500u64..5_000,
        variation in 0.0f64..=2.0,
        correlation in 0.0f64..0.999,
        length in 100u64..5_000,
    ) {
        let scenes = json!({ "variation": variation, "correlation": correlation, "length": format!("{length} ms") });
        let generator = json!({ "seed": seed, "gop": gop, "duration": format!("{millis} ms"), "scenes": scenes });
        let video = spatial(json!({ "generator": generator }), b"").expect("all is in range");
        prop_assert!(video.frames() > 0 && video.frames().is_multiple_of(gop));
        let longest = video.frame_rate().offset(video.frames());
        prop_assert!(longest <= Duration::from_millis(millis));
        for (rung, frame) in (0..video.rungs()).flat_map(|rung| (0..video.frames()).map(move |frame| (rung, frame))) {
            for layer in video.picture(rung, frame) {
                prop_assert!(layer.bytes > 0 && (0.0..=100.0).contains(&layer.ssim_db));
            }
        }
    }
}
