//! Quality of a point cloud by its share of points.

use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// SSIM of a point cloud with a share of its points, seen from a given distance.
///
/// The paper derives it from a user's viewport and does not publish it. The default table is our assumption: rising
/// and concave, because neighbouring points overlap on a screen, and 0.99 (20 dB) with all points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DensityQuality {
    /// Distance of the viewer in metres for which the table holds. Informative only: another distance requires another
    /// table.
    pub distance: f64,
    /// Pairs of the share of points, 0 to 1, and the SSIM, 0 to below 1, both ascending; SSIM is linear between two
    /// pairs. The first share is 0, the last 1.
    pub table: Vec<(f64, f64)>,
    /// Weight of a point in an occluded cell, 0 to 1; a point in front has weight 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub occluded_weight: f64,
}

impl Default for DensityQuality {
    fn default() -> DensityQuality {
        let table = vec![(0.0, 0.0), (0.2, 0.90), (0.4, 0.94), (0.6, 0.965), (0.8, 0.98), (1.0, 0.99)];
        // Occluded cells are visible at their edges.
        DensityQuality { distance: 2.5, table, occluded_weight: 0.1 }
    }
}

impl DensityQuality {
    /// Returns the SSIM at a share of points.
    pub fn ssim(&self, share: f64) -> f64 {
        let above = self.table.partition_point(|(at, _)| *at < share);
        match (above.checked_sub(1).and_then(|below| self.table.get(below)), self.table.get(above)) {
            (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (share - x0) / (x1 - x0),
            (Some((_, last)), None) => *last,
            (None, Some((_, first))) => *first,
            (None, None) => 0.0,
        }
    }

    /// Checks the table.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.distance > 0.0 && self.distance.is_finite(), "distance", || {
            format!("must be finite and > 0, got {}", self.distance)
        })?;
        ParameterError::unless((0.0..=1.0).contains(&self.occluded_weight), "occluded_weight", || {
            format!("must be in [0, 1], got {}", self.occluded_weight)
        })?;
        let has_ends =
            matches!(self.table.as_slice(), [(first, _), .., (last, _)] if *first == 0.0 && *last == 1.0);
        ParameterError::unless(has_ends, "table", || {
            "must start at share 0 and end at share 1, such as [[0, 0], [0.5, 0.95], [1, 0.99]]".to_owned()
        })?;
        ParameterError::unless(self.table.windows(2).all(|pair| pair[0].0 < pair[1].0), "table", || {
            "must have shares in ascending order".to_owned()
        })?;
        let is_ssim = |ssim: f64| (0.0..1.0).contains(&ssim);
        ParameterError::unless(self.table.iter().all(|(_, ssim)| is_ssim(*ssim)), "table", || {
            "must have SSIMs in [0, 1)".to_owned()
        })?;
        ParameterError::unless(self.table.windows(2).all(|pair| pair[0].1 <= pair[1].1), "table", || {
            "must have nondecreasing SSIMs".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_is_linear_between_two_entries() {
        let quality = DensityQuality::default();
        assert_eq!(quality.validate(), Ok(()));
        assert_eq!((quality.ssim(0.0), quality.ssim(0.2), quality.ssim(1.0)), (0.0, 0.90, 0.99));
        assert!((quality.ssim(0.3) - 0.92).abs() < 1e-12);
        assert!((quality.ssim(0.1) - 0.45).abs() < 1e-12);
        assert_eq!(quality.ssim(2.0), 0.99);
    }

    #[test]
    fn invalid_tables_are_refused() {
        let with = |table: &[(f64, f64)]| {
            let quality = DensityQuality { table: table.to_vec(), ..DensityQuality::default() };
            quality.validate().expect_err("it makes no sense").to_string()
        };
        assert!(with(&[]).starts_with("table: must start at share 0"));
        assert!(with(&[(0.0, 0.0), (0.9, 0.9)]).starts_with("table: must start at share 0"));
        assert!(with(&[(0.0, 0.0), (0.5, 0.5), (0.5, 0.6), (1.0, 0.9)]).contains("ascending"));
        assert!(with(&[(0.0, 0.5), (1.0, 0.4)]).contains("must have nondecreasing SSIMs"));
        assert!(with(&[(0.0, 0.0), (1.0, 1.0)]).contains("must have SSIMs in [0, 1)"));
        assert!(with(&[(0.0, f64::NAN), (1.0, 0.9)]).contains("must have SSIMs in [0, 1)"));
        let quality = DensityQuality { occluded_weight: 1.5, ..DensityQuality::default() };
        assert!(quality.validate().expect_err("1.5").to_string().starts_with("occluded_weight: "));
        let quality = DensityQuality { distance: f64::NAN, ..DensityQuality::default() };
        assert!(quality.validate().expect_err("NaN").to_string().starts_with("distance: "));
    }
}
