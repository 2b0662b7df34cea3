//! Registers, counters, meters and hash functions.
//!
//! Their behaviour is BMv2's. An out-of-range index reads and writes nothing. Direct counters and meters
//! are indexed by their table's [`Handle`](crate::table::Handle)s.

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

/// Extern objects of a program.
#[derive(Debug, Clone)]
pub struct Objects {
    objects: Vec<Object>,
    hashes: Hashes,
}

#[derive(Debug, Clone)]
enum Object {
    Register(Register),
    Counter(Counter),
    Meter(Meter),
}

impl Objects {
    /// Creates the objects of a program: values zero, meters without rates.
    pub fn new(program: &Program) -> Objects {
        let objects = program.externs.iter().map(|instance| match instance.kind {
            ExternKind::Register { size, ty } => {
                let register = Register::new(size as usize, program.types.bits(ty));
                Object::Register(match &instance.initial {
                    Some(initial) => register.beginning_with(&initial.to_u64_digits()),
                    None => register,
                })
            }
            ExternKind::Counter { size } => Object::Counter(Counter::new(size as usize)),
            ExternKind::DirectCounter => Object::Counter(Counter::direct()),
            ExternKind::Meter { size, unit } => Object::Meter(Meter::new(size as usize, unit)),
            ExternKind::DirectMeter { unit } => Object::Meter(Meter::direct(unit)),
        });
        Objects { objects: objects.collect(), hashes: Hashes::default() }
    }

    /// Selects an entry of a table, or its default action, for actions that use the table's direct objects.
    pub fn select(&mut self, counter: Option<ExternId>, meter: Option<ExternId>, entry: Option<u64>) {
        if let Some(counter) = counter {
            self.counter_mut(counter).select(entry);
        }
        if let Some(meter) = meter {
            self.meter_mut(meter).select(entry);
        }
    }

    /// Makes an object that of another program, if both are of the same kind, size and type. Returns whether they are.
    pub fn carry(&mut self, id: ExternId, from: &Objects, of: ExternId) -> bool {
        match (&mut self.objects[id.index()], &from.objects[of.index()]) {
            (Object::Register(own), Object::Register(other)) => own.carry(other),
            (Object::Counter(own), Object::Counter(other)) if own.len() == other.len() => {
                own.clone_from(other);
                true
            }
            (Object::Meter(own), Object::Meter(other)) if own.is_like(other) => {
                own.clone_from(other);
                true
            }
            _ => false,
        }
    }

    /// Hash functions, as configured by the control plane.
    pub fn hashes(&self) -> &Hashes {
        &self.hashes
    }

    /// Hash functions, to configure the custom CRCs.
    pub fn hashes_mut(&mut self) -> &mut Hashes {
        &mut self.hashes
    }
}

macro_rules! accessors {
    ($($name:ident, $name_mut:ident, $kind:ident, $kind_name:literal;)*) => {
        impl Objects {$(
            #[doc = concat!("The ", $kind_name, " with this number.\n\n# Panics\nIf the object is of another kind.")]
            #[inline]
            pub fn $name(&self, id: ExternId) -> &$kind {
                match &self.objects[id.index()] {
                    Object::$kind(object) => object,
                    other => panic!(concat!("{:?} is not a ", $kind_name, ": the checker rejects such programs"), other),
                }
            }

            #[doc = concat!("The ", $kind_name, " with this number, mutable.\n\n# Panics\nIf the object is of another kind.")]
            #[inline]
            pub fn $name_mut(&mut self, id: ExternId) -> &mut $kind {
                match &mut self.objects[id.index()] {
                    Object::$kind(object) => object,
                    other => panic!(concat!("{:?} is not a ", $kind_name, ": the checker rejects such programs"), other),
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
