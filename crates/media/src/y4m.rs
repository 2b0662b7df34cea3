//! YUV4MPEG2 files (`.y4m`): a line of text with size and rate, then frames, each with a line of its own.
//!
//! The format is described in the manual page yuv4mpeg(5) of mjpegtools.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use jettison_input::file;

use crate::Error;
use crate::picture::{PictureFormat, Pictures};

/// Maximum length of a header line.
const MOST_HEADER: u64 = 1024;

/// A y4m file, read picture by picture.
#[derive(Debug)]
pub struct Reader<R = BufReader<File>> {
    name: PathBuf,
    input: R,
    format: PictureFormat,
    frames: u64,
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If it cannot be read, is not a y4m file, or holds other pictures than 8-bit 4:2:0.
    pub fn open(path: &Path) -> Result<Reader, Error> {
        let file = file::open(path).map_err(Error::io(format!("{}: cannot read", path.display())))?;
        Reader::new(path, BufReader::new(file))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the header; `name` is for errors.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(name: &Path, mut input: R) -> Result<Reader<R>, Error> {
        let line = line(&mut input, name)?;
        let format = header(&line).and_then(|format| format.validate().map(|()| format));
        let format = format.map_err(|error| Error::Input(format!("{}: {error}", name.display())))?;
        Ok(Reader { name: name.to_owned(), input, format, frames: 0 })
    }

    fn wrong(&self, message: &str) -> Error {
        Error::Input(format!("{}: frame {}: {message}", self.name.display(), self.frames))
    }
}

impl<R: BufRead + Send> Pictures for Reader<R> {
    fn format(&self) -> PictureFormat {
        self.format
    }

