//! What a scenario may say of players and their load.

use std::borrow::Cow;
use std::sync::Arc;

use jettison_core::{BuildError, Catalogue, Duration};
use jettison_transport::Endpoint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::abr::{abr_rules, build_rule};
use super::content::{ContentParameters, Title};
use super::generator::Sinusoid;
use super::player::{Connections, PlayerSetup, RuleFactory, Thresholds};
use super::qoe::LinearWeights;
use super::qoe::p1203::Viewing;
use crate::TcpOptions;

/// Parameters of `dash`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashParameters {
    /// What there is to watch.
    pub content: ContentParameters,
    /// How it is watched.
    pub player: PlayerParameters,
    /// Which title of the catalogue is watched, from 1.
    pub title: TitleNumber,
}

/// Parameters of `dash-load`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashLoadParameters {
    /// What there is to watch; each player takes one of the titles at random.
    pub content: ContentParameters,
    /// How it is watched.
    pub player: PlayerParameters,
    /// Mean of λ: active players, and steps a minute.
    pub mean: f64,
    /// By how much λ swings about its mean.
    pub amplitude: f64,
    /// Period of λ.
    pub period: Duration,
}

impl Default for DashLoadParameters {
    fn default() -> DashLoadParameters {
        DashLoadParameters {
            content: ContentParameters { titles: 10, ..ContentParameters::default() },
            player: PlayerParameters::default(),
            mean: 25.0,
            amplitude: 10.0,
            period: Duration::from_secs(120),
        }
    }
}

impl DashLoadParameters {
    /// λ(t).
    ///
    /// # Errors
    /// If it would fall below zero, or never turns.
    pub fn load(&self) -> Result<Sinusoid, BuildError> {
        let DashLoadParameters { mean, amplitude, period, .. } = *self;
        BuildError::unless(mean > 0.0 && mean <= 1e4, "mean", || {
            format!("{mean} players: above 0 and at most 10,000")
        })?;
        BuildError::unless((0.0..=mean).contains(&amplitude), "amplitude", || {
            format!("{amplitude}: from 0 to the mean, {mean}, so that λ never falls below zero")
        })?;
        BuildError::unless(!period.is_zero(), "period", || "must be above zero".to_owned())?;
        Ok(Sinusoid { mean, amplitude, period })
    }
}

/// A place in a catalogue, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TitleNumber(#[schemars(range(min = 1))] pub u32);

impl Default for TitleNumber {
    fn default() -> TitleNumber {
        TitleNumber(1)
    }
}

/// How titles are watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayerParameters {
    /// Who chooses representations: a rule's id, or a table with `kind` and the rule's own parameters.
    pub abr: AbrChoice,
    /// Media time in the buffer at which the first picture is shown.
    pub start_up: Duration,
    /// Media time in the buffer at which playing goes on after it ran empty.
    pub rebuffer: Duration,
    /// Media time that the buffer holds at most.
    pub max_buffer: Duration,
    /// Once full, the buffer falls to this before more is fetched. Without it, as soon as a segment fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<Duration>,
    /// One connection for all requests, or a new one each.
    pub connections: Connections,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// The display and the sound's codec, for P.1203.
    pub viewing: Viewing,
}

impl Default for PlayerParameters {
    fn default() -> PlayerParameters {
        PlayerParameters {
            abr: AbrChoice::default(),
            start_up: Duration::from_secs(4),
            rebuffer: Duration::from_secs(4),
            max_buffer: Duration::from_secs(30),
            resume: None,
            connections: Connections::default(),
            qoe: LinearWeights::default(),
            viewing: Viewing::default(),
        }
    }
}

impl PlayerParameters {
    /// What players of these titles at that server share.
    ///
    /// # Errors
    /// If the rule is none, thresholds contradict each other, or a segment is longer than the buffer.
    pub fn setup(
        &self,
        titles: &[Arc<Title>],
        server: Endpoint,
        options: TcpOptions,
    ) -> Result<Arc<PlayerSetup>, BuildError> {
        let sets = titles.iter().flat_map(|title| [Some(&title.video), title.audio.as_ref()]).flatten();
        let longest = sets.flat_map(|set| &set.durations).max().copied().unwrap_or_default();
        BuildError::unless(longest <= self.max_buffer && !self.max_buffer.is_zero(), "max_buffer", || {
            format!("{}: a segment of {longest} would not fit", self.max_buffer)
        })?;
        for (key, level) in
            [("start_up", Some(self.start_up)), ("rebuffer", Some(self.rebuffer)), ("resume", self.resume)]
        {
            BuildError::unless(level.is_none_or(|level| level <= self.max_buffer), key, || {
                let max = self.max_buffer;
                format!("the buffer never holds more than `max_buffer`, {max}")
            })?;
        }
        self.qoe.validate().map_err(|error| error.under("qoe"))?;
        self.viewing.validate().map_err(|error| error.under("viewing"))?;
        let AbrChoice { kind, parameters } = self.abr.clone();
        let parameters = Value::Object(parameters);
        build_rule(&kind, &parameters).map_err(|message| BuildError::at("abr", message))?;
        let rule = RuleFactory::new(move || {
            build_rule(&kind, &parameters).expect("the same parameters built a rule above")
        });
        Ok(Arc::new(PlayerSetup {
            server,
            options,
            connections: self.connections,
            thresholds: Thresholds { start_up: self.start_up, rebuffer: self.rebuffer },
            max_buffer: self.max_buffer,
            resume: self.resume,
            rule,
            weights: self.qoe.clone(),
            viewing: self.viewing.clone(),
        }))
    }
}

/// An adaptation rule: its id, or a table with `kind`.
#[derive(Debug, Clone, PartialEq)]
pub struct AbrChoice {
    /// The rule's id.
    pub kind: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
}

impl Default for AbrChoice {
    fn default() -> AbrChoice {
        AbrChoice { kind: "dynamic".to_owned(), parameters: Map::new() }
    }
}

impl Serialize for AbrChoice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.parameters.is_empty() {
            return serializer.serialize_str(&self.kind);
        }
        let mut table = Map::from_iter([("kind".to_owned(), Value::String(self.kind.clone()))]);
        table.extend(self.parameters.clone());
        table.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AbrChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AbrChoice, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(kind) => Ok(AbrChoice { kind, parameters: Map::new() }),
            Value::Object(mut parameters) => match parameters.shift_remove("kind") {
                Some(Value::String(kind)) => Ok(AbrChoice { kind, parameters }),
                _ => Err(D::Error::custom("a table of a rule needs `kind`, the rule's id")),
            },
            _ => Err(D::Error::custom("expected a rule's id, or a table with `kind`")),
        }
    }
}

impl JsonSchema for AbrChoice {
    fn schema_name() -> Cow<'static, str> {
        "AbrChoice".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let rules = abr_rules();
        let ids: Vec<&str> = rules.iter().map(Catalogue::id).collect();
        let mut choices = vec![json!({ "type": "string", "title": "id", "enum": ids })];
        for rule in rules.iter() {
            let schema = rule.schema().to_value();
            let properties = schema.get("properties").map_or(Value::Null, |own| inlined(own, &schema));
            let mut table = Map::from_iter([("kind".to_owned(), json!({ "const": rule.id() }))]);
            table.extend(properties.as_object().cloned().unwrap_or_default());
            choices.push(json!({
                "type": "object",
                "description": rule.summary(),
                "properties": table,
                "required": ["kind"],
                "additionalProperties": false,
            }));
        }
        json_schema!({ "anyOf": choices })
    }
}

/// A schema with what it refers to in its place: a rule's own definitions are not those of the schema that it becomes part
/// of.
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
