//! Lines over a common axis: as many places as a screen shows, with the minimum and the maximum of each stretch of a line.

use serde::{Serialize, Serializer};

/// A column of values; `None` where a line has none.
pub(super) type Column = Vec<Option<f64>>;

/// Lines over common places.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Aligned {
    pub(super) at: Vec<f64>,
    pub(super) columns: Vec<Column>,
}

/// Stretches of an axis for this many lines: pages of many lines have coarser ones.
pub(super) fn stretches(lines: usize) -> usize {
    match lines {
        0..=4 => 600,
        5..=12 => 400,
        _ => 200,
    }
}

/// Lines over the places that they have, or over two places in each stretch if there are more.
pub(super) fn aligned(lines: &[&[(f64, f64)]], stretches: usize) -> Aligned {
    let finite = |line: &&[(f64, f64)]| -> Vec<(f64, f64)> {
        line.iter().filter(|(x, y)| x.is_finite() && y.is_finite()).copied().collect()
    };
    let lines: Vec<Vec<(f64, f64)>> = lines.iter().map(finite).collect();
    let mut at: Vec<f64> = lines.iter().flatten().map(|(x, _)| *x).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    if at.len() <= 2 * stretches {
        let column = |line: &Vec<(f64, f64)>| {
            let mut column = vec![None; at.len()];
            for (x, y) in line {
                if let Ok(place) = at.binary_search_by(|other| other.total_cmp(x)) {
                    column[place] = Some(*y);
                }
            }
            column
        };
        let columns = lines.iter().map(column).collect();
        return Aligned { at, columns };
    }
    let (first, last) = (at[0], at[at.len() - 1]);
    let width = (last - first) / stretches as f64;
    let columns = lines.iter().map(|line| extremes(line, first, width, stretches)).collect();
    let at = (0..2 * stretches).map(|place| first + (0.25 + 0.5 * place as f64) * width).collect();
    Aligned { at, columns }
}

/// The first and the second of the least and the greatest value of each stretch, in the order of their times.
fn extremes(line: &[(f64, f64)], first: f64, width: f64, stretches: usize) -> Column {
    let mut column = vec![None; 2 * stretches];
    let stretch = |x: f64| (((x - first) / width) as usize).min(stretches - 1);
    for points in line.chunk_by(|one, other| stretch(one.0) == stretch(other.0)) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) = (points.iter().min_by(by_value), points.iter().max_by(by_value)) else {
            continue;
        };
        let place = 2 * stretch(low.0);
        let (one, other) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        column[place] = Some(one.1);
        if points.len() > 1 {
            column[place + 1] = Some(other.1);
        }
    }
    column
}

/// A number as the page's data have it: five significant digits, and no point in a whole number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Short(pub(super) f64);

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        if value == 0.0 || !value.is_finite() {
            return serializer.serialize_i64(0);
        }
        let digits = 4 - libm::floor(libm::log10(value.abs())) as i32;
        let rounded = if digits >= 0 {
            let scale = libm::pow(10.0, f64::from(digits));
            libm::round(value * scale) / scale
        } else {
            let scale = libm::pow(10.0, f64::from(-digits));
            libm::round(value / scale) * scale
        };
        if rounded == rounded.trunc() && rounded.abs() < 1e15 {
            serializer.serialize_i64(rounded as i64)
        } else {
            serializer.serialize_f64(rounded)
        }
    }
}

/// A column as JSON.
pub(super) fn short(column: &[Option<f64>]) -> Vec<Option<Short>> {
    column.iter().map(|value| value.map(Short)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_places_are_kept() {
        let (one, other) = ([(0.0, 1.0), (1.0, 2.0)], [(0.5, 3.0), (1.0, f64::NAN)]);
        let lines = aligned(&[&one, &other, &[]], 600);
        assert_eq!(lines.at, [0.0, 0.5, 1.0]);
        assert_eq!(
            lines.columns,
            [vec![Some(1.0), None, Some(2.0)], vec![None, Some(3.0), None], vec![None; 3]]
        );
    }

    #[test]
    fn many_places_keep_the_spikes_at_their_times() {
        let mut line: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
        line[77_777].1 = 1000.0;
        let few = [(50_000.0, 1.0)];
        let lines = aligned(&[&line, &few], 400);
        assert_eq!(lines.at.len(), 800);
        let spike = lines.columns[0].iter().position(|value| *value == Some(1000.0)).unwrap();
        assert!((lines.at[spike] - 77_777.0).abs() < 250.0, "{}", lines.at[spike]);
        assert!(lines.columns[0].iter().all(Option::is_some));
        assert_eq!(lines.columns[1].iter().flatten().count(), 1);
    }

    #[test]
    fn numbers_are_short() {
        let text = |value| serde_json::to_string(&Short(value)).unwrap();
        let cases =
            [(0.0, "0"), (12.0, "12"), (1.0 / 3.0, "0.33333"), (123_456.7, "123460"), (-1.5e-7, "-1.5e-7")];
        for (value, short) in cases {
            assert_eq!(text(value), short);
        }
        assert_eq!(text(f64::NAN), "0");
    }
}
