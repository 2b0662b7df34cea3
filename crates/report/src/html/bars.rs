//! Horizontal bar charts: one value per variant with its interval, or stacked parts.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::lines::INK;
use super::svg::svg;
use crate::error::ReportError;
use crate::number;

/// A bar.
pub(super) struct Bar {
    /// Label.
    pub(super) label: String,
    /// Parts from left to right: colour and length.
    pub(super) parts: Vec<(RGBColor, f64)>,
    /// Confidence interval around the end of the bar, if any.
    pub(super) interval: Option<[f64; 2]>,
    /// Text behind the bar.
    pub(super) text: String,
}

const ROW: u32 = 50;
const FONT: u32 = 30;
const LONGEST_LABEL: usize = 30;

/// Draws horizontal bars on an axis from zero.
pub(super) fn chart(title: &str, axis: &str, bars: &[Bar], width: u32) -> Result<String, ReportError> {
    let total = |bar: &Bar| bar.parts.iter().map(|(_, length)| length).sum::<f64>();
    let end = |bar: &Bar| bar.interval.map_or(0.0, |i| i[1]).max(total(bar));
    let furthest = bars.iter().map(end).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let begin = |bar: &Bar| bar.interval.map_or(0.0, |i| i[0]).min(total(bar));
    let start = bars.iter().map(begin).filter(|v| v.is_finite()).fold(0.0, f64::min);
    let characters = |text: &str| text.chars().count().min(LONGEST_LABEL) as u32;
    let label_width = bars.iter().map(|bar| characters(&bar.label)).max().unwrap_or(0) * FONT / 2 + 26;
    let text_width = bars.iter().map(|bar| characters(&bar.text)).max().unwrap_or(0) * FONT / 2 + 26;
    let height = bars.len() as u32 * ROW + FONT * 3 + 10;
    let span = if furthest > 0.0 { furthest } else { 1.0 };
    svg(title, (width, height), |area| {
        let mut context = ChartBuilder::on(area)
            .margin_top(6)
            .margin_right(text_width)
            .x_label_area_size(FONT * 3)
            .y_label_area_size(label_width)
            .build_cartesian_2d(start..span, 0.0..bars.len() as f64)?;
        context
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .y_labels(0)
            .max_light_lines(0)
            .bold_line_style(RGBColor(228, 232, 236).stroke_width(2))
            .axis_style(RGBColor(120, 130, 138).stroke_width(2))
            .x_labels(6)
            .label_style(("sans-serif", FONT).into_font().color(&INK))
            .axis_desc_style(("sans-serif", FONT).into_font().color(&INK))
            .x_desc(axis)
            .x_label_formatter(&|value| number::tick(*value))
            .draw()?;
        let text =
            |horizontal| ("sans-serif", FONT).into_font().color(&INK).pos(Pos::new(horizontal, VPos::Center));
        for (index, bar) in bars.iter().enumerate() {
            // The first bar is at the top.
            let middle = bars.len() as f64 - index as f64 - 0.5;
            let mut from = 0.0;
            for (colour, length) in &bar.parts {
                let rectangle = [(from, middle - 0.34), (from + length, middle + 0.34)];
                context.draw_series([Rectangle::new(rectangle, colour.filled())])?;
                from += length;
            }
            let mut reach = from;
            if let Some([low, high]) = bar.interval {
                reach = reach.max(high);
                // A white outline keeps the whisker visible on dark bars.
                for style in [WHITE.stroke_width(6), INK.stroke_width(3)] {
                    let across =
                        |x: f64| PathElement::new(vec![(x, middle - 0.16), (x, middle + 0.16)], style);
                    let along = PathElement::new(vec![(low, middle), (high, middle)], style);
                    context.draw_series([along, across(low), across(high)])?;
                }
            }
            let (x, y) = context.backend_coord(&(reach.max(0.0), middle));
            area.draw(&Text::new(bar.text.clone(), (x + 12, y), text(HPos::Left)))?;
            let (x, _) = context.backend_coord(&(start, middle));
            area.draw(&Text::new(shortened(&bar.label), (x - 12, y), text(HPos::Right)))?;
        }
        Ok(())
    })
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LONGEST_LABEL {
        return label.to_owned();
    }
    label.chars().take(LONGEST_LABEL - 1).chain(['…']).collect()
}
