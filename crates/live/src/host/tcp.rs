//! One TCP connection of the kernel, with what a program has written and not yet read.

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

/// Bytes that a program may read of one connection before others have their turn.
const READ_BUDGET: u64 = 4 << 20;

/// A connection.
#[derive(Debug)]
pub(super) struct TcpSocket {
    socket: Socket,
    pub(super) owner: u32,
    state: State,
    queue: SendQueue,
    /// Bytes that the kernel took.
    given: u64,
    /// Bytes that were acknowledged when somebody last looked.
    acknowledged: u64,
    /// What was read ahead of the program.
    pending: VecDeque<Payload>,
    read_budget: u64,
    /// The kernel took less than was offered.
    is_blocked: bool,
    fin: Fin,
    /// The peer has sent all it will send.
    is_at_end: bool,
    /// Why it is over, once it is.
    over: Option<CloseReason>,
    /// What the poller waits for; `None` while it does not know the socket.
    interest: Option<Readiness>,
    /// Whether it is in the stack's list of sockets to be settled.
    pub(super) is_dirty: bool,
    /// Whether it is in the stack's list of sockets whose acknowledgements are awaited.
    pub(super) is_watched: bool,
    /// Bytes acknowledged when the RTT was last recorded.
    sampled: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// `connect` is still to be called.
    New(Endpoint),
    Connecting,
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fin {
    No,
    /// Once all is given to the kernel.
    Wanted,
    Sent,
}

/// A name without the zeros that the kernel fills it up with.
fn until_zero(name: &[u8]) -> &[u8] {
    name.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// What has happened, for the program to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Happening {
    Connected,
    Readable,
    Acknowledged,
    PeerClosed,
}

impl TcpSocket {
    /// A connection that is still to be opened.
    pub(super) fn to_connect(socket: Socket, owner: u32, remote: Endpoint) -> TcpSocket {
        TcpSocket::new(socket, owner, State::New(remote))
    }

    /// One that `listener` accepted.
    pub(super) fn accepted(socket: Socket, listener: &Socket, owner: u32) -> TcpSocket {
        // As when connecting: the route's congestion control comes before the listener's.
        if let Ok(own) = listener.tcp_congestion() {
            let _ = socket.set_tcp_congestion(until_zero(&own));
        }
        TcpSocket::new(socket, owner, State::Open)
    }

    fn new(socket: Socket, owner: u32, state: State) -> TcpSocket {
        TcpSocket {
            socket,
            owner,
            state,
            queue: SendQueue::default(),
            given: 0,
            acknowledged: 0,
            pending: VecDeque::new(),
            read_budget: READ_BUDGET,
            is_blocked: false,
            fin: Fin::No,
            is_at_end: false,
            over: None,
            interest: None,
            is_dirty: false,
            is_watched: false,
            sampled: 0,
        }
    }

    // ---- what the program asks for -----------------------------------------------------------------------------

    pub(super) fn write(&mut self, payload: Payload) {
        if self.fin == Fin::No && self.over.is_none() {
            self.queue.push(payload);
        }
    }

    /// The next piece of in-order data, at most `max` bytes.
    pub(super) fn read(
        &mut self,
        max: u64,
        scratch: &mut [MaybeUninit<u8>],
        tell: &mut dyn FnMut(Happening),
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
        Some(head)
    }

    pub(super) fn close(&mut self) {
        if self.fin == Fin::No {
            self.fin = Fin::Wanted;
        }
    }

    /// Resets the connection when it is dropped.
    pub(super) fn abort(&mut self) {
        if self.over.is_none() {
            // A linger time of nothing makes `close` a reset (socket(7)).
            let _ = self.socket.set_linger(Some(StdDuration::ZERO));
            self.finish(CloseReason::Finished);
        }
    }

    /// Bytes written that have not yet been sent once.
    pub(super) fn unsent(&self) -> u64 {
        self.queue.len() + self.without_fin(not_sent(&self.socket))
    }

    /// Bytes written that have not yet been acknowledged.
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

    // ---- what the kernel has to say ----------------------------------------------------------------------------

    /// The poller found it ready.
    pub(super) fn on_ready(
        &mut self,
        ready: Readiness,
        scratch: &mut [MaybeUninit<u8>],
        tell: &mut dyn FnMut(Happening),
    ) {
        self.read_budget = READ_BUDGET;
        if self.over.is_some() {
            return;
        }
        if ready.is_over()
            && let Ok(Some(error)) = self.socket.take_error()
        {
            // What came before the end stays readable.
            self.fill(scratch, &mut |_| {});
            if !self.pending.is_empty() {
                tell(Happening::Readable);
            }
            return self.finish(reason(&error));
        }
        if self.state == State::Connecting {
            if !ready.is_out() {
                return;
            }
            self.state = State::Open;
            tell(Happening::Connected);
        }
        if ready.is_out() {
            self.is_blocked = false;
        }
        if ready.is_in() && !self.is_at_end {
            if self.pending.is_empty() {
                self.fill(scratch, tell);
            }
            if !self.pending.is_empty() {
                tell(Happening::Readable);
            }
        }
    }

