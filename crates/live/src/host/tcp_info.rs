//! State of a kernel TCP connection: `struct tcp_info` of `linux/tcp.h`, from `getsockopt(TCP_INFO)` and the attribute
//! `INET_DIAG_INFO`. The structure only grows at its end; fields that an older kernel lacks are 0.

use std::net::SocketAddr;

use jettison_core::{Bytes, Duration, Rate};

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpInfo {
    /// TCP state, numbered as in `linux/tcp_states.h`: 1 is established.
    pub state: u8,
    /// Whether the delivery rate was limited by the application.
    pub is_app_limited: bool,
    /// Payload bytes per segment.
    pub mss: u64,
    /// Congestion window in bytes.
    pub congestion_window: u64,
    /// Slow-start threshold in bytes; `None` before the first congestion event.
    pub ssthresh: Option<u64>,
    /// Smoothed RTT; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// RTT variation.
    pub rtt_variation: Duration,
    /// Lowest RTT of the last minutes; `None` before the first sample.
    pub min_rtt: Option<Duration>,
    /// Bytes in flight: sent, but neither acknowledged, SACKed nor considered lost.
    pub in_flight: u64,
    /// Pacing rate; `None` without a limit.
    pub pacing_rate: Option<Rate>,
    /// Delivery rate; `None` before the first sample.
    pub delivery_rate: Option<Rate>,
    /// Retransmitted segments.
    pub retransmits: u64,
    /// Retransmission timeouts (since Linux 6.7; 0 before).
    pub timeouts: u64,
    /// Acknowledged bytes.
    pub bytes_acked: u64,
    /// Sent segments with data.
    pub data_segments_sent: u64,
}

impl TcpInfo {
    /// Length of the longest known version.
    pub(super) const LENGTH: usize = 248;
    /// `TCP_INFINITE_SSTHRESH`.
    const INFINITE: u64 = 0x7fff_ffff;

    /// Whether this must be a newer connection than that of `earlier`, because a counter has decreased.
    pub(super) fn is_newer_connection_than(&self, earlier: &TcpInfo) -> bool {
        self.bytes_acked < earlier.bytes_acked
            || self.data_segments_sent < earlier.data_segments_sent
            || self.retransmits < earlier.retransmits
            || self.timeouts < earlier.timeouts
    }

    /// Parses the structure.
    pub fn parse(bytes: &[u8]) -> TcpInfo {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let short = |at: usize| field::<2>(bytes, at).map_or(0, u16::from_ne_bytes);
        let word = |at: usize| u64::from(field::<4>(bytes, at).map_or(0, u32::from_ne_bytes));
        let long = |at: usize| field::<8>(bytes, at).map_or(0, u64::from_ne_bytes);
        let mss = word(16);
        let (unacked, sacked, lost, retransmitted) = (word(24), word(28), word(32), word(36));
        let (ssthresh, min_rtt) = (word(76), word(148));
        let rate = |bytes: u64| {
            Some(Rate::from_bits(bytes.saturating_mul(8))).filter(|_| bytes != 0 && bytes != u64::MAX)
        };
        TcpInfo {
            state: byte(0),
            is_app_limited: byte(7) & 1 != 0,
            mss,
            congestion_window: word(80) * mss,
            ssthresh: (ssthresh < TcpInfo::INFINITE).then_some(ssthresh * mss),
            smoothed_rtt: Duration::from_micros(word(68)),
            rtt_variation: Duration::from_micros(word(72)),
            // All ones means no sample.
            min_rtt: (min_rtt != 0 && min_rtt != u64::from(u32::MAX))
                .then_some(Duration::from_micros(min_rtt)),
            in_flight: (unacked + retransmitted).saturating_sub(sacked + lost) * mss,
            pacing_rate: rate(long(104)),
            delivery_rate: rate(long(160)),
            retransmits: word(100),
            timeouts: u64::from(short(240)),
            bytes_acked: long(120),
            data_segments_sent: word(156),
        }
    }

    /// Bandwidth: the delivery rate, or congestion window / smoothed RTT if there is none.
    pub(super) fn bandwidth(&self) -> Option<Rate> {
        let by_window = || {
            (!self.smoothed_rtt.is_zero())
                .then(|| Rate::of(Bytes::new(self.congestion_window), self.smoothed_rtt))
        };
        self.delivery_rate.or_else(by_window)
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// A TCP socket of a namespace, as reported by the kernel's socket diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcpReading {
    /// Local endpoint.
    pub local: SocketAddr,
    /// Remote endpoint.
    pub remote: SocketAddr,
    /// The kernel's name of its congestion control; empty if unknown.
    pub congestion: String,
    /// State of the connection.
    pub info: TcpInfo,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_at_the_kernels_offsets() {
        let mut bytes = [0; TcpInfo::LENGTH];
        let mut word = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        word(16, 1448); // snd_mss
        word(24, 20); // unacked
        word(28, 3); // sacked
        word(32, 2); // lost
        word(36, 1); // retrans
        word(68, 30_000); // rtt
        word(76, 0x7fff_ffff); // snd_ssthresh
        word(80, 10); // snd_cwnd
        word(100, 7); // total_retrans
        word(148, 29_000); // min_rtt
        bytes[104..112].copy_from_slice(&u64::MAX.to_ne_bytes()); // pacing_rate
        bytes[160..168].copy_from_slice(&125_000_u64.to_ne_bytes()); // delivery_rate
        bytes[240..242].copy_from_slice(&4_u16.to_ne_bytes()); // total_rto
        let info = TcpInfo::parse(&bytes);
        assert_eq!(info.congestion_window, 14_480);
        assert_eq!(info.in_flight, 16 * 1448);
        assert_eq!((info.ssthresh, info.pacing_rate), (None, None));
        assert_eq!(info.delivery_rate, Some(Rate::from_mbit(1)));
        assert_eq!(
            (info.smoothed_rtt, info.min_rtt),
            (Duration::from_millis(30), Some(Duration::from_millis(29)))
        );
        assert_eq!((info.retransmits, info.timeouts), (7, 4));
    }

    #[test]
    fn fields_missing_in_older_kernels_are_zero() {
        assert_eq!(TcpInfo::parse(&[]), TcpInfo { ssthresh: Some(0), ..TcpInfo::default() });
        assert_eq!(TcpInfo::parse(&[0; 104]).delivery_rate, None);
    }
}
