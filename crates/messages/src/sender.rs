//! The sending half: its state, and its interface for applications.
//!
//! `transmit.rs` selects the next packet, `acknowledge.rs` processes ACKs, `timers.rs` the deadlines.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Rate, Time};
use jettison_wire::MessageNumber;

use super::in_flight::{InFlight, SentPacket};
use super::in_progress::InProgress;
use super::layout::Layout;
use super::message::{MessageEvent, MessageParams, MessagePayload, SendError};
use super::parameters::{EstimateRule, SendVerdict, Settings};
use super::rtt::RttEstimator;
use super::send_buffer::{SendBuffer, Waiting, label};
use super::statistics::OctopusStatistics;
use super::streams::{StreamOptions, Streams};
use crate::path::{ArrivedPacket, LostPacket, PathController};
use jettison_tcp::PathEstimate;
use jettison_tcp::congestion::{RateSample, RateSampler};
use jettison_tcp::pacing::Pacer;

/// The sending half of a connection.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    pub settings: Settings,
    pub controller: Box<dyn PathController>,
    // Messages.
    pub streams: Streams,
    pub buffer: SendBuffer,
    pub in_progress: InProgress,
    pub events: VecDeque<MessageEvent>,
    // Packets.
    pub flight: InFlight,
    pub rtt: RttEstimator,
    pub sampler: RateSampler,
    pub pacer: Pacer,
    pub last_rate: RateSample,
    pub rtt_sample: Option<Duration>,
    /// The first packet found to be lost since the application asked last.
    pub lost: Option<u64>,
    /// Total bytes sent when the window last held data back.
    pub limited_until: u64,
    /// Marks counted by the peer, modulo [`super::ack::Ack::CE_MODULUS`].
    pub ce_count: u16,
    /// The last arrival time reported by the peer, as on the wire and unwrapped.
    pub arrival: Option<(u32, u64)>,
    // Deadlines; `Time::MAX` for none.
    pub loss_at: Time,
    pub probe_at: Time,
    pub pacing_at: Time,
    pub last_sent_at: Time,
    /// Number of consecutive probe timeouts, and of probes that may still be sent.
    pub timeouts: u32,
    pub probes: u32,
    pub counters: OctopusStatistics,
    pub scratch: Scratch,
}

/// Lists reused for each ACK.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    pub settled: Vec<(u64, SentPacket)>,
    pub arrived: Vec<ArrivedPacket>,
    pub lost: Vec<LostPacket>,
}

impl Sender {
    pub fn new(settings: &Settings, controller: Box<dyn PathController>, now: Time) -> Sender {
        Sender {
            controller,
            streams: Streams::new(settings.first_message, settings.verdict, settings.reassembly),
            buffer: SendBuffer::new(settings.send_buffer),
            in_progress: InProgress::default(),
            events: VecDeque::new(),
            flight: InFlight::new(settings.first_sequence),
            rtt: RttEstimator::new(settings.initial_rtt, now),
            sampler: RateSampler::default(),
            pacer: Pacer::default(),
            last_rate: RateSample::default(),
            rtt_sample: None,
            lost: None,
            limited_until: 0,
            ce_count: 0,
            arrival: None,
            loss_at: Time::MAX,
            probe_at: Time::MAX,
            pacing_at: Time::MAX,
            last_sent_at: now,
            timeouts: 0,
            probes: 0,
            counters: OctopusStatistics::default(),
            scratch: Scratch::default(),
            settings: *settings,
        }
    }

    pub fn open_stream(&mut self, stream: u16, options: StreamOptions) -> bool {
        self.streams.open(stream, options)
    }

    /// Adds a message to the send buffer.
    pub fn send(
        &mut self,
        stream: u16,
        payload: MessagePayload,
        params: &MessageParams,
        now: Time,
    ) -> Result<MessageNumber, SendError> {
        params.validate()?;
        let length = payload.len();
        if length == 0 {
            return Err(SendError::Empty);
        }
        if payload.head.as_slice().len() > MessagePayload::HEAD {
            return Err(SendError::Head(payload.head.as_slice().len()));
        }
        if self.streams.is_reliable(stream) && *params != MessageParams::default() {
            return Err(SendError::Reliable(stream));
        }
        let layout = Layout::new(length, self.settings.mss, self.settings.parity, self.settings.most_parity)?;
        if let Err(error) = self.buffer.check(length, self.in_progress.unsent()) {
            self.counters.refused.add(length);
            return Err(error);
        }
        // draft-cheng-iccrg-delivery-rate-estimation §3.4: the sender was idle until this write.
        self.mark_app_limited(now);
        let number = self.streams.next_number(stream);
        let label = label(stream, number, params);
        self.streams.observe(&label);
        if label.drop_flag && self.settings.send_verdict == SendVerdict::Authors {
            self.buffer.mark_stale(&label, self.settings.verdict.slack, now);
        }
        self.buffer.push(Waiting { label, payload, layout, accepted_at: now, is_marked: false });
        self.counters.accepted.add(length);
        Ok(number)
    }

