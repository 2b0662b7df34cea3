//! The Portable Switch Architecture: `PSA_Switch(…) main;`, its blocks, objects and rules.
//!
//! Each parameter of a block is an alias of a part of the packet's state: an `out` parameter of a deparser is the same
//! part as the `in` parameter of the parser that receives it.

mod blocks;
mod direct;
mod objects;
mod properties;

pub(super) use blocks::PackageInstance;
pub(super) use direct::direct_objects;
pub(super) use objects::PsaObject;

use super::Checker;

impl Checker<'_> {
    /// Whether the program includes PSA's declarations.
    pub(super) fn is_psa(&self) -> bool {
        self.globals.contains_key("PSA_Switch")
    }
}
