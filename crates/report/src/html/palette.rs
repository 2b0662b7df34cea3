//! Colours and lines that tell variants apart, for colour-blind readers too.

use std::collections::HashSet;

use indexmap::IndexMap;
use plotters::style::RGBColor;

use super::escape::escape;
use crate::model::{Experiment, Variant};
use crate::style::{Line, Style, scheme_axis};

/// For variants that no style is known of: Okabe & Ito 2008 (*Color Universal Design*), its pale yellow darkened so that it
/// shows on white.
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

/// Dashes and gaps of lines, in pixels of a drawing: those of [`Line`] in its order, and one more.
const DASHES: [&str; 5] = ["", "16 8", "3 7", "20 6 4 6", "14 5 4 5 4 5"];

/// How many variants have a colour of their own.
pub(super) const DISTINCT: usize = VARIANTS.len();

/// A colour and the dashes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Stroke {
    pub(super) colour: RGBColor,
    /// Its place in [`DASHES`].
    line: usize,
    is_bold: bool,
}

/// How a variant is drawn, and what the page calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) title: String,
    pub(super) stroke: Stroke,
}

impl Stroke {
    /// A line without gaps, in the colour of that place.
    pub(super) fn at(place: usize) -> Stroke {
        Stroke::solid(VARIANTS[place % VARIANTS.len()])
    }

    /// A line without gaps.
    pub(super) fn solid(colour: RGBColor) -> Stroke {
        Stroke { colour, line: 0, is_bold: false }
    }

    /// The same line, bold.
    pub(super) fn bold(self) -> Stroke {
        Stroke { is_bold: true, ..self }
    }

    /// Its width in pixels of a drawing.
    pub(super) fn width(self) -> u32 {
        if self.is_bold { 5 } else { 3 }
    }

    fn of(style: &Style) -> Option<Stroke> {
        let line = match style.line {
            Line::Solid => 0,
            Line::Dashed => 1,
            Line::Dotted => 2,
            Line::DashDot => 3,
        };
        Some(Stroke { line, ..Stroke::solid(rgb(&style.colour)?) })
    }

    /// Dashes and gaps as SVG writes them; `None` for a line without gaps.
    pub(super) fn dashes(self) -> Option<&'static str> {
        Some(DASHES[self.line]).filter(|dashes| !dashes.is_empty())
    }

    /// The patch of colour that stands for it.
    pub(super) fn chip(self) -> String {
        let colour = css(self.colour);
        let background = match self.line {
            0 => colour,
            // Stripes: the wider, the longer the dashes.
            line => {
                let (on, off) = [(5, 8), (2, 4), (4, 6), (3, 5)][line - 1];
                format!("repeating-linear-gradient(90deg,{colour} 0 {on}px,transparent {on}px {off}px)")
            }
        };
        format!("<span class=\"chip\" style=\"background:{background}\"></span>")
    }
}

impl Look {
    /// Its patch of colour and its title, escaped.
    pub(super) fn named(&self) -> String {
        format!("{}{}", self.stroke.chip(), escape(&self.title))
    }
}

/// How the variants are drawn, in the experiment's order. A variant whose scheme has a style is drawn in it; settings of one
/// scheme differ in their lines. The others have colours by their place, those first that no style has.
pub(super) fn looks(experiment: &Experiment) -> Vec<Look> {
    let variants = &experiment.variants;
    let (varying, axis) = scheme_axis(variants);
    let scheme =
        |variant: &Variant| axis.and_then(|axis| variant.labels.get(axis)).unwrap_or(&variant.name).clone();
    let styled: Vec<Option<Stroke>> =
        variants.iter().map(|variant| Stroke::of(experiment.styles.get(&scheme(variant))?)).collect();
    let mut settings: IndexMap<Vec<&str>, ()> = IndexMap::new();
    let mut taken: HashSet<Stroke> = HashSet::new();
    let mut drawn = vec![None; variants.len()];
    // Those of a style first: what else is drawn does not change them.
    for (place, variant) in variants.iter().enumerate() {
        let others = varying.iter().filter(|other| Some(**other) != axis);
        let setting = others.map(|axis| variant.labels.get(*axis).map_or("", String::as_str)).collect();
        let shift = settings.insert_full(setting, ()).0;
        drawn[place] = styled[place]
            .map(|stroke| free(Stroke { line: (stroke.line + shift) % DASHES.len(), ..stroke }, &mut taken));
    }
    let used: HashSet<RGBColor> = styled.iter().flatten().map(|stroke| stroke.colour).collect();
    let (unused, rest): (Vec<_>, Vec<_>) = VARIANTS.into_iter().partition(|colour| !used.contains(colour));
    let mut colours = unused.into_iter().chain(rest).cycle();
    variants
        .iter()
        .zip(drawn)
        .map(|(variant, stroke)| Look {
            title: title(experiment, variant),
            stroke: stroke
                .or_else(|| Some(free(Stroke::solid(colours.next()?), &mut taken)))
                .unwrap_or(Stroke::at(0)),
        })
        .collect()
}

