//! Default TCP congestion control of a host.

use std::fs;
use std::path::Path;

use super::{Namespace, sysctl};
use crate::LiveError;

const CURRENT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Mechanism that sets a host's congestion control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CongestionControl {
    /// It is now the namespace's default.
    Namespace,
    /// The host's routes must name it ([`super::Route::congestion_control`]). Outside the machine's initial namespace the
    /// kernel accepts as default only controllers that every user may choose (`net.ipv4.tcp_allowed_congestion_control`). That
    /// list applies to the whole machine and is therefore not changed. A route may name any controller (ip-route(8):
    /// `congctl`).
    Routes(String),
}

/// Makes `name` the default of `namespace` if the kernel allows it; otherwise reports that the routes must name it.
///
/// A new namespace inherits the machine's default, so every host whose results must not depend on it gets its own.
///
/// # Errors
/// If the kernel does not provide the controller; the message lists those that it provides.
pub fn choose_congestion_control(namespace: &Namespace, name: &str) -> Result<CongestionControl, LiveError> {
    namespace.enter(|| {
        // Writing first matters: for root it loads the controller's module.
        if sysctl::write(Path::new(CURRENT), name).is_ok() {
            return Ok(CongestionControl::Namespace);
        }
        let available = fs::read_to_string(AVAILABLE).map_err(LiveError::system(AVAILABLE))?;
        if available.split_whitespace().any(|known| known == name) {
            Ok(CongestionControl::Routes(name.to_owned()))
        } else {
            let offered = available.trim().replace(' ', ", ");
            Err(LiveError::UnknownCongestionControl { name: name.to_owned(), offered })
        }
    })?
}
