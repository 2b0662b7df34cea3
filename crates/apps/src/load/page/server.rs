//! The server of pages: answers each request with as many bytes as it asks for.

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_measure::{Unit, UnitKind};
use jettison_sockets::{Application, SocketEvent, SocketId, Sockets, TcpOptions};
use jettison_tcp::Payload;

/// Bytes at the start of a request: the size of its answer, in network byte order.
pub(super) const HEAD: u64 = 8;
/// Largest answer: a program that is no browser of ours gets no more.
const LARGEST_ANSWER: u64 = 1 << 40;

/// Answers requests on any number of connections, on each in order.
#[derive(Debug, Clone)]
pub struct PageServer {
    port: u16,
    options: TcpOptions,
    request: u64,
    connections: BTreeMap<SocketId, RequestReader>,
}

impl PageServer {
    /// Creates a server on `port` for requests of `request` bytes.
    pub fn new(port: u16, options: TcpOptions, request: u64) -> PageServer {
        PageServer { port, options, request, connections: BTreeMap::new() }
    }
}

impl Application for PageServer {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.tcp_listen(self.port, &self.options);
    }

    fn handle_event(&mut self, event: SocketEvent, _: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Accepted { socket, .. } => {
                self.connections.insert(socket, RequestReader::default());
                host.observe(socket);
            }
            SocketEvent::Readable(socket) => {
                let Some(reader) = self.connections.get_mut(&socket) else { return };
                while let Some(payload) = host.read(socket, u64::MAX) {
                    reader.take(payload, self.request, |answer| {
                        if let Some(asked) = host.asked(socket) {
                            host.carries(socket, response(asked), answer);
                        }
                        host.write(socket, Payload::Zeros(answer));
                    });
                }
            }
            SocketEvent::PeerClosed(socket) => host.close(socket),
            SocketEvent::Closed(socket, _) => {
                self.connections.remove(&socket);
            }
            _ => {}
        }
    }
}

/// Part of the units of security handshakes, beside the connection: their requests are no object's.
const HANDSHAKE: u32 = 1 << 31;

/// The unit of the request for an object of a page.
pub(super) fn object(page: u64, object: u32) -> Unit {
    Unit::new(UnitKind::Request, page, object)
}

/// The unit of the message that asks for the rest of a connection's security handshake.
pub(super) fn handshake(page: u64, connection: u32) -> Unit {
    Unit::new(UnitKind::Request, page, HANDSHAKE | connection)
}

/// The unit that a request asks for.
pub(super) fn response(request: Unit) -> Unit {
    let kind = if request.part & HANDSHAKE == 0 { UnitKind::Object } else { UnitKind::Handshake };
    Unit { kind, ..request }
}

/// Finds the requests in a stream that may be split anywhere.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestReader {
    head: [u8; HEAD as usize],
    /// Bytes of the current request so far.
    taken: u64,
}

impl RequestReader {
    /// Takes a piece of the stream; calls `answer` with the size that each request which it completes asks for.
    pub(super) fn take(&mut self, mut payload: Payload, request: u64, mut answer: impl FnMut(u64)) {
        while !payload.is_empty() {
            let wanted = if self.taken < HEAD { HEAD } else { request } - self.taken;
            let (piece, rest) = payload.split(wanted);
            if self.taken < HEAD {
                let at = self.taken as usize;
                let place = &mut self.head[at..at + piece.len() as usize];
                match &piece {
                    Payload::Bytes(bytes) => place.copy_from_slice(bytes),
                    Payload::Zeros(_) => place.fill(0),
                }
            }
            self.taken += piece.len();
            if self.taken == request {
                answer(u64::from_be_bytes(self.head).min(LARGEST_ANSWER));
                self.taken = 0;
            }
            payload = rest;
        }
    }
}
