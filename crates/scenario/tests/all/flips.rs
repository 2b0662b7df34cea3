//! Flips in the worlds of shipped scenarios: a run that goes on from a fork with one decision changed leaves the record of a
//! run with that change in its script from the start.

use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, RandomStream, Seed, Time};
use jettison_scenario::Scenario;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_sim::{Intervention, Script, World};

use super::shipped::QUICK;

static NEVER: AtomicBool = AtomicBool::new(false);
/// Attempts for each run: some have no drop.
const ATTEMPTS: usize = 100;
/// Changes of each run.
const CHANGES: usize = 4;
/// Instants at which packets are looked for that wait.
const STEPS: u64 = 10;

/// A variant of a scenario, cut to a few seconds.
struct Run<'a> {
    builder: &'a Builder,
    scenario: &'a Scenario,
    variant: usize,
    seed: u64,
    end: Time,
}

impl Run<'_> {
    /// `None` if it is for live runs alone.
    fn world(&self, script: Script) -> Option<World> {
        let variant = &self.scenario.variants[self.variant];
        let mut settings = variant.settings.clone();
        settings.duration = self.end.since(Time::ZERO);
        settings.warm_up = settings.warm_up.min(Duration::from_millis(400));
        let contents = &self.scenario.contents;
        let built = self.builder.build(&settings, contents, self.seed, &BuildOptions::default());
        let mut world = built.ok()?;
        world.set_script(script);
        Some(world)
    }

    fn name(&self) -> String {
        format!("{} {} (seed {})", self.scenario.file, self.scenario.variants[self.variant].name, self.seed)
    }

    /// Ends a run; its record as bytes.
    fn record(&self, mut world: World) -> Vec<u8> {
        world.run(self.end, &NEVER);
        world.finish().to_bytes().expect("the series can be read")
    }

    /// The same, forked at an instant after a run that was only watched, with an intervention added there.
    fn forked(&self, at: Time, intervention: &Intervention) -> Vec<u8> {
        let mut parent = self.world(Script::watching(None)).expect("it was built before");
        parent.run_before(at, &NEVER);
        let mut fork = parent.fork().unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        fork.intervene(intervention.clone());
        if let Some(script) = fork.script_mut() {
            script.stop_watching();
        }
        self.record(fork)
    }

    /// Reverts a random drop or mark. Returns whether there was one that can be reverted.
    fn flips(&self, random: &mut RandomStream) -> bool {
        let Some(mut base) = self.world(Script::watching(None)) else { return false };
        base.run(self.end, &NEVER);
        if base.decisions() == 0 {
            return false;
        }
        let flip = Intervention::Flip { decision: random.uniform(0, base.decisions() - 1) };
        let Some(mut whole) = self.world(Script::new().with(flip.clone())) else { return false };
        whole.run(self.end, &NEVER);
        let reverted = whole.script().and_then(|script| script.reverted().first().copied());
        let Some(reverted) = reverted else { return false };
        let whole = whole.finish().to_bytes().expect("the series can be read");
        assert!(self.forked(reverted.at, &flip) == whole, "{}: {reverted:?}", self.name());
        // An instant before is as good.
        let early = Time::from_nanos(random.uniform(0, reverted.at.as_nanos()));
        assert!(self.forked(early, &flip) == whole, "{}: {reverted:?} from {early}", self.name());
        true
    }

    /// Drops a random packet that waits. Returns whether there was one.
    fn drops(&self, random: &mut RandomStream) -> bool {
        let Some(mut base) = self.world(Script::watching(None)) else { return false };
        let queues = 0..base.direction_names().count() as u32;
        let mut found: Vec<(Time, u32, u32)> = Vec::new();
        for step in 1..STEPS {
            let at = Time::from_nanos(self.end.as_nanos() / STEPS * step);
            base.run_before(at, &NEVER);
            let Some(script) = base.script() else { return false };
            found.extend(
                queues
                    .clone()
                    .flat_map(|queue| script.waiting(queue).map(move |(packet, _)| (at, queue, packet))),
            );
        }
        if found.is_empty() {
            return false;
        }
        let (at, queue, packet) = found[random.uniform(0, found.len() as u64 - 1) as usize];
        let drop = Intervention::Drop { queue, packet, on_arrival: false };
        let whole = self.world(Script::new().with(drop.clone())).expect("it was built before");
        assert!(self.forked(at, &drop) == self.record(whole), "{}: {drop:?} at {at}", self.name());
        true
    }
}

/// Checks `count` changes in random runs.
fn check(count: usize, longest: Duration) {
    let builder = Builder::standard();
    // Thousands of flows show no more than ten.
    let all: Vec<&Scenario> = QUICK
        .iter()
        .filter(|(path, _)| !path.display().to_string().contains("/reference/"))
        .map(|(_, scenario)| scenario)
        .collect();
    let mut random = Seed(23).stream(&["flips"]);
    for _ in 0..count / CHANGES {
        let found = (0..ATTEMPTS).any(|_| {
            let scenario = all[random.uniform(0, all.len() as u64 - 1) as usize];
            let variant = random.uniform(0, scenario.variants.len() as u64 - 1) as usize;
            let duration = scenario.variants[variant].settings.duration.min(longest);
            let run = Run {
                builder: &builder,
                scenario,
                variant,
                seed: random.uniform(1, 1_000),
                end: Time::ZERO + duration,
            };
            let flips = (1..CHANGES).all(|_| run.flips(&mut random));
            flips && run.drops(&mut random)
        });
        assert!(found, "no run had anything to change");
    }
}

#[test]
fn twenty_changes_from_a_fork_are_those_of_the_whole_run() {
    check(20, Duration::from_secs(2));
}

#[test]
#[ignore = "minutes; `make experiments` runs it"]
fn two_hundred_changes_from_a_fork_are_those_of_the_whole_run() {
    check(200, Duration::from_secs(10));
}
