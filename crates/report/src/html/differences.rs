//! Differences from the baseline: a dot with its interval for each variant, one picture per column of the comparison.

use minijinja::context;

use super::aligned::Short;
use super::pictures::{Kind, Picture, Row, Rows};
use super::templates::rendered;
use super::{Page, Section};
use crate::comparison::{Comparison, Mark};
use crate::error::ReportError;
use crate::number;

/// The pictures, in the order of the comparison's columns; none without a baseline or without intervals.
pub(super) fn section(page: &mut Page<'_>, compared: &Comparison<'_>) -> Result<Section, ReportError> {
    let pictures = (0..compared.columns.len()).map(|at| picture(page, compared, at));
    let pictures: Vec<Option<Picture>> = pictures.collect::<Result<_, ReportError>>()?;
    // The bars have shown the means.
    let shown = page.budget.shown(pictures.into_iter().flatten().collect(), 0);
    if shown.is_empty() {
        return Ok(Section::none());
    }
    let baseline = compared.common_baseline().unwrap_or_else(|| "its baseline".to_owned());
    let note = format!(
        "Each variant less {baseline}: mean of the differences seed by seed with its 95 % confidence interval \
         (Student). A full dot: the interval excludes 0, so the difference is beyond chance. A hollow dot: it may be chance. \
         Beside it the difference in per cent of the baseline. differences.parquet has the differences of all values."
    );
    let body = rendered("pictures.html", context! { note, shown })?;
    Ok(Section { id: "differences", title: "Differences from the baseline", body })
}

fn picture(page: &Page<'_>, compared: &Comparison<'_>, at: usize) -> Result<Option<Picture>, ReportError> {
    let column = &compared.columns[at];
    let scale = page.units.divisor(column);
    let is_common = compared.common_baseline().is_some();
    let mut is_same = true;
    let mut rows = Vec::new();
    for (variant, look) in page.looks.iter().enumerate() {
        let Some(paired) = compared.difference(at, variant) else { continue };
        let Some(ends) = paired.estimate.ci95 else { continue };
        is_same &= ends == [0.0; 2];
        let label = match compared.baseline(variant) {
            Some(baseline) if !is_common => format!("{} – {}", look.title, page.looks[baseline].title),
            _ => look.title.clone(),
        };
        rows.push(Row {
            variant,
            label,
            parts: Vec::new(),
            mean: Some(Short(paired.estimate.mean / scale)),
            interval: Some(ends.map(|end| Short(end / scale))),
            sure: Mark::of(&paired) != Mark::Unclear,
            text: match paired.percent {
                Some(percent) => format!("{} %", number::signed(percent, None)),
                None => number::signed(paired.estimate.mean / scale, None),
            },
        });
    }
    if is_same {
        return Ok(None);
    }
    let axis = match page.units.heading(column) {
        "" => column.title.clone(),
        "%" => format!("{} (percentage points)", column.title),
        unit => format!("{} ({unit})", column.title),
    };
    let title = format!("Differences in {} of {}, one dot per variant", column.title, column.subject);
    let rows = Rows { kind: Kind::Dots, title, axis, parts: Vec::new(), rows };
    rows.picture(&column.title, format!(" of {}", column.subject)).map(Some)
}
