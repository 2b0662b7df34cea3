//! The value of the drops of an experiment, for those with a plan beside them.

use jettison_report::Results;
use jettison_run::default_threads;
use jettison_run::reproduce::Experiment;
use jettison_run::value::{FOLDER, Plan, Study, ValueError, brief, store, summarise};
use jettison_scenario::Scenario;
use jettison_scenario::build::Builder;

use super::run;
use crate::options::RunArguments;
use crate::output::{Failure, print_record, width};
use crate::progress::Bar;
use crate::screen::Screen;

/// Reads the plan of an experiment, if it has one, and checks it against the scenario.
pub fn plan(experiment: &Experiment, scenario: &Scenario, quick: bool) -> Result<Option<Plan>, Failure> {
    let Some(plan) = experiment.value_plan().map_err(Failure::of)? else { return Ok(None) };
    let plan = if quick { plan.quick() } else { plan };
    let file = experiment.path.with_extension("value.toml").display().to_string();
    for variant in &scenario.variants {
        plan.check(&file, &variant.settings).map_err(Failure::of)?;
    }
    Ok(Some(plan))
}

/// Measures the value of drops, adds it to the results, and prints it.
pub fn measure(
    plan: &Plan,
    scenario: &Scenario,
    builder: &Builder,
    results: &Results,
    options: &RunArguments,
    screen: &Screen,
) -> Result<(), Failure> {
    let threads = options.jobs.map_or_else(default_threads, usize::from);
    let bar = Bar::new(&format!("{}: value of drops", scenario.name));
    let study = Study {
        scenario,
        builder,
        plan,
        threads,
        cancel: run::cancelled(),
        progress: &|finished, all| {
            bar.show_share(finished as f64 / all.max(1) as f64, format!("{finished} of {all} runs"));
        },
    };
    let measured = study.run();
    drop(bar);
    let cells = measured.map_err(|error| match error {
        ValueError::Interrupted => Failure::Interrupted(format!("jettison: {error}")),
        other => Failure::of(other),
    })?;
    let summaries: Vec<_> = cells.iter().filter_map(summarise).collect();
    let failed = |error: std::io::Error| Failure::of(format!("{}: {error}", results.folder.display()));
    store(&results.folder, &scenario.name, &cells, &summaries).map_err(failed)?;
    Results::load(&results.folder).and_then(|results| results.adopt(FOLDER)).map_err(Failure::of)?;
    if options.json {
        return summaries.iter().try_for_each(print_record);
    }
    let tables = results.folder.join(FOLDER).join("tables.md");
    let text = brief(&summaries, width(), options.show.all);
    let text = format!("\n{text}All measures, arms and classes of drops: {}\n", tables.display());
    // Two counts of rows and claims follow.
    screen.print_cut(&text, screen.room(2), "the value of drops")
}
