//! The figures that this project promises, measured.
//!
//! Each [`Benchmark`] is a name, what is required, and a function that measures. A new one is a line in
//! [`benchmarks`]. Values are best of several, on the CPU clock of the thread that does the work.

mod child;
mod command;
mod foundation;
mod instructions;
mod live;
mod octopus;
mod p4;
mod port_queue;
mod python;
mod queues;
mod stopwatch;
mod streaming;
mod workload;

use serde::Serialize;

pub use child::{CHILD, child};
pub use command::bench;

/// A figure that is measured.
pub struct Benchmark {
    /// The part of the project it belongs to.
    pub group: &'static str,
    /// Its name. What belongs to another benchmark has that one's name, a slash, and its own.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// What is required of it; `None` for one that is only shown.
    pub required: Option<f64>,
    /// Which way is better.
    pub better: Better,
    /// Measures it.
    pub measure: Box<dyn Fn() -> Result<Reading, String>>,
}

/// What measuring gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The value, in the benchmark's unit; `None` if this machine can't measure it, and `note` says why.
    pub value: Option<f64>,
    /// Instructions a packet, where they are counted beside a time.
    pub instructions: Option<f64>,
    /// What could not be measured, and why.
    pub note: Option<String>,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// The more the better.
    Higher,
    /// The less the better.
    Lower,
}

/// A figure that was measured, as `bench --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The part of the project it belongs to.
    pub group: &'static str,
    /// Its name.
    pub name: String,
    /// What was measured; `None` if it was not.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: &'static str,
    /// What is required.
    pub required: Option<f64>,
    /// Which way is better.
    pub better: Better,
    /// Instructions a packet, where they are counted beside a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
    /// What could not be measured, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Reading {
    /// A value alone.
    pub fn of(value: f64) -> Reading {
        Reading { value: Some(value), instructions: None, note: None }
    }
}

impl Measured {
    /// Whether it is as good as required. What could not be measured is not held against the code.
    pub fn suffices(&self) -> bool {
        let (Some(required), Some(value)) = (self.required, self.value) else { return true };
        match self.better {
            Better::Higher => value >= required,
            Better::Lower => value <= required,
        }
    }
}

impl Benchmark {
    fn is_asked_for(&self, name: &str) -> bool {
        let of_name = self.name.strip_prefix(name);
        self.group == name || of_name.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Measures it.
    pub fn run(&self) -> Result<Measured, String> {
        let Reading { value, instructions, note } = (self.measure)()?;
        Ok(Measured { value, instructions, note, ..self.record() })
    }

    /// Its record without a value.
    pub fn record(&self) -> Measured {
        let Benchmark { group, ref name, unit, required, better, .. } = *self;
        let name = name.clone();
        Measured { group, name, value: None, unit, required, better, instructions: None, note: None }
    }
}

/// All benchmarks.
pub fn benchmarks() -> Vec<Benchmark> {
    let mut all = foundation::benchmarks();
    all.extend(queues::benchmarks());
    all.extend(streaming::benchmarks());
    all.extend(octopus::benchmarks());
    all.extend(p4::benchmarks());
    all.extend(python::benchmarks());
    all.extend(live::benchmarks());
    all
}

/// The benchmarks that `names` asks for: a name, with what belongs to it, or a group's; if there are none, all but those of live
/// runs, which are for a machine that has nothing else to do.
pub fn select(names: &[String]) -> Result<Vec<Benchmark>, String> {
    let all = benchmarks();
    if let Some(name) = names.iter().find(|name| !all.iter().any(|benchmark| benchmark.is_asked_for(name))) {
        let known = all.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(format!("there is no benchmark `{name}`; there are: {known}"));
    }
    let unasked = |b: &Benchmark| names.is_empty() && b.group != "live";
    let wanted = |b: &Benchmark| unasked(b) || names.iter().any(|name| b.is_asked_for(name));
    Ok(all.into_iter().filter(wanted).collect())
}

/// Peak resident memory of this process, in MB.
fn peak_memory() -> Result<f64, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line =
        status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    let kib: f64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).ok_or("VmHWM is no number")?;
    Ok(kib * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(asked: &[&str]) -> Vec<String> {
        let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
        select(&asked).unwrap_or_default().into_iter().map(|benchmark| benchmark.name).collect()
    }

    #[test]
    fn a_name_brings_what_belongs_to_it_and_nothing_else() {
        let red = ["queue-red", "queue-red/time-growth", "queue-red/instruction-growth"];
        assert_eq!(names(&["queue-red"]), red);
        assert_eq!(names(&["queue-red/time-growth"]), red[1..2]);
        let groups = ["foundation", "queues", "streaming", "octopus", "p4", "python", "sweep"]
            .map(|group| names(&[group]).len());
        assert_eq!(groups.iter().sum::<usize>(), names(&[]).len());
        assert_eq!(names(&["queue-re"]), Vec::<String>::new());
    }

    #[test]
    fn names_are_given_once() {
        let distinct: std::collections::BTreeSet<String> = names(&[]).into_iter().collect();
        assert_eq!(distinct.len(), names(&[]).len());
    }

    #[test]
    fn what_was_not_measured_falls_not_short() {
        let measure = || Ok(Reading { value: None, instructions: None, note: Some("why".to_owned()) });
        let mut benchmark = Benchmark {
            group: "g",
            name: "n".to_owned(),
            unit: "x",
            required: Some(1.05),
            better: Better::Lower,
            measure: Box::new(measure),
        };
        assert!(benchmark.run().unwrap().suffices());
        benchmark.measure = Box::new(|| Ok(Reading::of(1.06)));
        assert!(!benchmark.run().unwrap().suffices());
    }
}
