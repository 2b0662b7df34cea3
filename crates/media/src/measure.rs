//! Quality of an operating point: its units are decoded, scaled to full size, and compared with the pictures by ffmpeg.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread;

use jettison_video::content::layered::{OperatingPoint, Quality};
use jettison_video::content::ssim;

use crate::Error;
use crate::encoder::{Codec, EncodedFrame, Settings, write};
use crate::picture::PictureFormat;
use crate::process::{Running, feed};
use crate::tools::Tools;

/// Maximum SSIM in dB: ffmpeg prints six digits.
const MOST_SSIM_DB: f64 = 60.0;
const SSIM_LOG: &str = "ssim.log";
const VMAF_LOG: &str = "vmaf.csv";

/// Returns the quality on the screen at the time of each picture, if the layers up to `point` are decoded. Where the point
/// lacks a frame, the one before it stays.
pub fn measure(
    settings: &Settings<'_>,
    frames: &[EncodedFrame],
    point: OperatingPoint,
    tools: &Tools,
    folder: &Path,
    cancelled: &AtomicBool,
) -> Result<Vec<Quality>, Error> {
    let codec = settings.encoder.codec();
    let path = folder.join(codec.file());
    let writing = || Error::io(format!("{}: cannot write", path.display()));
    let mut file = BufWriter::new(File::create(&path).map_err(writing())?);
    write(frames, point, codec, settings.format, &mut file).map_err(writing())?;
    drop(file);

    let PictureFormat { width, height, rate: (numerator, denominator) } = settings.format;
    let (rate, size) = (format!("{numerator}/{denominator}"), format!("{width}x{height}"));
    let mut command = Command::new(&tools.ffmpeg);
    // A missing reference must end the comparison, and not be concealed.
    command.args([
        "-hide_banner",
        "-loglevel",
        "error",
        "-xerror",
        "-err_detect",
        "explode",
        "-threads",
        "1",
    ]);
    command.args(["-c:v", codec.decoder()]);
    // Only IVF has times; given a rate, ffmpeg would ignore them.
    if codec == Codec::H264 {
        command.args(["-r", &rate, "-f", "h264"]);
    }
    command.args([
        "-i",
        codec.file(),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "yuv420p",
        "-s",
        &size,
        "-r",
        &rate,
        "-i",
        "pipe:0",
    ]);
    // Frames that are missing are repeated, also at the end; the comparison ends with the pictures.
    let graph = format!(
        "[0:v]fps={rate}:start_time=0,tpad=stop_mode=clone:stop=64,scale={width}:{height}:flags=bicubic,\
         format=yuv420p,split[a][b];[1:v]format=yuv420p,split[c][d];\
         [a][c]ssim=shortest=1:stats_file={SSIM_LOG}[s];\
         [b][d]libvmaf=shortest=1:n_threads=1:log_fmt=csv:log_path={VMAF_LOG}[v]"
    );
    command.args([
        "-filter_complex",
        &graph,
        "-map",
        "[s]",
        "-f",
        "null",
        "-",
        "-map",
        "[v]",
        "-f",
        "null",
        "-",
    ]);
    let mut running = Running::start(&mut command, folder)?;
    let stdin = running.stdin();
    let most = Some(frames.len() as u32);
    thread::scope(|scope| {
        let feeder = scope.spawn(|| feed(settings.origin, most, stdin, cancelled, |_| Vec::new()));
        feeder.join().unwrap_or(Err(Error::Cancelled))
    })?;
    running.finish()?;

    let log = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(Error::io(format!("{}: cannot read", path.display())))
    };
    let wrong = |message| Error::output("ffmpeg", message);
    let ssim = ssim_log(&log(SSIM_LOG)?).map_err(wrong)?;
    let vmaf = vmaf_log(&log(VMAF_LOG)?).map_err(wrong)?;
    if ssim.len() != frames.len() || vmaf.len() != frames.len() {
        let message = format!("compared {} and {} of {} frames", ssim.len(), vmaf.len(), frames.len());
        return Err(Error::output("ffmpeg", message));
    }
    let rounded = |value: f64| (value * 100.0).round() / 100.0;
    let quality = |(ssim, vmaf): (f64, f64)| Quality {
        ssim_db: rounded(ssim::to_db(ssim).min(MOST_SSIM_DB)),
        vmaf: rounded(vmaf.clamp(0.0, 100.0)),
    };
    Ok(ssim.into_iter().zip(vmaf).map(quality).collect())
}

/// Returns the SSIM of the luma of each frame: `n:1 Y:0.98 U:0.99 V:0.99 All:0.98 (18.2)`.
fn ssim_log(text: &str) -> Result<Vec<f64>, String> {
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let fields: BTreeMap<&str, &str> =
            line.split_whitespace().filter_map(|word| word.split_once(':')).collect();
        let number = fields.get("n").and_then(|n| n.parse::<usize>().ok());
        let luma = fields.get("Y").and_then(|y| y.parse::<f64>().ok()).filter(|y| (-1.0..=1.0).contains(y));
        match (number, luma) {
            (Some(number), Some(luma)) if number == all.len() + 1 => all.push(luma),
            _ => return Err(format!("its log of SSIM has the line `{line}` for frame {}", all.len() + 1)),
        }
    }
    Ok(all)
}

/// Returns the VMAF of each frame. The first line of the table names its columns.
fn vmaf_log(text: &str) -> Result<Vec<f64>, String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let names = lines.next().unwrap_or_default();
    let column = names.split(',').position(|name| name.trim() == "vmaf");
    let column = column.ok_or_else(|| format!("its log of VMAF has no column `vmaf`: `{names}`"))?;
    let mut all = Vec::new();
    for line in lines {
        let mut values = line.split(',');
        let number = values.clone().next().and_then(|n| n.trim().parse::<usize>().ok());
        let vmaf =
            values.nth(column).and_then(|value| value.trim().parse::<f64>().ok()).filter(|v| v.is_finite());
        match (number, vmaf) {
            (Some(number), Some(vmaf)) if number == all.len() => all.push(vmaf),
            _ => return Err(format!("its log of VMAF has the line `{line}` for frame {}", all.len())),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_ssim_are_read() {
        let text = "n:1 Y:0.986541 U:0.991 V:0.992 All:0.988 (19.2)\nn:2 Y:1.000000 U:1 V:1 All:1.0 (inf)\n";
        assert_eq!(ssim_log(text), Ok(vec![0.986541, 1.0]));
        assert_eq!(ssim_log(""), Ok(vec![]));
        for text in
            ["n:2 Y:0.9\n", "n:1 U:0.9\n", "n:1 Y:nan\n", "n:1 Y:1.5\n", "n:1 Y:0.9\nn:3 Y:0.9\n", "hello\n"]
        {
            assert!(ssim_log(text).is_err(), "{text}");
        }
    }

    #[test]
    fn logs_of_vmaf_are_read_by_the_name_of_the_column() {
        let text = "Frame,integer_adm2,integer_motion,vmaf,\n0,0.97,0.0,91.25,\n1,0.96,1.5,88.5,\n";
        assert_eq!(vmaf_log(text), Ok(vec![91.25, 88.5]));
        for text in
            ["", "Frame,psnr\n0,1\n", "Frame,vmaf,\n1,90,\n", "Frame,vmaf,\n0,,\n", "Frame,vmaf\n0,inf\n"]
        {
            assert!(vmaf_log(text).is_err(), "{text}");
        }
    }
}
