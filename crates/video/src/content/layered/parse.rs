//! Reader of layered traces.
//!
//! The first line holds `layered`, the version of the format (1), encoder, structure, width and height in pixels, frames
//! per second (`30/1`), frames, spatial layers, temporal layers. One line per unit follows: target bitrate in kbit/s, frame,
//! spatial layer, temporal layer, bytes, references (`FRAME.SPATIAL`, separated by commas, or `-`), and for each temporal
//! layer SSIM in dB and VMAF of what is on the screen if temporal layers up to it are decoded. Targets are in ascending
//! order, frames and spatial layers from 0.

use super::{Head, LayeredVideo, MOST_LAYERS, Place, Quality, Rung, Unit};
use crate::content::trace::{
    FileError, MOST_BYTES, MOST_FRAMES, MOST_KBIT, Row, Rows, SSIM_DB, out_of_order,
};

/// First word of the file.
pub(super) const NAME: &str = "layered";
/// Version of the format.
pub(super) const VERSION: u64 = 1;
/// Maximum number of rungs, as in traces of quality layers.
const MOST_RUNGS: usize = 1_000;
/// Maximum width and height in pixels.
const MOST_PIXELS: u64 = 16_384;

const HEADER: [&str; 10] = [
    NAME,
    "version",
    "encoder",
    "structure",
    "width",
    "height",
    "rate(1/s)",
    "frames",
    "spatial",
    "temporal",
];

/// Columns by number of temporal layers.
const COLUMNS: [&[&str]; MOST_LAYERS as usize] = [
    &["target(kbit/s)", "frame", "spatial", "temporal", "bytes", "references", "SSIM(dB)", "VMAF"],
    &[
        "target(kbit/s)",
        "frame",
        "spatial",
        "temporal",
        "bytes",
        "references",
        "SSIM(dB)",
        "VMAF",
        "SSIM(dB)",
        "VMAF",
    ],
    &[
        "target(kbit/s)",
        "frame",
        "spatial",
        "temporal",
        "bytes",
        "references",
        "SSIM(dB)",
        "VMAF",
        "SSIM(dB)",
        "VMAF",
        "SSIM(dB)",
        "VMAF",
    ],
];
/// Number of columns before those of quality.
const BEFORE_QUALITY: usize = 6;

/// Whether a file begins as a layered trace.
pub fn is_one(content: &[u8]) -> bool {
    let mut lines = content.split(|byte| *byte == b'\n').map(|line| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| line.split(u8::is_ascii_whitespace).next() == Some(NAME.as_bytes()))
}

/// Parses a layered trace.
///
/// # Errors
/// With the offending line and the required value.
pub fn parse(content: &[u8]) -> Result<LayeredVideo, FileError> {
    let mut rows = Rows::new(content)?;
    let head = header(&rows.header(&HEADER)?)?;
    let columns = COLUMNS[usize::from(head.temporal) - 1];
    let mut rungs: Vec<Rung> = Vec::new();
    while let Some(row) = rows.row(columns) {
        let row = row?;
        let target_kbit = row.whole(0, 1, MOST_KBIT)?;
        match rungs.last() {
            Some(last) if last.target_kbit == target_kbit => {}
            Some(last) if last.target_kbit > target_kbit => {
                let message = format!(
                    "targets must be in ascending order, got {target_kbit} after {}",
                    last.target_kbit
                );
                return Err(row.error(message));
            }
            last => {
                if let Some(last) = last {
                    check_length(&head, last, Some(row.line))?;
                }
                if rungs.len() == MOST_RUNGS {
                    return Err(row.error(format!("a trace must have at most {MOST_RUNGS} targets")));
                }
                rungs.push(Rung { target_kbit, units: Vec::new() });
            }
        }
        let Some(rung) = rungs.last_mut() else { continue };
        let unit = unit(&row, &head, rung)?;
        rung.units.push(unit);
    }
    match rungs.last() {
        Some(last) => check_length(&head, last, None)?,
        None => return Err(FileError::at(None, "must have at least one unit, got none")),
    }
    Ok(LayeredVideo { head, rungs })
}

fn header(row: &Row<'_>) -> Result<Head, FileError> {
    if row.text(0) != NAME {
        return Err(row.error(format!("must start with `{NAME}`, got `{}`", row.text(0))));
    }
    row.whole(1, VERSION, VERSION)?;
    let wrong_rate =
        || row.error(format!("{} must be a ratio such as 30/1, got `{}`", HEADER[6], row.text(6)));
    let (numerator, denominator) = row.text(6).split_once('/').ok_or_else(wrong_rate)?;
    let part = |text: &str| {
        text.parse().ok().filter(|number| (1..=1_000_000).contains(number)).ok_or_else(wrong_rate)
    };
    Ok(Head {
        encoder: row.text(2).to_owned(),
        structure: row.text(3).to_owned(),
        width: row.whole(4, 2, MOST_PIXELS)? as u32,
        height: row.whole(5, 2, MOST_PIXELS)? as u32,
        rate: (part(numerator)?, part(denominator)?),
        frames: row.whole(7, 1, MOST_FRAMES)? as u32,
        spatial: row.whole(8, 1, u64::from(MOST_LAYERS))? as u8,
        temporal: row.whole(9, 1, u64::from(MOST_LAYERS))? as u8,
    })
}

