//! Plot styles of components: a line and a colour from a palette for colour-blind readers.
//!
//! Each queue discipline has a colour of its own, so that bars and ellipses identify it too; within other kinds, each pair of
//! colour and line is unique. The palette begins with the colours of Okabe and Ito (*Color Universal Design*, 2008), except for
//! black and pale yellow, and hues of Paul Tol's *muted* scheme. The others were found by a search for the greatest least distance
//! to all, also as seen with red-green colour blindness.

use std::fmt;

/// A colour of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [u8; 3],
}

/// Line style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// Continuous.
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dashes and dots, alternating.
    DashDot,
}

/// Marker of a point. It follows from the line style, so that plots of points also identify the component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A diamond.
    Diamond,
}

/// Plot style of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Style {
    /// Colour of lines, points and bars.
    pub colour: Colour,
    /// Line style.
    pub line: Line,
}

impl Style {
    /// Marker of points.
    pub const fn marker(self) -> Marker {
        match self.line {
            Line::Solid => Marker::Circle,
            Line::Dashed => Marker::Square,
            Line::Dotted => Marker::Triangle,
            Line::DashDot => Marker::Diamond,
        }
    }
}

impl Colour {
    const fn new(rgb: u32) -> Colour {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Colour { rgb: [red, green, blue] }
    }

    /// The colour of a member of a family that comes in sizes (`ired-64` … `ired-1024`): light at 32, dark at 1,024. A dark
    /// colour only becomes lighter.
    pub fn of_size(self, size: u64) -> Colour {
        const BLACK: Colour = Colour::new(0);
        const WHITE: Colour = Colour::new(0xff_ffff);
        let share = ((libm::log2(size.max(1) as f64) - 5.0) / 5.0).clamp(0.0, 1.0);
        let is_dark = self.rgb.iter().map(|part| u32::from(*part)).sum::<u32>() < 268;
        match share {
            _ if is_dark => self.mixed(WHITE, 0.75 * (1.0 - share)),
            share if share < 0.5 => self.mixed(WHITE, 0.62 * (1.0 - 2.0 * share)),
            share => self.mixed(BLACK, 1.1 * (share - 0.5)),
        }
    }

    /// Mixes a share of another colour into this one.
    fn mixed(self, other: Colour, share: f64) -> Colour {
        let part = |index: usize| {
            let (own, other) = (f64::from(self.rgb[index]), f64::from(other.rgb[index]));
            libm::round(own * (1.0 - share) + other * share) as u8
        };
        Colour { rgb: [part(0), part(1), part(2)] }
    }
}

impl fmt::Display for Colour {
    /// As `#rrggbb`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.rgb;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Line {
    /// Its name in catalogues.
    pub const fn name(self) -> &'static str {
        match self {
            Line::Solid => "solid",
            Line::Dashed => "dashed",
            Line::Dotted => "dotted",
            Line::DashDot => "dash-dot",
        }
    }
}

impl Marker {
    /// Its name in catalogues.
    pub const fn name(self) -> &'static str {
        match self {
            Marker::Circle => "circle",
            Marker::Square => "square",
            Marker::Triangle => "triangle",
            Marker::Diamond => "diamond",
        }
    }
}

