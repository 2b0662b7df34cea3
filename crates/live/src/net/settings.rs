//! Settings of a host's network namespace that its TCP depends on.
//!
//! A new namespace takes some values from the machine and others from the kernel's defaults, so that two machines measure
//! different TCPs. Every host therefore gets the values of this table, which are those of our simulated TCP where it models
//! them and Linux's defaults elsewhere. What the kernel has for the machine alone is recorded ([`read_settings`]).

use std::path::Path;

use super::{Namespace, sysctl};
use crate::LiveError;

/// A setting, its value and its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Name of the sysctl.
    pub name: &'static str,
    /// The value, as the kernel prints it but with spaces for tabs.
    pub value: &'static str,
    /// The reason, without a full stop.
    pub reason: &'static str,
}

const fn setting(name: &'static str, value: &'static str, reason: &'static str) -> Setting {
    Setting { name, value, reason }
}

/// The settings of every host, in the order of the documentation. `nodes.<host>.sysctls` and a flow's transport override them.
pub const SETTINGS: [Setting; 35] = [
    setting(
        "net.ipv4.tcp_wmem",
        "4096 16384 33554432",
        "the send buffer bounds the flight, also while losses are repaired; the simulated TCP has no bound",
    ),
    setting(
        "net.ipv4.tcp_rmem",
        "4096 131072 33554432",
        "the receive buffer bounds the window, which must not be below the simulated one of 6 MiB",
    ),
    setting("net.ipv4.tcp_moderate_rcvbuf", "1", "the receive buffer grows up to its maximum"),
    setting(
        "net.ipv4.tcp_adv_win_scale",
        "1",
        "share of the receive buffer for the window, before Linux 6.6",
    ),
    setting("net.ipv4.tcp_window_scaling", "1", "as simulated"),
    setting("net.ipv4.tcp_timestamps", "1", "as simulated"),
    setting("net.ipv4.tcp_sack", "1", "as simulated"),
    setting("net.ipv4.tcp_dsack", "1", "as simulated"),
    setting("net.ipv4.tcp_recovery", "1", "as simulated: RACK"),
    setting("net.ipv4.tcp_early_retrans", "3", "as simulated: tail loss probes"),
    setting("net.ipv4.tcp_frto", "2", "Linux's default"),
    setting("net.ipv4.tcp_reordering", "3", "Linux's default"),
    setting("net.ipv4.tcp_max_reordering", "300", "Linux's default"),
    setting("net.ipv4.tcp_ecn", "2", "as simulated: accepted, and requested by controllers that need it"),
    setting("net.ipv4.tcp_ecn_fallback", "1", "Linux's default"),
    setting("net.ipv4.tcp_slow_start_after_idle", "1", "as simulated"),
    setting(
        "net.ipv4.tcp_no_metrics_save",
        "1",
        "a connection must not begin with the RTT and threshold of an earlier one",
    ),
    setting("net.ipv4.tcp_rto_min_us", "200000", "as simulated"),
    setting("net.ipv4.tcp_rto_max_ms", "120000", "as simulated"),
    setting("net.ipv4.tcp_retries2", "15", "as simulated"),
    setting("net.ipv4.tcp_syn_retries", "6", "Linux's default"),
    setting("net.ipv4.tcp_pacing_ss_ratio", "200", "as simulated"),
    setting("net.ipv4.tcp_pacing_ca_ratio", "120", "as simulated"),
    setting("net.ipv4.tcp_autocorking", "0", "small writes leave at once, as simulated"),
    setting(
        "net.ipv4.tcp_notsent_lowat",
        "4294967295",
        "Linux's default: the buffer alone bounds what waits unsent",
    ),
    setting(
        "net.ipv4.tcp_limit_output_bytes",
        "4194304",
        "bytes of a connection below TCP; default of Linux 6.15",
    ),
    setting("net.ipv4.tcp_min_tso_segs", "2", "Linux's default"),
    setting("net.ipv4.tcp_tso_win_divisor", "3", "Linux's default"),
    setting("net.ipv4.tcp_tso_rtt_log", "9", "Linux's default"),
    setting("net.ipv4.tcp_comp_sack_nr", "44", "Linux's default"),
    setting("net.ipv4.tcp_comp_sack_delay_ns", "1000000", "Linux's default"),
    setting("net.ipv4.tcp_comp_sack_slack_ns", "100000", "Linux's default"),
    setting(
        "net.ipv4.tcp_mtu_probing",
        "0",
        "Linux's default: segments have the size that the device's MTU gives",
    ),
    setting("net.ipv4.tcp_fin_timeout", "60", "Linux's default"),
    setting("net.ipv4.ip_local_port_range", "32768 60999", "Linux's default"),
];

/// Settings of the whole machine, or of the host's `congestion`, which are recorded and not changed.
pub const RECORDED: [&str; 9] = [
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_mem",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.core.default_qdisc",
    "net.core.netdev_max_backlog",
    "net.core.netdev_budget",
];

/// Applies [`SETTINGS`] to a namespace. Kernels lack some of them, depending on their version: those are left out.
///
/// Returns one message per setting that the kernel has and rejects.
///
/// # Errors
/// If the namespace cannot be entered.
pub fn apply_settings(namespace: &Namespace) -> Result<Vec<String>, LiveError> {
    namespace.enter(|| {
        let failed = SETTINGS.iter().filter_map(|Setting { name, value, .. }| {
            let path = Path::new("/proc/sys").join(name.replace('.', "/"));
            // A kernel that never lets namespaces write a setting shows it as read-only, or not at all.
            let why = sysctl::write(&path, value).err().filter(|_| path.exists())?;
            Some(format!("cannot set sysctl {name} to {value}: {why}"))
        });
        failed.collect()
    })
}

/// Reads the values of [`SETTINGS`], of `others`, and of [`RECORDED`], as far as the kernel shows them. What the host's namespace
/// does not show is read in `machine`, if given.
///
/// # Errors
/// If a namespace cannot be entered.
pub fn read_settings(
    namespace: &Namespace,
    machine: Option<&Namespace>,
    others: &[&str],
) -> Result<Vec<(String, String)>, LiveError> {
    let mut names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    for name in others.iter().chain(&RECORDED) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let read = |name: &&str| {
        let path = match name.contains('/') {
            true => Path::new("/proc/sys").join(name),
            false => Path::new("/proc/sys").join(name.replace('.', "/")),
        };
        let text = std::fs::read_to_string(path).ok()?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let of = |namespace: &Namespace| namespace.enter(|| names.iter().map(read).collect::<Vec<_>>());
    let here = of(namespace)?;
    let there = machine.map_or_else(|| Ok(vec![None; names.len()]), of)?;
    let values = names.iter().zip(here.into_iter().zip(there));
    Ok(values.filter_map(|(name, (here, there))| Some(((*name).to_owned(), here.or(there)?))).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_setting_is_named_once_and_documented() {
        let names: HashSet<&str> = SETTINGS.iter().map(|setting| setting.name).chain(RECORDED).collect();
        assert_eq!(names.len(), SETTINGS.len() + RECORDED.len());
        let page = include_str!("../../../../docs/src/appendix/live.md");
        for Setting { name, value, reason } in SETTINGS {
            let row = format!("| `{}` | {value} | {reason} |", name.trim_start_matches("net.ipv4."));
            assert!(page.contains(&row), "docs/src/appendix/live.md has no row\n{row}");
        }
    }
}
