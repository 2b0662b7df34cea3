//! The short form of a scenario that has no `[quick]` table: a tenth of the time, and two seeds.

use std::fmt;

use jettison_core::Duration;
use jettison_registry::KeyPath;
use serde_json::{Value, json};

use crate::schema::Seeds;

/// The part of the duration that remains.
const SHARE: u64 = 10;
/// What remains at least after the warm-up and after the last start of a flow.
const LEAST: Duration = Duration::from_secs(5);
/// Seeds that remain: with two, an interval can be given.
const SEEDS: usize = 2;

/// How `--quick` shortens a scenario that does not say so itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Not at all.
    Full,
    /// By the `[quick]` table.
    Table,
    /// In time and in seeds.
    Shorter,
    /// In seeds alone: something in it does not fit into less time.
    FewerSeeds,
}

/// What was shortened, of a scenario without a `[quick]` table. Nothing, if it was short before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shortened {
    /// The duration before and after.
    pub duration: Option<(Duration, Duration)>,
    /// The number of seeds before and after.
    pub seeds: Option<(usize, usize)>,
}

impl fmt::Display for Shortened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((before, after)) = self.duration {
            write!(f, "{after} instead of {before}")?;
        }
        if self.duration.is_some() && self.seeds.is_some() {
            f.write_str(", ")?;
        }
        match self.seeds {
            Some((before, after)) => write!(f, "{after} of {before} seeds"),
            None => Ok(()),
        }
    }
}

impl Shortened {
    /// Whether nothing was.
    pub fn is_empty(&self) -> bool {
        *self == Shortened::default()
    }
}

/// Shortens a file's tree; returns what was shortened, with the path of each changed value. Keys that are set otherwise (`held`,
/// by options or axes) stay.
pub(crate) fn shorten(tree: &mut Value, form: Form, held: &dyn Fn(&str) -> bool) -> Shortened {
    let mut done = Shortened::default();
    if form == Form::Shorter && !held("duration") && !held("warm_up") {
        done.duration = shorter(tree);
    }
    if let Some((_, after)) = done.duration {
        tree["duration"] = json!(after);
    }
    if !held("seeds") {
        let written = tree.get("seeds").and_then(|seeds| serde_json::from_value::<Seeds>(seeds.clone()).ok());
        let list = written.unwrap_or_default().list();
        if list.len() > SEEDS {
            done.seeds = Some((list.len(), SEEDS));
            tree["seeds"] = json!(&list[..SEEDS]);
        }
    }
    done
}

impl Shortened {
    /// Paths of the changed values.
    pub(crate) fn paths(&self) -> impl Iterator<Item = KeyPath> {
        let keys = [("duration", self.duration.is_some()), ("seeds", self.seeds.is_some())];
        keys.into_iter().filter(|(_, changed)| *changed).map(|(key, _)| KeyPath::root().key(key))
    }
}

/// The duration, and a shorter one; `None` if it is short, or wrong and reported elsewhere.
fn shorter(tree: &Value) -> Option<(Duration, Duration)> {
    let duration = time(tree.get("duration"))?;
    let warm_up = time(tree.get("warm_up")).unwrap_or(Duration::ZERO);
    let flows = tree.get("flows").and_then(Value::as_object).into_iter().flatten();
    let starts = flows.map(|(_, flow)| {
        let start = time(flow.get("start")).unwrap_or(Duration::ZERO);
        let spacing = time(flow.get("start_spacing")).unwrap_or(Duration::ZERO);
        let further = flow.get("count").and_then(Value::as_u64).unwrap_or(1).saturating_sub(1);
        // Without the starts of many flows the run would be another one; more than the run has are reported elsewhere.
        spacing.saturating_mul(further).saturating_add(start)
    });
    let last = starts.chain([warm_up]).max()?;
    let short = last.saturating_add(LEAST).max(Duration::from_nanos(duration.as_nanos() / SHARE));
    (short < duration).then_some((duration, short))
}

/// A time of the file: an instant and a duration are written alike.
fn time(value: Option<&Value>) -> Option<Duration> {
    value?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(tree: &mut Value, form: Form) -> Shortened {
        shorten(tree, form, &|_| false)
    }

    #[test]
    fn a_tenth_of_the_time_and_two_seeds_remain() {
        let mut tree = json!({ "duration": "300 s", "warm_up": "5 s", "seeds": 5 });
        let done = shortened(&mut tree, Form::Shorter);
        assert_eq!(tree, json!({ "duration": "30 s", "warm_up": "5 s", "seeds": [1, 2] }));
        assert_eq!(done.to_string(), "30 s instead of 300 s, 2 of 5 seeds");
        let paths: Vec<String> = done.paths().map(|path| path.to_string()).collect();
        assert_eq!(paths, ["duration", "seeds"]);
    }

    #[test]
    fn five_seconds_remain_after_the_warm_up_and_the_last_start() {
        let mut tree = json!({ "duration": "60 s", "warm_up": "10 s" });
        shortened(&mut tree, Form::Shorter);
        assert_eq!(tree["duration"], "15 s");
        let flow = json!({ "start": "2 s", "start_spacing": "4 s", "count": 6 });
        let mut tree = json!({ "duration": "60 s", "warm_up": "10 s", "flows": { "f": flow } });
        shortened(&mut tree, Form::Shorter);
        assert_eq!(tree["duration"], "27 s");
    }

    #[test]
    fn what_is_short_or_held_stays() {
        let short = json!({ "duration": "4 s", "seeds": [7, 8] });
        let mut tree = short.clone();
        assert!(shortened(&mut tree, Form::Shorter).is_empty());
        assert_eq!(tree, short);
        let mut tree = json!({ "duration": "300 s", "seeds": [7, 8, 9] });
        let done = shorten(&mut tree, Form::Shorter, &|key| key == "duration");
        assert_eq!(done.to_string(), "2 of 3 seeds");
        assert_eq!(tree["seeds"], json!([7, 8]));
        let mut tree = json!({ "duration": "300 s", "seeds": 3 });
        assert_eq!(shortened(&mut tree, Form::FewerSeeds).duration, None);
        let mut wrong = json!({ "duration": "long", "seeds": "many" });
        assert!(shortened(&mut wrong, Form::Shorter).is_empty());
    }
}
