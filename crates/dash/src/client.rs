//! A single viewer: one player of one title, with series of its buffer level and frame rate.

use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_measure::{FlowMeter, metrics};
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Entry, ParameterError};

use super::content::Title;
use super::parameters::DashParameters;
use super::player::{Player, PlayerSetup};
use super::profile::PlayerContext;
use super::server::DashServer;
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator, Question, SocketEvent,
    SocketId, Sockets,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("dash", "DASH player", build)
        .style(VERMILION, Solid)
        .summary("adaptive streaming over HTTP/1.1 or HTTP/2: a server at `from`, a player at `to`")
        .source("ISO/IEC 23009-1; RFC 9112; RFC 9113")
        .page("dash.md")
        .facts(FlowFacts { initiator: Initiator::To, ..FlowFacts::over(&["tcp"]) })
}

fn build(parameters: DashParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let DashParameters { content, player, title } = parameters;
    let options = context.tcp()?;
    let titles = content.titles(context.files, context.random).map_err(|error| error.under("content"))?;
    let surroundings = PlayerContext { titles: &titles, server: context.server, options: &options };
    let setup = player.build(&surroundings).map_err(|error| error.under("player"))?;
    let place = (title.0 as usize).checked_sub(1).and_then(|place| titles.get(place));
    let Some(own) = place.cloned() else {
        let titles = format!("be at most {}, the number of titles", titles.len());
        return Err(ParameterError::must("title", &titles, title.0));
    };
    Ok(FlowApplications {
        from: Box::new(DashServer::new(context.server.port, options, titles, true)),
        to: Some(Box::new(DashClient::new(setup, own))),
    })
}

/// Interval between two samples of buffer level and frames.
pub(super) const SAMPLE: Duration = Duration::from_secs(1);

/// A DASH client.
#[derive(Debug, Clone)]
pub struct DashClient {
    setup: Arc<PlayerSetup>,
    title: Arc<Title>,
    player: Option<Player>,
    sample_at: Option<Time>,
    /// Whether representations of video are chosen from outside.
    is_steered: bool,
}

impl DashClient {
    /// Creates a client that plays `title`.
    pub fn new(setup: Arc<PlayerSetup>, title: Arc<Title>) -> DashClient {
        DashClient { setup, title, player: None, sample_at: None, is_steered: false }
    }

    fn owner(&mut self, socket: SocketId) -> Option<&mut Player> {
        self.player.as_mut().filter(|player| player.owns(socket))
    }
}

/// Returns the socket that an event concerns.
pub(super) fn socket_of(event: &SocketEvent) -> Option<SocketId> {
    match event {
        SocketEvent::Connected(socket)
        | SocketEvent::Readable(socket)
        | SocketEvent::Acknowledged(socket)
        | SocketEvent::PeerClosed(socket)
        | SocketEvent::Closed(socket, _) => Some(*socket),
        _ => None,
    }
}

impl Application for DashClient {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        let mut player = Player::new(Arc::clone(&self.setup), Arc::clone(&self.title), true, now);
        if self.is_steered {
            player = player.steered();
        }
        self.player.insert(player).start(now, host);
        self.sample_at = Some(now + SAMPLE);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let Some(socket) = socket_of(&event) else { return };
        match self.owner(socket) {
            Some(player) => player.handle_event(event, now, host),
            // A late event of an abandoned or finished connection.
            None if matches!(event, SocketEvent::PeerClosed(_)) => host.close(socket),
            None => {}
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(player) = &mut self.player else { return };
        if player.next_wakeup().is_some_and(|at| at <= now) {
            player.handle_wakeup(now, host);
        }
        if let Some(at) = self.sample_at.filter(|at| *at <= now) {
            let (buffer, frames) = player.sample(now, host.meter());
            host.meter().streaming().sampled(buffer, frames);
            host.point(metrics::BUFFER, now, buffer.as_secs_f64());
            if let Some(frames) = frames {
                host.point(metrics::FRAMES_PER_SECOND, now, frames);
            }
            // The last sample covers the second in which playback ended.
            self.sample_at = (!player.is_ended()).then(|| at + SAMPLE);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        let player = self.player.as_ref().and_then(Player::next_wakeup);
        [player, self.sample_at].into_iter().flatten().min()
    }

    fn stop(&mut self, now: Time, host: &mut dyn Sockets) {
        if let Some(mut player) = self.player.take() {
            player.stop(now, host);
        }
        self.sample_at = None;
    }

    fn finish(&mut self, now: Time, meter: &mut FlowMeter) {
        if let Some(player) = &mut self.player {
            player.end(now, meter);
        }
    }

    fn steer(&mut self) -> bool {
        self.is_steered = true;
        true
    }

    fn question(&self, out: &mut Question) -> bool {
        self.player.as_ref().is_some_and(|player| player.question(out))
    }

    fn decide(&mut self, answer: usize, now: Time, host: &mut dyn Sockets) {
        if let Some(player) = &mut self.player {
            player.decide(answer, now, host);
        }
    }
}
