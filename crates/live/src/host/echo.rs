//! ICMP echo requests and replies of one program, over a ping socket, or over a raw socket where ping sockets are not allowed.

#![allow(unsafe_code, reason = "buffers that the kernel fills")]

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};

use jettison_core::{Duration, Time};
use jettison_sockets::EchoRequest;
use rustc_hash::FxHashMap;
use socket2::{Protocol, SockAddr, Socket, Type};

use super::options::{new_socket, set_traffic_class};

/// ICMP types of request and reply (RFC 792; RFC 4443 §4).
const V4: (u8, u8) = (8, 0);
const V6: (u8, u8) = (128, 129);
/// Header length: type, code, checksum, identifier, sequence number.
const HEADER: usize = 8;

/// The echo socket of one program.
#[derive(Debug)]
pub(super) struct EchoSocket {
    socket: Socket,
    pub(super) owner: u32,
    address: IpAddr,
    /// Whether this is a raw socket, which leaves header and filtering to us.
    is_raw: bool,
    /// Identifier for raw sockets, which receive the replies to every process.
    identifier: u16,
    traffic_class: u8,
    /// Send times of the requests by sequence number, the newest where numbers repeat. A reply does not remove its request, since
    /// a link may duplicate both.
    sent: FxHashMap<u16, Time>,
    buffer: Vec<u8>,
}

impl EchoSocket {
    /// Creates a socket bound to `address` in the thread's current namespace.
    pub(super) fn new(address: IpAddr, owner: u32) -> io::Result<EchoSocket> {
        let protocol = if address.is_ipv4() { Protocol::ICMPV4 } else { Protocol::ICMPV6 };
        // `net.ipv4.ping_group_range` controls access to ping sockets (icmp(7)) for both address families.
        let (socket, is_raw) = match new_socket(address, Type::DGRAM, Some(protocol)) {
            Ok(socket) => (socket, false),
            Err(_) => (new_socket(address, Type::RAW, Some(protocol))?, true),
        };
        socket.bind(&SockAddr::from(SocketAddr::new(address, 0)))?;
        // The program's number combined with a constant, to tell our replies from another process's.
        let identifier = (owner as u16) ^ 0x4a54;
        Ok(EchoSocket {
            socket,
            owner,
            address,
            is_raw,
            identifier,
            traffic_class: 0,
            sent: FxHashMap::default(),
            buffer: Vec::new(),
        })
    }

    /// Sends a request. The first eight bytes of its data are the time, if they fit.
    pub(super) fn send(&mut self, remote: IpAddr, request: &EchoRequest, now: Time) -> io::Result<()> {
        if request.traffic_class != self.traffic_class {
            set_traffic_class(&self.socket, self.address, request.traffic_class)?;
            self.traffic_class = request.traffic_class;
        }
        let (kind, _) = self.types();
        let length = HEADER + usize::from(request.length);
        self.buffer.clear();
        self.buffer.extend_from_slice(&[kind, 0, 0, 0]);
        // On a ping socket the kernel sets identifier and checksum.
        self.buffer.extend_from_slice(&self.identifier.to_be_bytes());
        self.buffer.extend_from_slice(&request.sequence.to_be_bytes());
        self.buffer.extend_from_slice(&now.as_nanos().to_be_bytes());
        self.buffer.resize(length.max(HEADER), 0);
        if self.is_raw && self.address.is_ipv4() {
            let sum = checksum(&self.buffer);
            self.buffer[2..4].copy_from_slice(&sum.to_be_bytes());
        }
        self.socket.send_to(&self.buffer, &SockAddr::from(SocketAddr::new(remote, 0)))?;
        self.sent.insert(request.sequence, now);
        Ok(())
    }

    /// Receives the next reply: its sequence number and the RTT.
    pub(super) fn receive(&mut self, now: Time) -> Option<(u16, Duration)> {
        // Space for the longest IPv4 header and the ICMP header.
        let mut buffer = [MaybeUninit::uninit(); 60 + HEADER];
        loop {
            // The kernel truncates longer packets.
            let (count, _) = self.socket.recv_from(&mut buffer).ok()?;
            // SAFETY: `recv_from` has written the first `count` bytes of the buffer.
            let bytes = unsafe { buffer[..count].assume_init_ref() };
            if let Some(sequence) = self.reply(bytes)
                && let Some(sent_at) = self.sent.get(&sequence)
            {
                return Some((sequence, now.since(*sent_at)));
            }
        }
    }

    /// Sequence number of a reply to this socket.
    fn reply(&self, bytes: &[u8]) -> Option<u16> {
        // Raw IPv4 sockets get the IP header too (raw(7)).
        let skipped = match self.is_raw && self.address.is_ipv4() {
            true => 4 * usize::from(bytes.first()? & 15),
            false => 0,
        };
        let (_, reply) = self.types();
        let &[kind, 0, _, _, i0, i1, s0, s1] = bytes.get(skipped..)?.first_chunk::<HEADER>()? else {
            return None;
        };
        let is_ours = !self.is_raw || u16::from_be_bytes([i0, i1]) == self.identifier;
        (kind == reply && is_ours).then_some(u16::from_be_bytes([s0, s1]))
    }

    fn types(&self) -> (u8, u8) {
        if self.address.is_ipv4() { V4 } else { V6 }
    }
}

impl AsFd for EchoSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The Internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let last = rest.first().map_or(0, |byte| u32::from(*byte) << 8);
    let mut sum = pairs.iter().fold(last, |sum, pair| sum + u32::from(u16::from_be_bytes(*pair)));
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the kernel's replies come in real time")]
    fn a_request_may_have_more_than_one_reply() {
        let local = IpAddr::from([127, 0, 0, 1]);
        let Ok(mut socket) = EchoSocket::new(local, 1) else {
            return eprintln!("left out: a_request_may_have_more_than_one_reply: no ping socket");
        };
        let request = EchoRequest { sequence: 7, length: 56, traffic_class: 0 };
        // Two packets with one sequence number are answered as one that a link has duplicated.
        for _ in 0..2 {
            socket.send(local, &request, Time::ZERO).unwrap();
        }
        let mut replies = Vec::new();
        for _ in 0..1000 {
            replies.extend(socket.receive(Time::ZERO + Duration::from_millis(1)));
            if replies.len() == 2 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert_eq!(replies, [(7, Duration::from_millis(1)); 2]);
    }

    #[test]
    fn the_checksum_follows_rfc_1071() {
        // Example of §3, with the sum ddf2.
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
        assert_eq!(checksum(&[0xff]), !0xff00);
    }
}
