//! Videos and transports for the tests of encoders.

use std::fmt::Write;
use std::sync::Arc;

use jettison_core::{Rate, Seed, Time};
use jettison_tcp::PathEstimate;

use super::Video;
use crate::content::{
    SingleLayerVideo, SpatialContent, SpatialVideo, TemporalContent, TemporalVideo, VolumetricContent,
    VolumetricVideo,
};
use crate::{Outgoing, Source};

/// Returns the estimate of a transport with a bandwidth in kbit/s, or without any.
pub(super) fn path(kbit: Option<u64>) -> PathEstimate {
    PathEstimate { bandwidth: kbit.map(Rate::from_kbit), ..PathEstimate::default() }
}

/// Returns the messages of `source` in its first frames from second 1, with the estimate `path` of each frame.
pub(super) fn frames(
    source: &mut dyn Source,
    count: u32,
    path: impl Fn(u32) -> PathEstimate,
) -> Vec<Outgoing> {
    let mut out = Vec::new();
    source.start(Time::from_secs(1));
    for frame in 0..count {
        let now = source.next_frame().expect("it has started and does not end");
        source.make_frame(now, &path(frame), &mut out);
    }
    out
}

/// Returns one video of each kind.
pub(super) fn videos() -> [Video; 3] {
    [
        Video::Spatial(Arc::new(spatial())),
        Video::Temporal(Arc::new(temporal())),
        Video::Volumetric(Arc::new(volumetric(5, 4, 2))),
    ]
}

/// Returns two groups of ten frames in three layers at three rungs, with the rates of the real ladders.
pub(super) fn spatial() -> SpatialVideo {
    let mut trace = "10 3\n".to_owned();
    for [q0, q1, q2] in [[400, 700, 1_200], [450, 1_050, 2_050], [600, 1_500, 3_000]] {
        for frame in 0..20 {
            let scale = if frame % 10 == 0 { 3 } else { 1 };
            for (layer, own, up_to) in [(0, q0, q0), (1, q1 - q0, q1), (2, q2 - q1, q2)] {
                let bytes = own * scale * 3 + frame;
                let ssim = 8.0 + f64::from(up_to) / 1000.0;
                writeln!(trace, "{q2} {frame} {layer} {bytes} {up_to} {ssim}").expect("a string takes all");
            }
        }
    }
    let content = SpatialContent { file: Some("spatial.trace".to_owned()), ..SpatialContent::default() };
    let video = content.load(&|_| Ok(trace.as_bytes().into()), &|name| Seed(1).stream(&[name]));
    Arc::unwrap_or_clone(video.expect("it is a trace"))
}

/// Returns the same video without layers: rungs of 1,030, 1,760 and 2,575 kbit/s.
pub(super) fn single() -> SingleLayerVideo {
    spatial().single_layer()
}

/// Returns two groups of eight frames.
pub(super) fn temporal() -> TemporalVideo {
    let mut trace = "8\n".to_owned();
    for frame in 0..16 {
        writeln!(trace, "{frame} {} 15.5", 10_000 + 500 * (frame % 8)).expect("a string takes all");
    }
    let content = TemporalContent { file: Some("temporal.trace".to_owned()), ..TemporalContent::default() };
    let video = content.load(&|_| Ok(trace.as_bytes().into()), &|name| Seed(1).stream(&[name]));
    Arc::unwrap_or_clone(video.expect("it is a trace"))
}

/// Returns the same video without layers: one rung.
pub(super) fn thin() -> SingleLayerVideo {
    temporal().single_layer()
}

/// Returns three frames of density layers and cells, the first cells in front.
pub(super) fn volumetric(layers: u8, cells: u8, front: u8) -> VolumetricVideo {
    let mut trace = format!("{layers} {cells} 3\n");
    for frame in 0..3u32 {
        let mut bytes_up_to = 0;
        for layer in 0..u32::from(layers) {
            let bytes = |cell: u32| 40_000 + 100 * layer + 10 * cell;
            bytes_up_to += (0..u32::from(cells)).map(bytes).sum::<u32>();
            for cell in 0..u32::from(cells) {
                let kbit = bytes_up_to * 8 * 20 / 1000;
                writeln!(trace, "{frame} {layer} {cell} {} {kbit}", bytes(cell) + frame)
                    .expect("a string takes all");
            }
        }
    }
    let file = Some("volumetric.trace".to_owned());
    let content = VolumetricContent { file, front_cells: front, ..VolumetricContent::default() };
    let video = content.load(&|_| Ok(trace.as_bytes().into()), &|name| Seed(1).stream(&[name]));
    Arc::unwrap_or_clone(video.expect("it is a trace"))
}
