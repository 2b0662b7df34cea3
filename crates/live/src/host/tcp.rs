//! One kernel TCP connection, with buffers for data that a program has written or not read yet.

#![allow(unsafe_code, reason = "buffers that the kernel fills")]

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::time::Duration as StdDuration;

use jettison_core::Duration;
use jettison_measure::FlowMeter;
use jettison_sockets::CloseReason;
use jettison_tcp::PathEstimate;
use jettison_tcp::{Endpoint, Payload};
use socket2::Socket;

use super::options::{not_sent, out_queue, sock_addr, tcp_info};
use super::poller::{Poller, Readiness};
use super::send_queue::{MOST_SLICES, SendQueue};
use super::tcp_info::TcpInfo;
use super::zeros::payloads;

/// Bytes that a program may read from one connection before other sockets are handled.
const READ_BUDGET: u64 = 4 << 20;

/// A connection.
#[derive(Debug)]
pub(super) struct TcpSocket {
    socket: Socket,
    pub(super) owner: u32,
    state: State,
    queue: SendQueue,
    /// Bytes that the kernel has accepted.
    accepted: u64,
    /// Acknowledged bytes at the last poll.
    acknowledged: u64,
    /// Received data that the program has not read yet.
    pending: VecDeque<Payload>,
    read_budget: u64,
    /// Whether the kernel accepted less than was offered.
    is_blocked: bool,
    fin: Fin,
    /// Whether the peer has sent its FIN.
    is_at_end: bool,
    /// Reason of the end, once the connection has ended.
    ended: Option<CloseReason>,
    /// Registration with the poller; `None` while the socket is not registered.
    interest: Option<Readiness>,
    /// Whether the connection is in the stack's list of sockets to settle.
    pub(super) is_dirty: bool,
    /// Whether the connection is in the stack's list of sockets to poll for acknowledgements.
    pub(super) is_watched: bool,
    /// Acknowledged bytes when the RTT was last recorded.
    sampled: u64,
    /// Whether what it receives is goodput of its program's flow.
    pub(super) counts_goodput: bool,
    /// Bytes that the program has read.
    taken: u64,
    /// The peer, if this end connects.
    connects_to: Option<Endpoint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// `connect` was not called yet.
    New(Endpoint),
    Connecting,
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fin {
    No,
    /// To be sent once the kernel has accepted all data.
    Wanted,
    Sent,
}

/// Removes the kernel's zero padding from a name.
fn until_zero(name: &[u8]) -> &[u8] {
    name.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// An event of a connection for its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEvent {
    Connected,
    Readable,
    Acknowledged,
    PeerClosed,
}

impl TcpSocket {
    /// Creates a connection that is not opened yet.
    pub(super) fn to_connect(socket: Socket, owner: u32, remote: Endpoint) -> TcpSocket {
        TcpSocket::new(socket, owner, State::New(remote))
    }

    /// Creates a connection that `listener` accepted.
    pub(super) fn accepted(socket: Socket, listener: &Socket, owner: u32) -> TcpSocket {
        // As in `settle`, the route's congestion control overrode the listener's.
        if let Ok(name) = listener.tcp_congestion() {
            let _ = socket.set_tcp_congestion(until_zero(&name));
        }
        TcpSocket::new(socket, owner, State::Open)
    }

    fn new(socket: Socket, owner: u32, state: State) -> TcpSocket {
        TcpSocket {
            socket,
            owner,
            state,
            queue: SendQueue::default(),
            accepted: 0,
            acknowledged: 0,
            pending: VecDeque::new(),
            read_budget: READ_BUDGET,
            is_blocked: false,
            fin: Fin::No,
            is_at_end: false,
            ended: None,
            interest: None,
            is_dirty: false,
            is_watched: false,
            sampled: 0,
            counts_goodput: false,
            taken: 0,
            connects_to: match state {
                State::New(remote) => Some(remote),
                State::Connecting | State::Open => None,
            },
        }
    }

    // ---- requests of the program -------------------------------------------------------------------------------

    pub(super) fn write(&mut self, payload: Payload) {
        if self.fin == Fin::No && self.ended.is_none() {
            self.queue.push(payload);
        }
    }

    /// Returns the next in-order data, at most `max` bytes.
    pub(super) fn read(
        &mut self,
        max: u64,
        scratch: &mut [MaybeUninit<u8>],
        tell: &mut dyn FnMut(ConnectionEvent),
    ) -> Option<Payload> {
        if max == 0 {
            return None;
        }
        if self.pending.is_empty() && self.read_budget > 0 {
            self.fill(scratch, tell);
        }
        let (head, tail) = self.pending.pop_front()?.split(max);
        if !tail.is_empty() {
            self.pending.push_front(tail);
        }
        self.read_budget = self.read_budget.saturating_sub(head.len());
        self.taken += head.len();
        Some(head)
    }

