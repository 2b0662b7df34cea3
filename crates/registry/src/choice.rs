//! Parameters that choose a component: an id, or a table with `kind` and the component's parameters.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::{Kind, ParameterError, Registry};

/// The options of a choice. Often implemented by the kind itself, next to its list.
pub trait Choices: 'static {
    /// The kind of component.
    type Kind: Kind;
    /// The default id.
    const DEFAULT: &'static str;
    /// Whether a table without `kind` has the parameters of the default component.
    const IS_KIND_OPTIONAL: bool = false;
    /// The registry to choose from.
    fn registry() -> &'static Registry<Self::Kind>;
}

/// A parameter that chooses a component: `"cubic"`, or `{ kind = "cubic", beta = 0.7 }`.
pub struct Choice<C> {
    /// The id.
    pub kind: String,
    /// The component's parameters.
    pub parameters: Map<String, Value>,
    of: PhantomData<fn() -> C>,
}

impl<C> Choice<C> {
    /// Chooses a component with its defaults.
    pub fn plain(kind: &str) -> Choice<C> {
        Choice::with(kind, Map::new())
    }

    /// Chooses a component with parameters.
    pub fn with(kind: &str, parameters: Map<String, Value>) -> Choice<C> {
        Choice { kind: kind.to_owned(), parameters, of: PhantomData }
    }
}

impl<C: Choices> Choice<C> {
    /// Builds the chosen component.
    ///
    /// # Errors
    /// If the id is unknown, or with the path of the offending key, relative to this parameter's table.
    pub fn build(
        &self,
        context: &<C::Kind as Kind>::Context<'_>,
    ) -> Result<<C::Kind as Kind>::Built, ParameterError> {
        C::registry().build_from(&self.kind, &Value::Object(self.parameters.clone()), context)
    }

    /// Builds the component that the parameter `key` chooses. `moved` is the name of a deprecated key and its table, whose
    /// parameters are added.
    ///
    /// # Errors
    /// As [`Choice::build`], with the path relative to the table that holds both keys; if both set one parameter.
    pub fn build_with(
        &self,
        key: &str,
        (old_key, moved): (&str, &Map<String, Value>),
        context: &<C::Kind as Kind>::Context<'_>,
    ) -> Result<<C::Kind as Kind>::Built, ParameterError> {
        if let Some(twice) = moved.keys().find(|own| self.parameters.contains_key(*own)) {
            let twice = ParameterError::at(twice, format!("must not be set twice: `{key}` sets it too"));
            return Err(twice.under(old_key).with_help("remove one"));
        }
        let mut all = self.parameters.clone();
        all.extend(moved.clone());
        C::registry().build_from(&self.kind, &Value::Object(all), context).map_err(|error| {
            let is_moved = error.path.first().is_some_and(|own| moved.contains_key(own));
            error.under(if is_moved { old_key } else { key })
        })
    }
}

impl<C> From<&str> for Choice<C> {
    fn from(kind: &str) -> Choice<C> {
        Choice::plain(kind)
    }
}
impl<C> Clone for Choice<C> {
    fn clone(&self) -> Choice<C> {
        Choice::with(&self.kind, self.parameters.clone())
    }
}
impl<C> fmt::Debug for Choice<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choice").field("kind", &self.kind).field("parameters", &self.parameters).finish()
    }
}
impl<C> PartialEq for Choice<C> {
    fn eq(&self, other: &Choice<C>) -> bool {
        self.kind == other.kind && self.parameters == other.parameters
    }
}
impl<C: Choices> Default for Choice<C> {
    fn default() -> Choice<C> {
        Choice::plain(C::DEFAULT)
    }
}

impl<C> Serialize for Choice<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.parameters.is_empty() {
            return serializer.serialize_str(&self.kind);
        }
        let mut table = Map::from_iter([("kind".to_owned(), Value::String(self.kind.clone()))]);
        table.extend(self.parameters.clone());
        table.serialize(serializer)
    }
}

