//! Moving pictures from a seed: the same bytes on every machine.
//!
//! They stand for kinds of content that encoders treat differently, and for nothing else: a face before a still room, a
//! detailed scene in motion, and cuts between such scenes.

mod head;
mod noise;
mod texture;

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::Error;
use crate::picture::{PictureFormat, Pictures};
use noise::{Noise, mix};

/// What is to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A face that sways and speaks before a still background, as in a call.
    TalkingHead,
    /// A detailed texture in motion, with patches that move across it, as in sports.
    MovingTexture,
    /// Both in turn, with a cut every one to three seconds.
    SceneCuts,
}

impl Content {
    /// All contents.
    pub const ALL: [Content; 3] = [Content::TalkingHead, Content::MovingTexture, Content::SceneCuts];

    fn name(self) -> &'static str {
        match self {
            Content::TalkingHead => "talking-head",
            Content::MovingTexture => "moving-texture",
            Content::SceneCuts => "scene-cuts",
        }
    }
}

impl Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Content {
    type Err = String;

    fn from_str(text: &str) -> Result<Content, String> {
        Content::ALL.into_iter().find(|content| content.name() == text).ok_or_else(|| {
            let names: Vec<_> = Content::ALL.into_iter().map(Content::name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

/// A sequence of generated pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    /// What is to be seen.
    pub content: Content,
    /// Size and rate.
    pub format: PictureFormat,
    /// Number of pictures.
    pub frames: u32,
    /// Seed of textures and motion.
    pub seed: u64,
}

/// Maximum number of pictures: an hour at 30 frames/s.
const MOST_FRAMES: u32 = 108_000;
/// Amplitude of the camera's noise, in steps of brightness.
const SENSOR_NOISE: f64 = 1.5;

impl Generator {
    /// Starts at the first picture.
    ///
    /// # Errors
    /// If size, rate or length are out of range.
    pub fn start(&self) -> Result<Film, Error> {
        self.format.validate()?;
        if !(1..=MOST_FRAMES).contains(&self.frames) {
            let message =
                format!("a generated video must have 1 to {MOST_FRAMES} frames, got {}", self.frames);
            return Err(Error::Input(message));
        }
        let scene = Scene::new(self.content, self.format, self.seed);
        Ok(Film { generator: self.clone(), next: 0, scene, began: 0, ends: None })
    }
}

/// Pictures of a generator, one after another.
pub struct Film {
    generator: Generator,
    next: u32,
    scene: Scene,
    /// First picture of the scene.
    began: u32,
    /// First picture of the next scene, if there are cuts.
    ends: Option<u32>,
}

impl Film {
    /// Begins the next scene of a video with cuts.
    fn cut(&mut self) {
        let Generator { format, seed, .. } = self.generator;
        let key = mix(seed ^ u64::from(self.next).wrapping_mul(0x9e37));
        let content = if key & 1 == 0 { Content::TalkingHead } else { Content::MovingTexture };
        self.scene = Scene::new(content, format, key);
        self.began = self.next;
        // One to three seconds.
        let seconds = 1.0 + 2.0 * ((key >> 8) % 1000) as f64 / 1000.0;
        self.ends = Some(self.next + (seconds * format.frames_per_second()).max(1.0) as u32);
    }
}

impl Pictures for Film {
    fn format(&self) -> PictureFormat {
        self.generator.format
    }

    fn next(&mut self, picture: &mut Vec<u8>) -> Result<bool, Error> {
        let Generator { content, format, frames, seed } = self.generator;
        if self.next == frames {
            return Ok(false);
        }
        if content == Content::SceneCuts && self.ends.is_none_or(|ends| ends == self.next) {
            self.cut();
        }
        let seconds = f64::from(self.next - self.began) / format.frames_per_second();
        let sensor = Noise::new(mix(seed ^ (u64::from(self.next) << 32)));
        draw(&self.scene, seconds, format, sensor, picture);
        self.next += 1;
        Ok(true)
    }
}

/// A scene.
enum Scene {
    Head(head::TalkingHead),
    Texture(texture::MovingTexture),
}

impl Scene {
    fn new(content: Content, format: PictureFormat, seed: u64) -> Scene {
        match content {
            Content::TalkingHead => Scene::Head(head::TalkingHead::new(format, seed)),
            _ => Scene::Texture(texture::MovingTexture::new(format, seed)),
        }
    }
}

/// Colour of a point: brightness and two differences of colour, from 0 to 255.
type Colour = [f64; 3];

/// Draws a picture. A sample of chroma is that of the first of its four pixels.
fn draw(scene: &Scene, seconds: f64, format: PictureFormat, sensor: Noise, picture: &mut Vec<u8>) {
    match scene {
        Scene::Head(head) => {
            let pose = head.pose(seconds);
            fill(format, sensor, picture, |x, y| head.colour(&pose, x, y));
        }
        Scene::Texture(texture) => {
            let camera = texture.camera(seconds);
            fill(format, sensor, picture, |x, y| texture.colour(&camera, x, y));
        }
    }
}

fn fill(format: PictureFormat, sensor: Noise, picture: &mut Vec<u8>, colour: impl Fn(u32, u32) -> Colour) {
    picture.clear();
    picture.resize(format.bytes(), 0);
    let (luma, chroma) = picture.split_at_mut(format.luma());
    let (blue, red) = chroma.split_at_mut(format.chroma());
    let (width, half) = (format.width as usize, format.width.div_ceil(2) as usize);
    for y in 0..format.height {
        for x in 0..format.width {
            let [light, u, v] = colour(x, y);
            let grain = SENSOR_NOISE * (2.0 * sensor.cell(x.into(), y.into()) - 1.0);
            // 16 to 235: the range of video.
            luma[y as usize * width + x as usize] = (light + grain).clamp(16.0, 235.0) as u8;
            if x % 2 == 0 && y % 2 == 0 {
                let at = y as usize / 2 * half + x as usize / 2;
                blue[at] = u.clamp(16.0, 240.0) as u8;
                red[at] = v.clamp(16.0, 240.0) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(content: Content, seed: u64, frames: u32) -> Vec<Vec<u8>> {
        let format = PictureFormat { width: 64, height: 48, rate: (10, 1) };
        let mut film = Generator { content, format, frames, seed }.start().expect("valid");
        let (mut all, mut picture) = (Vec::new(), Vec::new());
        while film.next(&mut picture).expect("no file") {
            assert_eq!(picture.len(), format.bytes());
            all.push(picture.clone());
        }
        all
    }

    /// Mean absolute difference of the luma of consecutive pictures.
    fn motion(film: &[Vec<u8>]) -> Vec<f64> {
        let luma = 64 * 48;
        let difference = |pair: &[Vec<u8>]| -> f64 {
            let sum: u32 =
                pair[0][..luma].iter().zip(&pair[1][..luma]).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
            f64::from(sum) / luma as f64
        };
        film.windows(2).map(difference).collect()
    }

    #[test]
    fn a_seed_is_a_film_and_another_seed_another() {
        for content in Content::ALL {
            let first = film(content, 1, 4);
            assert_eq!(first.len(), 4);
            assert_eq!(first, film(content, 1, 4), "{content}");
            assert_ne!(first, film(content, 2, 4), "{content}");
            // A longer film begins as a shorter one.
            assert_eq!(first, film(content, 1, 6)[..4], "{content}");
            assert_eq!(content.to_string().parse(), Ok(content));
        }
    }

    #[test]
    fn contents_differ_in_motion_and_cuts() {
        let mean = |motion: &[f64]| motion.iter().sum::<f64>() / motion.len() as f64;
        let head = motion(&film(Content::TalkingHead, 1, 60));
        let texture = motion(&film(Content::MovingTexture, 1, 60));
        assert!(mean(&texture) > 2.0 * mean(&head), "{} {}", mean(&texture), mean(&head));
        assert!(head.iter().all(|difference| *difference > 0.5), "there is always some motion");
        // In six seconds at least one cut, which changes more than motion does.
        let cuts = motion(&film(Content::SceneCuts, 3, 60));
        let usual = {
            let mut sorted = cuts.clone();
            sorted.sort_by(f64::total_cmp);
            sorted[sorted.len() / 2]
        };
        assert!(cuts.iter().any(|difference| *difference > 2.5 * usual), "{cuts:?}");
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let start = |width, rate, frames| {
            let format = PictureFormat { width, height: 48, rate };
            Generator { content: Content::TalkingHead, format, frames, seed: 1 }.start().map(|_| ())
        };
        assert!(start(64, (30, 1), 1).is_ok());
        for (width, rate, frames) in
            [(63, (30, 1), 1), (64, (0, 1), 1), (64, (30, 1), 0), (64, (30, 1), u32::MAX)]
        {
            assert!(start(width, rate, frames).is_err());
        }
    }
}
