//! Layered traces as the videos of the applications, whose structures are fixed.

use jettison_core::{Bytes, Rate};

use super::{LayeredVideo, OperatingPoint, Place};
use crate::content::spatial::{SpatialLayer, SpatialVideo};
use crate::content::temporal::{TemporalFrame, TemporalVideo};
use crate::content::trace::{FileError, MOST_GOP};

impl LayeredVideo {
    /// Returns the video in quality layers, each of which costs `overhead` times the bytes of a codec without layers.
    ///
    /// # Errors
    /// If its structure is another: temporal layers, or other references than those of [`SpatialVideo`].
    pub(crate) fn spatial(&self, overhead: f64) -> Result<SpatialVideo, FileError> {
        self.check_rate(SpatialVideo::FRAME_RATE.per_second())?;
        if self.head.temporal > 1 {
            return Err(self.unsuitable("`spatial-video` needs one temporal layer"));
        }
        let gop = self.gop(MOST_GOP as u32)?;
        let expected = |place: Place| {
            let below = place.spatial.checked_sub(1).map(|spatial| Place { spatial, ..place });
            let before =
                (!place.frame.is_multiple_of(gop)).then(|| Place { frame: place.frame - 1, ..place });
            before.into_iter().chain(below).collect()
        };
        self.check_references(
            expected,
            "`spatial-video` needs each layer to refer to the one below and to its own in the frame before",
        )?;
        let mut rungs: Vec<(Rate, Vec<SpatialLayer>)> = Vec::new();
        for (index, rung) in self.rungs.iter().enumerate() {
            let cumulative: Vec<Rate> = self.summaries(index).iter().map(|summary| summary.rate).collect();
            let total = cumulative.last().copied().unwrap_or(Rate::ZERO);
            if rungs.last().is_some_and(|(below, _)| *below >= total) {
                return Err(self.unsuitable("each target must yield a higher bitrate than the one before"));
            }
            let layers = rung.units.iter().enumerate().map(|(at, unit)| SpatialLayer {
                bytes: unit.bytes,
                cumulative: cumulative[at % cumulative.len()],
                ssim_db: unit.quality[0].ssim_db,
            });
            rungs.push((total, layers.collect()));
        }
        Ok(SpatialVideo::new(gop, self.head.spatial, rungs, overhead))
    }

    /// Returns the video in temporal layers, each frame of which costs `overhead` times the bytes of a codec without
    /// layers.
    ///
    /// # Errors
    /// If its structure is another: spatial layers, several rungs, or other references than those of [`TemporalVideo`].
    pub(crate) fn temporal(&self, overhead: f64) -> Result<TemporalVideo, FileError> {
        self.check_rate(TemporalVideo::FRAME_RATE.per_second())?;
        if self.head.spatial > 1 || self.rungs.len() > 1 {
            return Err(self.unsuitable("`temporal-video` needs one spatial layer and one target"));
        }
        let gop = self.gop(TemporalVideo::MOST_GOP)?;
        if !gop.is_power_of_two() || gop < TemporalVideo::LEAST_GOP {
            let message =
                format!("`temporal-video` needs a key frame every 4, 8, 16, 32 or 64 frames, got {gop}");
            return Err(self.unsuitable(&message));
        }
        let expected = |place: Place| {
            let at = place.frame % gop;
            let reference = TemporalVideo::reference(at);
            reference
                .map(|reference| Place { frame: place.frame - at + reference, spatial: 0 })
                .into_iter()
                .collect()
        };
        self.check_references(
            expected,
            "`temporal-video` needs the references of dyadic coding (vp9 with L1T3 and a key frame every 4 or 8 frames has them)",
        )?;
        let frame = |unit: &super::Unit| TemporalFrame {
            bytes: unit.bytes,
            ssim_db: unit.quality[usize::from(unit.temporal)].ssim_db,
        };
        Ok(TemporalVideo::new(gop, self.rungs[0].units.iter().map(frame).collect(), overhead))
    }

    /// Returns the bytes of a frame up to an operating point's spatial layer.
    pub fn frame_bytes(&self, rung: usize, frame: u32, point: OperatingPoint) -> Bytes {
        let layers = (0..=point.spatial).map(|spatial| self.unit(rung, Place { frame, spatial }));
        Bytes::new(
            layers.filter(|unit| unit.temporal <= point.temporal).map(|unit| u64::from(unit.bytes)).sum(),
        )
    }

    /// Returns the distance between key frames, the same throughout.
    fn gop(&self, most: u32) -> Result<u32, FileError> {
        let frames = self.head.frames;
        let gop = (1..frames).find(|frame| self.is_key(0, *frame)).unwrap_or(frames);
        let is_regular = (0..self.rungs.len())
            .all(|rung| (0..frames).all(|frame| self.is_key(rung, frame) == frame.is_multiple_of(gop)));
        if !is_regular {
            return Err(self.unsuitable("key frames must be equally far apart"));
        }
        if gop > most {
            return Err(
                self.unsuitable(&format!("key frames must be at most {most} frames apart, got {gop}"))
            );
        }
        Ok(gop)
    }

    fn check_references(&self, expected: impl Fn(Place) -> Vec<Place>, needs: &str) -> Result<(), FileError> {
        let layers = usize::from(self.head.spatial);
        for rung in &self.rungs {
            for (index, unit) in rung.units.iter().enumerate() {
                let place = Place { frame: (index / layers) as u32, spatial: (index % layers) as u8 };
                if unit.references != expected(place) {
                    let Place { frame, spatial } = place;
                    return Err(
                        self.unsuitable(&format!("{needs}; frame {frame}, spatial layer {spatial} does not"))
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks the frame rate, which the applications fix. NTSC's 30000/1001 counts as 30.
    fn check_rate(&self, per_second: u32) -> Result<(), FileError> {
        let (numerator, denominator) = self.head.rate;
        let is_close =
            (f64::from(numerator) / f64::from(denominator) / f64::from(per_second) - 1.0).abs() < 0.0015;
        match is_close {
            true => Ok(()),
            false => {
                Err(self.unsuitable(&format!("needs {per_second} frames/s, got {numerator}/{denominator}")))
            }
        }
    }

    fn unsuitable(&self, why: &str) -> FileError {
        let Self { head, .. } = self;
        FileError::at(None, format!("unsuitable video {} of {}: {why}", head.structure, head.encoder))
    }
}
