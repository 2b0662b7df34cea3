//! What the tests of rules share.

use jettison_core::{Duration, Rate, Time};

use super::super::content::{AdaptationSet, Representation};
use super::{AbrState, Download, Playback};

/// A set of these bitrates in kbit/s, 100 segments of 4 s each.
pub(super) fn ladder(kbits: &[u64]) -> AdaptationSet {
    segmented(kbits, Duration::from_secs(4))
}

/// The same with segments of that length.
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

/// What a player that plays with this much in its buffer knows, of at most 30 s.
pub(super) fn playing(set: &AdaptationSet, buffer: Duration) -> AbrState<'_> {
    AbrState {
        now: Time::from_secs(100),
        set,
        segment: 10,
        buffer,
        max_buffer: Duration::from_secs(30),
        last: None,
        playback: Playback::Playing,
    }
}

/// A segment that came in `time` at `kbit` kbit/s; of a kilobit second where no time passed.
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
    }
}