    /// Whether no data waits to be sent.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.buffer.is_empty() && self.in_progress.next_new().is_none() && self.in_progress.repairs.is_empty()
    }

    /// Marks delivery-rate samples as application-limited, if no data waits although window and pacing have room.
    pub fn mark_app_limited(&mut self, now: Time) {
        if !self.is_app_limited() {
            return;
        }
        if self.pacer.may_send(now) {
            self.sampler.on_app_limited(self.flight.bytes());
        } else {
            self.sampler.on_idle();
        }
    }

    /// The bandwidth for applications and the send buffer's verdict.
    pub fn bandwidth(&self) -> Option<Rate> {
        let bandwidth = self.controller.bandwidth()?;
        Some(match self.settings.estimate {
            EstimateRule::Bandwidth => bandwidth,
            EstimateRule::PacingRate => bandwidth.max(self.controller.pacing_rate().unwrap_or(Rate::ZERO)),
        })
    }

    /// What a message's slack is less by when it leaves, in addition to its wait.
    pub fn slack_ahead(&self) -> Duration {
        match self.settings.slack_covers_path {
            true if self.rtt.first_at().is_some() => self.rtt.minimum() / 2,
            true => self.settings.initial_rtt / 2,
            false => Duration::ZERO,
        }
    }

    /// Bytes accepted but not yet sent.
    pub fn backlog(&self) -> u64 {
        self.buffer.bytes() + self.in_progress.unsent()
    }

    /// Drops a message that has not begun to leave from the send buffer.
    pub fn drop_waiting(&mut self, waiting: &Waiting, reason: DropReason) {
        let length = waiting.payload.len();
        match reason {
            DropReason::OverBitrate => self.counters.dropped_over_bitrate.add(length),
            _ => self.counters.dropped_stale.add(length),
        }
        let (stream, number) = (waiting.label.stream, waiting.label.message);
        self.events.push_back(MessageEvent::Dropped { stream, number, length, reason });
    }

    /// The pacing rate; `None` without pacing.
    pub fn pacing_rate(&self) -> Option<Rate> {
        if let Some(rate) = self.controller.pacing_rate() {
            return (!rate.is_zero()).then_some(rate);
        }
        let is_paced = self.settings.pacing_gain > 0.0 && self.controller.paces_by_window();
        if !is_paced || self.rtt.smoothed().is_zero() {
            return None;
        }
        // RFC 9002 §7.7: N * congestion_window / smoothed_rtt.
        let window = jettison_core::Bytes::new(self.controller.window());
        Some(Rate::of(window, self.rtt.smoothed()).mul_f64(self.settings.pacing_gain))
    }

    pub fn estimate(&self, now: Time) -> PathEstimate {
        let has_rtt = self.rtt.first_at().is_some();
        let in_flight = self.flight.bytes();
        PathEstimate {
            bandwidth: self.bandwidth(),
            rtt: has_rtt.then(|| self.rtt.smoothed()),
            min_rtt: has_rtt.then(|| self.rtt.minimum()),
            is_app_limited: self.is_app_limited(),
            budget: self.controller.budget(now, in_flight),
            backlog: self.backlog(),
            in_flight,
        }
    }

    /// Whether the application limits the sender now.
    fn is_app_limited(&self) -> bool {
        self.is_idle() && self.flight.bytes() + self.settings.packet <= self.controller.window()
    }

    pub fn statistics(&self) -> OctopusStatistics {
        OctopusStatistics {
            bytes_lost: self.flight.lost_total(),
            smoothed_rtt: self.rtt.smoothed(),
            latest_rtt: self.rtt.latest(),
            rtt_variation: self.rtt.variation(),
            min_rtt: if self.rtt.first_at().is_some() { self.rtt.minimum() } else { Duration::ZERO },
            probe_timeout: self.probe_timeout(),
            in_flight: self.flight.bytes(),
            window: self.controller.window(),
            pacing_rate: self.pacing_rate(),
            bandwidth: self.bandwidth(),
            delivery_rate: self.last_rate.rate(),
            backlog: self.backlog(),
            is_app_limited: self.is_app_limited(),
            ..self.counters
        }
    }
}
