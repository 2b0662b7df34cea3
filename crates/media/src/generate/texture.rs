//! A detailed texture in motion, with patches that move across it.

use libm::{cos, sin};

use super::Colour;
use super::noise::{Noise, Tile};
use crate::picture::PictureFormat;

/// A full turn.
const TURN: f64 = std::f64::consts::TAU;
/// Share of the picture that patches cover, by the value of their tile.
const PATCH: f64 = 0.60;

/// The scene: what does not change.
pub struct MovingTexture {
    ground: Tile,
    patches: Tile,
    /// Points of the tiles per pixel.
    scale: f64,
    /// Direction of the pan, in turns.
    direction: f64,
}

/// The camera at one time.
pub struct Camera {
    x: f64,
    y: f64,
    zoom: f64,
    patch_x: f64,
    patch_y: f64,
}

impl MovingTexture {
    pub fn new(format: PictureFormat, seed: u64) -> MovingTexture {
        MovingTexture {
            ground: Tile::new(Noise::new(seed ^ 11), 32.0, 5),
            patches: Tile::new(Noise::new(seed ^ 12), 64.0, 3),
            // The same detail per picture at any size.
            scale: 240.0 / f64::from(format.height),
            direction: Noise::new(seed ^ 13).cell(0, 0),
        }
    }

    /// Returns the camera after `seconds`: it pans by a quarter of the height per second, and zooms slowly in and out.
    pub fn camera(&self, seconds: f64) -> Camera {
        let angle = TURN * (self.direction + 0.03 * seconds);
        let (along, swing) = (60.0 * seconds, 12.0 * sin(TURN * 0.4 * seconds));
        Camera {
            x: along * cos(angle),
            y: along * sin(angle) + swing,
            zoom: 1.0 + 0.12 * sin(TURN * 0.11 * seconds),
            patch_x: -90.0 * seconds,
            patch_y: 35.0 * sin(TURN * 0.25 * seconds),
        }
    }

    /// Returns the colour of a pixel.
    pub fn colour(&self, camera: &Camera, column: u32, row: u32) -> Colour {
        let (x, y) =
            (f64::from(column) * self.scale * camera.zoom, f64::from(row) * self.scale * camera.zoom);
        let patch = self.patches.at(x + camera.patch_x, y + camera.patch_y);
        if patch > PATCH {
            return [205.0 - 260.0 * (patch - PATCH), 150.0, 105.0];
        }
        let ground = self.ground.at(x + camera.x, y + camera.y);
        [20.0 + 220.0 * ground, 108.0 + 30.0 * ground, 138.0 - 20.0 * ground]
    }
}
