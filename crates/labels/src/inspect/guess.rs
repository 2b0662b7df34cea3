//! Which format an extension has, by its contents: a capture has no session description.
//!
//! A format is recognised if every element can be read and what the elements say fits the RTP headers. Elements of other
//! extensions of the same length (as of absolute send times) do not.

use super::{Recognised, Sample};
use crate::classify::RtpFormat;
use crate::dependency_descriptor;
use crate::frame_marking::{FrameMarking, MarkingForm};
use crate::layers_allocation::LayersAllocation;
use crate::pdu_set::PduSetMarking;

/// Packets that are required to recognise a format.
const LEAST: usize = 4;

/// A packet in sequence: whether it follows its predecessor without a gap, and whether it begins another picture.
struct Step {
    is_next: bool,
    is_new_picture: bool,
    /// Whether the predecessor was the last packet of its picture by its marker.
    after_marker: bool,
}

/// Whether packets with the data of one extension look like a format.
type Rule = fn(&[(&Sample, &[u8])]) -> bool;

/// The format of the extension `id`, if it can be told.
pub(super) fn format(samples: &[Sample], id: u8) -> Option<Recognised> {
    let with: Vec<(&Sample, &[u8])> =
        samples.iter().filter_map(|sample| Some((sample, sample.element(id)?))).collect();
    if is_allocation(&with) {
        return Some(Recognised::VideoLayersAllocation);
    }
    if with.len() < LEAST {
        return None;
    }
    let rules: [(RtpFormat, Rule); 4] = [
        (RtpFormat::DependencyDescriptor, is_descriptor),
        (RtpFormat::PduSet, is_pdu_set),
        (RtpFormat::FrameMarkingShort, |with| is_marking(with, MarkingForm::Short)),
        (RtpFormat::FrameMarking, |with| is_marking(with, MarkingForm::Long)),
    ];
    rules.into_iter().find(|(_, rule)| rule(&with)).map(|(format, _)| Recognised::Label(format))
}

fn steps<'a>(with: &'a [(&'a Sample, &'a [u8])]) -> impl Iterator<Item = Step> + 'a {
    with.windows(2).map(|pair| Step {
        is_next: pair[1].0.sequence == pair[0].0.sequence.wrapping_add(1),
        is_new_picture: pair[1].0.timestamp != pair[0].0.timestamp,
        after_marker: pair[0].0.marker,
    })
}

/// All elements can be read, and of consecutive packets at least nine in ten agree with `fits`.
fn consistent<T>(
    with: &[(&Sample, &[u8])],
    mut read: impl FnMut(&[u8]) -> Option<T>,
    fits: impl Fn(&T, &T, &Step) -> bool,
) -> bool {
    let Some(read) = with.iter().map(|(_, data)| read(data)).collect::<Option<Vec<T>>>() else {
        return false;
    };
    let next = steps(with).zip(read.windows(2)).filter(|(step, _)| step.is_next);
    let (mut all, mut fitting, mut pictures) = (0, 0, 0);
    for (step, pair) in next {
        all += 1;
        pictures += usize::from(step.is_new_picture);
        fitting += usize::from(fits(&pair[0], &pair[1], &step));
    }
    // Within one picture, most formats look alike.
    pictures > 0 && fitting * 10 >= all * 9
}

fn is_descriptor(with: &[(&Sample, &[u8])]) -> bool {
    // What precedes the first structure cannot be read.
    let mut reader = dependency_descriptor::Reader::default();
    let Some(first) = with.iter().position(|(_, data)| reader.clone().read(data).is_ok()) else {
        return false;
    };
    let read = |data: &[u8]| reader.read(data).ok().map(|(descriptor, _)| descriptor);
    with.len() - first >= LEAST
        && consistent(&with[first..], read, |one, next, _| {
            next.start == (next.frame != one.frame) && (!next.start || one.end)
        })
}

fn is_pdu_set(with: &[(&Sample, &[u8])]) -> bool {
    consistent(
        with,
        |data| PduSetMarking::parse(data).ok(),
        |one, next, step| match one.end_of_set {
            true => next.number == 0 && next.set == (one.set + 1) & 0x3ff,
            false => {
                !step.is_new_picture
                    && next.set == one.set
                    && next.importance == one.importance
                    && next.number == (one.number + 1) & 0x3f
            }
        },
    )
}

fn is_marking(with: &[(&Sample, &[u8])], form: MarkingForm) -> bool {
    consistent(
        with,
        |data| FrameMarking::parse(data, form).ok(),
        |one, next, step| {
            next.start == one.end
                && (!step.is_new_picture || next.start && one.end)
                && (!step.after_marker || one.end)
                && (next.start || (next.layers, next.independent) == (one.layers, one.independent))
        },
    )
}

/// Bitrates ascend with the layers of a stream, and an allocation has more than a few bytes: all of that is rare by chance.
fn is_allocation(with: &[(&Sample, &[u8])]) -> bool {
    let is_plausible = |allocation: &LayersAllocation| {
        allocation.streams.iter().all(|stream| {
            stream.layers.iter().all(|layer| {
                layer.kbits.is_sorted() && layer.kbits.iter().all(|kbit| (1..1_000_000).contains(kbit))
            })
        })
    };
    // Of a fixed length are other extensions, such as send times and sequence numbers.
    let long = with.iter().filter(|(_, data)| data.len() > 1);
    let mut all = long.map(|(_, data)| LayersAllocation::parse(data).ok()).peekable();
    let mut at_least_one = false;
    all.peek().is_some()
        && all.all(|allocation| {
            at_least_one |= allocation.as_ref().is_some_and(|allocation| {
                allocation
                    .streams
                    .iter()
                    .flat_map(|stream| &stream.layers)
                    .flat_map(|layer| &layer.kbits)
                    .count()
                    >= 2
            });
            allocation.is_some_and(|allocation| is_plausible(&allocation))
        })
        && at_least_one
}
