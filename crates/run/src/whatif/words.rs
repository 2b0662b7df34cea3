//! What a change did, in one sentence: what viewers and users felt first.

use jettison_report::{Statistic, plain_number, signed_number};

use super::Row;
use super::table::title;

/// Most values that are named.
const NAMED: usize = 3;

/// `The change alters what viewers feel: call time frozen 3.2 → 2.1 % (-1.1).`
pub(super) fn answer(rows: &[Row]) -> String {
    let has_intervals = rows.iter().any(|row| row.ci95.is_some());
    // Equal values under all draws: what differs is no sample of anything.
    let is_repeated = has_intervals && rows.iter().filter_map(|row| row.ci95).all(|[low, high]| low == high);
    let differs = |row: &&Row| match row.ci95 {
        Some([low, high]) => low > 0.0 || high < 0.0,
        // With draws, a value without an interval says nothing.
        None => !has_intervals && row.differs(),
    };
    let beyond = if has_intervals && !is_repeated { " beyond chance" } else { "" };
    let of = |is_viewer: bool| -> Vec<&Row> {
        rows.iter().filter(|row| row.viewer == is_viewer).filter(differs).collect()
    };
    let (felt, other) = (of(true), of(false));
    let named = |rows: &[&Row]| {
        let texts: Vec<String> = rows.iter().take(NAMED).map(|row| text(row)).collect();
        match rows.len() > NAMED {
            true => format!("{} and {} more", texts.join(", "), rows.len() - NAMED),
            false => texts.join(", "),
        }
    };
    let has_viewers = rows.iter().any(|row| row.viewer);
    let found = match (felt.is_empty(), other.is_empty()) {
        (false, _) => format!("The change alters what viewers and users get{beyond}: {}.", named(&felt)),
        (true, false) if has_viewers => {
            format!("Viewers and users get the same{beyond}; other flows: {}.", named(&other))
        }
        (true, false) => format!("The change alters{beyond}: {}.", named(&other)),
        (true, true) => format!("Nothing that was measured differs{beyond}."),
    };
    match (has_intervals, is_repeated) {
        (_, true) => {
            format!(
                "{found} All draws gave the same values: nothing after the change is random, so chance cannot be judged."
            )
        }
        (true, false) => found,
        (false, _) => {
            format!(
                "{found} One pair of runs is part effect, part chance: `--draws 20` tells them apart if anything after it is random."
            )
        }
    }
}

fn text(row: &Row) -> String {
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), plain_number);
    let statistic = if row.statistic == Statistic::P99 { " p99" } else { "" };
    let part = if row.part.is_empty() { String::new() } else { format!(" {}", row.part) };
    let unit = if matches!(row.unit, "1" | "count") { String::new() } else { format!(" {}", row.unit) };
    let size = match row.difference {
        Some(difference) if row.ci95.is_some() => format!(" ({})", signed_number(difference, row.ci95)),
        _ => String::new(),
    };
    let (original, changed) = (value(row.original), value(row.changed));
    format!("{} {}{part}{statistic} {original} → {changed}{unit}{size}", row.flow, title(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(viewer: bool, values: [f64; 2], ci95: Option<[f64; 2]>) -> Row {
        Row {
            flow: if viewer { "call" } else { "bulk" }.to_owned(),
            viewer,
            metric: "goodput",
            part: String::new(),
            statistic: Statistic::Mean,
            unit: "Mbit/s",
            original: Some(values[0]),
            changed: Some(values[1]),
            difference: Some(values[1] - values[0]),
            ci95,
        }
    }

    #[test]
    fn what_viewers_feel_comes_first() {
        let rows = [row(false, [1.0, 2.0], None), row(true, [3.0, 2.5], None)];
        let text = answer(&rows);
        let said = "The change alters what viewers and users get: call goodput 3.00 → 2.50 Mbit/s. One pair of runs is part \
                    effect, part chance: `--draws 20` tells them apart if anything after it is random.";
        assert_eq!(text, said);
        let rows = [row(false, [1.0, 2.0], None), row(true, [3.0, 3.0], None)];
        assert!(answer(&rows).starts_with("Viewers and users get the same; other flows: bulk goodput"));
        assert!(answer(&rows[1..]).starts_with("Nothing that was measured differs."));
        assert!(answer(&rows[..1]).starts_with("The change alters: bulk"));
    }

    #[test]
    fn with_draws_only_what_is_beyond_chance_counts() {
        let rows = [row(true, [3.0, 2.5], Some([-1.0, 0.1])), row(false, [1.0, 2.0], Some([0.8, 1.2]))];
        let text = answer(&rows);
        let said = "Viewers and users get the same beyond chance; other flows: bulk goodput 1.00 → 2.00 Mbit/s (+1.00 ± 0.20).";
        assert_eq!(text, said);
        let same = answer(&[row(true, [3.0, 2.5], Some([-0.5, -0.5]))]);
        assert!(same.contains("All draws gave the same values") && !same.contains("beyond chance"), "{same}");
    }
}
