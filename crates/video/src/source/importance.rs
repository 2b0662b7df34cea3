//! Order of importance of the parts of a volumetric frame.

use jettison_core::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::VolumetricVideo;

/// Order in which parts of a volumetric frame are dropped when bandwidth is insufficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Occluded cells, from their highest layer down, then the others from their highest layer down.
    #[default]
    OccludedFirst,
    /// The highest layer of occluded cells, then that of the others, and so on downwards.
    LayersFirst,
}

/// One layer of the cells in front or of the occluded cells: parts of equal importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class {
    /// Density layer.
    pub(super) layer: u8,
    /// First cell.
    pub(super) from: u8,
    /// Cell after the last one.
    pub(super) to: u8,
    /// Mean bitrate of the video up to this class.
    pub(super) cumulative: Rate,
}

/// Returns the classes of a video, most important first.
pub(super) fn classes(video: &VolumetricVideo, order: Order) -> Vec<Class> {
    let (front, cells) = (video.front_cells(), video.cells());
    let class = |layer, from, to| Class { layer, from, to, cumulative: Rate::ZERO };
    let in_front = (0..video.layers()).map(|layer| class(layer, 0, front));
    let occluded = (0..video.layers()).map(|layer| class(layer, front, cells));
    let mut classes: Vec<Class> = match order {
        Order::OccludedFirst => in_front.chain(occluded).collect(),
        Order::LayersFirst => {
            in_front.zip(occluded).flat_map(|(front, occluded)| [front, occluded]).collect()
        }
    };
    classes.retain(|class| class.from < class.to);
    let whole = video.frame_rate().offset(video.frames());
    let mut bytes = 0;
    for class in &mut classes {
        bytes += class_bytes(video, class);
        class.cumulative = Rate::of(Bytes::new(bytes), whole);
    }
    classes
}

/// Returns the bytes of a class in all frames of a video.
fn class_bytes(video: &VolumetricVideo, class: &Class) -> u64 {
    let of_frame = |frame| -> u64 {
        (class.from..class.to).map(|cell| u64::from(video.part(frame, class.layer, cell).bytes)).sum()
    };
    (0..video.frames()).map(of_frame).sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::volumetric;
    use super::*;

    fn outline(layers: u8, cells: u8, front: u8, order: Order) -> Vec<(u8, u8, u8)> {
        classes(&volumetric(layers, cells, front), order).iter().map(|c| (c.layer, c.from, c.to)).collect()
    }

    #[test]
    fn occluded_cells_and_high_layers_go_first() {
        let order = outline(3, 4, 2, Order::OccludedFirst);
        assert_eq!(order, [(0, 0, 2), (1, 0, 2), (2, 0, 2), (0, 2, 4), (1, 2, 4), (2, 2, 4)]);
        let order = outline(3, 4, 2, Order::LayersFirst);
        assert_eq!(order, [(0, 0, 2), (0, 2, 4), (1, 0, 2), (1, 2, 4), (2, 0, 2), (2, 2, 4)]);
        assert_eq!(outline(2, 2, 2, Order::OccludedFirst), [(0, 0, 2), (1, 0, 2)], "nothing is occluded");
    }

    #[test]
    fn rates_add_up_to_the_videos() {
        for order in [Order::OccludedFirst, Order::LayersFirst] {
            let video = volumetric(5, 4, 2);
            let classes = classes(&video, order);
            assert!(classes.windows(2).all(|pair| pair[0].cumulative < pair[1].cumulative));
            let whole = video.part(0, 4, 3).cumulative.as_bits() as f64;
            let ours = classes.last().expect("ten classes").cumulative.as_bits() as f64;
            assert!((ours / whole - 1.0).abs() < 0.02, "{ours} and {whole}");
        }
    }
}
