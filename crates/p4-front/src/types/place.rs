//! Overlap of places.

use crate::ir::{Place, Step};

/// Whether the path to the place contains no computed step.
pub(super) fn is_static(place: &Place) -> bool {
    place.steps.iter().all(|step| matches!(step, Step::Field(_) | Step::Element(_)))
}

/// Whether two places may overlap.
pub(super) fn overlap(a: &Place, b: &Place) -> bool {
    a.root == b.root
        && a.steps.iter().zip(&b.steps).all(|(a, b)| match (a, b) {
            (Step::Field(a), Step::Field(b)) => a == b,
            (Step::Element(a), Step::Element(b)) => a == b,
            _ => true,
        })
}
