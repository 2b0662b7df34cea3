//! What a flow's application offers to the network.

use jettison_apps::load::Tool;
use jettison_core::{Bytes, Duration, Rate};
use serde_json::Value;

/// Payload of a packet of the message transport, and bytes of its headers with IP and UDP.
const MESSAGE_PAYLOAD: f64 = 1_400.0;
const MESSAGE_HEADERS: f64 = 60.0;
/// IP and TCP headers with timestamps; IP and UDP headers.
const TCP_HEADERS: f64 = 52.0;
const UDP_HEADERS: f64 = 28.0;
/// Part of its share of the path that an adaptive player or encoder asks for.
const ADAPTIVE: f64 = 0.85;
/// Media that a player fetches in advance, beyond what it plays.
const PLAYER_BUFFER: f64 = 30.0;

/// How a flow's packets are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// TCP: adapts to the path; an ACK for every second segment.
    Tcp,
    /// The message transport: adapts to the path.
    Messages,
    /// Datagrams: sent whatever the path carries.
    Datagrams,
}

/// The load of one flow.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    pub carried: Carried,
    /// Payload bits per second, without a limit by the path; infinite for a bulk transfer.
    pub rate: f64,
    /// Rates between which an adaptive application chooses, ascending; empty if it does not adapt.
    pub rungs: Vec<f64>,
    /// Payload bits in total, if there is an end.
    pub total: Option<f64>,
    /// Payload bytes per packet.
    pub payload: f64,
    /// Bytes of headers per packet, IP included.
    pub headers: f64,
    /// Packets in the other direction per packet.
    pub replies: f64,
    /// Packets per second beside the payload in each direction: handshakes, requests, reports.
    pub extra: f64,
    /// Number of players over time, of a load of many.
    pub load: Option<Load>,
}

/// A number of players that follows a sinusoid by single steps, from none at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Load {
    pub mean: f64,
    pub amplitude: f64,
    pub period: f64,
    /// Steps per second while the target is at its mean.
    pub steps: f64,
}

impl Load {
    /// The mean number of players in each of `slots` equal parts of `duration` seconds.
    pub fn players(&self, duration: f64, slots: usize) -> Vec<f64> {
        const STEPS: usize = 16;
        let step = duration / (slots * STEPS) as f64;
        let (mut players, mut at) = (0.0, 0.0);
        let mut means = Vec::with_capacity(slots);
        for _ in 0..slots {
            let mut sum = 0.0;
            for _ in 0..STEPS {
                let wave = libm::sin(std::f64::consts::TAU * at / self.period);
                let target = (self.mean + self.amplitude * wave).max(0.0);
                let most = self.steps * target / self.mean.max(1e-9) * step;
                players += (target - players).clamp(-most, most);
                sum += players;
                at += step;
            }
            means.push(sum / STEPS as f64);
        }
        means
    }
}

