//! Segmentation, reassembly and retransmission, by the rules of TS 38.322.

use jettison_core::Duration;

use super::*;

fn um() -> Rlc {
    Rlc::new(&RlcParameters { t_reassembly: Duration::from_millis(50), ..RlcParameters::default() })
}

fn am(parameters: RlcParameters) -> Rlc {
    Rlc::new(&RlcParameters { mode: RlcMode::Am, ..parameters })
}

/// Fills a block of `room` bytes, with as many SDUs of `lengths` as it takes.
fn block(rlc: &mut Rlc, room: u32, lengths: &mut Vec<u32>, ms: u64) -> Vec<Segment> {
    let mut block = Vec::new();
    let mut room = rlc.fill(room, &mut block);
    while rlc.takes(room) && !lengths.is_empty() {
        rlc.submit(lengths.remove(0));
        room = rlc.fill(room, &mut block);
    }
    rlc.close(&mut block, lengths.is_empty(), Time::from_millis(ms));
    block
}

fn parts(block: &[Segment]) -> Vec<(u32, u32, u32)> {
    block.iter().map(|segment| (segment.sdu, segment.from, segment.to)).collect()
}

fn receive(rlc: &mut Rlc, block: &[Segment], ms: u64) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for segment in block {
        rlc.receive(segment, Time::from_millis(ms), &mut verdicts);
    }
    verdicts
}

fn run(rlc: &mut Rlc, ms: u64) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    rlc.run_timers(Time::from_millis(ms), &mut verdicts);
    verdicts
}

fn at(ms: u64) -> Option<Time> {
    Some(Time::from_millis(ms))
}

/// §5.2.2.1, §6.2.2.3: an SDU is segmented only where it does not fit; a whole one has no number and a header of a byte.
#[test]
fn a_block_is_filled_with_whole_sdus_and_a_segment() {
    let mut rlc = um();
    let mut lengths = vec![100, 100, 1000];
    // 103 bytes each with a header of 1 and MAC's 2; of the third, 294 bytes with headers of 2 + 3 behind these.
    let first = block(&mut rlc, 206 + 299, &mut lengths, 0);
    assert_eq!(parts(&first), [(0, 0, 100), (1, 0, 100), (2, 0, 294)]);
    assert_eq!(first.iter().map(|segment| segment.number).collect::<Vec<_>>(), [None, None, Some(0)]);
    // The rest has a segment offset: 4 + 3.
    let second = block(&mut rlc, 5000, &mut lengths, 1);
    assert_eq!(parts(&second), [(2, 294, 1000)]);
    assert_eq!(receive(&mut rlc, &first, 1), [Verdict::Complete(0), Verdict::Complete(1)]);
    assert_eq!(receive(&mut rlc, &second, 2), [Verdict::Complete(2)]);
}

/// A block that is no larger than the headers carries nothing, and takes no SDU.
#[test]
fn a_block_of_headers_takes_nothing() {
    let mut rlc = um();
    assert!(!rlc.takes(4) && rlc.takes(5));
    assert!(block(&mut rlc, 4, &mut vec![100], 0).is_empty());
}

/// §5.2.2.2.3: RLC delivers an SDU as soon as it is complete, also before earlier ones.
#[test]
fn unacknowledged_mode_does_not_reorder() {
    let mut rlc = um();
    let mut lengths = vec![400; 4];
    let blocks: Vec<_> = (0..4).map(|slot| block(&mut rlc, 500, &mut lengths, slot)).collect();
    assert_eq!(parts(&blocks[0]), [(0, 0, 400), (1, 0, 92)]);
    assert_eq!(receive(&mut rlc, &blocks[1], 2), [], "the start of 1 is missing, and the end of 2");
    assert_eq!(receive(&mut rlc, &blocks[2], 3), [Verdict::Complete(2)]);
    assert_eq!(receive(&mut rlc, &blocks[0], 9), [Verdict::Complete(0), Verdict::Complete(1)]);
}

