//! Server's end of a connection: responses share it, one frame each in turn.
//!
//! RFC 9113 leaves the order to the server (section 5.2.1). This one takes the streams round robin, a DATA frame of at most
//! 16,384 bytes each, and writes the next frame while less than two frames are unsent, so that a new response waits behind
//! two frames and one of each other response.

use std::collections::VecDeque;

use jettison_measure::Unit;
use jettison_sockets::{SocketId, Sockets};
use jettison_tcp::Payload;

use super::fields::{self, Fields};
use super::frames::{self, FrameReader, Head, Piece};
use super::{INITIAL_WINDOW, PREFACE};
use crate::http::HttpError;

/// Unsent bytes below which another frame is written.
const UNSENT: u64 = 2 * frames::LONGEST as u64;

/// A resource to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Length of the content in bytes.
    pub length: u64,
    /// Media type.
    pub media_type: &'static str,
}

/// Server's end of one connection.
#[derive(Debug, Clone)]
pub struct Http2Server {
    reader: FrameReader,
    /// Responses in progress; the first is next.
    sending: VecDeque<Response>,
    /// Flow-control window of the connection, and that of new streams.
    window: i64,
    stream_window: i64,
}

#[derive(Debug, Clone)]
struct Response {
    stream: u32,
    left: u64,
    window: i64,
    unit: Option<Unit>,
}

impl Http2Server {
    /// Begins a connection whose preface has been read, and sends the server's.
    pub fn new(socket: SocketId, host: &mut dyn Sockets) -> Http2Server {
        host.write(socket, bytes(frames::frame(frames::SETTINGS, 0, 0, &[])));
        Http2Server {
            reader: FrameReader::default(),
            sending: VecDeque::new(),
            window: i64::from(INITIAL_WINDOW),
            stream_window: i64::from(INITIAL_WINDOW),
        }
    }

    /// Whether bytes may be those of a client's preface: all of it with what follows, or its beginning.
    pub fn preface(read: &[u8]) -> Option<bool> {
        let common = read.len().min(PREFACE.len());
        (read[..common] == PREFACE[..common]).then_some(read.len() >= PREFACE.len())
    }

    /// Takes a piece of the client's stream; `answer` says what there is at a path, and what the response carries.
    ///
    /// # Errors
    /// If it violates HTTP/2 or uses what is not supported.
    pub fn take(
        &mut self,
        payload: Payload,
        answer: impl Fn(&str, &mut dyn Sockets) -> (Answer, Option<Unit>),
        socket: SocketId,
        host: &mut dyn Sockets,
    ) -> Result<(), HttpError> {
        for piece in self.reader.take(payload)? {
            if let Piece::Frame(head, payload) = piece {
                self.handle(head, &payload, &answer, socket, host)?;
            }
        }
        self.send(socket, host);
        Ok(())
    }

    fn handle(
        &mut self,
        head: Head,
        payload: &[u8],
        answer: impl Fn(&str, &mut dyn Sockets) -> (Answer, Option<Unit>),
        socket: SocketId,
        host: &mut dyn Sockets,
    ) -> Result<(), HttpError> {
        match head.kind {
            frames::HEADERS => {
                let fields = Fields::of(payload)?;
                let (true, Some(path)) = (fields.is_get, fields.path) else {
                    return Err(HttpError::Method("other than GET".to_owned()));
                };
                let (Answer { status, length, media_type }, unit) = answer(&path, host);
                let block = fields::response(status, length, media_type);
                let flags = frames::END_HEADERS | if length == 0 { frames::END_STREAM } else { 0 };
                let frame = frames::frame(frames::HEADERS, flags, head.stream, &block);
                if let Some(unit) = unit {
                    host.carries(socket, unit, frame.len() as u64);
                }
                host.write(socket, bytes(frame));
                if length > 0 {
                    let window = self.stream_window;
                    self.sending.push_back(Response { stream: head.stream, left: length, window, unit });
                }
            }
            frames::RST_STREAM => self.sending.retain(|response| response.stream != head.stream),
            frames::SETTINGS if !head.has(frames::ACK) => {
                for setting in payload.chunks_exact(6) {
                    let id = u16::from_be_bytes([setting[0], setting[1]]);
                    if let (frames::INITIAL_WINDOW_SIZE, Some(size)) = (id, frames::number(&setting[2..])) {
                        let change = i64::from(size) - self.stream_window;
                        self.stream_window += change;
                        for response in &mut self.sending {
                            response.window += change;
                        }
                    }
                }
                host.write(socket, bytes(frames::frame(frames::SETTINGS, frames::ACK, 0, &[])));
            }
            frames::WINDOW_UPDATE => {
                let increment = i64::from(frames::number(payload).unwrap_or(0));
                match head.stream {
                    0 => self.window += increment,
                    stream => {
                        let own = self.sending.iter_mut().find(|response| response.stream == stream);
                        if let Some(response) = own {
                            response.window += increment;
                        }
                    }
                }
            }
            // Frames of unknown types are ignored (section 4.1).
            _ => {}
        }
        Ok(())
    }

    /// Writes frames as long as little is unsent and windows are open.
    pub fn send(&mut self, socket: SocketId, host: &mut dyn Sockets) {
        while host.unsent(socket) < UNSENT && self.window > 0 {
            let Some(place) = self.sending.iter().position(|response| response.window > 0) else { return };
            let Some(mut response) = self.sending.remove(place) else { return };
            let room = response.window.min(self.window) as u64;
            let length = response.left.min(u64::from(frames::LONGEST)).min(room);
            response.left -= length;
            response.window -= length as i64;
            self.window -= length as i64;
            let flags = if response.left == 0 { frames::END_STREAM } else { 0 };
            let head = frames::head(length as u32, frames::DATA, flags, response.stream);
            if let Some(unit) = response.unit {
                host.carries(socket, unit, head.len() as u64 + length);
            }
            host.write(socket, bytes(head));
            host.write(socket, Payload::Zeros(length));
            if response.left > 0 {
                self.sending.push_back(response);
            }
        }
    }
}

fn bytes(frame: Vec<u8>) -> Payload {
    Payload::Bytes(frame.into())
}
