//! A face before a still background.

use libm::{fabs, sin};

use super::Colour;
use super::noise::{Noise, Tile};
use crate::picture::PictureFormat;

/// A full turn.
const TURN: f64 = std::f64::consts::TAU;

/// The scene: what does not change.
pub struct TalkingHead {
    width: f64,
    height: f64,
    /// The room, of the picture's size.
    room: Vec<[f32; 3]>,
    columns: usize,
    skin: Tile,
    /// Where in its motion the head begins.
    phase: f64,
}

/// Where everything is at one time, in parts of the picture's height.
pub struct Pose {
    x: f64,
    y: f64,
    mouth: f64,
    eyes: f64,
}

impl TalkingHead {
    pub fn new(format: PictureFormat, seed: u64) -> TalkingHead {
        let (wall, detail) = (Noise::new(seed ^ 1), Noise::new(seed ^ 2));
        let height = f64::from(format.height);
        let mut room = Vec::with_capacity(format.luma());
        for y in 0..format.height {
            for x in 0..format.width {
                let (x, y) = (f64::from(x) / height, f64::from(y) / height);
                // A shelf with books on a wall with soft light.
                let light = 90.0 + 60.0 * wall.layered(1.5 * x, 1.5 * y, 2) - 25.0 * y;
                let is_shelf = (0.12..0.42).contains(&y);
                let book = detail.cell((x * 28.0) as i64, (y > 0.27).into());
                let spine = detail.layered(90.0 * x, 12.0 * y, 2) - 0.5;
                let (light, colour) = match is_shelf {
                    true => (55.0 + 110.0 * book + 40.0 * spine, book - 0.5),
                    false => (light, 0.0),
                };
                room.push([light as f32, (120.0 + 50.0 * colour) as f32, (132.0 - 60.0 * colour) as f32]);
            }
        }
        let phase = Noise::new(seed ^ 3).cell(0, 0);
        let skin = Tile::new(Noise::new(seed ^ 4), 24.0, 4);
        TalkingHead {
            width: f64::from(format.width),
            height,
            room,
            columns: format.width as usize,
            skin,
            phase,
        }
    }

    /// Returns where everything is after `seconds`.
    pub fn pose(&self, seconds: f64) -> Pose {
        let swing = |hertz: f64, offset: f64| sin(TURN * (hertz * seconds + self.phase + offset));
        let speech = fabs(swing(2.3, 0.0)) * (0.5 + 0.5 * swing(0.37, 0.2));
        // A blink of an eighth of a second about every three.
        let blink = (seconds / 2.9 + self.phase).fract() < 0.04;
        Pose {
            x: self.width / self.height / 2.0 + 0.05 * swing(0.21, 0.0) + 0.01 * swing(0.83, 0.3),
            y: 0.42 + 0.015 * swing(0.34, 0.1) + 0.006 * speech,
            mouth: 0.008 + 0.03 * speech,
            eyes: if blink { 0.004 } else { 0.017 },
        }
    }

    /// Returns the colour of a pixel.
    pub fn colour(&self, pose: &Pose, column: u32, row: u32) -> Colour {
        let (x, y) = (f64::from(column) / self.height - pose.x, f64::from(row) / self.height - pose.y);
        let within = |x: f64, y: f64, a: f64, b: f64| (x / a) * (x / a) + (y / b) * (y / b);
        // Texture moves with the body.
        let grain = self.skin.at(x * 420.0, y * 420.0) - 0.5;
        let face = within(x, y, 0.19, 0.26);
        if face < 1.0 {
            let side = if x < 0.0 { -1.0 } else { 1.0 };
            if within(x - 0.075 * side, y + 0.06, 0.03, pose.eyes) < 1.0 {
                let iris = within(x - 0.075 * side, y + 0.06, 0.011, pose.eyes.min(0.011));
                return if iris < 1.0 { [35.0, 122.0, 128.0] } else { [205.0, 128.0, 128.0] };
            }
            if within(x, y - 0.13, 0.07, pose.mouth) < 1.0 {
                return [60.0, 118.0, 160.0];
            }
            if y < -0.15 + 0.04 * grain {
                return [45.0 + 90.0 * grain, 122.0, 134.0];
            }
            // Shaded towards the edge; a nose by its shadow.
            let nose = if within(x - 0.012, y - 0.03, 0.02, 0.05) < 1.0 { -14.0 } else { 0.0 };
            return [178.0 - 45.0 * face - 30.0 * x + 36.0 * grain + nose, 110.0, 152.0];
        }
        if within(x, y - 0.62, 0.46, 0.36) < 1.0 {
            let weave = self.skin.at(x * 900.0, y * 900.0) - 0.5;
            return [70.0 + 60.0 * weave + 20.0 * x, 142.0, 118.0];
        }
        let [light, u, v] = self.room[row as usize * self.columns + column as usize];
        [light.into(), u.into(), v.into()]
    }
}