/// §5.2.2.2.3, §5.2.2.2.4: t-Reassembly runs while segments are missing, and discards what then is not complete.
#[test]
fn segments_are_discarded_when_t_reassembly_expires() {
    let mut rlc = um();
    let mut lengths = vec![400; 2];
    let blocks: Vec<_> = (0..3).map(|slot| block(&mut rlc, 300, &mut lengths, slot)).collect();
    receive(&mut rlc, &blocks[0], 1);
    assert_eq!(rlc.next_timer(), None, "nothing is missing before what came");
    assert_eq!(receive(&mut rlc, &blocks[2], 3), []);
    assert_eq!(rlc.next_timer(), at(53));
    // Both are below RX_Timer_Trigger, and lack what the second block has.
    assert_eq!(run(&mut rlc, 53), [Verdict::Lost(0), Verdict::Lost(1)]);
    // What comes now is outside of the window: discarded.
    assert_eq!(receive(&mut rlc, &blocks[1], 54), []);
    assert_eq!(rlc.next_timer(), None);
}

/// §5.2.2.2.3: the timer stops when what it waits for has come.
#[test]
fn t_reassembly_stops_when_the_segments_come() {
    let mut rlc = um();
    let mut lengths = vec![400];
    let blocks: Vec<_> = (0..2).map(|slot| block(&mut rlc, 300, &mut lengths, slot)).collect();
    receive(&mut rlc, &blocks[1], 2);
    assert_eq!(rlc.next_timer(), at(52));
    assert_eq!(receive(&mut rlc, &blocks[0], 9), [Verdict::Complete(0)]);
    assert_eq!(rlc.next_timer(), None);
}

/// §5.2.2.2.3: a PDU moves the window, and what falls out of it is discarded.
#[test]
fn the_window_of_unacknowledged_mode_discards_old_segments() {
    let mut rlc = Rlc::new(&RlcParameters { sn_length: 6, ..RlcParameters::default() }); // a window of 32
    let mut lengths = vec![400; 34];
    let blocks: Vec<_> = (0..68).map(|slot| block(&mut rlc, 250, &mut lengths, slot)).collect();
    let firsts: Vec<_> = blocks.iter().flatten().filter(|segment| segment.from == 0).copied().collect();
    assert!(receive(&mut rlc, &firsts[..32], 70).is_empty());
    assert_eq!(receive(&mut rlc, &firsts[32..33], 71), [Verdict::Lost(0)]);
}

/// §5.3.3.2: polls by pollPDU, and where nothing else can be sent.
#[test]
fn polls_are_set_by_count_and_at_the_end() {
    let mut rlc = am(RlcParameters { poll_pdu: 4, ..RlcParameters::default() });
    let mut lengths = vec![100; 10];
    let polls = |block: &[Segment]| block.iter().map(|segment| segment.poll).collect::<Vec<_>>();
    let first = block(&mut rlc, 2 * 104, &mut lengths, 0);
    assert_eq!(polls(&first), [false, false]);
    assert_eq!(polls(&block(&mut rlc, 2 * 104, &mut lengths, 1)), [false, true]);
    assert_eq!(polls(&block(&mut rlc, 3 * 104, &mut lengths, 2)), [false, false, false]);
    assert_eq!(polls(&block(&mut rlc, 900, &mut lengths, 3)), [false, false, true]);
}

/// §5.3.3.2: pollByte.
#[test]
fn polls_are_set_by_bytes() {
    let parameters =
        RlcParameters { poll_pdu: 0, poll_byte: jettison_core::Bytes::new(250), ..RlcParameters::default() };
    let mut rlc = am(parameters);
    let mut lengths = vec![100; 4];
    assert!(!block(&mut rlc, 2 * 104, &mut lengths, 0).last().unwrap().poll);
    assert!(block(&mut rlc, 104, &mut lengths, 1).last().unwrap().poll);
}

/// §5.2.3.2, §5.3.4, §5.3.2: what is missing when t-Reassembly expires is reported, and sent again before what is new.
#[test]
fn acknowledged_mode_sends_again_what_is_reported_missing() {
    // A report takes 5 ms.
    let mut rlc =
        am(RlcParameters { t_poll_retransmit: Duration::from_millis(100), ..RlcParameters::default() });
    let mut lengths = vec![400; 3];
    let blocks: Vec<_> = (0..3).map(|slot| block(&mut rlc, 405, &mut lengths, slot)).collect();
    assert_eq!(receive(&mut rlc, &blocks[0], 1), [Verdict::Complete(0)]);
    assert_eq!(receive(&mut rlc, &blocks[2], 3), [Verdict::Complete(2)]);
    assert!(blocks[2][0].poll, "the last one polls");
    assert!(!rlc.has_data(), "the report is delayed while t-Reassembly runs (§5.3.4)");
    run(&mut rlc, 53);
    assert_eq!(rlc.next_timer(), at(58), "the report comes");
    run(&mut rlc, 58);
    assert_eq!(rlc.bytes(), 400);
    let again = block(&mut rlc, 1000, &mut vec![100], 58);
    assert_eq!(parts(&again), [(1, 0, 400), (3, 0, 100)]);
    assert_eq!((again[0].again, again[1].again), (true, false));
    assert_eq!(receive(&mut rlc, &again, 59), [Verdict::Complete(1), Verdict::Complete(3)]);
}

