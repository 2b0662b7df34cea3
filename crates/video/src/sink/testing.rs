//! Small videos, and viewers with scripted arrivals.

use std::sync::Arc;

use jettison_core::{Seed, Time};
use jettison_measure::{FlowMeter, FrameScore};

use super::{Decoder, ScoreParameters, Viewer};
use crate::content::{
    SpatialContent, SpatialVideo, TemporalContent, TemporalVideo, VolumetricContent, VolumetricVideo,
};
use crate::{MessageHead, Sink};

/// Returns two groups of five frames in three layers, at two rungs. Layers 0, 1 and 2 have 10, 14 and 18 dB, 2 more at
/// the second rung.
pub(super) fn spatial() -> Arc<SpatialVideo> {
    let mut text = "5 3\n".to_owned();
    for (rung, kbit) in [1_000, 2_000].into_iter().enumerate() {
        for (frame, layer) in (0..10).flat_map(|frame| (0..3).map(move |layer| (frame, layer))) {
            let (cumulative, db) = ([kbit / 5, kbit / 2, kbit][layer], 10 + 4 * layer + 2 * rung);
            text += &format!("{kbit} {frame} {layer} 900 {cumulative} {db}\n");
        }
    }
    let content = SpatialContent { file: Some("a".to_owned()), ..SpatialContent::default() };
    content.load(&|_| Ok(Arc::from(text.as_bytes())), &|name| Seed(1).stream(&[name])).expect("a trace")
}

/// Returns three groups of eight frames, frame n with n dB.
pub(super) fn temporal() -> Arc<TemporalVideo> {
    let lines: String = (0..24).map(|frame| format!("{frame} 1000 {frame}\n")).collect();
    let content = TemporalContent { file: Some("a".to_owned()), ..TemporalContent::default() };
    let text = format!("8\n{lines}");
    content.load(&|_| Ok(Arc::from(text.as_bytes())), &|name| Seed(1).stream(&[name])).expect("a trace")
}

/// Returns four cells, two of them in front, in five layers.
pub(super) fn volumetric() -> Arc<VolumetricVideo> {
    let no_files = |_: &str| Err("no files".to_owned());
    VolumetricContent::default()
        .load(&no_files, &|name| Seed(1).stream(&[name]))
        .expect("the default makes sense")
}

/// A viewer and its meter.
pub(super) struct Watched<D: Decoder> {
    decoder_rate: crate::content::FrameRate,
    viewer: Viewer<D>,
    pub(super) meter: FlowMeter,
}

impl<D: Decoder> Watched<D> {
    pub(super) fn new(decoder: D) -> Watched<D> {
        Watched::with(decoder, ScoreParameters::default())
    }

    pub(super) fn with(decoder: D, parameters: ScoreParameters) -> Watched<D> {
        let decoder_rate = decoder.frame_rate();
        Watched { decoder_rate, viewer: Viewer::new(decoder, parameters), meter: FlowMeter::default() }
    }

    /// Returns the capture time of a frame: frame 0 is captured one second into the run.
    pub(super) fn captured(&self, frame: u32) -> Time {
        Time::from_secs(1) + self.decoder_rate.offset(frame)
    }

    /// Records that a frame was sent.
    pub(super) fn sent(&mut self, frame: u32) {
        let at = self.captured(frame);
        self.meter.video().frame_sent(frame, at);
    }

    /// Delivers a message `after` ms after its frame was captured.
    pub(super) fn comes(&mut self, frame: u32, layer: u8, cell: u8, rung: u16, after: u64) {
        let captured_at = self.captured(frame);
        let head = MessageHead { frame, layer, cell, rung, captured_at };
        let now = captured_at + jettison_core::Duration::from_millis(after);
        self.viewer.handle_message(&head, 900, now, &mut self.meter);
    }

    pub(super) fn viewer(&mut self) -> &mut Viewer<D> {
        &mut self.viewer
    }

    /// Ends the run at a time in milliseconds.
    pub(super) fn finish(&mut self, end: u64) {
        self.viewer.finish(Time::from_millis(end), &mut self.meter);
    }

    /// Returns the score of each frame, for a run that ends at a time in milliseconds.
    pub(super) fn scores(mut self, end: u64) -> Vec<FrameScore> {
        self.finish(end);
        self.meter.video().scores().to_vec()
    }

    /// Returns the number of decoded layers of each frame, for a run that ends with the last message.
    pub(super) fn layers(self) -> Vec<u8> {
        self.scores(0).iter().map(|score| score.layers).collect()
    }
}
