//! The list of entries of one kind.

use std::fmt;

use indexmap::IndexMap;
use serde_json::Value;

use crate::schema::describe;
use crate::{Entry, Kind, ParameterError, Problem, suggestion};

/// Entries by id, in the order of registration.
pub struct Registry<K: Kind> {
    entries: IndexMap<&'static str, Entry<K>>,
}

impl<K: Kind> Registry<K> {
    /// Adds or replaces an entry.
    pub fn register(&mut self, entry: Entry<K>) {
        self.entries.insert(entry.id, entry);
    }
    /// The entry with that id.
    pub fn entry(&self, id: &str) -> Option<&Entry<K>> {
        self.entries.get(id)
    }
    /// All entries, in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = &Entry<K>> {
        self.entries.values()
    }
    /// All ids, in the order of registration.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.keys().copied()
    }

    /// Builds a component from a scenario's value: an id (`"codel"`) or a table with `kind` (`{ kind = "codel", target = "5 ms" }`).
    ///
    /// # Errors
    /// If the id is unknown or the parameters are wrong, with the path from `value` to the offending key.
    pub fn build(&self, value: &Value, context: &K::Context<'_>) -> Result<K::Built, ParameterError> {
        let (entry, parameters) = self.chosen(value)?;
        entry.build(&parameters, context)
    }

    /// The entry that a scenario's value chooses, and its parameters: a table without `kind`, or `null`.
    ///
    /// # Errors
    /// If the value chooses none, or the id is unknown.
    pub fn chosen(&self, value: &Value) -> Result<(&Entry<K>, Value), ParameterError> {
        match value {
            Value::String(id) => Ok((self.known(id)?, Value::Null)),
            Value::Object(table) => {
                let mut parameters = table.clone();
                match parameters.shift_remove("kind") {
                    Some(Value::String(id)) => {
                        let entry = self.known(&id).map_err(|error| error.under("kind"))?;
                        Ok((entry, Value::Object(parameters)))
                    }
                    Some(other) => {
                        let requirement = format!("be one of {}", self.list());
                        Err(ParameterError::must("kind", &requirement, describe(&other)))
                    }
                    None => {
                        let missing = ParameterError::of(Problem::Predicate("has no `kind`".to_owned()));
                        Err(missing.with_help(format!("add one of: {}", self.list())))
                    }
                }
            }
            other => {
                let (list, found) = (self.list(), describe(other));
                let problem = format!("must be one of {list}, or a table with `kind`, got {found}");
                Err(ParameterError::of(Problem::Predicate(problem)))
            }
        }
    }

    /// Builds the component with that id from its parameters, a table without `kind`.
    ///
    /// # Errors
    /// If the id is unknown or the parameters are wrong, with the path from `parameters` to the offending key.
    pub fn build_from(
        &self,
        id: &str,
        parameters: &Value,
        context: &K::Context<'_>,
    ) -> Result<K::Built, ParameterError> {
        self.known(id)?.build(parameters, context)
    }

    /// The entry with that id.
    ///
    /// # Errors
    /// If the id is unknown, with the nearest one.
    pub fn known(&self, id: &str) -> Result<&Entry<K>, ParameterError> {
        self.entry(id).ok_or_else(|| {
            let unknown = ParameterError::whole(format!("unknown {} `{id}`", K::NAME));
            unknown.with_help(suggestion(id, self.ids()))
        })
    }

    fn list(&self) -> String {
        self.ids().collect::<Vec<_>>().join(", ")
    }
}

impl<K: Kind> Default for Registry<K> {
    fn default() -> Registry<K> {
        Registry { entries: IndexMap::new() }
    }
}

impl<K: Kind> fmt::Debug for Registry<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.values()).finish()
    }
}

impl<K: Kind> Clone for Registry<K> {
    fn clone(&self) -> Registry<K> {
        Registry { entries: self.entries.clone() }
    }
}

