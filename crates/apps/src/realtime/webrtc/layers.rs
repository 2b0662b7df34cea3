//! Temporal layers: which frame refers to which, and what share of the bits it has.
//!
//! Scalability modes as W3C's *Scalable Video Coding (SVC) Extension for WebRTC* names them. Shares of three layers are WebRTC's
//! defaults: 40 % of the bitrate in the base layer, 60 % up to the second.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scalability mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Mode {
    /// One layer: each frame refers to the one before.
    #[default]
    L1T1,
    /// Three temporal layers: half of the frames are in the highest, and nothing refers to them.
    L1T3,
}

/// What the pattern says of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Distance to the reference.
    pub back: u16,
    /// Share of bits relative to the mean.
    pub weight: f64,
    /// Temporal layer.
    pub layer: u8,
}

/// The position in a mode's pattern.
#[derive(Debug, Clone)]
pub(super) struct Layers {
    mode: Mode,
    /// Frames since the start of the pattern.
    position: u32,
    /// The newest frame of each layer below the highest.
    newest: [u32; 2],
}

impl Layers {
    pub(super) fn new(mode: Mode) -> Layers {
        Layers { mode, position: 0, newest: [0; 2] }
    }

    /// A key frame begins the pattern.
    pub(super) fn restart(&mut self, frame: u32) {
        (self.position, self.newest) = (0, [frame; 2]);
    }

    /// The place of the next frame, which is no key frame.
    pub(super) fn next(&mut self, frame: u32) -> Place {
        self.position += 1;
        // The base layer has a quarter of the frames, the second one too.
        let (reference, weight, layer) = match (self.mode, self.position % 4) {
            (Mode::L1T1, _) => (std::mem::replace(&mut self.newest[0], frame), 1.0, 0),
            (Mode::L1T3, 0) => {
                let reference = self.newest[0];
                self.newest = [frame; 2];
                (reference, 0.4 * 4.0, 0)
            }
            (Mode::L1T3, 2) => {
                self.newest[1] = frame;
                (self.newest[0], 0.2 * 4.0, 1)
            }
            (Mode::L1T3, _) => (self.newest[1], 0.4 * 2.0, 2),
        };
        // A reference is at most a pattern back, and frames that the encoder dropped.
        Place { back: (frame - reference).min(u16::MAX.into()) as u16, weight, layer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backs(mode: Mode) -> Vec<u16> {
        let mut layers = Layers::new(mode);
        layers.restart(0);
        (1..9).map(|frame| layers.next(frame).back).collect()
    }

    #[test]
    fn frames_refer_to_lower_layers() {
        assert_eq!(backs(Mode::L1T1), [1; 8]);
        assert_eq!(backs(Mode::L1T3), [1, 2, 1, 4, 1, 2, 1, 4]);
    }

    #[test]
    fn half_of_the_frames_are_in_the_highest_layer() {
        let mut layers = Layers::new(Mode::L1T3);
        layers.restart(0);
        let found: Vec<u8> = (1..9).map(|frame| layers.next(frame).layer).collect();
        assert_eq!(found, [2, 1, 2, 0, 2, 1, 2, 0]);
    }

    #[test]
    fn the_shares_of_a_pattern_add_up() {
        let mut layers = Layers::new(Mode::L1T3);
        layers.restart(0);
        let shares: f64 = (1..=4).map(|frame| layers.next(frame).weight).sum();
        assert!((shares - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_dropped_frame_is_nobodys_reference() {
        let mut layers = Layers::new(Mode::L1T1);
        layers.restart(0);
        assert_eq!([layers.next(1).back, layers.next(4).back], [1, 3]);
    }
}
