//! A P4 device for controllers: arbitration, the forwarding pipeline, streams; without I/O.
//!
//! Its switch is a [`Device`]. Frames that leave at the switch's CPU port become packet-ins.

mod arbitration;
mod pipeline;

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Time;
use jettison_p4_front::ir::Program;

use crate::catalogue::Catalogue;
use crate::device::{Device, Returns, Standalone};
use crate::fault::{Code, Fault, invalid};
use crate::proto::runtime::{
    Entity, Error, ForwardingPipelineConfig, PacketOut, PacketOutError, ReadRequest, StreamError,
    StreamErrorDetails, StreamMessageRequest, StreamMessageResponse, StreamRequest, StreamResponse, Update,
    WriteRequest,
};
use crate::role::{Role, denied};
use crate::switch::Control;
use crate::translation::Translations;
use arbitration::not_primary;
pub use pipeline::Prepared;

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
    /// Saved but not committed. Until it is, controllers write and read its state.
    saved: Option<Prepared>,
    clients: BTreeMap<ClientId, Client>,
    next_client: ClientId,
    /// By name, from a role's first controller on.
    roles: BTreeMap<String, Role>,
    translations: Translations,
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
        switch.begin(pipeline::scratch(&program)?, Time::ZERO);
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
            roles: BTreeMap::new(),
            translations: Translations::default(),
            outbox: Vec::new(),
            returns: Returns::default(),
        })
    }

    /// Translates values of translated types as given.
    #[must_use]
    pub fn with_translations(mut self, translations: Translations) -> Node<D> {
        self.translations = translations;
        self
    }

    /// Messages to controllers since the last call.
    pub fn take_messages(&mut self) -> Vec<(ClientId, StreamMessageResponse)> {
        std::mem::take(&mut self.outbox)
    }

    /// The switch.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.switch
    }

    /// Returns the switch to its program's own entries and initial values, as another interface of the switch asks for.
    pub fn reset(&mut self) {
        if let Some(switch) = self.switch.switch_mut() {
            switch.reset_control_plane();
        }
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.control.forget();
        }
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
        let was_primary = gone.election.is_some() && gone.election == self.highest(&gone.role);
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
                let access = self.clients.get(&client).and_then(|client| self.access(&client.role));
                let allowed = access.is_none_or(|access| access.digests(ack.digest_id));
                let done = match &mut self.pipeline {
                    _ if !is_primary => Err(not_primary()),
                    _ if !allowed => Err(denied("this digest")),
                    None => Err(no_pipeline()),
                    Some(pipeline) => pipeline.control.acknowledge(&ack),
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

    /// Executes a batch of updates; the result is one error per update, `OK` included, if any failed.
    ///
    /// # Errors
    /// If the batch as a whole is refused.
    pub fn write(&mut self, request: &WriteRequest, now: Time) -> Result<Option<Vec<Error>>, Fault> {
        self.authorize(request.device_id, &request.role, request.election_id.as_ref())?;
        let is_atomic = match request.atomicity {
            CONTINUE_ON_ERROR => false,
            // No packet passes during a request, so that both are the same.
            ROLLBACK_ON_ERROR | DATAPLANE_ATOMIC => true,
            other => return Err(invalid(format!("unknown atomicity {other}"))),
        };
        let access =
            self.roles.get(&request.role).and_then(|role| role.config.as_ref()).map(|(_, access)| access);
        // Writes refer to the configuration that was saved last (§14).
        let (switch, control, local) = match (&mut self.saved, &mut self.pipeline) {
            (Some(saved), _) => (saved.testbed.switch_mut(), &mut saved.control, Time::ZERO),
            (None, Some(pipeline)) => {
                let local = pipeline.local(now);
                (self.switch.switch_mut().ok_or_else(no_pipeline)?, &mut pipeline.control, local)
            }
            (None, None) => return Err(no_pipeline()),
        };
        let translations = &mut self.translations;
        let before = is_atomic.then(|| (switch.control_state(), control.clone(), translations.clone()));
        let mut errors = Vec::with_capacity(request.updates.len());
        for update in &request.updates {
            let entity = update.entity.as_ref().and_then(|entity| entity.entity.as_ref());
            let allowed = match (access, entity) {
                (Some(access), Some(entity)) if !access.covers(entity) => Err(denied("this update")),
                _ => Ok(()),
            };
            let done = allowed.and_then(|()| match (control.catalogue().translates, &update.entity) {
                (true, Some(entity)) => {
                    let mut entity = entity.clone();
                    translations.inward(control.catalogue(), &mut entity)?;
                    control.write(switch, &Update { kind: update.kind, entity: Some(entity) }, local)
                }
                _ => control.write(switch, update, local),
            });
            let failed = done.is_err();
            errors.push(done.map_or_else(failure, |()| Error::default()));
            if failed && is_atomic {
                break;
            }
        }
        let failed = errors.iter().any(|error| error.canonical_code != 0);
        if let (true, Some((state, was, named))) = (failed, before) {
            switch.restore(state);
            (*control, *translations) = (was, named);
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
        let (switch, control, local) = match (&self.saved, &self.pipeline) {
            (Some(saved), _) => (saved.testbed.switch(), &saved.control, Time::ZERO),
            (None, Some(pipeline)) => {
                (self.switch.switch().ok_or_else(no_pipeline)?, &pipeline.control, pipeline.local(now))
            }
            (None, None) => return Err(no_pipeline()),
        };
        let catalogue = control.catalogue();
        let mut entities = Vec::new();
        for entity in &request.entities {
            if catalogue.translates {
                // A request that names a value does not add it.
                let mut entity = entity.clone();
                self.translations.clone().inward(catalogue, &mut entity)?;
                control.read(switch, &entity, local, &mut entities)?;
            } else {
                control.read(switch, entity, local, &mut entities)?;
            }
        }
        if let Some(access) = self.access(&request.role) {
            entities.retain(|entity| entity.entity.as_ref().is_some_and(|entity| access.covers(entity)));
        }
        entities.iter_mut().for_each(|entity| self.translations.outward(catalogue, entity));
        Ok(entities)
    }

    fn packet_out(&mut self, client: ClientId, packet: &PacketOut, now: Time) -> Result<(), Fault> {
        if !self.is_primary(client) {
            return Err(not_primary());
        }
        self.advance(now)?;
        let pipeline = self.pipeline.as_ref().ok_or_else(no_pipeline)?;
        let catalogue = pipeline.control.catalogue();
        let mut translated = packet.clone();
        self.translations.packet_out(catalogue, &mut translated)?;
        let frame = catalogue.frame(&translated)?;
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
            let mut packet = pipeline.control.catalogue().packet_in(&frame);
            self.returns.remember(&packet.payload, meta);
            self.translations.packet_in(pipeline.control.catalogue(), &mut packet);
            messages.push(StreamResponse::Packet(packet));
        }
        let mut lists = Vec::new();
        let Some(switch) = self.switch.switch_mut() else { return };
        let idle = pipeline.control.poll(switch, local, &mut lists);
        messages.extend(lists.into_iter().map(StreamResponse::Digest));
        if let Some(mut idle) = idle {
            self.translations.idle(pipeline.control.catalogue(), &mut idle);
            messages.push(StreamResponse::IdleTimeout(idle));
        }
        if messages.is_empty() {
            return;
        }
        let primaries: Vec<ClientId> =
            self.clients.keys().copied().filter(|client| self.is_primary(*client)).collect();
        for message in messages {
            for client in &primaries {
                let access = self.clients.get(client).and_then(|client| self.access(&client.role));
                let received = match access {
                    Some(access) => access.received(&message),
                    None => Some(message.clone()),
                };
                if let Some(received) = received {
                    self.send(*client, received);
                }
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

/// The error of an update.
fn failure(fault: Fault) -> Error {
    Error {
        canonical_code: fault.code as i32,
        message: fault.message,
        space: "jettison".to_owned(),
        ..Error::default()
    }
}

fn no_pipeline() -> Fault {
    Fault::new(Code::FailedPrecondition, "no forwarding pipeline is set")
}
