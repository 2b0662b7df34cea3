//! Members and groups of action profiles that entries refer to. As in `simple_switch`, an entry refers only to what
//! exists, and what is in use stays.

use super::CommandError;
use crate::P4Switch;
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{EntryAction, TableError};
use jettison_p4_front::ir::{ActionProfileId, TableId};

impl<M: Machine + Send> P4Switch<M> {
    /// Checks that the member or the group of an entry, or of a default action, exists; a group of v1model must have members.
    pub(super) fn check_reference(&self, table: TableId, action: &EntryAction) -> Result<(), CommandError> {
        let Some(profile) = self.program().tables[table.index()].profile else { return Ok(()) };
        let state = self.plane().tables.profile(profile);
        let wrong = match action {
            EntryAction::Action(_) => return Ok(()),
            EntryAction::Member(member) if state.member(*member).is_some() => return Ok(()),
            EntryAction::Member(member) => format!("unknown member {member}"),
            EntryAction::Group(group) => match state.groups().find(|(number, _)| number == group) {
                None => format!("unknown group {group}"),
                // PSA says what a table does then (`psa_empty_group_action`).
                Some((_, [])) if self.program().pipeline.psa.is_none() => {
                    format!("the group {group} has no members")
                }
                Some(_) => return Ok(()),
            },
        };
        Err(self.of_table(table, TableError::Mismatch(wrong)))
    }

    /// Checks that no entry, default action or group refers to a member, or to a group of a profile.
    pub(super) fn check_unused(
        &self,
        profile: ActionProfileId,
        what: &EntryAction,
    ) -> Result<(), CommandError> {
        let tables = (0u32..).zip(&self.program().tables).filter(|(_, table)| table.profile == Some(profile));
        for (id, table) in tables {
            let state = self.plane().tables.table(TableId(id));
            if state.default() == what || state.entries().any(|(_, entry)| entry.action == *what) {
                return Err(self.in_use(profile, what, &format!("the table `{}`", table.name)));
            }
        }
        if let EntryAction::Member(member) = what {
            let mut groups = self.plane().tables.profile(profile).groups();
            if let Some((group, _)) = groups.find(|(_, members)| members.contains(member)) {
                return Err(self.in_use(profile, what, &format!("the group {group}")));
            }
        }
        Ok(())
    }

    fn in_use(&self, profile: ActionProfileId, what: &EntryAction, user: &str) -> CommandError {
        let what = match what {
            EntryAction::Member(member) => format!("the member {member}"),
            EntryAction::Group(group) => format!("the group {group}"),
            EntryAction::Action(_) => "the action".to_owned(),
        };
        self.of_profile(profile, TableError::Mismatch(format!("{what} is in use by {user}")))
    }
}
