//! Gauges: values of a component's own state that can be sampled as series.
//!
//! A component declares its gauges beside its state and reports them when it is asked. Nothing else lists them:
//!
//! ```
//! use jettison_core::{Gauge, Gauges};
//!
//! const AVERAGE: Gauge = Gauge::new("red_average", "packets", "Average queue, by which RED decides.");
//!
//! struct Red {
//!     average: f64,
//! }
//!
//! impl Red {
//!     fn gauges(&self, out: &mut dyn Gauges) {
//!         out.set(&AVERAGE, self.average);
//!     }
//! }
//! ```

use serde::Serialize;

/// A value of a component's state: name and unit of its series, and a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Gauge {
    /// Name in results, lower case with underscores. It begins with the component's id, so that names are unique.
    pub name: &'static str,
    /// Unit in results; `1` for a number without one.
    pub unit: &'static str,
    /// Meaning of the value, in one sentence.
    pub description: &'static str,
}

impl Gauge {
    /// Creates a gauge.
    pub const fn new(name: &'static str, unit: &'static str, description: &'static str) -> Gauge {
        Gauge { name, unit, description }
    }
}

/// Receiver of the values of a component's gauges at one instant.
pub trait Gauges {
    /// Sets the value of a gauge, or of one part of it (`band.0`); `part` is empty for the component as a whole. A
    /// value that is not finite means that there is none now.
    fn set_part(&mut self, gauge: &Gauge, part: &str, value: f64);

    /// Sets the value of a gauge for the component as a whole.
    fn set(&mut self, gauge: &Gauge, value: f64) {
        self.set_part(gauge, "", value);
    }
}

/// Gauges of a component within another: the outer component's name for it becomes the part, or the prefix of the part.
pub struct PartOf<'a> {
    out: &'a mut dyn Gauges,
    name: &'a str,
}

impl<'a> PartOf<'a> {
    /// Forwards values to `out` as those of a part called `name`.
    pub fn new(out: &'a mut dyn Gauges, name: &'a str) -> PartOf<'a> {
        PartOf { out, name }
    }
}

impl Gauges for PartOf<'_> {
    fn set_part(&mut self, gauge: &Gauge, part: &str, value: f64) {
        match part {
            "" => self.out.set_part(gauge, self.name, value),
            part => self.out.set_part(gauge, &format!("{}.{part}", self.name), value),
        }
    }
}

/// All that was set, in order: gauge, part, value. For tests, and for asking a component what it publishes.
impl Gauges for Vec<(Gauge, String, f64)> {
    fn set_part(&mut self, gauge: &Gauge, part: &str, value: f64) {
        self.push((*gauge, part.to_owned(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: Gauge = Gauge::new("codel_count", "count", "Drops.");

    #[test]
    fn parts_nest_from_the_outside_in() {
        let mut taken: Vec<(Gauge, String, f64)> = Vec::new();
        taken.set(&COUNT, 1.0);
        let mut outer = PartOf::new(&mut taken, "band.0");
        outer.set(&COUNT, 2.0);
        PartOf::new(&mut outer, "flow").set(&COUNT, 3.0);
        let parts: Vec<(&str, f64)> = taken.iter().map(|(_, part, value)| (part.as_str(), *value)).collect();
        assert_eq!(parts, [("", 1.0), ("band.0", 2.0), ("band.0.flow", 3.0)]);
    }
}
