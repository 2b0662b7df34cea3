use jettison_core::{Seed, Time};
use jettison_measure::metrics;

use super::*;
use crate::testing::{Bench, REMOTE};
use jettison_sockets::{Application, Datagram};

fn run(parameters: &ConferenceParameters, seed: u64, until: Time) -> (ConferenceSender, Bench) {
    let mut bench = Bench::default();
    let mut sender = ConferenceSender::new(parameters, REMOTE, 0, Seed(seed).stream(&["frames"]));
    sender.start(Time::ZERO, &mut bench);
    bench.run(&mut sender, until);
    (sender, bench)
}

fn head(datagram: &Datagram) -> PacketHead {
    PacketHead::parse(datagram.head.as_slice()).expect("each has a head")
}

/// Returns the bytes of each frame.
fn frames(bench: &Bench) -> Vec<u64> {
    let mut frames = Vec::new();
    for (_, _, datagram) in &bench.sent {
        let part = head(datagram).part;
        frames.resize(part.frame as usize + 1, 0);
        frames[part.frame as usize] += u64::from(datagram.length);
    }
    frames
}

#[test]
fn a_frames_packets_leave_back_to_back_with_their_places() {
    let parameters = ConferenceParameters { frame_spread: 0.0, ..ConferenceParameters::default() };
    let (_, bench) = run(&parameters, 1, Time::from_millis(100));
    // 200 kbit/s in 15 frames: 1,666 bytes and two thirds, four packets each.
    let sent: Vec<_> = bench
        .sent
        .iter()
        .map(|(at, _, datagram)| {
            let head = head(datagram);
            assert_eq!(head.probe.sent_at, *at);
            let part = head.part;
            (at.as_nanos(), head.probe.sequence, part.frame, part.place, part.packets, datagram.length)
        })
        .collect();
    let second = 66_666_666;
    assert_eq!(
        sent,
        [
            (0, 0, 0, 0, 4, 417),
            (0, 1, 0, 1, 4, 417),
            (0, 2, 0, 2, 4, 416),
            (0, 3, 0, 3, 4, 416),
            (second, 4, 1, 0, 4, 417),
            (second, 5, 1, 1, 4, 417),
            (second, 6, 1, 2, 4, 417),
            (second, 7, 1, 3, 4, 416),
        ]
    );
}

#[test]
fn the_rate_is_exact_and_sizes_have_their_coefficient_of_variation() {
    let parameters = ConferenceParameters { frame_spread: 0.2, ..ConferenceParameters::default() };
    let (_, bench) = run(&parameters, 1, Time::from_secs(1_000));
    let sizes = frames(&bench);
    assert_eq!(sizes.len(), 15_000);
    let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
    assert!((mean / 1_666.67 - 1.0).abs() < 0.005, "{mean}");
    let variance = sizes.iter().map(|s| (*s as f64 - mean) * (*s as f64 - mean)).sum::<f64>() / 15_000.0;
    // The truncation at three deviations reduces the deviation by 1.3 %.
    let variation = libm::sqrt(variance) / mean;
    assert!((0.19..0.205).contains(&variation), "{variation}");
    assert!(sizes.iter().all(|size| (666..=2_668).contains(size)));
    assert!(bench.sent.iter().all(|(_, _, datagram)| datagram.length <= 500));
}

#[test]
fn without_spread_the_rate_is_exact_to_a_byte() {
    let parameters = ConferenceParameters { frame_spread: 0.0, ..ConferenceParameters::default() };
    let (_, bench) = run(&parameters, 1, Time::from_secs(60));
    let bytes: u64 = frames(&bench).iter().sum();
    assert!(bytes.abs_diff(200_000 / 8 * 60) <= 1, "{bytes}");
}

#[test]
fn a_packet_holds_its_head_however_low_the_rate() {
    let parameters = ConferenceParameters { rate: Rate::from_bits(800), ..ConferenceParameters::default() };
    let (_, bench) = run(&parameters, 1, Time::from_secs(1));
    assert_eq!(frames(&bench), vec![24; 15]);
}

/// Passes packets from a sender to a receiver, except those that `is_lost` selects, and its reports back.
fn converse(parameters: &ConferenceParameters, seconds: u64, is_lost: impl Fn(u64) -> bool) -> [Bench; 2] {
    let (mut near, mut far) = (Bench::default(), Bench::default());
    let mut sender = ConferenceSender::new(parameters, REMOTE, 0xb8, Seed(1).stream(&["frames"]));
    let mut receiver = ConferenceReceiver::new(parameters, 9);
    sender.start(Time::ZERO, &mut near);
    receiver.start(Time::ZERO, &mut far);
    let (mut carried, mut answered) = (0, 0);
    for ms in 0..1_000 * seconds {
        let until = Time::from_millis(ms + 1);
        near.run(&mut sender, until);
        far.run(&mut receiver, until);
        while let Some((_, _, datagram)) = near.sent.get(carried).copied() {
            carried += 1;
            if !is_lost(head(&datagram).probe.sequence) {
                far.deliver(&mut receiver, datagram);
            }
        }
        while let Some((_, _, report)) = far.sent.get(answered).copied() {
            answered += 1;
            near.deliver(&mut sender, report);
        }
    }
    [near, far]
}

