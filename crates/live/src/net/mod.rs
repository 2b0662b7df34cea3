//! Network namespaces: creation, configuration, settings and counters.

mod congestion;
pub mod counters;
mod interface;
mod namespace;
mod settings;
pub mod sysctl;

pub use congestion::{CongestionControl, choose_congestion_control};
pub use interface::{
    Interface, Route, add_gateway, add_neighbour, add_route, configure, disable_ipv6, set_up_host,
};
pub use namespace::{Namespace, Within};
pub use settings::{RECORDED, SETTINGS, Setting, apply_settings, read_settings};
