//! Entities by names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An entity by names. For a read, what is left out selects all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Named {
    /// An entry of a table, or its default action.
    Table(NamedEntry),
    /// A member of an action profile.
    Member {
        /// Action profile.
        profile: String,
        /// Number of the member; 0 reads all.
        #[serde(default)]
        member: u32,
        /// Its action.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<NamedAction>,
    },
    /// A group of an action profile.
    Group {
        /// Action profile.
        profile: String,
        /// Number of the group; 0 reads all.
        #[serde(default)]
        group: u32,
        /// Members with their weights.
        #[serde(default)]
        members: Vec<(u32, i32)>,
        /// Maximum sum of the weights; 0 for the profile's.
        #[serde(default)]
        max_size: i32,
    },
    /// A cell of a counter.
    Counter {
        /// Counter.
        counter: String,
        /// Cell; `None` for all.
        #[serde(default)]
        index: Option<i64>,
        /// Packets.
        #[serde(default)]
        packets: i64,
        /// Bytes.
        #[serde(default)]
        bytes: i64,
    },
    /// The direct counter of an entry.
    DirectCounter {
        /// The entry's table and key.
        entry: NamedEntry,
        /// Packets.
        #[serde(default)]
        packets: i64,
        /// Bytes.
        #[serde(default)]
        bytes: i64,
    },
    /// A cell of a meter.
    Meter {
        /// Meter.
        meter: String,
        /// Cell; `None` for all.
        #[serde(default)]
        index: Option<i64>,
        /// Committed rate and burst, peak rate and burst, in packets or bytes (per second); `None`: all packets are green.
        #[serde(default)]
        rates: Option<[i64; 4]>,
    },
    /// The direct meter of an entry.
    DirectMeter {
        /// The entry's table and key.
        entry: NamedEntry,
        /// As of [`Named::Meter`].
        #[serde(default)]
        rates: Option<[i64; 4]>,
    },
    /// A cell of a register.
    Register {
        /// Register.
        register: String,
        /// Cell; `None` for all.
        #[serde(default)]
        index: Option<i64>,
        /// Its value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Datum>,
    },
    /// A multicast group.
    Multicast {
        /// Group; 0 reads all.
        #[serde(default)]
        group: u32,
        /// Ports and instances (`egress_rid`).
        #[serde(default)]
        replicas: Vec<(u32, u32)>,
    },
    /// A clone session.
    Clone {
        /// Session; 0 reads all.
        #[serde(default)]
        session: u32,
        /// Ports and instances.
        #[serde(default)]
        replicas: Vec<(u32, u32)>,
        /// Priority of the clones.
        #[serde(default)]
        class_of_service: u32,
        /// Maximum length of a clone in bytes; 0 for no limit.
        #[serde(default)]
        max_length: i32,
    },
    /// A value set of the parser.
    ValueSet {
        /// Value set.
        value_set: String,
        /// Members: criteria by field.
        #[serde(default)]
        members: Vec<BTreeMap<String, Criterion>>,
    },
    /// A digest whose lists the controller gets.
    Digest {
        /// Digest.
        digest: String,
        /// Longest wait of a message for its list, in nanoseconds.
        #[serde(default)]
        max_timeout: i64,
        /// Maximum number of messages in a list; 0 for the default.
        #[serde(default)]
        max_list: i32,
        /// Time for which a message of a list that is not acknowledged is not repeated, in nanoseconds.
        #[serde(default)]
        ack_timeout: i64,
    },
}

/// An entry of a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEntry {
    /// Table.
    pub table: String,
    /// Criteria by match field.
    #[serde(default, rename = "match")]
    pub matches: BTreeMap<String, Criterion>,
    /// Priority, > 0 in tables with ternary, range or optional fields, else 0; the highest wins.
    #[serde(default)]
    pub priority: i32,
    /// Action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<NamedAction>,
    /// Whether this is the default action of the table.
    #[serde(default)]
    pub default: bool,
    /// Time without a hit after which the controller is told, in nanoseconds; 0 for never.
    #[serde(default)]
    pub idle_timeout: i64,
    /// A number of the controller's own.
    #[serde(default)]
    pub cookie: u64,
    /// Packets and bytes of the direct counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<[i64; 2]>,
    /// Rates of the direct meter, as of [`Named::Meter`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<[i64; 4]>,
    /// Time since the last hit in nanoseconds, in tables with idle timeouts. Read only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<i64>,
    /// Whether the program made the entry `const`. Read only.
    #[serde(default)]
    pub is_const: bool,
}

/// What an entry does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NamedAction {
    /// Calls an action with parameters by name.
    Call(String, BTreeMap<String, String>),
    /// Uses a member of the table's action profile.
    Member(u32),
    /// Uses a group of it.
    Group(u32),
    /// Chooses among actions by weight.
    Set(Vec<WeightedAction>),
}

/// An action of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedAction {
    /// Action.
    pub name: String,
    /// Its parameters.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Weight.
    pub weight: i32,
}

/// What a match field must be. What the two numbers of a pair mean is up to the field's kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Criterion {
    /// This value: of an exact or optional field, a whole prefix, a mask of ones, a range of one number.
    Value(String),
    /// The first bits of this value, so many.
    Prefix(String, i32),
    /// Value and mask of a ternary field; least and greatest value of a range.
    Pair(String, String),
}

/// A value of a register or digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Datum {
    /// A `bool`.
    Bool(bool),
    /// A number.
    Number(String),
    /// A tuple, or a struct in the order of its fields.
    List(Vec<Datum>),
    /// A struct by names of fields.
    Fields(BTreeMap<String, Datum>),
}
