//! The game's server: an update at each tick, while a player is there.

use jettison_core::{Duration, RandomStream, Time};
use jettison_measure::{Description, Unit, UnitKind};
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};
use jettison_tcp::Endpoint;

use super::{Command, GameParameters, Sizes, Update};
use crate::load::cbr::Gap;

/// A player of whom nothing has come for this long gets no more updates until something comes.
const SILENCE: Duration = Duration::from_secs(10);

/// Sends updates to the player whose command came last.
#[derive(Debug, Clone)]
pub struct GameServer {
    // Parameters.
    port: u16,
    traffic_class: u8,
    // State.
    socket: Option<SocketId>,
    sizes: Sizes,
    gap: Gap,
    phase: RandomStream,
    /// The next tick: the server's clock runs whether or not there is a player.
    tick: Time,
    player: Option<Player>,
    sequence: u64,
}

#[derive(Debug, Clone)]
struct Player {
    endpoint: Endpoint,
    newest: u64,
    heard: Time,
}

impl GameServer {
    /// Creates a server on `port`. The parameters are valid.
    pub fn new(
        parameters: &GameParameters,
        port: u16,
        traffic_class: u8,
        phase: RandomStream,
        sizes: RandomStream,
    ) -> GameServer {
        GameServer {
            port,
            traffic_class,
            socket: None,
            sizes: Sizes::new(parameters.update, parameters.spread, Update::LENGTH, sizes),
            gap: Gap::of_frequency(f64::from(parameters.updates)),
            phase,
            tick: Time::ZERO,
            player: None,
            sequence: 0,
        }
    }

    fn update(&mut self, now: Time, host: &mut dyn Sockets) {
        let (Some(socket), Some(player)) = (self.socket, &self.player) else { return };
        if now.since(player.heard) > SILENCE {
            self.player = None;
            return;
        }
        let update = Update { sequence: self.sequence, sent_at: now, answers: player.newest };
        host.describes(Description::new(Unit::new(UnitKind::Update, self.sequence, 0), 0));
        self.sequence += 1;
        let (head, length) = (update.emit(), self.sizes.draw());
        host.meter().sent();
        host.send_to(socket, player.endpoint, &Datagram { head, length, traffic_class: self.traffic_class });
    }
}

impl Application for GameServer {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(self.port));
        // Players join at any time between two ticks.
        self.tick = now + Duration::from_nanos(self.phase.uniform(0, self.gap.whole().as_nanos()));
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, _: &mut dyn Sockets) {
        let SocketEvent::Datagram { from, datagram, .. } = event else { return };
        let Some(Command { number }) = Command::parse(datagram.head.as_slice()) else { return };
        match &mut self.player {
            // A command that was overtaken is known already.
            Some(player) if player.endpoint == from => {
                player.newest = player.newest.max(number);
                player.heard = now;
            }
            _ => {
                while self.tick <= now {
                    self.tick += self.gap.advance();
                }
                self.player = Some(Player { endpoint: from, newest: number, heard: now });
            }
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while self.player.is_some() && self.tick <= now {
            self.update(now, host);
            self.tick += self.gap.advance();
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.player.is_some().then_some(self.tick)
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.player = None;
    }
}
