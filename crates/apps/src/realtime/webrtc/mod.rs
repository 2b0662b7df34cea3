//! A WebRTC call: video over RTP with GCC, as browsers send it.
//!
//! The sender has a camera, an encoder whose frames follow a target bitrate (`encoder.rs`, `layers.rs`, `quality.rs`, `adjuster.rs`), packets (`packet.rs`),
//! with labels for routers (`labels.rs`), GCC ([`jettison_messages::gcc`]) with its pacer and probes, a history for retransmissions (`sent.rs`) and parity (`parity.rs`).
//! The receiver reports arrivals (`reporter.rs`, `transport_feedback.rs`, `feedback.rs`), asks for what is missing (`nack.rs`,
//! `rtcp.rs`), puts frames together (`frames.rs`) and renders them (`playout.rs`).

mod adjuster;
mod encoder;
mod feedback;
mod frames;
mod gauges;
mod labels;
mod layers;
mod nack;
mod noise;
mod packet;
mod parity;
mod playout;
mod quality;
mod receiver;
mod reporter;
mod rtcp;
mod send_clock;
mod sender;
mod sent;
#[cfg(test)]
mod tests;
mod transport_feedback;

use jettison_core::{Bytes, Duration, Rate};
use jettison_messages::gcc::{AfterDrop, EstimatorParameters, Throughput};
use jettison_registry::style::{Line::Dashed, OLIVE};
use jettison_registry::{Entry, ParameterError};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use labels::{Format, Obsolete};
use layers::Mode;
use packet::Head;
use quality::Degradation;
use receiver::WebrtcReceiver;
use sender::WebrtcSender;

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("webrtc", "WebRTC", build)
        .style(OLIVE, Dashed)
        .summary("a WebRTC call: GCC with probes, retransmissions, parity and a playout buffer")
        .source("draft-ietf-rmcat-gcc-02, draft-holmer-rmcat-transport-wide-cc-extensions-01, RFC 4585, 4588, 8627, 8888")
        .page("applications.md")
        .facts(FlowFacts::over(&["udp"]))
        .gauges(gauges::GAUGES)
}

fn build(
    parameters: WebrtcParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    parameters.validate()?;
    let (sizes, clock) = ((context.random)("frames"), (context.random)("send clock"));
    Ok(FlowApplications {
        from: Box::new(WebrtcSender::new(&parameters, context.remote, traffic_class, sizes, clock)),
        to: Some(Box::new(WebrtcReceiver::new(&parameters, context.remote.port))),
    })
}

