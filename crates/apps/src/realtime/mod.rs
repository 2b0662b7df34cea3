//! Real-time media, whose value falls with delay.

use jettison_sockets::FlowApplication;

jettison_registry::components! {
    /// All real-time media of this crate.
    pub fn realtime_media() -> Registry<FlowApplication>;
    pub mod conference;
    pub mod game;
    pub mod haptic;
    pub mod webrtc;
}
