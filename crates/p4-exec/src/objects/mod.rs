//! Registers, counters, meters, and the hash functions.
//!
//! They behave as BMv2's. What an index out of range names does not exist: reading it gives zero (green), writing it
//! does nothing. Direct counters and meters are indexed by their table's [`Handle`](crate::table::Handle)s.

mod bits;
mod counter;
pub mod hash;
mod meter;
mod register;

pub use bits::{BitReader, BitWriter};
pub use counter::Counter;
pub use hash::{CrcParameters, Hashes};
pub use meter::{Meter, MeterRate, MeterRateError};
pub use register::Register;

use jettison_p4_front::ir::{ExternId, ExternKind, Program};

/// The extern objects of a program.
#[derive(Debug)]
pub struct Objects {
    objects: Vec<Object>,
    hashes: Hashes,
}

#[derive(Debug)]
enum Object {
    Register(Register),
    Counter(Counter),
    Meter(Meter),
}

impl Objects {
    /// All zero, no meter configured.
    pub fn new(program: &Program) -> Objects {
        let objects = program.externs.iter().map(|instance| match instance.kind {
            ExternKind::Register { size, ty } => {
                Object::Register(Register::new(size as usize, program.types.bits(ty)))
            }
            ExternKind::Counter { size } => Object::Counter(Counter::new(size as usize)),
            ExternKind::DirectCounter => Object::Counter(Counter::direct()),
            ExternKind::Meter { size, unit } => Object::Meter(Meter::new(size as usize, unit)),
            ExternKind::DirectMeter { unit } => Object::Meter(Meter::direct(unit)),
        });
        Objects { objects: objects.collect(), hashes: Hashes::default() }
    }

    /// The hash functions, as the control plane has set those that it may set.
    pub fn hashes(&self) -> &Hashes {
        &self.hashes
    }

    /// The hash functions, to set the custom ones' parameters.
    pub fn hashes_mut(&mut self) -> &mut Hashes {
        &mut self.hashes
    }
}

macro_rules! accessors {
    ($($name:ident, $name_mut:ident, $kind:ident, $what:literal;)*) => {
        impl Objects {$(
            #[doc = concat!("The ", $what, " with this number. Panics if it is none.")]
            #[inline]
            pub fn $name(&self, id: ExternId) -> &$kind {
                match &self.objects[id.index()] {
                    Object::$kind(object) => object,
                    other => panic!(concat!("{:?} is no ", $what, ": the checker lets none through"), other),
                }
            }

            #[doc = concat!("The ", $what, " with this number, to change it. Panics if it is none.")]
            #[inline]
            pub fn $name_mut(&mut self, id: ExternId) -> &mut $kind {
                match &mut self.objects[id.index()] {
                    Object::$kind(object) => object,
                    other => panic!(concat!("{:?} is no ", $what, ": the checker lets none through"), other),
                }
            }
        )*}
    };
}

accessors! {
    register, register_mut, Register, "register";
    counter, counter_mut, Counter, "counter";
    meter, meter_mut, Meter, "meter";
}
