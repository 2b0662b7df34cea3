//! What becomes of fetched segments, for accounts of delays: when each began to play, or why it never did.

use jettison_core::{Duration, Time};
use jettison_measure::{FlowMeter, Reason, Status, Unit};

use super::playout::Playout;
use crate::abr::Playback;

/// Fetched segments that have not begun to play.
#[derive(Debug, Clone, Default)]
pub(super) struct Viewing {
    /// The unit of each segment, and the media time at which it begins.
    waiting: Vec<(Unit, Duration)>,
}

impl Viewing {
    /// Handles a segment that was fetched at `now`: it begins at media time `begins` and ends at `ends`.
    pub fn fetched(
        &mut self,
        unit: Unit,
        (begins, ends): (Duration, Duration),
        playout: &Playout,
        now: Time,
        meter: &mut FlowMeter,
    ) {
        let Some(endings) = meter.endings() else { return };
        if let Some(place) =
            self.waiting.iter().position(|(own, at)| *at == begins && is_same_kind(own, &unit))
        {
            let (replaced, _) = std::mem::replace(&mut self.waiting[place], (unit, begins));
            endings.unit(replaced, Status::Never, Reason::Replaced, now);
        } else if playout.played() > begins {
            // What has been played of it stays as it was seen; it shows what remains, if anything does.
            match playout.played() < ends {
                true => endings.unit(unit, Status::Shown, Reason::None, now),
                false => endings.unit(unit, Status::Late, Reason::Deadline, now),
            }
        } else {
            self.waiting.push((unit, begins));
        }
    }

    /// Tells which segments have begun to play since `from`, when media up to `played` had been.
    pub fn advanced(&mut self, from: Time, played: Duration, playout: &Playout, meter: &mut FlowMeter) {
        if self.waiting.is_empty() {
            return;
        }
        let Some(endings) = meter.endings() else { return };
        let is_playing = playout.playback() == Playback::Playing;
        self.waiting.retain(|(unit, begins)| {
            let has_begun = *begins < playout.played() || *begins == playout.played() && is_playing;
            if has_begun {
                let at = from.saturating_add(begins.saturating_sub(played));
                endings.unit(*unit, Status::Shown, Reason::None, at);
            }
            !has_begun
        });
    }

    /// The viewer leaves: what waits is never seen.
    pub fn leave(&mut self, now: Time, meter: &mut FlowMeter) {
        if let Some(endings) = meter.endings() {
            let left = self.waiting.drain(..);
            left.for_each(|(unit, _)| endings.unit(unit, Status::Never, Reason::Abandoned, now));
        }
    }
}

/// Whether two units are of the same kind of media.
fn is_same_kind(one: &Unit, other: &Unit) -> bool {
    one.part & crate::resource::AUDIO == other.part & crate::resource::AUDIO
}
