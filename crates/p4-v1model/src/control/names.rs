//! Names of the control plane: full ones, or a suffix that only one has.

use std::sync::Arc;

use jettison_core::nearest;

use jettison_p4_front::ir::{ActionProfileId, ExternId, ExternKind, Program, TableId, ValueSetId};

/// Finds a program's objects by name.
///
/// The full name is the controls' path (`ingress.ipv4_lpm`), or what `@name` says. A part from behind a point on
/// (`ipv4_lpm`) will do where it fits only one. A leading point (`.NoAction`) may be left out.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    program: &'a Program,
}

/// Whether `name` is the full name, or a part of it from behind a point to the end.
pub fn suffix_matches(full: &str, name: &str) -> bool {
    let (full, name) = (full.trim_start_matches('.'), name.trim_start_matches('.'));
    full.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

impl<'a> Names<'a> {
    /// The names of a program.
    pub fn new(program: &'a Program) -> Names<'a> {
        Names { program }
    }

    /// The table of that name.
    ///
    /// # Errors
    /// If there is none, or several. The messages name the nearest, or all of them.
    pub fn table(&self, name: &str) -> Result<TableId, String> {
        let names = self.program.tables.iter().map(|table| &table.name);
        resolve("table", name, names).map(|at| TableId(at as u32))
    }

    /// The number, within the table's list, of the action of that name.
    ///
    /// # Errors
    /// If the table has none, or several.
    pub fn action(&self, table: TableId, name: &str) -> Result<u32, String> {
        let table = &self.program.tables[table.index()];
        let names = table.actions.iter().map(|action| &action.name);
        resolve(&format!("action of table `{}`", table.name), name, names).map(|at| at as u32)
    }

    /// The action profile of that name.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn profile(&self, name: &str) -> Result<ActionProfileId, String> {
        let names = self.program.profiles.iter().map(|profile| &profile.name);
        resolve("action profile", name, names).map(|at| ActionProfileId(at as u32))
    }

    /// A table whose actions a profile has.
    pub fn table_of(&self, profile: ActionProfileId) -> Option<TableId> {
        let at = self.program.tables.iter().position(|table| table.profile == Some(profile))?;
        Some(TableId(at as u32))
    }

    /// The value set of that name.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn value_set(&self, name: &str) -> Result<ValueSetId, String> {
        let names = self.program.value_sets.iter().map(|set| &set.name);
        resolve("value set", name, names).map(|at| ValueSetId(at as u32))
    }

    /// The register of that name.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn register(&self, name: &str) -> Result<ExternId, String> {
        self.object("register", name, |kind| matches!(kind, ExternKind::Register { .. }))
    }

    /// The counter of that name, direct or not.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn counter(&self, name: &str) -> Result<ExternId, String> {
        let is = |kind: ExternKind| matches!(kind, ExternKind::Counter { .. } | ExternKind::DirectCounter);
        self.object("counter", name, is)
    }

    /// The meter of that name, direct or not.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn meter(&self, name: &str) -> Result<ExternId, String> {
        let is = |kind: ExternKind| matches!(kind, ExternKind::Meter { .. } | ExternKind::DirectMeter { .. });
        self.object("meter", name, is)
    }

    fn object(&self, what: &str, name: &str, is: impl Fn(ExternKind) -> bool) -> Result<ExternId, String> {
        let numbers: Vec<usize> =
            (0..self.program.externs.len()).filter(|at| is(self.program.externs[*at].kind)).collect();
        let names = numbers.iter().map(|at| &self.program.externs[*at].name);
        resolve(what, name, names).map(|at| ExternId(numbers[at] as u32))
    }
}

/// The place of the one that is meant.
fn resolve<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a Arc<str>> + Clone,
) -> Result<usize, String> {
    let plain = |full: &'a Arc<str>| full.trim_start_matches('.');
    if let Some(at) = names.clone().position(|full| plain(full) == name.trim_start_matches('.')) {
        return Ok(at);
    }
    let matching: Vec<(usize, &Arc<str>)> =
        names.clone().enumerate().filter(|(_, full)| suffix_matches(full, name)).collect();
    match matching[..] {
        [(at, _)] => Ok(at),
        [] => {
            // A short name is near to a short one.
            let last = |full: &'a Arc<str>| plain(full).rsplit('.').next().unwrap_or_default();
            let near = nearest(name, names.clone().map(plain).chain(names.clone().map(last)));
            let hint = match (near, names.clone().count()) {
                (Some(near), _) => format!("; did you mean `{near}`?"),
                (None, 0) => "; there is none".to_owned(),
                (None, 1..=8) => {
                    let all: Vec<&str> = names.map(plain).collect();
                    format!("; there is {}", all.join(", "))
                }
                (None, _) => String::new(),
            };
            Err(format!("no {what} is called `{name}`{hint}"))
        }
        _ => {
            let all: Vec<&str> = matching.iter().map(|(_, full)| &***full).collect();
            Err(format!("`{name}` may be {}: write more of the name", all.join(" or ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Result<usize, String> {
        let names: Vec<Arc<str>> =
            ["ingress.ipv4_lpm", "egress.send", "ingress.send", ".NoAction", "a.b.lpm", "lpm"]
                .map(Into::into)
                .into();
        resolve("table", name, names.iter())
    }

    #[test]
    fn a_name_is_full_or_the_only_one_that_ends_so() {
        assert_eq!(find("ingress.ipv4_lpm"), Ok(0));
        assert_eq!(find("ipv4_lpm"), Ok(0));
        assert_eq!((find("NoAction"), find(".NoAction")), (Ok(3), Ok(3)));
        assert_eq!(find("b.lpm"), Ok(4));
        assert_eq!(find("lpm"), Ok(5), "the full name wins");
        assert!(find("v4_lpm").is_err(), "only from behind a point");
        let message = find("send").unwrap_err();
        assert!(message.contains("egress.send or ingress.send"), "{message}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let message = find("ipv4_lmp").unwrap_err();
        assert!(message.contains("did you mean `ipv4_lpm`"), "{message}");
    }
}