    pub(super) fn close(&mut self) {
        if self.fin == Fin::No {
            self.fin = Fin::Wanted;
        }
    }

    /// Resets the connection.
    pub(super) fn abort(&mut self) {
        if self.ended.is_none() {
            // A linger time of zero turns `close` into a reset (socket(7)).
            let _ = self.socket.set_linger(Some(StdDuration::ZERO));
            self.finish(CloseReason::Finished);
        }
    }

    /// Bytes that the program has written.
    pub(super) fn written(&self) -> u64 {
        self.accepted + self.queue.len()
    }

    /// Bytes that the program has read.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether `connect` was not called yet.
    pub(super) fn is_new(&self) -> bool {
        matches!(self.state, State::New(_))
    }

    /// Its own end and its peer's, once the kernel has chosen them.
    pub(super) fn ends(&self) -> Option<[Endpoint; 2]> {
        if self.is_new() {
            return None;
        }
        let local = self.socket.local_addr().ok()?.as_socket()?;
        let remote = match self.connects_to {
            Some(remote) => remote,
            None => super::options::endpoint(self.socket.peer_addr().ok()?.as_socket()?),
        };
        Some([super::options::endpoint(local), remote])
    }

    /// Written bytes that were not sent yet.
    pub(super) fn unsent(&self) -> u64 {
        self.queue.len() + self.without_fin(not_sent(&self.socket))
    }

    /// Written bytes that were not acknowledged yet.
    pub(super) fn unacknowledged(&self) -> u64 {
        self.queue.len() + self.without_fin(out_queue(&self.socket))
    }

    pub(super) fn path_estimate(&self) -> PathEstimate {
        let Some(info) = self.info() else { return PathEstimate::default() };
        PathEstimate {
            bandwidth: info.bandwidth(),
            rtt: Some(info.smoothed_rtt).filter(|rtt| !rtt.is_zero()),
            min_rtt: info.min_rtt,
            is_app_limited: info.is_app_limited,
            budget: None,
            backlog: self.unsent(),
            in_flight: info.in_flight,
        }
    }

    // ---- events of the kernel ----------------------------------------------------------------------------------

    /// Handles readiness reported by the poller.
    pub(super) fn on_ready(
        &mut self,
        ready: Readiness,
        scratch: &mut [MaybeUninit<u8>],
        tell: &mut dyn FnMut(ConnectionEvent),
    ) {
        self.read_budget = READ_BUDGET;
        if self.ended.is_some() {
            return;
        }
        if ready.is_over()
            && let Ok(Some(error)) = self.socket.take_error()
        {
            // Data received before the error stays readable.
            self.fill(scratch, &mut |_| {});
            if !self.pending.is_empty() {
                tell(ConnectionEvent::Readable);
            }
            return self.finish(reason(&error));
        }
        if self.state == State::Connecting {
            if !ready.is_out() {
                return;
            }
            self.state = State::Open;
            tell(ConnectionEvent::Connected);
        }
        if ready.is_out() {
            self.is_blocked = false;
        }
        if ready.is_in() && !self.is_at_end {
            if self.pending.is_empty() {
                self.fill(scratch, tell);
            }
            if !self.pending.is_empty() {
                tell(ConnectionEvent::Readable);
            }
        }
    }

    /// Fills the receive buffer by one read.
    fn fill(&mut self, scratch: &mut [MaybeUninit<u8>], tell: &mut dyn FnMut(ConnectionEvent)) {
        if self.is_at_end || self.state != State::Open {
            return;
        }
        match self.socket.recv(scratch) {
            Ok(0) => {
                self.is_at_end = true;
                tell(ConnectionEvent::PeerClosed);
            }
            Ok(count) => {
                // SAFETY: `recv` has written the first `count` bytes of the buffer.
                let bytes = unsafe { scratch[..count].assume_init_ref() };
                let (first, second) = payloads(bytes);
                self.pending.push_back(first);
                self.pending.extend(second);
            }
            Err(error) if is_temporary(&error) => {}
            Err(error) => self.finish(reason(&error)),
        }
    }

    /// Passes data to the kernel and updates the poller registration. Returns the reason once the connection has ended.
    pub(super) fn settle(&mut self, poller: &Poller, token: u64) -> Option<CloseReason> {
        if let State::New(remote) = self.state
            && self.ended.is_none()
        {
            self.state = State::Connecting;
            // `connect` replaces the socket's congestion control by the route's, if the route names one.
            let name = self.socket.tcp_congestion();
            let connected = self.socket.connect(&sock_addr(remote));
            if let Ok(name) = name {
                let _ = self.socket.set_tcp_congestion(until_zero(&name));
            }
            match connected {
                Ok(()) => {}
                Err(error) if is_temporary(&error) => {}
                Err(error) => self.finish(reason(&error)),
            }
        }
        if self.ended.is_none() && self.state == State::Open {
            self.send();
        }
        // Both ends have closed, and the FIN is acknowledged.
        let is_shut = self.fin == Fin::Sent && self.is_at_end;
        if self.ended.is_none() && is_shut && self.pending.is_empty() && out_queue(&self.socket) == 0 {
            self.finish(CloseReason::Finished);
        }
        self.update_interest(poller, token);
        self.ended
    }

