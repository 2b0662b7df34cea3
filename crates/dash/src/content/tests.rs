//! Tests of the `content` table as a whole: its titles, and the errors of invalid input.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Rate, Seed};
use jettison_registry::{ParameterError, parameters};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::manifest::to_mpd;
use super::{ContentParameters, Title};

const MPD: &str = r#"<MPD mediaPresentationDuration="PT10S"><Period><SegmentTemplate duration="4"/>
  <AdaptationSet contentType="video">
    <Representation id="v1" bandwidth="800000"/><Representation id="v2" bandwidth="1600000"/></AdaptationSet>
  <AdaptationSet contentType="audio"><Representation id="a1" bandwidth="64000"/></AdaptationSet>
  <AdaptationSet contentType="text"><Representation id="t1" bandwidth="8"/></AdaptationSet></Period></MPD>"#;

const SIZES: &str = "representation,segment,bytes
v1,0,700
v1,1,100000
v1,2,200000
v1,3,50000
v2,3,60000
v2,2,300000
v2,1,150000
a1,1,5
a1,2,6
a1,3,7
t1,1,1
";

fn random(name: &str) -> RandomStream {
    Seed(7).stream(&["flows", "video", name])
}

/// The titles of a table, of files `city.mpd` and `city.csv`.
fn titles_of(table: Value, mpd: &str, sizes: &str) -> Result<Vec<Arc<Title>>, ParameterError> {
    let content: ContentParameters = parameters(&table)?;
    let files = |name: &str| -> Result<Arc<[u8]>, String> {
        match name {
            "city.mpd" => Ok(Arc::from(mpd.as_bytes())),
            "city.csv" => Ok(Arc::from(sizes.as_bytes())),
            _ => Err(format!("cannot read `{name}`: no such file")),
        }
    };
    content.titles(&files, &random)
}

fn titles(table: Value) -> Vec<Arc<Title>> {
    titles_of(table, MPD, SIZES).expect("the table makes sense")
}

fn refusal(table: Value) -> String {
    titles_of(table, MPD, SIZES).expect_err("the table is refused").to_string()
}

fn sizes_refusal(sizes: &str) -> String {
    let table = json!({ "mpd": "city.mpd", "sizes": "city.csv" });
    titles_of(table, MPD, sizes).expect_err("the sizes are refused").to_string()
}

fn rung(kbit: u64) -> Value {
    json!({ "width": 640, "height": 360, "frame_rate": 25, "gop": 50, "bitrate": format!("{kbit} kbit/s") })
}

#[test]
fn the_default_is_the_ired_papers_ladder() {
    // Table VII.
    let all = titles(json!({}));
    let [title] = all.as_slice() else { panic!("one title") };
    assert_eq!(title.name, "title-1");
    assert_eq!(title.video.durations, vec![Duration::from_secs(4); 150]);
    let of = |place: usize| {
        let representation = &title.video.representations[place];
        let picture = representation.picture.expect("video has pictures");
        (representation.bitrate.as_bits(), picture.width, picture.height, picture.frame_rate)
    };
    assert_eq!(title.video.representations.len(), 3);
    assert_eq!(of(0), (280_000, 426, 240, 18.0));
    assert_eq!(of(1), (980_000, 854, 480, 24.0));
    assert_eq!(of(2), (2_080_000, 1_280, 720, 30.0));
    let audio = title.audio.as_ref().expect("there is audio");
    let rates: Vec<u64> = audio.representations.iter().map(|r| r.bitrate.as_bits()).collect();
    assert_eq!(rates, [64_000, 128_000]);
    assert_eq!(audio.representations[0].sizes, vec![32_000; 150]);
    let ids: Vec<&str> = title.video.representations.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(ids, ["video-280k", "video-980k", "video-2080k"]);
    assert_eq!(titles(json!({ "ladder": "ired" })), all);
}

#[test]
fn the_ired_ladders_segments_keep_to_its_encoder_buffers() {
    let title = &titles(json!({}))[0];
    for (representation, buffer_kbit) in title.video.representations.iter().zip([140, 490, 1_040]) {
        let mean = representation.bitrate.as_bits() / 1_000 * 4;
        let kbit = |size: u64| (8 * size).div_ceil(1_000);
        assert!(representation.sizes.iter().all(|size| kbit(*size).abs_diff(mean) <= buffer_kbit + 1));
        let furthest = representation.sizes.iter().map(|size| kbit(*size).abs_diff(mean)).max();
        assert!(furthest > Some(buffer_kbit / 2), "{furthest:?} of {buffer_kbit}");
    }
}

