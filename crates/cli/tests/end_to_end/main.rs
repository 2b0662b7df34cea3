//! The built command from end to end: real files, exit codes and messages, one file per topic.

#[cfg(target_os = "linux")]
mod approval;
mod bad_outputs;
mod bad_scenarios;
mod bad_traces;
mod book;
mod check;
mod compare;
mod dash;
mod data;
mod determinism;
mod explain;
#[cfg(unix)]
mod export;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod interrupt;
mod list;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod live_explain;
#[cfg(target_os = "linux")]
mod live_lateness;
#[cfg(target_os = "linux")]
mod live_programs;
mod new;
mod p4;
mod p4_projects;
mod precision;
mod presets;
mod quick;
mod recorded;
mod report;
mod reproduce;
#[cfg(unix)]
mod resume;
mod run;
mod schema;
mod screen;
mod shell;
mod stdout;
mod support;
#[cfg(unix)]
mod sweep;
mod trace;
mod verify;
mod video;
mod whatif;
mod worlds;
