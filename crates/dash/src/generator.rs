//! Load of viewers whose number follows a sinusoid, after the load generator published by the authors of iRED.
//!
//! λ(t) = mean + amplitude · sin(2πt / period). At Poisson instants of rate λ(t) per minute the number of active
//! players moves by one towards ⌈λ(t)⌉: a new player starts a random title, or the oldest one leaves. By default λ is
//! both the intensity of the steps and their target; `steps` sets another intensity.

use std::collections::VecDeque;
use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Time};
use jettison_measure::{FlowMeter, metrics};
use jettison_registry::style::{Line::Dashed, SALMON};
use jettison_registry::{Entry, ParameterError};

use super::client::{SAMPLE, socket_of};
use super::content::Title;
use super::parameters::DashLoadParameters;
use super::player::{Player, PlayerSetup};
use super::profile::PlayerContext;
use super::server::DashServer;
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator, SocketEvent, Sockets,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("dash-load", "DASH players", build)
        .style(SALMON, Dashed)
        .summary("players that come and go as a sinusoid, each on a random title of a catalogue")
        .source("the load generator published by the authors of iRED")
        .page("applications.md")
        .facts(FlowFacts { initiator: Initiator::To, ..FlowFacts::over(&["tcp"]) })
}

fn build(
    parameters: DashLoadParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let DashLoadParameters { content, player, .. } = &parameters;
    let options = context.tcp()?;
    let load = parameters.load()?;
    let titles = content.titles(context.files, context.random).map_err(|error| error.under("content"))?;
    let surroundings = PlayerContext { titles: &titles, server: context.server, options: &options };
    let setup = player.build(&surroundings).map_err(|error| error.under("player"))?;
    let (steps, choice) = ((context.random)("steps"), (context.random)("titles"));
    Ok(FlowApplications {
        from: Box::new(DashServer::new(context.server.port, options, titles.clone(), false)),
        to: Some(Box::new(DashLoad::new(setup, titles, load, steps, choice))),
    })
}

/// The sinusoid λ(t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinusoid {
    /// Mean number of players.
    pub mean: f64,
    /// Amplitude in players; at most the mean.
    pub amplitude: f64,
    /// Period.
    pub period: Duration,
    /// Steps per minute while λ is at its mean.
    pub steps: f64,
}

impl Sinusoid {
    /// Returns λ at time `since` after its start.
    pub fn at(&self, since: Duration) -> f64 {
        let turns = since.as_secs_f64() / self.period.as_secs_f64();
        self.mean + self.amplitude * libm::sin(std::f64::consts::TAU * turns)
    }

    /// Returns the next instant after `since` of a Poisson process of rate λ·steps/mean per minute, by thinning (Lewis
    /// & Shedler 1979).
    fn next_step(&self, mut since: Duration, random: &mut RandomStream) -> Duration {
        let most = self.mean + self.amplitude;
        let rate = most * (self.steps / self.mean);
        loop {
            // At least 1 ns, so that time advances.
            let gap = Duration::from_secs_f64(random.exponential(60.0 / rate)).max(Duration::from_nanos(1));
            since += gap;
            if random.chance(self.at(since) / most) {
                return since;
            }
        }
    }
}

/// Load generator: starts and stops players.
#[derive(Debug, Clone)]
pub struct DashLoad {
    // Parameters.
    setup: Arc<PlayerSetup>,
    titles: Vec<Arc<Title>>,
    load: Sinusoid,
    steps: RandomStream,
    choice: RandomStream,
    // State.
    began: Time,
    /// Oldest first.
    players: VecDeque<Viewer>,
    /// Players started so far.
    sessions: u32,
    step_at: Option<Time>,
    sample_at: Option<Time>,
}

#[derive(Debug, Clone)]
struct Viewer {
    player: Player,
    since: Time,
    /// Latest result of [`Player::next_wakeup`].
    next: Time,
}

impl Viewer {
    fn plan(&mut self) {
        self.next = self.player.next_wakeup().unwrap_or(Time::MAX);
    }
}

impl DashLoad {
    /// Creates a load of the given titles; the stream `steps` draws the instants, `choice` the titles.
    pub fn new(
        setup: Arc<PlayerSetup>,
        titles: Vec<Arc<Title>>,
        load: Sinusoid,
        steps: RandomStream,
        choice: RandomStream,
    ) -> DashLoad {
        DashLoad {
            setup,
            titles,
            load,
            steps,
            choice,
            began: Time::ZERO,
            players: VecDeque::new(),
            sessions: 0,
            step_at: None,
            sample_at: None,
        }
    }

    fn step(&mut self, at: Time, now: Time, host: &mut dyn Sockets) {
        let since = at.since(self.began);
        let target = libm::ceil(self.load.at(since)) as usize;
        if self.players.len() < target {
            let place = self.choice.uniform(0, self.titles.len() as u64 - 1) as usize;
            let mut player =
                Player::new(Arc::clone(&self.setup), Arc::clone(&self.titles[place]), false, now);
            self.sessions += 1;
            player = player.in_session(self.sessions);
            player.start(now, host);
            let mut viewer = Viewer { player, since: now, next: Time::MAX };
            viewer.plan();
            self.players.push_back(viewer);
        } else if self.players.len() > target
            && let Some(mut oldest) = self.players.pop_front()
        {
            oldest.player.stop(now, host);
        }
        self.step_at = Some(self.began + self.load.next_step(since, &mut self.steps));
    }

