//! Parameters of HTB and their checks.

use jettison_core::{Bytes, Rate, Time};
use jettison_registry::{ParameterError, suggestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Class, Htb, LEVELS, Leaf, PRIOS};
use crate::classifier::Match;
use crate::entry::{BuildContext, any_discipline};
use crate::tbf::{require_burst, require_rate};
use crate::{Backlog, Classifier, Framing, Limit, QueueDiscipline, TokenBucket};

/// Parameters of HTB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HtbParameters {
    /// Rate of all classes together.
    pub rate: Rate,
    /// The classes below the root, each a table. Without any, one leaf has the whole rate.
    #[schemars(title = "list of classes")]
    pub classes: Vec<ClassParameters>,
    /// Name of the leaf for packets that no class matches. Required if there are classes.
    pub default: Option<String>,
    /// Bytes that a packet costs beyond its IP length.
    pub overhead: Framing,
    /// Limit of all leaves together, in addition to those of their disciplines.
    pub limit: Limit,
}

/// A class of HTB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ClassParameters {
    /// Name of the class, for `parent`, `default` and gauges.
    pub name: String,
    /// Name of the class above. Unset: the root.
    #[serde(default)]
    pub parent: Option<String>,
    /// Rate that the class is guaranteed.
    pub rate: Rate,
    /// Rate that it never exceeds. Unset: `rate`, so that it does not borrow.
    #[serde(default)]
    pub ceil: Option<Rate>,
    /// Bytes that may be sent at `ceil` in excess of `rate`.
    #[serde(default = "default_burst")]
    pub burst: Bytes,
    /// Bytes that may be sent at the link's rate in excess of `ceil`.
    #[serde(default = "default_burst")]
    pub cburst: Bytes,
    /// Bytes that the class sends before it is the next one's turn. Unset: a tenth of what `rate` sends in a second, in
    /// [1000 bytes, 200 kB].
    #[serde(default)]
    pub quantum: Option<Bytes>,
    /// Priority among classes that send or borrow at the same level: the lowest number goes first.
    #[serde(default)]
    pub prio: u8,
    /// Packets of the class: those that one of these matches. Only leaves have them.
    #[serde(default, rename = "match")]
    pub matches: Vec<Match>,
    /// Discipline of a leaf: an id, or a table with its `kind`.
    #[serde(default)]
    #[schemars(schema_with = "any_discipline")]
    pub queue: Option<Value>,
}

/// What tc gives a class on a kernel with high-resolution timers (measured, 6.1).
const BURST: Bytes = Bytes::new(1600);
const fn default_burst() -> Bytes {
    BURST
}

/// Bounds of a quantum: below, a packet exceeds it; above, a turn takes long. The kernel warns beyond them.
pub(super) const QUANTUM: std::ops::RangeInclusive<u64> = 1000..=200_000;
const MAX_CLASSES: usize = 256;

impl Default for HtbParameters {
    fn default() -> HtbParameters {
        HtbParameters {
            rate: Rate::from_mbit(10),
            classes: Vec::new(),
            default: None,
            overhead: Framing::RAW,
            limit: Limit::UNLIMITED,
        }
    }
}

impl ClassParameters {
    /// The rate that it never exceeds.
    pub fn ceil(&self) -> Rate {
        self.ceil.unwrap_or(self.rate)
    }

    /// Bytes that it sends in its turn.
    pub fn quantum(&self) -> Bytes {
        // tc-htb(8): rate in bytes/s, divided by r2q, 10.
        let tenth = (self.rate.as_bits() / 80).clamp(*QUANTUM.start(), *QUANTUM.end());
        self.quantum.unwrap_or(Bytes::new(tenth))
    }

