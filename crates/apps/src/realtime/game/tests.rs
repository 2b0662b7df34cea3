use jettison_core::{Seed, Time};
use jettison_sockets::Application;

use super::*;
use crate::testing::{Bench, REMOTE};

fn ms(ms: u64) -> Time {
    Time::from_millis(ms)
}

/// A player and a server side by side; `lost` says which commands do not arrive, and which updates.
fn play(parameters: &GameParameters, until: Time, lost: impl Fn(u64, u64) -> bool) -> [Bench; 2] {
    let (mut near, mut far) = (Bench::default(), Bench::default());
    let stream = |what| Seed(1).stream(&[what]);
    let mut server = GameServer::new(parameters, 9, 0xb8, stream("tick"), stream("updates"));
    let mut player = GamePlayer::new(parameters, REMOTE, 0xb8, stream("commands"));
    server.start(Time::ZERO, &mut far);
    player.start(Time::ZERO, &mut near);
    let (mut carried, mut answered) = (0, 0);
    for at in 1..=until.as_nanos() / 1_000_000 {
        near.run(&mut player, ms(at));
        while let Some((_, to, datagram)) = near.sent.get(carried).copied() {
            assert_eq!(to, REMOTE);
            if !lost(carried as u64, u64::MAX) {
                far.deliver(&mut server, datagram);
            }
            carried += 1;
        }
        far.run(&mut server, ms(at));
        while let Some((_, _, datagram)) = far.sent.get(answered).copied() {
            if !lost(u64::MAX, answered as u64) {
                near.deliver(&mut player, datagram);
            }
            answered += 1;
        }
    }
    [near, far]
}

fn exact() -> GameParameters {
    GameParameters { spread: 0.0, ..GameParameters::default() }
}

#[test]
fn both_directions_have_their_rate_and_size() {
    let parameters = GameParameters { commands: 50, updates: 20, ..exact() };
    let [near, far] = play(&parameters, Time::from_secs(10), |_, _| false);
    assert_eq!(near.sent.len(), 500);
    assert!((199..=200).contains(&far.sent.len()), "{}", far.sent.len());
    assert!(near.sent.iter().all(|(_, _, d)| d.length == 100 && d.traffic_class == 0xb8));
    assert!(far.sent.iter().all(|(_, _, d)| d.length == 300 && d.traffic_class == 0xb8));
    let gaps: Vec<u64> = far.sent.windows(2).map(|two| two[1].0.since(two[0].0).as_nanos()).collect();
    assert!(gaps.iter().all(|gap| *gap == 50_000_000), "the server's clock is regular");
}

#[test]
fn sizes_have_their_mean_and_spread() {
    let [near, _] = play(&GameParameters::default(), Time::from_secs(60), |_, _| false);
    let sizes: Vec<f64> = near.sent.iter().map(|(_, _, d)| f64::from(d.length)).collect();
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let deviation =
        (sizes.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>() / sizes.len() as f64).sqrt();
    assert!((mean - 100.0).abs() < 1.5 && (deviation - 19.7).abs() < 1.0, "{mean} {deviation}");
    assert!(sizes.iter().all(|size| (40.0..=160.0).contains(size)));
}

/// Longest response time in ms.
fn slowest(bench: &Bench) -> f64 {
    let times = bench.meter.recorded(jettison_measure::metrics::RESPONSE_TIME);
    times.expect("commands were answered").max().as_millis_f64()
}

#[test]
fn a_command_is_answered_by_the_next_tick() {
    let parameters = GameParameters { commands: 37, updates: 20, ..exact() };
    let [near, _] = play(&parameters, Time::from_secs(10), |_, _| false);
    // The next tick is 50 ms away at most, commands fall anywhere in between, and the test looks each millisecond.
    assert!((40.0..=52.0).contains(&slowest(&near)));
}

#[test]
fn a_lost_command_is_answered_with_the_next_one_and_a_lost_update_by_the_next_one() {
    let parameters = GameParameters { commands: 40, updates: 20, ..exact() };
    let [near, _] = play(&parameters, Time::from_secs(10), |command, _| (100..104).contains(&command));
    // Command 100 was repeated by 104, 100 ms later.
    assert!((130.0..=152.0).contains(&slowest(&near)));
    let [near, _] = play(&parameters, Time::from_secs(10), |_, update| (100..103).contains(&update));
    assert!((180.0..=202.0).contains(&slowest(&near)));
    assert_eq!(near.meter.loss(), Some(3.0 / near_updates(&near)));
}

fn near_updates(bench: &Bench) -> f64 {
    let timeliness = bench.meter.timeliness().expect("deadlines are watched");
    assert_eq!(timeliness.longest_gap(), Some(jettison_core::Duration::from_millis(200)));
    // All that were sent from the first to the last received.
    f64::round(3.0 / bench.meter.loss().expect("some were lost"))
}

#[test]
fn a_server_that_hears_nothing_falls_silent() {
    let parameters = exact();
    let [_, far] = play(&parameters, Time::from_secs(30), |command, _| (640..1_600).contains(&command));
    // Commands stop at 10 s and go on at 25 s; updates go on for 10 s.
    let silent = far.sent.windows(2).map(|two| (two[0].0, two[1].0)).max_by_key(|(a, b)| b.since(*a));
    let (from, to) = silent.expect("there are updates");
    assert!((ms(19_900)..ms(20_100)).contains(&from), "{from}");
    assert!((ms(24_990)..ms(25_050)).contains(&to), "{to}");
}

#[test]
fn messages_round_trip_and_short_ones_are_ignored() {
    let update = Update { sequence: 7, sent_at: ms(3), answers: 5 };
    assert_eq!(Update::parse(update.emit().as_slice()), Some(update));
    assert_eq!(Update::parse(&update.emit().as_slice()[..23]), None);
    let command = Command { number: 9 };
    assert_eq!(Command::parse(command.emit().as_slice()), Some(command));
    assert_eq!(Command::parse(&[0; 7]), None);
}

#[test]
fn parameters_out_of_range_name_their_key() {
    let key = |change: &dyn Fn(&mut GameParameters)| {
        let mut parameters = GameParameters::default();
        change(&mut parameters);
        parameters.validate().err().map(|error| error.to_string())
    };
    assert_eq!(key(&|_| ()), None);
    assert_eq!(key(&|p| p.updates = 0).as_deref(), Some("updates: must be in [1, 1000] per second, got 0"));
    assert_eq!(
        key(&|p| p.commands = 2_000).as_deref(),
        Some("commands: must be in [1, 1000] per second, got 2000")
    );
    assert_eq!(
        key(&|p| p.update = Bytes::new(23)).as_deref(),
        Some("update: must be 24 to 30000 bytes, got 23 bytes")
    );
    assert_eq!(
        key(&|p| p.command = Bytes::new(7)).as_deref(),
        Some("command: must be 8 to 30000 bytes, got 7 bytes")
    );
    assert_eq!(key(&|p| p.spread = 0.5).as_deref(), Some("spread: must be in [0, 0.3], got 0.5"));
    assert!(key(&|p| p.deadlines = vec![Duration::ZERO]).is_some());
}
