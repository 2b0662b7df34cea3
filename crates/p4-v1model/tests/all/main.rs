//! Integration tests: P4 programs on both machines, in the switch, and compared with their native twins.

mod bmv2;
mod machines;
mod mutations;
mod packet_tests;
mod planes;
mod psa;
mod twins;