impl<'de, C: Choices> Deserialize<'de> for Choice<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Choice<C>, D::Error> {
        let kind_name = C::Kind::NAME;
        match Value::deserialize(deserializer)? {
            Value::String(kind) => Ok(Choice::plain(&kind)),
            Value::Object(mut parameters) => match parameters.shift_remove("kind") {
                Some(Value::String(kind)) => Ok(Choice::with(&kind, parameters)),
                None if C::IS_KIND_OPTIONAL => Ok(Choice::with(C::DEFAULT, parameters)),
                _ => Err(D::Error::custom(format!("must have `kind`, the id of the {kind_name}"))),
            },
            _ => Err(D::Error::custom(format!("must be the id of the {kind_name}, or a table with `kind`"))),
        }
    }
}

impl<C: Choices> JsonSchema for Choice<C> {
    fn schema_name() -> Cow<'static, str> {
        format!("choice of {}", C::Kind::NAME).into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let ids: Vec<&str> = C::registry().ids().collect();
        let mut choices = vec![json!({ "type": "string", "enum": ids })];
        for entry in C::registry().iter() {
            let schema = entry.schema().as_value();
            let own = schema.get("properties").map_or(Value::Null, |own| inlined(own, schema));
            let mut properties =
                Map::from_iter([("kind".to_owned(), json!({ "type": "string", "const": entry.id }))]);
            properties.extend(own.as_object().cloned().unwrap_or_default());
            let is_optional = C::IS_KIND_OPTIONAL && entry.id == C::DEFAULT;
            let mut required = if is_optional { Vec::new() } else { vec![json!("kind")] };
            required.extend(schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
            choices.push(json!({
                "type": "object",
                "title": entry.id,
                "description": entry.summary,
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            }));
        }
        json_schema!({ "title": C::Kind::NAME, "anyOf": choices })
    }
}

