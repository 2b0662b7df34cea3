//! Differences from the baseline: a dot with its interval for each variant, one figure per column of the comparison.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::escape::escape;
use super::lines::INK;
use super::palette::{Look, looks};
use super::svg::svg;
use crate::comparison::{Comparison, Mark};
use crate::difference::Paired;
use crate::error::ReportError;
use crate::number;
use crate::store::Results;

const ROW: u32 = 46;
const FONT: u32 = 28;
const WIDTH: u32 = 1060;
const LONGEST_LABEL: usize = 30;
/// Colour of the line at zero and of differences that may be chance.
const SOFT: RGBColor = RGBColor(120, 130, 138);

/// The figures, in the order of the comparison's columns; empty without a baseline or without intervals.
pub(super) fn section(results: &Results, comparison: &Comparison<'_>) -> Result<String, ReportError> {
    let looks = looks(&results.manifest.experiment);
    let mut figures = String::new();
    for at in 0..comparison.columns.len() {
        figures.push_str(&figure(comparison, at, &looks)?);
    }
    if figures.is_empty() {
        return Ok(String::new());
    }
    let baseline = match comparison.common_baseline() {
        Some(title) => format!("<b>{}</b>", escape(&title)),
        None => "its baseline".to_owned(),
    };
    Ok(format!(
        "<p class=\"note\">Each variant less {baseline}: mean of the differences seed by seed with its 95 % confidence interval \
         (Student). A full dot: the interval excludes 0, so the difference is beyond chance. A hollow dot: it may be chance. \
         Beside it the difference in per cent of the baseline. <code>differences.parquet</code> has the differences of all \
         values.</p>\n<div class=\"grid2\">\n{figures}</div>\n"
    ))
}

/// A row of a figure.
struct Dot<'a> {
    look: &'a Look,
    label: String,
    paired: Paired,
}

fn figure(comparison: &Comparison<'_>, at: usize, looks: &[Look]) -> Result<String, ReportError> {
    let column = &comparison.columns[at];
    let is_common = comparison.common_baseline().is_some();
    let dot = |(place, look)| {
        let paired = comparison.difference(at, place)?;
        let title = looks[place].title.clone();
        let label = match comparison.baseline(place) {
            Some(baseline) if !is_common => format!("{title} – {}", looks[baseline].title),
            _ => title,
        };
        paired.estimate.ci95.map(|_| Dot { look, label, paired })
    };
    let dots: Vec<Dot<'_>> = looks.iter().enumerate().filter_map(dot).collect();
    if dots.iter().all(|dot| dot.paired.estimate.ci95 == Some([0.0; 2])) {
        return Ok(String::new());
    }
    let axis = match column.shown_unit() {
        "" => column.title.clone(),
        "%" => format!("{} (percentage points)", column.title),
        unit => format!("{} ({unit})", column.title),
    };
    let title = format!("Differences in {} of {}, one dot per variant", column.title, column.subject);
    Ok(format!(
        "<figure><figcaption><b>{}</b> of {}</figcaption>{}</figure>\n",
        escape(&column.title),
        escape(&column.subject),
        draw(&title, &axis, &dots)?
    ))
}

fn draw(title: &str, axis: &str, dots: &[Dot<'_>]) -> Result<String, ReportError> {
    let ends = || dots.iter().filter_map(|dot| dot.paired.estimate.ci95);
    let low = ends().map(|[low, _]| low).fold(0.0, f64::min);
    let high = ends().map(|[_, high]| high).fold(0.0, f64::max);
    // Room beyond the ends, so that neither a cap nor zero lies on the frame.
    let room = 0.04 * (high - low);
    let text = |dot: &Dot<'_>| match dot.paired.percent {
        Some(percent) => format!("{} %", number::signed(percent, None)),
        None => number::signed(dot.paired.estimate.mean, None),
    };
    let characters = |text: &str| text.chars().count().min(LONGEST_LABEL) as u32;
    let label_width = dots.iter().map(|dot| characters(&dot.label)).max().unwrap_or(0) * FONT / 2 + 26;
    let text_width = dots.iter().map(|dot| characters(&text(dot))).max().unwrap_or(0) * FONT / 2 + 26;
    let height = dots.len() as u32 * ROW + FONT * 3 + 10;
    svg(title, (WIDTH, height), |area| {
        let mut context = ChartBuilder::on(area)
            .margin_top(6)
            .margin_right(text_width)
            .x_label_area_size(FONT * 3)
            .y_label_area_size(label_width)
            .build_cartesian_2d(low - room..high + room, 0.0..dots.len() as f64)?;
        context
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .y_labels(0)
            .max_light_lines(0)
            .bold_line_style(RGBColor(228, 232, 236).stroke_width(2))
            .axis_style(SOFT.stroke_width(2))
            .x_labels(6)
            .label_style(("sans-serif", FONT).into_font().color(&INK))
            .axis_desc_style(("sans-serif", FONT).into_font().color(&INK))
            .x_desc(axis)
            .x_label_formatter(&|value| number::tick(*value))
            .draw()?;
        let zero = vec![(0.0, 0.0), (0.0, dots.len() as f64)];
        context.draw_series([PathElement::new(zero, SOFT.stroke_width(3))])?;
        let anchored =
            |horizontal| ("sans-serif", FONT).into_font().color(&INK).pos(Pos::new(horizontal, VPos::Center));
        for (index, dot) in dots.iter().enumerate() {
            // The first variant is at the top.
            let middle = dots.len() as f64 - index as f64 - 0.5;
            let colour = dot.look.stroke.colour;
            if let Some([low, high]) = dot.paired.estimate.ci95 {
                let style = colour.stroke_width(4);
                let across = |x: f64| PathElement::new(vec![(x, middle - 0.16), (x, middle + 0.16)], style);
                let along = PathElement::new(vec![(low, middle), (high, middle)], style);
                context.draw_series([along, across(low), across(high)])?;
            }
            let place = (dot.paired.estimate.mean, middle);
            match Mark::of(&dot.paired) {
                Mark::Unclear => {
                    context.draw_series([Circle::new(place, 9, WHITE.filled())])?;
                    context.draw_series([Circle::new(place, 9, colour.stroke_width(4))])?;
                }
                _ => drop(context.draw_series([Circle::new(place, 10, colour.filled())])?),
            }
            let (x, y) = context.backend_coord(&(high + room, middle));
            area.draw(&Text::new(text(dot), (x + 12, y), anchored(HPos::Left)))?;
            let (x, _) = context.backend_coord(&(low - room, middle));
            let label: String = dot.label.chars().take(LONGEST_LABEL).collect();
            area.draw(&Text::new(label, (x - 12, y), anchored(HPos::Right)))?;
        }
        Ok(())
    })
}