    fn next(&mut self, picture: &mut Vec<u8>) -> Result<bool, Error> {
        let reading = || Error::io(format!("{}: cannot read", self.name.display()));
        if self.input.fill_buf().map_err(reading())?.is_empty() {
            return Ok(false);
        }
        let line = line(&mut self.input, &self.name)?;
        if line != b"FRAME" && !line.starts_with(b"FRAME ") {
            return Err(
                self.wrong("must start with `FRAME`; the frame before has another size than the header says")
            );
        }
        let bytes = self.format.bytes();
        picture.clear();
        let reading = Error::io(format!("{}: cannot read", self.name.display()));
        (&mut self.input).take(bytes as u64).read_to_end(picture).map_err(reading)?;
        if picture.len() != bytes {
            let message = format!("must have {bytes} bytes, got {}: the file is truncated", picture.len());
            return Err(self.wrong(&message));
        }
        self.frames += 1;
        Ok(true)
    }
}

/// Reads a line of text.
fn line(input: &mut impl BufRead, name: &Path) -> Result<Vec<u8>, Error> {
    let mut line = Vec::new();
    let reading = Error::io(format!("{}: cannot read", name.display()));
    input.take(MOST_HEADER).read_until(b'\n', &mut line).map_err(reading)?;
    if line.pop() != Some(b'\n') {
        let message = format!("{}: must be a y4m file: no end of a header line found", name.display());
        return Err(Error::Input(message));
    }
    Ok(line)
}

/// Parses the first line.
fn header(line: &[u8]) -> Result<PictureFormat, Error> {
    let wrong = |message: String| Error::Input(message);
    let text = std::str::from_utf8(line).ok().filter(|text| text.split(' ').next() == Some("YUV4MPEG2"));
    let text = text.ok_or_else(|| wrong("must be a y4m file, which starts with `YUV4MPEG2 `".to_owned()))?;
    let (mut width, mut height, mut rate) = (None, None, None);
    for tag in text.split(' ').skip(1).filter(|tag| !tag.is_empty()) {
        let (name, value) = tag.split_at(tag.chars().next().map_or(0, char::len_utf8));
        let number = || value.parse::<u32>().map_err(|_| wrong(format!("`{tag}` must be a number")));
        match name {
            "W" => width = Some(number()?),
            "H" => height = Some(number()?),
            "F" => {
                let ratio = value.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                rate = Some(ratio.ok_or_else(|| wrong(format!("`{tag}` must be a ratio such as F30:1")))?);
            }
            // 4:2:0 with any place of the chroma samples, which no encoder here asks for.
            "C" if ["420", "420jpeg", "420mpeg2", "420paldv"].contains(&value) => {}
            "C" => {
                return Err(wrong(format!(
                    "must be 8-bit 4:2:0, got `{value}`; convert with `ffmpeg -i FILE -pix_fmt yuv420p OUTPUT.y4m`"
                )));
            }
            "I" if !["p", "?"].contains(&value) => {
                return Err(wrong(format!("must be progressive (Ip), got `{tag}`")));
            }
            _ => {}
        }
    }
    let need = |what: &str| wrong(format!("the first line must have {what}"));
    Ok(PictureFormat {
        width: width.ok_or_else(|| need("a width (W)"))?,
        height: height.ok_or_else(|| need("a height (H)"))?,
        rate: rate.ok_or_else(|| need("a frame rate (F)"))?,
    })
}

/// Writes a header line.
///
/// # Errors
/// If `output` fails.
pub fn write_header(output: &mut impl Write, format: PictureFormat) -> std::io::Result<()> {
    let PictureFormat { width, height, rate: (numerator, denominator) } = format;
    writeln!(output, "YUV4MPEG2 W{width} H{height} F{numerator}:{denominator} Ip A1:1 C420jpeg")
}

/// Writes a frame.
///
/// # Errors
/// If `output` fails.
pub fn write_frame(output: &mut impl Write, picture: &[u8]) -> std::io::Result<()> {
    output.write_all(b"FRAME\n")?;
    output.write_all(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let mut reader = Reader::new(Path::new("a.y4m"), bytes)?;
        let (mut all, mut picture) = (Vec::new(), Vec::new());
        while reader.next(&mut picture)? {
            all.push(picture.clone());
        }
        Ok(all)
    }

    fn file(frames: usize) -> (PictureFormat, Vec<u8>) {
        let format = PictureFormat { width: 32, height: 34, rate: (30_000, 1_001) };
        let mut bytes = Vec::new();
        write_header(&mut bytes, format).expect("memory");
        for frame in 0..frames {
            write_frame(&mut bytes, &vec![frame as u8; format.bytes()]).expect("memory");
        }
        (format, bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let (format, bytes) = file(3);
        assert_eq!(Reader::new(Path::new("a"), bytes.as_slice()).expect("a file").format(), format);
        let all = read(&bytes).expect("a file");
        assert_eq!(all.len(), 3);
        assert!(
            all.iter().enumerate().all(|(frame, picture)| picture.iter().all(|byte| *byte == frame as u8))
        );
        let with_tags =
            [b"YUV4MPEG2 W32 H34 F25:1 Ip A1:1 C420mpeg2 XCOLORRANGE=FULL\nFRAME Xa\n", &[7; 1_632][..]]
                .concat();
        assert_eq!(read(&with_tags).expect("a file").len(), 1);
        assert!(read(b"YUV4MPEG2 W32 H32 F1:1\n").expect("an empty file").is_empty());
    }

    #[test]
    fn malformed_files_are_refused_with_what_is_required() {
        let (_, whole) = file(2);
        let truncated = &whole[..whole.len() - 1];
        let longer = [&whole[..], b"x\n"].concat();
        for (bytes, message) in [
            (&b""[..], "no end of a header line"),
            (b"RIFF\n", "must be a y4m file, which starts with `YUV4MPEG2 `"),
            (b"YUV4MPEG2\xff W32\n", "must be a y4m file"),
            (b"YUV4MPEG2 H32 F30:1\n", "must have a width (W)"),
            (b"YUV4MPEG2 W32 F30:1\n", "must have a height (H)"),
            (b"YUV4MPEG2 W32 H32\n", "must have a frame rate (F)"),
            (b"YUV4MPEG2 W-32 H32 F30:1\n", "`W-32` must be a number"),
            (b"YUV4MPEG2 W32 H32 F30\n", "`F30` must be a ratio such as F30:1"),
            (b"YUV4MPEG2 W33 H32 F30:1\n", "must be even and in [32, 8192], got 33x32"),
            (b"YUV4MPEG2 W4000000 H32 F30:1\n", "got 4000000x32"),
            (b"YUV4MPEG2 W32 H32 F30:0\n", "must be in [1, 240] frames/s, got 30/0"),
            (b"YUV4MPEG2 W32 H32 F100000:1\n", "must be in [1, 240] frames/s"),
            (b"YUV4MPEG2 W32 H32 F30:1 C444\n", "must be 8-bit 4:2:0, got `444`"),
            (b"YUV4MPEG2 W32 H32 F30:1 C420p10\n", "must be 8-bit 4:2:0"),
            (b"YUV4MPEG2 W32 H32 F30:1 It\n", "must be progressive"),
            (truncated, "frame 1: must have 1632 bytes, got 1631: the file is truncated"),
            (&longer, "frame 2: must start with `FRAME`"),
        ] {
            let error = read(bytes).expect_err(message).to_string();
            assert!(error.starts_with("a.y4m: ") && error.contains(message), "{error}");
        }
    }
}
