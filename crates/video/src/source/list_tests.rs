//! Rules of the list of encoders.

use serde_json::{Value, json};

use super::sources;
use super::testing::{frames, path, videos};

#[test]
fn every_encoder_builds_with_its_defaults_for_its_kinds_of_video_only() {
    for entry in sources().iter() {
        for video in videos() {
            let built = entry.build(&Value::Null, &video);
            if entry.facts.kinds.contains(&video.kind()) {
                let mut source = built.expect("its defaults are valid");
                assert!(!frames(source.as_mut(), 3, |_| path(Some(1_000_000))).is_empty(), "{}", entry.id);
            } else {
                let refusal = built.err().expect("it is not for that").to_string();
                assert!(refusal.starts_with("video: this encoder needs a video "), "{}", entry.id);
            }
        }
    }
}

#[test]
fn every_parameter_is_described() {
    for entry in sources().iter() {
        let docs = entry.parameters();
        assert!(docs.iter().any(|doc| doc.name == "stream"), "{}", entry.id);
        for doc in docs {
            assert!(!doc.description.is_empty(), "{}: {}", entry.id, doc.name);
        }
    }
}

#[test]
fn unknown_names_are_refused_with_a_hint() {
    let video = &videos()[0];
    let refusal = |id, table| sources().build_from(id, &table, video).err().expect("it is wrong").to_string();
    assert!(refusal("svc-spatal", Value::Null).contains("did you mean `svc-spatial`"));
    assert!(refusal("svc-spatial", json!({"slak": []})).contains("did you mean `slack`"));
    assert!(refusal("svc-spatial", json!({"share": -1})).starts_with("share: "));
}
