//! `p4.v1`: requests, entities and stream messages; `google.rpc.Status`.

#![allow(missing_docs)] // names and numbers are the specification's

use super::info::P4Info;

#[derive(Clone, PartialEq, prost::Message)]
pub struct Any {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Status {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Uint128 {
    #[prost(uint64, tag = "1")]
    pub high: u64,
    #[prost(uint64, tag = "2")]
    pub low: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Error {
    #[prost(int32, tag = "1")]
    pub canonical_code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(string, tag = "3")]
    pub space: String,
    #[prost(int32, tag = "4")]
    pub code: i32,
    #[prost(message, optional, tag = "5")]
    pub details: Option<Any>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct WriteRequest {
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    #[prost(uint64, tag = "2")]
    pub role_id: u64,
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<Uint128>,
    #[prost(message, repeated, tag = "4")]
    pub updates: Vec<Update>,
    #[prost(int32, tag = "5")]
    pub atomicity: i32,
    #[prost(string, tag = "6")]
    pub role: String,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct WriteResponse {}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ReadRequest {
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    #[prost(message, repeated, tag = "2")]
    pub entities: Vec<Entity>,
    #[prost(string, tag = "3")]
    pub role: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ReadResponse {
    #[prost(message, repeated, tag = "1")]
    pub entities: Vec<Entity>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Update {
    #[prost(int32, tag = "1")]
    pub kind: i32,
    #[prost(message, optional, tag = "2")]
    pub entity: Option<Entity>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Entity {
    #[prost(oneof = "EntityKind", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")]
    pub entity: Option<EntityKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum EntityKind {
    #[prost(message, tag = "1")]
    ExternEntry(ExternEntry),
    #[prost(message, tag = "2")]
    TableEntry(TableEntry),
    #[prost(message, tag = "3")]
    ActionProfileMember(ActionProfileMember),
    #[prost(message, tag = "4")]
    ActionProfileGroup(ActionProfileGroup),
    #[prost(message, tag = "5")]
    MeterEntry(MeterEntry),
    #[prost(message, tag = "6")]
    DirectMeterEntry(DirectMeterEntry),
    #[prost(message, tag = "7")]
    CounterEntry(CounterEntry),
    #[prost(message, tag = "8")]
    DirectCounterEntry(DirectCounterEntry),
    #[prost(message, tag = "9")]
    PacketReplicationEngineEntry(PacketReplicationEngineEntry),
    #[prost(message, tag = "10")]
    ValueSetEntry(ValueSetEntry),
    #[prost(message, tag = "11")]
    RegisterEntry(RegisterEntry),
    #[prost(message, tag = "12")]
    DigestEntry(DigestEntry),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ExternEntry {
    #[prost(uint32, tag = "1")]
    pub extern_type_id: u32,
    #[prost(uint32, tag = "2")]
    pub extern_id: u32,
    #[prost(message, optional, tag = "3")]
    pub entry: Option<Any>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TableEntry {
    #[prost(uint32, tag = "1")]
    pub table_id: u32,
    #[prost(message, repeated, tag = "2")]
    pub match_fields: Vec<FieldMatch>,
    #[prost(message, optional, tag = "3")]
    pub action: Option<TableAction>,
    #[prost(int32, tag = "4")]
    pub priority: i32,
    #[prost(uint64, tag = "5")]
    pub controller_metadata: u64,
    #[prost(message, optional, tag = "6")]
    pub meter_config: Option<MeterConfig>,
    #[prost(message, optional, tag = "7")]
    pub counter_data: Option<CounterData>,
    #[prost(bool, tag = "8")]
    pub is_default_action: bool,
    #[prost(int64, tag = "9")]
    pub idle_timeout_ns: i64,
    #[prost(message, optional, tag = "10")]
    pub time_since_last_hit: Option<IdleTimeout>,
    #[prost(bytes = "vec", tag = "11")]
    pub metadata: Vec<u8>,
    #[prost(message, optional, tag = "12")]
    pub meter_counter_data: Option<MeterCounterData>,
    #[prost(bool, tag = "13")]
    pub is_const: bool,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct IdleTimeout {
    #[prost(int64, tag = "1")]
    pub elapsed_ns: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct FieldMatch {
    #[prost(uint32, tag = "1")]
    pub field_id: u32,
    #[prost(oneof = "FieldMatchKind", tags = "2, 3, 4, 6, 7, 100")]
    pub kind: Option<FieldMatchKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum FieldMatchKind {
    #[prost(message, tag = "2")]
    Exact(Exact),
    #[prost(message, tag = "3")]
    Ternary(Ternary),
    #[prost(message, tag = "4")]
    Lpm(Lpm),
    #[prost(message, tag = "6")]
    Range(Range),
    #[prost(message, tag = "7")]
    Optional(Exact),
    #[prost(message, tag = "100")]
    Other(Any),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Exact {
    #[prost(bytes = "vec", tag = "1")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Ternary {
    #[prost(bytes = "vec", tag = "1")]
    pub value: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub mask: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Lpm {
    #[prost(bytes = "vec", tag = "1")]
    pub value: Vec<u8>,
    #[prost(int32, tag = "2")]
    pub prefix_len: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Range {
    #[prost(bytes = "vec", tag = "1")]
    pub low: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub high: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TableAction {
    #[prost(oneof = "TableActionKind", tags = "1, 2, 3, 4")]
    pub kind: Option<TableActionKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TableActionKind {
    #[prost(message, tag = "1")]
    Action(Action),
    #[prost(uint32, tag = "2")]
    Member(u32),
    #[prost(uint32, tag = "3")]
    Group(u32),
    #[prost(message, tag = "4")]
    ActionSet(ActionProfileActionSet),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Action {
    #[prost(uint32, tag = "1")]
    pub action_id: u32,
    #[prost(message, repeated, tag = "4")]
    pub params: Vec<ActionParam>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionParam {
    #[prost(uint32, tag = "2")]
    pub param_id: u32,
    #[prost(bytes = "vec", tag = "3")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionProfileActionSet {
    #[prost(message, repeated, tag = "1")]
    pub actions: Vec<ActionProfileAction>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionProfileAction {
    #[prost(message, optional, tag = "1")]
    pub action: Option<Action>,
    #[prost(int32, tag = "2")]
    pub weight: i32,
    #[prost(oneof = "Watch", tags = "3, 4")]
    pub watch: Option<Watch>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Watch {
    #[prost(int32, tag = "3")]
    Port(i32),
    #[prost(bytes = "vec", tag = "4")]
    PortBytes(Vec<u8>),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionProfileMember {
    #[prost(uint32, tag = "1")]
    pub action_profile_id: u32,
    #[prost(uint32, tag = "2")]
    pub member_id: u32,
    #[prost(message, optional, tag = "3")]
    pub action: Option<Action>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionProfileGroup {
    #[prost(uint32, tag = "1")]
    pub action_profile_id: u32,
    #[prost(uint32, tag = "2")]
    pub group_id: u32,
    #[prost(message, repeated, tag = "3")]
    pub members: Vec<GroupMember>,
    #[prost(int32, tag = "4")]
    pub max_size: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct GroupMember {
    #[prost(uint32, tag = "1")]
    pub member_id: u32,
    #[prost(int32, tag = "2")]
    pub weight: i32,
    #[prost(oneof = "Watch", tags = "3, 4")]
    pub watch: Option<Watch>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Index {
    #[prost(int64, tag = "1")]
    pub index: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct MeterEntry {
    #[prost(uint32, tag = "1")]
    pub meter_id: u32,
    #[prost(message, optional, tag = "2")]
    pub index: Option<Index>,
    #[prost(message, optional, tag = "3")]
    pub config: Option<MeterConfig>,
    #[prost(message, optional, tag = "4")]
    pub counter_data: Option<MeterCounterData>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DirectMeterEntry {
    #[prost(message, optional, tag = "1")]
    pub table_entry: Option<TableEntry>,
    #[prost(message, optional, tag = "2")]
    pub config: Option<MeterConfig>,
    #[prost(message, optional, tag = "3")]
    pub counter_data: Option<MeterCounterData>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MeterConfig {
    #[prost(int64, tag = "1")]
    pub cir: i64,
    #[prost(int64, tag = "2")]
    pub cburst: i64,
    #[prost(int64, tag = "3")]
    pub pir: i64,
    #[prost(int64, tag = "4")]
    pub pburst: i64,
    #[prost(int64, tag = "5")]
    pub eburst: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct CounterEntry {
    #[prost(uint32, tag = "1")]
    pub counter_id: u32,
    #[prost(message, optional, tag = "2")]
    pub index: Option<Index>,
    #[prost(message, optional, tag = "3")]
    pub data: Option<CounterData>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DirectCounterEntry {
    #[prost(message, optional, tag = "1")]
    pub table_entry: Option<TableEntry>,
    #[prost(message, optional, tag = "2")]
    pub data: Option<CounterData>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct CounterData {
    #[prost(int64, tag = "1")]
    pub byte_count: i64,
    #[prost(int64, tag = "2")]
    pub packet_count: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct MeterCounterData {
    #[prost(message, optional, tag = "1")]
    pub green: Option<CounterData>,
    #[prost(message, optional, tag = "2")]
    pub yellow: Option<CounterData>,
    #[prost(message, optional, tag = "3")]
    pub red: Option<CounterData>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PacketReplicationEngineEntry {
    #[prost(oneof = "ReplicationKind", tags = "1, 2")]
    pub kind: Option<ReplicationKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum ReplicationKind {
    #[prost(message, tag = "1")]
    MulticastGroup(MulticastGroupEntry),
    #[prost(message, tag = "2")]
    CloneSession(CloneSessionEntry),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Replica {
    #[prost(oneof = "ReplicaPort", tags = "1, 3")]
    pub port: Option<ReplicaPort>,
    #[prost(uint32, tag = "2")]
    pub instance: u32,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum ReplicaPort {
    #[prost(uint32, tag = "1")]
    Number(u32),
    #[prost(bytes = "vec", tag = "3")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct MulticastGroupEntry {
    #[prost(uint32, tag = "1")]
    pub multicast_group_id: u32,
    #[prost(message, repeated, tag = "2")]
    pub replicas: Vec<Replica>,
    #[prost(bytes = "vec", tag = "3")]
    pub metadata: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct CloneSessionEntry {
    #[prost(uint32, tag = "1")]
    pub session_id: u32,
    #[prost(message, repeated, tag = "2")]
    pub replicas: Vec<Replica>,
    #[prost(uint32, tag = "3")]
    pub class_of_service: u32,
    #[prost(int32, tag = "4")]
    pub packet_length_bytes: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueSetMember {
    #[prost(message, repeated, tag = "1")]
    pub match_fields: Vec<FieldMatch>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueSetEntry {
    #[prost(uint32, tag = "1")]
    pub value_set_id: u32,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<ValueSetMember>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct RegisterEntry {
    #[prost(uint32, tag = "1")]
    pub register_id: u32,
    #[prost(message, optional, tag = "2")]
    pub index: Option<Index>,
    #[prost(message, optional, tag = "3")]
    pub data: Option<P4Data>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DigestEntry {
    #[prost(uint32, tag = "1")]
    pub digest_id: u32,
    #[prost(message, optional, tag = "2")]
    pub config: Option<DigestConfig>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct DigestConfig {
    #[prost(int64, tag = "1")]
    pub max_timeout_ns: i64,
    #[prost(int32, tag = "2")]
    pub max_list_size: i32,
    #[prost(int64, tag = "3")]
    pub ack_timeout_ns: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct P4Data {
    #[prost(oneof = "Data", tags = "1, 3, 4, 5")]
    pub data: Option<Data>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Data {
    #[prost(bytes = "vec", tag = "1")]
    Bitstring(Vec<u8>),
    #[prost(bool, tag = "3")]
    Bool(bool),
    #[prost(message, tag = "4")]
    Tuple(StructLike),
    #[prost(message, tag = "5")]
    Struct(StructLike),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StructLike {
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<P4Data>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StreamMessageRequest {
    #[prost(oneof = "StreamRequest", tags = "1, 2, 3, 4")]
    pub update: Option<StreamRequest>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum StreamRequest {
    #[prost(message, tag = "1")]
    Arbitration(MasterArbitrationUpdate),
    #[prost(message, tag = "2")]
    Packet(PacketOut),
    #[prost(message, tag = "3")]
    DigestAck(DigestListAck),
    #[prost(message, tag = "4")]
    Other(Any),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PacketOut {
    #[prost(bytes = "vec", tag = "1")]
    pub payload: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub metadata: Vec<PacketMetadata>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct DigestListAck {
    #[prost(uint32, tag = "1")]
    pub digest_id: u32,
    #[prost(uint64, tag = "2")]
    pub list_id: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StreamMessageResponse {
    #[prost(oneof = "StreamResponse", tags = "1, 2, 3, 4, 5, 6")]
    pub update: Option<StreamResponse>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum StreamResponse {
    #[prost(message, tag = "1")]
    Arbitration(MasterArbitrationUpdate),
    #[prost(message, tag = "2")]
    Packet(PacketIn),
    #[prost(message, tag = "3")]
    Digest(DigestList),
    #[prost(message, tag = "4")]
    IdleTimeout(IdleTimeoutNotification),
    #[prost(message, tag = "5")]
    Other(Any),
    #[prost(message, tag = "6")]
    Error(StreamError),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PacketIn {
    #[prost(bytes = "vec", tag = "1")]
    pub payload: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub metadata: Vec<PacketMetadata>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DigestList {
    #[prost(uint32, tag = "1")]
    pub digest_id: u32,
    #[prost(uint64, tag = "2")]
    pub list_id: u64,
    #[prost(message, repeated, tag = "3")]
    pub data: Vec<P4Data>,
    #[prost(int64, tag = "4")]
    pub timestamp: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PacketMetadata {
    #[prost(uint32, tag = "1")]
    pub metadata_id: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct MasterArbitrationUpdate {
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    #[prost(message, optional, tag = "2")]
    pub role: Option<Role>,
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<Uint128>,
    #[prost(message, optional, tag = "4")]
    pub status: Option<Status>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Role {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(message, optional, tag = "2")]
    pub config: Option<Any>,
    #[prost(string, tag = "3")]
    pub name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct IdleTimeoutNotification {
    #[prost(message, repeated, tag = "1")]
    pub table_entry: Vec<TableEntry>,
    #[prost(int64, tag = "2")]
    pub timestamp: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StreamError {
    #[prost(int32, tag = "1")]
    pub canonical_code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(string, tag = "3")]
    pub space: String,
    #[prost(int32, tag = "4")]
    pub code: i32,
    #[prost(oneof = "StreamErrorDetails", tags = "5, 6, 7")]
    pub details: Option<StreamErrorDetails>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum StreamErrorDetails {
    #[prost(message, tag = "5")]
    PacketOut(PacketOutError),
    #[prost(message, tag = "6")]
    DigestListAck(DigestListAckError),
    #[prost(message, tag = "7")]
    Other(StreamOtherError),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PacketOutError {
    #[prost(message, optional, tag = "1")]
    pub packet_out: Option<PacketOut>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DigestListAckError {
    #[prost(message, optional, tag = "1")]
    pub digest_list_ack: Option<DigestListAck>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StreamOtherError {
    #[prost(message, optional, tag = "1")]
    pub other: Option<Any>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SetForwardingPipelineConfigRequest {
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    #[prost(uint64, tag = "2")]
    pub role_id: u64,
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<Uint128>,
    #[prost(int32, tag = "4")]
    pub action: i32,
    #[prost(message, optional, tag = "5")]
    pub config: Option<ForwardingPipelineConfig>,
    #[prost(string, tag = "6")]
    pub role: String,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct SetForwardingPipelineConfigResponse {}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ForwardingPipelineConfig {
    #[prost(message, optional, tag = "1")]
    pub p4info: Option<P4Info>,
    #[prost(bytes = "vec", tag = "2")]
    pub p4_device_config: Vec<u8>,
    #[prost(message, optional, tag = "3")]
    pub cookie: Option<Cookie>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Cookie {
    #[prost(uint64, tag = "1")]
    pub cookie: u64,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct GetForwardingPipelineConfigRequest {
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    #[prost(int32, tag = "2")]
    pub response_type: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct GetForwardingPipelineConfigResponse {
    #[prost(message, optional, tag = "1")]
    pub config: Option<ForwardingPipelineConfig>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct CapabilitiesRequest {}

#[derive(Clone, PartialEq, prost::Message)]
pub struct CapabilitiesResponse {
    #[prost(string, tag = "1")]
    pub p4runtime_api_version: String,
}
