//! Labels of standards: any bytes are read as RTP, as each header extension and as MoQ headers, or are an error, without a panic; what
//! can be read can be written and reads the same. Any datagrams of a capture are inspected.

#![no_main]

use jettison_core::Time;
use jettison_labels::dependency_descriptor::Reader;
use jettison_labels::frame_marking::{FrameMarking, MarkingForm};
use jettison_labels::inspect::Inspector;
use jettison_labels::layers_allocation::LayersAllocation;
use jettison_labels::moq::{ObjectDatagram, ObjectHeader, SubgroupHeader};
use jettison_labels::pdu_set::PduSetMarking;
use jettison_labels::rtp::RtpHeader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|pieces: Vec<Vec<u8>>| {
    let (mut descriptors, mut inspector) = (Reader::default(), Inspector::default());
    for bytes in &pieces {
        let known = descriptors.structure().cloned();
        if let Ok((descriptor, frame)) = descriptors.read(bytes) {
            let (all, without) = frame.targets_without();
            assert!(without <= all);
            let written = descriptor.emit(known.as_ref()).expect("what was read can be written");
            let mut again = Reader::default();
            let _ = again.read(&written);
        }
        for form in [MarkingForm::Short, MarkingForm::Long] {
            if let Ok(marking) = FrameMarking::parse(bytes, form) {
                assert_eq!(marking.emit().as_ref(), Ok(bytes));
            }
        }
        if let Ok(allocation) = LayersAllocation::parse(bytes) {
            let written = allocation.emit().expect("what was read can be written");
            assert_eq!(LayersAllocation::parse(&written), Ok(allocation));
        }
        if let Ok(marking) = PduSetMarking::parse(bytes) {
            let written = marking.emit().expect("what was read can be written");
            assert_eq!(PduSetMarking::parse(&written), Ok(marking));
        }
        if let Ok((header, length)) = SubgroupHeader::parse(bytes) {
            assert_eq!(SubgroupHeader::parse(&header.emit()).map(|(read, _)| read), Ok(header));
            let _ = ObjectHeader::parse(&bytes[length..], &header, Some(7));
        }
        let _ = ObjectDatagram::parse(bytes);
        if let Ok((header, length)) = RtpHeader::parse(bytes) {
            assert!(length <= bytes.len() && header.extensions.iter().count() <= bytes.len());
        }
        inspector.datagram(Time::ZERO, || "a > b".to_owned(), bytes);
    }
    let inspection = inspector.finish();
    assert!(inspection.rtp_packets <= inspection.datagrams);
});