    fn check(&self) -> Result<(), ParameterError> {
        require_rate("rate", self.rate)?;
        ParameterError::unless(self.ceil() >= self.rate, "ceil", || {
            format!("must be at least `rate` ({}), got {}", self.rate, self.ceil())
        })?;
        require_burst("burst", self.burst)?;
        require_burst("cburst", self.cburst)?;
        let in_range = QUANTUM.contains(&self.quantum().get());
        ParameterError::require(in_range, "quantum", "be in [1000 bytes, 200 kB]", self.quantum())?;
        ParameterError::require(usize::from(self.prio) < PRIOS, "prio", "be in [0, 7]", self.prio)
    }
}

/// The tree: for each class of the parameters the number of its parent, 0 for the root, which class `n` follows as `n + 1`.
pub(super) struct Tree {
    pub parents: Vec<usize>,
    pub has_children: Vec<bool>,
    /// Index in the parameters of the class for packets that no class matches.
    pub default: usize,
}

impl HtbParameters {
    /// Size of the root's buckets: the largest of a class, as tc-htb(8) advises, so that it does not cut a class's burst.
    pub(super) fn burst(&self) -> Bytes {
        self.classes.iter().flat_map(|class| [class.burst, class.cburst]).fold(BURST, Bytes::max)
    }

    /// Checks all classes and finds their parents.
    ///
    /// # Errors
    /// If a rate is impossible, or the tree is.
    pub(super) fn tree(&self) -> Result<Tree, ParameterError> {
        require_rate("rate", self.rate)?;
        let in_class =
            |number: usize, error: ParameterError| error.under(&number.to_string()).under("classes");
        let count = self.classes.len();
        ParameterError::require(count <= MAX_CLASSES, "classes", "be at most 256 classes", count)?;
        let names: Vec<&str> = self.classes.iter().map(|class| class.name.as_str()).collect();
        let (mut parents, mut depths) = (Vec::new(), Vec::new());
        let mut has_children = vec![false; count];
        // Rate that the children of the root (0) and of each class take.
        let mut taken = vec![0u128; count + 1];
        for (number, class) in self.classes.iter().enumerate() {
            let fail = |error| in_class(number, error);
            class.check().map_err(fail)?;
            ParameterError::unless(!names[..number].contains(&names[number]), "name", || {
                format!("must be unique, got `{}` again", class.name)
            })
            .map_err(fail)?;
            let parent = match &class.parent {
                None => 0,
                // Parents come first, so there are no circles.
                Some(name) => {
                    1 + names[..number].iter().position(|other| other == name).ok_or_else(|| {
                        let known = suggestion(name, names[..number].iter().copied());
                        let message =
                            format!("must be the name of a class above in the list, got `{name}`; {known}");
                        fail(ParameterError::at("parent", message))
                    })?
                }
            };
            let (above, ceil) = match parent {
                0 => ("the root".to_owned(), self.rate),
                parent => (format!("`{}`", names[parent - 1]), self.classes[parent - 1].ceil()),
            };
            ParameterError::unless(class.ceil() <= ceil, "ceil", || {
                format!("must be at most that of {above} ({ceil}), got {}", class.ceil())
            })
            .map_err(fail)?;
            let rate = if parent == 0 { self.rate } else { self.classes[parent - 1].rate };
            taken[parent] += u128::from(class.rate.as_bits());
            ParameterError::unless(taken[parent] <= u128::from(rate.as_bits()), "rate", || {
                let sum = Rate::from_bits(u64::try_from(taken[parent]).unwrap_or(u64::MAX));
                format!("must sum to at most the rate of {above} ({rate}) over its classes, got {sum}")
            })
            .map_err(fail)?;
            let depth = if parent == 0 { 1 } else { depths[parent - 1] + 1 };
            ParameterError::unless(depth < LEVELS, "parent", || {
                format!("must leave the tree at most {LEVELS} levels deep, got {}", depth + 1)
            })
            .map_err(fail)?;
            if parent > 0 {
                has_children[parent - 1] = true;
            }
            parents.push(parent);
            depths.push(depth);
        }
        for (number, class) in self.classes.iter().enumerate().filter(|(number, _)| has_children[*number]) {
            for (key, is_set) in [("match", !class.matches.is_empty()), ("queue", class.queue.is_some())] {
                ParameterError::unless(!is_set, key, || {
                    format!("must be unset: packets lie in leaves, and `{}` has classes below it", class.name)
                })
                .map_err(|error| in_class(number, error))?;
            }
        }
        let default = self.default_leaf(&names, &has_children)?;
        Ok(Tree { parents, has_children, default })
    }

