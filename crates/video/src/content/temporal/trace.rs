//! Traces of video in temporal layers.
//!
//! The first line holds the frames of a group of pictures. One line per frame follows, from 0: the frame, its bytes,
//! and SSIM in dB if it is decoded.

use super::{TemporalFrame, TemporalVideo};
use crate::content::trace::{FileError, MOST_BYTES, MOST_FRAMES, Rows, SSIM_DB, out_of_order};

const HEADER: [&str; 1] = ["GoP"];
const COLUMNS: [&str; 3] = ["frame", "bytes", "SSIM(dB)"];

/// Parses a trace whose frames cost `overhead` times the bytes of a codec without layers.
///
/// # Errors
/// With the offending line and the required value.
pub(crate) fn parse(content: &[u8], overhead: f64) -> Result<TemporalVideo, FileError> {
    let mut rows = Rows::new(content)?;
    let header = rows.header(&HEADER)?;
    let gop = header.whole(0, u64::from(TemporalVideo::LEAST_GOP), u64::from(TemporalVideo::MOST_GOP))?;
    if !gop.is_power_of_two() {
        return Err(header.error(format!("GoP must be a power of two such as 8, got {gop}")));
    }
    let mut frames = Vec::new();
    while let Some(row) = rows.row(&COLUMNS) {
        let row = row?;
        let (frame, next) = (row.whole(0, 0, MOST_FRAMES - 1)?, frames.len() as u64);
        if frame != next {
            return Err(out_of_order(&row, &[frame], &[next], &["frame"]));
        }
        let bytes = row.whole(1, 1, MOST_BYTES)? as u32;
        frames.push(TemporalFrame { bytes, ssim_db: row.number(2, SSIM_DB.0, SSIM_DB.1)? });
    }
    if (frames.len() as u64) < gop {
        let message =
            format!("must have at least one group of pictures of {gop} frames, got {}", frames.len());
        return Err(FileError::at(None, message));
    }
    Ok(TemporalVideo::new(gop as u32, frames, overhead))
}
