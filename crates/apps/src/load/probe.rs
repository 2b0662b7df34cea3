//! Head of a probe datagram: sequence number and sending time, as real bytes.

use jettison_core::{Bytes, Time};
use jettison_measure::{Description, Unit, UnitKind};
use jettison_registry::ParameterError;
use jettison_tcp::Endpoint;
use jettison_wire::InlineBytes;

use jettison_sockets::{Datagram, SocketId, Sockets};

/// Sequence number and sending time: 16 bytes in network byte order at the start of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeHead {
    /// Number of the datagram within its flow, from 0.
    pub sequence: u64,
    /// Sending time.
    pub sent_at: Time,
}

impl ProbeHead {
    /// Length in bytes.
    pub const LENGTH: usize = 16;

    /// Serializes the head.
    pub fn emit(self) -> InlineBytes {
        let mut bytes = [0; ProbeHead::LENGTH];
        bytes[..8].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[8..].copy_from_slice(&self.sent_at.as_nanos().to_be_bytes());
        InlineBytes::new(&bytes).expect("16 bytes fit in 40")
    }

    /// Parses a head; `None` if the payload is too short.
    pub fn parse(payload: &[u8]) -> Option<ProbeHead> {
        let (sequence, rest) = payload.split_first_chunk::<8>()?;
        let (sent_at, _) = rest.split_first_chunk::<8>()?;
        Some(ProbeHead {
            sequence: u64::from_be_bytes(*sequence),
            sent_at: Time::from_nanos(u64::from_be_bytes(*sent_at)),
        })
    }
}

/// Checks the size of measuring datagrams, the value of an application's key `payload`.
pub(crate) fn check_payload(payload: Bytes) -> Result<(), ParameterError> {
    let holds = (ProbeHead::LENGTH as u64..=65_000).contains(&payload.get());
    let range = "be 16 bytes (a sequence number and a time) to 65000 bytes";
    ParameterError::require(holds, "payload", range, payload)
}

/// Sends numbered, timestamped datagrams of one size to one peer.
#[derive(Debug, Clone)]
pub(crate) struct ProbeSender {
    pub(crate) remote: Endpoint,
    pub(crate) length: u16,
    pub(crate) traffic_class: u8,
    kind: UnitKind,
    socket: Option<SocketId>,
    sequence: u64,
}

impl ProbeSender {
    pub(crate) fn new(remote: Endpoint, length: u16, traffic_class: u8) -> ProbeSender {
        ProbeSender { remote, length, traffic_class, kind: UnitKind::Datagram, socket: None, sequence: 0 }
    }

    /// The sender with datagrams that are units of another kind.
    pub(crate) fn of(self, kind: UnitKind) -> ProbeSender {
        ProbeSender { kind, ..self }
    }

    pub(crate) fn open(&mut self, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(0));
    }

    #[inline]
    pub(crate) fn send(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(socket) = self.socket else { return };
        let head = ProbeHead { sequence: self.sequence, sent_at: now }.emit();
        host.describes(Description::new(Unit::new(self.kind, self.sequence, 0), 0));
        self.sequence += 1;
        host.meter().sent();
        let datagram = Datagram { head, length: self.length, traffic_class: self.traffic_class };
        host.send_to(socket, self.remote, &datagram);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_round_trip_and_short_ones_are_refused() {
        let head = ProbeHead { sequence: 7, sent_at: Time::from_micros(9) };
        assert_eq!(ProbeHead::parse(head.emit().as_slice()), Some(head));
        assert_eq!(ProbeHead::parse(&[0; 15]), None);
    }
}
