//! Keys of runs, derived from everything that a run depends on.
//!
//! Equal runs have equal keys on any machine, at any time; a run with a key need not be repeated.

use std::collections::BTreeMap;

use jettison_scenario::{InputHash, Scenario, Variant};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Part of every key; to be changed with the derivation of keys or with the contents of a store.
const FORM: &str = "jettison run 3";
/// Keys of a scenario that do not affect a run: texts about it, selections of runs, and what tables show.
const ABOUT: [&str; 7] = ["name", "description", "seeds", "vary", "quick", "bottleneck", "report"];
/// Tables with significant order: it decides between equal links and between simultaneous events.
const ORDERED: [&str; 4] = ["nodes", "queues", "links", "flows"];

/// The keys of the runs of some variants that differ in their seed only. What they share is hashed once.
#[derive(Debug, Clone)]
pub struct RunKeys(Sha256);

impl RunKeys {
    /// The keys of runs of `variants` of a scenario: `run` has one run per variant, a sweep one run of all variants.
    ///
    /// `sources` are digests of the Python queue disciplines that the variants name, by name; `program` is the identity
    /// of the program.
    pub fn of(
        scenario: &Scenario,
        variants: &[Variant],
        sources: &BTreeMap<String, String>,
        program: &str,
    ) -> RunKeys {
        let mut keys = RunKeys(Sha256::new());
        keys.add(FORM);
        keys.add(program);
        keys.add(&variants.len().to_string());
        for variant in variants {
            keys.add(&variant.name);
            keys.add(&canonical(&variant.effective));
        }
        // The first input is the scenario's own text, which may differ without effect.
        let mut inputs: Vec<&InputHash> = scenario.inputs.iter().skip(1).collect();
        inputs.sort_by(|one, other| one.file.cmp(&other.file));
        for input in inputs {
            ["input", &input.file, &input.sha256].iter().for_each(|part| keys.add(part));
        }
        for (name, digest) in sources {
            ["source", name, digest].iter().for_each(|part| keys.add(part));
        }
        keys
    }

    /// The same for runs with captures of all ports, as with `--pcap`. Ports whose link requests a capture are part of
    /// the configuration.
    pub fn with_all_captures(mut self) -> RunKeys {
        self.add("captures of all ports");
        self
    }

    /// The key of the run with a seed: 64 hexadecimal digits.
    pub fn of_seed(&self, seed: u64) -> String {
        let mut key = self.clone();
        key.add("seed");
        key.add(&seed.to_string());
        hex(&key.0.finalize())
    }

    /// A digest of what the runs share.
    pub fn fingerprint(&self) -> String {
        hex(&self.0.clone().finalize())
    }

    /// Adds a part; its length delimits it.
    fn add(&mut self, part: &str) {
        self.0.update(format!("{}\n", part.len()));
        self.0.update(part);
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A variant's configuration as text: keys sorted, except in tables with significant order, and without texts about the
/// scenario.
fn canonical(effective: &Value) -> String {
    let mut entries: Vec<(&String, &Value)> = effective.as_object().into_iter().flatten().collect();
    entries.retain(|(key, _)| !ABOUT.contains(&key.as_str()));
    entries.sort_by_key(|(key, _)| *key);
    let parts = entries.into_iter().map(|(key, value)| match value {
        // A list of pairs preserves the order of the entries, where everything else is sorted.
        Value::Object(table) if ORDERED.contains(&key.as_str()) => {
            let pairs = table
                .iter()
                .map(|(name, entry)| Value::from(vec![Value::from(name.as_str()), sorted(entry)]));
            Value::from(vec![Value::from(key.as_str()), pairs.collect()])
        }
        value => Value::from(vec![Value::from(key.as_str()), sorted(value)]),
    });
    Value::Array(parts.collect()).to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(table) => {
            let entries: BTreeMap<&String, &Value> = table.iter().collect();
            Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use jettison_scenario::build::Builder;
    use jettison_scenario::{Changes, NoFiles};

    use super::*;

    const TEXT: &str = r#"name = "test"
duration = "1 s"
seeds = 2

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.one]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "4 ms"
queue = { kind = "codel", interval = "100 ms" }

[links.two]
between = ["a", "b"]
rate = "1 Mbit/s"

[flows.echo]
from = "a"
to = "b"
app = "ping"
"#;

    fn scenario(text: &str) -> Scenario {
        let registries = Builder::standard().registries();
        Scenario::parse(text, "test.toml", &NoFiles, &Changes::default(), &registries)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    fn key_with(text: &str, seed: u64, program: &str) -> String {
        let scenario = scenario(text);
        RunKeys::of(&scenario, &scenario.variants, &BTreeMap::new(), program).of_seed(seed)
    }

    fn key(text: &str) -> String {
        key_with(text, 1, "0.1.0 abc")
    }

    #[test]
    fn a_key_changes_with_scenario_program_seed_and_captures() {
        let vary = format!("{TEXT}\n[[vary]]\npath = 'links.one.delay'\nvalues = ['4 ms']\n");
        let scenario = scenario(TEXT);
        let captured =
            RunKeys::of(&scenario, &scenario.variants, &BTreeMap::new(), "0.1.0 abc").with_all_captures();
        let keys = [
            key(TEXT),
            key(&TEXT.replace("10 Mbit/s", "11 Mbit/s")),
            key(&vary),
            key_with(TEXT, 2, "0.1.0 abc"),
            key_with(TEXT, 1, "0.1.0 abd"),
            captured.of_seed(1),
        ];
        let distinct: std::collections::BTreeSet<&String> = keys.iter().collect();
        assert_eq!((distinct.len(), keys[0].len()), (keys.len(), 64));
    }

    #[test]
    fn texts_spaces_defaults_and_the_order_of_keys_change_no_key() {
        let same = [
            format!("# about it\n{}", TEXT.replace(" = ", "   =   ")),
            TEXT.replace("rate = \"10 Mbit/s\"\ndelay = \"4 ms\"", "delay = \"4 ms\"\nrate = \"10 Mbit/s\""),
            TEXT.replace(", interval = \"100 ms\"", ""),
            TEXT.replace("name = \"test\"", "name = \"other\"\ndescription = \"words\""),
            TEXT.replace("seeds = 2", "seeds = [7, 9]"),
        ];
        for text in same {
            assert_ne!(text, TEXT);
            assert_eq!(key(&text), key(TEXT), "{text}");
        }
    }

    #[test]
    fn the_order_of_links_counts_because_it_decides_what_happens_first() {
        let (one, two) = (TEXT.find("[links.one]").unwrap(), TEXT.find("[links.two]").unwrap());
        let flows = TEXT.find("[flows.echo]").unwrap();
        let turned = [&TEXT[..one], &TEXT[two..flows], &TEXT[one..two], &TEXT[flows..]].concat();
        assert_ne!(key(&turned), key(TEXT));
    }

    #[test]
    fn parts_are_delimited() {
        let scenario = scenario(TEXT);
        let of = |sources: &[(&str, &str)]| {
            let sources = sources.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            RunKeys::of(&scenario, &scenario.variants, &sources, "p").fingerprint()
        };
        let all = [of(&[("a", "bc")]), of(&[("ab", "c")]), of(&[("a", "b"), ("c", "")]), of(&[])];
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
    }
}