#[test]
fn the_receiver_measures_packets_and_frames() {
    // One packet of frame 2 is lost.
    let parameters = ConferenceParameters { frame_spread: 0.0, ..ConferenceParameters::default() };
    let [_, far] = converse(&parameters, 1, |sequence| sequence == 9);
    assert_eq!(far.meter.loss(), Some(1.0 / 60.0));
    let frames = far.meter.frames().expect("frames came");
    assert_eq!((frames.complete(), frames.loss()), (14, Some(1.0 / 15.0)));
    assert!(far.sent.is_empty(), "a sender that does not adapt gets no reports");
}

#[test]
fn a_sender_that_adapts_backs_off_on_a_report_of_loss() {
    let parameters =
        ConferenceParameters { adapt: Adapt::OnLoss, frame_spread: 0.0, ..ConferenceParameters::default() };
    // Packets 70 and 71 leave in the second second, 4 × 15 a second.
    let [near, far] = converse(&parameters, 5, |sequence| sequence == 70 || sequence == 71);
    let reports: Vec<ReceiverReport> =
        far.sent.iter().map(|(_, _, d)| ReceiverReport::parse(d.head.as_slice()).unwrap()).collect();
    let fractions: Vec<u8> = reports.iter().map(|report| report.fraction_lost).collect();
    assert_eq!(fractions, [0, 8, 0, 0]); // 2 of 60 in 256ths
    assert!(far.sent.iter().all(|(_, to, d)| *to == REMOTE && d.length == 32 && d.traffic_class == 0xb8));
    let rates: Vec<f64> = near
        .points
        .iter()
        .map(|(metric, _, rate)| {
            assert_eq!(*metric, metrics::SEND_RATE);
            *rate
        })
        .collect();
    assert_eq!(rates, [0.2, 0.2, 0.15, 0.15, 0.15]);
    let sizes = frames(&near);
    assert_eq!((sizes[0], sizes[60]), (1_666, 1_250));
}

#[test]
fn a_total_outage_is_reported_after_the_next_packet() {
    let parameters =
        ConferenceParameters { adapt: Adapt::OnLoss, frame_spread: 0.0, ..ConferenceParameters::default() };
    let [near, far] = converse(&parameters, 6, |sequence| (60..244).contains(&sequence));
    // Nothing arrived in the seconds 2 to 4, so nothing was reported for them.
    let seconds: Vec<u64> = far.sent.iter().map(|(at, _, _)| at.as_nanos() / 1_000_000_000).collect();
    assert_eq!(seconds, [1, 5]);
    assert_eq!(near.points.last().map(|(_, _, rate)| *rate), Some(0.15));
}

#[test]
fn a_sender_that_was_stopped_stays_silent() {
    let parameters = ConferenceParameters { adapt: Adapt::OnLoss, ..ConferenceParameters::default() };
    let (mut sender, mut bench) = run(&parameters, 1, Time::from_secs(1));
    sender.stop(bench.now, &mut bench);
    let (sent, points) = (bench.sent.len(), bench.points.len());
    let report = ReceiverReport { fraction_lost: 9, cumulative_lost: 9, highest: 40, jitter: 0 };
    bench.deliver(&mut sender, Datagram { head: report.emit(), length: 32, traffic_class: 0 });
    bench.run(&mut sender, Time::from_secs(9));
    assert_eq!((bench.sent.len(), bench.points.len()), (sent, points));
}

#[test]
fn parameters_out_of_range_name_their_key() {
    let key = |change: &dyn Fn(&mut ConferenceParameters)| {
        let mut parameters = ConferenceParameters::default();
        change(&mut parameters);
        parameters.validate().err().map(|error| error.path.join("."))
    };
    assert_eq!(key(&|_| ()), None);
    assert_eq!(key(&|p| p.rate = Rate::ZERO).as_deref(), Some("rate"));
    assert_eq!(key(&|p| p.frame_rate = f64::NAN).as_deref(), Some("frame_rate"));
    assert_eq!(key(&|p| p.packet = Bytes::new(23)).as_deref(), Some("packet"));
    assert_eq!(key(&|p| p.frame_spread = 0.31).as_deref(), Some("frame_spread"));
    assert_eq!(key(&|p| p.frame_rate = 0.001).as_deref(), None);
    assert_eq!(key(&|p| (p.rate, p.frame_rate) = (Rate::from_mbit(1), 0.001)).as_deref(), Some("frame_rate"));
    assert_eq!(key(&|p| p.report = Duration::ZERO).as_deref(), Some("report"));
    assert_eq!(key(&|p| p.loss_threshold = 1.0).as_deref(), Some("loss_threshold"));
    assert_eq!(key(&|p| p.decrease = 1.0).as_deref(), Some("decrease"));
    assert_eq!(key(&|p| p.hold = Duration::ZERO).as_deref(), Some("hold"));
    assert_eq!(key(&|p| p.min_rate = Rate::from_mbit(1)), None, "nothing adapts");
    assert_eq!(
        key(&|p| (p.adapt, p.min_rate) = (Adapt::OnLoss, Rate::from_mbit(1))).as_deref(),
        Some("min_rate")
    );
}
