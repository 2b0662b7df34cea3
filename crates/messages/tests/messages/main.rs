//! Endpoints of the message transport against each other over a scripted link, stepped from wakeup to wakeup.

mod acks;
mod capacity;
mod delivery;
mod harness;
#[path = "../hostile/mod.rs"]
mod hostile;
mod limits;
mod loopback;
mod losses;
mod malformed;
mod overtake;
mod parity;
mod properties;
mod repair;
mod verdict;
