//! Trace parsers of all formats: any bytes give a valid trace or an error, without a panic or an endless loop.

#![no_main]

use std::sync::Arc;

use jettison_core::Time;
use jettison_link::trace::{Format, Grants, Recording, TraceInfo};
use jettison_link::{CellLink, LinkModel, TraceLink};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for format in [None, Some(Format::Mahimahi), Some(Format::Srsran), Some(Format::Csv)] {
        let Ok(recording) = Recording::read(input, format) else { continue };
        // The statistics have one value per second, which is too much for traces of weeks.
        if recording.period_millis() <= 100_000_000 {
            let _ = TraceInfo::of(&recording);
        }
        let grants = recording.clone().into_grants(1504);
        if grants.total() <= 100_000_000
            && let Ok(trace) = recording.into_trace(1504)
        {
            run(&mut TraceLink::new(Arc::new(trace)));
        }
        cut(&grants);
        if let Ok(mut link) = CellLink::new(Arc::new(grants)) {
            run(&mut link);
        }
    }
});

fn run(link: &mut dyn LinkModel) {
    let mut now = Time::ZERO;
    for _ in 0..100 {
        let begin = link.ready_at(now);
        assert!(begin >= now);
        now = link.begin(1504, begin);
        assert!(now >= begin);
    }
}

fn cut(grants: &Grants) {
    if let Some(Ok(half)) = u32::try_from(grants.period() / 2).ok().and_then(|half| grants.cut(half, half)) {
        assert!(half.total() <= grants.total());
    }
}
