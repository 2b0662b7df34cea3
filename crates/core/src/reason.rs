//! Reasons for which packets are dropped or marked. Every drop and mark has one.
//!
//! The two tables below are the only place where reasons are listed. Indices, names, descriptions, [`DropReason::ALL`],
//! `jettison list reasons`, Python's `DROP_REASONS` and the colours of its plots are derived from them; the tables of the
//! book are tested against them.

/// Makes an enum and its table of reasons: `/// Description.` above `Variant = "name", owner "id";`.
///
/// Each table has one property, which all its reasons have but those that say `except`. The order is that of `index()`, which
/// results depend on: add a reason at the end.
macro_rules! reasons {
    (
        $(#[$meta:meta])* $kind:ident,
        $(#[$about:meta])* $property:ident:
        $($(#[doc = $doc:literal])+ $variant:ident = $name:literal, owner $owner:literal $(, $except:ident)?;)+
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $kind {
            /// All reasons, by index.
            pub const ALL: [$kind; [$($kind::$variant),+].len()] = [$($kind::$variant),+];

            /// Position in `ALL`.
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The name that results and reports print.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)+
                }
            }

            /// The reason of that name.
            pub fn from_name(name: &str) -> Option<$kind> {
                match name {
                    $($name => Some($kind::$variant),)+
                    _ => None,
                }
            }

            /// The component that gives the reason: the id of a queue discipline, or `link`, `node`, `switch`, `python` or `script`.
            /// Plots give the reason its colour.
            pub const fn owner(self) -> &'static str {
                match self {
                    $($kind::$variant => $owner,)+
                }
            }

            /// When it applies, in a sentence or two.
            pub const fn description(self) -> &'static str {
                match self {
                    $($kind::$variant => concat!($($doc),+).trim_ascii(),)+
                }
            }

            $(#[$about])*
            pub const fn $property(self) -> bool {
                match self {
                    $($kind::$variant => reasons!(@property $($except)?),)+
                }
            }
        }
    };
    (@property) => { true };
    (@property except) => { false };
}

