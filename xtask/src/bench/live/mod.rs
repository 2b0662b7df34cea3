//! Live runs: throughput of the router beside that of simpler forwarders, and how exactly links keep rate and delay.
//!
//! What is compared is measured in one go, because figures of two runs on one machine may differ by more than what is compared: the
//! first benchmark that is asked for measures for all of its part. Not among the benchmarks that run unasked: it takes minutes, and
//! makes network namespaces, which hold all of its traffic and end with it.

mod forwarders;
mod site;
mod throughput;
mod timing;

use std::cell::OnceCell;
use std::rc::Rc;

use jettison_live::LiveError;

use super::Better::{Higher, Lower};
use super::{Benchmark, Better, Reading};

/// The group's name.
const GROUP: &str = "live";
/// Times that the transfers and links are gone through; the best of each counts.
const ROUNDS: u32 = 3;

/// Name, unit, what is required.
struct Line(&'static str, &'static str, Option<f64>, Better);

const THROUGHPUT: [Line; 9] = [
    Line("live-tcp-forwarder", "Gbit/s", None, Higher),
    Line("live-tcp-ticking", "Gbit/s", None, Higher),
    Line("live-tcp", "Gbit/s", Some(1.5), Higher),
    Line("live-tcp/against-ticking", "times", Some(1.7), Higher),
    Line("live-tcp/against-forwarder", "times", Some(0.85), Higher),
    Line("live-tcp-unmerged", "Gbit/s", Some(1.5), Higher),
    Line("live-tcp-unmerged/against-forwarder", "times", Some(0.85), Higher),
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

/// A figure that was measured: the benchmark's name, the value in its unit, and what belongs to the value.
struct Figure(&'static str, f64, String);

/// What one go gave, once it has been done.
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
        let found = figures.iter().find(|Figure(each, ..)| *each == name);
        let Figure(_, value, note) = found.ok_or_else(|| format!("`{name}` was not measured"))?;
        let note = Some(note.clone()).filter(|note| !note.is_empty());
        Ok(Reading { value: Some(*value), instructions: None, note })
    };
    Benchmark { group: GROUP, name: name.to_owned(), unit, required, better, measure: Box::new(measure) }
}
