//! What flips cost: each reverts one drop in a fork of a world, which goes on for a while.

use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, Time};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_sim::{Intervention, Script, World};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading};

/// 60 s with 20 flows of several kinds through one queue.
const TEXT: &str = r#"name = "flips"
duration = "60 s"
[nodes]
s = { kind = "host" }
r = { kind = "router" }
d = { kind = "host" }
[links.access]
between = ["s", "r"]
rate = "100 Mbit/s"
delay = "1 ms"
[links.bottleneck]
between = ["r", "d"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "fq-codel"
[flows.viewer]
from = "s"
to = "d"
app = "dash"
count = 4
[flows.call]
from = "s"
to = "d"
app = { kind = "cbr", rate = "300 kbit/s" }
count = 6
[flows.bulk]
from = "s"
to = "d"
app = "bulk"
count = 10
"#;
/// How long each fork goes on.
const HORIZON: Duration = Duration::from_secs(10);
/// Flips that are measured; the time of a thousand follows.
const FLIPS: u64 = 100;
/// The requirement: a thousand flips in at most 5 minutes on two cores.
const ALL: f64 = 1_000.0;
const CORES: f64 = 2.0;
const SECONDS: f64 = 300.0;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    vec![Benchmark {
        group: "forks",
        name: "1000-flips-20-flows".to_owned(),
        unit: "s on 2 cores",
        required: Some(SECONDS),
        better: Better::Lower,
        measure: Box::new(|| {
            let (run, flip) = flips(FLIPS)?;
            let note = format!("from {FLIPS} flips; horizon 10 s");
            Ok(Reading { value: Some((run + ALL * flip) / CORES), instructions: None, note: Some(note) })
        }),
    }]
}

/// CPU seconds of the run alone, and of a flip.
fn flips(count: u64) -> Result<(f64, f64), String> {
    let builder = Builder::standard();
    let (changes, registries) = (Changes::default(), builder.registries());
    let scenario =
        Scenario::parse(TEXT, "flips", &NoFiles, &changes, &registries).map_err(|error| error.to_string())?;
    let settings = &scenario.variants[0].settings;
    let end = Time::ZERO + settings.duration;
    let never = AtomicBool::new(false);
    let world = || -> Result<World, String> {
        let world = builder.build(settings, &scenario.contents, 1, &BuildOptions::default());
        let mut world = world.map_err(|failure| failure.to_string())?;
        let queue = world.queue_named("bottleneck.forward").ok_or("the scenario has that link")?;
        world.set_script(Script::watching(Some(vec![queue])));
        Ok(world)
    };
    let stopwatch = CpuStopwatch::start();
    let mut whole = world()?;
    whole.run(end, &never);
    let run = stopwatch.elapsed().as_secs_f64();
    // At equal distances, so that early and late ones are among them.
    let mut base = world()?;
    let mut spent = 0.0;
    for number in 0..count {
        base.run_before(Time::from_nanos(end.as_nanos() * (number + 1) / (count + 1)), &never);
        let decision = base.decisions();
        let stopwatch = CpuStopwatch::start();
        let mut fork = base.fork().map_err(|error| error.to_string())?;
        fork.intervene(Intervention::Flip { decision });
        if let Some(script) = fork.script_mut() {
            script.stop_watching();
        }
        fork.run(base.now().saturating_add(HORIZON).min(end), &never);
        drop(fork.finish());
        spent += stopwatch.elapsed().as_secs_f64();
    }
    Ok((run, spent / count as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_has_drops_to_flip() {
        let (run, flip) = flips(1).unwrap();
        assert!(run > 0.0 && flip > 0.0);
    }
}
