//! Names of the control plane: full names, or unique suffixes.

use std::sync::Arc;

use jettison_registry::nearest;

use jettison_p4_front::ir::{ActionProfileId, ExternId, ExternKind, Program, TableId, ValueSetId};

/// Lookup of a program's objects by name.
///
/// The full name is the controls' path (`ingress.ipv4_lpm`), or the name given by `@name`. A suffix after a dot
/// (`ipv4_lpm`) is sufficient if it is unique. A leading dot (`.NoAction`) may be omitted.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    program: &'a Program,
}

/// Whether `name` is the full name, or a suffix of it after a dot.
pub fn suffix_matches(full: &str, name: &str) -> bool {
    let (full, name) = (full.trim_start_matches('.'), name.trim_start_matches('.'));
    full.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

impl<'a> Names<'a> {
    /// Creates the lookup for a program.
    pub fn new(program: &'a Program) -> Names<'a> {
        Names { program }
    }

    /// Finds a table by name.
    ///
    /// # Errors
    /// If no table matches, or several do. The messages suggest the nearest name, or list all matches.
    pub fn table(&self, name: &str) -> Result<TableId, String> {
        let names = self.program.tables.iter().map(|table| &table.name);
        resolve("table", name, names).map(|at| TableId(at as u32))
    }

    /// Finds an action by name; returns its index in the table's list.
    ///
    /// # Errors
    /// If no action of the table matches, or several do.
    pub fn action(&self, table: TableId, name: &str) -> Result<u32, String> {
        let table = &self.program.tables[table.index()];
        let names = table.actions.iter().map(|action| &action.name);
        resolve(&format!("action of table `{}`", table.name), name, names).map(|at| at as u32)
    }

    /// Finds an action profile by name.
    ///
    /// # Errors
    /// If none matches, or several do.
    pub fn profile(&self, name: &str) -> Result<ActionProfileId, String> {
        let names = self.program.profiles.iter().map(|profile| &profile.name);
        resolve("action profile", name, names).map(|at| ActionProfileId(at as u32))
    }

    /// A table that uses a profile.
    pub fn table_of(&self, profile: ActionProfileId) -> Option<TableId> {
        let at = self.program.tables.iter().position(|table| table.profile == Some(profile))?;
        Some(TableId(at as u32))
    }

    /// Finds a value set by name.
    ///
    /// # Errors
    /// If none matches, or several do.
    pub fn value_set(&self, name: &str) -> Result<ValueSetId, String> {
        let names = self.program.value_sets.iter().map(|set| &set.name);
        resolve("value set", name, names).map(|at| ValueSetId(at as u32))
    }

    /// Finds a register by name.
    ///
    /// # Errors
    /// If none matches, or several do.
    pub fn register(&self, name: &str) -> Result<ExternId, String> {
        self.object("register", name, |kind| matches!(kind, ExternKind::Register { .. }))
    }

    /// Finds a counter by name, direct or indirect.
    ///
    /// # Errors
    /// If none matches, or several do.
    pub fn counter(&self, name: &str) -> Result<ExternId, String> {
        let is = |kind: ExternKind| matches!(kind, ExternKind::Counter { .. } | ExternKind::DirectCounter);
        self.object("counter", name, is)
    }

    /// Finds a meter by name, direct or indirect.
    ///
    /// # Errors
    /// If none matches, or several do.
    pub fn meter(&self, name: &str) -> Result<ExternId, String> {
        let is = |kind: ExternKind| matches!(kind, ExternKind::Meter { .. } | ExternKind::DirectMeter { .. });
        self.object("meter", name, is)
    }

    fn object(
        &self,
        kind_name: &str,
        name: &str,
        is: impl Fn(ExternKind) -> bool,
    ) -> Result<ExternId, String> {
        let numbers: Vec<usize> =
            (0..self.program.externs.len()).filter(|at| is(self.program.externs[*at].kind)).collect();
        let names = numbers.iter().map(|at| &self.program.externs[*at].name);
        resolve(kind_name, name, names).map(|at| ExternId(numbers[at] as u32))
    }
}

/// Index of the name that matches.
fn resolve<'a>(
    kind_name: &str,
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
            // Compare last parts, because short names are near to short ones.
            let last = |full: &'a Arc<str>| plain(full).rsplit('.').next().unwrap_or_default();
            let near = nearest(name, names.clone().map(plain).chain(names.clone().map(last)));
            let hint = match (near, names.clone().count()) {
                (Some(near), _) => format!("; did you mean `{near}`?"),
                (None, 0) => "; the program has none".to_owned(),
                (None, 1..=8) => {
                    let all: Vec<&str> = names.map(plain).collect();
                    format!("; known: {}", all.join(", "))
                }
                (None, _) => String::new(),
            };
            Err(format!("unknown {kind_name} `{name}`{hint}"))
        }
        _ => {
            let all: Vec<&str> = matching.iter().map(|(_, full)| &***full).collect();
            Err(format!("ambiguous name `{name}`: it may be {}; write more of the name", all.join(" or ")))
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
    fn a_name_is_full_or_a_unique_suffix() {
        assert_eq!(find("ingress.ipv4_lpm"), Ok(0));
        assert_eq!(find("ipv4_lpm"), Ok(0));
        assert_eq!((find("NoAction"), find(".NoAction")), (Ok(3), Ok(3)));
        assert_eq!(find("b.lpm"), Ok(4));
        assert_eq!(find("lpm"), Ok(5), "the full name wins");
        assert!(find("v4_lpm").is_err(), "only after a dot");
        let message = find("send").unwrap_err();
        assert!(message.contains("egress.send or ingress.send"), "{message}");
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_nearest() {
        let message = find("ipv4_lmp").unwrap_err();
        assert!(message.contains("did you mean `ipv4_lpm`"), "{message}");
    }
}
