//! A device that runs `learning.p4`, and short forms of requests.

use std::sync::Arc;

use jettison_core::Time;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_runtime::config::DeviceConfig;
use jettison_p4_runtime::device::Standalone;
use jettison_p4_runtime::info;
use jettison_p4_runtime::node::{ClientId, Node};
use jettison_p4_runtime::proto::info::{P4Info, Preamble};
use jettison_p4_runtime::proto::runtime::*;

pub const INSERT: i32 = 1;
pub const MODIFY: i32 = 2;
pub const DELETE: i32 = 3;

/// The controller's port of the program.
pub const CPU: u16 = 510;

/// The text of `learning.p4`.
pub const LEARNING: &str = include_str!("learning.p4");

/// `learning.p4` with its description and configuration.
pub fn learning() -> (Arc<Program>, ForwardingPipelineConfig) {
    compiled(LEARNING)
}

/// A program with its description and configuration.
pub fn compiled(text: &str) -> (Arc<Program>, ForwardingPipelineConfig) {
    named("program.p4", text)
}

/// A program of a file, whose includes are relative to it.
pub fn named(name: &str, text: &str) -> (Arc<Program>, ForwardingPipelineConfig) {
    let mut sources = Sources::default();
    let main = sources.add(name, text);
    let options = Options::default();
    let (program, _) = match jettison_p4_front::compile(&mut sources, main, &options) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{}", errors[0].one_line(&sources)),
    };
    let config = ForwardingPipelineConfig {
        p4info: Some(info::describe(&program).unwrap()),
        p4_device_config: DeviceConfig::new(&sources, main, &options).to_bytes(),
        cookie: Some(Cookie { cookie: 7 }),
    };
    (Arc::new(program), config)
}

