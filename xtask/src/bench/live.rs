//! Live runs: throughput of the router beside that of simpler forwarders, and how exactly links keep rate and delay.
//!
//! What is compared is measured in one go, so the first benchmark that is asked for measures for all of its part. Not among the
//! benchmarks that run unasked: it takes minutes, and makes network namespaces.

use std::cell::OnceCell;
use std::rc::Rc;

use jettison_live::bench::{Figure, Spans, throughput, timing};

use super::Better::{Higher, Lower};
use super::{Benchmark, Better, Reading};

/// The group's name.
const GROUP: &str = "live";

/// Name, the figure's name, its unit, what is required.
struct Line(&'static str, &'static str, &'static str, Option<f64>, Better);

const THROUGHPUT: [Line; 9] = [
    Line("live-tcp-forwarder", "TCP through a bare forwarder", "Gbit/s", None, Higher),
    Line("live-tcp-ticking", "TCP through a FIFO that ticks in milliseconds", "Gbit/s", None, Higher),
    Line("live-tcp", "TCP through the router", "Gbit/s", Some(1.5), Higher),
    Line("live-tcp/against-ticking", "router against the ticking FIFO", "times", Some(1.7), Higher),
    Line("live-tcp/against-forwarder", "router against the bare forwarder", "times", Some(0.85), Higher),
    Line("live-tcp-unmerged", "the same, and nothing merged", "Gbit/s", Some(1.5), Higher),
    Line(
        "live-tcp-unmerged/against-forwarder",
        "router that merges nothing against the forwarder",
        "times",
        Some(0.85),
        Higher,
    ),
    Line("live-tcp-split", "TCP through the router, split and merged", "Gbit/s", None, Higher),
    Line("live-tcp-split/against-whole", "split and merged against not", "times", Some(2.0), Higher),
];

const TIMING: [Line; 6] = [
    Line("live-12-mbit/rate", "rate of a 12 Mbit/s link, error", "%", Some(0.5), Lower),
    Line("live-12-mbit/arrival", "arrivals on a 12 Mbit/s link, error p99", "us", Some(100.0), Lower),
    Line("live-100-mbit/rate", "rate of a 100 Mbit/s link, error", "%", Some(0.5), Lower),
    Line("live-100-mbit/arrival", "arrivals on a 100 Mbit/s link, error p99", "us", Some(100.0), Lower),
    Line("live-100-mbit/processor", "processor at 100 Mbit/s", "% of a core", Some(50.0), Lower),
    Line("live-delay-20-ms", "20 ms of delay, error p99", "us", Some(300.0), Lower),
];

/// What one go gave, once it has been done.
#[derive(Default)]
struct Figures(OnceCell<Result<Vec<Figure>, String>>);

pub fn benchmarks() -> Vec<Benchmark> {
    let of = |lines: &'static [Line], measure: fn() -> Result<Vec<Figure>, String>| {
        let figures = Rc::new(Figures::default());
        lines.iter().map(move |line| benchmark(line, Rc::clone(&figures), measure))
    };
    let throughput = of(&THROUGHPUT, || throughput(&Spans::default()).map_err(|error| error.to_string()));
    throughput.chain(of(&TIMING, || timing(&Spans::default()).map_err(|error| error.to_string()))).collect()
}

fn benchmark(
    line: &'static Line,
    figures: Rc<Figures>,
    measure: fn() -> Result<Vec<Figure>, String>,
) -> Benchmark {
    let &Line(name, figure, unit, required, better) = line;
    let measure = move || {
        let figures = figures.0.get_or_init(measure).as_ref().map_err(String::clone)?;
        let found = figures.iter().find(|each| each.name == figure);
        let found = found.ok_or_else(|| format!("`{figure}` was not measured"))?;
        let note = Some(found.note.clone()).filter(|note| !note.is_empty());
        Ok(Reading { value: Some(found.value), instructions: None, note })
    };
    Benchmark { group: GROUP, name: name.to_owned(), unit, required, better, measure: Box::new(measure) }
}
