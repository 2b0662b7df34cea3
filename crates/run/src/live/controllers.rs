//! Congestion controllers that a run loads into the kernel for its duration.

use jettison_cc::{Held, Settings};
use jettison_live::host::NewCwvSettings;
use jettison_scenario::build::LivePlan;

use super::check::{FROM_EBPF, Machine};

/// Controllers loaded for a run; unloaded on drop.
#[derive(Default)]
pub struct Controllers {
    _held: Option<Held>,
}

impl Controllers {
    /// Loads newCWV if a host or flow uses it, with the flows' parameters. A loaded one is shared, so it stays when another
    /// run ends. Without the
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
        let held = jettison_cc::hold(settings(plan)?).map_err(|error| error.to_string())?;
        Ok(Controllers { _held: Some(held) })
    }
}

/// Parameters of the flows that use newCWV. The kernel has one set of them, so the flows must agree; hosts' programs get
/// the same.
fn settings(plan: &LivePlan) -> Result<Settings, String> {
    let mut first: Option<(&str, NewCwvSettings)> = None;
    for flow in &plan.flows {
        let Some(tcp) = &flow.tcp else { continue };
        let own = jettison_live::host::newcwv_settings(tcp)
            .map_err(|error| format!("flows.{}.transport.congestion: {error}", flow.name))?;
        match (&first, own) {
            (_, None) => {}
            (None, Some(own)) => first = Some((&flow.name, own)),
            (Some((other, of_other)), Some(own)) if *of_other != own => {
                return Err(format!(
                    "flows.{}.transport.congestion: `burst_segments` and `non_validated_period` must be those of \
                     flows.{other}, since the kernel's newcwv has one set of parameters",
                    flow.name
                ));
            }
            (Some(_), Some(_)) => {}
        }
    }
    Ok(first.map_or_else(Settings::default, |(_, own)| Settings {
        validity: Some(std::time::Duration::from_nanos(own.non_validated_period.as_nanos())),
        burst: Some(own.burst_segments),
    }))
}