    fn default_leaf(&self, names: &[&str], has_children: &[bool]) -> Result<usize, ParameterError> {
        let leaves = || (0..names.len()).filter(|number| !has_children[*number]);
        let known = || leaves().map(|number| names[number]).collect::<Vec<_>>().join(", ");
        match &self.default {
            None if names.is_empty() => Ok(0),
            None => Err(ParameterError::at(
                "default",
                format!("must name the leaf of all other packets ({})", known()),
            )),
            Some(name) => leaves().find(|number| names[*number] == name).ok_or_else(|| {
                ParameterError::at(
                    "default",
                    format!("must be the name of a leaf ({}), got `{name}`", known()),
                )
            }),
        }
    }
}

pub(super) fn build(
    parameters: HtbParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let tree = parameters.tree()?;
    let class = |name: &str, parent, [rate, ceil]: [Rate; 2], [burst, cburst]: [Bytes; 2]| Class {
        name: name.to_owned(),
        parent,
        level: 0,
        tokens: TokenBucket::new(rate, burst),
        ceil: TokenBucket::new(ceil, cburst),
        turns: [0; PRIOS],
        configured: [rate, ceil],
    };
    let mut classes = vec![class("root", None, [parameters.rate; 2], [parameters.burst(); 2])];
    let (mut leaves, mut classifier, mut default) = (Vec::new(), Classifier::default(), 0);
    let mut depths = vec![0u8];
    let tail_drop = Value::from("tail-drop");
    for (number, given) in parameters.classes.iter().enumerate() {
        let fail = |error: ParameterError| error.under(&number.to_string()).under("classes");
        let parent = tree.parents[number];
        depths.push(depths[parent] + 1);
        let buckets = [given.burst, given.cburst];
        let mut class = class(&given.name, Some(parent as u16), [given.rate, given.ceil()], buckets);
        if tree.has_children[number] {
            class.level = (LEVELS as u8 - 1) - depths[number + 1];
        } else {
            let leaf = leaves.len() as u16;
            for (at, found) in given.matches.iter().enumerate() {
                let pushed = classifier.push(found, leaf);
                pushed.map_err(|error| fail(error.under(&at.to_string()).under("match")))?;
            }
            if number == tree.default {
                default = leaf;
            }
            let random = |name: &str| (context.random)(&format!("class {} {name}", given.name));
            let inner = BuildContext { random: &random, registry: context.registry };
            let queue = context.registry.build(given.queue.as_ref().unwrap_or(&tail_drop), &inner);
            let queue = queue.map_err(|error| fail(error.under("queue")))?;
            leaves.push(leaf_of(number + 1, given.prio, given.quantum(), queue));
        }
        classes.push(class);
    }
    if leaves.is_empty() {
        let queue = context.registry.build(&tail_drop, context)?;
        leaves.push(leaf_of(0, 0, Bytes::new(*QUANTUM.end()), queue));
    } else {
        classes[0].level = LEVELS as u8 - 1;
    }
    Ok(Box::new(Htb {
        limit: parameters.limit,
        overhead: parameters.overhead,
        classifier,
        default,
        classes,
        leaves,
        turns: [0; PRIOS],
        round: 0,
        backlog: Backlog::default(),
        link: Rate::from_bits(u64::MAX),
        seen: Time::ZERO,
        refused: None,
    }))
}

fn leaf_of(class: usize, prio: u8, quantum: Bytes, queue: Box<dyn QueueDiscipline>) -> Leaf {
    let (class, quantum) = (class as u16, quantum.get() as i64);
    Leaf { class, prio, quantum, queue, deficits: [0; LEVELS], skipped: 0 }
}
