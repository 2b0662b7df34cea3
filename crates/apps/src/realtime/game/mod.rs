//! An online game such as a first-person shooter: small datagrams at a steady rate in both directions.
//!
//! The player's program sends commands (what keys and mouse do), the server its updates (what of the world has changed), each at a
//! rate of its own. An update says which command was the newest that the server knew. Nothing is sent again: the next command
//! repeats what the server has not yet confirmed, and the next update replaces the one before. What a player feels is how long it
//! takes until the world answers (response time), and updates that come too late or not at all.

mod message;
mod player;
mod server;

use jettison_core::{Bytes, Duration};
use jettison_registry::style::{Line::Dashed, MINT};
use jettison_registry::{Entry, ParameterError, check_deadlines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator};
use message::{Command, Sizes, Update};
pub use player::GamePlayer;
pub use server::GameServer;

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("game", "online game", build)
        .style(MINT, Dashed)
        .summary("a first-person shooter: updates from the server, commands of a player at `to`")
        .source("Valve, Source Multiplayer Networking; IEEE 802.11-18/2009r6 §4.1")
        .page("applications.md")
        .facts(FlowFacts { initiator: Initiator::To, ..FlowFacts::over(&["udp"]) })
}

fn build(parameters: GameParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    parameters.validate()?;
    let (tick, updates) = ((context.random)("tick"), (context.random)("updates"));
    let server = GameServer::new(&parameters, context.server.port, traffic_class, tick, updates);
    let player = GamePlayer::new(&parameters, context.server, traffic_class, (context.random)("commands"));
    Ok(FlowApplications { from: Box::new(server), to: Some(Box::new(player)) })
}

/// Parameters of `game`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GameParameters {
    /// Updates per second, the server's tick rate, 1 to 1,000.
    pub updates: u32,
    /// Mean UDP payload of an update, >= 24 bytes.
    pub update: Bytes,
    /// Commands per second, 1 to 1,000.
    pub commands: u32,
    /// Mean UDP payload of a command, >= 8 bytes.
    pub command: Bytes,
    /// Coefficient of variation of both sizes, 0 to 0.3: a normal distribution, cut at three standard deviations.
    pub spread: f64,
    /// Deadlines of updates, from sending to arrival: for each one the player counts the updates that arrive later.
    pub deadlines: Vec<Duration>,
}

impl Default for GameParameters {
    fn default() -> GameParameters {
        GameParameters {
            // Sizes of 30 to 500 bytes, larger downstream, together between 100 kbit/s and 1 Mbit/s.
            updates: 64,
            update: Bytes::new(300),
            commands: 64,
            command: Bytes::new(100),
            spread: 0.2,
            deadlines: [50, 100].map(Duration::from_millis).to_vec(),
        }
    }
}

/// Maximum number of updates or commands per second.
const MOST_PER_SECOND: u32 = 1_000;
/// Maximum mean payload: three standard deviations above, it still fits a datagram.
const LARGEST: u64 = 30_000;

impl GameParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, rate) in [("updates", self.updates), ("commands", self.commands)] {
            let holds = (1..=MOST_PER_SECOND).contains(&rate);
            ParameterError::require(holds, key, &format!("be in [1, {MOST_PER_SECOND}] per second"), rate)?;
        }
        let heads = [("update", self.update, Update::LENGTH), ("command", self.command, Command::LENGTH)];
        for (key, size, least) in heads {
            let holds = (least as u64..=LARGEST).contains(&size.get());
            ParameterError::require(holds, key, &format!("be {least} to {LARGEST} bytes"), size)?;
        }
        let holds = (0.0..=0.3).contains(&self.spread);
        ParameterError::require(holds, "spread", "be in [0, 0.3]", self.spread)?;
        check_deadlines(&self.deadlines)
    }
}

#[cfg(test)]
mod tests;
