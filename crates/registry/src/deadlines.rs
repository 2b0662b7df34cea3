//! The check of a list of deadlines, the same for every kind of media.

use jettison_core::Duration;

use crate::ParameterError;

/// Maximum number of deadlines.
const MOST: usize = 16;

/// Checks the parameter `deadlines`.
///
/// # Errors
/// Unless they are at most 16 durations > 0 in ascending order.
pub fn check_deadlines(deadlines: &[Duration]) -> Result<(), ParameterError> {
    let ascend = deadlines.windows(2).all(|two| two[0] < two[1]);
    let some = deadlines.first().is_none_or(|first| !first.is_zero());
    ParameterError::unless(ascend && some && deadlines.len() <= MOST, "deadlines", || {
        let found: Vec<String> = deadlines.iter().map(ToString::to_string).collect();
        format!("must be at most {MOST} durations > 0 in ascending order, got [{}]", found.join(", "))
    })
}