/// §5.3.2: a retransmission is segmented if the block is smaller.
#[test]
fn a_retransmission_is_segmented_where_it_does_not_fit() {
    let mut rlc = am(RlcParameters::default());
    let mut lengths = vec![400, 100];
    let lost = block(&mut rlc, 405, &mut lengths, 0);
    let second = block(&mut rlc, 405, &mut lengths, 1);
    assert_eq!(parts(&lost), [(0, 0, 400)]);
    receive(&mut rlc, &second, 2);
    run(&mut rlc, 52);
    run(&mut rlc, 57);
    assert_eq!(parts(&block(&mut rlc, 204, &mut lengths, 57)), [(0, 0, 200)]);
    assert_eq!(parts(&block(&mut rlc, 1000, &mut lengths, 58)), [(0, 200, 400)]);
}

/// §5.3.3.4: without an answer the poll is repeated, with the SDU of the highest number if there is nothing else.
#[test]
fn a_poll_without_an_answer_is_repeated() {
    let mut rlc = am(RlcParameters::default());
    let sent = block(&mut rlc, 1000, &mut vec![100, 100], 0);
    assert!(sent[1].poll);
    assert_eq!(rlc.next_timer(), at(50));
    run(&mut rlc, 50);
    let again = block(&mut rlc, 1000, &mut Vec::new(), 51);
    assert_eq!((parts(&again), again[0].poll), (vec![(1, 0, 100)], true));
}

/// §5.3.2: after maxRetxThreshold retransmissions the SDU is given up, and the window goes on.
#[test]
fn an_sdu_is_given_up_after_its_last_retransmission() {
    let mut rlc = am(RlcParameters { max_retransmissions: 2, ..RlcParameters::default() });
    block(&mut rlc, 1000, &mut vec![100], 0);
    let mut given_up = Vec::new();
    for ms in 1..400 {
        if rlc.next_timer() == at(ms) {
            given_up.extend(run(&mut rlc, ms).into_iter().map(|verdict| (ms, verdict)));
        }
        if rlc.has_data() {
            block(&mut rlc, 1000, &mut Vec::new(), ms);
        }
    }
    // The first transmission at 0, retransmissions at 50 and 100 ms.
    assert_eq!(given_up, [(150, Verdict::GivenUp(0))]);
    assert_eq!(rlc.next_timer(), None);
}

/// §5.3.4: at most one report in t-StatusProhibit.
#[test]
fn reports_keep_their_distance() {
    let mut rlc = am(RlcParameters {
        poll_pdu: 1,
        t_status_prohibit: Duration::from_millis(20),
        ..RlcParameters::default()
    });
    let mut lengths = vec![100; 2];
    let blocks: Vec<_> = (0..2).map(|slot| block(&mut rlc, 104, &mut lengths, slot)).collect();
    receive(&mut rlc, &blocks[0], 1);
    receive(&mut rlc, &blocks[1], 2);
    assert_eq!(rlc.next_timer(), at(6), "the first report, sent at 1 ms");
    run(&mut rlc, 6);
    assert_eq!(rlc.next_timer(), at(21), "the second may be sent 20 ms after the first");
    run(&mut rlc, 21);
    assert_eq!(rlc.next_timer(), at(26));
    run(&mut rlc, 26);
    assert_eq!(rlc.next_timer(), None, "all is acknowledged, and no poll is open");
}

/// §5.2.3.1: no SDU beyond the window is sent.
#[test]
fn the_window_of_acknowledged_mode_bounds_what_is_not_acknowledged() {
    let mut rlc = am(RlcParameters { poll_pdu: 0, ..RlcParameters::default() });
    let mut lengths = vec![10; 3000];
    let sent = block(&mut rlc, u32::MAX, &mut lengths, 0);
    assert_eq!(sent.len(), 2048);
    assert!(sent[2047].poll, "a stalled window polls (§5.3.3.2)");
    receive(&mut rlc, &sent, 1);
    run(&mut rlc, 6);
    assert_eq!(block(&mut rlc, u32::MAX, &mut lengths, 6).len(), 952);
}
