//! The TCP congestion control that a host's sockets start with.

use std::fs;
use std::path::Path;

use super::{Namespace, sysctl};
use crate::LiveError;

const CURRENT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// How a host comes to its congestion control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CongestionControl {
    /// It is the namespace's default now.
    Namespace,
    /// The host's routes must name it ([`super::Route::congestion_control`]): outside the machine's first namespace the
    /// kernel takes as the default only controllers that it lets everybody choose
    /// (`net.ipv4.tcp_allowed_congestion_control`), a list that is the whole machine's and therefore left alone. A route
    /// may name any (ip-route(8): `congctl`).
    Routes(String),
}

/// Makes `name` the default of `namespace` if the kernel allows that, or says that the routes must name it.
///
/// A fresh namespace inherits the machine's default, so hosts that should not depend on it are always told theirs.
///
/// # Errors
/// The kernel has no such controller; the message lists those that it has.
pub fn choose_congestion_control(namespace: &Namespace, name: &str) -> Result<CongestionControl, LiveError> {
    namespace.enter(|| {
        // The attempt comes first: for root it loads the controller's module.
        if sysctl::write(Path::new(CURRENT), name).is_ok() {
            return Ok(CongestionControl::Namespace);
        }
        let offered = fs::read_to_string(AVAILABLE).map_err(LiveError::system(AVAILABLE))?;
        if offered.split_whitespace().any(|one| one == name) {
            Ok(CongestionControl::Routes(name.to_owned()))
        } else {
            let offered = offered.trim().replace(' ', ", ");
            Err(LiveError::UnknownCongestionControl { name: name.to_owned(), offered })
        }
    })?
}
