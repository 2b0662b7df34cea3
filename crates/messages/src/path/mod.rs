//! Controllers of the message transport: how much may be under way, how fast it leaves, and what applications are told.
//!
//! A [`PathController`] is told of each packet that left, arrived or was lost, with the arrival times that the receiver
//! reports; delay-based schemes (Sprout, GCC, SCReAM) need them. TCP's [`jettison_tcp::congestion`] controllers serve too, behind
//! one adapter.

pub mod abc;
mod delay;
#[cfg(test)]
mod gauge_tests;
pub mod gcc;
mod oracle;
#[cfg(test)]
mod properties;
mod registry;
pub mod scream;
pub mod sprout;
pub mod sprout_ewma;
#[cfg(test)]
mod testing;
mod under_way;
mod window;

use std::fmt::Debug;

use jettison_core::{Gauges, Rate, Time};
use jettison_wire::Ecn;

use jettison_tcp::congestion::AckSample;

pub use abc::{Abc, AbcParameters};
pub use gcc::{Gcc, GccFilter, GccParameters};
pub use oracle::{Oracle, OracleParameters};
pub use registry::{PathContext, PathControllerEntry, build_path_controller, path_controllers};
pub use scream::{Scream, ScreamParameters};
pub use sprout::{IdleTicks, Sprout, SproutParameters};
pub use sprout_ewma::{Grace, SproutEwma, SproutEwmaParameters};
pub use window::Window;

/// A controller of the message transport. Byte counts are of IP packets' payload (all that the transport makes, its own
/// headers included; the eight bytes of UDP are not).
pub trait PathController: Send + Debug {
    /// A packet left.
    fn on_sent(&mut self, _sent: &PathSent) {}

    /// An acknowledgement arrived, or time has shown packets to be lost.
    fn on_ack(&mut self, ack: &PathAck<'_>);

    /// Nothing has been heard for a probe timeout (RFC 9002 §6.2); `in_flight` bytes are under way.
    fn on_timeout(&mut self, _now: Time, _in_flight: u64) {}

    /// Bytes that may be in flight.
    fn window(&self) -> u64;

    /// Packets were lost over so long a time that the path is taken to have changed (RFC 9002 §7.6); comes right after the
    /// [`PathController::on_ack`] that told of them. `in_flight` bytes are still under way.
    fn on_persistent_congestion(&mut self, _now: Time, _in_flight: u64) {}

    /// The rate at which packets leave; `None` for as fast as the window allows.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether the transport spaces packets by window over RTT where there is no rate (RFC 9002 §7.7).
    fn paces_by_window(&self) -> bool {
        false
    }

    /// Bytes that may leave back to back when paced; `None` for one packet.
    fn pacing_quantum(&self) -> Option<u64> {
        None
    }

    /// The bandwidth that applications and the send buffer's verdict are told; `None` before anything is known.
    fn bandwidth(&self) -> Option<Rate>;

    /// Bytes that it would let out now as one burst, for encoders that fit a frame to it (Salsify); `None` if it has no
    /// such notion.
    fn budget(&self, _now: Time, _in_flight: u64) -> Option<u64> {
        None
    }

    /// Reports its gauges, as [`jettison_tcp::congestion::CongestionController::gauges`] does. The bandwidth is a series of its own.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// The ECN field of data packets.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// When it wants to be called by itself.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }

    /// That time has come; `in_flight` bytes are under way.
    fn handle_wakeup(&mut self, _now: Time, _in_flight: u64) {}
}

/// A packet that left.
#[derive(Debug, Clone, Copy)]
pub struct PathSent {
    /// When.
    pub now: Time,
    /// Its packet sequence number.
    pub sequence: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes in flight, it included.
    pub in_flight: u64,
    /// Whether the application, not window or pacing, limits the sender at this time.
    pub is_app_limited: bool,
    /// Bytes that wait in the send buffer.
    pub backlog: u64,
}

/// What one acknowledgement, or a loss timer, told the sender.
#[derive(Debug, Clone, Copy)]
pub struct PathAck<'a> {
    /// The totals, as TCP's controllers get them.
    pub sample: &'a AckSample,
    /// Packets newly known to have arrived, in order of their sequence numbers.
    pub arrived: &'a [ArrivedPacket],
    /// Packets newly held for lost.
    pub lost: &'a [LostPacket],
}

/// A packet that arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrivedPacket {
    /// Its packet sequence number.
    pub sequence: u64,
    /// Bytes.
    pub bytes: u64,
    /// When it left, by the sender's clock.
    pub sent_at: Time,
    /// When it arrived, by the receiver's clock in microseconds; `None` where its own acknowledgement was lost.
    pub arrived_at: Option<Time>,
    /// How it came to be marked on the way.
    pub ecn: Ecn,
}

/// A packet that is held for lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LostPacket {
    /// Its packet sequence number.
    pub sequence: u64,
    /// Bytes.
    pub bytes: u64,
    /// When it left.
    pub sent_at: Time,
}
