//! Whatever stands in a trace file: a trace that a link can run on, or an error; never a panic or a hang.

#![no_main]

use std::sync::Arc;

use jettison_core::Time;
use jettison_link::trace::Trace;
use jettison_link::{LinkModel, TraceLink};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(trace) = Trace::parse(input) else { return };
    let _ = trace.info();
    let mut link = TraceLink::new(Arc::new(trace));
    let mut now = Time::ZERO;
    for _ in 0..100 {
        let begin = link.ready_at(now);
        assert!(begin >= now);
        now = link.begin(1504, begin);
        assert!(now >= begin);
    }
});
