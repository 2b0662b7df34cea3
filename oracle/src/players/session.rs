//! What a viewer's session came to, by its series: the same arithmetic for real and modelled players.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Start of the window in which the buffer is measured, in seconds: by then each player shows pictures.
pub const BUFFER_FROM: f64 = 20.0;

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Mean of the buffer's samples from [`BUFFER_FROM`] on.
    pub buffer_s: f64,
    /// Mean bitrate of the video segments that were fetched, in kbit/s.
    pub bitrate: f64,
    /// Share of the video segments, by bitrate in kbit/s.
    pub shares: BTreeMap<u32, f64>,
    /// Video segments with another bitrate than the one before.
    pub switches: f64,
    /// Stalls after the first picture; `None` if the program did not get to count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls: Option<f64>,
    /// Time that they took, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_s: Option<f64>,
    /// Time until the first picture.
    pub start_up_s: f64,
}

impl Session {
    /// The session to four digits after the point, as it is stored.
    pub fn rounded(mut self) -> Session {
        let round = |value: &mut f64| *value = (*value * 1e4).round() / 1e4;
        let Session { buffer_s, bitrate, shares, switches: _, stalls: _, stall_s, start_up_s } = &mut self;
        let all = [buffer_s, bitrate, start_up_s].into_iter().chain(stall_s).chain(shares.values_mut());
        all.for_each(round);
        self
    }
}

/// End of the short form, in seconds, which `make test-live` runs. It begins at [`BUFFER_FROM`].
pub const SHORT_UNTIL: f64 = 60.0;

/// Means of the short form of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Short {
    /// Mean of the buffer's samples.
    pub buffer_s: f64,
    /// Mean bitrate of the video segments, in kbit/s.
    pub bitrate: f64,
}

impl Short {
    /// The means to four digits after the point, as they are stored.
    pub fn rounded(self) -> Short {
        let round = |value: f64| (value * 1e4).round() / 1e4;
        Short { buffer_s: round(self.buffer_s), bitrate: round(self.bitrate) }
    }
}

/// Points and summary values of a session, as they are read.
#[derive(Debug, Default)]
pub struct Collector {
    buffer: Vec<f64>,
    bitrates: Vec<f64>,
    short: [Vec<f64>; 2],
    summary: BTreeMap<String, f64>,
}

impl Collector {
    /// Takes a point of a series, in chronological order.
    pub fn point(&mut self, metric: &str, seconds: f64, value: f64) {
        if (BUFFER_FROM..SHORT_UNTIL).contains(&seconds) {
            match metric {
                "buffer" => self.short[0].push(value),
                "representation_rate" => self.short[1].push(value),
                _ => {}
            }
        }
        match metric {
            "buffer" if seconds >= BUFFER_FROM => self.buffer.push(value),
            "representation_rate" => self.bitrates.push(value),
            _ => {}
        }
    }

    /// Takes a value of the summary.
    pub fn summary(&mut self, metric: &str, value: f64) {
        self.summary.insert(metric.to_owned(), value);
    }

    /// The session; `None` if nothing was shown.
    pub fn finish(&self) -> Option<Session> {
        let mut shares: BTreeMap<u32, f64> = BTreeMap::new();
        for bitrate in &self.bitrates {
            *shares.entry(bitrate.round() as u32).or_default() += 1.0 / self.bitrates.len() as f64;
        }
        let of = |metric: &str| self.summary.get(metric).copied();
        Some(Session {
            buffer_s: mean(&self.buffer)?,
            bitrate: mean(&self.bitrates)?,
            shares,
            switches: self.bitrates.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64,
            stalls: of("stalls"),
            stall_s: of("stall_time"),
            start_up_s: of("start_up_delay").unwrap_or(0.0),
        })
    }

    /// The short form of the session; `None` if it has no points.
    pub fn short(&self) -> Option<Short> {
        Some(Short { buffer_s: mean(&self.short[0])?, bitrate: mean(&self.short[1])? })
    }
}

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_counted_from_its_points() {
        let mut collector = Collector::default();
        for (at, bitrate) in [(1.0, 280.0), (3.0, 980.0), (7.0, 980.0), (30.0, 280.0)] {
            collector.point("representation_rate", at, bitrate);
        }
        for (at, level) in [(10.0, 90.0), (20.0, 4.0), (21.0, 6.0)] {
            collector.point("buffer", at, level);
        }
        collector.summary("stalls", 2.0);
        let session = collector.finish().expect("there are points");
        assert_eq!((session.buffer_s, session.bitrate), (5.0, 630.0));
        assert_eq!(session.shares, BTreeMap::from([(280, 0.5), (980, 0.5)]));
        assert_eq!((session.switches, session.stalls, session.stall_s), (2.0, Some(2.0), None));
        assert_eq!(collector.short(), Some(Short { buffer_s: 5.0, bitrate: 280.0 }));
    }
}
