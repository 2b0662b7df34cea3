//! Tests of the scoreboard against RFC 6675 and RFC 8985, and of its counters against a recount.

use proptest::prelude::*;

use super::*;

const MSS: u64 = 1000;

#[derive(Default)]
struct Sink {
    delivered: u64,
}
impl DeliverySink for Sink {
    fn on_acknowledged(&mut self, segment: &Segment) {
        self.delivered += u64::from(segment.length);
    }
    fn on_sacked(&mut self, segment: &Segment) {
        self.delivered += u64::from(segment.length);
    }
}

/// `count` segments, one per millisecond.
fn board(count: u64) -> Scoreboard {
    let mut board = Scoreboard::default();
    for i in 0..count {
        board.push(MSS as u32, false, Time::from_millis(i), SendSnapshot::default());
    }
    board
}

fn sack(board: &mut Scoreboard, segments: std::ops::Range<u64>) {
    board.sack(segments.start * MSS, segments.end * MSS, &mut Sink::default());
    board.check();
}

fn lost_segments(board: &Scoreboard) -> Vec<u64> {
    board.segments.iter().filter(|s| s.state == State::Lost).map(|s| s.start / MSS).collect()
}

#[test]
fn rfc6675_4_is_lost_below_three_discontiguous_ranges() {
    let mut board = board(10);
    sack(&mut board, 2..3);
    sack(&mut board, 4..5);
    board.detect_by_count(MSS);
    assert!(lost_segments(&board).is_empty());
    // Three small ranges suffice even with less than two segments' worth of bytes.
    sack(&mut board, 6..7);
    board.detect_by_count(MSS);
    assert_eq!(lost_segments(&board), [0, 1], "segment 3 has only two ranges above it");
    assert_eq!(board.in_flight(), 5 * MSS);
}

#[test]
fn rfc6675_4_is_lost_below_more_than_two_segments_of_sacked_bytes() {
    let mut board = board(10);
    sack(&mut board, 1..3);
    board.detect_by_count(MSS);
    assert!(lost_segments(&board).is_empty(), "(DupThresh - 1) * SMSS is not more than that");
    sack(&mut board, 3..4);
    board.detect_by_count(MSS);
    assert_eq!(lost_segments(&board), [0]);
}

#[test]
fn rfc6675_4_next_seg_takes_the_lowest_lost_then_the_doubtful_then_the_last() {
    let mut board = board(10);
    sack(&mut board, 3..6);
    sack(&mut board, 7..8);
    board.detect_by_count(MSS);
    board.begin_recovery();
    for expected in 0..3 {
        let (number, segment) = board.next_lost().expect("three are lost");
        assert_eq!(segment.start, expected * MSS);
        board.retransmit(number, Time::from_secs(1), SendSnapshot::default(), false);
        board.check();
    }
    assert!(board.next_lost().is_none());
    let (number, doubtful) = board.next_doubtful().expect("segment 6 lies below 7");
    assert_eq!(doubtful.start, 6 * MSS);
    let before = board.in_flight();
    board.retransmit(number, Time::from_secs(1), SendSnapshot::default(), false);
    assert_eq!(board.in_flight(), before + MSS, "both copies count");
    assert!(board.next_doubtful().is_none());
    assert_eq!(board.last_unsacked().map(|(_, s)| s.start), Some(9 * MSS));
    sack(&mut board, 6..7);
    assert_eq!(board.in_flight(), before - MSS);
}

#[test]
fn rfc8985_6_2_marks_lost_by_time_segments_sent_before_the_newest_delivered() {
    let mut board = board(10);
    // Segment 5, sent at 5 ms, is delivered at 25 ms; RTT 20 ms and a reordering window of 2 ms.
    sack(&mut board, 5..6);
    let patience = Duration::from_millis(22);
    let wake = board.detect_by_time(5, patience, Time::from_millis(25));
    assert_eq!(lost_segments(&board), [0, 1, 2, 3]);
    assert_eq!(wake, Some(Time::from_millis(26)));
    let wake = board.detect_by_time(5, patience, Time::from_millis(26));
    assert_eq!(lost_segments(&board), [0, 1, 2, 3, 4]);
    assert_eq!(wake, None, "6 left after the newest delivered");
}

#[test]
fn rfc8985_6_2_a_lost_retransmission_is_lost_again() {
    let mut board = board(6);
    sack(&mut board, 1..2);
    let patience = Duration::from_millis(20);
    board.detect_by_time(1, patience, Time::from_millis(30));
    let (number, _) = board.next_lost().expect("segment 0");
    board.retransmit(number, Time::from_millis(30), SendSnapshot::default(), true);
    assert_eq!(board.lost(), 0);
    // Segment 6 leaves after the retransmission and is delivered.
    board.push(MSS as u32, false, Time::from_millis(31), SendSnapshot::default());
    sack(&mut board, 6..7);
    board.detect_by_time(7, patience, Time::from_millis(51));
    assert_eq!(lost_segments(&board), [0, 2, 3, 4, 5]);
    board.check();
}

#[test]
fn rfc2018_8_a_timeout_with_a_sacked_head_means_the_peer_reneged() {
    let mut board = board(4);
    sack(&mut board, 0..2);
    board.mark_lost_on_timeout(|_| true);
    board.check();
    assert_eq!((board.lost(), board.sacked()), (4 * MSS, 0));
}

#[test]
fn a_partly_acknowledged_segment_keeps_its_rest() {
    let mut board = board(2);
    let mut sink = Sink::default();
    board.acknowledge(300, &mut sink);
    board.check();
    assert_eq!((sink.delivered, board.in_flight(), board.una()), (300, 1700, 300));
    board.acknowledge(2000, &mut sink);
    assert_eq!((sink.delivered, board.in_flight(), board.is_empty()), (2000, 0, true));
}

proptest! {
    /// In any sequence of operations, the counters agree with the segments and every byte is delivered once.
    #[test]
    fn counters_agree_with_a_recount(steps in prop::collection::vec((0u8..8, 0u64..40, 1u64..6), 1..120)) {
        let mut board = Scoreboard::default();
        let mut sink = Sink::default();
        let mut now = Time::ZERO;
        for (what, at, length) in steps {
            now += Duration::from_millis(1);
            let snapshot = SendSnapshot::default();
            match what {
                0 | 1 => board.push((length * 200) as u32, false, now, snapshot),
                2 => {
                    let (una, next) = (board.una(), board.next());
                    board.acknowledge((una + at * 100).min(next), &mut sink);
                }
                3 => {
                    let start = board.una() + at * 100;
                    let next = board.next();
                    board.sack(start.min(next), (start + length * 400).min(next), &mut sink);
                }
                4 => board.detect_by_count(500),
                5 => {
                    board.detect_by_time(at * 2, Duration::from_millis(at), now);
                }
                6 => {
                    if let Some((number, _)) = board.next_lost().or_else(|| board.next_doubtful()) {
                        board.retransmit(number, now, snapshot, true);
                    }
                }
                _ if at < 5 && !board.segments.front().is_some_and(|s| s.state == State::Sacked) => board.mark_lost_on_timeout(|sent_at| now.since(sent_at) > Duration::from_millis(3)),
                _ if at < 8 => board.unmark_lost(),
                _ => {}
            }
            board.check();
        }
        let (next, held) = (board.next(), board.sacked());
        let before = sink.delivered;
        board.acknowledge(next, &mut sink);
        prop_assert!(board.is_empty());
        prop_assert!(sink.delivered >= before);
        prop_assert!(sink.delivered <= next);
        prop_assert!(held <= before);
    }
}
