//! Properties of AdaptationSets and Representations: kind of media, resolution, alignment.

use jettison_core::Duration;

use super::model::{AdaptationSet, Representation};
use super::segments::Segments;
use crate::content::Picture;
use crate::content::ladder::MOST_PICTURES;

/// A kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Video,
    Audio,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Video => "video",
            Kind::Audio => "audio",
        }
    }
}

/// Returns the kind of media by §5.3.7.2: `contentType`, else `mimeType`. A set with both kinds counts as video.
pub(super) fn kind_of(set: &AdaptationSet) -> Option<Kind> {
    let inner = &set.representations;
    let content = [set.content_type.as_deref()]
        .into_iter()
        .chain(set.component_types.iter().map(Option::as_deref))
        .chain(inner.iter().map(|r| r.content_type.as_deref()));
    let mime = [set.common.mime_type.as_deref()]
        .into_iter()
        .chain(inner.iter().map(|r| r.common.mime_type.as_deref()));
    let mime = mime.map(|mime| mime.and_then(|mime| mime.split('/').next()));
    let words: Vec<&str> = content.chain(mime).flatten().collect();
    if words.contains(&"video") {
        Some(Kind::Video)
    } else if words.contains(&"audio") {
        Some(Kind::Audio)
    } else {
        None
    }
}

/// Returns whether a set holds key frames for trick modes (DASH-IF), which are not used in normal playback.
pub(super) fn is_for_trick_modes(set: &AdaptationSet) -> bool {
    set.essential_properties.iter().any(|scheme| scheme.ends_with("trickmode"))
}

/// Returns width, height and frame rate, each from the Representation or its AdaptationSet; `None` unless all are
/// known.
pub(super) fn picture(
    set: &AdaptationSet,
    representation: &Representation,
) -> Result<Option<Picture>, String> {
    let (own, sets) = (&representation.common, &set.common);
    let pixels = |own: Option<u64>, sets: Option<u64>, key: &str| {
        own.or(sets)
            .map(|n| {
                u32::try_from(n)
                    .ok()
                    .filter(|n| *n > 0)
                    .ok_or_else(|| format!("must have a @{key} in [1, {}], got {n}", u32::MAX))
            })
            .transpose()
    };
    let width = pixels(own.width, sets.width, "width")?;
    let height = pixels(own.height, sets.height, "height")?;
    let rate = own.frame_rate.as_deref().or(sets.frame_rate.as_deref()).map(frame_rate).transpose()?;
    Ok(width.zip(height).zip(rate).map(|((width, height), frame_rate)| Picture { width, height, frame_rate }))
}

/// Parses `30` or `30000/1001` (§5.3.7.2, `FrameRateType`), and decimals, which some packagers write.
fn frame_rate(text: &str) -> Result<f64, String> {
    let (frames, seconds) = text.split_once('/').unwrap_or((text, "1"));
    let rate = match (frames.trim().parse::<f64>(), seconds.trim().parse::<f64>()) {
        (Ok(frames), Ok(seconds)) => frames / seconds,
        _ => f64::NAN,
    };
    if rate > 0.0 && rate <= MOST_PICTURES {
        Ok(rate)
    } else {
        Err(format!("must have a @frameRate such as \"30\" or \"30000/1001\", got `{text}`"))
    }
}

pub(super) fn check(segments: &Segments) -> Result<(), String> {
    match segments.durations.iter().position(|duration| duration.is_zero()) {
        Some(place) => Err(format!("has a segment of zero duration: number {}", place + 1)),
        None => Ok(()),
    }
}

/// Checks that the segments of two lists start together, with a tolerance of a tenth of the longest for rounded
/// timescales.
pub(super) fn align(first: &[Duration], other: &[Duration]) -> Result<(), String> {
    if first.len() != other.len() {
        return Err(format!("has {} segments instead of {} as in", other.len(), first.len()));
    }
    let slack = first.iter().copied().max().unwrap_or_default().as_nanos() / 10;
    let (mut at, mut other_at) = (0u64, 0u64);
    for (place, (duration, other)) in first.iter().zip(other).enumerate() {
        if at.abs_diff(other_at) > slack {
            return Err(format!("has a segment number {} that is not aligned with", place + 1));
        }
        at += duration.as_nanos();
        other_at += other.as_nanos();
    }
    Ok(())
}
