//! What each player's parameters mean for its settings.

use std::sync::Arc;

use jettison_core::{Duration, Rate};
use jettison_registry::Choice;
use jettison_sockets::{ControllerFactory, TcpOptions};
use jettison_tcp::{Endpoint, TcpParameters};
use jettison_wire::Address;
use serde_json::{Value, json};

use super::{PlayerContext, PlayerProfile, player_profiles};
use crate::content::{AdaptationSet, Representation, Title};
use crate::player::{FastSwitch, Filling, Kind, PlayerSetup, Targets, Together, TopQuality};

const S: fn(u64) -> Duration = Duration::from_secs;

/// A title of `segments` segments of 4 s.
fn title(segments: usize) -> Arc<Title> {
    let representation = Representation {
        id: "v".to_owned(),
        bitrate: Rate::from_kbit(500),
        codec: "h264".to_owned(),
        picture: None,
        initialization: 800,
        sizes: vec![250_000; segments],
    };
    let video = AdaptationSet { representations: vec![representation], durations: vec![S(4); segments] };
    Arc::new(Title { name: "t".to_owned(), manifest: 3000, video, audio: None })
}

fn built(player: &Value, segments: usize) -> Result<Arc<PlayerSetup>, String> {
    let player: Choice<PlayerProfile> =
        serde_json::from_value(player.clone()).map_err(|error| error.to_string())?;
    let parameters = Arc::new(TcpParameters::default());
    let shared = Arc::clone(&parameters);
    let controller = ControllerFactory::new(move || shared.controller(None).expect("the default controller"));
    let context = PlayerContext {
        titles: &[title(segments)],
        server: Endpoint { address: Address::v4(198, 18, 0, 1), port: 80 },
        options: &TcpOptions { parameters, controller },
    };
    player.build(&context).map_err(|error| error.to_string())
}

fn targets(player: &Value, segments: usize) -> Targets {
    match built(player, segments).map(|setup| setup.filling) {
        Ok(Filling::Below(targets)) => targets,
        other => panic!("{other:?}"),
    }
}

#[test]
fn dash_js_has_the_targets_of_its_version() {
    let of = |player, segments| {
        let Targets { default, top, top_quality, holds_segment, .. } = targets(&player, segments);
        (default, top, top_quality, holds_segment)
    };
    let version = |version| json!({ "kind": "dash.js", "version": version });
    assert_eq!(of(version("4.3"), 149), (S(12), S(30), TopQuality::Both, false));
    assert_eq!(of(version("4.3"), 150), (S(12), S(60), TopQuality::Both, false), "600 s are long");
    assert_eq!(of(version("5.2"), 149), (S(18), S(30), TopQuality::Own, true));
    assert_eq!(of(json!("dash.js"), 150), (S(18), S(60), TopQuality::Own, true));
    let own = json!({ "kind": "dash.js", "buffer": "8 s", "buffer_at_top": "20 s" });
    assert_eq!(of(own, 150), (S(8), S(20), TopQuality::Own, true));
}

#[test]
fn dash_js_keeps_a_second_and_a_half_when_it_replaces() {
    let fast = |player: Value| built(&player, 10).unwrap().fast_switch;
    let margin = Duration::from_millis(1500);
    let of = |repeats_last| Some(FastSwitch { margin, repeats_last });
    assert_eq!(fast(json!({ "kind": "dash.js", "version": "4.3" })), of(true));
    assert_eq!(fast(json!({ "kind": "dash.js", "version": "5.2" })), of(false));
    assert_eq!(fast(json!({ "kind": "dash.js", "fast_switch": false })), None);
    assert_eq!(fast(json!("vlc")), None);
}

#[test]
fn dash_js_gives_up_requests_that_take_too_long() {
    let after = |player: Value| built(&player, 10).unwrap().request_timeout;
    assert_eq!(after(json!({ "kind": "dash.js", "version": "4.3" })), Some(S(10)));
    assert_eq!(after(json!({ "kind": "dash.js", "version": "5.2" })), Some(S(20)));
    assert_eq!(after(json!("vlc")), None);
}

#[test]
fn browsers_fetch_side_by_side_and_vlc_in_turn() {
    let setup = |player: &str| built(&json!(player), 10).unwrap();
    let parallel: Vec<bool> = ["dash.js", "shaka", "vlc", "generic"].map(|id| setup(id).is_parallel).into();
    assert_eq!(parallel, [true, true, false, false]);
    assert_eq!(targets(&json!("shaka"), 10).together, Together::OneSegment(S(1)));
    assert_eq!((targets(&json!("shaka"), 10).default, targets(&json!("vlc"), 10).default), (S(10), S(35)));
    let vlc = |version| built(&json!({ "kind": "vlc", "version": version }), 10).unwrap().thresholds;
    assert_eq!((vlc("3").start_up, vlc("3").rebuffer), (S(6), S(1)));
    assert_eq!(vlc("2").start_up, S(1));
}

#[test]
fn a_table_without_kind_is_of_the_generic_player() {
    let filling = built(&json!({ "abr": "bola", "max_buffer": "20 s" }), 10).unwrap().filling;
    assert_eq!(filling, Filling::Fits { max: S(20), resume: None });
    assert!(built(&json!({ "parallel": true }), 10).unwrap().is_parallel);
}

#[test]
fn every_player_builds_with_its_defaults_and_makes_a_rule_for_each_kind() {
    for entry in player_profiles().iter() {
        let setup = built(&json!(entry.id), 10).unwrap();
        for kind in [Kind::Video, Kind::Audio] {
            let _ = setup.rule.make(kind);
        }
        for doc in entry.parameters() {
            assert!(!doc.description.is_empty(), "{}: {}", entry.id, doc.name);
        }
    }
}

#[test]
fn wrong_parameters_are_named() {
    let refused = |player| built(&player, 10).unwrap_err();
    assert!(refused(json!("dash-js")).contains("did you mean `dash.js`"));
    assert!(refused(json!({ "kind": "dash.js", "version": "4.2" })).starts_with("version: "));
    assert!(refused(json!({ "kind": "dash.js", "buffer": "0 s" })).starts_with("buffer: must be > 0"));
    assert!(refused(json!({ "kind": "dash.js", "abr": "bola" })).contains("abr"));
    assert!(
        refused(json!({ "kind": "vlc", "start_up": "31 s" })).starts_with("start_up: must be <= `buffer`")
    );
    assert!(
        refused(json!({ "kind": "shaka", "default_estimate": "0 bit/s" })).starts_with("default_estimate")
    );
    assert!(refused(json!({ "max_buffer": "3 s" })).starts_with("max_buffer: "));
}
