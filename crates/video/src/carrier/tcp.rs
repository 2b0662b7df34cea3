//! Messages over a TCP connection, each preceded by its length and its head.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_tcp::PathEstimate;
use jettison_tcp::{Endpoint, Payload};

use super::{Carrier, Receiver};
use crate::{Fate, MessageHead, Outgoing};
use jettison_sockets::{SocketEvent, SocketId, Sockets, TcpOptions};

/// Bytes of a message's length field (u32, network byte order), which counts the bytes after it.
const PREFIX: usize = 4;

/// The sending end: connects, and writes.
#[derive(Clone)]
pub(super) struct TcpSender {
    options: TcpOptions,
    remote: Endpoint,
    socket: Option<SocketId>,
    /// Bytes written so far.
    written: u64,
    /// Unacknowledged messages with the stream offset of their ends.
    open: VecDeque<(u64, MessageHead)>,
    fates: VecDeque<(MessageHead, Fate)>,
}

impl TcpSender {
    pub(super) fn new(options: &TcpOptions, remote: Endpoint) -> TcpSender {
        let (open, fates) = (VecDeque::new(), VecDeque::new());
        TcpSender { options: options.clone(), remote, socket: None, written: 0, open, fates }
    }
}

impl Carrier for TcpSender {
    fn open(&mut self, _: Time, host: &mut dyn Sockets) {
        let socket = host.tcp_connect(self.remote, &self.options);
        host.observe(socket);
        self.socket = Some(socket);
    }

    fn send(&mut self, message: &Outgoing, _: Time, host: &mut dyn Sockets) -> bool {
        let Some(socket) = self.socket else { return false };
        let rest = u64::from(message.length).saturating_sub(MessageHead::LENGTH as u64);
        let length = rest as u32 + MessageHead::LENGTH as u32;
        let mut front = [0; PREFIX + MessageHead::LENGTH];
        front[..PREFIX].copy_from_slice(&length.to_be_bytes());
        front[PREFIX..].copy_from_slice(message.head.emit().as_slice());
        host.carries(socket, message.head.unit(), front.len() as u64 + rest);
        host.write(socket, Payload::from(&front[..]));
        if rest > 0 {
            host.write(socket, Payload::Zeros(rest));
        }
        self.written += front.len() as u64 + rest;
        self.open.push_back((self.written, message.head));
        true
    }

    fn estimate(&self, _: Time, host: &dyn Sockets) -> PathEstimate {
        self.socket.map_or_else(PathEstimate::default, |socket| host.path_estimate(socket))
    }

    fn handle_event(&mut self, event: &SocketEvent, _: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Acknowledged(socket) => {
                let acknowledged = self.written - host.unacknowledged(*socket).min(self.written);
                while let Some((_, head)) = self.open.pop_front_if(|(end, _)| *end <= acknowledged) {
                    self.fates.push_back((head, Fate::Acknowledged));
                }
            }
            SocketEvent::Closed(..) => self.socket = None,
            _ => {}
        }
    }

    fn poll_fate(&mut self) -> Option<(MessageHead, Fate)> {
        self.fates.pop_front()
    }

    fn close(&mut self, _: Time, host: &mut dyn Sockets) {
        if let Some(socket) = self.socket {
            host.close(socket);
        }
    }
}

/// The receiving end: accepts, and reads.
#[derive(Clone)]
pub(super) struct TcpReceiver {
    options: TcpOptions,
    port: u16,
    /// Length field and head of the current message, as far as received.
    front: Vec<u8>,
    /// Bytes of the current message still to arrive, once its head is complete.
    rest: u64,
    messages: VecDeque<(MessageHead, u32)>,
}

impl TcpReceiver {
    pub(super) fn new(options: &TcpOptions, port: u16) -> TcpReceiver {
        TcpReceiver { options: options.clone(), port, front: Vec::new(), rest: 0, messages: VecDeque::new() }
    }

    fn parse(&mut self, mut payload: Payload) {
        const FRONT: usize = PREFIX + MessageHead::LENGTH;
        while !payload.is_empty() {
            if self.front.len() < FRONT {
                let (taken, left) = payload.split((FRONT - self.front.len()) as u64);
                match taken {
                    Payload::Bytes(bytes) => self.front.extend_from_slice(&bytes),
                    Payload::Zeros(count) => self.front.resize(self.front.len() + count as usize, 0),
                }
                payload = left;
                if self.front.len() < FRONT {
                    return;
                }
                self.rest = u64::from(self.length()).saturating_sub(MessageHead::LENGTH as u64);
            }
            // The body has no content of interest: only its length is counted.
            let (taken, left) = payload.split(self.rest);
            self.rest -= taken.len();
            payload = left;
            if self.rest == 0 {
                if let Some(head) = MessageHead::parse(&self.front[PREFIX..]) {
                    self.messages.push_back((head, self.length()));
                }
                self.front.clear();
            }
        }
    }

    fn length(&self) -> u32 {
        self.front.first_chunk::<PREFIX>().map_or(0, |prefix| u32::from_be_bytes(*prefix))
    }
}

impl Receiver for TcpReceiver {
    fn open(&mut self, _: Time, host: &mut dyn Sockets) {
        host.tcp_listen(self.port, &self.options);
    }

    fn handle_event(&mut self, event: &SocketEvent, _: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Accepted { socket, .. } => host.count_goodput(*socket),
            SocketEvent::Readable(socket) => {
                while let Some(payload) = host.read(*socket, u64::MAX) {
                    self.parse(payload);
                }
            }
            SocketEvent::PeerClosed(socket) => host.close(*socket),
            _ => {}
        }
    }

    fn counts_goodput(&self) -> bool {
        true
    }

    fn poll_message(&mut self) -> Option<(MessageHead, u32)> {
        self.messages.pop_front()
    }
}
