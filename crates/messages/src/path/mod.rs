//! Controllers of the message transport: limit of bytes in flight, pacing, and estimates for applications.
//!
//! A [`PathController`] is informed of each packet that was sent, arrived or was lost, with the arrival times that the
//! receiver reports; delay-based schemes (Sprout, GCC, SCReAM) need them. TCP's [`jettison_tcp::congestion`]
//! controllers can be used too, through one adapter.

pub(crate) mod delay;
mod entry;
#[cfg(test)]
mod gauge_tests;
#[cfg(test)]
mod properties;
mod registry;
#[cfg(test)]
mod testing;
mod under_way;
mod window;

jettison_registry::components! {
    /// The controllers that are made for messages; [`path_controllers`] lists TCP's beside them.
    fn message_controllers() -> Registry<MessageController>;
    mod abc;
    mod gcc;
    mod oracle;
    mod scream;
    mod sprout;
    mod sprout_ewma;
}

use std::fmt::Debug;

use dyn_clone::DynClone;
use jettison_core::{Gauges, Rate, Time};
use jettison_wire::Ecn;

use jettison_tcp::congestion::AckSample;

pub use abc::{Abc, AbcParameters};
pub use entry::{MessageController, PathContext};
pub use gcc::{Gcc, GccFilter, GccParameters};
pub use oracle::{Oracle, OracleParameters};
pub use registry::path_controllers;
pub use scream::{Scream, ScreamParameters};
pub use sprout::{IdleTicks, Sprout, SproutParameters};
pub use sprout_ewma::{Grace, SproutEwma, SproutEwmaParameters};
pub use window::Window;

/// A controller of the message transport. Byte counts are UDP payload: all bytes of the transport, including its own
/// headers, excluding the eight bytes of UDP.
pub trait PathController: DynClone + Send + Debug {
    /// A packet left.
    fn on_sent(&mut self, _sent: &PathSent) {}

    /// An acknowledgement arrived, or packets were lost by time.
    fn on_ack(&mut self, ack: &PathAck<'_>);

    /// No feedback arrived for a probe timeout (RFC 9002 §6.2); `in_flight` bytes are in flight.
    fn on_timeout(&mut self, _now: Time, _in_flight: u64) {}

    /// Maximum bytes in flight.
    fn window(&self) -> u64;

    /// Packets were lost over so long a time that the path is assumed to have changed (RFC 9002 §7.6); called right
    /// after the [`PathController::on_ack`] that reported them. `in_flight` bytes are still in flight.
    fn on_persistent_congestion(&mut self, _now: Time, _in_flight: u64) {}

    /// The pacing rate; `None` to send as fast as the window permits.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether the transport paces by window over RTT if there is no pacing rate (RFC 9002 §7.7).
    fn paces_by_window(&self) -> bool {
        false
    }

    /// Bytes sent back to back when paced; `None` for one packet.
    fn pacing_quantum(&self) -> Option<u64> {
        None
    }

    /// The bandwidth estimate for applications and the send buffer's verdict; `None` before the first estimate.
    fn bandwidth(&self) -> Option<Rate>;

    /// Bytes that it permits now as one burst, for encoders that fit a frame to it (Salsify); `None` if it does not
    /// limit bursts.
    fn budget(&self, _now: Time, _in_flight: u64) -> Option<u64> {
        None
    }

    /// Reports its gauges, as [`jettison_tcp::congestion::CongestionController::gauges`] does. The bandwidth is a series of its own.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// The ECN field of data packets.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// The time at which it must be called next, if any.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }

    /// Called at that time; `in_flight` bytes are in flight.
    fn handle_wakeup(&mut self, _now: Time, _in_flight: u64) {}
}

dyn_clone::clone_trait_object!(PathController);

/// A packet at its departure.
#[derive(Debug, Clone, Copy)]
pub struct PathSent {
    /// Departure time.
    pub now: Time,
    /// Its packet sequence number.
    pub sequence: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes in flight, including this packet.
    pub in_flight: u64,
    /// Whether the application, not window or pacing, limits the sender now.
    pub is_app_limited: bool,
    /// Bytes waiting in the send buffer.
    pub backlog: u64,
}

/// Contents of one acknowledgement, or of a loss timer.
#[derive(Debug, Clone, Copy)]
pub struct PathAck<'a> {
    /// The totals, in the form of TCP's controllers.
    pub sample: &'a AckSample,
    /// Packets newly known to have arrived, in order of their sequence numbers.
    pub arrived: &'a [ArrivedPacket],
    /// Packets newly declared lost.
    pub lost: &'a [LostPacket],
}

/// A packet that arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrivedPacket {
    /// Its packet sequence number.
    pub sequence: u64,
    /// Bytes.
    pub bytes: u64,
    /// Departure time by the sender's clock.
    pub sent_at: Time,
    /// Arrival time by the receiver's clock in microseconds; `None` if its own acknowledgement was lost.
    pub arrived_at: Option<Time>,
    /// The ECN field on arrival.
    pub ecn: Ecn,
}

/// A packet declared lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LostPacket {
    /// Its packet sequence number.
    pub sequence: u64,
    /// Bytes.
    pub bytes: u64,
    /// Departure time.
    pub sent_at: Time,
}
