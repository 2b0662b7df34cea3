//! TCP endpoints against each other over a scripted link, stepped from wakeup to wakeup.

mod acc_ecn;
mod acks;
mod bbr;
mod controllers;
mod ecn;
mod fairness;
mod handshake;
mod harness;
mod newcwv;
mod pacing;
mod properties;
mod recovery;
mod scalable;
mod timers;
mod trace;
mod windows;
