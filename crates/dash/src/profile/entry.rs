//! Players as a kind of component, and as a parameter: `"dash.js"` or `{ kind = "dash.js", version = "4.3" }`.

use std::sync::{Arc, LazyLock};

use jettison_core::Duration;
use jettison_registry::{Choices, Kind, ParameterError, Registry};
use jettison_sockets::TcpOptions;
use jettison_tcp::Endpoint;

use super::player_profiles;
use crate::content::Title;
use crate::player::{PlayerSetup, Thresholds};
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;

/// The kind of players.
pub enum PlayerProfile {}

impl Kind for PlayerProfile {
    const KEY: &'static str = "player";
    const NAME: &'static str = "player";
    type Context<'a> = PlayerContext<'a>;
    type Built = Arc<PlayerSetup>;
    type Facts = ();
}

impl Choices for PlayerProfile {
    type Kind = PlayerProfile;
    const DEFAULT: &'static str = "generic";
    const IS_KIND_OPTIONAL: bool = true;
    fn registry() -> &'static Registry<PlayerProfile> {
        static PLAYERS: LazyLock<Registry<PlayerProfile>> = LazyLock::new(player_profiles);
        &PLAYERS
    }
}

/// Surroundings of players.
#[derive(Debug)]
pub struct PlayerContext<'a> {
    /// Titles that they may play.
    pub titles: &'a [Arc<Title>],
    /// Address and port of the server.
    pub server: Endpoint,
    /// TCP options of connections.
    pub options: &'a TcpOptions,
}

impl PlayerContext<'_> {
    /// Checks what all players have: weights of the linear QoE, and viewing conditions.
    pub(super) fn check_scores(&self, qoe: &LinearWeights, viewing: &Viewing) -> Result<(), ParameterError> {
        qoe.validate().map_err(|error| error.under("qoe"))?;
        viewing.validate().map_err(|error| error.under("viewing"))
    }
}

/// Thresholds of a media element: it plays as soon as there is anything to play.
pub(super) const AT_ONCE: Thresholds =
    Thresholds { start_up: Duration::from_millis(1), rebuffer: Duration::from_millis(1) };

/// Checks that a duration is not zero.
pub(super) fn positive(key: &'static str, value: Duration) -> Result<(), ParameterError> {
    ParameterError::unless(!value.is_zero(), key, || "must be > 0, got 0 s".to_owned())
}
