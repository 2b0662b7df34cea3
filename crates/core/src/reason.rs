//! Why a packet was dropped or marked. No drop is silent.

/// Why a packet was discarded. New reasons are added with the discipline or device that needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The buffer had no room (tail drop).
    BufferFull,
    /// RED's early drop between the thresholds (Floyd & Jacobson 1993 §4).
    RedEarly,
    /// RED above the maximum threshold.
    RedForced,
    /// CoDel's control law (RFC 8289 §5).
    CoDel,
    /// PI2's squared probability (De Schepper et al. 2016 §4).
    Pi2,
    /// iRED's drop flag at ingress.
    IredFlag,
    /// An egress clone or recirculated copy that has done its work.
    CloneConsumed,
    /// A clone that found no room: what it was to tell is lost, the packet it was made of is not.
    CloneLost,
    /// Recirculation had no room.
    RecirculationFull,
    /// Random loss on a link.
    LinkLoss,
    /// Loss that the scenario placed at a given time or packet.
    ScheduledLoss,
    /// No route leads to the destination.
    NoRoute,
    /// TTL or hop limit reached zero.
    HopLimit,
    /// No socket listens there.
    NoSocket,
    /// A node could not read the packet.
    Malformed,
    /// A switch program resubmitted it more often than the pipeline allows.
    ResubmitLimit,
    /// PIE's random early drop (RFC 8033 §4.1).
    Pie,
    /// DualPI2's squared probability, or its drop under overload (RFC 9332 appendix A).
    DualPi2,
    /// FRED: the flow has more buffered than it may (Lin & Morris 1997).
    FredFlow,
    /// RED-DPM's test on a tagged flow's logical queue (Parris et al. 1998).
    DpmFlow,
    /// RED-DPM: a tagged flow's oldest queued packet was old, and deep in the queue.
    DpmStale,
    /// BLUE's probability (Feng et al. 2002).
    Blue,
    /// CoDel++: at ingress, because the depth last reported for the slice's queue is over the slice's threshold.
    SliceDepth,
    /// Octopus: a newer message of the stream made this one superfluous (Chen, Tahir, Mittal, Algorithm 1).
    StaleMessage,
    /// Octopus: the message asks for more than its stream's share of the bandwidth (ibid.).
    OverBitrate,
    /// PDrop: the buffer was full and this was the least important message in it.
    LeastImportant,
    /// A P4 program's own decision: `mark_to_drop`.
    MarkedToDrop,
    /// A P4 program gave it a priority for which the port has no queue.
    NoQueue,
    /// A queue discipline written in Python, for a reason of its own.
    Python,
}

impl DropReason {
    /// All reasons, in the order of [`DropReason::index`].
    pub const ALL: [DropReason; 29] = [
        DropReason::BufferFull,
        DropReason::RedEarly,
        DropReason::RedForced,
        DropReason::CoDel,
        DropReason::Pi2,
        DropReason::IredFlag,
        DropReason::CloneConsumed,
        DropReason::RecirculationFull,
        DropReason::LinkLoss,
        DropReason::ScheduledLoss,
        DropReason::NoRoute,
        DropReason::HopLimit,
        DropReason::NoSocket,
        DropReason::Malformed,
        DropReason::ResubmitLimit,
        DropReason::CloneLost,
        DropReason::Pie,
        DropReason::DualPi2,
        DropReason::FredFlow,
        DropReason::DpmFlow,
        DropReason::DpmStale,
        DropReason::Blue,
        DropReason::SliceDepth,
        DropReason::StaleMessage,
        DropReason::OverBitrate,
        DropReason::LeastImportant,
        DropReason::MarkedToDrop,
        DropReason::NoQueue,
        DropReason::Python,
    ];

    /// Position in [`DropReason::ALL`]; details that a reason carries do not change it.
    pub const fn index(self) -> usize {
        match self {
            DropReason::BufferFull => 0,
            DropReason::RedEarly => 1,
            DropReason::RedForced => 2,
            DropReason::CoDel => 3,
            DropReason::Pi2 => 4,
            DropReason::IredFlag => 5,
            DropReason::CloneConsumed => 6,
            DropReason::RecirculationFull => 7,
            DropReason::LinkLoss => 8,
            DropReason::ScheduledLoss => 9,
            DropReason::NoRoute => 10,
            DropReason::HopLimit => 11,
            DropReason::NoSocket => 12,
            DropReason::Malformed => 13,
            DropReason::ResubmitLimit => 14,
            DropReason::CloneLost => 15,
            DropReason::Pie => 16,
            DropReason::DualPi2 => 17,
            DropReason::FredFlow => 18,
            DropReason::DpmFlow => 19,
            DropReason::DpmStale => 20,
            DropReason::Blue => 21,
            DropReason::SliceDepth => 22,
            DropReason::StaleMessage => 23,
            DropReason::OverBitrate => 24,
            DropReason::LeastImportant => 25,
            DropReason::MarkedToDrop => 26,
            DropReason::NoQueue => 27,
            DropReason::Python => 28,
        }
    }

