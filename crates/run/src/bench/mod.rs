//! The figures that this project promises, measured.
//!
//! Each [`Benchmark`] is a name, what is required, and a function that measures. A new one is a line in
//! [`benchmarks`]. Values are best of several, on the CPU clock of the thread that does the work.

mod foundation;

use serde::Serialize;

/// A figure that is measured.
pub struct Benchmark {
    /// The part of the project it belongs to.
    pub group: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What is required of it; `None` for one that is only shown.
    pub required: Option<f64>,
    /// Which way is better.
    pub better: Better,
    /// Measures it.
    pub measure: fn() -> Result<f64, String>,
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

/// A figure that was measured, as `jettison bench --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The part of the project it belongs to.
    pub group: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What was measured; `None` if it was not.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: &'static str,
    /// What is required.
    pub required: Option<f64>,
    /// Which way is better.
    pub better: Better,
}

impl Measured {
    /// Whether it is as good as required.
    pub fn suffices(&self) -> bool {
        let (Some(required), Some(value)) = (self.required, self.value) else { return true };
        match self.better {
            Better::Higher => value >= required,
            Better::Lower => value <= required,
        }
    }
}

impl Benchmark {
    /// Measures it.
    pub fn run(&self) -> Result<Measured, String> {
        Ok(Measured { value: Some((self.measure)()?), ..self.record() })
    }

    /// Its record without a value.
    pub fn record(&self) -> Measured {
        let Benchmark { group, name, unit, required, better, .. } = *self;
        Measured { group, name, value: None, unit, required, better }
    }
}

/// All benchmarks.
pub fn benchmarks() -> Vec<Benchmark> {
    foundation::benchmarks()
}

/// The benchmarks that `names` asks for: a name, or a group's; all if there are none.
pub fn select(names: &[String]) -> Result<Vec<Benchmark>, String> {
    let all = benchmarks();
    for name in names {
        if !all.iter().any(|b| b.name == name || b.group == name) {
            let known = all.iter().map(|b| b.name).collect::<Vec<_>>().join(", ");
            return Err(format!("there is no benchmark `{name}`; there are: {known}"));
        }
    }
    let wanted =
        |b: &Benchmark| names.is_empty() || names.iter().any(|name| name == b.name || name == b.group);
    Ok(all.into_iter().filter(wanted).collect())
}

pub use foundation::{MEMORY_CHILD, memory_child};
