//! DASH server: answers requests for manifests and segments in order, on any number of connections.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Time;
use jettison_tcp::Payload;

use super::content::Title;
use super::http::{HeadReader, Request, Response};
use super::resource::Resource;
use jettison_sockets::{Application, SocketEvent, SocketId, Sockets, TcpOptions};

/// A DASH server.
#[derive(Debug)]
pub struct DashServer {
    port: u16,
    options: TcpOptions,
    titles: Vec<Arc<Title>>,
    /// Partially received request heads, by connection.
    readers: BTreeMap<SocketId, HeadReader>,
    /// Whether the flow's series follow the newest connection.
    is_observed: bool,
}

impl DashServer {
    /// Creates a server of `titles` on `port`. With `is_observed` the flow's series follow the newest connection.
    pub fn new(port: u16, options: TcpOptions, titles: Vec<Arc<Title>>, is_observed: bool) -> DashServer {
        DashServer { port, options, titles, readers: BTreeMap::new(), is_observed }
    }

    fn answer(&self, socket: SocketId, request: &Request, host: &mut dyn Sockets) {
        let length = Resource::of_path(&request.path).and_then(|resource| resource.length(&self.titles));
        let (status, media_type) = match length {
            Some(_) => (200, Resource::media_type(&request.path)),
            None => (404, "text/plain"),
        };
        let length = length.unwrap_or(0);
        host.write(socket, Response { status, length, close: request.close }.bytes(media_type));
        if length > 0 {
            host.write(socket, Payload::Zeros(length));
        }
        if request.close {
            host.close(socket);
        }
    }

    fn read(&mut self, socket: SocketId, host: &mut dyn Sockets) {
        let Some(mut reader) = self.readers.remove(&socket) else { return };
        while let Some(mut payload) = host.read(socket, u64::MAX) {
            // Requests may be pipelined.
            loop {
                match reader.take(payload) {
                    Ok(None) => break,
                    Ok(Some(rest)) => {
                        let Ok(request) = reader.request() else {
                            host.abort(socket);
                            return;
                        };
                        self.answer(socket, &request, host);
                        if rest.is_empty() {
                            break;
                        }
                        payload = rest;
                    }
                    Err(_) => {
                        host.abort(socket);
                        return;
                    }
                }
            }
        }
        self.readers.insert(socket, reader);
    }
}

impl Application for DashServer {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.tcp_listen(self.port, &self.options);
    }

    fn handle_event(&mut self, event: SocketEvent, _: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Accepted { socket, .. } => {
                self.readers.insert(socket, HeadReader::default());
                if self.is_observed {
                    host.observe(socket);
                }
            }
            SocketEvent::Readable(socket) => self.read(socket, host),
            SocketEvent::PeerClosed(socket) => host.close(socket),
            SocketEvent::Closed(socket, _) => {
                self.readers.remove(&socket);
            }
            _ => {}
        }
    }
}
