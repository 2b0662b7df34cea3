//! Conversion of SSIM between a number and dB.

/// Converts SSIM to dB, as in video traces: −10·log₁₀(1 − SSIM), at most [`MOST_DB`].
pub fn to_db(ssim: f64) -> f64 {
    (-10.0 * libm::log10(1.0 - ssim)).min(MOST_DB)
}

/// Converts dB to SSIM: 1 − 10^(−dB/10).
pub fn from_db(db: f64) -> f64 {
    1.0 - libm::exp10(-db / 10.0)
}

/// Maximum SSIM in dB, for identical pictures: an SSIM of 1 − 10⁻¹⁰.
pub const MOST_DB: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_db_are_an_ssim_of_nine_tenths() {
        assert!((to_db(0.9) - 10.0).abs() < 1e-12);
        assert!((from_db(20.0) - 0.99).abs() < 1e-12);
        assert_eq!((from_db(0.0), to_db(0.0)), (0.0, 0.0));
        assert_eq!(to_db(1.0), MOST_DB);
    }
}