reasons! {
    /// Why a packet was discarded.
    DropReason,
    /// Whether a flow has lost a packet: a clone is no flow's packet, nor is the copy of a frame that a switch floods.
    is_loss:

    /// The buffer has no room (tail drop).
    BufferFull = "buffer-full", owner "tail-drop";
    /// RED: the early drop between the thresholds (Floyd & Jacobson 1993 §4).
    RedEarly = "red-early", owner "red";
    /// RED: the average is above the maximum threshold.
    RedForced = "red-forced", owner "red";
    /// CoDel's control law (RFC 8289 §5).
    CoDel = "codel", owner "codel";
    /// PI2's squared probability (De Schepper et al. 2016 §4).
    Pi2 = "pi2", owner "pi2";
    /// iRED: the drop flag at ingress.
    IredFlag = "ired-flag", owner "ired";
    /// A clone or a recirculated copy has done its work. It is no flow's packet.
    CloneConsumed = "clone-consumed", owner "switch", except;
    /// A packet that is to be recirculated finds no room.
    RecirculationFull = "recirculation-full", owner "switch";
    /// Random loss on a link.
    LinkLoss = "link-loss", owner "link";
    /// Loss on a link in a window or at a packet that the scenario names.
    ScheduledLoss = "scheduled-loss", owner "link";
    /// A node has no route to the destination.
    NoRoute = "no-route", owner "node";
    /// TTL or hop limit has reached zero.
    HopLimit = "hop-limit", owner "node";
    /// No socket listens at the destination, as at the end of a connection that the other end has left.
    NoSocket = "no-socket", owner "node";
    /// A node cannot parse the packet.
    Malformed = "malformed", owner "node";
    /// A switch program resubmits the packet more often than the pipeline allows.
    ResubmitLimit = "resubmit-limit", owner "switch";
    /// A clone finds no room. Its feedback is lost, the packet that it is a copy of is not.
    CloneLost = "clone-lost", owner "switch", except;
    /// PIE's random early drop (RFC 8033 §4.1).
    Pie = "pie", owner "pie";
    /// DualPI2's squared probability, or its drop under overload (RFC 9332 appendix A).
    DualPi2 = "dualpi2", owner "dualpi2";
    /// FRED: the flow has more packets in the buffer than it may (Lin & Morris 1997).
    FredFlow = "fred-flow", owner "fred";
    /// RED-DPM: the test on a tagged flow's logical queue (Parris et al. 1998).
    DpmFlow = "dpm-flow", owner "red-dpm";
    /// RED-DPM: a tagged flow's oldest queued packet is old, and deep in the queue.
    DpmStale = "dpm-stale", owner "red-dpm";
    /// BLUE's probability (Feng et al. 2002).
    Blue = "blue", owner "blue";
    /// CoDel++ at ingress: the depth last reported for the slice's queue is over the slice's threshold.
    SliceDepth = "slice-depth", owner "codel++";
    /// Octopus: a newer message of the stream makes this one superfluous (Chen, Tahir & Mittal, Algorithm 1).
    StaleMessage = "stale-message", owner "octopus";
    /// Octopus: the message asks for more than its stream's share of the bandwidth (ibid.).
    OverBitrate = "over-bitrate", owner "octopus";
    /// PDrop: the buffer is full and this message is the least important in it.
    LeastImportant = "least-important", owner "pdrop";
    /// A P4 program drops it (`mark_to_drop`).
    MarkedToDrop = "marked-to-drop", owner "bmv2";
    /// A P4 program gives it a priority for which its port has no queue.
    NoQueue = "no-queue", owner "bmv2";
    /// A queue discipline written in Python, for a reason of its own.
    Python = "python", owner "python";
    /// A software switch: the packet finds no room before the receive thread.
    InputFull = "input-full", owner "switch";
    /// RED at a switch's egress, behind the queue.
    EgressRed = "egress-red", owner "egress-red";
    /// The packet is larger than a full token bucket: no wait would cover it.
    LargerThanBurst = "larger-than-burst", owner "tbf";
    /// A host finds the checksum wrong: a link has corrupted the packet.
    Corrupted = "corrupted", owner "link";
    /// CAKE's ACK filter: a newer ACK of the flow is in the queue.
    AckFiltered = "ack-filtered", owner "cake";
    /// A policer: the packet exceeds the rate, and no token is left for it.
    Policed = "policed", owner "policer";
    /// fq: the flow has as many packets in the queue as a flow may have.
    FlowLimit = "flow-limit", owner "fq";
    /// A counterfactual: the script of `jettison whatif` drops a packet that the queue has kept.
    Scripted = "scripted", owner "script";
    /// PDCP: the packet is older than discardTimer when it would be sent (TS 38.323 §5.3).
    PdcpDiscard = "pdcp-discard", owner "link";
    /// A cellular link: HARQ gave up a part of the packet, or its rest did not come before t-Reassembly.
    AirLoss = "air-loss", owner "link";
    /// A cellular link: RLC sent a part of the packet again as often as it may.
    RlcGivenUp = "rlc-given-up", owner "link";
    /// A cellular link: the receiving PDCP entity no longer waits for the packet's number (TS 38.323 §5.2.2.1).
    PdcpLate = "pdcp-late", owner "link";
    /// PDCP: the discard timer for low importance has expired under congestion (PSI-based discard of PDU sets, TS 38.323 §5.3).
    PduSetImportance = "pdu-set-importance", owner "link";
    /// PDCP: another packet of the PDU set was dropped, so the rest is of no use (PSIHI, TS 23.501 §5.37.5).
    PduSetIncomplete = "pdu-set-incomplete", owner "link";
    /// A host with an Ethernet interface ignores a frame that is addressed to another host, such as a copy that a switch floods.
    OtherHost = "other-host", owner "node", except;
}

