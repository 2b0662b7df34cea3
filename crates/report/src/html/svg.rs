//! Conversion of a drawing to an accessible inline SVG element.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, SVGBackend};

use super::escape::escape;
use crate::error::ReportError;

/// Draws an SVG element of a size, with `title` for screen readers.
///
/// Draw at twice the displayed size for finer lines: the back end has whole pixels only.
pub(super) fn svg(
    title: &str,
    (width, height): (u32, u32),
    draw: impl FnOnce(&DrawingArea<SVGBackend, Shift>) -> Result<(), DrawingAreaErrorKind<io::Error>>,
) -> Result<String, ReportError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        draw(&area).and_then(|()| area.present()).map_err(|error| ReportError::Plot(error.to_string()))?;
    }
    // Inside HTML the element needs no namespace, and the page sets its size.
    let body =
        text.find("<svg").and_then(|at| text[at..].find('>').map(|end| &text[at + end + 1..])).unwrap_or("");
    let label = escape(title);
    let head = format!(
        "<svg role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {width} {height}\"><title>{label}</title>"
    );
    Ok(head + &compact(body))
}

/// Removes the bulk of redundant text: attributes at their defaults, line breaks inside text.
fn compact(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    for line in body.lines() {
        out.push_str(line);
        if !line.starts_with('<') || line.ends_with("/>") || line.ends_with("</svg>") {
            out.push('\n');
        }
    }
    out.replace(" opacity=\"1\"", "").replace(" fill=\"none\"", " fill=\"none\" stroke-linejoin=\"round\"")
}
