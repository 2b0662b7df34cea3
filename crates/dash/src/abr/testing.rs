//! Helpers shared by the tests of rules.

use jettison_core::{Duration, Rate, Time};

use super::super::content::{AdaptationSet, Representation};
use super::super::player::Kind;
use super::{AbrState, Download, Playback};

/// Returns an adaptation set of these bitrates in kbit/s with 100 segments of 4 s.
pub(super) fn ladder(kbits: &[u64]) -> AdaptationSet {
    segmented(kbits, Duration::from_secs(4))
}

/// Returns the same set with segments of another length.
pub(super) fn segmented(kbits: &[u64], segment: Duration) -> AdaptationSet {
    let representation = |kbit: &u64| Representation {
        id: kbit.to_string(),
        bitrate: Rate::from_kbit(*kbit),
        codec: "h264".to_owned(),
        picture: None,
        initialization: 0,
        sizes: vec![Rate::from_kbit(*kbit).bytes_in(segment).get(); 100],
    };
    AdaptationSet {
        representations: kbits.iter().map(representation).collect(),
        durations: vec![segment; 100],
    }
}

/// Returns the state of a playing player with the given buffer level, of at most 30 s.
pub(super) fn playing(set: &AdaptationSet, buffer: Duration) -> AbrState<'_> {
    AbrState {
        now: Time::from_secs(100),
        set,
        segment: 10,
        buffer,
        max_buffer: Duration::from_secs(30),
        last: None,
        playback: Playback::Playing,
        kind: Kind::Video,
        other: None,
    }
}

/// Returns a segment downloaded in `time` at `kbit` kbit/s; with `time` zero its size is one second at that rate.
pub(super) fn download(kbit: u64, time: Duration) -> Download {
    let counted = if time.is_zero() { Duration::from_secs(1) } else { time };
    Download {
        representation: 0,
        segment: 0,
        bytes: Rate::from_kbit(kbit).bytes_in(counted).get(),
        media: Duration::from_secs(4),
        requested_at: Time::ZERO,
        first_byte_at: Time::ZERO,
        finished_at: Time::ZERO + time,
        replaces: false,
    }
}
