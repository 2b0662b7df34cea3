//! Common parts of both examples: a connection, a UDP socket and a clock, and the loop body that connects them.
//!
//! The connection never reads a clock or touches a socket. It receives the time with each call, and returns the data
//! to send. The contract is: after each call that takes `now`, call `poll_transmit` until it returns nothing; then
//! `poll_message` and `poll_event`; and call `handle_wakeup` at `next_wakeup`.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use jettison_core::{Duration, Time};
use jettison_messages::{Connection, OctopusParameters};
use jettison_tcp::Payload;
use jettison_wire::InlineBytes;

/// One end of a connection on a real socket.
pub struct Driver {
    /// The connection. After calls that may cause transmissions, call [`Driver::step`].
    pub connection: Connection,
    socket: UdpSocket,
    /// The peer. A passive end learns it from the first datagram: there is no handshake.
    remote: Option<SocketAddr>,
    origin: Instant,
    buffer: Box<[u8]>,
}

impl Driver {
    /// Creates an end on a socket.
    ///
    /// # Errors
    /// If the parameters are invalid.
    pub fn new(
        socket: UdpSocket,
        remote: Option<SocketAddr>,
        parameters: OctopusParameters,
    ) -> Result<Driver, Box<dyn std::error::Error>> {
        parameters.validate()?;
        // Only the controller `oracle` reads a file, and only some use random numbers.
        let files = |name: &str| Err(format!("{name} is not read here"));
        let controller = parameters.controller(&parameters.path_context(None, &files))?;
        let connection = Connection::new(&Arc::new(parameters), controller, Time::ZERO);
        let buffer = vec![0; 1 << 16].into_boxed_slice();
        Ok(Driver { connection, socket, remote, origin: now(), buffer })
    }

    /// Time since the connection was created: its only notion of time.
    pub fn now(&self) -> Time {
        Time::from_nanos(now().duration_since(self.origin).as_nanos() as u64)
    }

    /// Sends what may leave, then receives until `until` at the latest. May return earlier.
    ///
    /// # Errors
    /// Errors of the socket, except for a peer that is not there yet.
    pub fn step(&mut self, until: Time) -> io::Result<()> {
        self.transmit()?;
        let wakeup = self.connection.next_wakeup().map_or(until, |at| at.min(until));
        let wait = wakeup.since(self.now());
        if wait > Duration::ZERO {
            // A socket's time-out is in whole microseconds at best; a real program would use epoll_pwait2 or a timerfd.
            self.socket
                .set_read_timeout(Some(std::time::Duration::from_nanos(wait.as_nanos().max(1_000))))?;
            match self.socket.recv_from(&mut self.buffer) {
                Ok((length, from)) => self.receive(length, from),
                Err(error) if is_silence(&error) => {}
                Err(error) => return Err(error),
            }
        }
        if self.connection.next_wakeup().is_some_and(|at| at <= self.now()) {
            self.connection.handle_wakeup(self.now());
        }
        self.transmit()
    }

    /// Sends until nothing more may leave now.
    fn transmit(&mut self) -> io::Result<()> {
        let Some(remote) = self.remote else { return Ok(()) };
        while let Some(transmit) = self.connection.poll_transmit(self.now()) {
            // A datagram has a head of real bytes and a rest, which may be a number of zeros. `transmit.traffic_class`
            // would be set with IP_TOS, which `std` does not support; without it there is no ECN.
            let mut datagram = transmit.head.as_slice().to_vec();
            match transmit.rest {
                Payload::Bytes(bytes) => datagram.extend_from_slice(&bytes),
                Payload::Zeros(count) => datagram.resize(datagram.len() + count as usize, 0),
            }
            match self.socket.send_to(&datagram, remote) {
                Ok(_) => {}
                Err(error) if is_silence(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive(&mut self, length: usize, from: SocketAddr) {
        self.remote.get_or_insert(from);
        let now = self.now();
        // The first 40 bytes, or all of them; and the rest.
        let (head, rest) = self.buffer[..length].split_at(length.min(InlineBytes::CAPACITY));
        self.connection.handle_datagram(head, Payload::from(rest), 0, now);
    }
}

#[allow(clippy::disallowed_methods, reason = "the driver is the place where time comes from")]
fn now() -> Instant {
    Instant::now()
}

/// Whether no datagram arrived, or the peer is not there (yet).
fn is_silence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::ConnectionRefused)
}