/// Replaces references by their targets: once embedded in another schema, an entry's definitions cannot be referenced.
fn inlined(schema: &Value, root: &Value) -> Value {
    match schema {
        Value::Object(table) => {
            let reference = table.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            let mut own: Map<String, Value> = match reference.and_then(|path| root.pointer(path)) {
                Some(definition) => inlined(definition, root).as_object().cloned().unwrap_or_default(),
                None => Map::new(),
            };
            let beside = table.iter().filter(|(key, _)| *key != "$ref");
            own.extend(beside.map(|(key, value)| (key.clone(), inlined(value, root))));
            Value::Object(own)
        }
        Value::Array(list) => Value::Array(list.iter().map(|value| inlined(value, root)).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use serde_json::json;

    use super::*;
    use crate::{Entry, parameters};

    enum Filter {}
    impl Kind for Filter {
        const KEY: &'static str = "filter";
        const NAME: &'static str = "filter";
        type Context<'a> = ();
        type Built = f64;
        type Facts = ();
    }
    impl Choices for Filter {
        type Kind = Filter;
        const DEFAULT: &'static str = "ewma";
        fn registry() -> &'static Registry<Filter> {
            static FILTERS: LazyLock<Registry<Filter>> = LazyLock::new(|| {
                Registry::from([
                    Entry::<Filter>::new("ewma", "EWMA", |own: Ewma, _| Ok(own.weight)),
                    Entry::<Filter>::new("mean", "mean", |own: Mean, _| Ok(f64::from(own.samples))),
                ])
            });
            &FILTERS
        }
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct Ewma {
        /// Weight.
        weight: f64,
    }
    impl Default for Ewma {
        fn default() -> Ewma {
            Ewma { weight: 0.125 }
        }
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Mean {
        /// Samples.
        samples: u8,
    }

    /// Parameters that choose, with a deprecated key beside the choice.
    #[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct Chooser {
        /// The filter.
        filter: Choice<Filter>,
        /// Deprecated.
        #[schemars(extend("deprecated" = true, "x-moved-into" = "filter"))]
        filter_parameters: Map<String, Value>,
    }

    fn built(value: Value) -> Result<f64, String> {
        let own: Chooser = parameters(&value).map_err(|error| error.to_string())?;
        let moved = ("filter_parameters", &own.filter_parameters);
        own.filter.build_with("filter", moved, &()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_id_or_a_table_with_kind_chooses() {
        assert_eq!(built(json!({})), Ok(0.125));
        assert_eq!(built(json!({ "filter": "ewma" })), Ok(0.125));
        assert_eq!(built(json!({ "filter": { "kind": "ewma", "weight": 1 } })), Ok(1.0));
        assert_eq!(built(json!({ "filter": { "kind": "mean", "samples": 3 } })), Ok(3.0));
        assert_eq!(built(json!({ "filter": "ewma", "filter_parameters": { "weight": 0.5 } })), Ok(0.5));
    }

    /// The same filters where a table needs no `kind`.
    enum Relaxed {}
    impl Choices for Relaxed {
        type Kind = Filter;
        const DEFAULT: &'static str = "ewma";
        const IS_KIND_OPTIONAL: bool = true;
        fn registry() -> &'static Registry<Filter> {
            Filter::registry()
        }
    }

    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct RelaxedChooser {
        /// The filter.
        filter: Choice<Relaxed>,
    }

    #[test]
    fn where_kind_is_optional_a_table_without_it_is_of_the_default() {
        let built = |value: Value| -> Result<f64, String> {
            let own: RelaxedChooser = parameters(&value).map_err(|error| error.to_string())?;
            own.filter.build(&()).map_err(|error| error.to_string())
        };
        assert_eq!(built(json!({ "filter": { "weight": 0.25 } })), Ok(0.25));
        assert_eq!(built(json!({ "filter": {} })), Ok(0.125));
        assert_eq!(built(json!({ "filter": { "kind": "mean", "samples": 3 } })), Ok(3.0));
        assert!(built(json!({ "filter": { "samples": 3 } })).unwrap_err().contains("samples"));
        assert!(built(json!({ "filter": { "kind": "men" } })).unwrap_err().contains("did you mean `mean`"));
    }

    #[test]
    fn errors_have_the_path_of_the_key_as_written() {
        let refused = |value| built(value).unwrap_err();
        assert_eq!(
            refused(json!({ "filter": "emwa" })),
            "filter: unknown filter `emwa`; did you mean `ewma`?"
        );
        assert_eq!(
            refused(json!({ "filter": { "kind": "men" } })),
            "filter.kind: unknown filter `men`; did you mean `mean`?"
        );
        assert_eq!(
            refused(json!({ "filter": { "kind": "ewma", "wieght": 1 } })),
            "filter.wieght: unknown key `wieght`; did you mean `weight`?"
        );
        assert_eq!(
            refused(json!({ "filter": { "kind": "mean", "samples": 256 } })),
            "filter.samples: must be in [0, 255], got 256"
        );
        assert_eq!(
            refused(json!({ "filter": { "kind": "mean" } })),
            "filter: has no `samples`; add `samples`: an integer"
        );
        assert_eq!(
            refused(json!({ "filter": { "weight": 1 } })),
            "filter: has no `kind`; add one of: ewma, mean"
        );
        assert_eq!(refused(json!({ "filter": 3 })), "filter: must be one of ewma, mean or a table, got 3");
        assert_eq!(
            refused(json!({ "filter_parameters": { "wieght": 1 } })),
            "filter_parameters.wieght: unknown key `wieght`; did you mean `weight`?"
        );
        assert_eq!(
            refused(
                json!({ "filter": { "kind": "ewma", "weight": 1 }, "filter_parameters": { "weight": 2 } })
            ),
            "filter_parameters.weight: must not be set twice: `filter` sets it too; remove one"
        );
        assert_eq!(
            refused(json!({ "flter": "ewma" })),
            "flter: unknown key `flter`; did you mean `filter`?",
            "a deprecated key is not proposed"
        );
    }

    #[test]
    fn a_choice_survives_serialization() {
        for value in [json!("mean"), json!({ "kind": "ewma", "weight": 0.5 })] {
            let choice: Choice<Filter> = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(serde_json::to_value(&choice).unwrap(), value);
        }
    }
}
