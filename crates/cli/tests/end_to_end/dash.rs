//! Streaming scenarios from end to end: an MPD with its sidecar, and messages about invalid content.

use super::support::{Folder, changed};

const MPD: &str = r#"<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT12S"
     profiles="urn:mpeg:dash:profile:isoff-live:2011" minBufferTime="PT2S">
  <Period>
    <AdaptationSet mimeType="video/mp4" frameRate="25">
      <SegmentTemplate timescale="1" duration="4" media="$RepresentationID$-$Number$.m4s"/>
      <Representation id="low" bandwidth="300000" width="640" height="360" codecs="avc1.4d401e"/>
      <Representation id="high" bandwidth="900000" width="1280" height="720" codecs="avc1.4d401f"/>
    </AdaptationSet>
  </Period>
</MPD>
"#;
const SIZES: &str = "representation,segment,bytes\nlow,1,140000\nlow,2,150000\nlow,3,160000\n\
                     high,1,440000\nhigh,2,450000\nhigh,3,460000\n";

/// The small scenario with a viewer in place of the bulk flow, for 20 s and one queue.
fn scenario(content: &str) -> String {
    changed(
        "app = \"bulk\"\nstart_jitter = \"50 ms\"",
        &format!("app = {{ kind = \"dash\", content = {content} }}"),
    )
    .replace("duration = \"2 s\"", "duration = \"20 s\"")
    .replace(", \"codel\"]", "]")
}

fn folder(content: &str) -> Folder {
    let folder = Folder::new();
    folder.write("own/s.toml", &scenario(content));
    folder.write("own/city.mpd", MPD);
    folder.write("own/city.csv", SIZES);
    folder
}

const FILES: &str = r#"{ mpd = "city.mpd", sizes = "city.csv" }"#;

#[test]
fn an_mpd_with_its_sidecar_is_streamed_to_its_end() {
    let folder = folder(FILES);
    let ran = folder.jettison(&["run", "own/s.toml", "--runs", "1", "--json"]).records();
    let text = serde_json::to_string(&ran).expect("records are JSON");
    assert!(text.contains("frames_per_second") && text.contains("linear_qoe"), "{text}");
    let inputs = &folder.json("out/small/manifest.json")["inputs"];
    let names: Vec<_> = inputs.as_array().into_iter().flatten().map(|input| input["path"].clone()).collect();
    assert_eq!(names, ["s.toml", "city.mpd", "city.csv"]);
}

#[test]
fn wrong_content_is_refused_with_its_file_and_place() {
    let refused = |file: &str, from: &str, to: &str| {
        let folder = folder(FILES);
        let content = if file.ends_with("mpd") { MPD } else { SIZES };
        assert!(content.contains(from), "{from}");
        folder.write(file, &content.replacen(from, to, 1));
        folder.jettison(&["run", "own/s.toml"]).refused()
    };
    let said = refused("own/city.mpd", "</Period>", "");
    assert!(said.contains("city.mpd:"), "{said}");
    let said = refused("own/city.mpd", " bandwidth=\"900000\"", "");
    assert!(said.contains("city.mpd:8") && said.contains("`high`") && said.contains("bandwidth"), "{said}");
    let said = refused("own/city.csv", "high,3,460000\n", "");
    assert!(said.contains("city.csv") && said.contains("2 of the 3") && said.contains("`high`"), "{said}");
    let said = refused("own/city.csv", "low,2,150000", "low,2,-5");
    assert!(said.contains("city.csv:3") && said.contains("-5"), "{said}");
}

#[test]
fn wrong_ladders_are_refused_at_their_key() {
    let rung = |kbit: u32| {
        format!("{{ width = 640, height = 360, frame_rate = 25, gop = 100, bitrate = \"{kbit} kbit/s\" }}")
    };
    let ladder = |rungs: &[u32]| {
        let rungs: Vec<String> = rungs.iter().map(|kbit| rung(*kbit)).collect();
        let folder = folder(&format!("{{ ladder = {{ video = [{}] }} }}", rungs.join(", ")));
        folder.jettison(&["run", "own/s.toml"]).refused()
    };
    let said = ladder(&[300]);
    assert!(said.starts_with("own/s.toml:") && said.contains("video"), "{said}");
    let said = ladder(&[300, 900, 600]);
    assert!(said.starts_with("own/s.toml:") && said.contains("600"), "{said}");
}

#[test]
fn the_message_about_an_unknown_rule_names_the_nearest() {
    let folder = Folder::new();
    let text = changed("app = \"bulk\"", "app = { kind = \"dash\", player = { abr = \"bolla\" } }");
    folder.write("s.toml", &text);
    let said = folder.jettison(&["check", "s.toml"]).refused();
    assert!(said.contains("bola"), "{said}");
    let text = changed("app = \"bulk\"", "app = { kind = \"dash\", player = { start_up = \"1 min\" } }");
    folder.write("s.toml", &text);
    let said = folder.jettison(&["check", "s.toml"]).refused();
    assert!(said.contains("start_up") && said.contains("max_buffer"), "{said}");
    let player = "{ max_buffer = \"3 s\", start_up = \"1 s\", rebuffer = \"1 s\" }";
    folder.write(
        "s.toml",
        &changed("app = \"bulk\"", &format!("app = {{ kind = \"dash\", player = {player} }}")),
    );
    let said = folder.jettison(&["check", "s.toml"]).refused();
    assert!(said.contains("max_buffer") && said.contains("segment of 4 s"), "{said}");
}
