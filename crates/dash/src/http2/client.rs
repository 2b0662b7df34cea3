//! Client's end: all requests share one connection, a stream each.

use jettison_core::{Duration, Time};
use jettison_sockets::{SocketId, Sockets, TcpOptions};
use jettison_tcp::{Endpoint, Payload};

use super::fields::{self, Fields};
use super::frames::{self, FrameReader, Head, Piece};
use super::{INITIAL_WINDOW, PREFACE};
use crate::http::HttpError;
use crate::player::{Partial, Step, Transfer};
use crate::resource::Resource;

/// Delay before a failed request is repeated.
const RETRY: Duration = Duration::from_secs(1);
/// Flow-control windows: large enough for a segment, so that TCP decides.
const STREAM_WINDOW: u32 = 6 << 20;
const CONNECTION_WINDOW: u32 = 15 << 20;
/// Error code of a stream that is no longer needed.
const CANCEL: u32 = 0x8;

/// HTTP/2 client. Each lane has at most one request in progress.
#[derive(Debug, Clone)]
pub struct Http2Client {
    // Parameters.
    server: Endpoint,
    host_name: String,
    options: TcpOptions,
    /// Number of the session in a flow with many.
    session: u32,
    // State.
    socket: Option<SocketId>,
    reader: FrameReader,
    next_stream: u32,
    lanes: Vec<Lane>,
    /// Content read since the connection's window was updated.
    read: u32,
}

#[derive(Debug, Clone, Default)]
struct Lane {
    request: Option<Request>,
    retry: Option<(String, Time)>,
}

#[derive(Debug, Clone)]
struct Request {
    stream: u32,
    path: String,
    requested_at: Time,
    first_byte_at: Option<Time>,
    length: Option<u64>,
    received: u64,
    /// Content read since the stream's window was updated.
    read: u32,
}

impl Http2Client {
    /// Creates a client with a number of lanes.
    pub fn new(server: Endpoint, options: TcpOptions, lanes: usize) -> Http2Client {
        Http2Client {
            server,
            host_name: server.to_string(),
            options,
            socket: None,
            reader: FrameReader::default(),
            next_stream: 1,
            session: 0,
            lanes: (0..lanes).map(|_| Lane::default()).collect(),
            read: 0,
        }
    }

    /// Sets the number of the session, in a flow with many.
    pub fn set_session(&mut self, session: u32) {
        self.session = session;
    }

    /// Requests `path`. The lane must be idle.
    pub fn ask(&mut self, lane: usize, path: String, now: Time, host: &mut dyn Sockets) {
        let socket = match self.socket {
            Some(socket) => socket,
            None => self.connect(host),
        };
        let stream = self.next_stream;
        self.next_stream += 2;
        let block = fields::request(&path, &self.host_name);
        let flags = frames::END_HEADERS | frames::END_STREAM;
        let frame = frames::frame(frames::HEADERS, flags, stream, &block);
        if let Some(unit) = Resource::requested(&path, self.session) {
            host.carries(socket, unit, frame.len() as u64);
        }
        send(socket, frame, host);
        let request = Request {
            stream,
            path,
            requested_at: now,
            first_byte_at: None,
            length: None,
            received: 0,
            read: 0,
        };
        self.lanes[lane] = Lane { request: Some(request), retry: None };
    }

    fn connect(&mut self, host: &mut dyn Sockets) -> SocketId {
        let socket = host.tcp_connect(self.server, &self.options);
        host.count_goodput(socket);
        (self.reader, self.next_stream, self.read) = (FrameReader::default(), 1, 0);
        let mut setting = frames::INITIAL_WINDOW_SIZE.to_be_bytes().to_vec();
        setting.extend(STREAM_WINDOW.to_be_bytes());
        let mut preface = PREFACE.to_vec();
        preface.extend(frames::frame(frames::SETTINGS, 0, 0, &setting));
        preface.extend(frames::window_update(0, CONNECTION_WINDOW - INITIAL_WINDOW));
        send(socket, preface, host);
        *self.socket.insert(socket)
    }

    /// Returns whether a lane has no request in progress or waiting for its repetition.
    pub fn is_idle(&self, lane: usize) -> bool {
        self.lanes[lane].request.is_none() && self.lanes[lane].retry.is_none()
    }

    /// Returns whether `socket` is the client's connection.
    pub fn owns(&self, socket: SocketId) -> bool {
        self.socket == Some(socket)
    }

    /// Reads arrived data. Returns what it means for each lane concerned.
    pub fn read(&mut self, now: Time, host: &mut dyn Sockets) -> Vec<(usize, Step)> {
        let Some(socket) = self.socket else { return Vec::new() };
        let mut steps: Vec<(usize, Step)> = Vec::new();
        while let Some(payload) = host.read(socket, u64::MAX) {
            let Ok(pieces) = self.reader.take(payload) else { return self.on_closed(now, host) };
            for piece in pieces {
                match self.take(piece, now, socket, host) {
                    Ok(Some((lane, step))) => {
                        // Of several reports of progress the last one counts.
                        steps.retain(|(own, old)| *own != lane || !matches!(old, Step::Partial(_)));
                        steps.push((lane, step));
                    }
                    Ok(None) => {}
                    Err(_) => return self.on_closed(now, host),
                }
            }
        }
        steps
    }

