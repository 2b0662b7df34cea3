//! Acknowledgements: one per packet, their contents, and the resulting events.

use std::sync::{Arc, Mutex};

use jettison_core::{Rate, Time};
use jettison_messages::path::{ArrivedPacket, PathAck, PathController, PathSent};
use jettison_messages::{Connection, MessageParams, OctopusParameters};
use jettison_tcp::Payload;
use jettison_wire::Ecn;

use super::harness::*;

/// A controller with a constant window that records its inputs.
#[derive(Debug, Clone, Default)]
struct Told(Arc<Mutex<Record>>);

#[derive(Debug)]
struct Record {
    window: u64,
    /// Time at which it opens its window to one packet.
    opens_at: Option<Time>,
    arrived: Vec<ArrivedPacket>,
    lost: Vec<u64>,
    sent: Vec<(u64, bool)>,
    timeouts: Vec<Time>,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            window: 5_000,
            opens_at: None,
            arrived: Vec::new(),
            lost: Vec::new(),
            sent: Vec::new(),
            timeouts: Vec::new(),
        }
    }
}

impl PathController for Told {
    fn on_sent(&mut self, sent: &PathSent) {
        self.0.lock().expect("one thread").sent.push((sent.sequence, sent.is_app_limited));
    }
    fn on_ack(&mut self, ack: &PathAck<'_>) {
        let mut record = self.0.lock().expect("one thread");
        record.arrived.extend_from_slice(ack.arrived);
        record.lost.extend(ack.lost.iter().map(|packet| packet.sequence));
    }
    fn on_timeout(&mut self, now: Time, _in_flight: u64) {
        self.0.lock().expect("one thread").timeouts.push(now);
    }
    fn window(&self) -> u64 {
        self.0.lock().expect("one thread").window
    }
    fn next_wakeup(&self) -> Option<Time> {
        self.0.lock().expect("one thread").opens_at
    }
    fn handle_wakeup(&mut self, now: Time, _in_flight: u64) {
        let mut record = self.0.lock().expect("one thread");
        if record.opens_at.take_if(|at| *at <= now).is_some() {
            record.window = 1_000;
        }
    }
    fn bandwidth(&self) -> Option<Rate> {
        None
    }
    fn ecn(&self) -> Ecn {
        Ecn::Ect1
    }
}

fn told(parameters: &OctopusParameters) -> (Net, Told) {
    let mut net = Net::new(ms(10), parameters);
    let told = Told::default();
    net.ends[0] = Connection::new(&Arc::new(parameters.clone()), Box::new(told.clone()), Time::ZERO);
    (net, told)
}

#[test]
fn each_packet_has_an_ack_with_its_time_of_arrival() {
    let (mut net, told) = told(&parameters());
    net.script(|seen| if seen.is_data() && seen.nth == 1 { Fate::Late(ms(2)) } else { Fate::Pass });
    net.send(2_940);
    net.run_to_end(at(1000));
    let record = told.0.lock().expect("one thread");
    let times: Vec<_> = record.arrived.iter().map(|packet| (packet.sequence, packet.arrived_at)).collect();
    assert_eq!(times, [(0, Some(at(10))), (2, Some(at(10))), (1, Some(at(12)))]);
    assert!(record.lost.is_empty());
    assert_eq!(net.statistics(1).acks_sent, 3);
}

#[test]
fn an_ack_covers_lost_acks() {
    let (mut net, told) = told(&parameters());
    net.script(|seen| if !seen.is_data() && seen.nth < 3 { Fate::Drop } else { Fate::Pass });
    net.send(3_920);
    net.run_to_end(at(1000));
    let record = told.0.lock().expect("one thread");
    let times: Vec<_> = record.arrived.iter().map(|packet| (packet.sequence, packet.arrived_at)).collect();
    assert_eq!(times, [(0, None), (1, None), (2, None), (3, Some(at(10)))], "in order of their numbers");
}

#[test]
fn arrival_times_continue_when_the_wire_format_wraps() {
    let (mut net, told) = told(&parameters());
    // 2^32 µs are 4,294.967296 s.
    net.run_until(Time::from_millis(4_294_950));
    net.send(980);
    net.run_until(Time::from_millis(4_294_960));
    net.send(980);
    net.run_to_end(Time::from_millis(4_300_000));
    let record = told.0.lock().expect("one thread");
    let times: Vec<_> = record.arrived.iter().filter_map(|packet| packet.arrived_at).collect();
    assert_eq!(times, [Time::from_millis(4_294_960), Time::from_millis(4_294_970)]);
}

