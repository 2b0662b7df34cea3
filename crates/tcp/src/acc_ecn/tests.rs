use jettison_wire::{AccEcnOption, Ecn, Order, TcpHeader};

use super::*;

const MSS: u64 = 1000;

fn feedback(ace: u64) -> Feedback {
    Feedback { ace: (ace % 8) as u8, option: None, stamp: None }
}

fn with_bytes(ace: u64, bytes: u32) -> Feedback {
    let option = AccEcnOption::new(Order::Ect0First, [1, bytes]);
    Feedback { option: Some(option), ..feedback(ace) }
}

/// What an ACK for `segments` segments reports: packets and bytes.
fn read(decoder: &mut Decoder, feedback: Feedback, segments: u64) -> (u64, u64) {
    let marks = decoder.on_ack(&feedback, segments, segments * MSS, MSS);
    (marks.packets, marks.bytes)
}

#[test]
fn rfc9768_3_1_2_modes_are_those_of_table_2() {
    use EcnMode::{Accurate, Classic, NotEcn};
    let answers = |asked: EcnMode| (0..8).map(|flags| asked.for_syn_ack(flags)).collect::<Vec<_>>();
    assert_eq!(
        answers(Accurate),
        [NotEcn, Classic, Accurate, Accurate, Accurate, Accurate, Accurate, NotEcn]
    );
    assert_eq!(Classic.for_syn_ack(0b001), Classic);
    assert_eq!(Classic.for_syn_ack(0b011), NotEcn, "a reflection");
    // Section 3.1.3: a server takes unknown combinations for AccECN.
    let modes = |server: EcnMode| (0..8).map(|flags| server.for_syn(flags)).collect::<Vec<_>>();
    assert_eq!(
        modes(Accurate),
        [NotEcn, Accurate, Accurate, Classic, Accurate, Accurate, Accurate, Accurate]
    );
    assert_eq!((Classic.for_syn(0b111), Classic.for_syn(0b011)), (Classic, Classic));
    assert_eq!(NotEcn.for_syn(0b111), NotEcn);
}

#[test]
fn rfc9768_3_2_1_counters_begin_at_5_1_1_and_0() {
    let mut reflector = Reflector::default();
    assert_eq!(reflector.ace(true), 5);
    assert_eq!(reflector.initial_option().fields(), [1, 0, 1]);
}

#[test]
fn rfc9768_3_2_2_1_the_ack_of_the_syn_ack_has_an_encoding_of_its_own() {
    for (ecn, flags, counter) in
        [(Ecn::NotEct, 0b010, 5), (Ecn::Ect1, 0b011, 5), (Ecn::Ect0, 0b100, 5), (Ecn::Ce, 0b110, 6)]
    {
        let mut reflector = Reflector::default();
        reflector.on_syn_ack(ecn);
        reflector.on_syn_ack(ecn);
        assert_eq!(reflector.ace(true), flags, "{ecn:?}");
        assert_eq!(reflector.ace(false), counter, "data has the counter, which counts once");
        reflector.add_to_ack(&mut TcpHeader::new(1, 2), EcnOption::Changed);
        assert_eq!(reflector.ace(true), counter, "so has the next ACK");
    }
}

#[test]
fn rfc9768_3_2_2_5_1_the_first_mark_and_then_every_second_is_acknowledged_at_once() {
    let mut reflector = Reflector::default();
    let mut due = |ecn| reflector.on_packet(ecn, MSS, true);
    assert_eq!([Ecn::Ect0, Ecn::Ce, Ecn::Ect0].map(&mut due), [false, true, false]);
    let mut reflector = Reflector::default();
    let due: Vec<bool> = (0..7)
        .map(|_| {
            let due = reflector.on_packet(Ecn::Ce, MSS, true);
            if due {
                reflector.ace(true);
            }
            due
        })
        .collect();
    assert_eq!(due, [true, false, true, false, true, false, true]);
}

#[test]
fn rfc9768_3_2_2_5_1_marked_pure_acks_are_acknowledged_by_threes() {
    let mut reflector = Reflector::default();
    let due: Vec<bool> = (0..3).map(|_| reflector.on_packet(Ecn::Ce, 0, false)).collect();
    assert_eq!(due, [false, false, true]);
    assert_eq!(reflector.ace(true), 0, "5 and 3");
    assert_eq!(reflector.initial_option().fields(), [1, 0, 1], "no byte was marked");
}