impl Offer {
    /// Reads an application with all its parameters, over a transport. An application that is not known here counts as one
    /// bulk transfer.
    pub fn of(app: &Value, kind_of_transport: &str, transport: &Value) -> Offer {
        let kind = app.get("kind").or(Some(app)).and_then(Value::as_str).unwrap_or_default();
        let carried = match kind_of_transport {
            "octopus" => Carried::Messages,
            "udp" => Carried::Datagrams,
            _ => Carried::Tcp,
        };
        let (payload, headers, replies) = match carried {
            Carried::Tcp => {
                let acks = number(transport, "/delayed_ack_segments").unwrap_or(2.0).max(1.0);
                (number(transport, "/mss").unwrap_or(1_448.0).max(1.0), TCP_HEADERS, 1.0 / acks)
            }
            Carried::Messages => {
                let acks = number(transport, "/ack_every").unwrap_or(1.0).max(1.0);
                (MESSAGE_PAYLOAD, MESSAGE_HEADERS, 1.0 / acks)
            }
            Carried::Datagrams => (1_470.0, UDP_HEADERS, 0.0),
        };
        let offer = Offer {
            carried,
            rate: f64::INFINITY,
            rungs: Vec::new(),
            total: None,
            payload,
            headers,
            replies,
            extra: 0.0,
            load: None,
        };
        match kind {
            "bulk" => Offer { total: bytes(app, "/bytes").map(|bytes| bytes * 8.0), ..offer },
            "cbr" => {
                let payload = bytes(app, "/payload").unwrap_or(1_470.0);
                let by_interval = seconds(app, "/interval").map(|interval| payload * 8.0 / interval);
                let given = by_interval.or(rate(app, "/rate")).or(bandwidth(app));
                Offer { rate: given.unwrap_or(1e6), payload, ..offer }
            }
            "on-off" => {
                let (on, off) = (seconds(app, "/on").unwrap_or(0.5), seconds(app, "/off").unwrap_or(0.5));
                let payload = bytes(app, "/payload").unwrap_or(1_470.0);
                Offer { rate: rate(app, "/rate").unwrap_or(1e6) * on / (on + off), payload, ..offer }
            }
            "ping" => {
                let payload = bytes(app, "/payload").unwrap_or(56.0).max(1.0);
                let rate = payload * 8.0 / seconds(app, "/interval").unwrap_or(1.0);
                let total = number(app, "/count").map(|count| count * payload * 8.0);
                let carried = Carried::Datagrams;
                Offer { carried, rate, total, payload, headers: UDP_HEADERS, replies: 1.0, ..offer }
            }
            "frames" => {
                // Frames of control protocols are short.
                let payload = 64.0;
                let rate = payload * 8.0 / seconds(app, "/interval").unwrap_or(1.0);
                let total = number(app, "/count").map(|count| count * payload * 8.0);
                Offer { carried: Carried::Datagrams, rate, total, payload, headers: 0.0, ..offer }
            }
            "segments" => {
                let size = bytes(app, "/size").unwrap_or(1e6) * 8.0;
                Offer { rate: size / seconds(app, "/interval").unwrap_or(4.0), ..offer }
            }
            "web" => {
                let transfers = number(app, "/transfers_per_second").unwrap_or(5.0);
                let low = bytes(app, "/min_size").unwrap_or(4e3);
                let high = bytes(app, "/max_size").unwrap_or(1e7);
                let mean = bounded_pareto_mean(low, high, number(app, "/shape").unwrap_or(1.2));
                // SYN, ACK and FIN; half a packet for the last segment, which is not full.
                Offer { rate: transfers * mean * 8.0, extra: 3.5 * transfers, ..offer }
            }
            "conference" => {
                let payload = bytes(app, "/packet").unwrap_or(500.0);
                let is_adaptive =
                    app.pointer("/adapt").and_then(Value::as_str).is_some_and(|how| how != "none");
                let rate = rate(app, "/rate").unwrap_or(2e5);
                let rungs = if is_adaptive { vec![rate] } else { Vec::new() };
                // A frame's last packet is not full.
                let frames = number(app, "/frame_rate").unwrap_or(15.0);
                Offer { rate, rungs, payload, extra: 0.25 * frames, ..offer }
            }
            "webrtc" => {
                // It finds its rate, up to the encoder's maximum.
                let rate = rate(app, "/max_rate").unwrap_or(2.5e6);
                let payload = bytes(app, "/packet").unwrap_or(1200.0);
                let frames = number(app, "/frame_rate").unwrap_or(30.0);
                Offer { rate, rungs: vec![rate], payload, extra: 0.25 * frames, ..offer }
            }
            "haptic" => {
                let payload = bytes(app, "/payload").unwrap_or(100.0);
                let sent =
                    if app.pointer("/deadband").is_some_and(|band| !band.is_null()) { 0.15 } else { 1.0 };
                let samples = number(app, "/samples").unwrap_or(1_000.0);
                Offer { rate: samples * sent * payload * 8.0, payload, ..offer }
            }
            "dash" => {
                let (rungs, rate) = ladder(app);
                let length = seconds(app, "/content/duration").unwrap_or(600.0);
                Offer { total: Some(rate * length), rate, rungs, extra: 0.5, ..offer }
            }
            "dash-load" => {
                let (rungs, rate) = ladder(app);
                let mean = number(app, "/mean").unwrap_or(25.0);
                let load = Load {
                    mean,
                    amplitude: number(app, "/amplitude").unwrap_or(10.0),
                    period: seconds(app, "/period").unwrap_or(120.0),
                    steps: number(app, "/steps").unwrap_or(mean) / 60.0,
                };
                // Each player fetches a buffer of media in advance.
                let ahead = 1.0 + PLAYER_BUFFER * load.steps / 2.0 / mean.max(1.0);
                Offer { rate: rate * ahead, rungs, extra: 0.5, load: Some(load), ..offer }
            }
            "spatial-video" => {
                let ladder = ["1.2", "2.05", "3", "4", "5", "6", "7", "10", "12", "15"];
                let own = rates(app.pointer("/content/generator/ladder"));
                let overhead = number(app, "/content/overhead").unwrap_or(1.165);
                let default =
                    ladder.iter().filter_map(|mbit| Some(mbit.parse::<f64>().ok()? * 1e6)).collect();
                let rungs = own.filter(|own: &Vec<f64>| !own.is_empty()).unwrap_or(default);
                let top = rungs.last().copied().unwrap_or_default();
                Offer { rate: top * overhead, rungs, ..offer }
            }
            "temporal-video" => {
                let overhead = number(app, "/content/overhead").unwrap_or(1.165);
                let rate = rate(app, "/content/generator/rate").unwrap_or(6e6) * overhead;
                Offer { rate, rungs: vec![rate], ..offer }
            }
            "volumetric-video" => {
                let overhead = number(app, "/content/overhead").unwrap_or(1.11);
                let rate = rate(app, "/content/generator/rate").unwrap_or(1e8) * overhead;
                Offer { rate, rungs: vec![rate], ..offer }
            }
            _ => offer,
        }
    }

