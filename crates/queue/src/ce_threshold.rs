//! Step marking by sojourn time: Linux's `ce_threshold` of `codel` and `fq_codel` (RFC 8290 §5.2.7).

use std::fmt;
use std::str::FromStr;

use jettison_core::{Duration, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_registry::ParameterError;
use jettison_wire::{Ecn, Packet};

use crate::written::written_as_string;

/// Requires that a threshold, if set, is > 0.
pub(crate) fn check(threshold: Option<Duration>) -> Result<(), ParameterError> {
    let positive = threshold.is_none_or(|threshold| !threshold.is_zero());
    ParameterError::require(positive, "ce_threshold", "be > 0; leave it out for no such marks", "0 s")
}

/// Marks a departing packet whose sojourn time is above the threshold, unless it carries CE already, such as by CoDel's
/// mark of the same departure.
pub(crate) fn mark(packet: &mut Packet, now: Time, out: &mut dyn Outcomes) {
    if packet.ecn() != Ecn::Ce && packet.mark_ce() {
        out.marked(packet, MarkReason::CeThreshold, now);
    }
}

/// The packets that a `ce_threshold` applies to, by the traffic class byte (DSCP and ECN): those with `byte & mask == value`.
///
/// Written as tc's `ce_threshold_selector`: `"0x01/0x03"` for ECT(1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CeSelector {
    value: u8,
    mask: u8,
}

impl CeSelector {
    /// Whether the packet is one of them.
    #[inline]
    pub fn selects(self, packet: &Packet) -> bool {
        packet.meta.traffic_class & self.mask == self.value
    }
}

impl fmt::Display for CeSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#04x}/{:#04x}", self.value, self.mask)
    }
}

impl FromStr for CeSelector {
    type Err = String;
    fn from_str(text: &str) -> Result<CeSelector, String> {
        let error = || {
            format!(
                "`{text}` is not a selector; write VALUE/MASK, two bytes such as \"0x01/0x03\" for ECT(1)"
            )
        };
        let byte = |text: &str| match text.trim().strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => text.trim().parse().ok(),
        };
        let (value, mask) = text.split_once('/').ok_or_else(error)?;
        let (value, mask) = (byte(value).ok_or_else(error)?, byte(mask).ok_or_else(error)?);
        if mask == 0 {
            return Err(format!("the mask of `{text}` must not be 0: it would select every packet"));
        }
        if value & !mask != 0 {
            return Err(format!(
                "`{text}` selects no packet: the value must have no bit that the mask does not have"
            ));
        }
        Ok(CeSelector { value, mask })
    }
}

written_as_string!(
    CeSelector,
    "selector",
    "a selector VALUE/MASK of the traffic class byte",
    "0x01/0x03",
    "0xb4/0xfc"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_written_as_tc_writes_them() {
        for (text, value, mask) in [("0x01/0x03", 1, 3), ("1/3", 1, 3), ("0xb4/0xfc", 0xb4, 0xfc)] {
            assert_eq!(text.parse(), Ok(CeSelector { value, mask }), "{text}");
        }
        assert_eq!(CeSelector { value: 1, mask: 3 }.to_string(), "0x01/0x03");
        for (text, part) in [
            ("0x01", "VALUE/MASK"),
            ("ECT(1)", "VALUE/MASK"),
            ("1/256", "VALUE/MASK"),
            ("0/0", "must not be 0"),
            ("0x04/0x03", "selects no packet"),
        ] {
            let refused = text.parse::<CeSelector>().unwrap_err();
            assert!(refused.contains(part), "{text}: {refused}");
        }
    }
}
