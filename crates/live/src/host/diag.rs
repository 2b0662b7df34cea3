//! TCP sockets of a namespace, opened by any process: the kernel's socket diagnostics (sock_diag(7)) over netlink.

#![allow(unsafe_code, reason = "buffers that the kernel fills")]

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};

use super::namespace::Namespaces;
use super::tcp_info::{TcpInfo, TcpReading};
use crate::netlink::{self, Request};

/// Filter for sockets: connected to a peer, optionally with a port at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketRule {
    /// Address of the peer.
    pub peer: IpAddr,
    /// Port of either end: local for a server, remote for a client.
    pub port: Option<u16>,
}

impl SocketRule {
    /// Whether the filter matches a socket.
    pub fn includes(&self, reading: &TcpReading) -> bool {
        let has_port = |port| reading.local.port() == port || reading.remote.port() == port;
        reading.remote.ip() == self.peer && self.port.is_none_or(has_port)
    }
}

/// Samples the state of a namespace's TCP sockets.
#[derive(Debug)]
pub struct DiagSampler {
    socket: Socket,
    buffer: Vec<MaybeUninit<u8>>,
}

/// `SOCK_DIAG_BY_FAMILY` of `linux/sock_diag.h`.
const BY_FAMILY: u16 = 20;
/// `INET_DIAG_INFO` of `linux/inet_diag.h`.
const INFO: u16 = 2;
/// `INET_DIAG_CONG` of `linux/inet_diag.h`.
const CONG: u16 = 4;
/// Bit mask of ESTABLISHED and the later states in which data may be in flight: FIN-WAIT-1 and 2, CLOSE-WAIT, LAST-ACK, CLOSING
/// (`linux/tcp_states.h`).
const STATES: u32 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;
/// Length of `struct inet_diag_req_v2`.
const REQUEST: usize = 56;
/// Length of `struct inet_diag_msg`.
const ANSWER: usize = 72;

impl DiagSampler {
    /// Creates a sampler for the namespace of that descriptor. The thread returns to its own namespace.
    ///
    /// # Errors
    /// If the namespace cannot be entered, or the kernel has no socket diagnostics.
    pub fn new(namespace: Arc<OwnedFd>) -> io::Result<DiagSampler> {
        let mut namespaces = Namespaces::new(vec![namespace]);
        namespaces.enter(0)?;
        let sampler = DiagSampler::here();
        namespaces.leave()?;
        sampler
    }

    /// Creates a sampler for the thread's current namespace.
    ///
    /// # Errors
    /// If the kernel has no socket diagnostics.
    pub fn here() -> io::Result<DiagSampler> {
        let protocol = Protocol::from(libc::NETLINK_SOCK_DIAG);
        let socket = Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(protocol))?;
        // The kernel answers at once. If it does not, a sample is missing and the run continues.
        socket.set_read_timeout(Some(std::time::Duration::from_millis(100)))?;
        Ok(DiagSampler { socket, buffer: vec![MaybeUninit::uninit(); 64 << 10] })
    }

    /// Reads all connected TCP sockets.
    ///
    /// # Errors
    /// If the kernel rejects the request or stops in the middle of its answer.
    pub fn sample(&mut self) -> io::Result<Vec<TcpReading>> {
        let mut all = Vec::new();
        for family in [libc::AF_INET, libc::AF_INET6] {
            self.socket.send(request(family as u8).as_bytes())?;
            loop {
                let count = self.socket.recv(&mut self.buffer)?;
                // SAFETY: `recv` has written the first `count` bytes of the buffer.
                let bytes = unsafe { self.buffer[..count].assume_init_ref() };
                if answers(bytes, &mut all)? {
                    break;
                }
            }
        }
        Ok(all)
    }
}

impl AsFd for DiagSampler {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Builds a request for all sockets of an address family.
fn request(family: u8) -> Request {
    let mut body = [0; REQUEST];
    body[0] = family;
    body[1] = libc::IPPROTO_TCP as u8;
    body[2] = 1 << (INFO - 1) | 1 << (CONG - 1);
    body[4..8].copy_from_slice(&STATES.to_ne_bytes());
    Request::new(BY_FAMILY, libc::NLM_F_DUMP, &body)
}

/// Parses the messages of one datagram. Returns whether the last message was among them.
fn answers(bytes: &[u8], all: &mut Vec<TcpReading>) -> io::Result<bool> {
    for (kind, body) in netlink::messages(bytes) {
        match i32::from(kind) {
            libc::NLMSG_DONE => return Ok(true),
            libc::NLMSG_ERROR => return netlink::failure(body).map_or(Ok(true), Err),
            _ => all.extend(answer(body)),
        }
    }
    Ok(false)
}

/// Parses one socket with the requested attributes.
fn answer(bytes: &[u8]) -> Option<TcpReading> {
    let is_v4 = i32::from(*bytes.first()?) == libc::AF_INET;
    let port = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk::<2>()?));
    let address = |at: usize| {
        let bytes = bytes.get(at..)?;
        Some(match is_v4 {
            true => IpAddr::V4(Ipv4Addr::from(*bytes.first_chunk::<4>()?)),
            false => IpAddr::V6(Ipv6Addr::from(*bytes.first_chunk::<16>()?)).to_canonical(),
        })
    };
    let local = SocketAddr::new(address(8)?, port(4)?);
    let remote = SocketAddr::new(address(24)?, port(6)?);
    let mut reading = TcpReading { local, remote, congestion: String::new(), info: TcpInfo::default() };
    for (kind, value) in netlink::attributes(bytes.get(ANSWER..)?) {
        match kind {
            INFO => reading.info = TcpInfo::parse(value),
            CONG => {
                let name = value.split(|byte| *byte == 0).next().unwrap_or_default();
                reading.congestion = String::from_utf8_lossy(name).into_owned();
            }
            _ => {}
        }
    }
    Some(reading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn both_ends_of_a_connection_of_another_program_are_sampled() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let mut client = TcpStream::connect(server).unwrap();
        let (_accepted, _) = listener.accept().unwrap();
        client.write_all(&[7; 5000]).unwrap();
        let mut sampler = match DiagSampler::here() {
            Ok(sampler) => sampler,
            Err(error) => return eprintln!("left out: socket diagnostics ({error})"),
        };
        let rule = SocketRule { peer: server.ip(), port: Some(server.port()) };
        let readings: Vec<TcpReading> =
            sampler.sample().unwrap().into_iter().filter(|reading| rule.includes(reading)).collect();
        assert_eq!(readings.len(), 2, "{readings:?}");
        let own = client.local_addr().unwrap();
        let sender = readings.iter().find(|reading| reading.local == own).unwrap();
        assert_eq!(sender.remote, server);
        assert!(!sender.congestion.is_empty());
        assert!(sender.info.data_segments_sent > 0 && sender.info.congestion_window > 0, "{sender:?}");
    }

    #[test]
    fn truncated_messages_are_ignored() {
        let mut all = Vec::new();
        let request = request(libc::AF_INET as u8);
        let whole = request.as_bytes();
        for length in 0..whole.len() {
            assert_eq!(answers(&whole[..length], &mut all).ok(), Some(false));
            answer(&whole[..length]);
        }
        assert_eq!(all, []);
    }
}
