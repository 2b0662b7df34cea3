//! MPD and sidecar parsers: any bytes give playable titles or an error, without a panic or an endless loop.

#![no_main]

use std::sync::Arc;

use jettison_core::Seed;
use jettison_dash::content::ContentParameters;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8], bool)| {
    let (mpd, sizes, has_sizes) = input;
    let parameters = ContentParameters {
        mpd: Some("a.mpd".to_owned()),
        sizes: has_sizes.then(|| "a.csv".to_owned()),
        ..ContentParameters::default()
    };
    let files = |name: &str| -> Result<Arc<[u8]>, String> {
        Ok(Arc::from(if name == "a.mpd" { mpd } else { sizes }))
    };
    let random = |name: &str| Seed(1).stream(&[name]);
    let Ok(titles) = parameters.titles(&files, &random) else { return };
    for title in titles {
        let segments = title.video.segments();
        assert!(segments > 0);
        assert!(title.video.representations.iter().all(|r| r.sizes.len() == segments));
    }
});
