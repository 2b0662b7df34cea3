use jettison_core::Seed;
use serde_json::json;

use super::super::testing::{Link, PACKET, Source, Toy, build, context, run, sample};
use super::super::{ArrivedPacket, PathController};
use super::*;
use jettison_wire::Ecn;

fn sprout() -> Box<dyn PathController> {
    build(&entry(), serde_json::Value::Null)
}

#[test]
fn sprout_3_5_the_window_is_the_forecast_of_the_look_ahead() {
    let parameters = SproutParameters::default();
    let controller = Sprout::new(&parameters, &context());
    let forecast = controller.belief.forecast(5, 0.05);
    assert_eq!(controller.window(), forecast * PACKET);
    let patient = Sprout::new(&SproutParameters { look_ahead: 8, ..parameters.clone() }, &context());
    let bold = Sprout::new(&SproutParameters { percentile: 0.5, ..parameters }, &context());
    assert!(patient.window() > controller.window());
    assert!(bold.window() > controller.window());
}

#[test]
fn keeps_the_95th_percentile_of_the_queueing_delay_below_100_ms_on_a_poisson_link() {
    let link = Link::Poisson(400.0, Box::new(Seed(1).stream(&["poisson"])));
    let mut controller = sprout();
    let run = run(&mut *controller, Toy::new(link), 60);
    // 400 packets/s are 4.8 Mbit/s.
    assert!(run.mbit(5, 60) > 0.7 * 4.8, "{}", run.mbit(5, 60));
    assert!(run.delay(5, 60, 95) < 100.0, "{}", run.delay(5, 60, 95));
}

#[test]
fn uses_a_fixed_link_with_a_short_queue() {
    let mut controller = sprout();
    let run = run(&mut *controller, Toy::new(Link::fixed(10)), 30);
    assert!(run.mbit(5, 30) > 8.5, "{}", run.mbit(5, 30));
    assert!(run.delay(5, 30, 95) < 100.0, "{}", run.delay(5, 30, 95));
    assert_eq!(run.dropped, 0);
    let told = controller.bandwidth().expect("it has heard").as_mbit_f64();
    assert!((4.0..10.0).contains(&told), "{told}");
}

#[test]
fn backs_off_when_the_rate_falls_to_a_fifth() {
    let rates = vec![
        (Time::ZERO, Rate::from_mbit(10)),
        (Time::from_secs(10), Rate::from_mbit(2)),
        (Time::from_secs(20), Rate::from_mbit(10)),
    ];
    let mut controller = sprout();
    let run = run(&mut *controller, Toy::new(Link::Rates(rates)), 30);
    assert!(run.delay(12, 20, 95) < 150.0, "{}", run.delay(12, 20, 95));
    assert!(run.mbit(12, 20) > 1.2, "{}", run.mbit(12, 20));
    assert!(run.mbit(22, 30) > 8.0, "{}", run.mbit(22, 30));
}

#[test]
fn an_outage_closes_the_window_and_its_end_opens_it() {
    let rates = vec![
        (Time::ZERO, Rate::from_mbit(5)),
        (Time::from_secs(10), Rate::from_kbit(8)),
        (Time::from_secs(12), Rate::from_mbit(5)),
    ];
    let mut controller = sprout();
    let run = run(&mut *controller, Toy::new(Link::Rates(rates)), 20);
    assert!(run.mbit(15, 20) > 3.0, "{}", run.mbit(15, 20));
}

#[test]
fn sprout_3_4_a_sender_with_little_to_send_does_not_look_like_a_slow_link() {
    // Frames of 300 kbit/s on a link of 10 Mbit/s.
    let toy = || Toy { source: Source::Fixed(Duration::from_millis(33), 1250), ..Toy::new(Link::fixed(10)) };
    let mut controller = sprout();
    run(&mut *controller, toy(), 20);
    let idle = controller.window();
    // If every tick counted as busy, the belief would be 300 kbit/s: a packet or two in 100 ms.
    assert!(idle > 4 * PACKET, "{idle}");
    let mut controller = build(&entry(), json!({ "idle_ticks": "nothing" }));
    run(&mut *controller, toy(), 20);
    assert!(controller.window() >= PACKET);
}

#[test]
fn a_long_round_trip_does_not_starve_the_sender() {
    // The window is less than the bandwidth-delay product: ticks without a queue must not count as the link's rate.
    let toy = Toy { rtt: Duration::from_millis(120), ..Toy::new(Link::fixed(10)) };
    let mut controller = sprout();
    let run = run(&mut *controller, toy, 40);
    assert!(run.mbit(10, 40) > 5.0, "{}", run.mbit(10, 40));
}

#[test]
fn ticks_continue_without_acks_while_packets_are_under_way() {
    let mut controller = Sprout::new(&SproutParameters::default(), &context());
    assert_eq!(controller.next_wakeup(), None);
    assert_eq!(controller.budget(Time::ZERO, 0), None);
    let mut send = |sequence, at| {
        controller.on_sent(&PathSent {
            now: at,
            sequence,
            bytes: PACKET,
            in_flight: PACKET,
            is_app_limited: false,
            backlog: 0,
        });
    };
    for sequence in 0..20 {
        send(sequence, Time::ZERO);
    }
    let ack = sample(Time::from_millis(40), PACKET, 0);
    let arrived = [ArrivedPacket {
        sequence: 0,
        bytes: PACKET,
        sent_at: Time::ZERO,
        arrived_at: Some(Time::from_millis(20)),
        ecn: Ecn::NotEct,
    }];
    controller.on_ack(&PathAck { sample: &ack, arrived: &arrived, lost: &[] });
    // The tick from 20 ms to 40 ms at the receiver; its last ACK could arrive at 60 ms, plus 5 ms of jitter.
    assert_eq!(controller.next_wakeup(), Some(Time::from_millis(65)));
    for _ in 0..10 {
        let at = controller.next_wakeup().expect("packets are under way");
        controller.handle_wakeup(at, 19 * PACKET);
    }
    assert_eq!(controller.next_wakeup(), Some(Time::from_millis(265)));
    assert_eq!(controller.window(), PACKET);
    assert_eq!(controller.budget(Time::from_millis(265), 0), Some(0));
}

#[test]
fn parameters_are_checked() {
    let refuse = |parameters| entry().build(&parameters, &context()).unwrap_err().to_string();
    assert!(refuse(json!({ "percentile": 0.0 })).starts_with("percentile: "));
    assert!(refuse(json!({ "look_ahead": 9 })).starts_with("look_ahead: "));
    assert!(refuse(json!({ "tick": "1 ms" })).starts_with("tick: "));
    assert!(refuse(json!({ "max_rate": 1e9 })).starts_with("max_rate: "));
    assert!(refuse(json!({ "brownian": -1.0 })).starts_with("brownian: "));
}
