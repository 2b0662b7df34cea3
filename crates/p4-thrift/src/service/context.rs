//! What the methods of a call share.

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::{ExternId, ExternKind, Program, TableId};
use jettison_p4_v1model::P4Switch;
use jettison_p4_v1model::control::{Answer, Command, CommandError};

use super::timeouts::Timeouts;
use super::{Device, Returned};
use crate::codec::Fields;

/// A call's switch and arguments.
pub(super) struct Context<'a> {
    pub switch: &'a mut P4Switch<Compiled>,
    pub arguments: &'a Fields,
    pub device: &'a Device,
    pub timeouts: &'a mut Timeouts,
    pub now: Time,
    /// Microseconds since 1970.
    pub since_epoch: i64,
}

impl Context<'_> {
    pub fn program(&self) -> &Program {
        self.switch.program()
    }

    /// Executes a command that has no result.
    pub fn execute(&mut self, command: &Command) -> Result<(), CommandError> {
        self.switch.apply(command).map(|_| ())
    }

    /// Executes a command that gives the number of a new object.
    pub fn create(&mut self, command: &Command) -> Result<i32, CommandError> {
        Ok(match self.switch.apply(command)? {
            Answer::Number(number) => number as i32,
            _ => 0,
        })
    }

    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<TableId> {
        let mut tables = self.program().tables.iter();
        tables.position(|table| same(&table.name, name)).map(|at| TableId(at as u32))
    }

    /// The object of this name and kind.
    pub fn object(&self, name: &str, is: impl Fn(ExternKind) -> bool) -> Option<ExternId> {
        let mut externs = self.program().externs.iter();
        externs.position(|own| same(&own.name, name) && is(own.kind)).map(|at| ExternId(at as u32))
    }
}

/// Whether this is the name in the switch's configuration, which has no leading dots.
pub(super) fn same(full: &str, name: &str) -> bool {
    full.trim_start_matches('.') == name
}

/// The result of a method without one.
pub(super) fn done() -> Returned {
    Ok(None)
}
