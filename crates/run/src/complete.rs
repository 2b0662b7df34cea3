//! Results that are there already: of exactly the runs that were asked for.

use jettison_report::{Manifest, Mode, Results, Status, stored_manifest};
use jettison_scenario::Scenario;
use jettison_scenario::build::Builder;

use crate::durable::keys_of;
use crate::experiment::{RunOptions, describe, jobs};
use crate::notice::Notice;

/// The results in the output folder if they are complete, undamaged, and what these options would write.
///
/// Keys say that the runs are equal; the rest of the experiment (texts, figures, the paper's values) is compared.
pub(crate) fn complete(scenario: &Scenario, builder: &Builder, options: &RunOptions<'_>) -> Option<Results> {
    let manifest = stored_manifest(options.out).filter(|manifest| manifest.status == Status::Complete)?;
    let seeds = manifest.experiment.seeds.clone();
    let scenario = match options.precision {
        Some(precision) if precision.may_have_made(&seeds, &scenario.seeds) => {
            scenario.clone().with_seeds(seeds)
        }
        _ => scenario.clone(),
    };
    if manifest.experiment != describe(&scenario, builder, Mode::Simulated, options.figures.clone())
        || keys(&manifest) != keys_of(&scenario, options, &jobs(&scenario))
    {
        return None;
    }
    // Reads and checks every file: only now, because it takes time.
    let results = Results::load(options.out).ok()?;
    if (options.compare)(&results.runs) != results.reproduction {
        return None;
    }
    if let Some(precision) = options.precision {
        let variants: Vec<&str> = scenario.variants.iter().map(|variant| variant.name.as_str()).collect();
        let widest = precision.widest(&results.runs, &variants).ok()?;
        let seeds = scenario.seeds.len();
        if precision.next(&scenario.seeds, &widest).is_some()
            || precision.first(&scenario.seeds).len() > seeds
        {
            return None;
        }
        (options.notice)(Notice::Precision { wanted: precision.clone(), widest, seeds });
    }
    if !results.remarks.is_empty() {
        results.rebuild_report().ok()?;
    }
    // As the writer names it.
    let folder = std::fs::canonicalize(options.out).ok()?;
    Some(Results { folder, remarks: Vec::new(), ..results })
}

fn keys(manifest: &Manifest) -> Vec<String> {
    manifest.runs.iter().filter_map(|run| run.content_key.clone()).collect()
}
