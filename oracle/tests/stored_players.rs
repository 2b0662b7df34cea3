//! Holds the modelled players to the stored figures of the real ones, and the reasons and the page to the comparison.

use std::collections::BTreeSet;
use std::fs;

use jettison_core::Duration;
use jettison_oracle::players::compare::{Quantity, Reasons, networks, rows, settings};
use jettison_oracle::players::{figures, live_scenario, modelled_scenario, page, simulate};

#[test]
fn differences_are_within_the_bounds_or_explained_and_on_the_page() {
    let watched = figures::load().expect("there are figures");
    let modelled = simulate::simulate(page::SEEDS).expect("the twin runs");
    let rows = rows(&watched, &modelled);
    assert_eq!(rows.len(), modelled.len(), "every player has figures on every network");
    assert!(rows.iter().map(|row| &row.network).collect::<BTreeSet<_>>().len() >= 5, "five networks");
    let reasons = Reasons::load().expect("players.toml is valid");
    let mut faults = String::new();
    let mut explained: BTreeSet<(&str, &str, Quantity)> = BTreeSet::new();
    for row in &rows {
        for one in &row.differences {
            match (one.is_within(), reasons.of(&row.network, &row.player, one.quantity)) {
                (false, false) => {
                    faults += &format!(
                        "{}, {}: {} {one} exceeds its bound\n",
                        row.network, row.player, one.quantity
                    );
                }
                (true, true) => {
                    faults +=
                        &format!("{}, {}: {} {one} needs no reason\n", row.network, row.player, one.quantity);
                }
                _ => {}
            }
            explained.insert((&row.network, &row.player, one.quantity));
        }
    }
    for reason in &reasons.reasons {
        for quantity in &reason.quantities {
            let is_known = explained.contains(&(reason.network.as_str(), reason.player.as_str(), *quantity));
            assert!(is_known, "{reason:?} is of no network and player");
        }
    }
    assert!(faults.is_empty(), "live / modelled:\n{faults}");
    let old = fs::read_to_string(page::path()).expect("the page is there");
    let new = page::render(&old, &watched, &rows, &reasons).expect("the page can be rendered");
    assert!(
        new == old,
        "docs/src/appendix/players-live.md is stale; run: cargo run -p jettison-oracle -- players page"
    );
}

#[test]
fn every_session_is_of_the_network_as_it_stands_and_of_one_version() {
    let watched = figures::load().expect("there are figures");
    for one in &watched {
        let now = settings(&one.network, Duration::from_secs(120)).expect("the network is there");
        assert_eq!(one.settings, now, "{}, {}: the network has changed; measure it", one.network, one.player);
        let of_player = watched.iter().filter(|other| other.player == one.player);
        assert!(of_player.clone().all(|other| other.program == one.program), "{}: two versions", one.player);
    }
}

/// The two files differ in the application of the player's flow alone.
#[test]
fn the_twin_has_the_same_networks() {
    let read = |path| -> toml::Table {
        let text = fs::read_to_string(path).expect("the scenario is there");
        toml::from_str(&text).expect("it is TOML")
    };
    let (live, modelled) = (read(live_scenario()), read(modelled_scenario()));
    for key in ["duration", "sample_interval", "quick", "nodes", "links"] {
        assert_eq!(live.get(key), modelled.get(key), "{key}");
    }
    assert_eq!(live["flows"]["download"], modelled["flows"]["download"]);
    assert_eq!(networks(&live), networks(&modelled));
    let players = |file: &toml::Table| -> Vec<toml::Value> {
        let variants = file["vary"][1]["variants"].as_array().expect("players").iter();
        variants.map(|variant| variant["name"].clone()).collect()
    };
    assert_eq!(players(&live), players(&modelled));
}
