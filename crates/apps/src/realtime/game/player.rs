//! The player's program: sends commands, and measures when updates come and what they answer.

use std::collections::VecDeque;

use jettison_core::{Duration, RandomStream, Time};
use jettison_measure::{Description, Unit, UnitKind, metrics};
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};
use jettison_tcp::Endpoint;

use super::{Command, GameParameters, Sizes, Update};
use crate::load::cbr::Gap;

/// Commands that may wait for an answer; of more the oldest are forgotten. At 64 a second that is after 17 minutes.
const MOST_OPEN: usize = 1 << 16;

/// Sends commands at a steady rate.
#[derive(Debug, Clone)]
pub struct GamePlayer {
    // Parameters.
    server: Endpoint,
    traffic_class: u8,
    deadlines: Vec<Duration>,
    // State.
    socket: Option<SocketId>,
    sizes: Sizes,
    gap: Gap,
    /// Number of the next command.
    number: u64,
    /// Times of the commands without an answer, the newest being that before `number`.
    open: VecDeque<Time>,
    next: Option<Time>,
}

impl GamePlayer {
    /// Creates a player at `server`. The parameters are valid.
    pub fn new(
        parameters: &GameParameters,
        server: Endpoint,
        traffic_class: u8,
        sizes: RandomStream,
    ) -> GamePlayer {
        GamePlayer {
            server,
            traffic_class,
            deadlines: parameters.deadlines.clone(),
            socket: None,
            sizes: Sizes::new(parameters.command, parameters.spread, Command::LENGTH, sizes),
            gap: Gap::of_frequency(f64::from(parameters.commands)),
            number: 0,
            open: VecDeque::new(),
            next: None,
        }
    }

    /// Ends the wait of all commands up to `answers`: a later command repeats what an earlier one said, so it answers both.
    fn answered(&mut self, answers: u64, now: Time, host: &mut dyn Sockets) {
        // The server cannot know of a command that was not sent; `number` is that of the next one.
        let known = self.number.saturating_sub(answers.saturating_add(1)) as usize;
        while self.open.len() > known {
            let Some(sent_at) = self.open.pop_front() else { return };
            host.meter().record(metrics::RESPONSE_TIME, now.since(sent_at));
        }
    }
}

impl Application for GamePlayer {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(0));
        host.meter().watch_deadlines(&self.deadlines);
        self.next = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        let Some(update) = Update::parse(datagram.head.as_slice()) else { return };
        let meter = host.meter();
        meter.delivered(u64::from(datagram.length));
        meter.received(update.sequence, update.sent_at, now);
        meter.sample_arrived((UnitKind::Update, update.sequence), update.sent_at, now);
        self.answered(update.answers, now, host);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let (Some(socket), Some(at)) = (self.socket, self.next.filter(|at| *at <= now)) {
            let head = Command { number: self.number }.emit();
            let datagram = Datagram { head, length: self.sizes.draw(), traffic_class: self.traffic_class };
            host.describes(Description::new(Unit::new(UnitKind::Command, self.number, 0), 0));
            host.send_to(socket, self.server, &datagram);
            self.number += 1;
            if self.open.len() == MOST_OPEN {
                self.open.pop_front();
            }
            self.open.push_back(now);
            self.next = Some(at + self.gap.advance());
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}
