//! Congestion controllers that a run brings into the kernel, for as long as it goes.

use jettison_cc::Held;
use jettison_scenario::build::LivePlan;

use super::check::{FROM_EBPF, Machine};

/// What a run has loaded; it goes with this value.
#[derive(Default)]
pub struct Controllers {
    _held: Option<Held>,
}

impl Controllers {
    /// Loads newCWV if any host or flow wants it, or shares what is there, so that it stays when another run ends. Where this
    /// process may not (`machine`), what is there must do.
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
