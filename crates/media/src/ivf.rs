//! IVF, a container of frames: a head of 32 bytes, then of each frame its size, time and bytes.

use std::io::{self, Read, Write};

/// A frame and its time in units of the frame rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Time: the number of the picture.
    pub time: u64,
    /// The bytes of the codec.
    pub bytes: Vec<u8>,
}

/// Length of the head of the file.
const HEAD: usize = 32;
/// Length of the head of a frame.
const FRAME_HEAD: usize = 12;
/// Maximum size of a frame.
const MOST_BYTES: u32 = 1 << 28;

/// Reads the head of a file.
pub fn read_head(input: &mut impl Read) -> io::Result<()> {
    let mut head = [0; HEAD];
    input.read_exact(&mut head)?;
    match head.starts_with(b"DKIF") && u16::from_le_bytes([head[6], head[7]]) as usize == HEAD {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, "must be an IVF file")),
    }
}

/// Reads the next frame, if any.
pub fn read_frame(input: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut head = Vec::with_capacity(FRAME_HEAD);
    input.take(FRAME_HEAD as u64).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(None);
    }
    let (Some(size), Some(time)) = (head.first_chunk::<4>(), head.last_chunk::<8>()) else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    if head.len() < FRAME_HEAD {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let (size, time) = (u32::from_le_bytes(*size), u64::from_le_bytes(*time));
    if size > MOST_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("frame of {size} bytes in an IVF file"),
        ));
    }
    let mut bytes = Vec::new();
    input.take(u64::from(size)).read_to_end(&mut bytes)?;
    match bytes.len() == size as usize {
        true => Ok(Some(Frame { time, bytes })),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Writes the head of a file for `codec`, such as `VP90`.
pub fn write_head(
    output: &mut impl Write,
    codec: [u8; 4],
    (width, height): (u32, u32),
    (numerator, denominator): (u32, u32),
) -> io::Result<()> {
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(b"DKIF");
    head[6..8].copy_from_slice(&(HEAD as u16).to_le_bytes());
    head[8..12].copy_from_slice(&codec);
    head[12..14].copy_from_slice(&(width as u16).to_le_bytes());
    head[14..16].copy_from_slice(&(height as u16).to_le_bytes());
    head[16..20].copy_from_slice(&numerator.to_le_bytes());
    head[20..24].copy_from_slice(&denominator.to_le_bytes());
    output.write_all(&head)
}

/// Writes a frame.
pub fn write_frame(output: &mut impl Write, time: u64, bytes: &[u8]) -> io::Result<()> {
    output.write_all(&(bytes.len() as u32).to_le_bytes())?;
    output.write_all(&time.to_le_bytes())?;
    output.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_cut_file_is_an_error() {
        let mut file = Vec::new();
        write_head(&mut file, *b"VP90", (320, 180), (30, 1)).expect("memory");
        write_frame(&mut file, 0, &[1, 2, 3]).expect("memory");
        write_frame(&mut file, 4, &[9]).expect("memory");
        let mut input = file.as_slice();
        read_head(&mut input).expect("a head");
        assert_eq!(read_frame(&mut input).expect("one"), Some(Frame { time: 0, bytes: vec![1, 2, 3] }));
        assert_eq!(read_frame(&mut input).expect("one"), Some(Frame { time: 4, bytes: vec![9] }));
        assert_eq!(read_frame(&mut input).expect("the end"), None);
        for length in HEAD + 1..HEAD + FRAME_HEAD + 3 {
            let mut cut = &file[HEAD..length];
            assert!(read_frame(&mut cut).is_err(), "{length}");
        }
        assert!(read_head(&mut &[0; HEAD][..]).is_err());
    }
}
