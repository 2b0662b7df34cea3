//! The forwarding pipeline: `SetForwardingPipelineConfig` and `GetForwardingPipelineConfig` (§14, §15).
//!
//! A configuration becomes a switch without links, in which writes to a saved configuration take effect, too. To commit it is to
//! let the device begin what that switch has: its program, and the state of its control plane.

use std::sync::Arc;

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_v1model::stf::Testbed;

use super::{Node, Pipeline, no_pipeline};
use crate::catalogue::Catalogue;
use crate::config::DeviceConfig;
use crate::device::{Device, MAX_DEPARTURES};
use crate::fault::{Fault, invalid, not_found};
use crate::proto::runtime::{
    ForwardingPipelineConfig, GetForwardingPipelineConfigRequest, SetForwardingPipelineConfigRequest,
};
use crate::role::denied;
use crate::switch::Control;

// Values of `SetForwardingPipelineConfigRequest.action`.
const VERIFY: i32 = 1;
const VERIFY_AND_SAVE: i32 = 2;
const VERIFY_AND_COMMIT: i32 = 3;
const COMMIT: i32 = 4;
const RECONCILE_AND_COMMIT: i32 = 5;

/// A configuration that can run.
pub struct Prepared {
    pub(super) config: ForwardingPipelineConfig,
    pub(super) control: Control,
    pub(super) testbed: Testbed<Compiled>,
}

impl Prepared {
    /// Compiles a configuration. One that is not of this switch's format stands for `own`, the program with which the device was
    /// started, if its P4Info is one of it. This takes much longer than a request may hold packets up.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is missing or cannot run.
    pub fn new(config: Option<&ForwardingPipelineConfig>, own: &Arc<Program>) -> Result<Prepared, Fault> {
        let config = config.ok_or_else(|| invalid("missing configuration"))?;
        let info = config.p4info.as_ref().ok_or_else(|| invalid("the configuration has no P4Info"))?;
        let program = match DeviceConfig::read(&config.p4_device_config) {
            Some(given) => given.compile().map_err(invalid)?,
            None => own.clone(),
        };
        let catalogue = Catalogue::new(&program, info)
            .map_err(|error| invalid(format!("the P4Info is not one of the switch's program: {error}")))?;
        Ok(Prepared { config: config.clone(), control: Control::new(catalogue), testbed: scratch(&program)? })
    }
}

/// A switch without links that runs a program.
pub(super) fn scratch(program: &Arc<Program>) -> Result<Testbed<Compiled>, Fault> {
    let testbed = Testbed::new(program, Compiled::new(program.clone()), MAX_DEPARTURES);
    testbed.map_err(|error| invalid(error.to_string()))
}

impl<D: Device> Node<D> {
    /// The program with which the device was started.
    pub fn own_program(&self) -> Arc<Program> {
        self.own.clone()
    }

    /// `SetForwardingPipelineConfig`.
    ///
    /// # Errors
    /// If the controller is not primary or the configuration cannot run; the running program stays.
    pub fn set_pipeline(
        &mut self,
        request: &SetForwardingPipelineConfigRequest,
        now: Time,
    ) -> Result<(), Fault> {
        let prepared = Prepared::new(request.config.as_ref(), &self.own);
        self.set_prepared_pipeline(request, prepared, now)
    }

    /// The same, with the request's configuration already [prepared](Prepared::new), or the reason why it cannot be.
    ///
    /// # Errors
    /// As [`Node::set_pipeline`].
    pub fn set_prepared_pipeline(
        &mut self,
        request: &SetForwardingPipelineConfigRequest,
        prepared: Result<Prepared, Fault>,
        now: Time,
    ) -> Result<(), Fault> {
        self.authorize(request.device_id, &request.role, request.election_id.as_ref())?;
        if self.access(&request.role).is_some_and(|access| !access.pushes()) {
            return Err(denied("setting the pipeline"));
        }
        let next = match request.action {
            COMMIT if request.config.is_some() => return Err(invalid("COMMIT takes no configuration")),
            COMMIT => self.saved.take().ok_or_else(|| not_found("no configuration is saved"))?,
            VERIFY | VERIFY_AND_SAVE | VERIFY_AND_COMMIT | RECONCILE_AND_COMMIT => {
                let prepared = prepared?;
                self.switch.check(prepared.testbed.switch().program())?;
                prepared
            }
            other => return Err(invalid(format!("unknown action {other}"))),
        };
        match request.action {
            VERIFY => {}
            VERIFY_AND_SAVE => self.saved = Some(next),
            RECONCILE_AND_COMMIT => self.reconcile(next, now)?,
            _ => self.commit(next, now),
        }
        Ok(())
    }

    /// Lets the device run a configuration.
    fn commit(&mut self, next: Prepared, now: Time) {
        let Prepared { config, mut control, testbed } = next;
        let origin = self.switch.begin(testbed, now);
        control.restart(Time::ZERO + now.since(origin));
        self.pipeline = Some(Pipeline { config, control, origin });
        self.saved = None;
    }

    /// Commits a configuration with the state of the running one.
    fn reconcile(&mut self, mut next: Prepared, now: Time) -> Result<(), Fault> {
        if let (Some(running), Some(switch)) = (&mut self.pipeline, self.switch.switch()) {
            let same = running.config.p4_device_config == next.config.p4_device_config
                && running.config.p4info == next.config.p4info;
            if same {
                running.config = next.config;
                self.saved = None;
                return Ok(());
            }
            let local = running.local(now);
            next.control.carry_over(next.testbed.switch_mut(), &running.control, switch, local)?;
        }
        self.commit(next, now);
        Ok(())
    }

    /// `GetForwardingPipelineConfig`.
    ///
    /// # Errors
    /// If the device is unknown or has no configuration.
    pub fn pipeline(
        &self,
        request: &GetForwardingPipelineConfigRequest,
    ) -> Result<ForwardingPipelineConfig, Fault> {
        self.check_device(request.device_id)?;
        let running = &self.pipeline.as_ref().ok_or_else(no_pipeline)?.config;
        let (with_info, with_config) = match request.response_type {
            0 => (true, true),
            1 => (false, false),
            2 => (true, false),
            3 => (false, true),
            other => return Err(invalid(format!("unknown response type {other}"))),
        };
        Ok(ForwardingPipelineConfig {
            p4info: running.p4info.clone().filter(|_| with_info),
            p4_device_config: if with_config { running.p4_device_config.clone() } else { Vec::new() },
            cookie: running.cookie,
        })
    }
}
