//! DASH server: answers requests for manifests and segments on any number of connections, of HTTP/1.1 in order, of HTTP/2
//! side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Time;
use jettison_measure::Unit;
use jettison_tcp::Payload;

use super::content::Title;
use super::http::{HeadReader, Request, Response};
use super::http2::Http2Server;
use super::http2::server::Answer;
use super::resource::Resource;
use jettison_sockets::{Application, SocketEvent, SocketId, Sockets, TcpOptions};

/// A DASH server.
#[derive(Debug, Clone)]
pub struct DashServer {
    port: u16,
    options: TcpOptions,
    titles: Vec<Arc<Title>>,
    connections: BTreeMap<SocketId, Connection>,
    /// Whether the flow's series follow the newest connection, or the one of the latest video request.
    is_observed: bool,
}

/// Server's end of a connection.
#[derive(Debug, Clone)]
enum Connection {
    /// Bytes so far, which may be the beginning of HTTP/2's preface.
    Opening(Vec<u8>),
    /// HTTP/1.1, with a partially received request head.
    Http1(HeadReader),
    /// HTTP/2.
    Http2(Http2Server),
}

impl DashServer {
    /// Creates a server of `titles` on `port`. With `is_observed` the flow's series follow the newest connection, or the one
    /// of the latest video request.
    pub fn new(port: u16, options: TcpOptions, titles: Vec<Arc<Title>>, is_observed: bool) -> DashServer {
        DashServer { port, options, titles, connections: BTreeMap::new(), is_observed }
    }

    fn find(&self, path: &str) -> Answer {
        let length = Resource::of_path(path).and_then(|resource| resource.length(&self.titles));
        match length {
            Some(length) => Answer { status: 200, length, media_type: Resource::media_type(path) },
            None => Answer { status: 404, length: 0, media_type: "text/plain" },
        }
    }

    /// What the response to a request for `path` carries.
    fn unit(path: &str, socket: SocketId, host: &mut dyn Sockets) -> Option<Unit> {
        let session = host.asked(socket).map_or(0, |request| request.session());
        Resource::of_path(path).map(|resource| resource.part.unit(session))
    }

    fn answer(&self, socket: SocketId, request: &Request, host: &mut dyn Sockets) {
        let Answer { status, length, media_type } = self.find(&request.path);
        // A player's second connection may have come later and carry sound.
        if self.is_observed && media_type == "video/mp4" {
            host.observe(socket);
        }
        let head = Response { status, length, close: request.close }.bytes(media_type);
        if let Some(unit) = DashServer::unit(&request.path, socket, host) {
            host.carries(socket, unit, head.len() + length);
        }
        host.write(socket, head);
        if length > 0 {
            host.write(socket, Payload::Zeros(length));
        }
        if request.close {
            host.close(socket);
        }
    }

    fn read(&mut self, socket: SocketId, host: &mut dyn Sockets) {
        let Some(mut connection) = self.connections.remove(&socket) else { return };
        while let Some(payload) = host.read(socket, u64::MAX) {
            match self.take(connection, payload, socket, host) {
                Some(next) => connection = next,
                None => {
                    host.abort(socket);
                    return;
                }
            }
        }
        self.connections.insert(socket, connection);
    }

    /// Processes a piece of a client's stream; `None` if it is not HTTP as supported.
    fn take(
        &self,
        connection: Connection,
        payload: Payload,
        socket: SocketId,
        host: &mut dyn Sockets,
    ) -> Option<Connection> {
        match connection {
            Connection::Opening(mut bytes) => {
                let Payload::Bytes(more) = payload else { return None };
                bytes.extend_from_slice(&more);
                match Http2Server::preface(&bytes) {
                    Some(false) => Some(Connection::Opening(bytes)),
                    Some(true) => {
                        let rest = bytes.split_off(super::http2::PREFACE.len());
                        let own = Connection::Http2(Http2Server::new(socket, host));
                        self.take(own, Payload::Bytes(rest.into()), socket, host)
                    }
                    None => {
                        let own = Connection::Http1(HeadReader::default());
                        self.take(own, Payload::Bytes(bytes.into()), socket, host)
                    }
                }
            }
            Connection::Http1(mut reader) => {
                let mut rest = payload;
                // Requests may be pipelined.
                while let Some(more) = reader.take(rest).ok()? {
                    self.answer(socket, &reader.request().ok()?, host);
                    if more.is_empty() {
                        break;
                    }
                    rest = more;
                }
                Some(Connection::Http1(reader))
            }
            Connection::Http2(mut own) => {
                let answer = |path: &str, host: &mut dyn Sockets| {
                    (self.find(path), DashServer::unit(path, socket, host))
                };
                own.take(payload, answer, socket, host).ok()?;
                Some(Connection::Http2(own))
            }
        }
    }
}

impl Application for DashServer {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.tcp_listen(self.port, &self.options);
    }

    fn handle_event(&mut self, event: SocketEvent, _: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Accepted { socket, .. } => {
                self.connections.insert(socket, Connection::Opening(Vec::new()));
                if self.is_observed {
                    host.observe(socket);
                }
            }
            SocketEvent::Readable(socket) => self.read(socket, host),
            SocketEvent::Acknowledged(socket) => {
                if let Some(Connection::Http2(own)) = self.connections.get_mut(&socket) {
                    own.send(socket, host);
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
