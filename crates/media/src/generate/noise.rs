//! Textures: noise on a grid, smooth between its points.

/// Random numbers by place.
#[derive(Debug, Clone, Copy)]
pub struct Noise(u64);

/// Mixes the bits of a number (the finalizer of SplitMix64, Steele et al. 2014).
pub fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Noise {
    /// Creates a field.
    pub fn new(seed: u64) -> Noise {
        Noise(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }

    /// Returns a number in [0, 1) for a point of the grid.
    pub fn cell(self, x: i64, y: i64) -> f64 {
        let key =
            (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (mix(self.0 ^ key) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number in [0, 1) for any point, between those of the grid.
    fn at(self, x: f64, y: f64) -> f64 {
        let (left, top) = (x.floor(), y.floor());
        let ease = |t: f64| t * t * (3.0 - 2.0 * t);
        let (right, down) = (ease(x - left), ease(y - top));
        let (x, y) = (left as i64, top as i64);
        let row = |y| {
            let first = self.cell(x, y);
            first + (self.cell(x + 1, y) - first) * right
        };
        let first = row(y);
        first + (row(y + 1) - first) * down
    }

    /// Returns the sum of `octaves` fields, each of half the size and strength of the one before; in [0, 1).
    pub fn layered(self, x: f64, y: f64, octaves: u32) -> f64 {
        let (mut sum, mut all, mut strength, mut scale) = (0.0, 0.0, 1.0, 1.0);
        for octave in 0..octaves {
            sum += strength * Noise(self.0.wrapping_add(octave.into())).at(x * scale, y * scale);
            all += strength;
            strength *= 0.5;
            scale *= 2.0;
        }
        sum / all
    }
}

/// A square picture of noise that repeats in both directions.
pub struct Tile {
    values: Vec<f32>,
}

/// Side of a tile in points.
const SIDE: usize = 512;

impl Tile {
    /// Draws a tile with grains of up to `grain` points.
    pub fn new(noise: Noise, grain: f64, octaves: u32) -> Tile {
        let side = SIDE as f64;
        let mut values = Vec::with_capacity(SIDE * SIDE);
        for y in 0..SIDE {
            for x in 0..SIDE {
                // Blended with itself a side further, so that the edges meet.
                let (x, y) = (x as f64, y as f64);
                let at = |x: f64, y: f64| noise.layered(x / grain, y / grain, octaves);
                let blend = |a: f64, b: f64, t: f64| a + (b - a) * t;
                let upper = blend(at(x + side, y + side), at(x, y + side), x / side);
                let lower = blend(at(x + side, y), at(x, y), x / side);
                values.push(blend(upper, lower, y / side) as f32);
            }
        }
        Tile { values }
    }

    /// Returns the value at a point, between those of the tile.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let (left, top) = (x.floor(), y.floor());
        let (right, down) = (x - left, y - top);
        let place = |x: f64| (x as i64).rem_euclid(SIDE as i64) as usize;
        let value = |x: f64, y: f64| f64::from(self.values[place(y) * SIDE + place(x)]);
        let row = |y: f64| value(left, y) * (1.0 - right) + value(left + 1.0, y) * right;
        row(top) * (1.0 - down) + row(top + 1.0) * down
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_smooth_and_within_its_range() {
        let noise = Noise::new(1);
        let values: Vec<f64> = (0..1000).map(|step| noise.layered(f64::from(step) / 50.0, 0.3, 3)).collect();
        assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
        assert!(values.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.1));
        let spread = values.iter().fold(0.0_f64, |most, value| most.max((value - values[0]).abs()));
        assert!(spread > 0.2, "{spread}");
    }

    #[test]
    fn tiles_repeat() {
        let tile = Tile::new(Noise::new(3), 16.0, 2);
        let side = SIDE as f64;
        assert_eq!(tile.at(1.0, 2.0), tile.at(1.0 + side, 2.0 - 2.0 * side));
        // Neighbours across the edge are as close as elsewhere.
        let step = |x: f64| (tile.at(x + 1.0, 40.0) - tile.at(x, 40.0)).abs();
        assert!(step(side - 1.0) < 0.2, "{}", step(side - 1.0));
    }
}
