//! What every application is.

use jettison_core::{Gauges, Time};
use jettison_measure::FlowMeter;

use crate::{SocketEvent, Sockets};

/// A program at a host, told the time and its sockets' events.
pub trait Application: Send {
    /// The program starts.
    fn start(&mut self, now: Time, host: &mut dyn Sockets);

    /// Something happened at one of its sockets.
    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets);

    /// The time that [`Application::next_wakeup`] named has come.
    fn handle_wakeup(&mut self, _now: Time, _host: &mut dyn Sockets) {}

    /// When it wants to be called next by itself.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }

    /// The scenario stops it: it sends nothing new from here and closes what it has open.
    fn stop(&mut self, _now: Time, _host: &mut dyn Sockets) {}

    /// Reports the gauges of what it runs on top of sockets, such as a transport's controller. The same ones at each call; a
    /// value that is not known now is not finite. TCP connections that it observes are asked themselves.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// The run has ended: what only an end tells goes to the flow's meter.
    fn finish(&mut self, _now: Time, _meter: &mut FlowMeter) {}
}
