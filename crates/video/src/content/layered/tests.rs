//! What is written is read, what is read holds together, and what fits an application's structure is converted.

use super::{LayeredVideo, OperatingPoint, Place, is_one, parse};
use jettison_core::Rate;

/// Two spatial layers, four frames of which the third is a key frame.
const SPATIAL: &str = "# a comment\nlayered 1 vp9 L2T1 64 32 30/1 4 2 1\n\
    100 0 0 0 40 - 5 30\n100 0 1 0 60 0.0 7.25 50.5\n\
    100 1 0 0 10 0.0 5 30\n100 1 1 0 20 0.1,1.0 7 50\n\
    100 2 0 0 41 - 5 30\n100 2 1 0 61 2.0 7 50\n\
    100 3 0 0 11 2.0 5 30\n100 3 1 0 21 2.1,3.0 7 50\n";
/// Three temporal layers in a group of four.
const TEMPORAL: &str = "layered 1 svt-av1 L1T3 64 32 30000/1001 4 1 3\n\
    100 0 0 0 90 - 9 60 9 60 9 60\n100 1 0 2 10 0.0 4 20 4 20 8 50\n\
    100 2 0 1 20 0.0 3 10 8.5 55 8.5 55\n100 3 0 2 11 2.0 2 5 5 30 8 50\n";

fn read(text: &str) -> LayeredVideo {
    parse(text.as_bytes()).expect("a trace")
}

fn at(frame: u32, spatial: u8) -> Place {
    Place { frame, spatial }
}

#[test]
fn what_is_written_is_read() {
    for text in [SPATIAL, TEMPORAL] {
        let video = read(text);
        assert_eq!(read(&video.to_string()), video);
        assert!(is_one(text.as_bytes()));
    }
    assert_eq!(read(TEMPORAL).to_string(), TEMPORAL);
    for other in ["", "8\n0 1 1\n", "10 3\n", "# layered\n10 3\n", "layeredx 1\n"] {
        assert!(!is_one(other.as_bytes()), "{other}");
    }
}

#[test]
fn units_know_their_references_and_sum_to_the_rate() {
    let video = read(SPATIAL);
    assert_eq!(video.unit(0, at(3, 1)).references, [at(2, 1), at(3, 0)]);
    let keys: Vec<u32> = (0..4).filter(|frame| video.is_key(0, *frame)).collect();
    assert_eq!(keys, [0, 2]);
    let summaries = video.summaries(0);
    // 102 bytes and 264 bytes in 4/30 s.
    assert_eq!(
        summaries.iter().map(|summary| summary.rate).collect::<Vec<_>>(),
        [6_120, 15_840].map(Rate::from_bits)
    );
    assert_eq!(summaries[1].quality.ssim_db, 7.0625);
    let up = OperatingPoint { spatial: 1, temporal: 0 };
    assert_eq!(video.frame_bytes(0, 0, up).get(), 100);
    // Without the higher temporal layers, earlier frames stay on the screen.
    let summaries = read(TEMPORAL).summaries(0);
    assert_eq!(
        summaries.iter().map(|summary| summary.quality.vmaf).collect::<Vec<_>>(),
        [23.75, 41.25, 53.75]
    );
}

#[test]
fn structures_that_applications_have_are_converted() {
    let video = read(SPATIAL).spatial(1.0).expect("its structure");
    assert_eq!((video.gop(), video.layers(), video.frames(), video.rungs()), (2, 2, 4, 1));
    assert_eq!((video.layer(0, 1, 1).bytes, video.layer(0, 0, 1).ssim_db), (20, 7.25));
    assert_eq!(video.rate(0), Rate::from_bits(15_840));
    let video = read(TEMPORAL).temporal(1.0).expect("its structure");
    assert_eq!((video.gop(), video.frames(), video.frame(2).bytes, video.frame(2).ssim_db), (4, 4, 20, 8.5));
}

