//! Scenario files: checks, messages, and the worlds made of them.

mod bad_keys;
mod bad_variants;
mod bad_worlds;
mod catalogue;
mod cells;
mod choices;
mod controllers;
mod deprecated;
mod export;
mod files;
mod gauges;
mod goodput;
mod metrics;
mod p4;
mod profiles;
mod robustness;
mod shipped;
mod support;
mod variants;
mod wrong_parameters;
