//! Line charts.

use std::io;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::palette::Stroke;
use super::svg::svg;
use crate::error::ReportError;
use crate::number;

/// A line chart.
pub(super) struct Chart<'a> {
    /// What it shows, for screen readers.
    pub(super) title: &'a str,
    /// Label of the x axis, with its unit.
    pub(super) x_label: &'a str,
    /// Label of the y axis, with its unit.
    pub(super) y_label: &'a str,
    /// What the x axis spans.
    pub(super) x: Range<f64>,
    /// What the y axis spans.
    pub(super) y: Range<f64>,
    /// The lines.
    pub(super) lines: Vec<(Stroke, &'a [(f64, f64)])>,
    /// Whether a value holds until the next one.
    pub(super) is_step: bool,
    /// How large it is.
    pub(super) size: Size,
}

/// Where a chart stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// Across the page.
    Full,
    /// Two beside each other.
    Half,
    /// Three beside each other.
    Third,
    /// Four beside each other.
    Quarter,
}

const GRID: RGBColor = RGBColor(228, 232, 236);
const AXIS: RGBColor = RGBColor(120, 130, 138);
pub(super) const INK: RGBColor = RGBColor(60, 68, 75);

/// Draws a line chart.
pub(super) fn chart(chart: &Chart) -> Result<String, ReportError> {
    let (size, font, x_ticks, y_ticks) = match chart.size {
        Size::Full => ((2380, 660), 31, 11, 6),
        Size::Half => ((1180, 600), 31, 6, 6),
        Size::Third => ((780, 440), 29, 5, 5),
        Size::Quarter => ((580, 400), 28, 4, 5),
    };
    let layout = Layout {
        font,
        ticks: (x_ticks, y_ticks),
        x_labels: font * 3,
        y_labels: y_label_width(&chart.y, font),
        gap: 0,
    };
    let drawn = svg(chart.title, size, |area| draw(area, chart, &layout))?;
    Ok(with_dashes(&drawn, &chart.lines))
}

/// Draws charts below each other over one x axis, that of the last. Their lines have no gaps.
pub(super) fn stacked(title: &str, charts: &[Chart]) -> Result<String, ReportError> {
    const WIDTH: u32 = 2380;
    const HEIGHT: u32 = 430;
    const FONT: u32 = 31;
    let y_labels = charts.iter().map(|chart| y_label_width(&chart.y, FONT)).max().unwrap_or_default();
    let x_labels = 3 * FONT;
    svg(title, (WIDTH, HEIGHT * charts.len() as u32 + x_labels), |area| {
        let mut rest = area.clone();
        for (place, chart) in charts.iter().enumerate() {
            let is_last = place + 1 == charts.len();
            let x_labels = if is_last { x_labels } else { 0 };
            // Labels of adjacent y axes stay apart.
            let gap = if is_last { 0 } else { FONT };
            let (own, below) = rest.split_vertically((HEIGHT + x_labels) as i32);
            draw(&own, chart, &Layout { font: FONT, ticks: (11, 5), x_labels, y_labels, gap })?;
            rest = below;
        }
        Ok(())
    })
}

/// Sizes of the parts of a chart in pixels.
struct Layout {
    font: u32,
    ticks: (usize, usize),
    /// Room for the labels of the axes; none without labels.
    x_labels: u32,
    y_labels: u32,
    /// Room below.
    gap: u32,
}

/// Draws the axes and lines of a chart.
fn draw(
    area: &DrawingArea<SVGBackend, Shift>,
    chart: &Chart,
    layout: &Layout,
) -> Result<(), DrawingAreaErrorKind<io::Error>> {
    let mut context = ChartBuilder::on(area)
        .margin_top(14)
        .margin_right(24)
        .margin_bottom(layout.gap)
        .x_label_area_size(layout.x_labels)
        .y_label_area_size(layout.y_labels)
        .build_cartesian_2d(chart.x.clone(), chart.y.clone())?;
    context
        .configure_mesh()
        .max_light_lines(0)
        .bold_line_style(GRID.stroke_width(2))
        .axis_style(AXIS.stroke_width(2))
        .x_labels(layout.ticks.0)
        .y_labels(layout.ticks.1)
        .label_style(("sans-serif", layout.font).into_font().color(&INK))
        .axis_desc_style(("sans-serif", layout.font).into_font().color(&INK))
        .x_desc(chart.x_label)
        .y_desc(chart.y_label)
        .x_label_formatter(&|value| number::tick(*value))
        .y_label_formatter(&|value| number::tick(*value))
        .draw()?;
    for (stroke, points) in &chart.lines {
        let visible = points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite());
        // The SVG back end does not clip: lines end where the x axis does.
        let visible = visible.filter(|(x, _)| *x >= chart.x.start && *x <= chart.x.end);
        let clamped = visible.map(|(x, y)| (x, y.clamp(chart.y.start, chart.y.end)));
        let clamped: Vec<(f64, f64)> = if chart.is_step { stepped(clamped) } else { clamped.collect() };
        context.draw_series(LineSeries::new(clamped, stroke.colour.stroke_width(stroke.width())))?;
    }
    Ok(())
}

