//! Forks of the worlds of all shipped scenarios and of all components: a fork, its parent, and a run that was never interrupted
//! leave the same record.

use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, RandomStream, Seed, Time};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::schema::GaugeSettings;
use jettison_scenario::{Changes, Contents, NoFiles, Scenario, Settings};
use jettison_sim::{Script, World};

use super::catalogue::choosing;
use super::shipped::QUICK;

static NEVER: AtomicBool = AtomicBool::new(false);

/// A run that is built anew for each comparison.
struct Run<'a> {
    builder: &'a Builder,
    settings: Settings,
    contents: &'a Contents,
    /// Whether a script watches the queues.
    is_watched: bool,
    /// Name in messages.
    name: String,
}

impl Run<'_> {
    /// `None` if it is for live runs alone.
    fn world(&self) -> Option<World> {
        match self.builder.build(&self.settings, self.contents, 1, &BuildOptions::default()) {
            Ok(mut world) => {
                if self.is_watched {
                    world.set_script(Script::watching(None));
                }
                Some(world)
            }
            Err(error) if error.to_string().contains("only `jettison live`") => None,
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    fn end(&self) -> Time {
        Time::ZERO + self.settings.duration
    }

    fn finish(&self, mut world: World) -> Vec<u8> {
        world.run(self.end(), &NEVER);
        world.finish().to_bytes().expect("the series can be read")
    }

    /// Stops at random instants, forks at one of them, and compares.
    fn check(&self, random: &mut RandomStream) {
        let mut instants = [(); 3].map(|()| Time::from_nanos(random.uniform(0, self.end().as_nanos())));
        instants.sort_unstable();
        let (Some(mut parent), Some(whole)) = (self.world(), self.world()) else { return };
        parent.run_before(instants[0], &NEVER);
        parent.run_before(instants[1], &NEVER);
        let mut fork = parent.fork().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        // In turns: neither may disturb the other.
        fork.run(instants[2], &NEVER);
        let (parent, fork, whole) = (self.finish(parent), self.finish(fork), self.finish(whole));
        assert!(parent == whole, "{}: a run that was stopped at {instants:?} differs", self.name);
        assert!(fork == whole, "{}: a fork at {} differs", self.name, instants[1]);
    }
}

/// Checks variants of every scenario, spread over its axes.
fn check_scenarios(variants: usize, change: impl Fn(&mut Settings)) {
    let builder = Builder::standard();
    let mut random = Seed(23).stream(&["forks", "scenarios"]);
    for (path, scenario) in &*QUICK {
        let step = scenario.variants.len().div_ceil(variants);
        for (place, variant) in scenario.variants.iter().step_by(step).enumerate() {
            let mut settings = variant.settings.clone();
            settings.record.accounts |= place % 2 == 1;
            change(&mut settings);
            let name = format!("{}, {}", path.display(), variant.name);
            let is_watched = place % 3 == 1;
            Run { builder: &builder, settings, contents: &scenario.contents, is_watched, name }
                .check(&mut random);
        }
    }
}

#[test]
fn a_fork_of_every_scenario_continues_byte_by_byte() {
    check_scenarios(3, |settings| {
        settings.duration = settings.duration.min(Duration::from_millis(1_500));
        settings.warm_up = settings.warm_up.min(Duration::from_millis(400));
    });
}

#[test]
#[ignore = "minutes; `make experiments` runs it"]
fn a_fork_of_every_whole_run_continues_byte_by_byte() {
    check_scenarios(8, |_| {});
}

#[test]
fn a_fork_with_any_component_continues_byte_by_byte() {
    let builder = Builder::standard();
    let mut random = Seed(23).stream(&["forks", "components"]);
    for (name, scenarios) in choosing(&builder) {
        for scenario in scenarios.into_iter().flatten() {
            let mut settings = scenario.variants[0].settings.clone();
            settings.duration = Duration::from_millis(2_500);
            settings.gauges = Some(GaugeSettings::All(true));
            settings.record.accounts = true;
            let (name, is_watched) = (name.clone(), true);
            Run { builder: &builder, settings, contents: &scenario.contents, is_watched, name }
                .check(&mut random);
        }
    }
}

/// A bottleneck, behind a link that may lose packets.
const DRAWS: &str = r#"name = "draws"
duration = "3 s"
warm_up = "500 ms"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
loss = "LOSS"
[links.bottleneck]
between = ["r", "b"]
rate = "5 Mbit/s"
delay = "5 ms"
queue = "QUEUE"
reverse = { queue = "tail-drop" }
[flows.bulk]
from = "a"
to = "b"
app = "bulk"
count = 2
FLOW
"#;

const AT_ONCE: &str = "start_jitter = \"100 ms\"";

/// The records of forks at 1 s with some draws.
fn with_draws<const N: usize>([loss, queue, flow]: [&str; 3], draws: [u64; N]) -> [Vec<u8>; N] {
    let builder = Builder::standard();
    let text = DRAWS.replace("LOSS", loss).replace("QUEUE", queue).replace("FLOW", flow);
    let scenario = Scenario::parse(&text, "draws", &NoFiles, &Changes::default(), &builder.registries());
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let settings = scenario.variants[0].settings.clone();
    let (is_watched, name) = (false, queue.to_owned());
    let run = Run { builder: &builder, settings, contents: &scenario.contents, is_watched, name };
    let mut parent = run.world().expect("it is no live run");
    parent.run_before(Time::from_secs(1), &NEVER);
    draws.map(|draw| run.finish(parent.fork_with_fresh_draws(draw).expect("all parts can be copied")))
}

#[test]
fn fresh_draws_change_what_is_drawn_after_the_fork() {
    // BBR draws where a connection begins to probe: with a stream that the connection derives when it opens, after the fork.
    let later = "start = \"1.5 s\"\ntransport = { kind = \"tcp\", congestion = \"bbr\" }";
    for draws in [
        ["1 %", "tail-drop", AT_ONCE],
        ["0 %", "red", AT_ONCE],
        ["0 %", "pie", AT_ONCE],
        ["0 %", "ired", AT_ONCE],
        ["0 %", "tail-drop", later],
    ] {
        let [zero, again, one, same, two] = with_draws(draws, [0, 0, 1, 1, 2]);
        assert!(zero == again && one == same, "{draws:?}: equal draws give equal runs");
        assert!(zero != one && zero != two && one != two, "{draws:?}: other draws give other runs");
    }
}

#[test]
fn fresh_draws_change_nothing_where_nothing_is_drawn() {
    for queue in ["tail-drop", "codel", "fq-codel"] {
        let [zero, one] = with_draws(["0 %", queue, AT_ONCE], [0, 1]);
        assert!(zero == one, "{queue}");
    }
    let later = "start = \"1.5 s\"\ntransport = { kind = \"tcp\", congestion = \"newreno\" }";
    let [zero, one] = with_draws(["0 %", "tail-drop", later], [0, 1]);
    assert!(zero == one, "connections that open later");
}
