//! Navigation in a JSON Schema: properties, references, and the branch of a choice that matches a value.

use serde_json::{Map, Value};

/// A schema together with the document that its references point into.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'s> {
    root: &'s Value,
    /// The schema, with references resolved.
    pub schema: &'s Value,
    /// The definition (`queue`, `transport`, …) that a reference led through, if any.
    pub definition: Option<&'s str>,
    /// The title of the choice that this is a branch of.
    choice: Option<&'s str>,
}

/// The result of matching a value against the branches of a choice.
#[derive(Debug)]
pub enum Branch<'s> {
    /// The matching branch.
    One(Shape<'s>),
    /// A table without the `kind` that selects a branch.
    NoKind {
        /// The known ids.
        known: Vec<&'s str>,
    },
    /// An unknown `kind` or word.
    Unknown {
        /// Whether it is the `kind` of a table.
        in_table: bool,
        /// The known words.
        known: Vec<&'s str>,
    },
    /// No branch admits this type.
    WrongType,
}

impl<'s> Shape<'s> {
    /// The whole document.
    pub fn new(root: &'s Value) -> Shape<'s> {
        Shape { root, schema: root, definition: None, choice: None }
    }

    /// Resolves another schema of the same document.
    pub fn at(self, schema: &'s Value) -> Shape<'s> {
        let mut schema = schema;
        let mut definition = None;
        // The bound ends circular references.
        for _ in 0..16 {
            let Some(target) = schema.get("$ref").and_then(Value::as_str) else { break };
            let Some(found) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
                break;
            };
            definition = definition.or(target.strip_prefix("#/$defs/"));
            schema = found;
        }
        Shape { root: self.root, schema, definition, choice: None }
    }

    /// The schema of `key` of a table, named by the schema or free.
    pub fn property(self, key: &str) -> Option<Shape<'s>> {
        if let Some(property) = self.schema.get("properties").and_then(|properties| properties.get(key)) {
            return Some(self.at(property));
        }
        self.numbered(key).or_else(|| self.entries())
    }

