//! Raw pictures: 8 bits, 4:2:0, one plane after another.

use crate::Error;

/// Size and rate of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureFormat {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Frames per second: numerator and denominator.
    pub rate: (u32, u32),
}

/// Minimum width and height: a superblock of VP9 and AV1 at a quarter of the size.
pub const LEAST_SIDE: u32 = 32;
/// Maximum width and height.
pub const MOST_SIDE: u32 = 8192;
/// Maximum number of frames per second.
pub const MOST_RATE: u32 = 240;

impl PictureFormat {
    /// Checks that encoders take such pictures.
    ///
    /// # Errors
    /// With what is required.
    pub fn validate(&self) -> Result<(), Error> {
        let PictureFormat { width, height, rate: (numerator, denominator) } = *self;
        let sides = LEAST_SIDE..=MOST_SIDE;
        if !sides.contains(&width)
            || !sides.contains(&height)
            || !width.is_multiple_of(2)
            || !height.is_multiple_of(2)
        {
            return Err(Error::Input(format!(
                "width and height must be even and in [{LEAST_SIDE}, {MOST_SIDE}], got {width}x{height}"
            )));
        }
        let has_rate = numerator > 0
            && denominator > 0
            && numerator <= 1_000_000
            && denominator <= 1_000_000
            && numerator >= denominator
            && numerator <= denominator.saturating_mul(MOST_RATE);
        if !has_rate {
            return Err(Error::Input(format!(
                "frame rate must be in [1, {MOST_RATE}] frames/s, got {numerator}/{denominator}"
            )));
        }
        Ok(())
    }

    /// Returns the bytes of a picture.
    pub fn bytes(&self) -> usize {
        self.luma() + 2 * self.chroma()
    }

    /// Returns the bytes of the luma plane.
    pub fn luma(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the bytes of each chroma plane.
    pub fn chroma(&self) -> usize {
        self.width.div_ceil(2) as usize * self.height.div_ceil(2) as usize
    }

    /// Returns the frames per second as a number.
    pub fn frames_per_second(&self) -> f64 {
        f64::from(self.rate.0) / f64::from(self.rate.1)
    }
}

/// A sequence of pictures, read one after another.
pub trait Pictures: Send {
    /// Size and rate.
    fn format(&self) -> PictureFormat;

    /// Reads the next picture into `picture`; returns `false` at the end.
    ///
    /// # Errors
    /// If it cannot be read as a whole.
    fn next(&mut self, picture: &mut Vec<u8>) -> Result<bool, Error>;
}

/// Where pictures come from. They are read several times: by the encoder, and by each comparison.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A y4m file.
    File(std::path::PathBuf),
    /// The generator.
    Generated(crate::generate::Generator),
}

impl Origin {
    /// Starts to read the pictures from the first.
    ///
    /// # Errors
    /// If the file cannot be read or is none, or the generator's parameters are out of range.
    pub fn open(&self) -> Result<Box<dyn Pictures>, Error> {
        Ok(match self {
            Origin::File(path) => Box::new(crate::y4m::Reader::open(path)?),
            Origin::Generated(generator) => Box::new(generator.start()?),
        })
    }
}
