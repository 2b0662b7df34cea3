//! Colours and lines that tell variants apart, for colour-blind readers too.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use serde::{Serialize, Serializer};

use crate::model::{Experiment, Variant};
use crate::style::{Line, Style, scheme_axis};

/// A colour: red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Colour(pub(super) [u8; 3]);

const fn colour(rgb: u32) -> Colour {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Colour([red, green, blue])
}

/// For variants that no style is known of: Okabe & Ito 2008 (*Color Universal Design*), its pale yellow darkened so that it
/// shows on white, then hues of Paul Tol's *muted* scheme and between them.
const VARIANTS: [Colour; 16] = [
    colour(0x0072b2),
    colour(0xd55e00),
    colour(0x009e73),
    colour(0xcc79a7),
    colour(0xe69f00),
    colour(0x56b4e9),
    colour(0x3c3c3c),
    colour(0x968c00),
    colour(0x332288),
    colour(0x882255),
    colour(0x117733),
    colour(0x8a4b2a),
    colour(0x7b4ba0),
    colour(0x2aa5a0),
    colour(0xc0143c),
    colour(0x7a8fa6),
];

/// Paul Tol's "muted" scheme: for reasons, so that no reason looks like a variant.
const PARTS: [Colour; 8] = [
    colour(0x332288),
    colour(0xddcc77),
    colour(0x882255),
    colour(0x88ccee),
    colour(0x999933),
    colour(0xaa4499),
    colour(0x44aa99),
    colour(0xcc6677),
];

/// Dashes and gaps of lines in pixels: those of [`Line`] in its order, and one more.
const DASHES: [&[u32]; 5] = [&[], &[8, 4], &[2, 3], &[10, 3, 2, 3], &[7, 3, 2, 3, 2, 3]];
/// Number of shapes of markers in `web/plots/markers.js`.
const MARKERS: usize = 5;

/// How many variants have a colour of their own.
#[cfg(test)]
const DISTINCT: usize = VARIANTS.len();
/// Luminance (WCAG 2.2) that a colour has at least on a dark ground.
const BRIGHT: f64 = 0.2;

/// Colour and dashes of a line, and the markers on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ink {
    pub(super) colour: Colour,
    /// Its place in [`DASHES`].
    line: usize,
    marker: Option<usize>,
    is_bold: bool,
}

/// How a variant is drawn, and what the page calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Look {
    #[serde(rename = "name")]
    pub(super) title: String,
    pub(super) ink: Ink,
}

impl Colour {
    /// As CSS writes it.
    pub(super) fn css(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// The colour that CSS writes `#rrggbb`.
    fn parsed(colour: &str) -> Option<Colour> {
        let digits = colour.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let part = |from: usize| u8::from_str_radix(&digits[from..from + 2], 16).ok();
        Some(Colour([part(0)?, part(2)?, part(4)?]))
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        };
        let [r, g, b] = self.0.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// The colour on a dark ground: mixed with as much white as it needs to be seen.
    fn on_dark(self) -> Colour {
        let mixed = |share: f64| {
            Colour(self.0.map(|c| libm::round(f64::from(c) * (1.0 - share) + 255.0 * share) as u8))
        };
        (0..=20).map(|step| mixed(f64::from(step) / 20.0)).find(|c| c.luminance() >= BRIGHT).unwrap_or(self)
    }
}

impl Ink {
    /// A line without gaps, in the colour of that place.
    pub(super) fn at(place: usize) -> Ink {
        Ink::solid(VARIANTS[place % VARIANTS.len()])
    }

    /// The colour of the reason at that place.
    pub(super) fn part(place: usize) -> Ink {
        Ink::solid(PARTS[place % PARTS.len()])
    }

    /// A line without gaps.
    pub(super) const fn solid(colour: Colour) -> Ink {
        Ink { colour, line: 0, marker: None, is_bold: false }
    }

    /// The same line, bold.
    pub(super) fn bold(self) -> Ink {
        Ink { is_bold: true, ..self }
    }