/// Parses the next unit of a rung.
fn unit(row: &Row<'_>, head: &Head, rung: &Rung) -> Result<Unit, FileError> {
    let (frame, spatial) = (row.whole(1, 0, MOST_FRAMES - 1)?, row.whole(2, 0, u64::from(head.spatial) - 1)?);
    let (next, layers) = (rung.units.len() as u64, u64::from(head.spatial));
    let expected = [next / layers, next % layers];
    if [frame, spatial] != expected {
        return Err(out_of_order(row, &[frame, spatial], &expected, &["frame", "spatial"]));
    }
    if frame >= u64::from(head.frames) {
        return Err(
            row.error(format!("frame must be below {}, as the first line says, got {frame}", head.frames))
        );
    }
    let temporal = row.whole(3, 0, u64::from(head.temporal) - 1)? as u8;
    if let Some(below) = rung.units.last().filter(|below| spatial > 0 && below.temporal != temporal) {
        let message = format!("temporal must be {} as in the layer below, got {temporal}", below.temporal);
        return Err(row.error(message));
    }
    let own = Place { frame: frame as u32, spatial: spatial as u8 };
    let references = references(row, own, temporal, head, rung)?;
    let bytes = row.whole(4, 1, MOST_BYTES)? as u32;
    Ok(Unit { temporal, bytes, references, quality: quality(row, temporal, head)? })
}

/// Parses the references. They are earlier units of layers that whoever decodes this one has.
fn references(
    row: &Row<'_>,
    own: Place,
    temporal: u8,
    head: &Head,
    rung: &Rung,
) -> Result<Vec<Place>, FileError> {
    if row.text(5) == "-" {
        return Ok(Vec::new());
    }
    let mut references = Vec::new();
    for text in row.text(5).split(',') {
        let place = text
            .split_once('.')
            .and_then(|(frame, spatial)| {
                Some(Place { frame: frame.parse().ok()?, spatial: spatial.parse().ok()? })
            })
            .ok_or_else(|| {
                row.error(format!(
                    "references must be `-` or a list such as 4.0,8.1 (frame, spatial layer), got `{text}`"
                ))
            })?;
        if place >= own || place.spatial > own.spatial {
            let message = format!("references must be earlier units of layers up to its own, got `{text}`");
            return Err(row.error(message));
        }
        let index = place.frame as usize * usize::from(head.spatial) + usize::from(place.spatial);
        if let Some(of) = rung.units.get(index).filter(|unit| unit.temporal > temporal) {
            let message = format!(
                "references must be of temporal layers up to its own ({temporal}), got {} of `{text}`",
                of.temporal
            );
            return Err(row.error(message));
        }
        if references.last().is_some_and(|last| *last >= place) {
            return Err(row.error(format!("references must be in ascending order, got `{}`", row.text(5))));
        }
        references.push(place);
    }
    Ok(references)
}

fn quality(row: &Row<'_>, temporal: u8, head: &Head) -> Result<Vec<Quality>, FileError> {
    let mut all = Vec::with_capacity(usize::from(head.temporal));
    for layer in 0..head.temporal {
        let column = BEFORE_QUALITY + 2 * usize::from(layer);
        let quality = Quality {
            ssim_db: row.number(column, SSIM_DB.0, SSIM_DB.1)?,
            vmaf: row.number(column + 1, 0.0, 100.0)?,
        };
        // The frame itself is shown: what is decoded beside it cannot change it.
        if layer > temporal && all.last() != Some(&quality) {
            let message =
                format!("must have the same quality for all temporal layers from its own ({temporal}) on");
            return Err(row.error(message));
        }
        all.push(quality);
    }
    Ok(all)
}

fn check_length(head: &Head, rung: &Rung, next: Option<usize>) -> Result<(), FileError> {
    let expected = u64::from(head.frames) * u64::from(head.spatial);
    let length = rung.units.len() as u64;
    if length != expected {
        let message = format!(
            "target {} must have {} frames of {} spatial layers, as the first line says, got {length} units",
            rung.target_kbit, head.frames, head.spatial
        );
        return Err(FileError::at(next, message));
    }
    Ok(())
}
