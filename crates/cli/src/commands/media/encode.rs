//! `jettison media encode`.

use jettison_core::Rate;
use jettison_media::picture::Origin;
use jettison_media::tools::Tools;
use jettison_media::{Encoded, Order};

use super::options::EncodeArguments;
use super::quality::table;
use crate::commands::output_file;
use crate::commands::run::{cancel_on_interrupt_saying, cancelled};
use crate::output::{Failure, print};
use crate::progress::Bar;

/// Encodes and writes the trace.
pub fn encode(arguments: &EncodeArguments) -> Result<(), Failure> {
    let output = &arguments.output;
    output_file::refuse_overwriting(output, arguments.force)?;
    let order = order(arguments)?;
    let tools = Tools::find().map_err(super::failure)?;
    cancel_on_interrupt_saying("\nStopping.");
    let bar = Bar::new("media encode");
    let mut progress = |progress: jettison_media::Progress| bar.show_share(progress.share, progress.doing);
    let encoded =
        jettison_media::encode(&order, &tools, cancelled(), &mut progress).map_err(super::failure)?;
    drop(bar);
    output_file::write(output, text(&encoded).as_bytes(), arguments.force)?;
    print(format_args!("{}\n{}", output.display(), table(&encoded.video)))
}

fn order(arguments: &EncodeArguments) -> Result<Order, Failure> {
    let origin = match (&arguments.from, arguments.generate) {
        (Some(_), _) if arguments.pictures.any() => {
            let message = "--from: conflicts with --size, --frame-rate, --duration and --seed, which are for --generate";
            return Err(Failure::of(message));
        }
        (Some(file), _) => Origin::File(file.clone()),
        (None, Some(content)) => Origin::Generated(arguments.pictures.generator(content)?),
        // clap requires one of them
        (None, None) => return Err(Failure::of("--from or --generate is required")),
    };
    let kbit = |rate: &Rate| match rate.as_bits() {
        bits if bits.is_multiple_of(1000) => Ok(bits / 1000),
        _ => Err(Failure::of(format!("--rate {rate}: must be whole kbit/s"))),
    };
    Ok(Order {
        origin,
        frames: arguments.frames,
        encoder: arguments.encoder,
        structure: arguments.structure,
        gop: arguments.gop,
        targets_kbit: arguments.rate.iter().map(kbit).collect::<Result<_, _>>()?,
        spatial_shares: arguments.spatial_shares.clone(),
        temporal_shares: arguments.temporal_shares.clone(),
        temporary: None,
    })
}

/// The file: what made it, then the trace.
fn text(encoded: &Encoded) -> String {
    let words = std::env::args().skip(1).filter(|word| word != "--force");
    let command = shell_words::join(words).replace(char::is_control, "?");
    let Encoded { video, version, measured_by } = encoded;
    format!("# jettison {command}\n# {version}; compared by {measured_by}\n{video}")
}
