//! `jettison media quality`.

use std::fmt::Write;
use std::path::PathBuf;

use jettison_media::compare::{overhead, points};
use jettison_video::content::LayeredVideo;
use jettison_video::content::layered::{Quality, Summary};
use serde::Serialize;

use crate::output::{Failure, print, print_record};

/// An operating point of a trace.
#[derive(Serialize)]
struct Record<'a> {
    file: &'a str,
    encoder: &'a str,
    structure: &'a str,
    target_kbit: u64,
    spatial: u8,
    temporal: u8,
    kbit: f64,
    ssim_db: f64,
    vmaf: f64,
}

/// Prints each trace's operating points, and its overhead over the first trace.
pub fn quality(files: &[PathBuf], json: bool) -> Result<(), Failure> {
    let mut first: Option<Vec<Vec<Summary>>> = None;
    for file in files {
        let name = file.display().to_string();
        let video = jettison_media::read(file).map_err(super::failure)?;
        let rungs: Vec<Vec<Summary>> = (0..video.rungs.len()).map(|rung| video.summaries(rung)).collect();
        if json {
            print_records(&name, &video, &rungs)?;
            continue;
        }
        print(format_args!("{name}\n{}", table(&video)))?;
        match &first {
            None => first = Some(rungs),
            Some(reference) => print(format_args!("{}\n", costs(&rungs, reference)))?,
        }
    }
    Ok(())
}

fn print_records(file: &str, video: &LayeredVideo, rungs: &[Vec<Summary>]) -> Result<(), Failure> {
    for (rung, summaries) in video.rungs.iter().zip(rungs) {
        for Summary { point, rate, quality } in summaries {
            print_record(&Record {
                file,
                encoder: &video.head.encoder,
                structure: &video.head.structure,
                target_kbit: rung.target_kbit,
                spatial: point.spatial,
                temporal: point.temporal,
                kbit: rate.as_mbit_f64() * 1e3,
                ssim_db: quality.ssim_db,
                vmaf: quality.vmaf,
            })?;
        }
    }
    Ok(())
}

/// Says what a video costs beside another one.
fn costs(rungs: &[Vec<Summary>], reference: &[Vec<Summary>]) -> String {
    let of = |name: &str, quality: fn(&Quality) -> f64| {
        let ratio = overhead(&points(rungs, quality), &points(reference, quality));
        ratio.map(|ratio| format!("{:+.1} % at the same {name}", (ratio - 1.0) * 100.0))
    };
    let both: Vec<String> = [of("SSIM", |quality| quality.ssim_db), of("VMAF", |quality| quality.vmaf)]
        .into_iter()
        .flatten()
        .collect();
    match both.is_empty() {
        true => {
            "bitrate beside the first trace: no common quality (each needs two bitrates or more)".to_owned()
        }
        false => format!("bitrate beside the first trace: {}", both.join(", ")),
    }
}

/// Returns a table of the operating points.
pub fn table(video: &LayeredVideo) -> String {
    let head = &video.head;
    let mut text = format!(
        "{} {}, {}x{}, {} frames, {}\n{:>14} {:>8} {:>9} {:>13} {:>9} {:>6}\n",
        head.encoder,
        head.structure,
        head.width,
        head.height,
        head.frames,
        head.duration(),
        "target kbit/s",
        "spatial",
        "temporal",
        "rate kbit/s",
        "SSIM dB",
        "VMAF"
    );
    for (index, rung) in video.rungs.iter().enumerate() {
        for Summary { point, rate, quality } in video.summaries(index) {
            let _ = writeln!(
                text,
                "{:>14} {:>8} {:>9} {:>13.1} {:>9.2} {:>6.1}",
                rung.target_kbit,
                point.spatial,
                point.temporal,
                rate.as_mbit_f64() * 1e3,
                quality.ssim_db,
                quality.vmaf
            );
        }
    }
    text
}
