//! Whole simulated runs.

mod cake;
mod dash;
mod determinism;
mod estimates;
mod goodput;
mod l4s;
mod octopus;
mod p4;
mod reference;
mod scream;
mod steps;
mod support;
mod value;
