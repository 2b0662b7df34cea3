//! Sends messages over a real network with the Octopus transport: a driver around the sans-IO
//! [`jettison_messages::Connection`].
//!
//! ```text
//! cargo run -p jettison-messages --example octopus_receiver -- 127.0.0.1:7000 12
//! cargo run -p jettison-messages --example octopus_sender   -- 127.0.0.1:7000 10
//! ```
//!
//! Every 33 ms it sends a "frame" of two layers on one stream. The base layer must not be dropped. The enhancement
//! layer may: it has a lower priority, and each new frame makes the enhancement layers before it obsolete. At the end
//! it prints the number of messages by outcome.

mod driver;

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration as StdDuration;

use driver::Driver;
use jettison_core::{Duration, Time};
use jettison_messages::{MessageEvent, MessageParams, MessagePayload, OctopusParameters};
use jettison_tcp::Payload;
use jettison_wire::InlineBytes;

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(33);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "octopus_sender ADDRESS:PORT SECONDS";
    let remote: SocketAddr = arguments.next().ok_or(usage)?.parse()?;
    let seconds: u64 = arguments.next().ok_or(usage)?.parse()?;

    let any = if remote.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let mut driver = Driver::new(UdpSocket::bind(any)?, Some(remote), OctopusParameters::default())?;
    let (mut next, end) = (driver.now(), driver.now() + Duration::from_secs(seconds));
    let (mut sent, mut refused, mut acknowledged, mut lost, mut dropped) = (0, 0, 0, 0, 0);
    let mut frame = 0_u32;
    while driver.now() < end {
        while next <= driver.now() {
            for (layer, params) in layers() {
                let now = driver.now();
                match driver.connection.send(0, message(frame, layer, now), params, now) {
                    Ok(_) => sent += 1,
                    // The send buffer is full: this message is not sent.
                    Err(_) => refused += 1,
                }
            }
            frame += 1;
            next += FRAME;
        }
        // Sends what may leave, and sleeps until a datagram arrives, a timer expires, or the next frame is due.
        driver.step(next)?;
        while let Some(event) = driver.connection.poll_event() {
            match event {
                MessageEvent::Acknowledged { .. } => acknowledged += 1,
                MessageEvent::Lost { .. } => lost += 1,
                MessageEvent::Dropped { .. } => dropped += 1,
            }
        }
    }
    let statistics = driver.connection.statistics();
    println!(
        "messages: {sent} sent, {refused} refused, {acknowledged} acknowledged, {lost} lost, {dropped} dropped"
    );
    println!("packets: {} sent, {} lost", statistics.packets_sent, statistics.packets_lost);
    let estimate = driver.connection.estimate(driver.now());
    if let (Some(rate), Some(rtt)) = (estimate.bandwidth, estimate.rtt) {
        println!("path: {:.2} Mbit/s, RTT {:?}", rate.as_mbit_f64(), StdDuration::from_nanos(rtt.as_nanos()));
    }
    Ok(())
}

/// The layers of a frame, with their drop rules.
fn layers() -> [(u8, MessageParams); 2] {
    // All zero: never dropped.
    let base = MessageParams::default();
    // Less important, and each makes all earlier messages with a priority number of at least 1 obsolete.
    let enhancement =
        MessageParams { priority: 1, drop_flag: true, threshold: 1, ..MessageParams::default() };
    [(0, base), (1, enhancement)]
}

/// A message: up to 16 bytes of head, which are always in its first packet, and a rest of 4 or 12 kB of real bytes.
fn message(frame: u32, layer: u8, now: Time) -> MessagePayload {
    let mut head = [0; 13];
    head[..4].copy_from_slice(&frame.to_be_bytes());
    head[4] = layer;
    head[5..].copy_from_slice(&now.as_nanos().to_be_bytes());
    let body = vec![layer; if layer == 0 { 4_000 } else { 12_000 }];
    MessagePayload {
        head: InlineBytes::new(&head).expect("13 bytes fit in 40"),
        rest: Payload::Bytes(body.into()),
    }
}
