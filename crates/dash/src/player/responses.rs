//! Responses: what becomes of manifests, initialization segments and segments.

use jettison_core::Time;
use jettison_measure::{Reason, Status, metrics};
use jettison_sockets::{Fetched, Sockets};

use super::fetch::{Partial, Step, Transfer};
use super::steered::Deferred;
use super::track::end_of;
use super::{Kind, Player};
use crate::abr::{Download, Progress};
use crate::resource::{Part, set};

impl Player {
    /// Handles what an event means for a lane.
    pub(super) fn on_step(&mut self, lane: usize, step: Step, now: Time, host: &mut dyn Sockets) {
        if self.defers(Deferred::Step(lane, step)) {
            return;
        }
        match step {
            Step::Whole(transfer) => {
                self.advance(now, host.meter());
                let is_first = !self.has_manifest;
                self.take(lane, transfer, now, host);
                self.proceed(lane, now, host);
                // With the manifest, all lanes begin.
                for other in (0..self.lanes.len()).filter(|other| is_first && *other != lane) {
                    self.proceed(other, now, host);
                }
            }
            Step::Partial(partial) => {
                if let Some(Part::Segment(kind, representation, segment)) = self.lanes[lane].asked {
                    let Partial { bytes, received, requested_at, first_byte_at } = partial;
                    let progress =
                        Progress { representation, segment, bytes, received, requested_at, first_byte_at };
                    self.progress(lane, kind, &progress, now, host);
                }
            }
            Step::Nothing | Step::Failed => {}
        }
    }

    fn progress(&mut self, lane: usize, kind: Kind, progress: &Progress, now: Time, host: &mut dyn Sockets) {
        self.advance(now, host.meter());
        let Some((track, state)) = self.state(kind, now) else { return };
        let other = track.rule.on_progress(progress, &state);
        if let Some(representation) = other.filter(|other| *other < progress.representation) {
            track.selected = Some(representation);
            self.give_up(lane, now, host.meter());
            self.transport.abandon(lane, host);
            host.meter().streaming().abandoned();
            self.report_abandoned(kind, progress, representation, now, host.meter());
            let part = self.with_initialization(lane, kind, representation, progress.segment);
            self.ask(lane, part, now, host);
        }
    }

    fn take(&mut self, lane: usize, transfer: Transfer, now: Time, host: &mut dyn Sockets) {
        let asked = self.lanes[lane].asked.take();
        if let (Some(part @ (Part::Manifest | Part::Initialization(..))), Some(endings)) =
            (&asked, host.meter().endings())
        {
            endings.unit(part.unit(self.session), Status::Shown, Reason::None, now);
        }
        match asked {
            Some(Part::Manifest) => self.has_manifest = true,
            Some(Part::Initialization(kind, representation)) => {
                let keeps = self.setup.keeps_initialization;
                if let Some(track) = self.track_mut(kind) {
                    track.initialize(representation, keeps);
                }
            }
            Some(Part::Segment(kind, representation, segment)) => {
                self.take_segment((kind, representation, segment), transfer, now, host);
            }
            None => {}
        }
    }

    /// Accounts for a complete segment in metrics, playout buffer and rules.
    fn take_segment(
        &mut self,
        (kind, representation, segment): (Kind, usize, usize),
        transfer: Transfer,
        now: Time,
        host: &mut dyn Sockets,
    ) {
        let Some(set) = set(&self.title, kind) else { return };
        let (media, encoding) = (set.durations[segment], &set.representations[representation]);
        let (bitrate, picture) = (encoding.bitrate.as_bits() as f64, encoding.picture);
        let frame_rate = picture.map_or(0.0, |picture| picture.frame_rate);
        let end = end_of(set, segment);
        let Transfer { bytes, requested_at, first_byte_at, finished_at } = transfer;
        let took = finished_at.since(requested_at);
        host.meter().completed(took);
        if kind == Kind::Video {
            let throughput = bytes as f64 * 8.0 / took.as_secs_f64().max(1e-9);
            let switched = self.video.newest.is_some_and(|newest| newest != representation);
            let streaming = host.meter().streaming();
            streaming.segment(bitrate, media, throughput, finished_at.since(first_byte_at));
            if switched {
                streaming.switched();
            }
            if self.is_shown {
                host.point(metrics::REPRESENTATION_RATE, now, bitrate / 1e3);
                host.point(metrics::SEGMENT_RATE, now, throughput / 1e3);
            }
            self.report_switch(representation, segment, requested_at, media, host.meter());
        }
        let played = self.playout.played();
        let Some(track) = self.track_mut(kind) else { return };
        track.newest = Some(representation);
        track.next = segment + 1;
        let replaces = segment < track.buffered.len();
        if !replaces {
            track.buffered.push(representation as u32);
            let before = self.playout.playback();
            self.playout.add(kind, media, frame_rate, now);
            let last = Part::Segment(kind, representation, segment).unit(self.session);
            self.report_resumed(before, last, now, host.meter());
        } else if end > played {
            // What has been played already stays as it was seen.
            track.buffered[segment] = representation as u32;
            self.playout.replace(kind, end, frame_rate);
        }
        let unit = Part::Segment(kind, representation, segment).unit(self.session);
        let (playout, viewing) = (&self.playout, &mut self.viewing);
        viewing.fetched(unit, (end.saturating_sub(media), end), playout, now, host.meter());
        viewing.advanced(now, playout.played(), playout, host.meter());
        let download = Download {
            representation,
            segment,
            bytes,
            media,
            requested_at,
            first_byte_at,
            finished_at,
            replaces,
        };
        if let (Kind::Video, Some(steered)) = (kind, &mut self.steered) {
            steered.fetched(Fetched { representation, bytes, requested_at, finished_at });
        }
        // The rules get the state in which their next choice is made.
        if let Some((track, state)) = self.state(kind, now) {
            track.rule.on_segment(&download, &state);
        }
        if let Some((track, state)) = self.state(kind.other(), now) {
            track.rule.on_other_segment(&download, &state);
        }
    }
}
