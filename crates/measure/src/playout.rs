//! Outcomes of frames at playout deadlines.

use jettison_core::Duration;

use crate::recorder::{part_of, plain};
use crate::{FrameScore, SummaryValue, metrics};

/// Shown frames and quality at each of several playout deadlines.
#[derive(Debug, Clone, Default)]
pub(crate) struct AtDeadlines(Vec<AtDeadline>);

#[derive(Debug, Clone, Copy)]
struct AtDeadline {
    deadline: Duration,
    frames: u64,
    shown: u64,
    ssim_db: f64,
}

impl AtDeadlines {
    /// Records the outcome of a frame at a deadline.
    pub(crate) fn scored(&mut self, deadline: Duration, score: &FrameScore) {
        let known = self.0.iter().position(|at| at.deadline == deadline).unwrap_or_else(|| {
            self.0.push(AtDeadline { deadline, frames: 0, shown: 0, ssim_db: 0.0 });
            self.0.len() - 1
        });
        let at = &mut self.0[known];
        at.frames += 1;
        at.shown += u64::from(score.layers > 0);
        at.ssim_db += score.ssim_db;
    }

    /// Share of the frames shown by a deadline; `None` without any.
    pub(crate) fn share_in_time(&self, deadline: Duration) -> Option<f64> {
        let at = self.0.iter().find(|at| at.deadline == deadline)?;
        Some(at.shown as f64 / at.frames as f64)
    }

    /// Resets all counts.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the summary values, in the order of the deadlines' first frame.
    pub(crate) fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        for at in &self.0 {
            let share = 100.0 * at.shown as f64 / at.frames as f64;
            summary.push(part_of(plain(name, metrics::FRAMES_IN_TIME, share), at.deadline.to_string()));
        }
        for at in &self.0 {
            let mean = at.ssim_db / at.frames as f64;
            // Not a number: nothing is known of the pictures.
            if mean.is_finite() {
                summary.push(part_of(plain(name, metrics::SQI_AT_DEADLINE, mean), at.deadline.to_string()));
            }
        }
    }
}