impl<K: Kind, const N: usize> From<[Entry<K>; N]> for Registry<K> {
    fn from(entries: [Entry<K>; N]) -> Registry<K> {
        Registry::from_iter(entries)
    }
}

impl<K: Kind> FromIterator<Entry<K>> for Registry<K> {
    fn from_iter<I: IntoIterator<Item = Entry<K>>>(entries: I) -> Registry<K> {
        let mut registry = Registry::default();
        entries.into_iter().for_each(|entry| registry.register(entry));
        registry
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::style::{BLUE, Line};

    enum Filter {}
    impl Kind for Filter {
        const KEY: &'static str = "filter";
        const NAME: &'static str = "filter";
        type Context<'a> = &'a str;
        type Built = String;
        type Facts = u8;
    }

    #[derive(Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Named {
        /// A word.
        word: String,
    }

    fn filters() -> Registry<Filter> {
        Registry::from([Entry::<Filter>::new("named", "Named", |own: Named, place| {
            Ok(format!("{place}: {}", own.word))
        })
        .style(BLUE, Line::Dashed)
        .summary("says a word")
        .source("none")
        .page("filters.md")
        .facts(3)
        .example(|| json!({ "word": "x" }))])
    }

    #[test]
    fn an_entry_describes_and_builds_a_component() {
        let filters = filters();
        let entry = filters.entry("named").unwrap();
        assert_eq!(
            (entry.name, entry.summary, entry.page, entry.facts),
            ("Named", "says a word", Some("filters.md"), 3)
        );
        let example = entry.example.unwrap()();
        assert_eq!(entry.build(&example, &"here"), Ok("here: x".to_owned()));
        assert_eq!(entry.parameters()[0].name, "word");
    }

    #[test]
    fn an_entry_of_one_kind_derives_from_an_entry_of_another() {
        enum Count {}
        impl Kind for Count {
            const KEY: &'static str = "count";
            const NAME: &'static str = "count";
            type Context<'a> = ();
            type Built = usize;
            type Facts = ();
        }
        let own = filters().entry("named").unwrap().clone();
        let counted = own.clone();
        let derived: Entry<Count> =
            own.derived((), move |value, _| counted.build(value, &"").map(|built| built.len()));
        assert_eq!((derived.id, derived.style, derived.schema()), (own.id, own.style, own.schema()));
        assert_eq!(derived.build(&json!({ "word": "abc" }), &()), Ok(5));
    }

    #[test]
    fn a_value_without_a_known_id_is_refused() {
        let refused = |value| filters().build(&value, &"").unwrap_err().to_string();
        assert_eq!(refused(json!("naemd")), "unknown filter `naemd`; did you mean `named`?");
        assert_eq!(refused(json!({ "kind": "other" })), "kind: unknown filter `other`; known: named");
        assert_eq!(refused(json!({ "word": "x" })), "has no `kind`; add one of: named");
        assert_eq!(refused(json!({ "kind": 3 })), "kind: must be one of named, got 3");
        assert_eq!(refused(json!([])), "must be one of named, or a table with `kind`, got a list");
        assert_eq!(refused(json!("named")), "has no `word`; add `word`: a string");
    }

    #[test]
    fn a_later_entry_with_the_same_id_replaces_the_earlier() {
        let mut filters = filters();
        let schema = filters.entry("named").unwrap().schema().clone();
        filters.register(Entry::dynamic("named", "other", schema, |value, _| Ok(value.to_string())));
        assert_eq!(filters.iter().count(), 1);
        assert_eq!(
            filters.build(&json!({ "kind": "named", "word": "x" }), &""),
            Ok("{\"word\":\"x\"}".to_owned())
        );
        let error = filters.build(&json!({ "kind": "named", "wrod": "x" }), &"").unwrap_err();
        assert_eq!(error.to_string(), "wrod: unknown key `wrod`; did you mean `word`?");
    }
}