/// Parameters of `webrtc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebrtcParameters {
    /// Initial target bitrate (WebRTC's).
    pub start_rate: Rate,
    /// Minimum target bitrate (WebRTC's for video).
    pub min_rate: Rate,
    /// Maximum bitrate of the encoder; probes ask for at most twice as much, and for at most `max_probe`. (WebRTC's for 1280×720.)
    pub max_rate: Rate,
    /// Frames per second.
    pub frame_rate: f64,
    /// Intervals between captured frames, in turn, such as those of a camera whose clock is not the encoder's; empty for equal
    /// ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capture_gaps: Vec<Duration>,
    /// Maximum UDP payload of a packet with its heads of 40 bytes (WebRTC's for video).
    pub packet: Bytes,
    /// Size of a key frame over that of a mean frame (WebRTC bounds it to 9 at 30 frames/s; the default is our assumption).
    #[schemars(range(min = 1.0, max = 20.0))]
    pub key_ratio: f64,
    /// Standard deviation of the logarithm of frame sizes (our assumption; 0 for sizes that hit their budget).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub frame_spread: f64,
    /// The same at `min_frame`, and where the budget is three quarters of `max_frame` or more, but not all of it: there a frame
    /// that is too large is followed by one that is too small (a property of encoder and content; without it, as elsewhere).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub edge_spread: Option<f64>,
    /// Size of the smallest frame of a full picture: what the coarsest quantiser makes of the content (our assumption).
    pub min_frame: Bytes,
    /// Power with which the smallest frame grows with the time since the frame before, as more has moved (a property of the
    /// content; 0 for none).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_frame_growth: f64,
    /// Size of the largest frame of a full picture: what the finest quantiser makes of the content (our assumption: no bound).
    pub max_frame: Bytes,
    /// Pixels of the captured picture; no smaller picture than 320×180 is made of it (WebRTC's).
    pub pixels: u64,
    /// Power of the pixels with which frames grow at the same quantiser (a property of the content).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub pixels_power: f64,
    /// Whether an encoder that overshoots its target is asked for less (WebRTC's).
    pub bitrate_adjuster: bool,
    /// What becomes worse when the bitrate is low: the resolution (`maintain-framerate`), or neither that nor the frame rate
    /// (`maintain-framerate-and-resolution`).
    pub degradation: Degradation,
    /// Temporal layers.
    pub scalability: Mode,
    /// Label of media packets for routers, in an RTP header extension with identifier 3: `none`, `dependency-descriptor`,
    /// `frame-marking` or `pdu-set`.
    pub labels: Format,
    /// What becomes of lost packets of frames that the labels declare obsolete, which routers may have dropped: `lost` (as other
    /// losses; WebRTC), `not-repaired`, `not-counted` (no signs of congestion) or `ignored` (both).
    pub obsolete: Obsolete,
    /// Ratio of the pacing rate to the target bitrate (WebRTC's).
    #[schemars(range(min = 1.0, max = 10.0))]
    pub pacing_factor: f64,
    /// Packets that are due within this time leave at once (WebRTC's).
    pub pacing_burst: Duration,
    /// Time that packets should wait for the pacer at most: longer queues leave faster (WebRTC's).
    pub pacer_queue: Duration,
    /// Time that a packet takes to leave, for the dates in whole milliseconds by which GCC forms its groups (measured with
    /// Chromium: 0.17 ms for the ten packets of a frame).
    pub packet_time: Duration,
    /// Interval of transport-wide feedback (WebRTC's above 220 kbit/s: 5 % of the rate, 50 ms to 250 ms).
    pub feedback: Duration,
    /// Whether lost packets are asked for again (RFC 4585). Without, a loss needs a key frame.
    pub nack: bool,
    /// Time in which no more is sent again than the target carries (WebRTC's); 0 for no limit.
    pub repair_window: Duration,
    /// Whether parity protects media, with twice the share lost as its overhead, up to 50 % (RFC 8627).
    pub fec: bool,
    /// Whether it probes for bandwidth.
    pub probing: bool,
    /// Highest rate of a probe (WebRTC's for calls whose description bounds no bitrate).
    pub max_probe: Rate,
    /// Whether it probes every 5 s while the encoder sends much less than the target (WebRTC's: only if the application wants it).
    pub periodic_probes: bool,
    /// When a large drop of the estimate is followed by a probe.
    pub after_drop: AfterDrop,
    /// Whether losses limit the rate.
    pub loss_based: bool,
    /// How the acknowledged bitrate is estimated: `robust` (WebRTC's) or `bayesian` (WebRTC's until 2022).
    pub throughput: Throughput,
    /// Round trip of reports above which the target falls to 0.8 of itself every second (WebRTC's); 0 for none.
    pub max_rtt: Duration,
    /// Whether data in flight above the congestion window push back on the encoder.
    pub congestion_window: bool,
    /// Time of queueing for which the congestion window has room beside the round trip (WebRTC's `QueueSize`).
    pub window_queue: Duration,
    /// Whether the push-back also drops frames, at most every second one (WebRTC's `DropFrame`).
    pub window_drops_frames: bool,
    /// Factor on the acknowledged bitrate after an over-use (draft-ietf-rmcat-gcc-02 §5.5, beta).
    #[schemars(range(min = 0.5, max = 0.99))]
    pub beta: f64,
}

impl Default for WebrtcParameters {
    fn default() -> WebrtcParameters {
        WebrtcParameters {
            start_rate: Rate::from_kbit(300),
            min_rate: Rate::from_kbit(30),
            max_rate: Rate::from_kbit(2500),
            frame_rate: 30.0,
            capture_gaps: Vec::new(),
            packet: Bytes::new(1200),
            key_ratio: 5.0,
            frame_spread: 0.2,
            edge_spread: None,
            min_frame: Bytes::new(40),
            min_frame_growth: 0.0,
            max_frame: Bytes::new(1_000_000),
            pixels: 1280 * 720,
            pixels_power: 1.0,
            bitrate_adjuster: true,
            degradation: Degradation::MaintainFramerate,
            scalability: Mode::L1T1,
            labels: Format::None,
            obsolete: Obsolete::Lost,
            pacing_factor: 1.1,
            pacing_burst: Duration::from_millis(40),
            pacer_queue: Duration::from_secs(2),
            packet_time: Duration::from_micros(20),
            feedback: Duration::from_millis(50),
            nack: true,
            repair_window: Duration::from_millis(500),
            fec: false,
            probing: true,
            max_probe: Rate::from_mbit(5),
            periodic_probes: false,
            after_drop: AfterDrop::Limited,
            loss_based: true,
            throughput: Throughput::Robust,
            max_rtt: Duration::from_secs(3),
            congestion_window: true,
            window_queue: Duration::from_millis(350),
            window_drops_frames: true,
            beta: 0.85,
        }
    }
}

