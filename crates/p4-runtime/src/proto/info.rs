//! `p4.config.v1`: P4Info and its types.

#![allow(missing_docs)] // names and numbers are the specification's

use std::collections::BTreeMap;

#[derive(Clone, PartialEq, prost::Message)]
pub struct P4Info {
    #[prost(message, optional, tag = "1")]
    pub pkg_info: Option<PkgInfo>,
    #[prost(message, repeated, tag = "2")]
    pub tables: Vec<Table>,
    #[prost(message, repeated, tag = "3")]
    pub actions: Vec<Action>,
    #[prost(message, repeated, tag = "4")]
    pub action_profiles: Vec<ActionProfile>,
    #[prost(message, repeated, tag = "5")]
    pub counters: Vec<Counter>,
    #[prost(message, repeated, tag = "6")]
    pub direct_counters: Vec<DirectCounter>,
    #[prost(message, repeated, tag = "7")]
    pub meters: Vec<Meter>,
    #[prost(message, repeated, tag = "8")]
    pub direct_meters: Vec<DirectMeter>,
    #[prost(message, repeated, tag = "9")]
    pub controller_packet_metadata: Vec<ControllerPacketMetadata>,
    #[prost(message, repeated, tag = "10")]
    pub value_sets: Vec<ValueSet>,
    #[prost(message, repeated, tag = "11")]
    pub registers: Vec<Register>,
    #[prost(message, repeated, tag = "12")]
    pub digests: Vec<Digest>,
    #[prost(message, optional, tag = "200")]
    pub type_info: Option<P4TypeInfo>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PkgInfo {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
    #[prost(message, optional, tag = "3")]
    pub doc: Option<Documentation>,
    #[prost(string, repeated, tag = "4")]
    pub annotations: Vec<String>,
    #[prost(string, tag = "5")]
    pub arch: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Documentation {
    #[prost(string, tag = "1")]
    pub brief: String,
    #[prost(string, tag = "2")]
    pub description: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Preamble {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(string, tag = "3")]
    pub alias: String,
    #[prost(string, repeated, tag = "4")]
    pub annotations: Vec<String>,
    #[prost(message, optional, tag = "5")]
    pub doc: Option<Documentation>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct NamedType {
    #[prost(string, tag = "1")]
    pub name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchField {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
    #[prost(int32, tag = "4")]
    pub bitwidth: i32,
    #[prost(int32, tag = "5")]
    pub match_type: i32,
    #[prost(message, optional, tag = "6")]
    pub doc: Option<Documentation>,
    #[prost(message, optional, tag = "8")]
    pub type_name: Option<NamedType>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TableActionCall {
    #[prost(uint32, tag = "1")]
    pub action_id: u32,
    #[prost(message, repeated, tag = "4")]
    pub arguments: Vec<TableActionArgument>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TableActionArgument {
    #[prost(uint32, tag = "2")]
    pub param_id: u32,
    #[prost(bytes = "vec", tag = "3")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Table {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, repeated, tag = "2")]
    pub match_fields: Vec<MatchField>,
    #[prost(message, repeated, tag = "3")]
    pub action_refs: Vec<ActionRef>,
    #[prost(uint32, tag = "4")]
    pub const_default_action_id: u32,
    #[prost(message, optional, tag = "5")]
    pub initial_default_action: Option<TableActionCall>,
    #[prost(uint32, tag = "6")]
    pub implementation_id: u32,
    #[prost(uint32, repeated, tag = "7")]
    pub direct_resource_ids: Vec<u32>,
    #[prost(int64, tag = "8")]
    pub size: i64,
    #[prost(int32, tag = "9")]
    pub idle_timeout_behavior: i32,
    #[prost(bool, tag = "10")]
    pub is_const_table: bool,
    #[prost(bool, tag = "11")]
    pub has_initial_entries: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionRef {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(string, repeated, tag = "2")]
    pub annotations: Vec<String>,
    #[prost(int32, tag = "3")]
    pub scope: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Action {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, repeated, tag = "2")]
    pub params: Vec<Param>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Param {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
    #[prost(int32, tag = "4")]
    pub bitwidth: i32,
    #[prost(message, optional, tag = "5")]
    pub doc: Option<Documentation>,
    #[prost(message, optional, tag = "6")]
    pub type_name: Option<NamedType>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ActionProfile {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(uint32, repeated, tag = "2")]
    pub table_ids: Vec<u32>,
    #[prost(bool, tag = "3")]
    pub with_selector: bool,
    #[prost(int64, tag = "4")]
    pub size: i64,
    #[prost(int32, tag = "5")]
    pub max_group_size: i32,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct CounterSpec {
    #[prost(int32, tag = "1")]
    pub unit: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Counter {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, optional, tag = "2")]
    pub spec: Option<CounterSpec>,
    #[prost(int64, tag = "3")]
    pub size: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DirectCounter {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, optional, tag = "2")]
    pub spec: Option<CounterSpec>,
    #[prost(uint32, tag = "3")]
    pub direct_table_id: u32,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MeterSpec {
    #[prost(int32, tag = "1")]
    pub unit: i32,
    #[prost(int32, tag = "2")]
    pub kind: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Meter {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, optional, tag = "2")]
    pub spec: Option<MeterSpec>,
    #[prost(int64, tag = "3")]
    pub size: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DirectMeter {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, optional, tag = "2")]
    pub spec: Option<MeterSpec>,
    #[prost(uint32, tag = "3")]
    pub direct_table_id: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ControllerPacketMetadata {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, repeated, tag = "2")]
    pub metadata: Vec<Metadata>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Metadata {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
    #[prost(int32, tag = "4")]
    pub bitwidth: i32,
    #[prost(message, optional, tag = "5")]
    pub type_name: Option<NamedType>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueSet {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, repeated, tag = "2")]
    pub match_fields: Vec<MatchField>,
    #[prost(int32, tag = "3")]
    pub size: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Register {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, optional, tag = "2")]
    pub type_spec: Option<DataTypeSpec>,
    #[prost(int32, tag = "3")]
    pub size: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Digest {
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    #[prost(message, optional, tag = "2")]
    pub type_spec: Option<DataTypeSpec>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct P4TypeInfo {
    #[prost(btree_map = "string, message", tag = "1")]
    pub structs: BTreeMap<String, StructTypeSpec>,
    #[prost(btree_map = "string, message", tag = "2")]
    pub headers: BTreeMap<String, HeaderTypeSpec>,
    #[prost(btree_map = "string, message", tag = "6")]
    pub serializable_enums: BTreeMap<String, SerializableEnumSpec>,
    #[prost(btree_map = "string, message", tag = "7")]
    pub new_types: BTreeMap<String, NewTypeSpec>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DataTypeSpec {
    #[prost(oneof = "DataType", tags = "1, 2, 3, 4, 5")]
    pub kind: Option<DataType>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum DataType {
    #[prost(message, tag = "1")]
    Bitstring(BitstringLike),
    #[prost(message, tag = "2")]
    Bool(Empty),
    #[prost(message, tag = "3")]
    Tuple(TupleTypeSpec),
    #[prost(message, tag = "4")]
    Struct(NamedType),
    #[prost(message, tag = "5")]
    Header(NamedType),
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Empty {}

#[derive(Clone, PartialEq, prost::Message)]
pub struct BitstringLike {
    #[prost(oneof = "BitstringKind", tags = "1, 2, 3")]
    pub kind: Option<BitstringKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum BitstringKind {
    #[prost(message, tag = "1")]
    Bit(Width),
    #[prost(message, tag = "2")]
    Int(Width),
    #[prost(message, tag = "3")]
    Varbit(Width),
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Width {
    #[prost(int32, tag = "1")]
    pub bitwidth: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TupleTypeSpec {
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<DataTypeSpec>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StructTypeSpec {
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<StructMember>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct StructMember {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub type_spec: Option<DataTypeSpec>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct HeaderTypeSpec {
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<HeaderMember>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct HeaderMember {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub type_spec: Option<BitstringLike>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SerializableEnumSpec {
    #[prost(message, optional, tag = "1")]
    pub underlying_type: Option<Width>,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<EnumMember>,
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct EnumMember {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct NewTypeSpec {
    #[prost(oneof = "Representation", tags = "1, 2")]
    pub representation: Option<Representation>,
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Representation {
    #[prost(message, tag = "1")]
    OriginalType(DataTypeSpec),
    #[prost(message, tag = "2")]
    TranslatedType(Translation),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Translation {
    #[prost(string, tag = "1")]
    pub uri: String,
    #[prost(oneof = "SdnType", tags = "2, 3")]
    pub sdn_type: Option<SdnType>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum SdnType {
    #[prost(int32, tag = "2")]
    SdnBitwidth(i32),
    #[prost(message, tag = "3")]
    SdnString(Empty),
}
