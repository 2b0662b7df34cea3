//! Tests of the receiver's acknowledgements.

use super::*;
use crate::TcpParameters;

const MSS: u64 = 1000;
const START: u32 = 7;

fn receiver(buffer: u64) -> Receiver {
    let parameters = TcpParameters { mss: MSS as u16, ..TcpParameters::default() };
    let settings = Settings { receive_buffer: buffer, ..Settings::from(&parameters) };
    let mut receiver = Receiver::new(settings, START, None);
    receiver.sack = true;
    receiver
}

fn segment(number: u64) -> IncomingData<'static> {
    IncomingData {
        sequence: START.wrapping_add((number * MSS) as u32),
        length: MSS,
        bytes: None,
        fin: false,
        ce: false,
        cwr: false,
    }
}

fn blocks(receiver: &mut Receiver) -> Vec<(u32, u32)> {
    receiver.acknowledgement(true);
    let blocks = receiver.sack_blocks();
    let number = |wire: u32| (wire - START) / MSS as u32;
    blocks.iter().map(|(start, end)| (number(start), number(end))).collect()
}

#[test]
fn rfc5681_4_2_acknowledges_every_second_segment_or_after_the_timeout() {
    let mut receiver = receiver(65_535);
    assert!(receiver.handle_data(&segment(0), Time::ZERO));
    assert!(!receiver.is_ack_due());
    assert_eq!(receiver.deadline, Time::from_millis(40));
    receiver.handle_data(&segment(1), Time::from_millis(1));
    assert!(receiver.is_ack_due());
    assert_eq!(receiver.acknowledgement(true).number, START + 2000);
    assert_eq!((receiver.is_ack_due(), receiver.deadline), (false, Time::MAX));
    receiver.handle_data(&segment(2), Time::from_millis(2));
    receiver.handle_wakeup(Time::from_millis(41));
    assert!(!receiver.is_ack_due());
    receiver.handle_wakeup(Time::from_millis(42));
    assert!(receiver.is_ack_due());
}

#[test]
fn rfc5681_4_2_acknowledges_at_once_out_of_order_and_when_a_gap_fills() {
    let mut receiver = receiver(65_535);
    receiver.handle_data(&segment(1), Time::ZERO);
    assert!(receiver.is_ack_due());
    receiver.acknowledgement(true);
    assert!(receiver.handle_data(&segment(0), Time::ZERO));
    assert!(receiver.is_ack_due(), "gap filled");
    receiver.acknowledgement(true);
    receiver.handle_data(&segment(0), Time::ZERO);
    assert!(receiver.is_ack_due(), "repeated");
}

#[test]
fn rfc2018_4_the_first_block_holds_the_segment_that_arrived_last() {
    let mut receiver = receiver(65_535);
    for number in [2, 4, 6, 8] {
        receiver.handle_data(&segment(number), Time::ZERO);
    }
    assert_eq!(blocks(&mut receiver), [(8, 9), (6, 7), (4, 5)]);
    receiver.handle_data(&segment(3), Time::ZERO);
    assert_eq!(blocks(&mut receiver), [(2, 5), (8, 9), (6, 7)]);
}

#[test]
fn rfc2883_4_a_duplicate_is_reported_once_and_first() {
    let mut receiver = receiver(65_535);
    receiver.handle_data(&segment(0), Time::ZERO);
    receiver.handle_data(&segment(2), Time::ZERO);
    receiver.acknowledgement(true);
    receiver.handle_data(&segment(0), Time::ZERO);
    assert_eq!(blocks(&mut receiver), [(0, 1), (2, 3)]);
    assert_eq!(blocks(&mut receiver), [(2, 3)]);
    receiver.handle_data(&segment(2), Time::ZERO);
    assert_eq!(blocks(&mut receiver), [(2, 3), (2, 3)], "the block that holds it follows");
}

#[test]
fn rfc9293_3_8_6_the_window_shrinks_with_unread_data_and_reopens_without_small_updates() {
    let mut receiver = receiver(4 * MSS);
    for number in 0..4 {
        receiver.handle_data(&segment(number), Time::ZERO);
    }
    assert_eq!(receiver.acknowledgement(true).window, 0);
    assert!(!receiver.handle_data(&segment(4), Time::ZERO), "beyond the window");
    receiver.acknowledgement(true);
    receiver.read(100);
    assert!(!receiver.is_ack_due(), "100 bytes are too few for an update");
    receiver.read(900);
    assert!(receiver.is_ack_due());
    assert_eq!(receiver.acknowledgement(true).window, 1000);
}

#[test]
fn rfc3168_6_1_3_echoes_from_the_mark_until_the_sender_has_reduced() {
    let mut receiver = receiver(65_535);
    receiver.ecn = Some(EcnFeedback::Classic);
    receiver.handle_data(&IncomingData { ce: true, ..segment(0) }, Time::ZERO);
    assert!(receiver.acknowledgement(true).ecn_echo);
    receiver.handle_data(&segment(1), Time::ZERO);
    assert!(receiver.acknowledgement(true).ecn_echo);
    receiver.handle_data(&IncomingData { cwr: true, ..segment(2) }, Time::ZERO);
    assert!(!receiver.acknowledgement(true).ecn_echo);
    receiver.handle_data(&IncomingData { ce: true, cwr: true, ..segment(3) }, Time::ZERO);
    assert!(receiver.acknowledgement(true).ecn_echo);
}

#[test]
fn rfc8257_3_2_acknowledges_immediately_when_marks_change() {
    let mut receiver = receiver(65_535);
    receiver.ecn = Some(EcnFeedback::PerPacket);
    receiver.handle_data(&segment(0), Time::ZERO);
    receiver.handle_data(&IncomingData { ce: true, ..segment(1) }, Time::ZERO);
    assert!(receiver.is_ack_due());
    let first = receiver.acknowledgement(true);
    assert_eq!(
        (first.number, first.ecn_echo),
        (START + 1000, false),
        "for the segments before, with their mark"
    );
    assert!(receiver.is_ack_due());
    let second = receiver.acknowledgement(true);
    assert_eq!((second.number, second.ecn_echo), (START + 2000, true));
    assert!(!receiver.is_ack_due());
    // If no segment waits for an ACK, one is enough.
    receiver.handle_data(&segment(2), Time::ZERO);
    let third = receiver.acknowledgement(true);
    assert_eq!((third.number, third.ecn_echo), (START + 3000, false));
    assert!(!receiver.is_ack_due());
}

#[test]
fn rfc8257_3_2_delays_acks_while_marks_stay_the_same() {
    let mut receiver = receiver(65_535);
    receiver.ecn = Some(EcnFeedback::PerPacket);
    for number in 0..3 {
        receiver.handle_data(&IncomingData { ce: true, ..segment(number) }, Time::ZERO);
        // The first one changes the mark, the second is delayed, the third completes the pair.
        assert_eq!(receiver.is_ack_due(), number != 1);
        if receiver.is_ack_due() {
            assert!(receiver.acknowledgement(true).ecn_echo);
        }
    }
}

#[test]
fn fin_is_acknowledged_with_one_more_and_only_in_order() {
    let mut receiver = receiver(65_535);
    receiver.handle_data(&IncomingData { fin: true, ..segment(1) }, Time::ZERO);
    assert!(!receiver.fin_received);
    receiver.handle_data(&segment(0), Time::ZERO);
    assert!(receiver.fin_received);
    assert_eq!(receiver.acknowledgement(true).number, START + 2001);
}
