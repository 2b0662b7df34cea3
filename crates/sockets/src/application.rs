//! The interface of all applications.

use dyn_clone::DynClone;
use jettison_core::{Gauges, Time};
use jettison_measure::FlowMeter;

use crate::{Question, SocketEvent, Sockets};

/// A program at a host, driven by time and its sockets' events.
pub trait Application: DynClone + Send {
    /// Called once, when the program starts.
    fn start(&mut self, now: Time, host: &mut dyn Sockets);

    /// Called for an event at one of its sockets.
    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets);

    /// Called at the time that [`Application::next_wakeup`] returned.
    fn handle_wakeup(&mut self, _now: Time, _host: &mut dyn Sockets) {}

    /// The time at which it must be called next, if any.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }

    /// Stops the application: it sends nothing new from now on and closes its open sockets.
    fn stop(&mut self, _now: Time, _host: &mut dyn Sockets) {}

    /// Reports the gauges of what it runs on top of sockets, such as a transport's controller. The same ones at each call; a
    /// value that is not known now is not finite. TCP connections that it observes are asked themselves.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// Called at the end of the run: reports measures that are complete only then to the flow's meter.
    fn finish(&mut self, _now: Time, _meter: &mut FlowMeter) {}

    /// Leaves its decisions to someone outside, who answers them with [`Application::decide`]. Called before the start; false if
    /// the program has no decision that could be left.
    fn steer(&mut self) -> bool {
        false
    }

    /// Fills in what is known for the next decision; false if the program is not steered, or has not started.
    fn question(&self, _out: &mut Question) -> bool {
        false
    }

    /// Continues with the answer to the decision for which it called [`Sockets::suspend`].
    fn decide(&mut self, _answer: usize, _now: Time, _host: &mut dyn Sockets) {}
}

dyn_clone::clone_trait_object!(Application);
