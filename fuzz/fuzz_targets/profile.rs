//! Parser of network profiles: any bytes give a valid profile or an error, without a panic or an endless loop.

#![no_main]

use jettison_core::Time;
use jettison_link::profile::NetworkProfile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(profile) = NetworkProfile::parse(input) else { return };
    let steps: Vec<_> = profile.steps(Time::from_secs(600)).take(1_000).collect();
    assert_eq!(steps[0].at, Time::ZERO);
    assert!(steps.windows(2).all(|pair| pair[0].at < pair[1].at));
    assert!(profile.count(Time::from_secs(600)) >= steps.len() as u64);
});
