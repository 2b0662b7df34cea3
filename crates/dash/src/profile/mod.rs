//! Players: adaptation rule, buffer, requests and connections as a program has them.
//!
//! Each player has a file of its own; [`player_profiles`] lists those available to scenarios.

mod entry;
#[cfg(test)]
mod tests;

jettison_registry::components! {
    /// All players, by id.
    pub fn player_profiles() -> Registry<PlayerProfile>;
    mod generic;
    mod dash_js;
    mod vlc;
    mod shaka;
}

pub use dash_js::{DashJsParameters, DashJsVersion};
pub use entry::{PlayerContext, PlayerProfile};
pub use generic::GenericParameters;
pub use shaka::ShakaParameters;
pub use vlc::{VlcParameters, VlcVersion};
