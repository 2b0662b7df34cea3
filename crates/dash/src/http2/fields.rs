//! Field blocks: HPACK (RFC 7541) without Huffman code and without a dynamic table, as an encoder may choose.

use crate::http::HttpError;

/// Entries of the static table that are used whole.
const METHOD_GET: u8 = 2;
const SCHEME_HTTP: u8 = 6;
const STATUS_200: u8 = 8;
const STATUS_404: u8 = 13;
/// Entries whose names are used.
const AUTHORITY: u8 = 1;
const PATH: u8 = 4;
const CONTENT_LENGTH: u8 = 28;
const CONTENT_TYPE: u8 = 31;

/// Returns the field block of a GET request.
pub(super) fn request(path: &str, authority: &str) -> Vec<u8> {
    let mut block = vec![0x80 | METHOD_GET, 0x80 | SCHEME_HTTP];
    literal(&mut block, AUTHORITY, authority);
    literal(&mut block, PATH, path);
    block
}

/// Returns the field block of a response.
pub(super) fn response(status: u16, length: u64, media_type: &str) -> Vec<u8> {
    let mut block = vec![0x80 | if status == 200 { STATUS_200 } else { STATUS_404 }];
    literal(&mut block, CONTENT_TYPE, media_type);
    literal(&mut block, CONTENT_LENGTH, &length.to_string());
    block
}

/// Appends a literal field without indexing, whose name is in the static table.
fn literal(block: &mut Vec<u8>, name: u8, value: &str) {
    integer(block, 0x00, 4, usize::from(name));
    integer(block, 0x00, 7, value.len());
    block.extend(value.as_bytes());
}

/// Appends an integer with a prefix of `bits` in the first byte.
fn integer(block: &mut Vec<u8>, first: u8, bits: u32, mut value: usize) {
    let most = (1_usize << bits) - 1;
    if value < most {
        block.push(first | value as u8);
        return;
    }
    block.push(first | most as u8);
    value -= most;
    while value >= 128 {
        block.push((value % 128) as u8 | 0x80);
        value /= 128;
    }
    block.push(value as u8);
}

/// Fields that requests and responses of players have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Fields {
    pub(super) is_get: bool,
    pub(super) path: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) length: Option<u64>,
}

impl Fields {
    /// Reads a field block.
    ///
    /// # Errors
    /// If it is cut off, or has a form that our encoder does not write.
    pub(super) fn of(block: &[u8]) -> Result<Fields, HttpError> {
        let mut fields = Fields::default();
        let mut reader = Reader(block);
        while let Some(first) = reader.0.first().copied() {
            if first & 0x80 != 0 {
                match reader.integer(7)? {
                    place if place == usize::from(METHOD_GET) => fields.is_get = true,
                    place if place == usize::from(STATUS_200) => fields.status = Some(200),
                    place if place == usize::from(STATUS_404) => fields.status = Some(404),
                    _ => {}
                }
                continue;
            }
            if first & 0xf0 != 0 {
                return Err(HttpError::Syntax("field block with indexing".to_owned()));
            }
            let name = reader.integer(4)?;
            let value = reader.text()?;
            if name == usize::from(PATH) {
                fields.path = Some(value.to_owned());
            } else if name == usize::from(CONTENT_LENGTH) {
                fields.length = value.parse().ok();
            }
        }
        Ok(fields)
    }
}

/// Reads integers and strings from a field block.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Result<u8, HttpError> {
        let (first, rest) =
            self.0.split_first().ok_or_else(|| HttpError::Syntax("field block cut off".to_owned()))?;
        self.0 = rest;
        Ok(*first)
    }

    fn integer(&mut self, bits: u32) -> Result<usize, HttpError> {
        let most = (1_usize << bits) - 1;
        let mut value = usize::from(self.byte()?) & most;
        if value < most {
            return Ok(value);
        }
        for shift in [0, 7, 14, 21] {
            let next = self.byte()?;
            value += usize::from(next & 0x7f) << shift;
            if next & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(HttpError::Syntax("integer above the limit".to_owned()))
    }

    fn text(&mut self) -> Result<&'b str, HttpError> {
        if self.0.first().is_some_and(|first| first & 0x80 != 0) {
            return Err(HttpError::Syntax("field block with Huffman code".to_owned()));
        }
        let length = self.integer(7)?;
        let (text, rest) = self
            .0
            .split_at_checked(length)
            .ok_or_else(|| HttpError::Syntax("field block cut off".to_owned()))?;
        self.0 = rest;
        std::str::from_utf8(text).map_err(|error| HttpError::Syntax(error.to_string()))
    }
}