/// The drawing with gaps in its lines: the back end knows none. The lines are what was drawn last.
fn with_dashes(drawn: &str, lines: &[(Stroke, &[(f64, f64)])]) -> String {
    const ELEMENT: &str = "<polyline";
    let mut parts: Vec<&str> = drawn.split(ELEMENT).collect();
    let own = parts.split_off(parts.len().saturating_sub(lines.len()).max(1));
    let mut out = parts.join(ELEMENT);
    for (element, (stroke, _)) in own.into_iter().zip(lines) {
        out.push_str(ELEMENT);
        if let Some(dashes) = stroke.dashes() {
            out.push_str(&format!(" stroke-dasharray=\"{dashes}\""));
        }
        out.push_str(element);
    }
    out
}

/// The corners of a line on which a value holds until the next one.
fn stepped(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    let mut end = None;
    for (x, y) in points {
        let last = corners.last().map(|(_, last)| *last);
        if last != Some(y) {
            corners.extend(last.map(|last| (x, last)));
            corners.push((x, y));
        }
        end = Some((x, y));
    }
    if end != corners.last().copied() {
        corners.extend(end);
    }
    corners
}

/// Room for the widest label of the y axis and the axis's own.
fn y_label_width(y: &Range<f64>, font: u32) -> u32 {
    // A tick halfway up has at least as many digits as most.
    let labels = [y.start, y.end, (y.end - y.start) / 4.0 + y.start];
    let longest = labels.map(|value| number::tick(round_like_a_tick(value, y.end - y.start)).chars().count());
    let longest = longest.into_iter().max().unwrap_or(1) as u32;
    font * 19 / 10 + longest * font / 2 + 14
}

fn round_like_a_tick(value: f64, span: f64) -> f64 {
    let mut step = 1e-9;
    while step * 20.0 < span {
        step *= 10.0;
    }
    (value / step).round() * step
}

/// A span for the y axis that shows all of `values`: from zero unless all of them are far from it.
pub(super) fn y_span(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return 0.0..1.0;
    }
    if low >= 0.0 && low < 0.6 * high || low == high && high > 0.0 {
        return 0.0..high * 1.06;
    }
    if low == high {
        return low - 1.0..high + 1.0;
    }
    let margin = (high - low) * 0.06;
    low - margin..high + margin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::palette::looks;
    use crate::style::{Line, Style};

    #[test]
    fn a_line_has_the_dashes_of_its_stroke_whatever_stands_beside_it() {
        let mut experiment = crate::testing::experiment(&["a", "b", "c"], 1);
        let dashed =
            |name: &str| Style { name: name.to_owned(), colour: "#56b4e9".to_owned(), line: Line::Dashed };
        experiment.styles.insert("b".to_owned(), dashed("B"));
        let looks = looks(&experiment);
        let line = |place: usize| (looks[place].stroke, [(0.0, 0.0), (1.0, place as f64)]);
        let lines = [line(0), line(1), line(2)];
        let drawn = |lines: Vec<(Stroke, &[(f64, f64)])>| {
            let labels = ("x", "y");
            let of = |lines| Chart {
                title: "t",
                x_label: labels.0,
                y_label: labels.1,
                x: 0.0..1.0,
                y: 0.0..2.0,
                lines,
                is_step: false,
                size: Size::Half,
            };
            chart(&of(lines)).unwrap()
        };
        let all = drawn(lines.iter().map(|(stroke, line)| (*stroke, &line[..])).collect());
        // One that has no points takes no other's dashes.
        let first: Vec<_> = vec![(lines[1].0, &[][..]), (lines[0].0, &lines[0].1[..])];
        let first = drawn(first);
        let strokes = |drawn: &str| {
            let lines = drawn
                .lines()
                .filter(|line| line.contains("<polyline") && line.contains("stroke-width=\"3\""));
            lines
                .map(|line| (line.contains("#56B4E9"), line.contains("stroke-dasharray=\"16 8\"")))
                .collect::<Vec<_>>()
        };
        assert_eq!(strokes(&all), [(false, false), (true, true), (false, false)]);
        assert!(strokes(&first).contains(&(false, false)), "{:?}", strokes(&first));
        assert!(!strokes(&first).contains(&(false, true)));
    }

    #[test]
    fn a_step_holds_until_the_next_value() {
        let points = [(0.0, 1.0), (2.0, 1.0), (4.0, 3.0), (5.0, 2.0), (9.0, 2.0)];
        let corners = [(0.0, 1.0), (4.0, 1.0), (4.0, 3.0), (5.0, 3.0), (5.0, 2.0), (9.0, 2.0)];
        assert_eq!(stepped(points.into_iter()), corners);
        assert_eq!(stepped([(1.0, 2.0)].into_iter()), [(1.0, 2.0)]);
        assert!(stepped(std::iter::empty()).is_empty());
    }
}
