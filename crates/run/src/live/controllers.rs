//! Congestion controllers that a run loads into the kernel for its duration.

use jettison_cc::Held;
use jettison_scenario::build::LivePlan;

use super::check::{FROM_EBPF, Machine};

/// Controllers loaded for a run; unloaded on drop.
#[derive(Default)]
pub struct Controllers {
    _held: Option<Held>,
}

impl Controllers {
    /// Loads newCWV if a host or flow uses it. A loaded one is shared, so it stays when another run ends. Without the
    /// privileges to load it (`machine`), a loaded one must exist.
    pub fn load(plan: &LivePlan, machine: &Machine) -> Result<Controllers, String> {
        let of_hosts = plan.hosts.iter().map(|host| host.congestion.as_str());
        let of_flows = plan.flows.iter().filter_map(|flow| flow.tcp.as_ref());
        let of_flows = of_flows.filter_map(|tcp| jettison_live::host::kernel_congestion(tcp).ok());
        let wanted: Vec<&str> = of_hosts.chain(of_flows).filter(|name| FROM_EBPF.contains(name)).collect();
        let is_there = |name: &&str| machine.congestion.iter().any(|known| known == name);
        if wanted.is_empty() || (machine.no_newcwv.is_some() && wanted.iter().all(is_there)) {
            return Ok(Controllers::default());
        }
        let held = jettison_cc::hold(None).map_err(|error| error.to_string())?;
        Ok(Controllers { _held: Some(held) })
    }
}
