//! What the router is measured by: throughput against simpler forwarders, and how exactly links keep their rate and delay.
//!
//! All in one run, because figures of two runs on one machine may differ by more than what is compared. Traffic stays in
//! namespaces that are made for it and end with it.

mod forwarders;
mod site;
mod throughput;
mod timing;

use crate::LiveError;

/// A figure that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is.
    pub name: &'static str,
    /// Its value, in `unit`.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
    /// What is required of it, if anything is.
    pub required: Option<Required>,
    /// What belongs to the value.
    pub note: String,
}

/// What is required of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Required {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
}

/// How long each part is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spans {
    /// Seconds of each TCP transfer.
    pub transfer: u32,
    /// Times that the transfers are gone through; the best of each counts.
    pub rounds: u32,
    /// Seconds of each overloaded link.
    pub link: u32,
}

impl Default for Spans {
    fn default() -> Spans {
        Spans { transfer: 3, rounds: 3, link: 6 }
    }
}

impl Figure {
    /// Whether it is what is required.
    pub fn is_met(&self) -> bool {
        match self.required {
            None => true,
            Some(Required::AtLeast(least)) => self.value >= least,
            Some(Required::AtMost(most)) => self.value <= most,
        }
    }
}

/// Measures everything.
///
/// # Errors
/// If the machine can make no namespaces or devices, or a part of the traffic fails.
pub fn run(spans: &Spans) -> Result<Vec<Figure>, LiveError> {
    let mut figures = throughput(spans)?;
    figures.extend(timing(spans)?);
    Ok(figures)
}

/// TCP throughput through the router and through what it is compared with.
///
/// # Errors
/// As [`run`].
pub fn throughput(spans: &Spans) -> Result<Vec<Figure>, LiveError> {
    throughput::measure(spans)
}

/// How exactly links keep their rate and delay, and what that costs.
///
/// # Errors
/// As [`run`].
pub fn timing(spans: &Spans) -> Result<Vec<Figure>, LiveError> {
    timing::measure(spans)
}

fn figure(
    name: &'static str,
    value: f64,
    unit: &'static str,
    required: Option<Required>,
    note: String,
) -> Figure {
    Figure { name, value, unit, required, note }
}
