//! Generated manifest of a title without an MPD file.

use std::fmt::Write;

use jettison_core::Duration;
use quick_xml::escape::escape;

use super::{AdaptationSet, Representation, Title};

/// Writes the MPD of a title: static, segments by number with a timeline in nanoseconds (ISO/IEC 23009-1 §5.3.9.6).
pub fn to_mpd(title: &Title) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = write(&mut text, title);
    text
}

fn write(text: &mut String, title: &Title) -> std::fmt::Result {
    let longest = title.video.durations.iter().copied().max().unwrap_or_default();
    let total = title.video.durations.iter().copied().fold(Duration::ZERO, Duration::saturating_add);
    writeln!(
        text,
        "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"urn:mpeg:dash:profile:isoff-live:2011\" type=\"static\" \
         mediaPresentationDuration=\"{}\" minBufferTime=\"{}\">",
        Seconds(total),
        Seconds(longest),
    )?;
    writeln!(text, "  <Period id=\"{}\">", escape(title.name.as_str()))?;
    write_set(text, "video", &title.video)?;
    if let Some(audio) = &title.audio {
        write_set(text, "audio", audio)?;
    }
    writeln!(text, "  </Period>\n</MPD>")
}

fn write_set(text: &mut String, kind: &str, set: &AdaptationSet) -> std::fmt::Result {
    writeln!(
        text,
        "    <AdaptationSet contentType=\"{kind}\" mimeType=\"{kind}/mp4\" segmentAlignment=\"true\" startWithSAP=\"1\">"
    )?;
    writeln!(
        text,
        "      <SegmentTemplate timescale=\"1000000000\" startNumber=\"1\" \
         initialization=\"$RepresentationID$/init.mp4\" media=\"$RepresentationID$/$Number$.m4s\">"
    )?;
    writeln!(text, "        <SegmentTimeline>")?;
    for run in set.durations.chunk_by(|a, b| a == b) {
        writeln!(text, "          <S d=\"{}\" r=\"{}\"/>", run[0].as_nanos(), run.len() - 1)?;
    }
    writeln!(text, "        </SegmentTimeline>\n      </SegmentTemplate>")?;
    set.representations.iter().try_for_each(|representation| write_representation(text, representation))?;
    writeln!(text, "    </AdaptationSet>")
}

fn write_representation(text: &mut String, representation: &Representation) -> std::fmt::Result {
    let (id, codec) = (escape(representation.id.as_str()), escape(representation.codec.as_str()));
    let bandwidth = representation.bitrate.as_bits();
    write!(text, "      <Representation id=\"{id}\" bandwidth=\"{bandwidth}\" codecs=\"{codec}\"")?;
    if let Some(picture) = representation.picture {
        let (width, height, rate) = (picture.width, picture.height, picture.frame_rate);
        write!(text, " width=\"{width}\" height=\"{height}\" frameRate=\"{rate}\"")?;
    }
    writeln!(text, "/>")
}

/// An `xs:duration` in seconds.
struct Seconds(Duration);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, nanos) = (self.0.as_nanos() / 1_000_000_000, self.0.as_nanos() % 1_000_000_000);
        match nanos {
            0 => write!(f, "PT{whole}S"),
            _ => write!(f, "PT{whole}.{nanos:09}S"),
        }
    }
}
