//! Connections of a player: one for all requests, or one for each schedule.

use jettison_core::{Duration, Time};
use jettison_sockets::{SocketEvent, SocketId, Sockets, TcpOptions};
use jettison_tcp::Endpoint;

use super::fetch::{Connections, Fetcher, Step};
use crate::http2::Http2Client;

/// Connections of a player. Each lane has at most one request in progress.
#[derive(Debug, Clone)]
pub(super) enum Transport {
    /// HTTP/1.1: each lane has a connection.
    Separate(Vec<Fetcher>),
    /// HTTP/2: all lanes share one.
    Shared(Http2Client),
}

impl Transport {
    pub(super) fn new(
        server: Endpoint,
        options: &TcpOptions,
        connections: Connections,
        timeout: Option<Duration>,
        lanes: usize,
    ) -> Transport {
        let fetcher = || Fetcher::new(server, options.clone(), connections, timeout);
        match connections {
            Connections::Http2 => Transport::Shared(Http2Client::new(server, options.clone(), lanes)),
            _ => Transport::Separate((0..lanes).map(|_| fetcher()).collect()),
        }
    }

    pub(super) fn set_session(&mut self, session: u32) {
        match self {
            Transport::Separate(fetchers) => {
                fetchers.iter_mut().for_each(|fetcher| fetcher.set_session(session));
            }
            Transport::Shared(client) => client.set_session(session),
        }
    }

    pub(super) fn ask(&mut self, lane: usize, path: String, now: Time, host: &mut dyn Sockets) {
        match self {
            Transport::Separate(fetchers) => fetchers[lane].ask(path, now, host),
            Transport::Shared(client) => client.ask(lane, path, now, host),
        }
    }

    pub(super) fn is_idle(&self, lane: usize) -> bool {
        match self {
            Transport::Separate(fetchers) => fetchers[lane].is_idle(),
            Transport::Shared(client) => client.is_idle(lane),
        }
    }

    pub(super) fn owns(&self, socket: SocketId) -> bool {
        match self {
            Transport::Separate(fetchers) => fetchers.iter().any(|fetcher| fetcher.owns(socket)),
            Transport::Shared(client) => client.owns(socket),
        }
    }

    /// Handles an event of a connection. Returns what it means for each lane concerned.
    pub(super) fn handle(
        &mut self,
        event: SocketEvent,
        now: Time,
        host: &mut dyn Sockets,
    ) -> Vec<(usize, Step)> {
        let (socket, is_readable) = match event {
            SocketEvent::Readable(socket) => (socket, true),
            SocketEvent::PeerClosed(socket) | SocketEvent::Closed(socket, _) => (socket, false),
            _ => return Vec::new(),
        };
        match self {
            Transport::Separate(fetchers) => {
                let Some(lane) = fetchers.iter().position(|fetcher| fetcher.owns(socket)) else {
                    return Vec::new();
                };
                let own = &mut fetchers[lane];
                let step = if is_readable { own.read(now, host) } else { own.on_closed(now, host) };
                vec![(lane, step)]
            }
            Transport::Shared(client) if !client.owns(socket) => Vec::new(),
            Transport::Shared(client) if is_readable => client.read(now, host),
            Transport::Shared(client) => client.on_closed(now, host),
        }
    }

    pub(super) fn retry_at(&self) -> Option<Time> {
        match self {
            Transport::Separate(fetchers) => fetchers.iter().filter_map(Fetcher::retry_at).min(),
            Transport::Shared(client) => client.retry_at(),
        }
    }

    pub(super) fn retry(&mut self, now: Time, host: &mut dyn Sockets) {
        match self {
            Transport::Separate(fetchers) => {
                fetchers.iter_mut().for_each(|fetcher| fetcher.retry(now, host));
            }
            Transport::Shared(client) => client.retry(now, host),
        }
    }

    pub(super) fn abandon(&mut self, lane: usize, host: &mut dyn Sockets) {
        match self {
            Transport::Separate(fetchers) => fetchers[lane].abandon(host),
            Transport::Shared(client) => client.abandon(lane, host),
        }
    }

    pub(super) fn end(&mut self, host: &mut dyn Sockets) {
        match self {
            Transport::Separate(fetchers) => fetchers.iter_mut().for_each(|fetcher| fetcher.end(host)),
            Transport::Shared(client) => client.end(host),
        }
    }
}
