//! A paper's figures compared with ours, for the terminal.

use comfy_table::ContentArrangement;

use crate::number;
use crate::reproduction::{ClaimRecord, ReproductionRow, Verdict, legend};
use crate::table::{align_right, hanging, new_table};

/// A paper's figures compared with ours: one row per figure, followed by notes with the numbers of their rows and
/// by a legend.
pub fn reproduction_table(rows: &[ReproductionRow], width: usize) -> String {
    let mut table = new_table();
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.set_header(["", "figure", "unit", "paper", "ours", "ratio", "effect", "verdict"]);
    for (index, row) in rows.iter().enumerate() {
        table.add_row([
            (index + 1).to_string(),
            row.figure.clone(),
            row.unit.clone(),
            row.paper_text(),
            row.ours.map_or_else(|| "–".to_owned(), |ours| number::with_interval(ours, row.ci95)),
            row.ratio.map_or_else(|| "–".to_owned(), number::plain),
            row.effect_text(),
            row.verdict.to_string(),
        ]);
    }
    align_right(&mut table, 0..1);
    align_right(&mut table, 3..7);
    let mut out = format!("{table}\n");
    // What the words mean comes before the notes, which may be cut.
    for (word, meaning) in legend(rows) {
        out.push_str(&hanging(&word, meaning, width));
    }
    for (numbers, note) in notes(rows) {
        out.push_str(&hanging(&format!(" {numbers}"), note, width));
    }
    out
}

/// The claims that rows test, with the verdict on each.
pub fn claims_table(claims: &[ClaimRecord], width: usize) -> String {
    let mut table = new_table();
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.set_header(["claim", "where", "verdict"]);
    for claim in claims.iter().filter(|claim| claim.verdict != Verdict::Untested) {
        table.add_row([&claim.claim, &claim.section, claim.verdict.name()]);
    }
    if table.row_count() == 0 { String::new() } else { format!("{table}\n") }
}

/// What these verdicts mean, each once.
pub fn verdicts_legend(verdicts: &[Verdict], width: usize) -> String {
    let shown = Verdict::ALL.into_iter().filter(|own| verdicts.contains(own));
    shown.map(|own| hanging(own.name(), own.meaning(), width)).collect()
}

/// Each distinct note with the numbers of its rows.
fn notes(rows: &[ReproductionRow]) -> Vec<(String, &str)> {
    let mut notes: Vec<(Vec<usize>, &str)> = Vec::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.note.is_empty()) {
        match notes.iter_mut().find(|(_, note)| *note == row.note) {
            Some((numbers, _)) => numbers.push(index + 1),
            None => notes.push((vec![index + 1], &row.note)),
        }
    }
    let text = |numbers: &[usize]| {
        let is_run = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
        match (numbers.first(), numbers.last()) {
            (Some(first), Some(last)) if is_run && last > first => format!("{first}–{last}"),
            _ => numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        }
    };
    notes.into_iter().map(|(numbers, note)| (text(&numbers), note)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduction::tests::row;

    #[test]
    fn a_reproduction_matches_its_snapshot() {
        let claim = ReproductionRow {
            figure: "RTT lower".to_owned(),
            paper_value: Some(2.0),
            nominal: true,
            ours: Some(1.1),
            ci95: Some([0.9, 1.3]),
            ratio: None,
            effect: None,
            verdict: Verdict::Contradicts,
            note: "Our interval includes no effect.".to_owned(),
            ..row()
        };
        insta::assert_snapshot!(reproduction_table(&[row(), claim], 100));
    }
}