macro_rules! palette {
    ($($(#[$doc:meta])* $name:ident = $rgb:literal;)*) => {
        $($(#[$doc])* pub const $name: Colour = Colour::new($rgb);)*
        /// The palette, in the order in which plots assign colours to objects without a style.
        pub const PALETTE: &[Colour] = &[$($name),*];
    };
}
palette! {
    /// Okabe and Ito's blue.
    BLUE = 0x0072b2;
    /// Okabe and Ito's vermilion.
    VERMILION = 0xd55e00;
    /// Okabe and Ito's bluish green.
    GREEN = 0x009e73;
    /// Okabe and Ito's reddish purple.
    PINK = 0xcc79a7;
    /// Okabe and Ito's orange.
    ORANGE = 0xe69f00;
    /// Okabe and Ito's sky blue.
    SKY = 0x56b4e9;
    /// Dark grey, in place of Okabe and Ito's black.
    GREY = 0x3c3c3c;
    /// Tol's olive, in place of Okabe and Ito's yellow.
    OLIVE = 0x999933;
    /// Tol's indigo.
    INDIGO = 0x332288;
    /// Tol's wine.
    WINE = 0x882255;
    /// Tol's green.
    FOREST = 0x117733;
    /// Light violet.
    PERIWINKLE = 0x9088f0;
    /// Greyish purple.
    MAUVE = 0x785888;
    /// Light greyish yellow.
    SAND = 0xb8b098;
    /// Dark brown.
    BROWN = 0x783000;
    /// Light green.
    MINT = 0x48c878;
    /// Greyish olive.
    MOSS = 0x686850;
    /// Dark purple.
    PURPLE = 0x581858;
    /// Blue with a little violet.
    COBALT = 0x4048a8;
    /// Brownish red.
    BRICK = 0xb04030;
    /// Greyish light blue.
    STEEL = 0x4890c8;
    /// Dark blue.
    NAVY = 0x004878;
    /// Purplish red.
    RASPBERRY = 0xb05880;
    /// Very dark red.
    MAROON = 0x680020;
    /// Light orange red.
    SALMON = 0xf88860;
    /// Violet blue.
    IRIS = 0x6868d0;
    /// Light brown.
    TAN = 0xa07850;
    /// Light pink.
    ROSE = 0xf098b8;
    /// Pinkish red.
    CORAL = 0xf05078;
    /// Very dark green.
    FERN = 0x185818;
    /// Light greyish violet.
    LILAC = 0xb0a8d0;
    /// Light magenta.
    ORCHID = 0xf888f0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE L*a*b* of a colour under a colour vision given as a matrix of linear RGB.
    fn seen(colour: Colour, vision: [[f64; 3]; 3]) -> [f64; 3] {
        let rgb = colour.rgb.map(|part| libm::pow(f64::from(part) / 255.0, 2.2));
        let times = |row: [f64; 3], v: [f64; 3]| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>().max(0.0);
        let rgb = vision.map(|row| times(row, rgb));
        let f = |t: f64| if t > 0.008_856 { libm::cbrt(t) } else { 7.787 * t + 16.0 / 116.0 };
        let x = f(times([0.4124, 0.3576, 0.1805], rgb) / 0.9505);
        let y = f(times([0.2126, 0.7152, 0.0722], rgb));
        let z = f(times([0.0193, 0.1192, 0.9505], rgb) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    const NORMAL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// Machado, Oliveira and Fernandes 2009, severity 1.
    const PROTANOPIA: [[f64; 3]; 3] = [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ];
    const DEUTERANOPIA: [[f64; 3]; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];

    #[test]
    fn all_colours_can_be_distinguished_also_by_colour_blind_readers() {
        // 2.3 is the just noticeable difference of adjacent colours. Those of lines and bars are apart, and small.
        for (vision, least) in [(NORMAL, 13.0), (PROTANOPIA, 10.0), (DEUTERANOPIA, 10.0)] {
            for (index, one) in PALETTE.iter().enumerate() {
                for other in &PALETTE[..index] {
                    let pairs = seen(*one, vision).into_iter().zip(seen(*other, vision));
                    let distance = libm::sqrt(pairs.map(|(a, b)| (a - b) * (a - b)).sum());
                    assert!(distance >= least, "{one} and {other}: {distance}");
                }
            }
        }
    }

    #[test]
    fn colours_are_dark_enough_on_white() {
        for colour in PALETTE {
            let [lightness, ..] = seen(*colour, NORMAL);
            assert!(lightness < 75.0, "{colour}: {lightness}");
        }
    }

    #[test]
    fn colours_print_as_css_hex() {
        assert_eq!(BLUE.to_string(), "#0072b2");
        assert_eq!(GREEN.rgb, [0, 158, 115]);
    }

    #[test]
    fn members_of_a_family_become_darker_with_size() {
        for colour in PALETTE {
            let sizes = [32, 64, 128, 256, 512, 1024].map(|size| colour.of_size(size));
            let lightness = sizes.map(|colour| seen(colour, NORMAL)[0]);
            assert!(lightness.is_sorted_by(|a, b| a > b), "{colour}: {lightness:?}");
        }
        assert_eq!(VERMILION.of_size(32).to_string(), "#efc29e");
    }
}
