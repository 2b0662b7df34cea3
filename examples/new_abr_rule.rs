//! An adaptation rule (ABR) of your own, in a DASH player beside the built-in rules.
//!
//! ```sh
//! cargo run -p jettison-examples --bin new_abr_rule
//! ```
//!
//! The rule chooses one representation higher for each 5 s in the buffer. The program registers an application, `my-dash`: the
//! player of `dash` with this rule in it. Whatever `dash` can be given (titles, buffer, start-up, …), `my-dash` can be given too.
//!
//! To add a rule to Jettison itself, put it in a file of `crates/dash/src/abr` with an `entry()` and add its line to the list
//! there (CONTRIBUTING.md): then scenarios choose it as `player.abr`, and it is in the tests that hold for every rule.

#![forbid(unsafe_code)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, Time};
use jettison_dash::abr::{AbrRule, AbrState, Choice};
use jettison_dash::player::RuleFactory;
use jettison_dash::profile::PlayerContext;
use jettison_dash::{DashClient, DashParameters, DashServer};
use jettison_measure::metrics;
use jettison_registry::{Entry, ParameterError};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator};

/// The rule: representation 0 below 5 s of media, 1 below 10 s, and so on.
///
/// Rules are told of each download (`on_segment`) and of its progress (`on_progress`) too; this one needs neither.
#[derive(Debug, Clone)]
struct Steps;

impl AbrRule for Steps {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        let step = state.buffer.as_nanos() / Duration::from_secs(5).as_nanos();
        let highest = state.set.representations.len() - 1;
        Choice::now(highest.min(step as usize))
    }
}

/// Self-description of the application. Its `to` end begins: the player asks the server at `from`.
fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("my-dash", "DASH with steps", build)
        .summary("A DASH player with a rule of its own")
        .facts(FlowFacts { initiator: Initiator::To, ..FlowFacts::over(&["tcp"]) })
}

/// Builds server and player from the parameters of `dash`; the rule takes the place of `player.abr`.
fn build(parameters: DashParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let options = context.tcp()?;
    let titles =
        parameters.content.titles(context.files, context.random).map_err(|error| error.under("content"))?;
    let surroundings = PlayerContext { titles: &titles, server: context.server, options: &options };
    let setup = parameters.player.build(&surroundings);
    let mut setup = setup.map_err(|error| error.under("player"))?;
    // One rule per player and kind of media.
    Arc::make_mut(&mut setup).rule = RuleFactory::new(|_| Box::new(Steps));
    let title = Arc::clone(&titles[0]);
    Ok(FlowApplications {
        from: Box::new(DashServer::new(context.server.port, options, titles, true)),
        to: Some(Box::new(DashClient::new(setup, title))),
    })
}

/// A viewer behind 2 Mbit/s, with the default rule and with ours.
const SCENARIO: &str = r#"
name = "new-abr-rule"
duration = "120 s"

[nodes]
server = { kind = "host" }
viewer = { kind = "host" }

[links.access]
between = ["server", "viewer"]
rate = "2 Mbit/s"
delay = "20 ms"

[flows.film]
from = "server"
to = "viewer"
app = "dash"

[[vary]]
name = "player"
path = "flows.film.app"
values = ["dash", "my-dash"]
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = Builder::standard();
    builder.applications_mut().register(entry());

    // Checks the text: each error has its line, and a misspelt key the nearest right one.
    let registries = builder.registries();
    let scenario =
        Scenario::parse(SCENARIO, "new-abr-rule.toml", &NoFiles, &Changes::default(), &registries)?;

    let mut results = Vec::new();
    for variant in &scenario.variants {
        let seed = scenario.seeds[0];
        let mut world =
            builder.build(&variant.settings, &scenario.contents, seed, &BuildOptions::default())?;
        world.run(Time::ZERO + variant.settings.duration, &AtomicBool::new(false));
        let record = world.finish();
        let value = |metric| record.summary_value("film", metric).map_or(f64::NAN, |value| value.mean);
        let (rate, switches) = (value(metrics::SEGMENT_RATE), value(metrics::SWITCHES));
        results.push(format!("{} {rate:.0} kbit/s, {switches} switches", variant.labels["player"]));
    }
    println!("mean segment rate: {}", results.join("; "));
    Ok(())
}
