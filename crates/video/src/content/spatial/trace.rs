//! Traces of video in quality layers.
//!
//! The first line holds the frames of a group of pictures and the number of layers. One line per layer follows: the
//! ladder's bitrate, the frame, the layer, the layer's bytes, the cumulative bitrate up to it in kbit/s, and SSIM in
//! dB if the frame is decoded up to it. Ladders are in ascending order, frames and layers from 0; all ladders have the
//! same length.

use jettison_core::Rate;

use super::{SpatialLayer, SpatialVideo};
use crate::content::trace::{
    FileError, MOST_BYTES, MOST_FRAMES, MOST_GOP, MOST_KBIT, MOST_LAYERS, Rows, SSIM_DB, out_of_order,
};

const HEADER: [&str; 2] = ["GoP", "layers"];
const COLUMNS: [&str; 6] = ["ladder(kbit/s)", "frame", "layer", "bytes", "cumulative(kbit/s)", "SSIM(dB)"];
/// Maximum number of rungs: a message's head has 16 bits for it.
const MOST_RUNGS: usize = 1_000;

/// Parses a trace whose layers cost `overhead` times the bytes of a codec without layers.
///
/// # Errors
/// With the offending line and the required value.
pub(crate) fn parse(content: &[u8], overhead: f64) -> Result<SpatialVideo, FileError> {
    let mut rows = Rows::new(content)?;
    let header = rows.header(&HEADER)?;
    let gop = header.whole(0, 1, MOST_GOP)?;
    let layers = header.whole(1, 1, MOST_LAYERS)?;
    let mut ladder: Vec<(u64, Vec<SpatialLayer>)> = Vec::new();
    while let Some(row) = rows.row(&COLUMNS) {
        let row = row?;
        let kbit = row.whole(0, 1, MOST_KBIT)?;
        // A new bitrate starts the next ladder; the previous one must then be complete.
        match ladder.last() {
            Some((before, _)) if *before == kbit => {}
            Some((before, _)) if *before > kbit => {
                let message = format!(
                    "ladder must be >= {before} (ladders are contiguous and in ascending order), got {kbit}"
                );
                return Err(row.error(message));
            }
            _ => {
                check_length(&ladder, layers, Some(row.line))?;
                if ladder.len() == MOST_RUNGS {
                    return Err(row.error(format!("a trace must have at most {MOST_RUNGS} ladders")));
                }
                ladder.push((kbit, Vec::new()));
            }
        }
        let (frame, layer) = (row.whole(1, 0, MOST_FRAMES - 1)?, row.whole(2, 0, layers - 1)?);
        let Some((_, pictures)) = ladder.last_mut() else { continue };
        let next = pictures.len() as u64;
        if (frame, layer) != (next / layers, next % layers) {
            let expected = [next / layers, next % layers];
            return Err(out_of_order(&row, &[frame, layer], &expected, &["frame", "layer"]));
        }
        let bytes = row.whole(3, 1, MOST_BYTES)? as u32;
        let cumulative = row.whole(4, 1, MOST_KBIT)?;
        let ssim_db = row.number(5, SSIM_DB.0, SSIM_DB.1)?;
        // Cumulative bitrates must ascend to the ladder's bitrate.
        let below = pictures.last().filter(|_| layer > 0).map(|below| below.cumulative);
        let cumulative = Rate::from_kbit(cumulative);
        if below.is_some_and(|below| below >= cumulative) {
            return Err(
                row.error(format!("{} must be above that of the layer below, got {cumulative}", COLUMNS[4]))
            );
        }
        if layer == layers - 1 && cumulative != Rate::from_kbit(kbit) {
            let message =
                format!("{} of the last layer must be the ladder's {kbit}, got {cumulative}", COLUMNS[4]);
            return Err(row.error(message));
        }
        pictures.push(SpatialLayer { bytes, cumulative, ssim_db });
    }
    check_length(&ladder, layers, None)?;
    let frames = ladder.first().map_or(0, |(_, pictures)| pictures.len() as u64 / layers);
    if frames < gop {
        let message = format!("must have at least one group of pictures of {gop} frames, got {frames}");
        return Err(FileError::at(None, message));
    }
    let rungs = ladder.into_iter().map(|(kbit, pictures)| (Rate::from_kbit(kbit), pictures)).collect();
    Ok(SpatialVideo::new(gop as u32, layers as u8, rungs, overhead))
}

/// Checks that the last ladder is as long as the first one; `next` is the line that ends it.
fn check_length(
    ladder: &[(u64, Vec<SpatialLayer>)],
    layers: u64,
    next: Option<usize>,
) -> Result<(), FileError> {
    let (Some((first, all)), Some((last, pictures))) = (ladder.first(), ladder.last()) else { return Ok(()) };
    let length = pictures.len() as u64;
    if !length.is_multiple_of(layers) {
        let (frame, have) = (length / layers, length % layers);
        let message = format!("ladder {last} must have {layers} layers of frame {frame}, got {have}");
        return Err(FileError::at(next, message));
    }
    if length != all.len() as u64 {
        let (length, expected) = (length / layers, all.len() as u64 / layers);
        let message = format!("ladder {last} must have {expected} frames as ladder {first}, got {length}");
        return Err(FileError::at(next, message));
    }
    Ok(())
}
