//! The services `standard`, `simple_pre_lag` and `simple_switch`, without I/O.
//!
//! Methods, fields and codes are those of BMv2's interface definitions (`standard.thrift`, `simple_pre_lag.thrift`,
//! `simple_switch.thrift`). The number of a field is an argument's place in the definition.

mod actions;
mod context;
mod counters;
mod crc;
mod entries;
mod keys;
mod management;
mod meters;
mod mirroring;
mod multicast;
mod profiles;
mod queues;
mod registers;
mod tables;
mod timeouts;
mod value_sets;

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_v1model::P4Switch;

use crate::codec::{Fields, Value};
use crate::fault::{ApplicationError, Fault, internal};
use context::{Context, done};
use timeouts::Timeouts;

/// Result of a method; `None` for a method without one.
pub type Returned = Result<Option<Value>, Fault>;

/// A switch that clients control.
pub trait Target {
    /// The switch; `None` while it is not there.
    fn switch(&mut self) -> Option<&mut P4Switch<Compiled>>;

    /// Returns the switch to its program's own entries and initial values.
    fn reset(&mut self);
}

impl Target for P4Switch<Compiled> {
    fn switch(&mut self) -> Option<&mut P4Switch<Compiled>> {
        Some(self)
    }

    fn reset(&mut self) {
        self.reset_control_plane();
    }
}

/// What clients are told of a switch beside its program.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// Its device id.
    pub id: u64,
    /// TCP port of this interface.
    pub port: u16,
    /// Numbers of its ports and names of their interfaces.
    pub ports: Vec<(u16, String)>,
}

/// A call of a method.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Name of the service and of the method, with a colon between.
    pub name: &'a str,
    /// Arguments by their numbers.
    pub arguments: &'a Fields,
    /// Time of the switch.
    pub now: Time,
    /// Microseconds since 1970.
    pub since_epoch: i64,
}

/// The services of a switch.
#[derive(Debug, Default)]
pub struct Services {
    device: Device,
    timeouts: Timeouts,
}

impl Services {
    /// The services of a switch that has this description.
    pub fn new(device: Device) -> Services {
        Services { device, timeouts: Timeouts::default() }
    }

    /// Executes a call.
    ///
    /// # Errors
    /// If it is refused; the switch is unchanged.
    pub fn call(&mut self, target: &mut dyn Target, call: &Call<'_>) -> Returned {
        let (service, method) = call.name.split_once(':').unwrap_or(("standard", call.name));
        if (service, method) == ("standard", "bm_reset_state") {
            target.reset();
            self.timeouts.clear();
            return done();
        }
        let switch = target.switch().ok_or_else(|| internal("the switch has ended"))?;
        let mut context = Context {
            switch,
            arguments: call.arguments,
            device: &self.device,
            timeouts: &mut self.timeouts,
            now: call.now,
            since_epoch: call.since_epoch,
        };
        let standard = [
            tables::call,
            entries::call,
            profiles::call,
            counters::call,
            meters::call,
            registers::call,
            value_sets::call,
            crc::call,
            management::call,
        ];
        let own: &[fn(&mut Context<'_>, &str) -> Option<Returned>] = match service {
            "standard" => &standard,
            "simple_pre_lag" => &[multicast::call],
            "simple_switch" => &[mirroring::call, queues::call],
            _ => {
                let message =
                    format!("unknown service `{service}`; known: standard, simple_pre_lag, simple_switch");
                return Err(Fault::Application(ApplicationError::UnknownMethod, message));
            }
        };
        let answer = own.iter().find_map(|methods| methods(&mut context, method));
        answer.unwrap_or_else(|| {
            let message = format!("unknown method `{method}` of `{service}`");
            Err(Fault::Application(ApplicationError::UnknownMethod, message))
        })
    }
}
