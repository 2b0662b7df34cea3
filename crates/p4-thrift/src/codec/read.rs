//! Reading of messages. Sizes come from a peer, so nothing is allocated before its bytes have arrived.

use std::io::{self, Read};

use thiserror::Error;

use super::{Fields, Kind, Message, MessageKind, Value};

/// Maximum number of bytes of a message.
const MAX_BYTES: usize = 4 << 20;
/// Maximum number of values in a message. An element may be a single byte, and its value is larger.
const MAX_VALUES: usize = 1 << 18;
/// Maximum depth of values in values. Those of the interface have a depth of 4.
const MAX_DEPTH: u32 = 16;

/// Version in the upper half of a strict message's first word.
pub(super) const VERSION: u32 = 0x8001_0000;

/// A message that cannot be read. The stream has no next message then.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The connection failed, or ended within a message.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The bytes are not a message of this protocol.
    #[error("{0}")]
    Malformed(&'static str),
}

/// Reads the next message; `None` if the stream ends before it.
///
/// # Errors
/// If the bytes are not a message, or too many.
pub fn read_message(input: &mut impl Read) -> Result<Option<Message>, ReadError> {
    let mut first = [0];
    loop {
        match input.read(&mut first) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut reader = Reader { input, bytes: MAX_BYTES, values: MAX_VALUES };
    let [second, third, fourth] = reader.take()?;
    let word = u32::from_be_bytes([first[0], second, third, fourth]);
    let is_strict = word >> 31 == 1;
    let (kind, name, sequence) = if is_strict {
        if word & 0xffff_0000 != VERSION {
            return Err(ReadError::Malformed("unknown version of the protocol"));
        }
        let name = reader.text()?;
        (word as u8, name, reader.i32()?)
    } else {
        let name = reader.bytes(word)?;
        let name = String::from_utf8(name).map_err(|_| ReadError::Malformed("a name must be UTF-8"))?;
        let [kind] = reader.take()?;
        (kind, name, reader.i32()?)
    };
    let kind = MessageKind::of(kind).ok_or(ReadError::Malformed("unknown kind of message"))?;
    let fields = reader.fields(0)?;
    Ok(Some(Message { kind, name, sequence, fields, is_strict }))
}

/// A stream, and what may still be read of it.
struct Reader<'a, R> {
    input: &'a mut R,
    bytes: usize,
    values: usize,
}

impl<R: Read> Reader<'_, R> {
    fn spend(&mut self, bytes: usize) -> Result<(), ReadError> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(ReadError::Malformed("the message is too long"))?;
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        self.spend(N)?;
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn i32(&mut self) -> Result<i32, ReadError> {
        self.take().map(i32::from_be_bytes)
    }

    fn bytes(&mut self, length: u32) -> Result<Vec<u8>, ReadError> {
        self.spend(length as usize)?;
        let mut bytes = Vec::new();
        let read = self.input.take(u64::from(length)).read_to_end(&mut bytes)?;
        match read == length as usize {
            true => Ok(bytes),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }

    /// A length, which the protocol has as a signed number.
    fn length(&mut self) -> Result<u32, ReadError> {
        u32::try_from(self.i32()?).map_err(|_| ReadError::Malformed("a length must not be negative"))
    }

    fn text(&mut self) -> Result<String, ReadError> {
        let length = self.length()?;
        String::from_utf8(self.bytes(length)?).map_err(|_| ReadError::Malformed("a name must be UTF-8"))
    }

    fn kind(&mut self) -> Result<Kind, ReadError> {
        let [code] = self.take()?;
        Kind::of(code).ok_or(ReadError::Malformed("unknown type of a value"))
    }

    fn fields(&mut self, depth: u32) -> Result<Fields, ReadError> {
        let mut fields = Fields::new();
        loop {
            let [code] = self.take()?;
            if code == 0 {
                return Ok(fields);
            }
            let kind = Kind::of(code).ok_or(ReadError::Malformed("unknown type of a value"))?;
            let number = self.take().map(i16::from_be_bytes)?;
            fields.0.push((number, self.value(kind, depth)?));
        }
    }

    fn elements(&mut self, kind: Kind, depth: u32) -> Result<Vec<Value>, ReadError> {
        let length = self.length()?;
        (0..length).map(|_| self.value(kind, depth)).collect()
    }

    fn value(&mut self, kind: Kind, depth: u32) -> Result<Value, ReadError> {
        if depth == MAX_DEPTH {
            return Err(ReadError::Malformed("the values are nested too deeply"));
        }
        self.values = self.values.checked_sub(1).ok_or(ReadError::Malformed("there are too many values"))?;
        let depth = depth + 1;
        Ok(match kind {
            Kind::Bool => Value::Bool(self.take::<1>()? != [0]),
            Kind::Byte => Value::Byte(self.take().map(i8::from_be_bytes)?),
            Kind::Double => Value::Double(self.take().map(f64::from_be_bytes)?),
            Kind::I16 => Value::I16(self.take().map(i16::from_be_bytes)?),
            Kind::I32 => Value::I32(self.i32()?),
            Kind::I64 => Value::I64(self.take().map(i64::from_be_bytes)?),
            Kind::Binary => {
                let length = self.length()?;
                Value::Binary(self.bytes(length)?)
            }
            Kind::Struct => Value::Struct(self.fields(depth)?),
            Kind::Map => {
                let (key, value) = (self.kind()?, self.kind()?);
                let length = self.length()?;
                let pairs = (0..length).map(|_| Ok((self.value(key, depth)?, self.value(value, depth)?)));
                Value::Map(key, value, pairs.collect::<Result<_, ReadError>>()?)
            }
            Kind::Set => {
                let kind = self.kind()?;
                Value::Set(kind, self.elements(kind, depth)?)
            }
            Kind::List => {
                let kind = self.kind()?;
                Value::List(kind, self.elements(kind, depth)?)
            }
        })
    }
}
