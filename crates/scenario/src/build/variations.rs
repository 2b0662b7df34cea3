//! Variations of components that studies compare under names of their own, and how plots draw them.
//!
//! A variation has the colour of the component that it is a variation of, and another line. `octobbr` is Octopus with another
//! controller, and no component: it has a colour that no scheme beside it has.

use jettison_registry::style::Line::{DashDot, Dashed, Dotted, Solid};
use jettison_registry::style::{BLUE, FOREST, GREY, INDIGO, Line, OLIVE, ORANGE, PINK, VERMILION, WINE};
use jettison_registry::style::{Colour, Style};

use super::catalogue::Appearance;

/// Id, name in legends, colour, line.
const VARIATIONS: &[(&str, &str, Colour, Line)] = &[
    ("codel-head", "CoDel in the queue", BLUE, Dashed),
    ("ired-direct", "iRED, direct", VERMILION, Dotted),
    ("ired-culprit", "iRED, culprit", VERMILION, DashDot),
    ("red-victim", "RED, random victim", PINK, Dashed),
    ("red-dpm-share", "RED-DPM, shares", INDIGO, Dashed),
    ("red-dpm-limits", "RED-DPM, fixed limits", INDIGO, Dotted),
    ("red-dpm-tail", "RED-DPM, drops arrivals", INDIGO, DashDot),
    ("octopus-authors", "Octopus, authors' code", FOREST, Dotted),
    ("octopus-options", "Octopus, options", FOREST, DashDot),
    ("octobbr", "OctoBBR", WINE, Solid),
    ("newcwv paced", "newCWV paced", ORANGE, Dashed),
    ("newcwv-paced", "newCWV paced", ORANGE, Dashed),
    ("newcwv_paced", "newCWV paced", ORANGE, Dashed),
    ("newcwv paced as Linux", "newCWV paced, as Linux", ORANGE, Dotted),
    ("cubic+codel", "CUBIC, CoDel", BLUE, Dashed),
    ("stale oracle", "oracle, 5 ms stale", GREY, Dotted),
    ("gcc-nack", "GCC, NACK", OLIVE, Dashed),
    ("gcc-fec", "GCC, FEC", OLIVE, Dotted),
    ("awstream-cubic", "AWStream, CUBIC", ORANGE, Dashed),
    ("awstream-bbr", "AWStream, BBR", ORANGE, Dotted),
    ("salsify-idle", "Salsify, idle", PINK, Dashed),
    ("salsify-send-gap", "Salsify, send-gap", PINK, Dotted),
    ("vivo-cubic", "ViVo, CUBIC", VERMILION, Dashed),
    ("vivo-bbr", "ViVo, BBR", VERMILION, Dotted),
];

/// How plots draw each variation, by its id.
pub(super) fn variations() -> impl Iterator<Item = (&'static str, Appearance)> {
    VARIATIONS.iter().map(|&(id, name, colour, line)| {
        (id, Appearance { name: name.into(), style: Style { colour, line } })
    })
}
