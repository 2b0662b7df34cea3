//! Live benchmarks: throughput of the router and of simpler forwarders, and accuracy of rate and delay of links.
//!
//! Compared values are measured in one pass, because two runs on one machine may differ by more than the compared effect: the
//! first requested benchmark measures its whole part. These benchmarks run only on request, since they take minutes and create
//! network namespaces, which contain all their traffic and end with them.

mod forwarders;
mod site;
mod throughput;
mod timing;

use std::cell::OnceCell;
use std::rc::Rc;

use jettison_live::LiveError;

use super::Better::{Higher, Lower};
use super::{Benchmark, Better, Reading};

/// Name of the group.
const GROUP: &str = "live";
/// Number of passes over transfers and links; the best value of each counts.
const ROUNDS: u32 = 3;

/// Name, unit, target and direction of a benchmark.
struct Line(&'static str, &'static str, Option<f64>, Better);

const THROUGHPUT: [Line; 10] = [
    Line("live-tcp-forwarder", "Gbit/s", None, Higher),
    Line("live-tcp-ticking", "Gbit/s", None, Higher),
    Line("live-tcp", "Gbit/s", Some(1.5), Higher),
    Line("live-tcp/against-ticking", "times", Some(1.7), Higher),
    Line("live-tcp/against-forwarder", "times", Some(0.85), Higher),
    Line("live-tcp-unmerged", "Gbit/s", Some(1.5), Higher),
    Line("live-tcp-unmerged/against-forwarder", "times", Some(0.85), Higher),
    // Three times what BMv2's `simple_switch` carried between veths of the same machine: 0.54 Gbit/s.
    Line("live-tcp-p4", "Gbit/s", Some(3.0 * 0.54), Higher),
    Line("live-tcp-split", "Gbit/s", None, Higher),
    Line("live-tcp-split/against-whole", "times", Some(2.0), Higher),
];

const TIMING: [Line; 6] = [
    Line("live-12-mbit/rate", "%", Some(0.5), Lower),
    Line("live-12-mbit/arrival", "us", Some(100.0), Lower),
    Line("live-100-mbit/rate", "%", Some(0.5), Lower),
    Line("live-100-mbit/arrival", "us", Some(100.0), Lower),
    Line("live-100-mbit/processor", "% of a core", Some(50.0), Lower),
    Line("live-delay-20-ms", "us", Some(300.0), Lower),
];

/// A measured value: name of the benchmark, value in its unit, and note.
struct Figure(&'static str, f64, String);

/// Values of one pass, once measured.
#[derive(Default)]
struct Figures(OnceCell<Result<Vec<Figure>, String>>);

pub fn benchmarks() -> Vec<Benchmark> {
    let of = |lines: &'static [Line], measure: fn() -> Result<Vec<Figure>, LiveError>| {
        let figures = Rc::new(Figures::default());
        lines.iter().map(move |line| benchmark(line, Rc::clone(&figures), measure))
    };
    of(&THROUGHPUT, throughput::measure).chain(of(&TIMING, timing::measure)).collect()
}

fn benchmark(
    line: &'static Line,
    figures: Rc<Figures>,
    measure: fn() -> Result<Vec<Figure>, LiveError>,
) -> Benchmark {
    let &Line(name, unit, required, better) = line;
    let measure = move || {
        let figures = figures.0.get_or_init(|| measure().map_err(|error| error.to_string()));
        let figures = figures.as_ref().map_err(String::clone)?;
        let found = figures.iter().find(|Figure(measured, ..)| *measured == name);
        let Figure(_, value, note) = found.ok_or_else(|| format!("`{name}` was not measured"))?;
        let note = Some(note.clone()).filter(|note| !note.is_empty());
        Ok(Reading { value: Some(*value), instructions: None, note })
    };
    Benchmark { group: GROUP, name: name.to_owned(), unit, required, better, measure: Box::new(measure) }
}
