//! The list of applications.

use jettison_dash::{client, generator};
use jettison_registry::Registry;
use jettison_sockets::{FlowApplication, command};
use jettison_video::video::{spatial, temporal, volumetric};

use crate::load::{bulk, cbr, on_off, ping, segments, web};
use crate::realtime::{conference, haptic};

/// All applications.
pub fn applications() -> Registry<FlowApplication> {
    Registry::from([
        bulk::entry(),
        cbr::entry(),
        on_off::entry(),
        ping::entry(),
        segments::entry(),
        web::entry(),
        client::entry(),
        generator::entry(),
        spatial::entry(),
        temporal::entry(),
        volumetric::entry(),
        conference::entry(),
        haptic::entry(),
        command::entry(),
    ])
}
