//! Bytes of messages, from the protocol's description.

use jettison_p4_thrift::codec::{Fields, Kind, Message, MessageKind, Value, read_message, write_message};

fn message(is_strict: bool) -> Message {
    let fields =
        Fields::new().with(1, 258).with(2, "ab").with(3, Value::List(Kind::Bool, vec![Value::Bool(true)]));
    Message { kind: MessageKind::Call, name: "m".to_owned(), sequence: 5, fields, is_strict }
}

const FIELDS: &[u8] = &[
    8, 0, 1, 0, 0, 1, 2, // i32
    11, 0, 2, 0, 0, 0, 2, b'a', b'b', // string
    15, 0, 3, 2, 0, 0, 0, 1, 1, // list of one bool
    0,
];

#[test]
fn a_strict_message_begins_with_the_version() {
    let mut bytes = vec![0x80, 1, 0, 1, 0, 0, 0, 1, b'm', 0, 0, 0, 5];
    bytes.extend(FIELDS);
    assert_eq!(write_message(&message(true)), bytes);
    assert_eq!(read_message(&mut &*bytes).unwrap(), Some(message(true)));
}

#[test]
fn an_old_message_begins_with_its_name() {
    let mut bytes = vec![0, 0, 0, 1, b'm', 1, 0, 0, 0, 5];
    bytes.extend(FIELDS);
    assert_eq!(write_message(&message(false)), bytes);
    assert_eq!(read_message(&mut &*bytes).unwrap(), Some(message(false)));
}

#[test]
fn every_type_of_value_returns() {
    let inner = Fields::new().with(-1, true).with(7, 1.5).with(8, Value::Byte(-3));
    let pairs =
        vec![(Value::I16(-2), Value::Struct(inner.clone())), (Value::I16(9), Value::Struct(Fields::new()))];
    let fields = Fields::new()
        .with(1, i64::MIN)
        .with(2, Value::Map(Kind::I16, Kind::Struct, pairs))
        .with(3, Value::Set(Kind::I64, vec![Value::I64(1), Value::I64(-1)]))
        .with(4, inner)
        .with(5, vec![0, 255]);
    let sent = Message { fields, kind: MessageKind::Reply, ..message(true) };
    assert_eq!(read_message(&mut &*write_message(&sent)).unwrap(), Some(sent));
}

#[test]
fn messages_follow_each_other_on_a_stream() {
    let bytes = [write_message(&message(true)), write_message(&message(false))].concat();
    let mut stream = &*bytes;
    assert_eq!(read_message(&mut stream).unwrap(), Some(message(true)));
    assert_eq!(read_message(&mut stream).unwrap(), Some(message(false)));
    assert!(read_message(&mut stream).unwrap().is_none());
}
