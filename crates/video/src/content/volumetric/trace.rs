//! Traces of point-cloud video.
//!
//! The first line holds the numbers of layers, cells and frames. One line per layer of a cell follows: the frame, the
//! layer, the cell, its bytes, and the bitrate up to that layer, all cells together, in kbit/s. Lines are ordered by
//! frame, then layer, then cell, each from 0.

use jettison_core::Rate;

use super::{DensityQuality, VolumetricPart, VolumetricVideo};
use crate::content::trace::{FileError, MOST_BYTES, MOST_FRAMES, MOST_KBIT, Row, Rows, out_of_order};

const HEADER: [&str; 3] = ["layers", "cells", "frames"];
const COLUMNS: [&str; 5] = ["frame", "layer", "cell", "bytes", "cumulative(kbit/s)"];
/// Maximum number of density layers or cells.
const MOST_PARTS: u64 = 64;

/// Properties of a video that its trace does not contain.
pub(crate) struct VolumetricSettings {
    /// Number of cells in front.
    pub(crate) front: u8,
    /// Ratio of the bytes of all layers to those of a codec without layers.
    pub(crate) overhead: f64,
    /// Quality as a function of density.
    pub(crate) quality: DensityQuality,
}

/// Parses a trace.
///
/// # Errors
/// With the offending line and the required value.
pub(crate) fn parse(content: &[u8], settings: VolumetricSettings) -> Result<VolumetricVideo, FileError> {
    let mut rows = Rows::new(content)?;
    let header = rows.header(&HEADER)?;
    let layers = header.whole(0, 1, MOST_PARTS)?;
    let cells = header.whole(1, 1, MOST_PARTS)?;
    let frames = header.whole(2, 1, MOST_FRAMES)?;
    let mut parts: Vec<VolumetricPart> = Vec::new();
    while let Some(row) = rows.row(&COLUMNS) {
        let row = row?;
        let part = part(&row, &parts, [layers, cells, frames])?;
        parts.push(part);
    }
    let (have, of) = (parts.len() as u64, layers * cells);
    if have != frames * of {
        let (frame, rest) = (have / of, have % of);
        let message = format!(
            "must have {frames} frames by its first line, got {rest} of the {of} layers of cells of frame {frame}"
        );
        return Err(FileError::at(None, message));
    }
    Ok(VolumetricVideo::new([layers as u8, cells as u8], parts, settings))
}

fn part(
    row: &Row<'_>,
    parts: &[VolumetricPart],
    [layers, cells, frames]: [u64; 3],
) -> Result<VolumetricPart, FileError> {
    let given = [row.whole(0, 0, frames - 1)?, row.whole(1, 0, layers - 1)?, row.whole(2, 0, cells - 1)?];
    let next = parts.len() as u64;
    let expected = [next / (layers * cells), next / cells % layers, next % cells];
    if given != expected {
        return Err(out_of_order(row, &given, &expected, &["frame", "layer", "cell"]));
    }
    let bytes = row.whole(3, 1, MOST_BYTES)? as u32;
    let cumulative = Rate::from_kbit(row.whole(4, 1, MOST_KBIT)?);
    let [_, layer, cell] = given;
    let before = parts.last().filter(|_| layer > 0 || cell > 0).map(|before| before.cumulative);
    let fault = match before {
        Some(before) if cell > 0 && before > cumulative => {
            format!("must be >= {before} of the previous cell")
        }
        Some(before) if cell == 0 && before >= cumulative => {
            "must be above that of the layer below".to_owned()
        }
        _ => return Ok(VolumetricPart { bytes, cumulative }),
    };
    Err(row.error(format!("{} {fault}, got {cumulative}", COLUMNS[4])))
}
