//! `stratum.P4RoleConfig`: a scheme of role configurations.
//!
//! The P4Runtime specification leaves the scheme open (§5.2). This message, its field numbers and its type URL are those of the
//! Stratum project (`stratum/public/proto/p4_role_config.proto`), so that a controller for Stratum needs no other.

#![allow(missing_docs)] // names and numbers are the message's

/// Type URL of the message in an `Any`.
pub const ROLE_CONFIG: &str = "type.googleapis.com/stratum.P4RoleConfig";

#[derive(Clone, PartialEq, prost::Message)]
pub struct P4RoleConfig {
    #[prost(uint32, repeated, tag = "1")]
    pub exclusive_p4_ids: Vec<u32>,
    #[prost(uint32, repeated, tag = "2")]
    pub shared_p4_ids: Vec<u32>,
    #[prost(message, optional, tag = "3")]
    pub packet_in_filter: Option<PacketFilter>,
    #[prost(bool, tag = "4")]
    pub receives_packet_ins: bool,
    #[prost(bool, tag = "5")]
    pub can_push_pipeline: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct PacketFilter {
    #[prost(uint32, tag = "1")]
    pub metadata_id: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}