    fn take(
        &mut self,
        piece: Piece,
        now: Time,
        socket: SocketId,
        host: &mut dyn Sockets,
    ) -> Result<Option<(usize, Step)>, HttpError> {
        match piece {
            Piece::Frame(Head { kind: frames::HEADERS, stream, .. }, block) => {
                let fields = Fields::of(&block)?;
                if fields.status != Some(200) {
                    return Err(HttpError::Syntax("status other than 200".to_owned()));
                }
                if let Some((_, request)) = self.request(stream) {
                    request.first_byte_at = Some(now);
                    request.length = Some(fields.length.ok_or(HttpError::Length)?);
                }
                Ok(None)
            }
            Piece::Frame(head, _) => {
                if head.kind == frames::SETTINGS && !head.has(frames::ACK) {
                    send(socket, frames::frame(frames::SETTINGS, frames::ACK, 0, &[]), host);
                }
                Ok(None)
            }
            Piece::Data { stream, bytes, is_last } => {
                self.read += bytes as u32;
                if self.read >= CONNECTION_WINDOW / 2 {
                    send(socket, frames::window_update(0, std::mem::take(&mut self.read)), host);
                }
                // Content of an abandoned stream counts for the connection only.
                let Some((lane, request)) = self.request(stream) else { return Ok(None) };
                request.received += bytes;
                request.read += bytes as u32;
                if request.read >= STREAM_WINDOW / 2 && !is_last {
                    send(socket, frames::window_update(stream, std::mem::take(&mut request.read)), host);
                }
                let (Some(first_byte_at), Some(length)) = (request.first_byte_at, request.length) else {
                    return Err(HttpError::Length);
                };
                let (requested_at, received) = (request.requested_at, request.received);
                if is_last {
                    self.lanes[lane].request = None;
                    let finished_at = now;
                    let whole = Transfer { bytes: received, requested_at, first_byte_at, finished_at };
                    return Ok(Some((lane, Step::Whole(whole))));
                }
                let partial = Partial { bytes: length, received, requested_at, first_byte_at };
                Ok(Some((lane, Step::Partial(partial))))
            }
        }
    }

    fn request(&mut self, stream: u32) -> Option<(usize, &mut Request)> {
        let lanes = self.lanes.iter_mut().enumerate();
        lanes
            .filter_map(|(lane, own)| Some((lane, own.request.as_mut()?)))
            .find(|(_, request)| request.stream == stream)
    }

    /// Handles a closed connection: all requests are repeated later.
    pub fn on_closed(&mut self, now: Time, host: &mut dyn Sockets) -> Vec<(usize, Step)> {
        let Some(socket) = self.socket.take() else { return Vec::new() };
        let mut steps = Vec::new();
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            if let Some(request) = lane.request.take() {
                host.meter().failed();
                lane.retry = Some((request.path, now + RETRY));
                steps.push((place, Step::Failed));
            }
        }
        if steps.is_empty() {
            host.close(socket);
        } else {
            host.abort(socket);
        }
        steps
    }

    /// Returns the time at which a failed request is repeated.
    pub fn retry_at(&self) -> Option<Time> {
        self.lanes.iter().filter_map(|lane| lane.retry.as_ref().map(|(_, at)| *at)).min()
    }

    /// Repeats failed requests that are due.
    pub fn retry(&mut self, now: Time, host: &mut dyn Sockets) {
        for lane in 0..self.lanes.len() {
            if let Some((path, _)) = self.lanes[lane].retry.take_if(|(_, at)| *at <= now) {
                self.ask(lane, path, now, host);
            }
        }
    }

    /// Abandons a lane's request by resetting its stream; the connection remains.
    pub fn abandon(&mut self, lane: usize, host: &mut dyn Sockets) {
        let own = std::mem::take(&mut self.lanes[lane]);
        if let (Some(request), Some(socket)) = (own.request, self.socket) {
            let frame = frames::frame(frames::RST_STREAM, 0, request.stream, &CANCEL.to_be_bytes());
            send(socket, frame, host);
        }
    }

    /// Closes the connection, or aborts it if a request is in progress.
    pub fn end(&mut self, host: &mut dyn Sockets) {
        let is_idle = (0..self.lanes.len()).all(|lane| self.is_idle(lane));
        self.lanes.iter_mut().for_each(|lane| *lane = Lane::default());
        match self.socket.take() {
            Some(socket) if is_idle => host.close(socket),
            Some(socket) => host.abort(socket),
            None => {}
        }
    }
}

fn send(socket: SocketId, frame: Vec<u8>, host: &mut dyn Sockets) {
    host.write(socket, Payload::Bytes(frame.into()));
}
