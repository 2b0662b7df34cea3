//! Colours that tell variants apart, for colour-blind readers too.

use plotters::style::RGBColor;

/// Okabe & Ito 2008 (*Color Universal Design*), its pale yellow darkened so that it shows on white.
const VARIANTS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
    RGBColor(150, 140, 0),
];

/// Paul Tol's "muted" scheme: for reasons, so that no reason looks like a variant.
const PARTS: [RGBColor; 8] = [
    RGBColor(51, 34, 136),
    RGBColor(221, 204, 119),
    RGBColor(136, 34, 85),
    RGBColor(136, 204, 238),
    RGBColor(153, 153, 51),
    RGBColor(170, 68, 153),
    RGBColor(68, 170, 153),
    RGBColor(204, 102, 119),
];

/// How many variants have a colour of their own.
pub(super) const DISTINCT: usize = VARIANTS.len();

/// The colour of the variant at that place in the experiment: the same everywhere on the page.
pub(super) fn variant(index: usize) -> RGBColor {
    VARIANTS[index % VARIANTS.len()]
}

/// The colour of the reason at that place.
pub(super) fn part(index: usize) -> RGBColor {
    PARTS[index % PARTS.len()]
}

/// As CSS writes it.
pub(super) fn css(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
