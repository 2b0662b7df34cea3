//! A client on a socket.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_thrift::Device;
use jettison_p4_thrift::codec::{Fields, Message, MessageKind, Value, read_message, write_message};
use jettison_p4_thrift::server::{Job, Owner, serve};
use jettison_p4_v1model::stf::Testbed;

use crate::support::{of, testbed};

/// A switch, or one that has ended.
struct Own(Mutex<Option<Testbed<Compiled>>>);

impl Owner for Own {
    fn execute(&self, job: Job) {
        if let Some(testbed) = &mut *self.0.lock().unwrap() {
            job(testbed.switch_mut(), Time::ZERO);
        }
    }
}

/// Starts a server. It ends with the test's process.
fn start(testbed: Option<Testbed<Compiled>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let owner = Arc::new(Own(Mutex::new(testbed)));
    std::thread::spawn(move || serve(&listener, owner, Device::default()));
    address
}

fn call(name: &str, fields: Fields, is_strict: bool) -> Message {
    Message { kind: MessageKind::Call, name: name.to_owned(), sequence: 77, fields, is_strict }
}

fn ask(stream: &mut TcpStream, message: &Message) -> Message {
    stream.write_all(&write_message(message)).unwrap();
    read_message(stream).unwrap().expect("there is an answer")
}

#[test]
fn a_connection_has_one_answer_per_call_of_any_service() {
    let mut stream = TcpStream::connect(start(Some(testbed()))).unwrap();
    for is_strict in [true, false] {
        let count = ask(&mut stream, &call("standard:bm_mt_get_num_entries", of("In.exact_t"), is_strict));
        assert_eq!(
            (count.kind, count.sequence, &*count.name),
            (MessageKind::Reply, 77, "bm_mt_get_num_entries")
        );
        assert_eq!((count.fields, count.is_strict), (Fields::new().with(0, 0i64), is_strict));
    }
    let group = Fields::new().with(1, 0).with(2, 3);
    let created = ask(&mut stream, &call("simple_pre_lag:bm_mc_mgrp_create", group, true));
    assert_eq!(created.fields.get(0), Some(&Value::I32(3)));
    let reset = ask(&mut stream, &call("standard:bm_reset_state", Fields::new(), true));
    assert_eq!(reset.fields, Fields::new(), "a method without a result");
    // A declared exception is the answer's field 1, whose field 1 is the code.
    let refused = ask(&mut stream, &call("standard:bm_mt_get_num_entries", of("In.nothing"), true));
    assert_eq!(refused.fields, Fields::new().with(1, Fields::new().with(1, 7)));
    let unknown = ask(&mut stream, &call("standard:fly", Fields::new(), true));
    assert_eq!((unknown.kind, unknown.fields.get(2)), (MessageKind::Exception, Some(&Value::I32(1))));
}

#[test]
fn a_call_of_a_switch_that_has_ended_is_answered() {
    let mut stream = TcpStream::connect(start(None)).unwrap();
    let answer = ask(&mut stream, &call("standard:bm_get_config", Fields::new(), true));
    assert_eq!(answer.fields.get(1), Some(&Value::from("the switch has ended")));
}

#[test]
fn a_connection_that_sends_no_messages_is_closed() {
    let address = start(Some(testbed()));
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&write_message(&call("standard:bm_get_config", of("x"), true))[..20]).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0, "a message that ends early");
    // The others go on.
    let mut stream = TcpStream::connect(address).unwrap();
    let answer = ask(&mut stream, &call("simple_switch:get_time_elapsed_us", Fields::new(), true));
    assert_eq!(answer.fields.get(0), Some(&Value::I64(0)));
}

#[test]
fn connections_have_a_limit() {
    let address = start(Some(testbed()));
    let elapsed = || call("simple_switch:get_time_elapsed_us", Fields::new(), true);
    let mut all: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(address).unwrap()).collect();
    for stream in &mut all {
        assert_eq!(ask(stream, &elapsed()).kind, MessageKind::Reply);
    }
    let mut further = TcpStream::connect(address).unwrap();
    assert_eq!(further.read(&mut [0; 8]).unwrap_or(0), 0);
}