    fn of(style: &Style) -> Option<Ink> {
        let line = match style.line {
            Line::Solid => 0,
            Line::Dashed => 1,
            Line::Dotted => 2,
            Line::DashDot => 3,
        };
        Some(Ink { line, ..Ink::solid(Colour::parsed(&style.colour)?) })
    }

    /// The CSS of a patch of this ink: a line's colour and dashes.
    fn css(self) -> String {
        let style = match DASHES[self.line].first() {
            None => "solid",
            Some(2) => "dotted",
            Some(_) => "dashed",
        };
        format!(
            "border-top:3px {style} {};border-top-color:light-dark({},{})",
            self.colour.css(),
            self.colour.css(),
            self.colour.on_dark().css()
        )
    }
}

impl Serialize for Ink {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("light", &self.colour.css())?;
        map.serialize_entry("dark", &self.colour.on_dark().css())?;
        map.serialize_entry("dash", DASHES[self.line])?;
        if let Some(marker) = self.marker {
            map.serialize_entry("marker", &marker)?;
        }
        if self.is_bold {
            map.serialize_entry("width", &2.5)?;
        }
        map.serialize_entry("css", &self.css())?;
        map.end()
    }
}

/// How the variants are drawn, in the experiment's order. A variant whose scheme has a style is drawn in it; settings of one
/// scheme differ in their lines. The others have colours by their place, those first that no style has. Lines of one colour have
/// markers too.
pub(super) fn looks(experiment: &Experiment) -> Vec<Look> {
    let variants = &experiment.variants;
    let (varying, axis) = scheme_axis(variants);
    let scheme =
        |variant: &Variant| axis.and_then(|axis| variant.labels.get(axis)).unwrap_or(&variant.name).clone();
    let styled: Vec<Option<Ink>> =
        variants.iter().map(|variant| Ink::of(experiment.styles.get(&scheme(variant))?)).collect();
    let mut settings: IndexMap<Vec<&str>, ()> = IndexMap::new();
    let mut taken: HashSet<Ink> = HashSet::new();
    let mut drawn = vec![None; variants.len()];
    // Those of a style first: what else is drawn does not change them.
    for (place, variant) in variants.iter().enumerate() {
        let others = varying.iter().filter(|other| Some(**other) != axis);
        let setting = others.map(|axis| variant.labels.get(*axis).map_or("", String::as_str)).collect();
        let shift = settings.insert_full(setting, ()).0;
        drawn[place] =
            styled[place].map(|ink| free(Ink { line: (ink.line + shift) % DASHES.len(), ..ink }, &mut taken));
    }
    let used: HashSet<Colour> = styled.iter().flatten().map(|ink| ink.colour).collect();
    let (unused, rest): (Vec<_>, Vec<_>) = VARIANTS.into_iter().partition(|colour| !used.contains(colour));
    let mut colours = unused.into_iter().chain(rest).cycle();
    let mut looks: Vec<Look> = variants
        .iter()
        .zip(drawn)
        .map(|(variant, ink)| Look {
            title: title(experiment, variant),
            ink: ink.or_else(|| Some(free(Ink::solid(colours.next()?), &mut taken))).unwrap_or(Ink::at(0)),
        })
        .collect();
    mark(&mut looks);
    looks
}

/// Gives markers to variants of one colour.
fn mark(looks: &mut [Look]) {
    let mut count: HashMap<Colour, usize> = HashMap::new();
    for look in looks.iter() {
        *count.entry(look.ink.colour).or_default() += 1;
    }
    let mut next: HashMap<Colour, usize> = HashMap::new();
    for look in looks.iter_mut().filter(|look| count[&look.ink.colour] > 1) {
        let place = next.entry(look.ink.colour).or_default();
        look.ink.marker = Some(*place % MARKERS);
        *place += 1;
    }
}

