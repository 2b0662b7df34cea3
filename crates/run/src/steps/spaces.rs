//! Spaces: what the numbers of observations, actions and measures mean.

/// What observations, actions and measures of a task are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spaces {
    /// The numbers of an observation.
    pub observation: Vec<Axis>,
    /// The action.
    pub action: Action,
    /// Raw measures beside each observation.
    pub measures: Vec<Axis>,
}

/// What an action is.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// One of so many choices: a number from 0.
    Choice(usize),
    /// A number in [-1, 1] for each name.
    Levels(Vec<&'static str>),
}

/// One number.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its unit; `1` for shares and counts.
    pub unit: &'static str,
    /// The least value.
    pub low: f64,
    /// The highest value; what is above is cut to it.
    pub high: f64,
}

impl Default for Action {
    fn default() -> Action {
        Action::Choice(0)
    }
}

impl Action {
    /// Number of choices, or of levels.
    pub fn count(&self) -> usize {
        match self {
            Action::Choice(count) => *count,
            Action::Levels(names) => names.len(),
        }
    }
}

impl Axis {
    /// An axis from 0.
    pub(super) fn new(name: impl Into<String>, unit: &'static str, high: f64) -> Axis {
        Axis { name: name.into(), unit, low: 0.0, high }
    }
}

impl Spaces {
    /// The number of observed values and of actions, which all variants have in common.
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.observation.len(), self.action.count())
    }

    /// Writes values as an observation, each cut to the bounds of its axis.
    pub(super) fn write(axes: &[Axis], values: impl Iterator<Item = f64>, out: &mut Vec<f32>) {
        out.clear();
        out.extend(axes.iter().zip(values).map(|(axis, value)| value.clamp(axis.low, axis.high) as f32));
        debug_assert_eq!(out.len(), axes.len(), "a value for each axis");
    }
}