/// A device with its primary controller.
pub struct Bench {
    pub node: Node<Standalone>,
    pub info: P4Info,
    pub client: ClientId,
    pub now: Time,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::of(LEARNING)
    }

    /// A device that runs a program.
    pub fn of(text: &str) -> Bench {
        let (program, config) = compiled(text);
        let info = config.p4info.clone().unwrap();
        let mut node = Node::standalone(1, CPU, program, config).unwrap();
        let client = node.open();
        node.message(client, arbitration(1, 10), Time::ZERO).unwrap();
        node.take_messages();
        Bench { node, info, client, now: Time::ZERO }
    }

    /// Writes one entity; the canonical code of the result.
    pub fn write(&mut self, kind: i32, entity: EntityKind) -> i32 {
        self.write_as("", kind, entity)
    }

    /// Writes one entity as the primary controller of a role.
    pub fn write_as(&mut self, role: &str, kind: i32, entity: EntityKind) -> i32 {
        let updates = vec![update(kind, entity)];
        let role = role.to_owned();
        let request = WriteRequest {
            device_id: 1,
            election_id: election(10),
            updates,
            role,
            ..WriteRequest::default()
        };
        match self.node.write(&request, self.now) {
            Ok(errors) => errors.map_or(0, |errors| errors[0].canonical_code),
            Err(fault) => fault.code as i32,
        }
    }

    /// Sets the pipeline; the canonical code and the message.
    pub fn set(&mut self, action: i32, config: Option<&ForwardingPipelineConfig>) -> (i32, String) {
        let request = SetForwardingPipelineConfigRequest {
            device_id: 1,
            election_id: election(10),
            action,
            config: config.cloned(),
            ..Default::default()
        };
        let done = self.node.set_pipeline(&request, self.now);
        done.map_or_else(|fault| (fault.code as i32, fault.message), |()| (0, String::new()))
    }

    /// Reads entities; panics if the request is refused.
    pub fn read(&self, entity: EntityKind) -> Vec<EntityKind> {
        self.try_read(entity).unwrap()
    }

    /// Reads entities, or the canonical code of the error.
    pub fn try_read(&self, entity: EntityKind) -> Result<Vec<EntityKind>, i32> {
        let entities = vec![Entity { entity: Some(entity) }];
        let request = ReadRequest { device_id: 1, entities, ..ReadRequest::default() };
        match self.node.read(&request, self.now) {
            Ok(found) => Ok(found.into_iter().map(|entity| entity.entity.unwrap()).collect()),
            Err(fault) => Err(fault.code as i32),
        }
    }

    pub fn entries(&self, request: TableEntry) -> Vec<TableEntry> {
        let found = self.read(EntityKind::TableEntry(request)).into_iter();
        found
            .map(|entity| match entity {
                EntityKind::TableEntry(entry) => entry,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// Messages to the primary controller.
    pub fn messages(&mut self) -> Vec<StreamResponse> {
        let client = self.client;
        let messages = self.node.take_messages().into_iter();
        messages.filter(|(to, _)| *to == client).map(|(_, message)| message.update.unwrap()).collect()
    }

    pub fn table(&self, alias: &str) -> u32 {
        id(self.info.tables.iter().map(|table| &table.preamble), alias)
    }

    pub fn action(&self, alias: &str) -> u32 {
        id(self.info.actions.iter().map(|action| &action.preamble), alias)
    }

    pub fn digest(&self) -> u32 {
        self.info.digests[0].preamble.as_ref().unwrap().id
    }

    /// An entry of `dmac`.
    pub fn dmac(&self, address: u64, port: u16) -> TableEntry {
        TableEntry {
            table_id: self.table("dmac"),
            match_fields: vec![exact(1, &address.to_be_bytes()[2..])],
            action: Some(self.call("forward", &port.to_be_bytes())),
            ..TableEntry::default()
        }
    }

    /// An action with one parameter.
    pub fn call(&self, action: &str, value: &[u8]) -> TableAction {
        TableAction { kind: Some(TableActionKind::Action(self.plain_action(action, value))) }
    }

    pub fn plain_action(&self, action: &str, value: &[u8]) -> Action {
        let params = vec![ActionParam { param_id: 1, value: value.to_vec() }];
        Action { action_id: self.action(action), params }
    }

    /// A frame from `source` to `destination` arrives at a port.
    pub fn frame(&mut self, port: u16, destination: u8, source: u8) {
        self.node.receive(port, &frame(destination, source), self.now).unwrap();
    }

    /// Ports and frames that left, except at the CPU port.
    pub fn departed(&mut self) -> Vec<u16> {
        self.node.device_mut().take_departed().into_iter().map(|sent| sent.port).collect()
    }
}

/// An Ethernet frame of 60 bytes; the last byte of each address is given.
pub fn frame(destination: u8, source: u8) -> Vec<u8> {
    let mut frame = vec![0; 60];
    (frame[5], frame[11]) = (destination, source);
    frame[12..14].copy_from_slice(&[0x12, 0x34]);
    frame
}

fn id<'a>(mut preambles: impl Iterator<Item = &'a Option<Preamble>>, alias: &str) -> u32 {
    let found = preambles.find_map(|preamble| preamble.as_ref().filter(|preamble| preamble.alias == alias));
    found.unwrap_or_else(|| panic!("no object {alias}")).id
}

pub fn election(low: u64) -> Option<Uint128> {
    Some(Uint128 { high: 0, low })
}

pub fn arbitration(device_id: u64, id: u64) -> StreamMessageRequest {
    let election_id = if id == 0 { None } else { election(id) };
    let update = MasterArbitrationUpdate { device_id, election_id, ..MasterArbitrationUpdate::default() };
    StreamMessageRequest { update: Some(StreamRequest::Arbitration(update)) }
}

pub fn update(kind: i32, entity: EntityKind) -> Update {
    Update { kind, entity: Some(Entity { entity: Some(entity) }) }
}

pub fn exact(field_id: u32, value: &[u8]) -> FieldMatch {
    FieldMatch { field_id, kind: Some(FieldMatchKind::Exact(Exact { value: value.to_vec() })) }
}
