//! Summary of a router's switch at the end of a run.

use jettison_core::{Duration, Time};
use jettison_measure::{Recorder, metrics};

use crate::world::Router;

/// Adds the CPU times of a switch's threads since the warm-up, and its drops before ingress, to the summary.
pub(crate) fn summarise_threads(router: &Router, now: Time, recorder: &mut Recorder) {
    let processors = router.switch.processors();
    let measured = now.since(recorder.warm_up());
    if processors == 0 || measured.is_zero() {
        return;
    }
    let mut threads = Vec::new();
    router.switch.thread_times(now, &mut threads);
    let mut total = 0.0;
    for (place, thread) in threads.iter().enumerate() {
        let before = router.threads_before.get(place).map_or(Duration::ZERO, |before| before.busy);
        let share = 100.0 * thread.busy.saturating_sub(before).as_secs_f64() / measured.as_secs_f64();
        total += share;
        let name = format!("{}.{}", router.name, thread.name);
        recorder.summarise(name, metrics::SWITCH_CPU, share.min(100.0), None);
    }
    let share = (total / f64::from(processors)).min(100.0);
    recorder.summarise(router.name.as_str(), metrics::SWITCH_CPU, share, None);
    let drops = router.switch.counters().input_drops - router.before.input_drops;
    recorder.summarise(router.name.as_str(), metrics::INPUT_DROPS, drops as f64, None);
}

/// Adds clones and recirculations of a switch since the warm-up to the summary, if it made any.
pub(crate) fn summarise_router(router: &Router, recorder: &mut Recorder) {
    let (now, before) = (router.switch.counters(), router.before);
    let clones = now.clones - before.clones;
    let recirculations = now.recirculations - before.recirculations;
    if now.clones + now.recirculations == 0 {
        return;
    }
    let received = (now.received - before.received).max(1);
    let bytes = now.recirculated_bytes - before.recirculated_bytes;
    let share = 100.0 * recirculations as f64 / received as f64;
    for (metric, value) in [
        (metrics::CLONES, clones as f64),
        (metrics::RECIRCULATIONS, recirculations as f64),
        (metrics::RECIRCULATED_SHARE, share),
        (metrics::RECIRCULATED_BYTES, bytes as f64),
    ] {
        recorder.summarise(router.name.as_str(), metric, value, None);
    }
}
