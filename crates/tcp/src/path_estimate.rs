//! The transport's estimate of its path, for the application.

use jettison_core::{Duration, Rate};

/// The transport's estimate of the path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathEstimate {
    /// Bandwidth estimate of the controller; `None` before the first sample.
    pub bandwidth: Option<Rate>,
    /// Smoothed RTT; `None` before the first sample.
    pub rtt: Option<Duration>,
    /// Lowest RTT; `None` before the first sample.
    pub min_rtt: Option<Duration>,
    /// Whether the application limits the sender now.
    pub is_app_limited: bool,
    /// Bytes that the controller permits to be sent now as one burst, if it limits bursts.
    pub budget: Option<u64>,
    /// Bytes accepted but not yet sent.
    pub backlog: u64,
    /// Bytes in flight.
    pub in_flight: u64,
}