#[test]
fn rfc9768_3_2_3_3_an_option_holds_every_counter_that_has_changed_and_follows_a_change() {
    let mut reflector = Reflector::default();
    let ack = |reflector: &mut Reflector| {
        let mut header = TcpHeader::new(1, 2);
        reflector.add_to_ack(&mut header, EcnOption::Changed);
        header.acc_ecn()
    };
    assert_eq!(ack(&mut reflector), None, "nothing has changed");
    reflector.on_packet(Ecn::Ect0, 100, false);
    let option = ack(&mut reflector).unwrap();
    assert_eq!((option.order(), option.fields()), (Order::Ect0First, &[101][..]));
    assert_eq!(ack(&mut reflector), None);
    reflector.on_packet(Ecn::Ce, 10, false);
    assert_eq!(ack(&mut reflector).unwrap().fields(), [101, 10]);
    reflector.on_packet(Ecn::Ect1, 7, false);
    let option = ack(&mut reflector).unwrap();
    assert_eq!((option.order(), option.fields()), (Order::Ect1First, &[8, 10, 101][..]));
    reflector.on_packet(Ecn::NotEct, 7, false);
    assert_eq!(ack(&mut reflector), None, "no counter of Not-ECT");
}

#[test]
fn rfc9768_3_2_3_3_two_sack_blocks_go_first_and_a_third_gives_way() {
    let header = |blocks: u32| {
        let mut header = TcpHeader::new(1, 2);
        header.options = TcpHeader::OPT_TIMESTAMPS;
        (0..blocks).for_each(|n| assert!(header.sack.push(10 * n, 10 * n + 5)));
        header
    };
    let mut reflector = Reflector::default();
    reflector.on_packet(Ecn::Ect1, 7, false);
    reflector.on_packet(Ecn::Ce, 7, false);
    let mut with = header(3);
    reflector.clone().add_to_ack(&mut with, EcnOption::Changed);
    assert_eq!((with.sack.len(), with.acc_ecn().unwrap().fields().len()), (2, 2));
    // Three counters do not fit beside two blocks, and are all needed.
    reflector.on_packet(Ecn::Ect0, 7, false);
    let mut with = header(3);
    reflector.clone().add_to_ack(&mut with, EcnOption::Changed);
    assert_eq!((with.sack.len(), with.acc_ecn()), (3, None));
    // The last one is not needed if it has not changed since.
    let mut with = header(0);
    reflector.add_to_ack(&mut with, EcnOption::Changed);
    assert_eq!(with.acc_ecn().unwrap().fields().len(), 3);
    reflector.on_packet(Ecn::Ce, 7, false);
    let mut with = header(2);
    reflector.add_to_ack(&mut with, EcnOption::Changed);
    assert_eq!((with.sack.len(), with.acc_ecn().unwrap().fields()), (2, &[8, 14][..]));
}

#[test]
fn rfc9768_3_2_2_2_the_increment_is_the_least_that_ace_allows() {
    let mut decoder = Decoder::default();
    assert_eq!(read(&mut decoder, feedback(5), 2), (0, 0));
    assert_eq!(read(&mut decoder, feedback(6), 2), (1, MSS));
    assert_eq!(read(&mut decoder, feedback(8), 2), (2, 2 * MSS), "it wraps");
    assert_eq!(decoder.marked_packets(), 3);
    // Section 3.2.2.5.2: more marks than segments; control packets were marked.
    assert_eq!(read(&mut decoder, feedback(11), 1), (3, MSS));
}

#[test]
fn rfc9768_a_2_1_without_options_a_counter_that_may_have_wrapped_has() {
    // The text's examples: nine segments and an increment of two stay two, ten become ten.
    let mut decoder = Decoder::default();
    assert_eq!(read(&mut decoder, feedback(7), 9).0, 2);
    let mut decoder = Decoder::default();
    assert_eq!(read(&mut decoder, feedback(7), 10).0, 10);
    // Where ACKs always cover that many, it says nothing.
    let mut decoder = Decoder::default();
    (0..20).for_each(|_| assert_eq!(read(&mut decoder, feedback(5), 7).0, 0));
    assert_eq!(read(&mut decoder, feedback(7), 10).0, 2);
}

