//! A queue discipline of your own, beside the built-in ones in a scenario.
//!
//! ```sh
//! cargo run -p jettison-examples --bin new_discipline
//! ```
//!
//! `drop-front` is a FIFO queue that drops its oldest packet when it is full, where tail drop drops the arrival. Both drop as
//! much. But what leaves a full tail-drop queue has waited for `limit` departures, and what leaves `drop-front` only for
//! `limit` arrivals, which are quicker.
//!
//! To add a discipline to Jettison itself, put the same code in a file of `crates/queue/src` and add its line to the list there
//! (CONTRIBUTING.md): then it is in `jettison list`, in the schema, and in the tests that hold for every discipline.

#![forbid(unsafe_code)]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use jettison_core::{DropReason, Time};
use jettison_measure::{Outcomes, metrics};
use jettison_queue::entry::{BuildContext, Discipline};
use jettison_queue::{Backlog, Fifo, Limit, QueueDiscipline};
use jettison_registry::{Entry, ParameterError};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::Deserialize;

/// Parameters: what scenario files write beside `kind`. Units are part of the types; unknown keys are errors.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(default, deny_unknown_fields)]
struct DropFrontParameters {
    /// Buffer limit in packets, bytes or both.
    limit: Limit,
}

/// Self-description: what scenario files, tables and legends call it, and how it is built.
fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("drop-front", "drop front", build)
        .summary("One FIFO queue that drops its oldest packet when it is full")
}

/// Builds it. A parameter out of range is an error here (`ParameterError::require`), which then names file, line and key.
fn build(
    parameters: DropFrontParameters,
    _: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(DropFront { limit: parameters.limit, fifo: Fifo::default() }))
}

/// The discipline: a state machine without I/O. Time is an argument, and every drop is reported to `out` with its reason.
#[derive(Clone)]
struct DropFront {
    limit: Limit,
    fifo: Fifo,
}

impl QueueDiscipline for DropFront {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        while !self.limit.admits(self.fifo.backlog(), packet.meta.length) {
            match self.fifo.pop() {
                Some(oldest) => out.dropped(oldest, DropReason::BufferFull, now),
                // A packet larger than the whole buffer.
                None => return out.dropped(packet, DropReason::BufferFull, now),
            }
        }
        self.fifo.push(packet, now);
    }

    fn dequeue(&mut self, _: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        self.fifo.pop()
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

/// 12 Mbit/s of UDP through a link of 10 Mbit/s, once per discipline.
const SCENARIO: &str = r#"
name = "new-discipline"
duration = "10 s"
warm_up = "1 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.l]
between = ["a", "b"]
rate = "10 Mbit/s"
queue = "tail-drop"

[flows.stream]
from = "a"
to = "b"
app = { kind = "cbr", rate = "12 Mbit/s" }

[[vary]]
name = "queue"
path = "links.l.queue"
values = [
    { kind = "tail-drop", limit = "100 packets" },
    { kind = "drop-front", limit = "100 packets" },
]
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = Builder::standard();
    builder.disciplines_mut().register(entry());

    // Checks the text: each error has its line, and a misspelt key the nearest right one.
    let registries = builder.registries();
    let scenario =
        Scenario::parse(SCENARIO, "new-discipline.toml", &NoFiles, &Changes::default(), &registries)?;

    let mut results = Vec::new();
    for variant in &scenario.variants {
        let seed = scenario.seeds[0];
        let mut world =
            builder.build(&variant.settings, &scenario.contents, seed, &BuildOptions::default())?;
        world.run(Time::ZERO + variant.settings.duration, &AtomicBool::new(false));
        let record = world.finish();
        let owd = record.summary_value("stream", metrics::OWD).ok_or("the flow must have a one-way delay")?;
        results.push(format!("{} {:.0} ms", variant.labels["queue"], owd.mean));
    }
    println!("mean one-way delay: {}", results.join(", "));
    Ok(())
}