#[test]
fn titles_differ_and_are_reproducible_by_seed() {
    let catalogue = titles(json!({ "titles": 3 }));
    let names: Vec<&str> = catalogue.iter().map(|title| title.name.as_str()).collect();
    assert_eq!(names, ["title-1", "title-2", "title-3"]);
    assert_ne!(catalogue[0].video, catalogue[1].video);
    assert_eq!(catalogue[..1], titles(json!({}))[..]);
    let flat = titles(json!({ "titles": 2, "variation": 0 }));
    assert_eq!(flat[0].video, flat[1].video);
    assert_eq!(flat[0].video.representations[0].sizes, vec![140_000; 150]);
}

#[test]
fn a_ladder_may_be_written_out() {
    let ladder = json!({ "video": [rung(500), rung(1_500)] });
    let title = &titles(json!({ "ladder": ladder, "duration": "5 s", "initialization": "1 kB" }))[0];
    assert_eq!(title.video.durations, [2, 2, 1].map(Duration::from_secs));
    assert_eq!(title.audio, None);
    let low = &title.video.representations[0];
    assert_eq!((low.bitrate, low.codec.as_str(), low.initialization), (Rate::from_kbit(500), "h264", 1_000));
    assert_eq!(low.sizes.iter().sum::<u64>(), 5 * 500_000 / 8);
    let longer = &titles(json!({ "ladder": ladder, "segment_duration": "2500 ms", "duration": "5 s" }))[0];
    assert_eq!(longer.video.segments(), 2);
}

#[test]
fn the_manifest_of_a_ladder_is_an_mpd_of_the_same_title() {
    let table = json!({ "ladder": { "video": [rung(500), rung(1_500)], "audio": [{ "bitrate": "64 kbit/s" }] },
        "duration": "9500 ms", "variation": 0 });
    let title = &titles(table)[0];
    let text = to_mpd(title);
    assert_eq!(title.manifest, text.len() as u64);
    let again = titles_of(json!({ "mpd": "city.mpd", "variation": 0 }), &text, "").expect("it is an MPD");
    assert_eq!(again[0], *title);
}

#[test]
fn sizes_come_from_the_sidecar() {
    let title = &titles(json!({ "mpd": "city.mpd", "sizes": "city.csv" }))[0];
    assert_eq!(title.manifest, MPD.len() as u64);
    let [low, high] = title.video.representations.as_slice() else { panic!("two representations") };
    assert_eq!((low.sizes.as_slice(), low.initialization), ([100_000, 200_000, 50_000].as_slice(), 700));
    assert_eq!((high.sizes.as_slice(), high.initialization), ([150_000, 300_000, 60_000].as_slice(), 800));
    assert_eq!(title.audio.as_ref().expect("there is audio").representations[0].sizes, [5, 6, 7]);
}

#[test]
fn sizes_of_an_mpd_without_a_sidecar_are_drawn() {
    let title = &titles(json!({ "mpd": "city.mpd", "titles": 2 }))[1];
    for representation in &title.video.representations {
        assert_eq!(representation.sizes.iter().sum::<u64>(), representation.bitrate.as_bits() * 10 / 8);
        assert_ne!(representation.sizes[0], representation.sizes[1]);
    }
    let flat = &titles(json!({ "mpd": "city.mpd", "encoder_buffer": "0 s" }))[0];
    assert_eq!(flat.video.representations[0].sizes, [400_000, 400_000, 200_000]);
}

