//! Names of transports' waits in accounts of delays.

use jettison_measure::Component;
use jettison_tcp::{Limit, Repair};

/// The component of a wait for what holds a sender back.
pub fn limit_component(limit: Limit) -> Component {
    match limit {
        Limit::Handshake => Component::Handshake,
        Limit::Application => Component::Application,
        Limit::Window => Component::Window,
        Limit::ReceiveWindow => Component::ReceiveWindow,
        Limit::Pacing => Component::Pacing,
    }
}

/// The component of a wait for a retransmission.
pub fn repair_component(repair: Repair) -> Component {
    match repair {
        Repair::Fast => Component::RetransmissionFast,
        Repair::Rack => Component::RetransmissionRack,
        Repair::Probe => Component::RetransmissionProbe,
        Repair::Timeout => Component::RetransmissionTimeout,
    }
}