reasons! {
    /// Why a packet was marked instead of dropped.
    MarkReason,
    /// Whether the mark is ECN's CE.
    is_ce:

    /// RED: the average is between or above the thresholds.
    Red = "red", owner "red";
    /// CoDel's control law.
    CoDel = "codel", owner "codel";
    /// PI2's classic (squared) probability.
    Pi2Classic = "pi2-classic", owner "pi2";
    /// PI2's scalable probability, for ECT(1).
    Pi2Scalable = "pi2-scalable", owner "pi2";
    /// PIE's probability, below its limit for marks (RFC 8033 §5.1).
    Pie = "pie", owner "pie";
    /// DualPI2's squared probability, for the Classic queue.
    DualPi2Classic = "dualpi2-classic", owner "dualpi2";
    /// DualPI2's coupled or native probability, for the L4S queue.
    DualPi2L4s = "dualpi2-l4s", owner "dualpi2";
    /// BLUE's probability.
    Blue = "blue", owner "blue";
    /// ABC: an accelerate becomes a brake (Goyal et al. 2020 §3.1). It is not CE.
    AbcBrake = "abc-brake", owner "abc", except;
    /// A queue discipline written in Python.
    Python = "python", owner "python";
    /// The sojourn time is above `ce_threshold`, whatever CoDel says (RFC 8290 §5.2.7).
    CeThreshold = "ce-threshold", owner "codel";
    /// A counterfactual: the script of `jettison whatif` marks a packet that the queue has not marked.
    Scripted = "scripted", owner "script";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn indices_follow_the_lists() {
        assert!(DropReason::ALL.iter().enumerate().all(|(i, r)| r.index() == i));
        assert!(MarkReason::ALL.iter().enumerate().all(|(i, r)| r.index() == i));
    }

    #[test]
    fn names_lead_back_to_their_reasons() {
        for reason in DropReason::ALL {
            assert_eq!(DropReason::from_name(reason.name()), Some(reason));
        }
        for reason in MarkReason::ALL {
            assert_eq!(MarkReason::from_name(reason.name()), Some(reason));
        }
        assert_eq!(DropReason::from_name("no-such-reason"), None);
        let names: HashSet<_> = DropReason::ALL.into_iter().map(DropReason::name).collect();
        assert_eq!(names.len(), DropReason::ALL.len());
    }

    #[test]
    fn only_clones_and_frames_for_others_are_no_loss() {
        let not_lost: Vec<_> = DropReason::ALL.into_iter().filter(|reason| !reason.is_loss()).collect();
        assert_eq!(not_lost, [DropReason::CloneConsumed, DropReason::CloneLost, DropReason::OtherHost]);
    }

    #[test]
    fn only_abc_marks_without_ce() {
        let not_ce: Vec<_> = MarkReason::ALL.into_iter().filter(|reason| !reason.is_ce()).collect();
        assert_eq!(not_ce, [MarkReason::AbcBrake]);
    }

    #[test]
    fn descriptions_are_sentences() {
        let drops = DropReason::ALL.into_iter().map(DropReason::description);
        for text in drops.chain(MarkReason::ALL.into_iter().map(MarkReason::description)) {
            assert!(text.ends_with('.') && !text.starts_with(' ') && !text.contains("  "), "{text}");
        }
    }

    #[test]
    fn the_order_of_the_first_reasons_is_that_of_stored_results() {
        // Series of drops are written by index: a reason that moves changes the bytes of results.
        let first = ["buffer-full", "red-early", "red-forced", "codel", "pi2", "ired-flag", "clone-consumed"];
        assert_eq!(DropReason::ALL.map(DropReason::name)[..7], first);
        assert_eq!(DropReason::CloneLost.index(), 15);
        assert_eq!(DropReason::Python.index(), 28);
        assert_eq!(MarkReason::Python.index(), 9);
    }
}