    /// The name that results and reports print.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::BufferFull => "buffer-full",
            DropReason::RedEarly => "red-early",
            DropReason::RedForced => "red-forced",
            DropReason::CoDel => "codel",
            DropReason::Pi2 => "pi2",
            DropReason::IredFlag => "ired-flag",
            DropReason::CloneConsumed => "clone-consumed",
            DropReason::RecirculationFull => "recirculation-full",
            DropReason::LinkLoss => "link-loss",
            DropReason::ScheduledLoss => "scheduled-loss",
            DropReason::NoRoute => "no-route",
            DropReason::HopLimit => "hop-limit",
            DropReason::NoSocket => "no-socket",
            DropReason::Malformed => "malformed",
            DropReason::ResubmitLimit => "resubmit-limit",
            DropReason::CloneLost => "clone-lost",
            DropReason::Pie => "pie",
            DropReason::DualPi2 => "dualpi2",
            DropReason::FredFlow => "fred-flow",
            DropReason::DpmFlow => "dpm-flow",
            DropReason::DpmStale => "dpm-stale",
            DropReason::Blue => "blue",
            DropReason::SliceDepth => "slice-depth",
            DropReason::StaleMessage => "stale-message",
            DropReason::OverBitrate => "over-bitrate",
            DropReason::LeastImportant => "least-important",
            DropReason::MarkedToDrop => "marked-to-drop",
            DropReason::NoQueue => "no-queue",
            DropReason::Python => "python",
        }
    }

    /// Whether a flow has lost a packet: a clone is none of its packets.
    pub const fn is_loss(self) -> bool {
        !matches!(self, DropReason::CloneConsumed | DropReason::CloneLost)
    }
}

/// Why a packet was marked CE instead of dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkReason {
    /// RED between or above its thresholds.
    Red,
    /// CoDel's control law.
    CoDel,
    /// PI2's classic (squared) probability.
    Pi2Classic,
    /// PI2's scalable probability, for ECT(1).
    Pi2Scalable,
    /// PIE's probability, below its limit for marks (RFC 8033 §5.1).
    Pie,
    /// DualPI2's squared probability, for the Classic queue.
    DualPi2Classic,
    /// DualPI2's coupled or native probability, for the L4S queue.
    DualPi2L4s,
    /// BLUE's probability.
    Blue,
    /// ABC: an accelerate became a brake (Goyal et al. 2020 §3.1); not CE.
    AbcBrake,
    /// A queue discipline written in Python.
    Python,
}

impl MarkReason {
    /// All reasons, in the order of [`MarkReason::index`].
    pub const ALL: [MarkReason; 10] = [
        MarkReason::Red,
        MarkReason::CoDel,
        MarkReason::Pi2Classic,
        MarkReason::Pi2Scalable,
        MarkReason::Pie,
        MarkReason::DualPi2Classic,
        MarkReason::DualPi2L4s,
        MarkReason::Blue,
        MarkReason::AbcBrake,
        MarkReason::Python,
    ];

    /// Position in [`MarkReason::ALL`].
    pub const fn index(self) -> usize {
        match self {
            MarkReason::Red => 0,
            MarkReason::CoDel => 1,
            MarkReason::Pi2Classic => 2,
            MarkReason::Pi2Scalable => 3,
            MarkReason::Pie => 4,
            MarkReason::DualPi2Classic => 5,
            MarkReason::DualPi2L4s => 6,
            MarkReason::Blue => 7,
            MarkReason::AbcBrake => 8,
            MarkReason::Python => 9,
        }
    }

    /// The name that results and reports print.
    pub const fn name(self) -> &'static str {
        match self {
            MarkReason::Red => "red",
            MarkReason::CoDel => "codel",
            MarkReason::Pi2Classic => "pi2-classic",
            MarkReason::Pi2Scalable => "pi2-scalable",
            MarkReason::Pie => "pie",
            MarkReason::DualPi2Classic => "dualpi2-classic",
            MarkReason::DualPi2L4s => "dualpi2-l4s",
            MarkReason::Blue => "blue",
            MarkReason::AbcBrake => "abc-brake",
            MarkReason::Python => "python",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_the_lists() {
        assert!(DropReason::ALL.iter().enumerate().all(|(i, r)| r.index() == i));
        assert!(MarkReason::ALL.iter().enumerate().all(|(i, r)| r.index() == i));
    }
}
