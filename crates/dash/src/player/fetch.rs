//! One request after the other, on one connection or on a new one each.

use jettison_core::{Duration, Time};
use jettison_tcp::{Endpoint, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{HeadReader, Request};
use jettison_sockets::{SocketId, Sockets, TcpOptions};

/// After a failure a request is made again so much later.
const RETRY: Duration = Duration::from_secs(1);

/// How long a connection is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// One for the whole session (RFC 9112 §9.3).
    #[default]
    Persistent,
    /// A new one for each request, closed after the response (`Connection: close`).
    PerSegment,
}

/// A response that came whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Bytes of the body.
    pub bytes: u64,
    /// When it was asked for.
    pub requested_at: Time,
    /// When its first byte came.
    pub first_byte_at: Time,
    /// When its last byte came.
    pub finished_at: Time,
}

/// What has come of the response that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partial {
    /// Bytes of the body.
    pub bytes: u64,
    /// How many of them have come.
    pub received: u64,
    /// When it was asked for.
    pub requested_at: Time,
    /// When its first byte came.
    pub first_byte_at: Time,
}

/// What reading gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing new.
    Nothing,
    /// A part of the body.
    Partial(Partial),
    /// The rest of it.
    Whole(Transfer),
    /// The connection is gone, or the answer is none: the request is made again at [`Fetcher::retry_at`].
    Failed,
}

/// Makes requests, one at a time.
#[derive(Debug)]
pub struct Fetcher {
    // Parameters.
    server: Endpoint,
    host_name: String,
    options: TcpOptions,
    connections: Connections,
    // State.
    socket: Option<SocketId>,
    reader: HeadReader,
    request: Option<Outstanding>,
    /// A path to ask for again, and when.
    retry: Option<(String, Time)>,
}

#[derive(Debug)]
struct Outstanding {
    path: String,
    requested_at: Time,
    first_byte_at: Option<Time>,
    /// Length of the body, how much of it has come, and whether the connection closes behind it; once the head has come.
    body: Option<(u64, u64, bool)>,
}

impl Fetcher {
    /// Towards that server.
    pub fn new(server: Endpoint, options: TcpOptions, connections: Connections) -> Fetcher {
        Fetcher {
            server,
            host_name: server.to_string(),
            options,
            connections,
            socket: None,
            reader: HeadReader::default(),
            request: None,
            retry: None,
        }
    }

    /// Asks for that path. Nothing else is under way.
    pub fn ask(&mut self, path: String, now: Time, host: &mut dyn Sockets) {
        debug_assert!(self.is_idle(), "one request at a time");
        self.retry = None;
        let socket = match self.socket {
            Some(socket) => socket,
            None => {
                self.reader = HeadReader::default();
                *self.socket.insert(host.tcp_connect(self.server, &self.options))
            }
        };
        let request = Request { path, close: self.connections == Connections::PerSegment };
        host.write(socket, request.bytes(&self.host_name));
        self.request =
            Some(Outstanding { path: request.path, requested_at: now, first_byte_at: None, body: None });
    }

    /// Whether nothing is under way, nor waits to be asked for again.
    pub fn is_idle(&self) -> bool {
        self.request.is_none() && self.retry.is_none()
    }

    /// Whether that socket is its connection.
    pub fn owns(&self, socket: SocketId) -> bool {
        self.socket == Some(socket)
    }

    /// When a request that failed is made again.
    pub fn retry_at(&self) -> Option<Time> {
        self.retry.as_ref().map(|(_, at)| *at)
    }

    /// Makes a request again whose time has come.
    pub fn retry(&mut self, now: Time, host: &mut dyn Sockets) {
        if let Some((path, _)) = self.retry.take_if(|(_, at)| *at <= now) {
            self.ask(path, now, host);
        }
    }

    /// Takes what has arrived.
    pub fn read(&mut self, now: Time, host: &mut dyn Sockets) -> Step {
        let Some(socket) = self.socket else { return Step::Nothing };
        let mut came = false;
        while let Some(payload) = host.read(socket, u64::MAX) {
            host.meter().delivered(payload.len());
            came = true;
            if !self.take(payload, now) {
                return self.fail(now, host);
            }
        }
        let Some(request) = &self.request else { return Step::Nothing };
        let (Some(first_byte_at), Some((bytes, received, close))) = (request.first_byte_at, request.body)
        else {
            return Step::Nothing;
        };
        let requested_at = request.requested_at;
        if received < bytes {
            let partial = Partial { bytes, received, requested_at, first_byte_at };
            return if came { Step::Partial(partial) } else { Step::Nothing };
        }
        self.request = None;
        if close || self.connections == Connections::PerSegment {
            host.close(socket);
            self.socket = None;
        }
        Step::Whole(Transfer { bytes, requested_at, first_byte_at, finished_at: now })
    }

    /// Takes a piece of the stream. False if it is no answer to the request.
    fn take(&mut self, payload: Payload, now: Time) -> bool {
        let Some(request) = &mut self.request else { return false };
        request.first_byte_at.get_or_insert(now);
        let rest = match &mut request.body {
            Some((_, received, _)) => {
                *received += payload.len();
                return true;
            }
            None => match self.reader.take(payload) {
                Ok(None) => return true,
                Ok(Some(rest)) => rest,
                Err(_) => return false,
            },
        };
        match self.reader.response() {
            Ok(response) if response.status == 200 => {
                request.body = Some((response.length, rest.len(), response.close));
                true
            }
            _ => false,
        }
    }

    /// The connection is gone, or the server sends nothing more on it.
    pub fn on_closed(&mut self, now: Time, host: &mut dyn Sockets) -> Step {
        self.fail(now, host)
    }

    fn fail(&mut self, now: Time, host: &mut dyn Sockets) -> Step {
        let Some(socket) = self.socket.take() else { return Step::Nothing };
        match self.request.take() {
            Some(request) => {
                host.abort(socket);
                host.meter().failed();
                self.retry = Some((request.path, now + RETRY));
                Step::Failed
            }
            // An idle connection that the server ends: the next request opens another.
            None => {
                host.close(socket);
                Step::Nothing
            }
        }
    }

    /// Gives up what is under way. HTTP/1.1 has no other way than to end the connection.
    pub fn abandon(&mut self, host: &mut dyn Sockets) {
        if let Some(socket) = self.socket.take() {
            host.abort(socket);
        }
        self.request = None;
        self.retry = None;
    }

    /// Closes the connection, or aborts it if something is under way.
    pub fn end(&mut self, host: &mut dyn Sockets) {
        if !self.is_idle() {
            self.abandon(host);
        } else if let Some(socket) = self.socket.take() {
            host.close(socket);
        }
    }
}
