//! Feedback of either format: transport-wide (draft-holmer-rmcat-transport-wide-cc-extensions-01), or RFC 8888, which also has
//! the ECN field and is used for ECN-capable packets.

use jettison_core::Time;

use super::super::conference::Report;
use super::transport_feedback::TransportFeedback;

/// A reader of feedback.
pub(super) struct Feedback;

impl Feedback {
    /// Calls `each` with numbers near `near`, their arrivals by the receiver's clock, and whether they carried marks; false if the
    /// payload is no feedback.
    pub(super) fn read(payload: &[u8], near: u64, mut each: impl FnMut(u64, Option<Time>, bool)) -> bool {
        if let Some(report) = Report::parse(payload) {
            for (number, arrival) in report.packets(near) {
                each(
                    number,
                    arrival.map(|arrival| arrival.at),
                    arrival.is_some_and(|arrival| arrival.is_marked),
                );
            }
            return true;
        }
        TransportFeedback::read(payload, near, |number, at| each(number, at, false))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jettison_wire::Ecn;

    use super::super::transport_feedback;
    use super::*;

    fn read(payload: &[u8]) -> Vec<(u64, bool, bool)> {
        let mut found = Vec::new();
        assert!(Feedback::read(payload, 65_536, |number, at, is_marked| {
            found.push((number, at.is_some(), is_marked));
        }));
        found
    }

    #[test]
    fn both_formats_are_read() {
        let mut arrivals: BTreeMap<u64, Time> = [(65_538, Time::from_millis(5))].into();
        let (message, _) = transport_feedback::report(&mut arrivals, 65_537, 0).expect("one arrived");
        assert_eq!(read(message.bytes.as_slice()), [(65_537, false, false), (65_538, true, false)]);
        let at = Time::from_millis(5);
        let report = Report::new(65_537, &[None, Some((at, Ecn::Ce)), Some((at, Ecn::Ect1))], at);
        let expected = [(65_537, false, false), (65_538, true, true), (65_539, true, false)];
        assert_eq!(read(report.emit().as_slice()), expected);
        assert!(!Feedback::read(&[0; 20], 0, |_, _, _| ()));
    }
}
