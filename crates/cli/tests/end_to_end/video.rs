//! Real-time video from end to end: a trace of a video, and messages about invalid input.

use super::support::{Folder, changed};

/// A video with two frames per group, two layers, one rung.
const VIDEO: &str =
    "2 2\n1200 0 0 4000 600 9.0\n1200 0 1 3000 1200 11.0\n1200 1 0 1000 600 9.1\n1200 1 1 900 1200 11.1\n";

/// The small scenario with a video in place of the bulk flow, for 10 s and one queue.
fn scenario() -> String {
    changed(
        "app = \"bulk\"\nstart_jitter = \"50 ms\"",
        "app = { kind = \"spatial-video\", content = { file = \"city.trace\" } }",
    )
    .replace("duration = \"2 s\"", "duration = \"10 s\"")
    .replace(", \"codel\"]", "]")
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("own/s.toml", &scenario());
    folder.write("own/city.trace", VIDEO);
    folder
}

#[test]
fn a_trace_of_a_video_is_sent_and_scored() {
    let folder = folder();
    let ran = folder.jettison(&["run", "own/s.toml", "--runs", "1", "--json"]).records();
    let text = serde_json::to_string(&ran).expect("records are JSON");
    for metric in ["sqi_ssim", "frame_latency", "age_of_information", "frames_decoded"] {
        assert!(text.contains(metric), "{metric}: {text}");
    }
}

#[test]
fn wrong_videos_are_refused_with_their_file_and_line() {
    let refused = |from: &str, to: &str| {
        let folder = folder();
        assert!(VIDEO.contains(from), "{from}");
        folder.write("own/city.trace", &VIDEO.replacen(from, to, 1));
        folder.jettison(&["run", "own/s.toml"]).refused()
    };
    let missing = refused("1200 1 0 1000 600 9.1\n", "");
    assert!(missing.contains("city.trace:4"), "a missing layer: {missing}");
    let backwards = refused("1200 1 0 1000 600 9.1\n1200 1 1 900", "1200 0 0 1000 600 9.1\n1200 0 1 900");
    assert!(backwards.contains("city.trace:4"), "frame numbers: {backwards}");
    let nothing = refused("4000", "0");
    assert!(nothing.contains("city.trace:2"), "a size of zero: {nothing}");
    let columns = refused(" 9.0\n", "\n");
    assert!(columns.contains("city.trace:2"), "too few columns: {columns}");
}

#[test]
fn unknown_encoders_and_controllers_are_refused_with_a_hint() {
    let folder = folder();
    let wrong = |set: &str| folder.jettison(&["run", "own/s.toml", "--set", set]).refused();
    let encoder = wrong("flows.bulk.app.encoder=svc-spatail");
    assert!(encoder.contains("svc-spatial"), "{encoder}");
    let controller = wrong("flows.bulk.transport={kind=\"octopus\", congestion=\"sprot\"}");
    assert!(controller.contains("did you mean `sprout`"), "{controller}");
    let udp = wrong("flows.bulk.transport=udp");
    assert!(udp.contains("the transport of `spatial-video` must be octopus or tcp, got `udp`"), "{udp}");
}
