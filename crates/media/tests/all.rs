//! The shipped traces, and the encoders where they are installed.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use jettison_media::generate::{Content, Generator};
use jettison_media::picture::{Origin, PictureFormat};
use jettison_media::tools::Tools;
use jettison_media::{EncoderName, Error, Order, encode, read};
use jettison_video::content::LayeredVideo;
use jettison_video::content::layered::Place;

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/octopus/encoded");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "video"));
    files.sort();
    files
}

/// Checks that a trace is what its head says: rate, layers, quality.
fn check(name: &str, video: &LayeredVideo) {
    for (index, rung) in video.rungs.iter().enumerate() {
        let summaries = video.summaries(index);
        let top = summaries.last().expect("an operating point");
        let ratio = top.rate.as_mbit_f64() * 1e3 / rung.target_kbit as f64;
        // A lowest rate may be less than the encoder can do with pictures of that size: it then takes what it must.
        let most = if index == 0 && video.head.height > 180 { 1.5 } else { 1.15 };
        assert!((0.75..most).contains(&ratio), "{name}: {ratio} of its target");
        assert!(top.quality.vmaf > 50.0 && top.quality.ssim_db > 8.0, "{name}: {top:?}");
        // Each further spatial layer looks better and costs more, and so does each further temporal layer.
        let temporal = usize::from(video.head.temporal);
        for (at, point) in summaries.iter().enumerate() {
            let below = [at.checked_sub(temporal), at.checked_sub(1).filter(|_| at % temporal > 0)];
            for below in below.into_iter().flatten().map(|below| &summaries[below]) {
                assert!(
                    point.rate > below.rate && point.quality.vmaf > below.quality.vmaf,
                    "{name}: {summaries:?}"
                );
            }
        }
        // Every layer of every frame is there, and only the first frame of a group stands alone.
        let units = rung.units.iter().enumerate();
        assert!(video.is_key(index, 0), "{name}");
        for (at, unit) in units {
            let spatial = (at % usize::from(video.head.spatial)) as u8;
            let place = Place { frame: (at / usize::from(video.head.spatial)) as u32, spatial };
            let is_alone = unit.references.is_empty();
            assert_eq!(is_alone, spatial == 0 && video.is_key(index, place.frame), "{name}: {place:?}");
        }
    }
}

#[test]
fn the_shipped_traces_are_what_they_say() {
    let files = shipped();
    assert!(files.len() >= 6, "{files:?}");
    for path in files {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let video = read(&path).unwrap_or_else(|error| panic!("{error}"));
        // Those of the usual size do not name it.
        let (size, named) = match video.head.height {
            180 => ((320, 180), String::new()),
            height => ((960, 540), format!("-{height}p")),
        };
        let structure = video.head.structure.to_lowercase().replace('_', "-");
        assert_eq!(name, format!("{}-{structure}{named}.video", video.head.encoder));
        let text = std::fs::read_to_string(&path).expect("it was read");
        assert!(text.starts_with(&format!("# jettison media encode {name} ")), "{name} has its command");
        assert_eq!((video.head.width, video.head.height), size);
        assert_eq!((video.head.rate, video.head.frames), ((30, 1), 120));
        check(&name, &video);
    }
}

/// Returns the programs, or prints why the test is skipped.
fn tools(test: &str) -> Option<Tools> {
    let tools = Tools::find().and_then(|tools| tools.vp9_layers().map(|_| ()).map(|()| tools));
    tools.map_err(|error| println!("left out: {test} ({error})")).ok()
}

fn order(temporary: &Path, encoder: EncoderName, structure: &str) -> Order {
    let format = PictureFormat { width: 128, height: 96, rate: (30, 1) };
    let generator = Generator { content: Content::TalkingHead, format, frames: 16, seed: 1 };
    Order {
        origin: Origin::Generated(generator),
        frames: None,
        encoder,
        structure: structure.parse().expect("a structure"),
        gop: 8,
        targets_kbit: vec![200],
        spatial_shares: None,
        temporal_shares: None,
        temporary: Some(temporary.to_owned()),
    }
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).expect("the folder is there").next().is_none()
}

#[test]
fn encoders_make_the_structures_that_they_are_asked_for() {
    let Some(tools) = tools("encoders_make_the_structures_that_they_are_asked_for") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (encoder, structure) in [
        (EncoderName::Vp9, "L1T3"),
        (EncoderName::Vp9, "L2T2"),
        (EncoderName::Vp9, "L2T3_KEY"),
        (EncoderName::SvtAv1, "L1T3"),
        (EncoderName::X264, "L1T1"),
    ] {
        let order = order(folder.path(), encoder, structure);
        let encoded = encode(&order, &tools, &AtomicBool::new(false), &mut |_| {});
        let video = encoded.unwrap_or_else(|error| panic!("{structure}: {error}")).video;
        let keys: Vec<u32> = (0..video.head.frames).filter(|frame| video.is_key(0, *frame)).collect();
        assert_eq!((video.head.frames, keys), (16, vec![0, 8]), "{structure}");
        let of = |frame, spatial| video.unit(0, Place { frame, spatial });
        let at = |frame, spatial| Place { frame, spatial };
        match structure {
            "L1T3" => assert_eq!([3, 4, 6].map(|frame| of(frame, 0).references[0].frame), [2, 0, 4]),
            "L2T2" => assert_eq!(of(3, 1).references, [at(2, 1), at(3, 0)]),
            "L2T3_KEY" => {
                assert_eq!(of(8, 1).references, [at(8, 0)]);
                assert_eq!(of(3, 1).references, [at(2, 1)]);
            }
            _ => assert_eq!(of(3, 0).references, [at(2, 0)]),
        }
        assert!(is_empty(folder.path()), "{structure} leaves nothing behind");
    }
}

#[test]
fn a_truncated_file_and_an_interrupt_leave_nothing_behind() {
    let Some(tools) = tools("a_truncated_file_and_an_interrupt_leave_nothing_behind") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = tempfile::tempdir().expect("a folder");
    let file = inputs.path().join("cut.y4m");
    std::fs::write(&file, [&b"YUV4MPEG2 W64 H64 F30:1\nFRAME\n"[..], &[9; 6144], b"FRAME\n12345"].concat())
        .expect("a file");
    let mut order = order(folder.path(), EncoderName::Vp9, "L1T1");
    order.origin = Origin::File(file);
    let error = encode(&order, &tools, &AtomicBool::new(false), &mut |_| {}).expect_err("truncated");
    assert!(
        error.to_string().contains("frame 1: must have 6144 bytes, got 5: the file is truncated"),
        "{error}"
    );
    assert!(is_empty(folder.path()));

    let cancelled = AtomicBool::new(false);
    let mut stop = |progress: jettison_media::Progress| {
        let is_comparing = progress.doing.contains("comparing");
        cancelled.store(is_comparing, std::sync::atomic::Ordering::Relaxed);
    };
    let order = self::order(folder.path(), EncoderName::Vp9, "L1T3");
    let error = encode(&order, &tools, &cancelled, &mut stop).expect_err("cancelled");
    assert!(matches!(error, Error::Cancelled), "{error}");
    assert!(is_empty(folder.path()));
}
