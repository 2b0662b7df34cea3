//! Paths to values in a scenario: `links.bottleneck.queue`, `vary[0].values`, `nodes."a b"`.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

/// One step into a table or a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A key of a table.
    Key(String),
    /// An index into a list, from zero.
    Index(usize),
}

/// The path from the root of the file to one value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct KeyPath(Vec<Step>);

/// A path that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}` is not a valid path: {problem}; separate keys with dots, such as `links.bottleneck.rate`")]
pub struct PathError {
    path: String,
    problem: &'static str,
}

impl KeyPath {
    /// The root of the file.
    pub fn root() -> KeyPath {
        KeyPath::default()
    }
    /// The steps, outermost first.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }
    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
    /// The path of `key` in this table.
    pub fn key(&self, key: &str) -> KeyPath {
        self.child(Step::Key(key.to_owned()))
    }
    /// The path of entry `index` of this list.
    pub fn index(&self, index: usize) -> KeyPath {
        self.child(Step::Index(index))
    }
    /// This path extended by one step.
    pub fn child(&self, step: Step) -> KeyPath {
        let mut steps = self.0.clone();
        steps.push(step);
        KeyPath(steps)
    }
    /// This path extended by several steps.
    pub fn join(&self, steps: &[Step]) -> KeyPath {
        KeyPath([&self.0, steps].concat())
    }
    /// The path of the enclosing table or list; `None` for the root.
    pub fn parent(&self) -> Option<KeyPath> {
        self.0.split_last().map(|(_, rest)| KeyPath(rest.to_vec()))
    }
    /// The first `count` steps.
    pub fn prefix(&self, count: usize) -> KeyPath {
        KeyPath(self.0[..count.min(self.0.len())].to_vec())
    }
    /// Whether `other` is a prefix of this path, or equal to it.
    pub fn starts_with(&self, other: &KeyPath) -> bool {
        self.0.starts_with(&other.0)
    }
    /// The last key, ignoring indices; empty for the root.
    pub fn last_key(&self) -> &str {
        let keys = self.0.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        });
        keys.unwrap_or_default()
    }
    /// The value at this path.
    pub fn find<'v>(&self, tree: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(tree, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(index) => value.get(index),
        })
    }
    /// Mutable access to the value at this path.
    pub fn find_mut<'v>(&self, tree: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(tree, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Index(index) => value.get_mut(index),
        })
    }
}

/// Whether TOML allows the key without quotes.
fn is_bare(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) => {
                    let dot = if place == 0 { "" } else { "." };
                    if is_bare(key) { write!(f, "{dot}{key}")? } else { write!(f, "{dot}{key:?}")? }
                }
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl FromStr for KeyPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<KeyPath, PathError> {
        let error = |problem| PathError { path: text.to_owned(), problem };
        let mut steps = Vec::new();
        let mut rest = text.trim();
        loop {
            let (key, after) = leading_key(rest).map_err(error)?;
            steps.push(Step::Key(key));
            rest = after.trim_start();
            while let Some(inside) = rest.strip_prefix('[') {
                let (index, after) = inside.split_once(']').ok_or(error("unclosed `[`"))?;
                let index =
                    index.trim().parse().map_err(|_| error("the index in `[]` must be an integer >= 0"))?;
                steps.push(Step::Index(index));
                rest = after.trim_start();
            }
            match rest.strip_prefix('.') {
                Some(after) => rest = after.trim_start(),
                None if rest.is_empty() => return Ok(KeyPath(steps)),
                None => return Err(error("missing dot between two keys")),
            }
        }
    }
}

/// Splits off the first key, quoted or bare. A bare key may contain anything without a meaning in paths.
fn leading_key(text: &str) -> Result<(String, &str), &'static str> {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let end = text[1..].find(quote).ok_or("unclosed quote")? + 1;
            Ok((text[1..end].to_owned(), &text[end + 1..]))
        }
        _ => {
            let end = text.find(['.', '[', ']', '"', '\'']).unwrap_or(text.len());
            let key = text[..end].trim();
            if key.is_empty() { Err("empty key") } else { Ok((key.to_owned(), &text[end..])) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_what_they_read() {
        for text in ["duration", "links.bottleneck.queue", "vary[0].values", "nodes.\"a b\".routes[2].via"] {
            assert_eq!(text.parse::<KeyPath>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn quotes_keep_dots_together() {
        let path: KeyPath = "links.'a.b'.rate".parse().unwrap();
        assert_eq!(path.steps()[1], Step::Key("a.b".to_owned()));
    }

    #[test]
    fn invalid_paths_name_the_problem() {
        let problem = |text: &str| text.parse::<KeyPath>().unwrap_err().problem;
        assert_eq!(problem(""), "empty key");
        assert_eq!(problem("links..rate"), "empty key");
        assert_eq!(problem("vary[x]"), "the index in `[]` must be an integer >= 0");
        assert_eq!(problem("vary[0"), "unclosed `[`");
        assert_eq!(problem("links.\"a"), "unclosed quote");
        assert_eq!(problem("vary[0]values"), "missing dot between two keys");
    }
}