    fn send(&mut self) {
        while !self.queue.is_empty() && !self.is_blocked {
            let mut slices = [IoSlice::new(&[]); MOST_SLICES];
            let count = self.queue.slices(&mut slices);
            let offered: usize = slices[..count].iter().map(|slice| slice.len()).sum();
            match self.socket.send_vectored_with_flags(&slices[..count], libc::MSG_NOSIGNAL) {
                Ok(taken) => {
                    self.queue.advance(taken as u64);
                    self.accepted += taken as u64;
                    self.is_blocked = taken < offered;
                }
                Err(error) if is_temporary(&error) => self.is_blocked = true,
                Err(error) => return self.finish(reason(&error)),
            }
        }
        if self.fin == Fin::Wanted && self.queue.is_empty() {
            self.fin = Fin::Sent;
            if let Err(error) = self.socket.shutdown(Shutdown::Write) {
                self.finish(reason(&error));
            }
        }
    }

    /// Registers the required readiness with the poller.
    fn update_interest(&mut self, poller: &Poller, token: u64) {
        let is_open = self.state == State::Open;
        let wanted = Readiness::NONE
            .with(Readiness::IN, is_open && !self.is_at_end && self.pending.is_empty())
            .with(Readiness::OUT, !is_open || self.is_blocked);
        // With both directions shut the poller would report the socket endlessly; polling covers the last FIN instead.
        let wanted =
            Some(wanted).filter(|_| self.ended.is_none() && !(self.fin == Fin::Sent && self.is_at_end));
        let fd = self.socket.as_fd();
        let result = match (self.interest, wanted) {
            (before, wanted) if before == wanted => return,
            (None, Some(wanted)) => poller.add(fd, token, wanted),
            (Some(_), Some(wanted)) => poller.change(fd, token, wanted),
            (_, None) => poller.remove(fd),
        };
        if result.is_err() {
            self.finish(CloseReason::TimedOut);
        }
        self.interest = wanted;
    }

    /// Polls for acknowledgements. Returns whether to poll again.
    pub(super) fn watch(&mut self, tell: &mut dyn FnMut(ConnectionEvent)) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let outstanding = self.without_fin(out_queue(&self.socket));
        let acknowledged = self.accepted.saturating_sub(outstanding);
        if acknowledged > self.acknowledged {
            self.acknowledged = acknowledged;
            tell(ConnectionEvent::Acknowledged);
        }
        if self.interest.is_none()
            && self.state == State::Open
            && let Ok(Some(error)) = self.socket.take_error()
        {
            self.finish(reason(&error));
        }
        self.needs_watch()
    }

    /// Whether both ends have closed and the last acknowledgement was not reported yet.
    pub(super) fn has_unreported_acknowledgement(&self) -> bool {
        self.fin == Fin::Sent && self.is_at_end && self.acknowledged < self.accepted
    }

    /// Whether data or a FIN are outstanding, whose acknowledgement the poller does not report.
    pub(super) fn needs_watch(&self) -> bool {
        self.ended.is_none()
            && (self.acknowledged < self.accepted || (self.fin == Fin::Sent && self.is_at_end))
    }

    /// Reads the connection's `TCP_INFO`.
    pub(super) fn info(&self) -> Option<TcpInfo> {
        tcp_info(&self.socket)
    }

    /// Records the smoothed RTT if there were acknowledgements since it was last recorded.
    pub(super) fn sample_round_trip(&mut self, info: &TcpInfo, meter: &mut FlowMeter) {
        if info.data_segments_sent > 0
            && info.bytes_acked > self.sampled
            && info.smoothed_rtt > Duration::ZERO
        {
            self.sampled = info.bytes_acked;
            meter.round_trip(info.smoothed_rtt);
        }
    }

    /// Subtracts an outstanding FIN, which the kernel counts as a byte.
    fn without_fin(&self, bytes: u64) -> u64 {
        bytes.saturating_sub(u64::from(self.fin == Fin::Sent))
    }

    fn finish(&mut self, reason: CloseReason) {
        self.queue.clear();
        self.ended.get_or_insert(reason);
    }
}

/// Whether a call can be repeated later.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
        || error.raw_os_error() == Some(libc::EINPROGRESS)
}

/// Maps an error to the reason why a connection failed.
fn reason(error: &io::Error) -> CloseReason {
    match error.raw_os_error() {
        Some(libc::ECONNREFUSED | libc::ECONNRESET | libc::EPIPE | libc::ENOTCONN) => CloseReason::Reset,
        // Timeout, or network or host unreachable.
        _ => CloseReason::TimedOut,
    }
}
