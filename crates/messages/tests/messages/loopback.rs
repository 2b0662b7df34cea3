//! The examples' driver on real sockets, over loopback.

#[path = "../../examples/driver/mod.rs"]
mod driver;

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use driver::Driver;
use jettison_core::Duration;
use jettison_messages::{MessageEvent, MessageParams, MessagePayload, OctopusParameters};
use jettison_tcp::Payload;
use jettison_wire::InlineBytes;

/// A message with a given number, which determines its body.
fn message(number: u32) -> MessagePayload {
    let head = InlineBytes::new(&number.to_be_bytes()).expect("four bytes fit in 40");
    MessagePayload { head, rest: Payload::Bytes(vec![number as u8; 5_000].into()) }
}

/// All bytes of a message, however they are split.
fn bytes(payload: &MessagePayload) -> Vec<u8> {
    let mut all = payload.head.as_slice().to_vec();
    match &payload.rest {
        Payload::Bytes(rest) => all.extend_from_slice(rest),
        Payload::Zeros(count) => all.resize(all.len() + *count as usize, 0),
    }
    all
}

#[test]
fn messages_arrive_over_real_sockets_byte_by_byte() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_over);
    let receiver = thread::spawn(move || {
        let mut driver = Driver::new(socket, None, OctopusParameters::default()).unwrap();
        let mut arrived = Vec::new();
        while !told.load(Ordering::Relaxed) {
            driver.step(driver.now() + Duration::from_millis(20)).unwrap();
            while let Some(message) = driver.connection.poll_message() {
                arrived.push(bytes(&message.payload));
            }
        }
        arrived
    });

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut driver = Driver::new(socket, Some(address), OctopusParameters::default()).unwrap();
    let (mut number, mut next, mut acknowledged) = (0, driver.now(), 0);
    let end = driver.now() + Duration::from_secs(2);
    while driver.now() < end {
        // Send nothing new at the end, so that the last messages are acknowledged.
        while next <= driver.now() && number < 100 {
            let now = driver.now();
            driver.connection.send(3, message(number), MessageParams::default(), now).unwrap();
            number += 1;
            next += Duration::from_millis(15);
        }
        driver.step(if number < 100 { next } else { end }).unwrap();
        while let Some(event) = driver.connection.poll_event() {
            acknowledged += u32::from(matches!(event, MessageEvent::Acknowledged { .. }));
        }
        if acknowledged == 100 {
            break;
        }
    }
    is_over.store(true, Ordering::Relaxed);
    let mut arrived = receiver.join().unwrap();
    // Loopback loses datagrams only if the buffer of a starved receiver is full.
    assert!(arrived.len() >= 90 && acknowledged >= 90, "{} arrived, {acknowledged}", arrived.len());
    arrived.sort();
    arrived.dedup();
    for message_bytes in &arrived {
        let number = u32::from_be_bytes(*message_bytes.first_chunk::<4>().unwrap());
        assert!(*message_bytes == bytes(&message(number)), "message {number} differs from the one sent");
    }
    assert!(arrived.len() >= 90);
    let estimate = driver.connection.estimate(driver.now());
    assert!(estimate.rtt.is_some_and(|rtt| rtt > Duration::ZERO), "{estimate:?}");
    assert_eq!(driver.connection.statistics().malformed, 0);
}
