//! Scenario files: checks, messages, and the worlds made of them.

mod account_cases;
mod accounts;
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
mod flips;
mod forks;
mod gauges;
mod goodput;
mod identities;
mod metrics;
mod p4;
mod profiles;
mod robustness;
mod scripts;
mod shipped;
mod support;
mod variants;
mod wrong_parameters;