    /// Reads ahead, once.
    fn fill(&mut self, scratch: &mut [MaybeUninit<u8>], tell: &mut dyn FnMut(Happening)) {
        if self.is_at_end || self.state != State::Open {
            return;
        }
        match self.socket.recv(scratch) {
            Ok(0) => {
                self.is_at_end = true;
                tell(Happening::PeerClosed);
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

    /// Gives the kernel what it takes, and asks the poller for what is needed next. Gives why the connection is over, once it is.
    pub(super) fn settle(&mut self, poller: &Poller, token: u64) -> Option<CloseReason> {
        if let State::New(remote) = self.state
            && self.over.is_none()
        {
            self.state = State::Connecting;
            // Connecting takes the route's congestion control, where it names one, in place of the socket's own.
            let own = self.socket.tcp_congestion();
            let connected = self.socket.connect(&sock_addr(remote));
            if let Ok(own) = own {
                let _ = self.socket.set_tcp_congestion(until_zero(&own));
            }
            match connected {
                Ok(()) => {}
                Err(error) if is_temporary(&error) => {}
                Err(error) => self.finish(reason(&error)),
            }
        }
        if self.over.is_none() && self.state == State::Open {
            self.send();
        }
        // Both ends have closed, and the peer has the FIN.
        let is_shut = self.fin == Fin::Sent && self.is_at_end;
        if self.over.is_none() && is_shut && self.pending.is_empty() && out_queue(&self.socket) == 0 {
            self.finish(CloseReason::Finished);
        }
        self.ask(poller, token);
        self.over
    }

    fn send(&mut self) {
        while !self.queue.is_empty() && !self.is_blocked {
            let mut slices = [IoSlice::new(&[]); MOST_SLICES];
            let count = self.queue.slices(&mut slices);
            let offered: usize = slices[..count].iter().map(|slice| slice.len()).sum();
            match self.socket.send_vectored_with_flags(&slices[..count], libc::MSG_NOSIGNAL) {
                Ok(taken) => {
                    self.queue.advance(taken as u64);
                    self.given += taken as u64;
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

    /// Tells the poller what to wait for.
    fn ask(&mut self, poller: &Poller, token: u64) {
        let is_open = self.state == State::Open;
        let wanted = Readiness::NONE
            .with(Readiness::IN, is_open && !self.is_at_end && self.pending.is_empty())
            .with(Readiness::OUT, !is_open || self.is_blocked);
        // Once both directions are shut the poller would say so without end: the watch looks after the last FIN.
        let wanted =
            Some(wanted).filter(|_| self.over.is_none() && !(self.fin == Fin::Sent && self.is_at_end));
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

    /// Looks what has been acknowledged. Whether there is reason to look again.
    pub(super) fn watch(&mut self, tell: &mut dyn FnMut(Happening)) -> bool {
        if self.over.is_some() {
            return false;
        }
        let outstanding = self.without_fin(out_queue(&self.socket));
        let acknowledged = self.given.saturating_sub(outstanding);
        if acknowledged > self.acknowledged {
            self.acknowledged = acknowledged;
            tell(Happening::Acknowledged);
        }
        if self.interest.is_none()
            && self.state == State::Open
            && let Ok(Some(error)) = self.socket.take_error()
        {
            self.finish(reason(&error));
        }
        self.needs_watch()
    }

    /// Whether both ends have closed it, and the program has not heard of the last acknowledgement.
    pub(super) fn has_news_at_the_end(&self) -> bool {
        self.fin == Fin::Sent && self.is_at_end && self.acknowledged < self.given
    }

    /// Whether something is on its way that the poller will not tell of.
    pub(super) fn needs_watch(&self) -> bool {
        self.over.is_none() && (self.acknowledged < self.given || (self.fin == Fin::Sent && self.is_at_end))
    }

    /// What the kernel says of it.
    pub(super) fn info(&self) -> Option<TcpInfo> {
        tcp_info(&self.socket)
    }

    /// Records the smoothed RTT, if anything was acknowledged since it was last recorded.
    pub(super) fn sample_round_trip(&mut self, info: &TcpInfo, meter: &mut FlowMeter) {
        if info.data_segments_sent > 0
            && info.bytes_acked > self.sampled
            && info.smoothed_rtt > Duration::ZERO
        {
            self.sampled = info.bytes_acked;
            meter.round_trip(info.smoothed_rtt);
        }
    }

    /// A FIN that is not acknowledged stands in the kernel's counts as a byte.
    fn without_fin(&self, bytes: u64) -> u64 {
        bytes.saturating_sub(u64::from(self.fin == Fin::Sent))
    }

    fn finish(&mut self, why: CloseReason) {
        self.queue.clear();
        self.over.get_or_insert(why);
    }
}

/// Not now, but later.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
        || error.raw_os_error() == Some(libc::EINPROGRESS)
}

/// Why a connection failed.
fn reason(error: &io::Error) -> CloseReason {
    match error.raw_os_error() {
        Some(libc::ECONNREFUSED | libc::ECONNRESET | libc::EPIPE | libc::ENOTCONN) => CloseReason::Reset,
        // Timed out, or the network or the host cannot be reached.
        _ => CloseReason::TimedOut,
    }
}
