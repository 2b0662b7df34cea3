//! t
use crate::error::ReportError;
use crate::store::Results;
/// t
pub fn render(_: &Results) -> Result<String, ReportError> { Ok("<html>".into()) }
