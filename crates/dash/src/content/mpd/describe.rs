//! What AdaptationSets and Representations say of themselves: their kind of media, their pictures, whether they align.

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

/// §5.3.7.2: the type of media is that of `contentType`, else of `mimeType`. Of one that has both, the pictures decide.
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

/// DASH-IF's sets of key frames for winding are no representations of what is played.
pub(super) fn is_for_trick_modes(set: &AdaptationSet) -> bool {
    set.essential_properties.iter().any(|scheme| scheme.ends_with("trickmode"))
}

/// Of a Representation that says all of it: width, height and frame rate, each its own or its set's.
pub(super) fn picture(
    set: &AdaptationSet,
    representation: &Representation,
) -> Result<Option<Picture>, String> {
    let (own, sets) = (&representation.common, &set.common);
    let pixels = |own: Option<u64>, sets: Option<u64>, key: &str| {
        own.or(sets)
            .map(|n| u32::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| format!("has a @{key} of {n}")))
            .transpose()
    };
    let width = pixels(own.width, sets.width, "width")?;
    let height = pixels(own.height, sets.height, "height")?;
    let rate = own.frame_rate.as_deref().or(sets.frame_rate.as_deref()).map(frame_rate).transpose()?;
    Ok(width.zip(height).zip(rate).map(|((width, height), frame_rate)| Picture { width, height, frame_rate }))
}

/// `30` or `30000/1001` (§5.3.7.2, `FrameRateType`), and decimals, which some write.
fn frame_rate(text: &str) -> Result<f64, String> {
    let (pictures, seconds) = text.split_once('/').unwrap_or((text, "1"));
    let rate = match (pictures.trim().parse::<f64>(), seconds.trim().parse::<f64>()) {
        (Ok(pictures), Ok(seconds)) => pictures / seconds,
        _ => f64::NAN,
    };
    if rate > 0.0 && rate <= MOST_PICTURES {
        Ok(rate)
    } else {
        Err(format!("has the @frameRate `{text}`; write one such as \"30\" or \"30000/1001\""))
    }
}

pub(super) fn check(segments: &Segments) -> Result<(), String> {
    match segments.durations.iter().position(|duration| duration.is_zero()) {
        Some(place) => Err(format!("has a segment that lasts no time, number {}", place + 1)),
        None => Ok(()),
    }
}

/// Whether two lists of segments begin together, to within a tenth of the longest: timescales round.
pub(super) fn align(first: &[Duration], other: &[Duration]) -> Result<(), String> {
    if first.len() != other.len() {
        return Err(format!("has {} segments, other than the {} of", other.len(), first.len()));
    }
    let slack = first.iter().copied().max().unwrap_or_default().as_nanos() / 10;
    let (mut at, mut other_at) = (0u64, 0u64);
    for (place, (duration, other)) in first.iter().zip(other).enumerate() {
        if at.abs_diff(other_at) > slack {
            return Err(format!("has a segment number {} that begins apart from", place + 1));
        }
        at += duration.as_nanos();
        other_at += other.as_nanos();
    }
    Ok(())
}
