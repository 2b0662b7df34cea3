//! Parser of video traces: any bytes give a video with a size for every frame or an error, without a panic or an endless loop.

#![no_main]

use std::sync::Arc;

use jettison_core::Seed;
use jettison_video::content::{SpatialContent, TemporalContent, VolumetricContent};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], u32)| {
    let (content, frame) = input;
    let file = Some("a.trace".to_owned());
    let files = |_: &str| -> Result<Arc<[u8]>, String> { Ok(Arc::from(content)) };
    let random = |name: &str| Seed(1).stream(&[name]);
    let spatial = SpatialContent { file: file.clone(), ..SpatialContent::default() };
    if let Ok(video) = spatial.load(&files, &random) {
        assert!(video.frames() > 0 && video.frames() % video.gop() == 0);
        for rung in 0..video.rungs() {
            assert!(
                video.picture(rung, frame).iter().all(|layer| layer.bytes > 0 && layer.ssim_db.is_finite())
            );
        }
        assert!(video.single_layer().frame(0, frame).bytes > 0);
    }
    let temporal = TemporalContent { file: file.clone(), ..TemporalContent::default() };
    if let Ok(video) = temporal.load(&files, &random) {
        assert!(video.frames() > 0 && video.frames() % video.gop() == 0);
        assert!(video.frame(frame).bytes > 0 && video.single_layer().frame(0, frame).bytes > 0);
    }
    let volumetric = VolumetricContent { file, ..VolumetricContent::default() };
    if let Ok(video) = volumetric.load(&files, &random) {
        for cell in 0..video.cells() {
            assert!((0..video.layers()).all(|layer| video.part(frame, layer, cell).bytes > 0));
            assert!(video.single_layer_bytes(frame, cell, video.layers()) > 0);
        }
    }
});
