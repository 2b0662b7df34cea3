//! Structures of layers: which frames and layers refer to which.

use std::fmt::{self, Display};
use std::str::FromStr;

use jettison_video::content::layered::MOST_LAYERS;

/// A structure, named as W3C's *Scalable Video Coding (SVC) Extension for WebRTC* names scalability modes: `L` spatial layers, each
/// of twice the width and height of the one below; `T` temporal layers, each of twice the frame rate; `_KEY` if layers
/// refer to the layer below in key frames only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structure {
    /// Number of spatial layers.
    pub spatial: u8,
    /// Number of temporal layers.
    pub temporal: u8,
    /// Whether only key frames have references between spatial layers.
    pub key_only: bool,
}

/// A layer without a buffer.
const NONE: u8 = 255;

impl Structure {
    /// Returns the temporal layer of the picture at index `place` after a key frame.
    pub fn temporal_layer(&self, place: u32) -> u8 {
        let top = u32::from(self.temporal) - 1;
        (top - place.trailing_zeros().min(top)) as u8
    }

    /// Returns what the layers of the picture at index `place` after a key frame read and write, in the form that
    /// `native/vp9-layers.c` reads.
    ///
    /// Buffer *s* holds spatial layer *s* of the last picture of temporal layer 0, buffer 3 + *s* that of temporal layer 1
    /// of three. A picture of temporal layer 0 refers to the last one of that layer, one of layer 1 too; one of the highest
    /// layer to the last one of any lower layer. Buffers 6 and 7 hold lower spatial layers of the picture of the highest
    /// temporal layer, to which only the layers above in the same picture refer.
    pub fn plan(&self, place: u32) -> Vec<u8> {
        let is_key = place == 0;
        let temporal = self.temporal_layer(place);
        let is_top = temporal > 0 && temporal == self.temporal - 1;
        let buffer = |spatial: u8| match temporal {
            0 => spatial,
            _ if is_top => 6 + spatial,
            _ => 3 + spatial,
        };
        // With three temporal layers, the fourth picture of four follows one of layer 1.
        let earlier = if self.temporal == 3 && place % 4 == 3 { 3 } else { 0 };
        let refers_below = is_key || !self.key_only;
        let mut plan = vec![u8::from(is_key), temporal];
        for spatial in 0..self.spatial {
            plan.push(if is_key { NONE } else { earlier + spatial });
            plan.push(if refers_below && spatial > 0 { buffer(spatial - 1) } else { NONE });
            let is_read = !is_top || (refers_below && spatial + 1 < self.spatial);
            plan.push(if is_read { 1 << buffer(spatial) } else { 0 });
        }
        plan
    }
}

impl FromStr for Structure {
    type Err = String;

    fn from_str(text: &str) -> Result<Structure, String> {
        let wrong = || {
            format!("`{text}` must be L1 to L3, T1 to T3, and possibly _KEY: such as L1T3, L3T1 or L3T3_KEY")
        };
        let (layers, key_only) = match text.strip_suffix("_KEY") {
            Some(layers) => (layers, true),
            None => (text, false),
        };
        let (spatial, temporal) =
            layers.strip_prefix('L').and_then(|rest| rest.split_once('T')).ok_or_else(wrong)?;
        let count = |text: &str| {
            text.parse().ok().filter(|count| (1..=MOST_LAYERS).contains(count)).ok_or_else(wrong)
        };
        let structure = Structure { spatial: count(spatial)?, temporal: count(temporal)?, key_only };
        if key_only && structure.spatial == 1 {
            return Err(format!("`{text}`: _KEY needs two spatial layers or more"));
        }
        Ok(structure)
    }
}

impl Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.key_only { "_KEY" } else { "" };
        write!(f, "L{}T{}{key}", self.spatial, self.temporal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(text: &str) -> Structure {
        text.parse().expect("a structure")
    }

    #[test]
    fn names_are_read_and_printed() {
        for text in ["L1T1", "L1T3", "L3T1", "L3T3", "L2T2_KEY", "L3T3_KEY"] {
            assert_eq!(structure(text).to_string(), text);
        }
        for text in ["", "L", "L1", "T1", "L0T1", "L4T1", "L1T4", "L1T3_KEY", "L3T3_key", "L03T1x", "L-1T1"] {
            assert!(text.parse::<Structure>().is_err(), "{text}");
        }
    }

    #[test]
    fn temporal_layers_halve_the_frame_rate() {
        let layers = |text| (0..8).map(|place| structure(text).temporal_layer(place)).collect::<Vec<_>>();
        assert_eq!(layers("L1T1"), [0; 8]);
        assert_eq!(layers("L1T2"), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(layers("L1T3"), [0, 2, 1, 2, 0, 2, 1, 2]);
    }

    /// Plays the plans: whoever has the layers up to an operating point has every buffer that they read.
    #[test]
    fn no_layer_reads_what_a_lower_operating_point_lacks() {
        for spatial in 1..=3 {
            for (temporal, key_only) in [(1, false), (2, false), (3, false), (1, true), (2, true), (3, true)]
            {
                let structure = Structure { spatial, temporal, key_only };
                let mut buffers: [Option<(u32, u8, u8)>; 8] = [None; 8];
                for place in 0..64 {
                    let plan = structure.plan(place);
                    let own = plan[1];
                    assert_eq!(plan.len(), 2 + 3 * usize::from(spatial));
                    for layer in 0..spatial {
                        let [earlier, below, mask] = plan[2 + 3 * usize::from(layer)..][..3] else {
                            panic!()
                        };
                        if earlier != NONE {
                            let (frame, of, at) = buffers[usize::from(earlier)].expect("it was written");
                            assert!(
                                frame < place && of == layer && at <= own && (at < own || own == 0),
                                "{structure} {place}"
                            );
                        } else {
                            assert_eq!(place, 0);
                        }
                        if below != NONE {
                            let (frame, of, at) = buffers[usize::from(below)].expect("it was written");
                            assert_eq!((frame, of, at), (place, layer - 1, own), "{structure} {place}");
                        }
                        assert_eq!(below != NONE, layer > 0 && (place == 0 || !key_only));
                        for (buffer, of) in buffers.iter_mut().enumerate() {
                            if mask & (1 << buffer) != 0 {
                                *of = Some((place, layer, own));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn references_of_three_temporal_layers_are_dyadic() {
        // As jettison_video's model of temporal layers has them within a group of eight: 3 to 2, 7 to 6.
        let plans: Vec<_> = (0..8).map(|place| structure("L1T3").plan(place)).collect();
        let earlier: Vec<u8> = plans.iter().map(|plan| plan[2]).collect();
        assert_eq!(earlier, [NONE, 0, 0, 3, 0, 0, 0, 3]);
    }
}
