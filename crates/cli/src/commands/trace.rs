//! `jettison trace`.

use std::path::Path;

use jettison_core::{Bytes, Duration};
use jettison_input::file;
use jettison_link::trace::{
    Column, Format, Grants, Recording, RecordingError, Restarts, Synthesis, Trace, TraceInfo,
};

use super::output_file;
use crate::options::{ConvertArguments, ReadArguments, SynthesizeArguments, TraceOutput, WriteArguments};
use crate::output::{Failure, print, print_record};

/// Prints a trace's length, rates and outages.
pub fn info(file: &Path, how: &ReadArguments, json: bool) -> Result<(), Failure> {
    let info = TraceInfo::of(&read(file, how)?);
    if json { print_record(&info) } else { print(format_args!("{}\n{info}\n", file.display())) }
}

/// Converts a trace, or a part of it, to another format.
pub fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    let ConvertArguments { input, output, .. } = arguments;
    output_file::refuse_overwriting(output, arguments.write.force)?;
    let opportunity = opportunity(arguments.opportunity)?;
    let grants = read(input, &arguments.read)?.into_grants(opportunity);
    let grants = cut(grants, arguments)?;
    let converted = match arguments.to {
        TraceOutput::Mahimahi => {
            let trace = grants.to_opportunities(opportunity);
            let wrong = |error| Failure::of(format!("{}: {error}", input.display()));
            Converted::Opportunities(trace.map_err(wrong)?)
        }
        TraceOutput::Srsran => Converted::Grants(grants),
    };
    save(converted, output, &arguments.write)
}

/// Generates a trace from a stochastic model.
pub fn synthesize(arguments: &SynthesizeArguments) -> Result<(), Failure> {
    output_file::refuse_overwriting(&arguments.output, arguments.write.force)?;
    let usual = Synthesis::default();
    let synthesis = Synthesis {
        seed: arguments.seed,
        duration: arguments.duration.unwrap_or(usual.duration),
        mean: arguments.mean,
        max: arguments.max.unwrap_or(usual.max),
        volatility: arguments.volatility.unwrap_or(usual.volatility),
        pull: arguments.pull.unwrap_or(usual.pull),
        outage: arguments.outage.unwrap_or(usual.outage),
    };
    let opportunity = opportunity(arguments.opportunity)?;
    let trace = synthesis.trace().map_err(Failure::of)?;
    let converted = match arguments.to {
        TraceOutput::Mahimahi => Converted::Opportunities(trace),
        TraceOutput::Srsran => Converted::Grants(Grants::of_opportunities(&trace, opportunity)),
    };
    save(converted, &arguments.output, &arguments.write)
}

fn read(path: &Path, how: &ReadArguments) -> Result<Recording, Failure> {
    let name = path.display();
    let text = file::read(path, file::DATA)
        .map_err(|error| Failure::of(format!("{name}: cannot read the trace: {error}")))?;
    let wrong = |error: RecordingError| {
        Failure::of(match error.line() {
            Some(line) => format!("{name}:{line}: {error}"),
            None => format!("{name}: {error}"),
        })
    };
    let format = how.from.map(Format::from);
    let restarts = if how.keep_restarts { Restarts::Keep } else { Restarts::Interpolate };
    let is_drive_test = format.map_or_else(|| looks_like_csv(&text), |format| format == Format::Csv);
    if how.keep_restarts && !is_drive_test {
        let message = "--keep-restarts: requires a drive test (CSV); no other format holds restarts";
        return Err(Failure::of(message));
    }
    if !how.up {
        return Recording::read_with(&text, format, restarts).map_err(wrong);
    }
    if !is_drive_test {
        let message = "--up: requires a drive test (CSV); no other format holds an uplink";
        return Err(Failure::of(message));
    }
    Recording::drive_test(&text, Column::Uplink, restarts).map_err(wrong)
}

fn looks_like_csv(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').next().is_some_and(|first| first.contains(&b','))
}

/// Size of a delivery opportunity in bytes.
fn opportunity(bytes: Bytes) -> Result<u32, Failure> {
    let held = u32::try_from(bytes.get()).ok().filter(|bytes| (1..=65_535).contains(bytes));
    held.ok_or_else(|| Failure::of(format!("--opportunity {bytes}: must be 1 to 65535 bytes")))
}

/// Cuts out the part given by --from-time and --duration.
fn cut(grants: Grants, arguments: &ConvertArguments) -> Result<Grants, Failure> {
    if arguments.from_time.is_none() && arguments.duration.is_none() {
        return Ok(grants);
    }
    let from = millis("--from-time", arguments.from_time.unwrap_or_default())?;
    let rest = grants.period().saturating_sub(u64::from(from));
    let lasts = match arguments.duration {
        Some(duration) => millis("--duration", duration)?,
        None => rest as u32, // of a period that 32 bits hold
    };
    if lasts == 0 || u64::from(lasts) > rest {
        let whole = Duration::from_millis(grants.period());
        return Err(Failure::of(format!(
            "{}: the part of {} from {} on must lie within the trace, which lasts {whole}",
            arguments.input.display(),
            Duration::from_millis(u64::from(lasts)),
            Duration::from_millis(u64::from(from)),
        )));
    }
    match grants.cut(from, lasts) {
        Some(Ok(part)) => Ok(part),
        Some(Err(error)) => Err(Failure::of(format!("{}: in this part, {error}", arguments.input.display()))),
        None => Ok(grants), // unreachable: the part lies within the trace
    }
}

fn millis(option: &str, span: Duration) -> Result<u32, Failure> {
    let millis = u32::try_from(span.as_millis()).ok();
    let whole = millis.filter(|millis| Duration::from_millis(u64::from(*millis)) == span);
    whole.ok_or_else(|| Failure::of(format!("{option} {span}: must be whole milliseconds, at most 49 days")))
}

/// A trace in its output format.
enum Converted {
    Opportunities(Trace),
    Grants(Grants),
}

/// Writes a trace and prints its properties.
fn save(converted: Converted, output: &Path, how: &WriteArguments) -> Result<(), Failure> {
    let (text, recording) = match converted {
        Converted::Opportunities(trace) => (trace.to_text(), Recording::Mahimahi(trace)),
        Converted::Grants(grants) => {
            let text = grants.to_text(how.batch).ok_or_else(|| {
                Failure::of(format!("more than 50 million batches of {} ms; use a larger --batch", how.batch))
            })?;
            (text, Recording::Srsran(grants))
        }
    };
    output_file::write(output, text.as_bytes(), how.force)?;
    print(format_args!("{}\n{}\n", output.display(), TraceInfo::of(&recording)))
}
