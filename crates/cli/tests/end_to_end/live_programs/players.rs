//! dash.js and VLC beside their models, on one network of `scenarios/live/players.toml`. Where a model is known to differ
//! (`oracle/players.toml`), the stored figures of the real player take its place.

use jettison_oracle::players::compare::{Quantity, Reasons};
use jettison_oracle::players::figures::{self, Watched};

use super::{means, run, simulate, skipped};

const NAME: &str = "players_beside_their_models";
/// The network of the short form.
const NETWORK: &str = "dsl";
/// Players in the order of the scenario.
const PLAYERS: [&str; 3] = ["dash.js 5", "dash.js 4", "VLC"];

#[test]
fn players_beside_their_models() {
    let programs = ["ffmpeg", "apache2", "chromium", "cvlc", "node"];
    let Some(live) = run(NAME, "players", &programs, &[]) else { return };
    let simulated = simulate("players-modelled");
    let watched = figures::load().expect("there are figures");
    let reasons = Reasons::load().expect("players.toml is valid");
    let mut faults = String::new();
    // One session of a minute: the bounds are wider than those of the whole comparison.
    for (quantity, metric, share, absolute) in
        [(Quantity::Buffer, "buffer", 0.3, 3.0), (Quantity::Bitrate, "representation_rate", 0.25, 100.0)]
    {
        let (own, of_models) = (live.means("video", metric), means(&simulated, "video", metric));
        assert_eq!((own.len(), of_models.len()), (3, 3), "{metric}: {}", live.output);
        for (i, player) in PLAYERS.iter().enumerate() {
            // The run itself says that the machine was too busy for what it measured.
            if live.manifest["live"][i]["timeliness"]["late"] == true {
                skipped(NAME, &format!("{player} ran late on this machine"));
                continue;
            }
            let is_known = reasons.of(NETWORK, player, quantity);
            let expected = if is_known { stored(&watched, player, quantity) } else { of_models[i] };
            if (own[i] - expected).abs() > (share * expected).max(absolute) {
                faults += &format!("{player}: {metric} {:.1}, {expected:.1} expected\n", own[i]);
            }
        }
    }
    assert!(faults.is_empty(), "live, expected:\n{faults}");
}

/// The mean of the stored sessions' short form.
fn stored(watched: &[Watched], player: &str, quantity: Quantity) -> f64 {
    let own = watched.iter().filter(|one| (one.network.as_str(), one.player.as_str()) == (NETWORK, player));
    let values: Vec<f64> = own
        .map(|one| if quantity == Quantity::Buffer { one.short.buffer_s } else { one.short.bitrate })
        .collect();
    assert!(!values.is_empty(), "{player}: no figures");
    values.iter().sum::<f64>() / values.len() as f64
}