/// Smallest interval between captured frames.
const MOST_FREQUENT: Duration = Duration::from_millis(1);
/// Probes ask for at most so many times the encoder's maximum: the estimate must be above it to be safe (WebRTC's).
const PROBED: f64 = 2.0;

impl WebrtcParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.estimator().validate()?;
        for (key, value, low, high) in [
            ("frame_rate", self.frame_rate, 1.0, 240.0),
            ("key_ratio", self.key_ratio, 1.0, 20.0),
            ("frame_spread", self.frame_spread, 0.0, 1.0),
            ("edge_spread", self.edge_spread.unwrap_or_default(), 0.0, 1.0),
            ("pacing_factor", self.pacing_factor, 1.0, 10.0),
            ("min_frame_growth", self.min_frame_growth, 0.0, 1.0),
            ("pixels_power", self.pixels_power, 0.0, 1.0),
        ] {
            let holds = (low..=high).contains(&value);
            ParameterError::unless(holds, key, || format!("must be {low} to {high}, got {value}"))?;
        }
        let holds =
            self.capture_gaps.iter().all(|gap| *gap >= MOST_FREQUENT && *gap <= Duration::from_secs(1));
        ParameterError::unless(holds && self.capture_gaps.len() <= 1000, "capture_gaps", || {
            format!("must be at most 1000 intervals of {MOST_FREQUENT} to 1 s")
        })?;
        let has_labels = self.labels != Format::None;
        ParameterError::unless(has_labels || self.obsolete == Obsolete::Lost, "obsolete", || {
            "must be left out without `labels`, which say what is obsolete".to_owned()
        })?;
        let least = self.min_frame.get();
        ParameterError::unless(least <= 1_000_000, "min_frame", || {
            format!("must be at most 1 MB, got {least} B")
        })?;
        let most = self.max_frame.get();
        ParameterError::unless((least..=1_000_000).contains(&most), "max_frame", || {
            format!("must be min_frame ({least} B) to 1 MB, got {most} B")
        })?;
        let holds = (1..=1 << 26).contains(&self.pixels);
        ParameterError::unless(holds, "pixels", || format!("must be 1 to 67108864, got {}", self.pixels))?;
        let packet = self.packet.get();
        let holds = (2 * Head::LENGTH as u64..=9_000).contains(&packet);
        ParameterError::unless(holds, "packet", || format!("must be 80 B to 9000 B, got {packet} B"))?;
        let holds = self.max_rate >= self.min_rate && self.max_rate <= Rate::from_mbit(1_000);
        ParameterError::unless(holds, "max_rate", || {
            format!("must be min_rate ({}) to 1 Gbit/s, got {}", self.min_rate, self.max_rate)
        })?;
        ParameterError::unless(self.packet_time <= Duration::from_millis(1), "packet_time", || {
            format!("must be 0 to 1 ms, got {}", self.packet_time)
        })?;
        for (key, value) in [("feedback", self.feedback), ("pacing_burst", self.pacing_burst)] {
            let holds = value >= Duration::from_millis(1) && value <= Duration::from_secs(1);
            ParameterError::unless(holds, key, || format!("must be 1 ms to 1 s, got {value}"))?;
        }
        ParameterError::unless(self.repair_window <= Duration::from_secs(60), "repair_window", || {
            format!("must be at most 60 s, got {}", self.repair_window)
        })?;
        let holds =
            self.pacer_queue >= Duration::from_millis(10) && self.pacer_queue <= Duration::from_secs(60);
        ParameterError::unless(holds, "pacer_queue", || {
            format!("must be 10 ms to 60 s, got {}", self.pacer_queue)
        })
    }

    /// The parameters of GCC.
    fn estimator(&self) -> EstimatorParameters {
        EstimatorParameters {
            start_rate: self.start_rate,
            min_rate: self.min_rate,
            max_rate: self.max_rate.mul_f64(PROBED),
            beta: self.beta,
            max_probe: self.max_probe,
            probing: self.probing,
            periodic_probes: self.periodic_probes,
            after_drop: self.after_drop,
            loss_based: self.loss_based,
            throughput: self.throughput,
            max_rtt: self.max_rtt,
            congestion_window: self.congestion_window,
            window_queue: self.window_queue,
            window_drops_frames: self.window_drops_frames,
            ..EstimatorParameters::default()
        }
    }
}