    /// The schema of `key` of a table with integer keys.
    fn numbered(self, key: &str) -> Option<Shape<'s>> {
        // Schemars emits this pattern for maps with integer keys; the project has no other patterns.
        let entry = self.schema.get("patternProperties")?.get(r"^\d+$")?;
        let number = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| self.at(entry))
    }

    /// The schema of the entries of a table with free keys.
    pub fn entries(self) -> Option<Shape<'s>> {
        match self.schema.get("additionalProperties") {
            Some(entries @ Value::Object(_)) => Some(self.at(entries)),
            Some(Value::Bool(false)) => None,
            // A table without constraints.
            _ if self.schema.get("properties").is_none() => Some(self.at(&Value::Bool(true))),
            _ => None,
        }
    }

    /// The keys that the schema names.
    pub fn keys(self) -> impl Iterator<Item = &'s str> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
    }

    /// The keys that the schema names and does not deprecate.
    pub fn current_keys(self) -> impl Iterator<Item = &'s str> {
        self.keys().filter(move |key| self.property(key).is_none_or(|property| !property.is_deprecated()))
    }

    /// Whether this schema is of a deprecated key.
    pub fn is_deprecated(self) -> bool {
        self.schema.get("deprecated") == Some(&Value::Bool(true))
    }

    /// The key that has replaced a deprecated key.
    pub fn moved_into(self) -> Option<&'s str> {
        self.text("x-moved-into").filter(|_| self.is_deprecated())
    }

    /// The schema of a list's entries.
    pub fn item(self, index: usize) -> Option<Shape<'s>> {
        let prefix = self.schema.get("prefixItems").and_then(|items| items.get(index));
        prefix
            .or_else(|| self.schema.get("items").filter(|items| !items.is_boolean()))
            .map(|item| self.at(item))
    }

    /// A string keyword of the schema.
    pub fn text(self, key: &str) -> Option<&'s str> {
        self.schema.get(key).and_then(Value::as_str)
    }

    /// Its title, or else the title of the enclosing choice.
    pub fn title(self) -> Option<&'s str> {
        self.text("title").or(self.choice)
    }

    /// Whether the schema is a choice between branches.
    pub fn is_choice(self) -> bool {
        self.schema.get("anyOf").is_some() || self.schema.get("oneOf").is_some()
    }

    /// The branches of a choice; nested choices are flattened, the `null` of optional keys is omitted.
    pub fn branches(self) -> Vec<Shape<'s>> {
        let mut found = Vec::new();
        self.collect_branches(&mut found, 0);
        found
    }

    fn collect_branches(self, found: &mut Vec<Shape<'s>>, depth: usize) {
        for key in ["anyOf", "oneOf"] {
            for branch in self.schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                let branch = Shape { choice: self.title(), ..self.at(branch) };
                if branch.is_choice() && depth < 16 {
                    branch.collect_branches(found, depth + 1);
                } else if branch.text("type") != Some("null") {
                    found.push(branch);
                }
            }
        }
    }

    /// Whether `null` is admitted, as for optional keys.
    pub fn admits_null(self) -> bool {
        let is_null = |kind: &Value| kind == "null";
        match self.schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(is_null),
            Some(kind) => is_null(kind),
            None => ["anyOf", "oneOf"]
                .into_iter()
                .filter_map(|key| self.schema.get(key)?.as_array())
                .flatten()
                .any(|branch| self.at(branch).admits_null()),
        }
    }

    /// Whether the JSON type of `value` is admitted.
    pub fn admits_type_of(self, value: &Value) -> bool {
        let admits = |kind: &str| match value {
            Value::Null => kind == "null",
            Value::Bool(_) => kind == "boolean",
            Value::Number(number) => kind == "number" || (kind == "integer" && !number.is_f64()),
            Value::String(_) => kind == "string",
            Value::Array(_) => kind == "array",
            Value::Object(_) => kind == "object",
        };
        match self.schema.get("type") {
            Some(Value::String(kind)) => admits(kind),
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(admits),
            _ => match self.schema.get("const") {
                Some(only) => std::mem::discriminant(only) == std::mem::discriminant(value),
                None => true,
            },
        }
    }

    /// The admitted words, if the schema lists them.
    pub fn words(self) -> Option<Vec<&'s str>> {
        if let Some(list) = self.schema.get("enum").and_then(Value::as_array) {
            return Some(list.iter().filter_map(Value::as_str).collect());
        }
        self.schema.get("const").and_then(Value::as_str).map(|word| vec![word])
    }

    /// All admitted values as written in TOML, if the schema lists them.
    pub fn listed(self) -> Option<Vec<String>> {
        let written = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match self.schema.get("enum").and_then(Value::as_array) {
            Some(list) => Some(list.iter().map(written).collect()),
            None => self.schema.get("const").map(|only| vec![written(only)]),
        }
    }

    /// The `kind` of tables of this branch.
    pub fn kind(self) -> Option<&'s str> {
        self.schema.pointer("/properties/kind/const").and_then(Value::as_str)
    }

    fn requires(self, key: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|keys| keys.iter().any(|own| own == key))
    }

    /// Rates how well `table` matches this branch: whether all constant values agree, how many keys are known, and whether all
    /// required keys are present.
    fn likeness(self, table: &Map<String, Value>) -> (bool, usize, bool) {
        let disagrees = |key: &String, value: &Value| {
            let constant = self.property(key).and_then(|property| property.schema.get("const"));
            constant.is_some_and(|constant| constant != value)
        };
        let known = table.keys().filter(|key| self.keys().any(|own| own == *key)).count();
        let required = self.schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let complete = required.filter_map(Value::as_str).all(|key| table.contains_key(key));
        (!table.iter().any(|(key, value)| disagrees(key, value)), known, complete)
    }

    /// The branch that matches `value`.
    pub fn branch_for(self, value: &Value) -> Branch<'s> {
        let branches = self.branches();
        let fitting: Vec<Shape<'s>> =
            branches.iter().copied().filter(|branch| branch.admits_type_of(value)).collect();
        match value {
            Value::Object(table) => {
                let known: Vec<&str> = fitting.iter().filter_map(|branch| branch.kind()).collect();
                if !known.is_empty() {
                    return match table.get("kind").and_then(Value::as_str) {
                        None => match fitting
                            .iter()
                            .find(|branch| branch.kind().is_some() && !branch.requires("kind"))
                        {
                            Some(default) => Branch::One(*default),
                            None => Branch::NoKind { known },
                        },
                        Some(kind) => match fitting.iter().find(|branch| branch.kind() == Some(kind)) {
                            Some(branch) => Branch::One(*branch),
                            None => Branch::Unknown { in_table: true, known },
                        },
                    };
                }
                // Without a `kind`, the keys decide; the first branch wins a tie (`max_by_key` takes the last).
                let best = fitting.iter().rev().max_by_key(|branch| branch.likeness(table));
                return best.map_or(Branch::WrongType, |branch| Branch::One(*branch));
            }
            Value::String(word) if !fitting.is_empty() => {
                let listed =
                    |branch: &&Shape<'s>| branch.words().is_some_and(|words| words.contains(&word.as_str()));
                let free = |branch: &&Shape<'s>| branch.words().is_none();
                return match fitting.iter().find(listed).or_else(|| fitting.iter().find(free)) {
                    Some(branch) => Branch::One(*branch),
                    None => Branch::Unknown {
                        in_table: false,
                        known: fitting.iter().filter_map(|branch| branch.words()).flatten().collect(),
                    },
                };
            }
            _ => {}
        }
        fitting.first().map_or(Branch::WrongType, |branch| Branch::One(*branch))
    }
}
