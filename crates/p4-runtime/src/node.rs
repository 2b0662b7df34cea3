//! A P4 device for controllers: arbitration, the forwarding pipeline, streams; without I/O.
//!
//! Its switch is a [`Device`]. Frames that leave at the switch's CPU port become packet-ins.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Time;
use jettison_p4_front::ir::Program;

use crate::catalogue::Catalogue;
use crate::config::DeviceConfig;
use crate::device::{Device, Returns, Standalone};
use crate::fault::{Code, Fault, invalid, not_found};
use crate::proto::runtime::{
    Entity, Error, ForwardingPipelineConfig, GetForwardingPipelineConfigRequest, MasterArbitrationUpdate,
    PacketOut, PacketOutError, ReadRequest, Role, SetForwardingPipelineConfigRequest, Status, StreamError,
    StreamErrorDetails, StreamMessageRequest, StreamMessageResponse, StreamRequest, StreamResponse, Uint128,
    WriteRequest,
};
use crate::switch::Control;

/// Version of the P4Runtime specification.
pub const API_VERSION: &str = "1.4.1";

// Values of `WriteRequest.atomicity`.
const CONTINUE_ON_ERROR: i32 = 0;
const ROLLBACK_ON_ERROR: i32 = 1;
const DATAPLANE_ATOMIC: i32 = 2;

/// Number of a controller's stream.
pub type ClientId = u64;

/// A P4 device.
pub struct Node<D> {
    device: u64,
    switch: D,
    /// The program that the device was started with, for configurations of other compilers.
    own: Arc<Program>,
    pipeline: Option<Pipeline>,
    saved: Option<Verified>,
    clients: BTreeMap<ClientId, Client>,
    next_client: ClientId,
    /// By role: the highest election id so far.
    highest: BTreeMap<String, u128>,
    outbox: Vec<(ClientId, StreamMessageResponse)>,
    returns: Returns,
}

/// A running program.
struct Pipeline {
    config: ForwardingPipelineConfig,
    control: Control,
    /// Time of the device at the switch's zero.
    origin: Time,
}

/// A configuration that can run.
struct Verified {
    config: ForwardingPipelineConfig,
    program: Arc<Program>,
    catalogue: Catalogue,
}

/// A controller with an open stream.
#[derive(Debug, Clone)]
struct Client {
    role: String,
    election: Option<u128>,
}

impl Node<Standalone> {
    /// A device with ports that no link joins.
    ///
    /// # Errors
    /// If the configuration's P4Info is not one of the program.
    pub fn standalone(
        device: u64,
        cpu_port: u16,
        program: Arc<Program>,
        config: ForwardingPipelineConfig,
    ) -> Result<Node<Standalone>, Fault> {
        let mut switch = Standalone::new(cpu_port);
        switch.begin(&program, Time::ZERO)?;
        Node::new(device, switch, program, config)
    }

    /// A frame arrives at a port.
    ///
    /// # Errors
    /// If the program never finishes with it.
    pub fn receive(&mut self, port: u16, frame: &[u8], now: Time) -> Result<(), Fault> {
        self.advance(now)?;
        let done = self.switch.receive(port, frame);
        self.collect(now);
        done
    }
}

impl<D: Device> Node<D> {
    /// A device whose switch runs `program`, with this configuration.
    ///
    /// # Errors
    /// If the configuration's P4Info is not one of the program.
    pub fn new(
        device: u64,
        switch: D,
        program: Arc<Program>,
        config: ForwardingPipelineConfig,
    ) -> Result<Node<D>, Fault> {
        let catalogue = Catalogue::new(&program, config.p4info.as_ref().unwrap_or(&Default::default()));
        let control = Control::new(catalogue.map_err(invalid)?);
        Ok(Node {
            device,
            switch,
            own: program,
            pipeline: Some(Pipeline { config, control, origin: Time::ZERO }),
            saved: None,
            clients: BTreeMap::new(),
            next_client: 1,
            highest: BTreeMap::new(),
            outbox: Vec::new(),
            returns: Returns::default(),
        })
    }

    /// Messages to controllers since the last call.
    pub fn take_messages(&mut self) -> Vec<(ClientId, StreamMessageResponse)> {
        std::mem::take(&mut self.outbox)
    }

