//! The TCP sockets of a namespace, whoever opened them: the kernel's socket diagnostics (sock_diag(7)) over netlink.

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};

use super::namespace::Namespaces;
use super::tcp_info::{TcpInfo, TcpReading};
use crate::netlink::{self, Request};

/// Which sockets are meant: those joined to an address, and to a port or from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketRule {
    /// The other end's address.
    pub peer: IpAddr,
    /// The port that one of the ends has: a server's is its own, a client's the other one's.
    pub port: Option<u16>,
}

impl SocketRule {
    /// Whether that socket is meant.
    pub fn includes(&self, reading: &TcpReading) -> bool {
        let has_port = |port| reading.local.port() == port || reading.remote.port() == port;
        reading.remote.ip() == self.peer && self.port.is_none_or(has_port)
    }
}

/// Reads the state of a namespace's TCP sockets.
#[derive(Debug)]
pub struct DiagSampler {
    socket: Socket,
    buffer: Vec<MaybeUninit<u8>>,
}

/// `SOCK_DIAG_BY_FAMILY` of `linux/sock_diag.h`.
const BY_FAMILY: u16 = 20;
/// `INET_DIAG_INFO` of `linux/inet_diag.h`.
const INFO: u16 = 2;
/// `INET_DIAG_CONG` of the same.
const CONG: u16 = 4;
/// Established, and what comes after as long as data may be under way: FIN-WAIT-1 and 2, CLOSE-WAIT, LAST-ACK, CLOSING, as bits
/// (`linux/tcp_states.h`).
const STATES: u32 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;
/// `struct inet_diag_req_v2`.
const REQUEST: usize = 56;
/// `struct inet_diag_msg`.
const ANSWER: usize = 72;

impl DiagSampler {
    /// A sampler of the namespace behind that descriptor. Its socket stays there; the thread comes back.
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

    /// A sampler of the namespace that the thread is in.
    ///
    /// # Errors
    /// If the kernel has no socket diagnostics.
    pub fn here() -> io::Result<DiagSampler> {
        let protocol = Protocol::from(libc::NETLINK_SOCK_DIAG);
        let socket = Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(protocol))?;
        // The kernel answers at once; if it ever does not, a sample is missing and the run goes on.
        socket.set_read_timeout(Some(std::time::Duration::from_millis(100)))?;
        Ok(DiagSampler { socket, buffer: vec![MaybeUninit::uninit(); 64 << 10] })
    }

    /// All TCP sockets that are joined to a peer.
    ///
    /// # Errors
    /// If the kernel refuses, or stops in the middle.
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

/// Asks for all sockets of a family.
fn request(family: u8) -> Request {
    let mut own = [0; REQUEST];
    own[0] = family;
    own[1] = libc::IPPROTO_TCP as u8;
    own[2] = 1 << (INFO - 1) | 1 << (CONG - 1);
    own[4..8].copy_from_slice(&STATES.to_ne_bytes());
    Request::new(BY_FAMILY, libc::NLM_F_DUMP, &own)
}

/// Reads the messages of one datagram. Whether they were the last.
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

/// A socket, with what was asked for of it.
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
    fn a_connection_of_somebody_else_is_seen_from_both_ends() {
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
    fn what_is_cut_short_is_no_message() {
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
