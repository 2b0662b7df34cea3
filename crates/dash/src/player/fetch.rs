//! Sequential HTTP/1.1 requests, on one connection or on a new one per request.

use jettison_core::{Duration, Time};
use jettison_tcp::{Endpoint, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{HeadReader, Request};
use crate::resource::Resource;
use jettison_sockets::{SocketId, Sockets, TcpOptions};

/// Delay before a failed request is repeated.
const RETRY: Duration = Duration::from_secs(1);

/// Version of HTTP, and lifetime of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// HTTP/1.1 with one connection for the whole session and each schedule of requests (RFC 9112 §9.3).
    #[default]
    Persistent,
    /// HTTP/1.1 with a new connection for each request, closed after the response (`Connection: close`).
    PerSegment,
    /// HTTP/2 with one connection for the whole session, which requests share (RFC 9113).
    Http2,
}

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Length of the body in bytes.
    pub bytes: u64,
    /// Time of the request.
    pub requested_at: Time,
    /// Arrival of the first byte.
    pub first_byte_at: Time,
    /// Arrival of the last byte.
    pub finished_at: Time,
}

/// Progress of the response in transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partial {
    /// Length of the body in bytes.
    pub bytes: u64,
    /// Bytes received so far.
    pub received: u64,
    /// Time of the request.
    pub requested_at: Time,
    /// Arrival of the first byte.
    pub first_byte_at: Time,
}

/// Result of reading from the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing new.
    Nothing,
    /// A part of the body has arrived.
    Partial(Partial),
    /// The body is complete.
    Whole(Transfer),
    /// The connection failed or the response is invalid: the request is repeated later.
    Failed,
}

/// HTTP client with at most one request in progress.
#[derive(Debug, Clone)]
pub struct Fetcher {
    // Parameters.
    server: Endpoint,
    host_name: String,
    options: TcpOptions,
    connections: Connections,
    timeout: Option<Duration>,
    /// Number of the session in a flow with many.
    session: u32,
    // State.
    socket: Option<SocketId>,
    reader: HeadReader,
    request: Option<Outstanding>,
    /// Path of the request to repeat, and when.
    retry: Option<(String, Time)>,
}

#[derive(Debug, Clone)]
struct Outstanding {
    path: String,
    requested_at: Time,
    first_byte_at: Option<Time>,
    /// Length of the body, bytes received, and whether the connection closes after it; set once the head is complete.
    body: Option<(u64, u64, bool)>,
}

impl Fetcher {
    /// Creates a fetcher for `server`, which gives up and repeats a request that takes longer than `timeout`.
    pub fn new(
        server: Endpoint,
        options: TcpOptions,
        connections: Connections,
        timeout: Option<Duration>,
    ) -> Fetcher {
        Fetcher {
            server,
            host_name: server.to_string(),
            options,
            connections,
            timeout,
            session: 0,
            socket: None,
            reader: HeadReader::default(),
            request: None,
            retry: None,
        }
    }

    /// Sets the number of the session, in a flow with many.
    pub fn set_session(&mut self, session: u32) {
        self.session = session;
    }

    /// Requests `path`. No other request may be in progress.
    pub fn ask(&mut self, path: String, now: Time, host: &mut dyn Sockets) {
        debug_assert!(self.is_idle(), "one request at a time");
        self.retry = None;
        let socket = match self.socket {
            Some(socket) => socket,
            None => {
                self.reader = HeadReader::default();
                let socket = host.tcp_connect(self.server, &self.options);
                host.count_goodput(socket);
                *self.socket.insert(socket)
            }
        };
        let request = Request { path, close: self.connections == Connections::PerSegment };
        let head = request.bytes(&self.host_name);
        if let Some(unit) = Resource::requested(&request.path, self.session) {
            host.carries(socket, unit, head.len());
        }
        host.write(socket, head);
        self.request =
            Some(Outstanding { path: request.path, requested_at: now, first_byte_at: None, body: None });
    }

    /// Returns whether no request is in progress or waits for its repetition.
    pub fn is_idle(&self) -> bool {
        self.request.is_none() && self.retry.is_none()
    }

    /// Returns whether `socket` is the fetcher's connection.
    pub fn owns(&self, socket: SocketId) -> bool {
        self.socket == Some(socket)
    }

    /// Returns the time at which a failed request is repeated, or the one in progress is given up.
    pub fn retry_at(&self) -> Option<Time> {
        let given_up =
            self.request.as_ref().zip(self.timeout).map(|(own, timeout)| own.requested_at + timeout);
        self.retry.as_ref().map(|(_, at)| *at).or(given_up)
    }

    /// Repeats a failed request if it is due. A request that takes too long fails.
    pub fn retry(&mut self, now: Time, host: &mut dyn Sockets) {
        if self.request.is_some() && self.retry_at().is_some_and(|at| at <= now) {
            self.fail(now, host);
        }
        if let Some((path, _)) = self.retry.take_if(|(_, at)| *at <= now) {
            self.ask(path, now, host);
        }
    }

    /// Reads arrived data.
    pub fn read(&mut self, now: Time, host: &mut dyn Sockets) -> Step {
        let Some(socket) = self.socket else { return Step::Nothing };
        let mut came = false;
        while let Some(payload) = host.read(socket, u64::MAX) {
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

    /// Processes a piece of the stream. Returns false if it is not a valid response to the request.
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

    /// Handles a closed connection, or the end of the server's stream.
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
            // The server closed an idle connection: the next request opens another.
            None => {
                host.close(socket);
                Step::Nothing
            }
        }
    }

    /// Abandons the request in progress. HTTP/1.1 can do so only by ending the connection.
    pub fn abandon(&mut self, host: &mut dyn Sockets) {
        if let Some(socket) = self.socket.take() {
            host.abort(socket);
        }
        self.request = None;
        self.retry = None;
    }

    /// Closes the connection, or aborts it if a request is in progress.
    pub fn end(&mut self, host: &mut dyn Sockets) {
        if !self.is_idle() {
            self.abandon(host);
        } else if let Some(socket) = self.socket.take() {
            host.close(socket);
        }
    }
}
