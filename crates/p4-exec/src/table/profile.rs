//! Action profiles and selectors: members, and groups of members.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::TableError;
use super::action::ActionShapes;
use jettison_p4_front::ir::{ActionProfileId, ActionValue, Program, TargetModel};

/// Members and groups of an action profile. Its actions are those of the tables that use it, which all have the same
/// list.
#[derive(Debug, Clone)]
pub struct ProfileState {
    actions: ActionShapes,
    size: u32,
    /// Number of hash bits in use, if the profile has groups.
    selector_bits: Option<u32>,
    /// Members by number; numbers are never reused.
    members: Vec<Option<ActionValue>>,
    count: u32,
    coded: Vec<u64>,
    groups: BTreeMap<u32, Group>,
    next_group: u32,
    /// Members that stand for the weight of another member, which the size does not count.
    copies: FxHashSet<u32>,
}

/// Members of a group in the order of their numbers, which is the order in which BMv2 selects.
#[derive(Debug, Clone, Default)]
struct Group {
    members: Vec<u32>,
}

impl ProfileState {
    pub(super) fn new(program: &Program, id: ActionProfileId) -> ProfileState {
        let profile = &program.profiles[id.index()];
        let table = program.tables.iter().find(|table| table.profile == Some(id));
        ProfileState {
            actions: table.map(|table| ActionShapes::new(program, table)).unwrap_or_default(),
            size: profile.size,
            selector_bits: profile.selector.map(|(_, bits)| match program.target {
                TargetModel::Bmv2 => 64, // it does not cut the hash
                TargetModel::Spec => bits,
            }),
            members: Vec::new(),
            count: 0,
            coded: Vec::new(),
            groups: BTreeMap::new(),
            next_group: 0,
            copies: FxHashSet::default(),
        }
    }

    /// Adds a member and returns its number.
    ///
    /// # Errors
    ///
    /// If the profile is full or the action does not fit.
    pub fn add_member(&mut self, value: ActionValue) -> Result<u32, TableError> {
        self.actions.check(&value, None)?;
        if self.size > 0 && self.count >= self.size {
            return Err(TableError::Full(u64::from(self.size)));
        }
        let Ok(number) = u32::try_from(self.members.len()) else {
            return Err(TableError::Full(u64::from(u32::MAX)));
        };
        self.members.push(Some(value));
        self.count += 1;
        self.coded.resize(self.members.len() * self.actions.stride(), 0);
        self.code(number);
        Ok(number)
    }

    /// Adds a member that the size does not count: for the weight of a member in a group, and for actions that an entry
    /// holds itself. Returns its number.
    ///
    /// # Errors
    ///
    /// If the action does not fit.
    pub fn add_copy(&mut self, value: ActionValue) -> Result<u32, TableError> {
        let size = std::mem::take(&mut self.size);
        let number = self.add_member(value);
        self.size = size;
        let number = number?;
        self.count -= 1;
        self.copies.insert(number);
        Ok(number)
    }

    /// Changes the action of a member.
    ///
    /// # Errors
    ///
    /// If the member does not exist or the action does not fit.
    pub fn modify_member(&mut self, member: u32, value: ActionValue) -> Result<(), TableError> {
        self.actions.check(&value, None)?;
        let place = self.members.get_mut(member as usize).filter(|place| place.is_some());
        *place.ok_or_else(|| no_member(member))? = Some(value);
        self.code(member);
        Ok(())
    }

    /// Removes a member, also from its groups.
    ///
    /// # Errors
    ///
    /// If the member does not exist.
    pub fn remove_member(&mut self, member: u32) -> Result<ActionValue, TableError> {
        let value = self.members.get_mut(member as usize).and_then(Option::take);
        let value = value.ok_or_else(|| no_member(member))?;
        if !self.copies.remove(&member) {
            self.count -= 1;
        }
        for group in self.groups.values_mut() {
            group.members.retain(|other| *other != member);
        }
        Ok(value)
    }

    /// Adds an empty group and returns its number.
    ///
    /// # Errors
    ///
    /// If the profile has no selector.
    pub fn add_group(&mut self) -> Result<u32, TableError> {
        if self.selector_bits.is_none() {
            return Err(TableError::Mismatch(
                "an action profile without a selector has no groups".to_owned(),
            ));
        }
        let number = self.next_group;
        self.next_group += 1;
        self.groups.insert(number, Group::default());
        Ok(number)
    }

    /// Removes a group.
    ///
    /// # Errors
    ///
    /// If the group does not exist.
    pub fn remove_group(&mut self, group: u32) -> Result<(), TableError> {
        self.groups.remove(&group).map(|_| ()).ok_or_else(|| no_group(group))
    }

    /// Adds a member to a group.
    ///
    /// # Errors
    ///
    /// If the group or member does not exist, or the member is already in the group.
    pub fn add_to_group(&mut self, group: u32, member: u32) -> Result<(), TableError> {
        if self.member(member).is_none() {
            return Err(no_member(member));
        }
        let members = &mut self.groups.get_mut(&group).ok_or_else(|| no_group(group))?.members;
        match members.binary_search(&member) {
            Ok(_) => {
                Err(TableError::Mismatch(format!("the member {member} is already in the group {group}")))
            }
            Err(at) => {
                members.insert(at, member);
                Ok(())
            }
        }
    }

    /// Removes a member from a group.
    ///
    /// # Errors
    ///
    /// If the group does not exist or does not contain the member.
    pub fn remove_from_group(&mut self, group: u32, member: u32) -> Result<(), TableError> {
        let members = &mut self.groups.get_mut(&group).ok_or_else(|| no_group(group))?.members;
        let Ok(at) = members.binary_search(&member) else {
            return Err(TableError::Mismatch(format!("the member {member} is not in the group {group}")));
        };
        members.remove(at);
        Ok(())
    }

    /// Action of a member.
    pub fn member(&self, member: u32) -> Option<&ActionValue> {
        self.members.get(member as usize)?.as_ref()
    }

    /// All members with their numbers.
    pub fn members(&self) -> impl Iterator<Item = (u32, &ActionValue)> {
        let numbered = self.members.iter().enumerate();
        numbered.filter_map(|(number, value)| Some((number as u32, value.as_ref()?)))
    }

    /// Numbers of all groups, with their members.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.groups.iter().map(|(number, group)| (*number, &*group.members))
    }

    /// The member of a group selected by a hash of the `selector` keys: the hash, truncated to the selector's width,
    /// mod the number of members. `None` if the group does not exist or is empty.
    #[inline]
    pub fn choose(&self, group: u32, hash: u64) -> Option<u32> {
        let members = &self.groups.get(&group)?.members;
        let hash = match self.selector_bits? {
            bits @ 0..64 => hash & ((1 << bits) - 1),
            _ => hash,
        };
        members.get(hash.checked_rem(members.len() as u64)? as usize).copied()
    }

    /// Encoded action of a member: a [`super::Coded::Action`] word and the data.
    #[inline]
    pub(crate) fn coded(&self, member: u32) -> Option<&[u64]> {
        self.member(member)?;
        let stride = self.actions.stride();
        self.coded.get(member as usize * stride..)?.get(..stride)
    }

    fn code(&mut self, member: u32) {
        let stride = self.actions.stride();
        if let Some(value) = &self.members[member as usize] {
            self.actions.write(value, &mut self.coded[member as usize * stride..][..stride]);
        }
    }
}

fn no_member(member: u32) -> TableError {
    TableError::Mismatch(format!("unknown member {member}"))
}

fn no_group(group: u32) -> TableError {
    TableError::Mismatch(format!("unknown group {group}"))
}