#[test]
fn rfc9768_a_2_2_with_options_bytes_tell_how_often_it_wrapped() {
    let mut decoder = Decoder::default();
    decoder.on_syn_ack(Some(AccEcnOption::new(Order::Ect0First, [1, 0, 1])));
    // Ten of thirty segments.
    assert_eq!(read(&mut decoder, with_bytes(15, 10_000), 30), (10, 10_000));
    // The text's example: seven packets and 10,200 bytes of segments of 1,460.
    let mut decoder = Decoder::default();
    decoder.on_syn_ack(Some(AccEcnOption::new(Order::Ect0First, [1, 0, 1])));
    let marks = decoder.on_ack(&with_bytes(12, 10_200), 15, 15 * 1460, 1460);
    assert_eq!((marks.packets, marks.bytes), (7, 10_200));
    // One that says none, with eight marks that only its bytes show.
    let mut decoder = Decoder::default();
    decoder.on_syn_ack(Some(AccEcnOption::new(Order::Ect0First, [1, 0, 1])));
    assert_eq!(read(&mut decoder, with_bytes(13, 1_460), 8), (8, 1_460));
}

#[test]
fn rfc9768_a_1_byte_counters_wrap_and_what_is_superseded_is_ignored() {
    let mut decoder = Decoder::default();
    let stamped = |ace, bytes, stamp| Feedback { stamp: Some(stamp), ..with_bytes(ace, bytes) };
    assert_eq!(read(&mut decoder, stamped(6, 1000, 10), 2), (1, 1000));
    // An older ACK that was overtaken, and one that is the same.
    assert_eq!(read(&mut decoder, stamped(5, 0, 9), 0), (0, 0));
    assert_eq!(read(&mut decoder, stamped(6, 1000, 10), 0), (0, 0));
    let modulus = AccEcnOption::MODULUS;
    decoder = Decoder::default();
    let mut total = 0;
    for n in 1..=40u32 {
        let bytes = (n * 500_000) % modulus;
        total += decoder.on_ack(&stamped(5 + u64::from(n) * 500, bytes, n), 500, 500_000, MSS).bytes;
    }
    assert_eq!((total, decoder.marked_packets()), (20_000_000, 20_000));
}

#[test]
fn rfc9768_3_2_3_2_5_bytes_are_counted_once_whether_an_option_comes_late_or_not() {
    let mut decoder = Decoder::default();
    assert_eq!(read(&mut decoder, with_bytes(5, 0), 2), (0, 0));
    // SACK blocks left no room for two ACKs; then the option reports all bytes.
    assert_eq!(read(&mut decoder, feedback(6), 2), (1, 1000));
    assert_eq!(read(&mut decoder, feedback(7), 2), (1, 1000));
    assert_eq!(read(&mut decoder, with_bytes(8, 3000), 2), (1, 1000));
    assert!(!decoder.is_inconsistent);
    assert_eq!(read(&mut decoder, with_bytes(8, 4000), 2).1, 1000);
    assert!(decoder.is_inconsistent, "bytes without a packet");
}

#[test]
fn rfc9768_3_2_3_2_4_an_option_that_begins_with_zero_is_ignored() {
    let mut decoder = Decoder::default();
    decoder.on_syn_ack(Some(AccEcnOption::new(Order::Ect1First, [0, 0, 0])));
    assert_eq!(read(&mut decoder, with_bytes(6, 500), 2), (1, 1000), "by ACE alone");
}

#[test]
fn rfc9768_table_4_the_server_learns_of_the_syn_acks_field() {
    for (flags, is_capable, marked) in
        [(0b000, false, 0), (0b001, true, 0), (0b010, true, 0), (0b011, false, 0), (0b110, false, 1)]
    {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.on_handshake_ack(flags, None), is_capable, "{flags:03b}");
        assert_eq!(decoder.marked_packets(), marked, "{flags:03b}");
    }
    let mut decoder = Decoder::default();
    decoder.on_handshake_ack(0b000, None);
    assert_eq!(read(&mut decoder, feedback(7), 3), (0, 0), "note 1: feedback is ignored");
}