    /// The rate that the application asks for where its fair share of the path is `share`, in payload bits per second.
    pub fn wanted(&self, share: f64) -> f64 {
        if self.rungs.is_empty() || share >= self.rate {
            return self.rate.min(share);
        }
        let affordable = ADAPTIVE * share;
        // Encoders in layers and players between two rungs use what there is; none falls below its lowest rung.
        let least = self.rungs.first().copied().unwrap_or_default();
        affordable.max(least.min(share)).min(self.rate)
    }
}

/// Bitrates of a player's content with its best audio, and the highest.
fn ladder(app: &Value) -> (Vec<f64>, f64) {
    let audio = |ladder: &Value| {
        let rungs = ladder.get("audio").and_then(Value::as_array);
        rungs.and_then(|rungs| rungs.iter().filter_map(|rung| rate(rung, "/bitrate")).reduce(f64::max))
    };
    let own = app.pointer("/content/ladder").filter(|ladder| ladder.is_object());
    let (video, audio) = match own {
        Some(ladder) => {
            let rungs = ladder.get("video").and_then(Value::as_array);
            let rates = rungs.map(|rungs| rungs.iter().filter_map(|rung| rate(rung, "/bitrate")).collect());
            (rates.unwrap_or_default(), audio(ladder).unwrap_or(0.0))
        }
        // The ladder of iRED's Table VII, which is the default.
        None => (vec![280e3, 980e3, 2_080e3], 128e3),
    };
    let rungs: Vec<f64> = video.iter().map(|rate| rate + audio).collect();
    let top = rungs.iter().copied().fold(0.0, f64::max);
    (rungs, top)
}

