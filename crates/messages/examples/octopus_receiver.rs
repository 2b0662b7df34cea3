//! Receives the messages of `octopus_sender`, and prints the number of messages of each layer.
//!
//! ```text
//! cargo run -p jettison-messages --example octopus_receiver -- 127.0.0.1:7000 12
//! ```

mod driver;

use std::net::UdpSocket;

use driver::Driver;
use jettison_core::Duration;
use jettison_messages::{Message, OctopusParameters};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "octopus_receiver ADDRESS:PORT SECONDS";
    let socket = UdpSocket::bind(arguments.next().ok_or(usage)?)?;
    let seconds: u64 = arguments.next().ok_or(usage)?.parse()?;

    // The peer becomes known with its first datagram: there is no handshake.
    let mut driver = Driver::new(socket, None, OctopusParameters::default())?;
    let end = driver.now() + Duration::from_secs(seconds);
    let (mut messages, mut bytes) = ([0_u64; 2], 0);
    while driver.now() < end {
        driver.step(end)?;
        // A message is delivered as soon as it is complete, whatever else is missing; so messages may be out of order.
        while let Some(message) = driver.connection.poll_message() {
            bytes += message.payload.len();
            if let Some(count) = messages.get_mut(layer(&message)) {
                *count += 1;
            }
        }
    }
    let statistics = driver.connection.statistics();
    println!("messages: {} of the base layer, {} of the other", messages[0], messages[1]);
    println!(
        "bytes: {bytes}, in {} packets, incomplete messages discarded: {}",
        statistics.packets_received, statistics.given_up
    );
    Ok(())
}

/// The layer follows the frame's number: in the message's head or, if that was rebuilt from parity, in its rest.
fn layer(message: &Message) -> usize {
    message.payload.head.as_slice().get(4).copied().map_or(usize::MAX, usize::from)
}
