//! The log of ffmpeg's `trace_headers`, which prints each field of each header, and a line per packet.

use jettison_video::content::layered::Place;

use super::vp9::Buffers;

/// Reads references of AV1 frames from a log, line by line.
#[derive(Debug, Default)]
pub struct References {
    buffers: Buffers,
    packets: Vec<Vec<Place>>,
    frame: Option<Frame>,
}

/// A frame header being read.
#[derive(Debug, Default)]
struct Frame {
    is_key: bool,
    writes: Option<u8>,
    reads: Vec<u8>,
}

impl References {
    /// Reads a line.
    ///
    /// # Errors
    /// If a frame refers to what there is not, or shows an earlier one again.
    pub fn line(&mut self, line: &str) -> Result<(), String> {
        // `[trace_headers @ 0x5] 42   refresh_frame_flags   00000000 = 0`
        let Some((_, text)) =
            line.split_once("[trace_headers @ ").and_then(|(_, text)| text.split_once("] "))
        else {
            return Ok(());
        };
        if text.starts_with("Packet: ") {
            self.finish()?;
            self.packets.push(Vec::new());
            return Ok(());
        }
        // Before the first packet stand the headers of the container.
        if self.packets.is_empty() {
            return Ok(());
        }
        let mut words = text.split_whitespace();
        let (Some(_), Some(field), Some(value)) = (words.next(), words.next(), words.last()) else {
            return Ok(());
        };
        let Ok(value) = value.parse::<u32>() else { return Ok(()) };
        match field {
            "show_existing_frame" if value == 1 => return Err("shows an earlier frame again".to_owned()),
            "show_existing_frame" => {
                self.finish()?;
                self.frame = Some(Frame::default());
            }
            "frame_type" => self.change(|frame| frame.is_key = value == 0),
            "refresh_frame_flags" => self.change(|frame| frame.writes = Some(value as u8)),
            _ if field.starts_with("ref_frame_idx[") => self.change(|frame| frame.reads.push(value as u8)),
            _ => {}
        }
        Ok(())
    }

    fn change(&mut self, change: impl FnOnce(&mut Frame)) {
        if let Some(frame) = &mut self.frame {
            change(frame);
        }
    }

    /// Ends a frame: its references belong to the packet that it is in.
    fn finish(&mut self) -> Result<(), String> {
        let Some(Frame { is_key, writes, reads }) = self.frame.take() else { return Ok(()) };
        let number = self.packets.len().saturating_sub(1) as u32;
        let own = Place { frame: number, spatial: 0 };
        // A key frame that is shown writes all buffers, and its header does not say so.
        let writes = if is_key { writes.unwrap_or(0xff) } else { writes.unwrap_or(0) };
        let found =
            self.buffers.refer(&reads, writes, own).map_err(|error| format!("frame {number} {error}"))?;
        if let Some(packet) = self.packets.last_mut() {
            // A hidden frame of the same packet is no reference to another one.
            packet.extend(found.into_iter().filter(|place| *place != own));
            packet.sort_unstable();
            packet.dedup();
        }
        Ok(())
    }

    /// Returns the references of each packet.
    ///
    /// # Errors
    /// As [`References::line`].
    pub fn end(mut self) -> Result<Vec<Vec<Place>>, String> {
        self.finish()?;
        Ok(self.packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(lines: &[&str]) -> Result<Vec<Vec<u32>>, String> {
        let mut references = References::default();
        lines.iter().try_for_each(|line| references.line(&format!("[trace_headers @ 0x55de] {line}")))?;
        let packets = references.end()?;
        Ok(packets.into_iter().map(|places| places.into_iter().map(|place| place.frame).collect()).collect())
    }

    const KEY: [&str; 3] = [
        "Packet: 4385 bytes, key frame, pts 0, dts 0, duration 1.",
        "24          show_existing_frame                                         0 = 0",
        "25          frame_type                                                 00 = 0",
    ];

    fn inter<'a>(writes: &'a str, reads: &'a [&'a str]) -> Vec<&'a str> {
        let mut lines = vec![
            "Packet: 669 bytes, pts 1, dts 1, duration 1.",
            "24          show_existing_frame                                         0 = 0",
            "25          frame_type                                                 01 = 1",
            writes,
        ];
        lines.extend(reads);
        lines
    }

    #[test]
    fn references_follow_the_buffers() {
        let first = inter("42  refresh_frame_flags   00000010 = 2", &["51  ref_frame_idx[0]   000 = 0"]);
        let second = inter(
            "42  refresh_frame_flags   00000000 = 0",
            &[
                "51  ref_frame_idx[0]   001 = 1",
                "54  ref_frame_idx[1]   000 = 0",
                "57  ref_frame_idx[2]   001 = 1",
            ],
        );
        let lines = [&KEY[..], &first, &second].concat();
        assert_eq!(references(&lines), Ok(vec![vec![], vec![0], vec![0, 1]]));
        // A second key frame: whoever refers to any buffer then refers to it.
        let lines = [&lines[..], &KEY, &second].concat();
        assert_eq!(references(&lines), Ok(vec![vec![], vec![0], vec![0, 1], vec![], vec![3]]));
    }

    #[test]
    fn headers_of_the_container_and_other_lines_do_not_count() {
        let mut all = References::default();
        for line in [
            "frame=1",
            "[trace_headers @ 0x1] 25  frame_type  01 = 1",
            "[trace_headers @ 0x1] Frame Header",
            "",
        ] {
            all.line(line).expect("ignored");
        }
        assert_eq!(all.end(), Ok(vec![]));
    }

    #[test]
    fn a_frame_that_is_shown_again_and_an_empty_buffer_are_errors() {
        let again = ["Packet: 3 bytes", "24  show_existing_frame  1 = 1"];
        assert!(references(&again).expect_err("again").contains("shows an earlier frame"));
        let lost = inter("42  refresh_frame_flags   00000010 = 2", &["51  ref_frame_idx[0]   000 = 0"]);
        assert!(references(&lost).expect_err("lost").contains("frame 0 refers to an empty buffer"));
    }
}
