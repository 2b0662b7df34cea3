//! Styles in plots for the schemes that variants are named after.

use serde::{Deserialize, Serialize};

use crate::model::Variant;

/// Axes whose labels name schemes. The first of them that varies decides the style of a variant.
pub const SCHEME_AXES: [&str; 11] = [
    "scheme",
    "queue",
    "discipline",
    "tcp",
    "congestion",
    "transport",
    "controller",
    "encoder",
    "abr",
    "player",
    "rule",
];

/// Style of a scheme in plots, and its name in legends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Style {
    /// The name in legends.
    pub name: String,
    /// The colour, `#rrggbb`.
    pub colour: String,
    /// The line style.
    pub line: Line,
}

/// Line style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// A solid line.
    Solid,
    /// A dashed line.
    Dashed,
    /// A dotted line.
    Dotted,
    /// Alternating dashes and dots.
    DashDot,
}

impl Line {
    /// The line style with a name, if there is one.
    pub fn of_name(name: &str) -> Option<Line> {
        serde_json::from_value(name.into()).ok()
    }
}

/// The axes that vary, and the axis whose labels decide the styles of the variants.
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
            baseline: None,
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
    fn line_styles_are_named_as_in_manifests() {
        for line in [Line::Solid, Line::Dashed, Line::Dotted, Line::DashDot] {
            let written = serde_json::to_value(line).unwrap();
            assert_eq!(Line::of_name(written.as_str().unwrap()), Some(line));
        }
        assert_eq!(Line::of_name("wavy"), None);
    }
}