#[test]
fn invalid_ladders_are_refused() {
    let with = |video: Vec<Value>| json!({ "ladder": { "video": video } });
    let changed = |key: &str, value: Value| {
        let mut second = rung(700);
        second[key] = value;
        with(vec![rung(500), second])
    };
    for (table, message) in [
        (with(vec![]), "ladder.video: must have 2 to 100 rungs for adaptation, got 0"),
        (with(vec![rung(500)]), "ladder.video: must have 2 to 100 rungs for adaptation, got 1"),
        (
            with(vec![rung(500), rung(400)]),
            "ladder.video.1.bitrate: must be > 500 kbit/s (rungs are in ascending order), got 400 kbit/s",
        ),
        (
            with(vec![rung(500), rung(500)]),
            "ladder.video.1.bitrate: must differ from that of the previous rung, got 500 kbit/s",
        ),
        (with(vec![rung(0), rung(500)]), "ladder.video.0.bitrate: must be in (0 bit/s, "),
        (changed("width", json!(0)), "ladder.video.1.width: must be in [1, 65535], got 0"),
        (changed("height", json!(70_000)), "ladder.video.1.height: must be in [1, 65535], got 70000"),
        (changed("frame_rate", json!(0)), "ladder.video.1.frame_rate: must be in (0, 1000], got 0"),
        (changed("frame_rate", json!(-5.0)), "ladder.video.1.frame_rate: must be in (0, 1000], got -5"),
        (changed("gop", json!(0)), "ladder.video.1.gop: must be > 0, got 0"),
        (
            changed("gop", json!(60)),
            "ladder.video.1.gop: must last as long as in the first rung (2 s), got 2.4 s",
        ),
        (changed("gop", Value::Null), "ladder.video.1.gop: is missing; `gop` or"),
        (changed("codec", json!(" ")), "ladder.video.1.codec: must be a codec such as"),
        (changed("encoder_buffer", json!("2 h")), "ladder.video.1.encoder_buffer: `h` is not a unit"),
        (
            changed("encoder_buffer", json!("99 min")),
            "ladder.video.1.encoder_buffer: must be <= 3600 s, got ",
        ),
        (changed("bitrat", json!("1 kbit/s")), "ladder.video.1.bitrat: unknown key `bitrat`; did you"),
        (
            json!({ "ladder": { "video": [rung(1), rung(2)], "audio": [{ "bitrate": "2 kbit/s" }, { "bitrate": "1 kbit/s" }] } }),
            "ladder.audio.1.bitrate: must be > 2 kbit/s",
        ),
        (json!({ "ladder": "irde" }), "ladder: must be one of ired, got \"irde\"; did you mean `ired`?"),
        (json!({ "ladder": { "vdeo": [] } }), "ladder.vdeo: unknown key `vdeo`; did you mean `video`?"),
        (
            json!({ "ladder": { "video": [{ "width": 1 }] } }),
            "ladder.video.0: has no `height`; add `height`: an integer",
        ),
    ] {
        let said = refusal(table.clone());
        assert!(said.starts_with(message), "{table}: {said}");
    }
}

#[test]
fn invalid_tables_are_refused() {
    for (table, message) in [
        (json!({ "variation": 1.5 }), "variation: must be in [0, 1], got 1.5"),
        (json!({ "variation": -0.1 }), "variation: must be in [0, 1], got -0.1"),
        (json!({ "titles": 0 }), "titles: must be in [1, 1000], got 0"),
        (json!({ "titles": 1001 }), "titles: must be in [1, 1000], got 1001"),
        (json!({ "duration": "0 s" }), "duration: must be in (0 s, "),
        (json!({ "segment_duration": "0 s" }), "segment_duration: must be in (0 s, "),
        (
            json!({ "duration": "9000 min", "segment_duration": "1 ms" }),
            "segment_duration: each title must have at most 100000 segments, got 540000000",
        ),
        (
            json!({ "duration": "500000 min" }),
            "duration: each title must have at most 100000 segments, got 7500000",
        ),
        (
            json!({ "duration": "6000 min", "titles": 1000 }),
            "titles: must have at most 10000000 segments over all representations, got ",
        ),
        (json!({ "encoder_buffer": "3601 s" }), "encoder_buffer: must be <= 3600 s, got 3601 s"),
        (json!({ "initialization": "2 GB" }), "initialization: must be <= "),
        (json!({ "sizes": "city.csv" }), "sizes: requires `mpd`"),
        (json!({ "mpd": "city.mpd", "ladder": "ired" }), "ladder: give `ladder` or `mpd`, not both"),
        (json!({ "mpd": "city.mpd", "duration": "5 s" }), "duration: applies to ladders only"),
        (json!({ "mpd": "town.mpd" }), "mpd: cannot read `town.mpd`"),
        (json!({ "mpd": "city.mpd", "sizes": "town.csv" }), "sizes: cannot read `town.csv`"),
        (json!({ "mpd": "city.csv" }), "mpd: city.csv: must have a root element `MPD`"),
        (json!({ "title": 3 }), "title: unknown key `title`; did you mean `titles`?"),
    ] {
        let said = refusal(table.clone());
        assert!(said.starts_with(message), "{table}: {said}");
    }
}

