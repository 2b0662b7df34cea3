//! The subset of HTTP/1.1 (RFC 9112) that a player and a server need: heads are real bytes, bodies are byte counts.

use std::fmt::Write;

use jettison_tcp::Payload;

/// Maximum length of a head in bytes; servers have similar limits.
const LONGEST_HEAD: usize = 8 << 10;
/// Maximum number of header fields in a head.
const MOST_FIELDS: usize = 32;

/// A GET request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Absolute path of the requested resource.
    pub path: String,
    /// Whether the connection is closed after the response.
    pub close: bool,
}

/// The head of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Length of the body in bytes.
    pub length: u64,
    /// Whether the connection is closed after the response.
    pub close: bool,
}

/// Violation of HTTP/1.1, or use of a feature outside the supported subset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// Malformed head.
    #[error("malformed HTTP/1.1 head: {0}")]
    Syntax(String),
    /// Head above the maximum length.
    #[error("head must have at most {LONGEST_HEAD} bytes")]
    TooLong,
    /// Method other than GET.
    #[error("method must be GET, got `{0}`")]
    Method(String),
    /// Response without a body length.
    #[error("response has no Content-Length")]
    Length,
}

impl Request {
    /// Serializes the head. `host` is the value of the Host field.
    pub fn bytes(&self, host: &str) -> Payload {
        let mut head = format!("GET {} HTTP/1.1\r\nHost: {host}\r\n", self.path);
        let _ = write!(head, "User-Agent: jettison/{}\r\nAccept: */*\r\n", env!("CARGO_PKG_VERSION"));
        if self.close {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        Payload::from(head.as_bytes())
    }
}

impl Response {
    /// Serializes the head, for a body of the given media type.
    pub fn bytes(&self, media_type: &str) -> Payload {
        let reason = if self.status == 200 { "OK" } else { "Not Found" };
        let mut head = format!("HTTP/1.1 {} {reason}\r\nServer: jettison\r\n", self.status);
        let _ = write!(head, "Content-Type: {media_type}\r\nContent-Length: {}\r\n", self.length);
        if self.close {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        Payload::from(head.as_bytes())
    }
}

/// Reassembles a head from a byte stream that may be split anywhere.
#[derive(Debug, Clone, Default)]
pub struct HeadReader {
    bytes: Vec<u8>,
}

impl HeadReader {
    /// Appends bytes up to the end of a head. Returns the bytes after it once the head is complete.
    ///
    /// # Errors
    /// If the head exceeds the maximum length or `payload` is not real bytes.
    pub fn take(&mut self, payload: Payload) -> Result<Option<Payload>, HttpError> {
        let Payload::Bytes(bytes) = payload else {
            return Err(HttpError::Syntax("body bytes inside a head".to_owned()));
        };
        let had = self.bytes.len();
        self.bytes.extend_from_slice(&bytes);
        // The terminator may straddle two payloads.
        let from = had.saturating_sub(3);
        let end = self.bytes[from..].windows(4).position(|four| four == b"\r\n\r\n");
        match end.map(|end| from + end + 4) {
            Some(end) if end <= LONGEST_HEAD => {
                let rest = self.bytes.split_off(end);
                Ok(Some(Payload::Bytes(rest.into())))
            }
            None if self.bytes.len() <= LONGEST_HEAD => Ok(None),
            _ => Err(HttpError::TooLong),
        }
    }

    /// Parses the head as a request and resets the reader for the next one.
    ///
    /// # Errors
    /// If the head is malformed or the method is not GET.
    pub fn request(&mut self) -> Result<Request, HttpError> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut parsed = httparse::Request::new(&mut fields);
        let status = parsed.parse(&bytes).map_err(|error| HttpError::Syntax(error.to_string()))?;
        let (true, Some(method), Some(path)) = (status.is_complete(), parsed.method, parsed.path) else {
            return Err(HttpError::Syntax("incomplete head".to_owned()));
        };
        if method != "GET" {
            return Err(HttpError::Method(method.to_owned()));
        }
        Ok(Request { path: path.to_owned(), close: closes(parsed.headers) })
    }

    /// Parses the head as a response.
    ///
    /// # Errors
    /// If the head is malformed or has no valid Content-Length.
    pub fn response(&mut self) -> Result<Response, HttpError> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut parsed = httparse::Response::new(&mut fields);
        let status = parsed.parse(&bytes).map_err(|error| HttpError::Syntax(error.to_string()))?;
        let (true, Some(code)) = (status.is_complete(), parsed.code) else {
            return Err(HttpError::Syntax("incomplete head".to_owned()));
        };
        let length = field(parsed.headers, "content-length").and_then(|value| value.trim().parse().ok());
        let length = length.ok_or(HttpError::Length)?;
        Ok(Response { status: code, length, close: closes(parsed.headers) })
    }
}

fn field<'h>(fields: &'h [httparse::Header<'_>], name: &str) -> Option<&'h str> {
    let found = fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(found.value).ok()
}

fn closes(fields: &[httparse::Header<'_>]) -> bool {
    field(fields, "connection").is_some_and(|value| value.trim().eq_ignore_ascii_case("close"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(payload: Payload) -> Vec<u8> {
        match payload {
            Payload::Bytes(bytes) => bytes.into_vec(),
            Payload::Zeros(_) => panic!("a head is real bytes"),
        }
    }

    #[test]
    fn heads_round_trip_wherever_they_are_cut() {
        let request = Request { path: "/title-1/video/2/17.m4s".to_owned(), close: true };
        let response = Response { status: 200, length: 140_000, close: false };
        let (asked, answered) = (bytes(request.bytes("server")), bytes(response.bytes("video/mp4")));
        for cut in 1..asked.len() {
            let mut reader = HeadReader::default();
            assert_eq!(reader.take(Payload::from(&asked[..cut])), Ok(None));
            let rest = reader.take(Payload::from(&asked[cut..])).unwrap();
            assert_eq!(rest, Some(Payload::from(&b""[..])));
            assert_eq!(reader.request(), Ok(request.clone()));
        }
        let mut reader = HeadReader::default();
        let with_body = [answered, b"moof".to_vec()].concat();
        assert_eq!(reader.take(Payload::from(&with_body[..])), Ok(Some(Payload::from(&b"moof"[..]))));
        assert_eq!(reader.response(), Ok(response));
    }

    #[test]
    fn unsupported_heads_are_refused_with_a_reason() {
        let read = |text: &str| {
            let mut reader = HeadReader::default();
            reader.take(Payload::from(text.as_bytes())).unwrap();
            (reader.clone().request(), reader.response())
        };
        let (request, _) = read("POST / HTTP/1.1\r\n\r\n");
        assert_eq!(request, Err(HttpError::Method("POST".to_owned())));
        let (_, response) = read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        assert_eq!(response, Err(HttpError::Length));
        let mut reader = HeadReader::default();
        assert_eq!(reader.take(Payload::from(&[b'a'; LONGEST_HEAD + 1][..])), Err(HttpError::TooLong));
        assert!(HeadReader::default().take(Payload::Zeros(4)).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..8)) {
            let mut reader = HeadReader::default();
            for piece in pieces {
                if let Ok(Some(_)) = reader.take(Payload::from(&piece[..])) {
                    let _ = reader.clone().request();
                    let _ = reader.response();
                }
            }
        }
    }
}