    /// The switch.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.switch
    }

    /// The next time at which [`Node::advance`] may have something for controllers without an event of the switch.
    pub fn next_due(&self) -> Option<Time> {
        let pipeline = self.pipeline.as_ref()?;
        Some(pipeline.origin.saturating_add(pipeline.control.next_due()?.since(Time::ZERO)))
    }

    /// A number for a new stream.
    pub fn open(&mut self) -> ClientId {
        self.next_client += 1;
        self.next_client - 1
    }

    /// A stream was closed.
    pub fn close(&mut self, client: ClientId) {
        let Some(gone) = self.clients.remove(&client) else { return };
        let was_primary = gone.election.is_some() && gone.election == self.highest.get(&gone.role).copied();
        if was_primary {
            self.notify(&gone.role);
        }
    }

    /// A message of a controller's stream.
    ///
    /// # Errors
    /// If the stream must be terminated.
    pub fn message(
        &mut self,
        client: ClientId,
        message: StreamMessageRequest,
        now: Time,
    ) -> Result<(), Fault> {
        match message.update {
            Some(StreamRequest::Arbitration(update)) => self.arbitrate(client, &update),
            Some(StreamRequest::Packet(packet)) => {
                if let Err(fault) = self.packet_out(client, &packet, now) {
                    let packet_out = Some(packet);
                    self.refuse(client, &fault, StreamErrorDetails::PacketOut(PacketOutError { packet_out }));
                }
                Ok(())
            }
            Some(StreamRequest::DigestAck(ack)) => {
                let is_primary = self.is_primary(client);
                let done = match (&mut self.pipeline, is_primary) {
                    (_, false) => Err(not_primary()),
                    (None, _) => Err(no_pipeline()),
                    (Some(pipeline), true) => pipeline.control.acknowledge(&ack),
                };
                if let Err(fault) = done {
                    use crate::proto::runtime::DigestListAckError;
                    let details = DigestListAckError { digest_list_ack: Some(ack) };
                    self.refuse(client, &fault, StreamErrorDetails::DigestListAck(details));
                }
                Ok(())
            }
            Some(StreamRequest::Other(other)) => {
                use crate::proto::runtime::StreamOtherError;
                let fault = Fault::new(Code::Unimplemented, "no other stream messages are known");
                let details = StreamErrorDetails::Other(StreamOtherError { other: Some(other) });
                self.refuse(client, &fault, details);
                Ok(())
            }
            None => Err(invalid("the stream message is empty")),
        }
    }

    fn refuse(&mut self, client: ClientId, fault: &Fault, details: StreamErrorDetails) {
        let error = StreamError {
            canonical_code: fault.code as i32,
            message: fault.message.clone(),
            details: Some(details),
            ..StreamError::default()
        };
        self.send(client, StreamResponse::Error(error));
    }

    fn send(&mut self, client: ClientId, update: StreamResponse) {
        self.outbox.push((client, StreamMessageResponse { update: Some(update) }));
    }

    /// §5.3: rules for arbitration.
    fn arbitrate(&mut self, client: ClientId, update: &MasterArbitrationUpdate) -> Result<(), Fault> {
        let role = update.role.as_ref().map(|role| role.name.clone()).unwrap_or_default();
        let election = update.election_id.as_ref().map(election);
        let known = self.clients.get(&client).cloned();
        match &known {
            None if update.device_id != self.device => {
                return Err(not_found(format!(
                    "unknown device {}; this is {}",
                    update.device_id, self.device
                )));
            }
            Some(known) if update.device_id != self.device || known.role != role => {
                let text = "a stream keeps its device and role: open another stream";
                return Err(Fault::new(Code::FailedPrecondition, text));
            }
            _ => {}
        }
        if update.role.as_ref().is_some_and(|role| role.config.is_some()) {
            return Err(invalid("no role configurations are known"));
        }
        let same = |(id, other): (&ClientId, &Client)| {
            *id != client && other.role == role && other.election == election
        };
        if election.is_some() && self.clients.iter().any(same) {
            return Err(invalid("another controller of this role has the same election id"));
        }
        let highest = self.highest.get(&role).copied();
        let was_primary = known.is_some_and(|known| known.election.is_some() && known.election == highest);
        self.clients.insert(client, Client { role: role.clone(), election });
        let becomes_primary =
            election.is_some_and(|election| highest.is_none_or(|highest| election >= highest));
        if let (true, Some(election)) = (becomes_primary, election) {
            self.highest.insert(role.clone(), election);
        }
        match becomes_primary || was_primary {
            true => self.notify(&role),
            false => {
                let message = self.notice(client, &role);
                self.send(client, StreamResponse::Arbitration(message));
            }
        }
        Ok(())
    }

    /// Tells all controllers of a role who is primary; the primary last.
    fn notify(&mut self, role: &str) {
        let of_role = self.clients.iter().filter(|(_, client)| client.role == role).map(|(id, _)| *id);
        let mut clients: Vec<ClientId> = of_role.collect();
        clients.sort_by_key(|client| self.is_primary(*client));
        for client in clients {
            let message = self.notice(client, role);
            self.send(client, StreamResponse::Arbitration(message));
        }
    }

    fn notice(&self, client: ClientId, role: &str) -> MasterArbitrationUpdate {
        let highest = self.highest.get(role).copied();
        let code = match (self.is_primary(client), self.primary(role)) {
            (true, _) => Code::Ok,
            (false, Some(_)) => Code::AlreadyExists,
            (false, None) => Code::NotFound,
        };
        let message = match code {
            Code::Ok => "this controller is primary",
            Code::AlreadyExists => "another controller is primary",
            _ => "no controller is primary",
        };
        MasterArbitrationUpdate {
            device_id: self.device,
            role: (!role.is_empty()).then(|| Role { name: role.to_owned(), ..Role::default() }),
            election_id: highest.map(|id| Uint128 { high: (id >> 64) as u64, low: id as u64 }),
            status: Some(Status { code: code as i32, message: message.to_owned(), details: Vec::new() }),
        }
    }

    fn primary(&self, role: &str) -> Option<ClientId> {
        let highest = self.highest.get(role).copied();
        let mut clients = self.clients.iter();
        let primary =
            |client: &Client| client.role == role && client.election.is_some() && client.election == highest;
        clients.find(|(_, client)| primary(client)).map(|(id, _)| *id)
    }

    fn is_primary(&self, client: ClientId) -> bool {
        self.clients.get(&client).is_some_and(|known| self.primary(&known.role) == Some(client))
    }

    /// Refuses a change unless it has the election id of the role's primary controller.
    fn authorize(&self, device: u64, role: &str, id: Option<&Uint128>) -> Result<(), Fault> {
        self.check_device(device)?;
        let primary = self.primary(role).and_then(|client| self.clients.get(&client)?.election);
        match primary {
            Some(primary) if id.map(election) == Some(primary) => Ok(()),
            _ => Err(not_primary()),
        }
    }

    fn check_device(&self, device: u64) -> Result<(), Fault> {
        match device == self.device {
            true => Ok(()),
            false => Err(not_found(format!("unknown device {device}; this is {}", self.device))),
        }
    }

    /// Executes a batch of updates; the result is one error per update, `OK` included, if any failed.
    ///
    /// # Errors
    /// If the batch as a whole is refused.
    pub fn write(&mut self, request: &WriteRequest, now: Time) -> Result<Option<Vec<Error>>, Fault> {
        self.authorize(request.device_id, &request.role, request.election_id.as_ref())?;
        let pipeline = self.pipeline.as_mut().ok_or_else(no_pipeline)?;
        let is_atomic = match request.atomicity {
            CONTINUE_ON_ERROR => false,
            // No packet passes during a request, so that both are the same.
            ROLLBACK_ON_ERROR | DATAPLANE_ATOMIC => true,
            other => return Err(invalid(format!("unknown atomicity {other}"))),
        };
        let local = pipeline.local(now);
        let switch = self.switch.switch_mut().ok_or_else(no_pipeline)?;
        let before = is_atomic.then(|| (switch.control_state(), pipeline.control.clone()));
        let mut errors = Vec::with_capacity(request.updates.len());
        for update in &request.updates {
            let done = pipeline.control.write(switch, update, local);
            let failed = done.is_err();
            errors.push(done.map_or_else(failure, |()| Error::default()));
            if failed && is_atomic {
                break;
            }
        }
        let failed = errors.iter().any(|error| error.canonical_code != 0);
        if let (true, Some((state, control))) = (failed, before) {
            switch.restore(state);
            pipeline.control = control;
            // All others had no effect.
            let aborted = || failure(Fault::new(Code::Aborted, "another update of the batch failed"));
            errors.iter_mut().filter(|error| error.canonical_code == 0).for_each(|error| *error = aborted());
            errors.resize_with(request.updates.len(), aborted);
        }
        Ok(failed.then_some(errors))
    }

    /// Reads entities.
    ///
    /// # Errors
    /// If one of the requests is refused.
    pub fn read(&self, request: &ReadRequest, now: Time) -> Result<Vec<Entity>, Fault> {
        self.check_device(request.device_id)?;
        let pipeline = self.pipeline.as_ref().ok_or_else(no_pipeline)?;
        let switch = self.switch.switch().ok_or_else(no_pipeline)?;
        let mut entities = Vec::new();
        for entity in &request.entities {
            pipeline.control.read(switch, entity, pipeline.local(now), &mut entities)?;
        }
        Ok(entities)
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
        self.authorize(request.device_id, &request.role, request.election_id.as_ref())?;
        match request.action {
            1 => self.verify(request.config.as_ref()).map(drop),
            2 => {
                self.saved = Some(self.verify(request.config.as_ref())?);
                Ok(())
            }
            3 => {
                let verified = self.verify(request.config.as_ref())?;
                self.commit(verified, now)
            }
            4 if request.config.is_some() => Err(invalid("COMMIT takes no configuration")),
            4 => {
                let saved = self.saved.take().ok_or_else(|| not_found("no configuration is saved"))?;
                self.commit(saved, now)
            }
            5 => {
                let verified = self.verify(request.config.as_ref())?;
                match &mut self.pipeline {
                    Some(running)
                        if running.config.p4_device_config == verified.config.p4_device_config
                            && running.config.p4info == verified.config.p4info =>
                    {
                        running.config = verified.config;
                        Ok(())
                    }
                    _ => Err(Fault::new(
                        Code::Unimplemented,
                        "only the running program can be reconciled; use VERIFY_AND_COMMIT for another",
                    )),
                }
            }
            other => Err(invalid(format!("unknown action {other}"))),
        }
    }

    /// Compiles a configuration. One that is not of this switch's format stands for the program that the device was
    /// started with, if the P4Info is one of it.
    fn verify(&self, config: Option<&ForwardingPipelineConfig>) -> Result<Verified, Fault> {
        let config = config.ok_or_else(|| invalid("missing configuration"))?;
        let info = config.p4info.as_ref().ok_or_else(|| invalid("the configuration has no P4Info"))?;
        let program = match DeviceConfig::read(&config.p4_device_config) {
            Some(own) if !self.switch.keeps_program() => own.compile().map_err(invalid)?,
            _ => self.own.clone(),
        };
        let catalogue = Catalogue::new(&program, info)
            .map_err(|error| invalid(format!("the P4Info is not one of the switch's program: {error}")))?;
        Ok(Verified { config: config.clone(), program, catalogue })
    }

    fn commit(&mut self, verified: Verified, now: Time) -> Result<(), Fault> {
        let Verified { config, program, catalogue } = verified;
        let origin = self.switch.begin(&program, now)?;
        self.pipeline = Some(Pipeline { config, control: Control::new(catalogue), origin });
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

    fn packet_out(&mut self, client: ClientId, packet: &PacketOut, now: Time) -> Result<(), Fault> {
        if !self.is_primary(client) {
            return Err(not_primary());
        }
        self.advance(now)?;
        let pipeline = self.pipeline.as_ref().ok_or_else(no_pipeline)?;
        let frame = pipeline.control.catalogue().frame(packet)?;
        let origin = self.returns.take(&packet.payload);
        let done = self.switch.packet_out(frame, origin);
        self.collect(now);
        done
    }

    /// Lets the switch's time pass: queued packets, digest lists and idle timeouts.
    ///
    /// # Errors
    /// If the program never finishes with a packet.
    pub fn advance(&mut self, now: Time) -> Result<(), Fault> {
        let Some(pipeline) = &self.pipeline else { return Ok(()) };
        let done = self.switch.advance(pipeline.local(now));
        self.collect(now);
        done
    }

    /// Sends what the switch has for its controllers.
    fn collect(&mut self, now: Time) {
        let Some(pipeline) = &mut self.pipeline else { return };
        let local = pipeline.local(now);
        let mut messages: Vec<StreamResponse> = Vec::new();
        for (frame, meta) in self.switch.take_to_cpu() {
            let packet = pipeline.control.catalogue().packet_in(&frame);
            self.returns.remember(&packet.payload, meta);
            messages.push(StreamResponse::Packet(packet));
        }
        let mut lists = Vec::new();
        let Some(switch) = self.switch.switch_mut() else { return };
        let idle = pipeline.control.poll(switch, local, &mut lists);
        messages.extend(lists.into_iter().map(StreamResponse::Digest));
        messages.extend(idle.map(StreamResponse::IdleTimeout));
        let primaries: Vec<ClientId> =
            self.clients.keys().copied().filter(|client| self.is_primary(*client)).collect();
        for message in messages {
            for client in &primaries {
                self.send(*client, message.clone());
            }
        }
    }
}

impl Pipeline {
    /// Time since the program began.
    fn local(&self, now: Time) -> Time {
        Time::ZERO + now.since(self.origin)
    }
}

fn election(id: &Uint128) -> u128 {
    u128::from(id.high) << 64 | u128::from(id.low)
}

/// The error of an update.
fn failure(fault: Fault) -> Error {
    Error {
        canonical_code: fault.code as i32,
        message: fault.message,
        space: "jettison".to_owned(),
        ..Error::default()
    }
}

fn not_primary() -> Fault {
    Fault::new(Code::PermissionDenied, "only the primary controller may do this")
}

fn no_pipeline() -> Fault {
    Fault::new(Code::FailedPrecondition, "no forwarding pipeline is set")
}