#[test]
fn mismatched_sidecars_are_refused() {
    let without = |line: &str| SIZES.replacen(&format!("{line}\n"), "", 1);
    let with = |line: &str| format!("{SIZES}{line}\n");
    for (sizes, message) in [
        (
            without("v2,2,300000"),
            "sizes: city.csv: has 2 of the 3 segments of `v2` in the MPD; the first missing segment is 2",
        ),
        (with("v1,4,9"), "sizes: city.csv:13: segment of `v1` must be <= 3 (the MPD's count), got 4"),
        (
            with("v3,1,9"),
            "sizes: city.csv:13: the MPD has no representation `v3`; did you mean `v1`? It has: v1, v2, a1, t1",
        ),
        (with("v1,2,9"), "sizes: city.csv:13: segment 2 of `v1` already has a size in line 4"),
        (
            SIZES.replace("300000", "-300000"),
            "sizes: city.csv:7: bytes must be an integer in [1, 1000000000000], got `-300000`",
        ),
        (
            SIZES.replace("300000", "many"),
            "sizes: city.csv:7: bytes must be an integer in [1, 1000000000000], got `many`",
        ),
        (
            SIZES.replace("300000", "0"),
            "sizes: city.csv:7: bytes must be an integer in [1, 1000000000000], got `0`",
        ),
        (
            SIZES.replace("v2,2", "v2,two"),
            "sizes: city.csv:7: segment must be an integer in [0, 100000], got `two`",
        ),
        (
            SIZES.replace("v2,2", "v2,99999999999"),
            "sizes: city.csv:7: segment must be an integer in [0, 100000], got `99999999999`",
        ),
        (
            SIZES.replace("v2,2,", "\n\nv2,"),
            "sizes: city.csv:9: must have 3 values (`representation,segment,bytes`), got 2",
        ),
        (
            SIZES.replace("v2,2,", "v2,2,2,"),
            "sizes: city.csv:7: must have 3 values (`representation,segment,bytes`), got 4",
        ),
        (
            SIZES.replace("bytes", "size"),
            "sizes: city.csv:1: first line must be `representation,segment,bytes`, got `representation,segment,size`",
        ),
        (
            String::new(),
            "sizes: city.csv: must start with the line `representation,segment,bytes`, got an empty file",
        ),
    ] {
        let said = sizes_refusal(&sizes);
        assert!(said.starts_with(message), "{said}");
    }
    let none = SIZES.lines().filter(|line| !line.starts_with("v2")).collect::<Vec<_>>().join("\n");
    assert!(sizes_refusal(&none).contains("has 0 of the 3 segments of `v2` in the MPD"));
}

#[test]
fn sidecars_may_have_spaces_carriage_returns_and_a_byte_order_mark() {
    let table = json!({ "mpd": "city.mpd", "sizes": "city.csv" });
    let odd = format!("\u{feff}{}", SIZES.replace('\n', "\r\n").replace(',', " , "));
    assert_eq!(titles_of(table.clone(), MPD, &odd), titles_of(table, MPD, SIZES));
}

#[test]
fn the_schema_marks_the_files() {
    let schema = schemars::schema_for!(ContentParameters);
    for key in ["mpd", "sizes"] {
        let format = schema.pointer(&format!("/properties/{key}/format")).and_then(Value::as_str);
        assert_eq!(format, Some("input-file"), "{key}");
    }
}

proptest! {
    #[test]
    fn any_sidecar_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = super::sidecar::Sidecar::read(&bytes);
    }

    #[test]
    fn any_lines_are_read_or_refused(
        lines in prop::collection::vec("(v1|v2|a1|t1|\"|é)?,?[0-9-]{0,4},[0-9]{0,22}[\r\",]?", 0..20),
    ) {
        let text = format!("representation,segment,bytes\n{}", lines.join("\n"));
        let _ = titles_of(json!({ "mpd": "city.mpd", "sizes": "city.csv" }), MPD, &text);
    }

    #[test]
    fn any_ladder_within_the_ranges_gives_whole_titles(
        seed: u64,
        kbit in prop::collection::btree_set(1u64..50_000, 2..6),
        millis in 1u64..20_000,
        segment in 100u64..9_000,
        variation in 0.0f64..=1.0,
    ) {
        let video: Vec<Value> = kbit.iter().map(|kbit| rung(*kbit)).collect();
        let content: ContentParameters = parameters(&json!({
            "ladder": { "video": video }, "duration": format!("{millis} ms"),
            "segment_duration": format!("{segment} ms"), "variation": variation,
        })).expect("all is in range");
        let files = |_: &str| Err("no files".to_owned());
        let titles = content.titles(&files, &|name| Seed(seed).stream(&[name])).expect("all is in range");
        let video = &titles[0].video;
        let total = video.durations.iter().copied().fold(Duration::ZERO, Duration::saturating_add);
        prop_assert_eq!(total, Duration::from_millis(millis));
        for representation in &video.representations {
            prop_assert_eq!(representation.sizes.len(), video.segments());
            prop_assert!(representation.sizes.iter().all(|size| *size > 0));
        }
    }
}