fn bounded_pareto_mean(low: f64, high: f64, shape: f64) -> f64 {
    if high <= low {
        return low;
    }
    let mass = 1.0 - libm::pow(low / high, shape);
    if (shape - 1.0).abs() < 1e-9 {
        return low * libm::log(high / low) / mass;
    }
    shape * low / (shape - 1.0) * (1.0 - libm::pow(low / high, shape - 1.0)) / mass
}

fn number(value: &Value, path: &str) -> Option<f64> {
    let value = value.pointer(path)?;
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn bytes(value: &Value, path: &str) -> Option<f64> {
    let value = value.pointer(path)?;
    value.as_f64().or_else(|| Some(value.as_str()?.parse::<Bytes>().ok()?.get() as f64))
}

fn seconds(value: &Value, path: &str) -> Option<f64> {
    let value = value.pointer(path)?;
    value.as_f64().or_else(|| Some(value.as_str()?.parse::<Duration>().ok()?.as_secs_f64()))
}

fn rate(value: &Value, path: &str) -> Option<f64> {
    as_rate(value.pointer(path)?)
}

fn as_rate(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| Some(value.as_str()?.parse::<Rate>().ok()?.as_bits() as f64))
}

/// `bandwidth` of `cbr` as its `tool` counts.
fn bandwidth(app: &Value) -> Option<f64> {
    let text = app.pointer("/bandwidth")?.as_str()?;
    let tool: Tool = serde_json::from_value(app.pointer("/tool")?.clone()).ok()?;
    Some(tool.rate(text).ok()?.as_bits() as f64)
}

fn rates(value: Option<&Value>) -> Option<Vec<f64>> {
    Some(value?.as_array()?.iter().filter_map(as_rate).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rates_follow_from_the_parameters() {
        let cbr = Offer::of(
            &json!({ "kind": "cbr", "payload": "250 bytes", "interval": "1 ms" }),
            "udp",
            &Value::Null,
        );
        assert_eq!((cbr.rate, cbr.payload, cbr.carried), (2e6, 250.0, Carried::Datagrams));
        let iperf = json!({ "kind": "cbr", "bandwidth": "2M", "tool": "iperf2" });
        assert_eq!(Offer::of(&iperf, "udp", &Value::Null).rate, 2_097_152.0);
        let ping = Offer::of(
            &json!({ "kind": "ping", "interval": "100 ms", "payload": "56 bytes" }),
            "udp",
            &Value::Null,
        );
        assert_eq!((ping.rate / ping.payload / 8.0, ping.replies), (10.0, 1.0));
        let bulk = Offer::of(&json!({ "kind": "bulk", "bytes": "1 MB" }), "tcp", &json!({ "mss": 1000 }));
        assert_eq!((bulk.rate, bulk.total, bulk.payload), (f64::INFINITY, Some(8e6), 1_000.0));
        // Of files between 4 kB and 1 MB with a shape of 1.2 the mean is some 15.9 kB.
        let web = json!({ "kind": "web", "transfers_per_second": 20.0, "min_size": "4 kB", "max_size": "1 MB", "shape": 1.2 });
        let web = Offer::of(&web, "tcp", &Value::Null);
        assert!((2.5e6..2.6e6).contains(&web.rate), "{}", web.rate);
    }

    #[test]
    fn adaptive_applications_ask_for_less_than_their_share() {
        let dash = Offer::of(&json!({ "kind": "dash" }), "tcp", &Value::Null);
        assert_eq!(dash.wanted(10e6), 2_208e3);
        assert_eq!(dash.wanted(1e6), 0.85e6);
        assert_eq!(dash.wanted(0.2e6), 0.2e6);
    }

    #[test]
    fn players_come_one_by_one_and_then_follow_the_wave() {
        let load = Load { mean: 20.0, amplitude: 5.0, period: 120.0, steps: 20.0 / 60.0 };
        let players = load.players(600.0, 60);
        assert!(players[0] < 5.0 && players[59] > 10.0, "{players:?}");
        let mean = players[30..].iter().sum::<f64>() / 30.0;
        assert!((18.0..22.0).contains(&mean), "{mean}");
    }
}