/// That stroke, or the same with another line if a variant has it already.
fn free(wanted: Stroke, taken: &mut HashSet<Stroke>) -> Stroke {
    let lines = (0..DASHES.len()).map(|more| (wanted.line + more) % DASHES.len());
    let stroke = lines.map(|line| Stroke { line, ..wanted }).find(|stroke| !taken.contains(stroke));
    let stroke = stroke.unwrap_or(wanted);
    taken.insert(stroke);
    stroke
}

/// A variant's labels, each by the name that legends have for it.
fn title(experiment: &Experiment, variant: &Variant) -> String {
    let name =
        |label: &String| experiment.styles.get(label).map_or(label.clone(), |style| style.name.clone());
    match variant.labels.is_empty() {
        true => name(&variant.name),
        false => variant.labels.values().map(name).collect::<Vec<_>>().join(", "),
    }
}

/// The colour of the reason at that place.
pub(super) fn part(index: usize) -> RGBColor {
    PARTS[index % PARTS.len()]
}

/// As CSS writes it.
pub(super) fn css(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The colour that CSS writes `#rrggbb`.
fn rgb(colour: &str) -> Option<RGBColor> {
    let digits = colour.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |from: usize| u8::from_str_radix(&digits[from..from + 2], 16).ok();
    Some(RGBColor(part(0)?, part(2)?, part(4)?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing;

    fn style(name: &str, colour: &str, line: Line) -> (String, Style) {
        (name.to_lowercase(), Style { name: name.to_owned(), colour: colour.to_owned(), line })
    }

    fn experiment(variants: &[&[(&str, &str)]]) -> Experiment {
        let mut experiment = testing::experiment(&[], 1);
        experiment.variants = variants
            .iter()
            .map(|labels| Variant {
                name: String::new(),
                labels: labels.iter().map(|(axis, label)| (axis.to_string(), label.to_string())).collect(),
                baseline: None,
            })
            .collect();
        experiment.styles = BTreeMap::from([
            style("CoDel", "#0072b2", Line::Solid),
            style("CAKE", "#56b4e9", Line::Dashed),
            style("CUBIC", "#0072b2", Line::Solid),
        ]);
        experiment
    }

    fn strokes(experiment: &Experiment) -> Vec<(String, usize)> {
        looks(experiment).into_iter().map(|look| (css(look.stroke.colour), look.stroke.line)).collect()
    }

    #[test]
    fn a_scheme_has_its_style_and_its_name() {
        let experiment = experiment(&[&[("queue", "cake")], &[("queue", "codel")]]);
        let titles: Vec<String> = looks(&experiment).into_iter().map(|look| look.title).collect();
        assert_eq!(titles, ["CAKE", "CoDel"]);
        assert_eq!(strokes(&experiment), [("#56b4e9".to_owned(), 1), ("#0072b2".to_owned(), 0)]);
    }

    #[test]
    fn others_have_the_colours_that_are_left_by_their_place() {
        let experiment = experiment(&[&[("queue", "mine")], &[("queue", "codel")], &[("queue", "other")]]);
        let places = [VARIANTS[1], VARIANTS[0], VARIANTS[2]].map(|colour| (css(colour), 0));
        assert_eq!(strokes(&experiment), places);
    }

    #[test]
    fn settings_of_one_scheme_share_its_colour_and_differ_in_their_lines() {
        let of = |queue, rate| [("rate", rate), ("queue", queue)];
        let four = [of("codel", "1"), of("cake", "1"), of("codel", "2"), of("cake", "2")];
        let experiment = experiment(&four.each_ref().map(|labels| &labels[..]));
        let [codel, cake] = ["#0072b2", "#56b4e9"].map(str::to_owned);
        assert_eq!(strokes(&experiment), [(codel.clone(), 0), (cake.clone(), 1), (codel, 1), (cake, 2)]);
    }

    #[test]
    fn no_two_variants_look_alike_while_there_are_lines() {
        let both =
            experiment(&[&[("a", "codel"), ("queue", "cubic")], &[("a", "codel"), ("queue", "codel")]]);
        assert_eq!(strokes(&both), [0, 1].map(|line| ("#0072b2".to_owned(), line)));
        let names: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let looks = looks(&testing::experiment(&names, 1));
        let different: HashSet<Stroke> = looks.iter().map(|look| look.stroke).collect();
        assert_eq!(different.len(), 40);
        assert!(looks[..DISTINCT].iter().all(|look| look.stroke.dashes().is_none()));
    }

    #[test]
    fn a_colour_that_nobody_can_read_is_none() {
        for colour in ["", "#", "red", "#12345", "#12345g", "#1234567", "#äää"] {
            assert_eq!(rgb(colour), None, "{colour}");
        }
        assert_eq!(rgb("#d55e00"), Some(VARIANTS[1]));
        let mut experiment = experiment(&[&[("queue", "codel")]]);
        experiment.styles.insert("codel".to_owned(), style("CoDel", "blue", Line::Solid).1);
        assert_eq!(looks(&experiment)[0].stroke, Stroke::at(0));
    }
}