/// That ink, or the same with another line if a variant has it already.
fn free(wanted: Ink, taken: &mut HashSet<Ink>) -> Ink {
    let lines = (0..DASHES.len()).map(|more| (wanted.line + more) % DASHES.len());
    let ink = lines.map(|line| Ink { line, ..wanted }).find(|ink| !taken.contains(ink));
    let ink = ink.unwrap_or(wanted);
    taken.insert(ink);
    ink
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

    fn inks(experiment: &Experiment) -> Vec<(String, usize)> {
        looks(experiment).into_iter().map(|look| (look.ink.colour.css(), look.ink.line)).collect()
    }

    #[test]
    fn a_scheme_has_its_style_and_its_name() {
        let experiment = experiment(&[&[("queue", "cake")], &[("queue", "codel")]]);
        let titles: Vec<String> = looks(&experiment).into_iter().map(|look| look.title).collect();
        assert_eq!(titles, ["CAKE", "CoDel"]);
        assert_eq!(inks(&experiment), [("#56b4e9".to_owned(), 1), ("#0072b2".to_owned(), 0)]);
    }

    #[test]
    fn others_have_the_colours_that_are_left_by_their_place() {
        let experiment = experiment(&[&[("queue", "mine")], &[("queue", "codel")], &[("queue", "other")]]);
        let places = [VARIANTS[1], VARIANTS[0], VARIANTS[2]].map(|colour| (colour.css(), 0));
        assert_eq!(inks(&experiment), places);
    }

    #[test]
    fn settings_of_one_scheme_share_its_colour_and_differ_in_their_lines_and_markers() {
        let of = |queue, rate| [("rate", rate), ("queue", queue)];
        let four = [of("codel", "1"), of("cake", "1"), of("codel", "2"), of("cake", "2")];
        let experiment = experiment(&four.each_ref().map(|labels| &labels[..]));
        let [codel, cake] = ["#0072b2", "#56b4e9"].map(str::to_owned);
        assert_eq!(inks(&experiment), [(codel.clone(), 0), (cake.clone(), 1), (codel, 1), (cake, 2)]);
        let markers: Vec<Option<usize>> = looks(&experiment).iter().map(|look| look.ink.marker).collect();
        assert_eq!(markers, [Some(0), Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn no_two_variants_look_alike_while_there_are_lines() {
        let both =
            experiment(&[&[("a", "codel"), ("queue", "cubic")], &[("a", "codel"), ("queue", "codel")]]);
        assert_eq!(inks(&both), [0, 1].map(|line| ("#0072b2".to_owned(), line)));
        let names: Vec<String> = (0..80).map(|n| n.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let looks = looks(&testing::experiment(&names, 1));
        let different: HashSet<Ink> = looks.iter().map(|look| look.ink).collect();
        assert_eq!(different.len(), 80);
        let colours: HashSet<Colour> = looks[..DISTINCT].iter().map(|look| look.ink.colour).collect();
        assert_eq!(colours.len(), DISTINCT, "no colour is used twice while there are others");
        assert!(looks[..DISTINCT].iter().all(|look| look.ink.line == 0));
    }

    #[test]
    fn a_colour_that_nobody_can_read_is_none() {
        for colour in ["", "#", "red", "#12345", "#12345g", "#1234567", "#äää"] {
            assert_eq!(Colour::parsed(colour), None, "{colour}");
        }
        assert_eq!(Colour::parsed("#d55e00"), Some(VARIANTS[1]));
        let mut experiment = experiment(&[&[("queue", "codel")]]);
        experiment.styles.insert("codel".to_owned(), style("CoDel", "blue", Line::Solid).1);
        assert_eq!(looks(&experiment)[0].ink, Ink::at(0));
    }

    #[test]
    fn all_colours_are_seen_on_a_dark_ground() {
        let ground = colour(0x1a2026).luminance();
        for own in VARIANTS.into_iter().chain(PARTS) {
            let contrast = (own.on_dark().luminance() + 0.05) / (ground + 0.05);
            assert!(contrast > 3.5, "{}: {contrast}", own.css());
        }
        assert_eq!(colour(0x56b4e9).on_dark(), colour(0x56b4e9), "a bright colour stays");
    }
}
