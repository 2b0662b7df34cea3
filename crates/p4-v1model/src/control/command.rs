//! Commands of the control plane.

use jettison_switch::Port;
use num_bigint::BigUint;

use crate::MirrorSession;
use jettison_p4_exec::objects::{CrcParameters, MeterRate};
use jettison_p4_exec::table::{Entry, EntryAction, Handle};
use jettison_p4_front::ir::{
    ActionProfileId, ActionValue, ExternId, HashAlgorithm, KeyMatch, TableId, ValueSetId,
};

/// A command of the control plane, named after its counterpart in `simple_switch_CLI`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // the fields' types say what they are
pub enum Command {
    /// `table_add`, `table_indirect_add`, `table_indirect_add_with_group`
    TableAdd { table: TableId, entry: Entry },
    /// `table_modify`
    TableModify { table: TableId, entry: Handle, action: EntryAction },
    /// `table_delete`, `table_indirect_delete`
    TableDelete { table: TableId, entry: Handle },
    /// `table_clear`
    TableClear { table: TableId },
    /// `table_set_default`, `table_indirect_set_default`, `table_indirect_set_default_with_group`
    TableSetDefault { table: TableId, action: EntryAction },
    /// `table_reset_default`, `table_indirect_reset_default`
    TableResetDefault { table: TableId },
    /// `table_dump`
    TableDump { table: TableId },
    /// `table_num_entries`
    TableCount { table: TableId },

    /// `act_prof_create_member`
    MemberCreate { profile: ActionProfileId, action: ActionValue },
    /// `act_prof_modify_member`
    MemberModify { profile: ActionProfileId, member: u32, action: ActionValue },
    /// `act_prof_delete_member`
    MemberDelete { profile: ActionProfileId, member: u32 },
    /// `act_prof_create_group`
    MemberGroupCreate { profile: ActionProfileId },
    /// `act_prof_delete_group`
    MemberGroupDelete { profile: ActionProfileId, group: u32 },
    /// `act_prof_add_member_to_group`
    MemberGroupAdd { profile: ActionProfileId, group: u32, member: u32 },
    /// `act_prof_remove_member_from_group`
    MemberGroupRemove { profile: ActionProfileId, group: u32, member: u32 },

    /// `pvs_add`
    ValueSetAdd { set: ValueSetId, member: Vec<KeyMatch> },
    /// `pvs_remove`
    ValueSetRemove { set: ValueSetId, member: Vec<KeyMatch> },
    /// `pvs_clear`
    ValueSetClear { set: ValueSetId },

    /// `mirroring_add`, `mirroring_add_mc`
    MirroringAdd { session: u32, config: MirrorSession },
    /// `mirroring_delete`
    MirroringDelete { session: u32 },

    /// `set_queue_depth`: in packets; for one port or all, and one priority (as in a program) or all
    QueueDepth { packets: u64, port: Option<Port>, priority: Option<u8> },
    /// `set_queue_rate`: in packets per second, 0 for no limit
    QueueRate { packets_per_second: u64, port: Option<Port>, priority: Option<u8> },

    /// `mc_mgrp_create`
    GroupCreate { group: u16 },
    /// `mc_mgrp_destroy`
    GroupDestroy { group: u16 },
    /// `mc_node_create`: a node with this `egress_rid`
    NodeCreate { rid: u16, ports: Vec<Port> },
    /// `mc_node_update`
    NodeUpdate { node: u32, ports: Vec<Port> },
    /// `mc_node_associate`
    NodeAssociate { group: u16, node: u32 },
    /// `mc_node_dissociate`
    NodeDissociate { group: u16, node: u32 },
    /// `mc_node_destroy`
    NodeDestroy { node: u32 },

    /// `register_read`: one element, or all
    RegisterRead { register: ExternId, index: Option<u64> },
    /// `register_write`
    RegisterWrite { register: ExternId, index: u64, value: BigUint },
    /// `register_reset`
    RegisterReset { register: ExternId },
    /// `counter_read`: for a direct counter, `index` is the handle of an entry
    CounterRead { counter: ExternId, index: u64 },
    /// `counter_write`
    CounterWrite { counter: ExternId, index: u64, packets: u64, bytes: u64 },
    /// `counter_reset`
    CounterReset { counter: ExternId },
    /// `meter_set_rates` for one meter, `meter_array_set_rates` for all
    MeterRates { meter: ExternId, index: Option<u64>, rates: [MeterRate; 2] },

    /// `set_crc16_parameters`, `set_crc32_parameters`: for the custom hash of this width
    CrcParameters { algorithm: HashAlgorithm, parameters: CrcParameters },
}