#[test]
fn other_structures_are_refused_by_name() {
    let refused = |error: Result<(), jettison_sockets::FileError>| error.expect_err("unsuitable").to_string();
    let spatial = |text: &str| refused(read(text).spatial(1.0).map(|_| ()));
    let temporal = |text: &str| refused(read(text).temporal(1.0).map(|_| ()));
    assert!(
        spatial(TEMPORAL)
            .contains("unsuitable video L1T3 of svt-av1: `spatial-video` needs one temporal layer")
    );
    assert!(temporal(SPATIAL).contains("`temporal-video` needs one spatial layer"));
    // References between layers in key frames only.
    let key_only = SPATIAL.replace("0.1,1.0", "0.1").replace("2.1,3.0", "2.1");
    assert!(spatial(&key_only).contains("frame 1, spatial layer 1 does not"));
    assert!(temporal(&TEMPORAL.replace("11 2.0", "11 0.0")).contains("dyadic"));
    assert!(spatial(&SPATIAL.replace("30/1", "25/1")).contains("needs 30 frames/s, got 25/1"));
    // Key frames 0, 1 and 3.
    let irregular = SPATIAL.replace("10 0.0", "10 -").replace("0.1,1.0", "1.0").replace("41 -", "41 1.0");
    let irregular = irregular.replace("11 2.0", "11 -").replace("2.1,3.0", "3.0");
    assert!(spatial(&irregular).contains("key frames must be equally far apart"), "{}", spatial(&irregular));
}

#[test]
fn inconsistent_traces_are_refused_with_the_line() {
    for (text, from, to, message) in [
        (TEMPORAL, "layered 1", "layered 2", "line 1: version must be an integer in [1, 1]"),
        (TEMPORAL, "30000/1001", "30", "line 1: rate(1/s) must be a ratio such as 30/1, got `30`"),
        (TEMPORAL, "30000/1001", "30/0", "line 1: rate(1/s) must be a ratio"),
        (TEMPORAL, " 4 1 3", " 4 1 4", "line 1: temporal must be an integer in [1, 3], got `4`"),
        (
            TEMPORAL,
            " 4 1 3",
            " 5 1 3",
            "target 100 must have 5 frames of 1 spatial layers, as the first line says, got 4 units",
        ),
        (TEMPORAL, " 4 1 3", " 3 1 3", "line 5: frame must be below 3, as the first line says, got 3"),
        (
            TEMPORAL,
            "100 1 0",
            "100 2 0",
            "line 3: must be frame 1, spatial 0, got frame 2, spatial 0: a line is missing",
        ),
        (
            TEMPORAL,
            "100 3 0 2 11",
            "90 3 0 2 11",
            "line 5: targets must be in ascending order, got 90 after 100",
        ),
        (TEMPORAL, "100 3 0 2 11", "110 3 0 2 11", "line 5: target 100 must have 4 frames"),
        (TEMPORAL, "11 2.0", "11 1.0", ""),
        (
            TEMPORAL,
            "20 0.0",
            "20 1.0",
            "line 4: references must be of temporal layers up to its own (1), got 2 of `1.0`",
        ),
        (TEMPORAL, "11 2.0", "11 3.0", "line 5: references must be earlier units"),
        (TEMPORAL, "11 2.0", "11 x", "line 5: references must be `-` or a list such as 4.0,8.1"),
        (TEMPORAL, "20 0.0", "0 0.0", "line 4: bytes must be an integer in [1, 1000000000], got `0`"),
        (
            TEMPORAL,
            "8.5 55 8.5 55",
            "8.5 55 8.6 55",
            "line 4: must have the same quality for all temporal layers from its own (1) on",
        ),
        (TEMPORAL, "9 60 9 60 9 60", "9 60 9 60", "line 2: must have 12 values"),
        (TEMPORAL, "8 50", "8 101", "VMAF must be a number in [0, 100], got `101`"),
        (TEMPORAL, "8 50", "nan 50", "SSIM(dB) must be a number"),
        (SPATIAL, "0.1,1.0", "1.0,0.1", "line 6: references must be in ascending order"),
        (
            SPATIAL,
            "10 0.0",
            "10 0.1",
            "line 5: references must be earlier units of layers up to its own, got `0.1`",
        ),
    ] {
        let text = text.replacen(from, to, 1);
        match parse(text.as_bytes()) {
            Ok(_) => assert_eq!(message, "", "{from} → {to}"),
            Err(error) => {
                assert!(!message.is_empty() && error.to_string().contains(message), "{from} → {to}: {error}")
            }
        }
    }
    assert!(
        parse(b"layered 1 vp9 L1T1 64 32 30/1 1 1 1\n")
            .expect_err("empty")
            .to_string()
            .contains("at least one unit")
    );
}
