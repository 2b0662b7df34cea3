//! The rules of v1model as BMv2's `simple_switch` documents them, one by one.

mod adopt;
mod after_egress;
mod after_ingress;
mod cpu_port;
mod leaks;
mod metadata;
mod packets;
mod programs;
mod timed;

use jettison_core::Time;
use jettison_switch::Port;

use super::control::Command;
use super::{MirrorSession, MirrorTarget};

/// Time of the events.
const T: Time = Time::from_millis(3);

/// Command that makes session 5 clone to a port.
fn to_port(port: u16) -> Command {
    Command::MirroringAdd { session: 5, config: MirrorSession::to_port(Port(port)) }
}

/// Commands that create a group of one node with these ports.
fn group(group: u16, rid: u16, ports: &[u16]) -> [Command; 3] {
    [
        Command::GroupCreate { group },
        Command::NodeCreate { rid, ports: ports.iter().copied().map(Port).collect() },
        Command::NodeAssociate { group, node: 0 },
    ]
}

fn to_group(group: u16) -> Command {
    let config = MirrorSession { to: MirrorTarget::Group(group), truncate: None, priority: 0 };
    Command::MirroringAdd { session: 5, config }
}
