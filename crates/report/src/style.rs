//! How plots draw the schemes that variants are named after.

use serde::{Deserialize, Serialize};

use crate::model::Variant;

/// The axes whose labels name schemes, the first that varies deciding how a variant is drawn.
pub const SCHEME_AXES: [&str; 10] = [
    "scheme",
    "queue",
    "discipline",
    "tcp",
    "congestion",
    "transport",
    "controller",
    "encoder",
    "abr",
    "rule",
];

/// How plots draw a scheme, and what legends call it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Style {
    /// The name in legends.
    pub name: String,
    /// The colour, `#rrggbb`.
    pub colour: String,
    /// The line.
    pub line: Line,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// Without gaps.
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
    /// In dashes and dots.
    DashDot,
}

impl Line {
    /// The line of that name, if there is one.
    pub fn of_name(name: &str) -> Option<Line> {
        serde_json::from_value(name.into()).ok()
    }
}

/// The axes that vary, and the one among all whose labels decide how the variants are drawn.
pub(crate) fn scheme_axis(variants: &[Variant]) -> (Vec<&str>, Option<&str>) {
    let mut axes: Vec<&str> = Vec::new();
    for axis in variants.iter().flat_map(|variant| variant.labels.keys()) {
        if !axes.contains(&axis.as_str()) {
            axes.push(axis);
        }
    }
    let varies = |axis: &&str| {
        let mut values = variants.iter().map(|variant| variant.labels.get(*axis));
        let first = values.next();
        first.is_some_and(|first| values.any(|other| other != first))
    };
    let varying: Vec<&str> = axes.iter().copied().filter(varies).collect();
    let of_scheme = |axes: &[&str]| SCHEME_AXES.into_iter().find(|axis| axes.contains(axis));
    let chosen = of_scheme(&varying)
        .or(varying.first().copied())
        .or_else(|| of_scheme(&axes))
        .or(axes.first().copied());
    (varying, chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(labels: &[&[(&str, &str)]]) -> Vec<Variant> {
        let variant = |labels: &&[(&str, &str)]| Variant {
            name: String::new(),
            labels: labels.iter().map(|(axis, label)| (axis.to_string(), label.to_string())).collect(),
        };
        labels.iter().map(variant).collect()
    }

    #[test]
    fn an_axis_of_schemes_that_varies_decides() {
        let of = |labels: &[&[(&str, &str)]]| {
            let variants = variants(labels);
            scheme_axis(&variants).1.map(str::to_owned)
        };
        let both: [&[_]; 2] = [
            &[("rate", "1"), ("congestion", "cubic"), ("queue", "red")],
            &[("rate", "2"), ("queue", "codel")],
        ];
        assert_eq!(of(&both).as_deref(), Some("queue"));
        let one: [&[_]; 2] = [&[("rate", "1"), ("queue", "red")], &[("rate", "2"), ("queue", "red")]];
        assert_eq!(of(&one).as_deref(), Some("rate"));
        assert_eq!(of(&one[..1]).as_deref(), Some("queue"));
        assert_eq!(of(&[&[]]), None);
    }

    #[test]
    fn lines_have_the_names_that_manifests_write() {
        for line in [Line::Solid, Line::Dashed, Line::Dotted, Line::DashDot] {
            let written = serde_json::to_value(line).unwrap();
            assert_eq!(Line::of_name(written.as_str().unwrap()), Some(line));
        }
        assert_eq!(Line::of_name("wavy"), None);
    }
}
