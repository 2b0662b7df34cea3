//! What a transport tells its application about the path.

use jettison_core::{Duration, Rate};

/// The transport's estimate of the path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathEstimate {
    /// Bandwidth, as the controller estimates it; `None` before anything is known.
    pub bandwidth: Option<Rate>,
    /// Smoothed RTT; `None` before the first sample.
    pub rtt: Option<Duration>,
    /// Lowest RTT seen; `None` before the first sample.
    pub min_rtt: Option<Duration>,
    /// Whether the application limits the sender at present.
    pub is_app_limited: bool,
    /// Bytes that the controller would let out now as one burst, if it has such a notion.
    pub budget: Option<u64>,
    /// Bytes accepted and not yet sent.
    pub backlog: u64,
    /// Bytes under way.
    pub in_flight: u64,
}
