//! Writer of layered traces.

use std::fmt::{self, Display, Write as _};

use super::parse::{NAME, VERSION};
use super::{Head, LayeredVideo, Place};

/// The text of a trace; see [`super::parse()`].
impl Display for LayeredVideo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Head { encoder, structure, width, height, rate, frames, spatial, temporal } = &self.head;
        let (numerator, denominator) = rate;
        writeln!(
            f,
            "{NAME} {VERSION} {encoder} {structure} {width} {height} {numerator}/{denominator} {frames} {spatial} {temporal}"
        )?;
        for rung in &self.rungs {
            for (index, unit) in rung.units.iter().enumerate() {
                let (frame, layer) = (index / usize::from(*spatial), index % usize::from(*spatial));
                write!(f, "{} {frame} {layer} {} {} ", rung.target_kbit, unit.temporal, unit.bytes)?;
                write_references(f, &unit.references)?;
                for quality in &unit.quality {
                    write!(f, " {} {}", quality.ssim_db, quality.vmaf)?;
                }
                f.write_char('\n')?;
            }
        }
        Ok(())
    }
}

fn write_references(f: &mut fmt::Formatter<'_>, references: &[Place]) -> fmt::Result {
    if references.is_empty() {
        return f.write_char('-');
    }
    for (index, Place { frame, spatial }) in references.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(f, "{comma}{frame}.{spatial}")?;
    }
    Ok(())
}