    /// Samples means over the players that were active for the whole second.
    fn sample(&mut self, now: Time, host: &mut dyn Sockets) {
        let (mut count, mut shown, mut buffers, mut pictures) = (0_u32, 0_u32, 0.0, 0.0);
        for viewer in &mut self.players {
            let (buffer, frames) = viewer.player.sample(now, host.meter());
            viewer.plan();
            if now.since(viewer.since) >= SAMPLE {
                host.meter().streaming().sampled(buffer, frames);
                count += 1;
                buffers += buffer.as_secs_f64();
                pictures += frames.unwrap_or(0.0);
                shown += u32::from(frames.is_some());
            }
        }
        host.meter().streaming().players(self.players.len());
        host.point(metrics::ACTIVE_PLAYERS, now, self.players.len() as f64);
        if count > 0 {
            host.point(metrics::BUFFER, now, buffers / f64::from(count));
        }
        if shown > 0 {
            host.point(metrics::FRAMES_PER_SECOND, now, pictures / f64::from(shown));
        }
    }

    /// Removes players whose title has ended; later steps start others.
    fn remove_ended(&mut self, now: Time, host: &mut dyn Sockets) {
        let mut at = 0;
        while at < self.players.len() {
            if self.players[at].player.is_ended()
                && let Some(mut viewer) = self.players.remove(at)
            {
                viewer.player.stop(now, host);
            } else {
                at += 1;
            }
        }
    }
}

impl Application for DashLoad {
    fn start(&mut self, now: Time, _: &mut dyn Sockets) {
        self.began = now;
        self.step_at = Some(now + self.load.next_step(Duration::ZERO, &mut self.steps));
        self.sample_at = Some(now + SAMPLE);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let Some(socket) = socket_of(&event) else { return };
        match self.players.iter_mut().find(|viewer| viewer.player.owns(socket)) {
            Some(viewer) => {
                viewer.player.handle_event(event, now, host);
                viewer.plan();
            }
            None if matches!(event, SocketEvent::PeerClosed(_)) => host.close(socket),
            None => {}
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        for viewer in self.players.iter_mut().filter(|viewer| viewer.next <= now) {
            viewer.player.handle_wakeup(now, host);
            viewer.plan();
        }
        while let Some(at) = self.step_at.filter(|at| *at <= now) {
            self.step(at, now, host);
        }
        if let Some(at) = self.sample_at.filter(|at| *at <= now) {
            self.sample(now, host);
            self.remove_ended(now, host);
            self.sample_at = Some(at + SAMPLE);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        let players = self.players.iter().map(|viewer| viewer.next).min().filter(|at| *at != Time::MAX);
        [players, self.step_at, self.sample_at].into_iter().flatten().min()
    }

    fn stop(&mut self, now: Time, host: &mut dyn Sockets) {
        for mut viewer in self.players.drain(..) {
            viewer.player.stop(now, host);
        }
        self.step_at = None;
        self.sample_at = None;
    }

    fn finish(&mut self, now: Time, meter: &mut FlowMeter) {
        for viewer in &mut self.players {
            viewer.player.end(now, meter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Seed;

    const LOAD: Sinusoid =
        Sinusoid { mean: 25.0, amplitude: 10.0, period: Duration::from_secs(120), steps: 25.0 };

    #[test]
    fn lambda_swings_between_15_and_35_in_two_minutes() {
        assert_eq!(LOAD.at(Duration::ZERO), 25.0);
        assert!((LOAD.at(Duration::from_secs(30)) - 35.0).abs() < 1e-9);
        assert!((LOAD.at(Duration::from_secs(90)) - 15.0).abs() < 1e-9);
    }

    #[test]
    fn steps_occur_at_the_rate_of_lambda() {
        // Over whole periods the mean rate is 25 a minute; in a period's first half it is 25 + 20/π.
        let mut random = Seed(1).stream(&["steps"]);
        let (mut at, mut all, mut first_half) = (Duration::ZERO, 0.0, 0.0);
        let periods = 500.0;
        loop {
            at = LOAD.next_step(at, &mut random);
            if at.as_secs_f64() >= 120.0 * periods {
                break;
            }
            all += 1.0;
            first_half += f64::from(u8::from(at.as_secs_f64() % 120.0 < 60.0));
        }
        assert!((all / periods / 2.0 - 25.0).abs() < 0.5, "{}", all / periods / 2.0);
        let expected = 25.0 + 20.0 / std::f64::consts::PI;
        assert!((first_half / periods - expected).abs() < 0.7, "{}", first_half / periods);
    }

    #[test]
    fn steps_may_be_more_than_players() {
        let load = Sinusoid { steps: 250.0, ..LOAD };
        let mut random = Seed(1).stream(&["steps"]);
        let (mut at, mut all) = (Duration::ZERO, 0.0);
        while at < Duration::from_secs(120 * 50) {
            at = load.next_step(at, &mut random);
            all += 1.0;
        }
        assert!((all / 100.0 - 250.0_f64).abs() < 5.0, "{}", all / 100.0);
    }
}
