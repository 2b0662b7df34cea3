//! `jettison media generate`.

use std::io::{BufWriter, Write};

use jettison_media::Error;
use jettison_media::picture::Pictures;
use jettison_media::y4m;

use super::options::GenerateArguments;
use crate::commands::output_file;
use crate::commands::run::{cancel_on_interrupt_saying, interrupted};
use crate::output::{Failure, print};
use crate::progress::Bar;

/// Writes generated pictures.
pub fn generate(arguments: &GenerateArguments) -> Result<(), Failure> {
    let GenerateArguments { content, output, pictures, force } = arguments;
    output_file::refuse_overwriting(output, *force)?;
    let generator = pictures.generator(*content)?;
    let mut film = generator.start().map_err(super::failure)?;
    cancel_on_interrupt_saying("\nStopping.");
    let mut file = output_file::create(output)?;
    let failed = |error: std::io::Error| output_file::failed(output, &error);
    let bar = Bar::new("media generate");
    let mut buffered = BufWriter::new(&mut file);
    y4m::write_header(&mut buffered, generator.format).map_err(failed)?;
    let (mut picture, mut count) = (Vec::new(), 0);
    while film.next(&mut picture).map_err(super::failure)? {
        if interrupted() {
            return Err(super::failure(Error::Cancelled));
        }
        y4m::write_frame(&mut buffered, &picture).map_err(failed)?;
        count += 1;
        bar.show_share(
            f64::from(count) / f64::from(generator.frames),
            format!("{count} of {} frames", generator.frames),
        );
    }
    buffered.flush().map_err(failed)?;
    drop(buffered);
    drop(bar);
    output_file::keep(file, output, *force)?;
    print(format_args!("{}\n{count} frames of {content}\n", output.display()))
}