#[test]
fn marks_are_echoed_with_their_packet() {
    let (mut net, told) = told(&parameters());
    net.script(|seen| if seen.is_data() && seen.nth == 1 { Fate::Mark } else { Fate::Pass });
    net.send(2_940);
    net.run_to_end(at(1000));
    let marks: Vec<_> = told.0.lock().expect("one thread").arrived.iter().map(|packet| packet.ecn).collect();
    assert_eq!(marks, [Ecn::Ect1, Ecn::Ce, Ecn::Ect1]);
    assert_eq!(net.statistics(1).ce_received, 1);
}

#[test]
fn a_mark_is_counted_although_its_ack_was_lost() {
    let (mut net, told) = told(&parameters());
    net.script(|seen| match (seen.is_data(), seen.nth) {
        (true, 1) => Fate::Mark,
        (false, 1) => Fate::Drop,
        _ => Fate::Pass,
    });
    net.send(2_940);
    net.run_to_end(at(1000));
    let marks =
        told.0.lock().expect("one thread").arrived.iter().filter(|packet| packet.ecn == Ecn::Ce).count();
    assert_eq!(marks, 1);
}

#[test]
fn fewer_acks_are_a_parameter() {
    let (mut net, told) = told(&OctopusParameters { ack_every: 2, ..parameters() });
    net.send(2_940);
    net.run_to_end(at(1000));
    assert_eq!(net.statistics(1).acks_sent, 2);
    let record = told.0.lock().expect("one thread");
    assert_eq!(record.arrived.len(), 3);
    let last = net.log.iter().rfind(|seen| !seen.is_data()).expect("two ACKs");
    assert_eq!(last.at, at(10 + 25), "the odd one waits for max_ack_delay");
    assert!(record.timeouts.is_empty());
}

#[test]
fn the_sender_is_application_limited_if_nothing_waits() {
    let (mut net, told) = told(&parameters());
    assert!(net.ends[0].estimate(net.now).is_app_limited);
    // Five packets fill the window; the rest waits.
    net.send(9_800);
    assert!(!net.ends[0].estimate(net.now).is_app_limited);
    net.run_to_end(at(1000));
    assert!(net.ends[0].estimate(net.now).is_app_limited);
    net.send(980);
    let sent = told.0.lock().expect("one thread").sent.clone();
    assert!(sent[0].1, "it was idle before");
    assert!(!sent[9].1, "these filled the window");
    assert!(sent[10].1);
}

#[test]
fn a_controller_is_called_at_its_wakeup() {
    let (mut net, told) = told(&parameters());
    {
        let mut record = told.0.lock().expect("one thread");
        (record.window, record.opens_at) = (0, Some(at(40)));
    }
    net.send(1_960);
    net.run_to_end(at(1000));
    let times: Vec<_> = net.data().iter().map(|seen| seen.at).collect();
    assert_eq!(times, [at(40), at(60)], "a window of zero holds everything back");
}

#[test]
fn a_closed_window_without_wakeup_still_permits_a_packet() {
    let (mut net, told) = told(&parameters());
    told.0.lock().expect("one thread").window = 0;
    net.send(1_960);
    net.run_to_end(at(1000));
    let times: Vec<_> = net.data().iter().map(|seen| seen.at).collect();
    assert_eq!(times, [at(0), at(20)], "one at a time");
}

#[test]
fn rtt_is_sampled_and_reported() {
    let mut net = Net::new(ms(10), &parameters());
    assert_eq!((net.ends[0].estimate(net.now).rtt, net.ends[0].poll_rtt_sample()), (None, None));
    net.send_with(1, Payload::Zeros(100).into(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(1000));
    let estimate = net.ends[0].estimate(net.now);
    assert_eq!((estimate.rtt, estimate.min_rtt), (Some(ms(20)), Some(ms(20))));
    assert_eq!((net.ends[0].poll_rtt_sample(), net.ends[0].poll_rtt_sample()), (Some(ms(20)), None));
}
