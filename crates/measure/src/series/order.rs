//! Exact mean and quantiles of a series that does not fit into memory.
//!
//! The values at some ranks are found 16 bits at a time: each pass over the series counts, for the bits known so far, the
//! values by their next 16 bits.

use std::io;

use jettison_core::Time;

use super::Series;

const BITS: u32 = 16;

/// Mean and quantiles of the values later than `start`, interpolated as by [`crate::statistics::quantile`].
pub(super) fn statistics<const N: usize>(
    series: &Series,
    start: Time,
    shares: [f64; N],
) -> io::Result<Option<(f64, [f64; N])>> {
    let (mut sum, mut count) = (-0.0, 0u64); // as of an iterator's sum
    each_value(series, start, |value| {
        sum += value;
        count += 1;
    })?;
    let Some(last) = count.checked_sub(1) else { return Ok(None) };
    let places = shares.map(|share| share.clamp(0.0, 1.0) * last as f64);
    let ranks = places.iter().flat_map(|at| [*at as u64, (*at as u64 + 1).min(last)]);
    let values = at_ranks(series, start, ranks.collect())?;
    let mut pairs = values.chunks_exact(2).zip(places);
    let quantiles = std::array::from_fn(|_| match pairs.next() {
        Some((pair, at)) => pair[0] + (pair[1] - pair[0]) * (at - (at as u64) as f64),
        None => f64::NAN, // there is a pair for each share
    });
    Ok(Some((sum / count as f64, quantiles)))
}

/// The values at ranks in ascending order.
fn at_ranks(series: &Series, start: Time, ranks: Vec<u64>) -> io::Result<Vec<f64>> {
    // Of each wanted value: its rank among those with the same leading bits, and these bits.
    let mut wanted: Vec<(u64, u64)> = ranks.into_iter().map(|rank| (rank, 0)).collect();
    for shift in (0..u64::BITS).step_by(BITS as usize).rev() {
        let mut prefixes: Vec<u64> = wanted.iter().map(|(_, prefix)| *prefix).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let mut counts = vec![vec![0u64; 1 << BITS]; prefixes.len()];
        each_value(series, start, |value| {
            let key = key_of(value) >> shift;
            if let Some(place) = prefixes.iter().position(|prefix| *prefix == key >> BITS) {
                counts[place][(key & 0xffff) as usize] += 1;
            }
        })?;
        for (rank, prefix) in &mut wanted {
            let counts = &counts[prefixes.iter().position(|own| own == prefix).unwrap_or_default()];
            let mut digit = 0;
            while digit < counts.len() - 1 && *rank >= counts[digit] {
                *rank -= counts[digit];
                digit += 1;
            }
            *prefix = *prefix << BITS | digit as u64;
        }
    }
    Ok(wanted.into_iter().map(|(_, key)| value_of(key)).collect())
}

fn each_value(series: &Series, start: Time, mut take: impl FnMut(f64)) -> io::Result<()> {
    // Times ascend: those up to `start` come first.
    let mut is_later = false;
    for piece in series.pieces() {
        let piece = piece?;
        for (time, value) in piece.points() {
            is_later |= time > start;
            if is_later {
                take(value);
            }
        }
    }
    Ok(())
}

/// An integer in the order of [`f64::total_cmp`].
fn key_of(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn value_of(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}
