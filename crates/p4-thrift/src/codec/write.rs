//! Writing of messages.

use super::read::VERSION;
use super::{Fields, Message, Value};

/// The bytes of a message.
pub fn write_message(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    let kind = message.kind as u8;
    if message.is_strict {
        out.extend((VERSION | u32::from(kind)).to_be_bytes());
        write_bytes(&mut out, message.name.as_bytes());
    } else {
        write_bytes(&mut out, message.name.as_bytes());
        out.push(kind);
    }
    out.extend(message.sequence.to_be_bytes());
    write_fields(&mut out, &message.fields);
    out
}

/// A length as the protocol's signed number. What the services answer is far below 2 GiB.
fn write_length(out: &mut Vec<u8>, length: usize) {
    out.extend(i32::try_from(length).unwrap_or(i32::MAX).to_be_bytes());
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_length(out, bytes.len());
    out.extend(bytes);
}

fn write_fields(out: &mut Vec<u8>, fields: &Fields) {
    for (number, value) in &fields.0 {
        out.push(value.kind() as u8);
        out.extend(number.to_be_bytes());
        write_value(out, value);
    }
    out.push(0);
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Bool(value) => out.push(u8::from(*value)),
        Value::Byte(value) => out.extend(value.to_be_bytes()),
        Value::Double(value) => out.extend(value.to_be_bytes()),
        Value::I16(value) => out.extend(value.to_be_bytes()),
        Value::I32(value) => out.extend(value.to_be_bytes()),
        Value::I64(value) => out.extend(value.to_be_bytes()),
        Value::Binary(bytes) => write_bytes(out, bytes),
        Value::Struct(fields) => write_fields(out, fields),
        Value::Map(key, value, pairs) => {
            out.extend([*key as u8, *value as u8]);
            write_length(out, pairs.len());
            for (key, value) in pairs {
                write_value(out, key);
                write_value(out, value);
            }
        }
        Value::Set(kind, elements) | Value::List(kind, elements) => {
            out.push(*kind as u8);
            write_length(out, elements.len());
            elements.iter().for_each(|element| write_value(out, element));
        }
    }
}
