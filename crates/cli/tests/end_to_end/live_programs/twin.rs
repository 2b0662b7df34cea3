//! Cases of the oracle with the machine's own kernel: the same case simulated and live. Where the simulator is known to differ from
//! Linux (`explained`), the stored figures of a kernel take its place.

use jettison_core::Duration;
use jettison_oracle::case::{Case, Table};
use jettison_oracle::compare::Quantity;
use jettison_oracle::figures::Figures;
use jettison_oracle::simulate::{Simulated, simulate};
use jettison_oracle::{page, scenario};
use jettison_scenario::build::Builder;

use super::{run_file, skipped};

const NAME: &str = "cases_of_the_oracle";
const WARM_UP: Duration = Duration::from_secs(4);
const DURATION: Duration = Duration::from_secs(18);
const SEEDS: u64 = 5;
/// Most live runs of a case: on a shared machine one alone may be far off, three in a row are not.
const ATTEMPTS: usize = 3;

#[test]
fn cases_of_the_oracle() {
    let table = Table::load().expect("cases.toml is valid");
    let figures = Figures::load(page::KERNEL).expect("there are figures");
    let mut faults = String::new();
    let mut count = 0;
    for case in table.cases.iter().filter(|case| case.live) {
        let case = Case { warm_up: WARM_UP, duration: DURATION, ..case.clone() };
        let builder = Builder::standard();
        let simulated: Vec<Simulated> = (1..=SEEDS)
            .map(|seed| simulate(&builder, &case, Duration::ZERO, seed).expect("the case runs"))
            .collect();
        for attempt in 1..=ATTEMPTS {
            let Some(differences) = run(&case, &figures, &simulated) else { return };
            if differences.is_empty() {
                break;
            }
            match attempt {
                ATTEMPTS => faults += &differences,
                _ => eprintln!("beyond the bounds in run {attempt}, and measured again: {differences}"),
            }
        }
        count += 1;
    }
    assert_eq!(count, 10, "ten cases have `live = true`");
    assert!(faults.is_empty(), "live, expected:\n{faults}");
}

/// Runs a case live; the differences beyond the bounds.
fn run(case: &Case, figures: &Figures, simulated: &[Simulated]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join(format!("{}.toml", case.name));
    std::fs::write(&file, scenario::text(case, Duration::ZERO)).expect("the folder can be written");
    let live = run_file(NAME, &file, &[], &[])?;
    // The run itself says that the machine was too busy for what it measured.
    if live.manifest["live"][0]["timeliness"]["late"] == true {
        skipped(NAME, &format!("{} ran late on this machine", case.name));
        return Some(String::new());
    }
    let live_mean = |object: &str, metric: &str| live.means(object, metric).iter().sum::<f64>();
    let port = "bottleneck.forward";
    let mut faults = String::new();
    let mut hold = |quantity: Quantity, live: f64, share: f64, absolute: f64, of: fn(&Simulated) -> f64| {
        let values: Vec<f64> = match case.explained.contains_key(quantity.key()) {
            true => figures.of(&case.name).filter_map(|run| quantity.in_kernel(run)).collect(),
            false => simulated.iter().map(of).collect(),
        };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let deviation = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        if (live - mean).abs() > (share * mean).max(absolute).max(2.0 * deviation) {
            faults += &format!("{}: {} {live:.2}, {mean:.2} ± {deviation:.2}\n", case.name, quantity.key());
        }
    };
    // The bounds are wider than the oracle's by what the scheduling of a shared machine adds.
    hold(Quantity::Goodput, live_mean("all flows", "goodput"), 0.05, 0.0, |run| run.goodput_mbps);
    hold(Quantity::Sojourn, live_mean(port, "sojourn"), 0.2, 1.0, |run| run.sojourn_mean_ms);
    let signals = live_mean(port, "drops") + live_mean(port, "marks");
    hold(Quantity::Signals, signals, 0.3, 4.0, |run| run.drops + run.marks);
    Some(faults)
}
