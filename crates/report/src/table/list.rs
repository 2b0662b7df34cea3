//! The comparison as a table: one row per variant, or per group of flows of each variant if there are several groups.

use indexmap::IndexSet;

use super::{TableOptions, align_right, new_table};
use crate::answer::Judged;
use crate::columns::{Column, Statistic, shown_queues};
use crate::comparison::{Comparison, Mark};
use crate::groups::{FlowGroup, flow_groups};
use crate::load::Load;
use crate::store::Results;
use crate::viewers;

use Statistic::{Mean, P99};

/// What tables show first, after what the answer judges by, unless more is asked for: what is felt, then what was carried, then what the queue did. Further
/// columns follow on request.
const FIRST: [(&str, Statistic); 26] = [
    ("stall_ratio", Mean),
    ("freeze_ratio", Mean),
    ("frames_in_time", Mean),
    ("p1203_parametric", Mean),
    ("linear_qoe", Mean),
    ("sqi_ssim", Mean),
    ("representation_rate", Mean),
    ("frame_latency", P99),
    ("frames_per_second", Mean),
    ("page_load_time", Mean),
    ("response_time", P99),
    ("frame_delay", P99),
    ("deadline_miss", Mean),
    ("completion_time", Mean),
    ("owd", P99),
    ("loss", Mean),
    ("goodput", Statistic::Sum),
    ("goodput", Mean),
    ("rtt", Mean),
    ("rtt", P99),
    ("rtt", Statistic::Median),
    ("utilisation", Mean),
    ("sojourn", Mean),
    ("sojourn", P99),
    ("drop_rate", Mean),
    ("rate_ratio", Mean),
];

/// The tables of a comparison, the important one first, with names for what is left out.
pub(super) struct Tables {
    /// Names and texts.
    pub tables: Vec<(String, String)>,
    /// Titles of the columns that are left out.
    pub left_out: Vec<String>,
    /// Whether cells have marks.
    pub is_marked: bool,
    /// The flow whose columns do not name it.
    pub viewer: Option<String>,
}

/// The columns of a comparison and how tables name them.
pub(super) struct Layout<'a> {
    pub comparison: &'a Comparison<'a>,
    /// What the answer judges by: the first columns.
    judged: &'a [Judged],
    groups: Vec<FlowGroup>,
    /// Subjects of the columns that become rows; none if there is at most one.
    rows: IndexSet<&'a str>,
    queues: Vec<&'a str>,
    is_load: bool,
}

impl<'a> Layout<'a> {
    pub fn of(results: &'a Results, comparison: &'a Comparison<'a>, judged: &'a [Judged]) -> Layout<'a> {
        let load = Load::of(results);
        let queues = shown_queues(results, load.as_ref());
        let groups = flow_groups(results);
        let is_group = |subject: &str| groups.iter().any(|group| group.name == subject);
        let subjects = comparison.columns.iter().map(|column| column.subject.as_str());
        let mut rows: IndexSet<&str> = subjects.filter(|subject| is_group(subject)).collect();
        // In the order of the scenario.
        let place = |name: &str| groups.iter().position(|group| group.name == name);
        rows.sort_by(|one, other| place(one).cmp(&place(other)));
        if load.is_some() || rows.len() < 2 {
            rows.clear();
        }
        Layout { comparison, judged, groups, rows, queues, is_load: load.is_some() }
    }

    /// Title of a column, where rows do not name its subject.
    pub fn title(&self, column: &Column) -> String {
        if self.rows.contains(column.subject.as_str()) {
            return column.title.clone();
        }
        if self.queues.len() > 1 && self.queues.contains(&column.subject.as_str()) {
            // The footer names the link.
            let direction = column.subject.rsplit_once('.').map_or("", |(_, direction)| direction);
            return format!("{direction} {}", column.title);
        }
        let is_flows = self.groups.len() > 1
            && matches!(column.metric.as_str(), "rtt" | "owd" | "completion_time" | "loss")
            || self.is_load && column.metric == "goodput";
        let columns = &self.comparison.columns;
        let is_shared = columns.iter().any(|other| {
            other != column && other.title == column.title && !self.rows.contains(other.subject.as_str())
        });
        match is_shared || is_flows {
            true => format!("{} {}", column.subject, column.title),
            false => column.title.clone(),
        }
    }

    /// Title of a column in sentences, where no row names its subject.
    pub fn long_title(&self, column: &Column) -> String {
        match self.rows.contains(column.subject.as_str()) {
            true => format!("{} {}", column.subject, column.title),
            false => self.title(column),
        }
    }

    /// The columns in the order of the table; those that are not shown first are left out unless all are asked for.
    fn chosen(&self, is_all: bool) -> (Vec<usize>, Vec<usize>) {
        let columns = &self.comparison.columns;
        if is_all {
            return ((0..columns.len()).collect(), Vec::new());
        }
        let rank = |at: &usize| {
            let column = &columns[*at];
            let judged = self.judged.iter().position(|judged| judged.is_in(column));
            let is_it = |(metric, statistic): &(&str, Statistic)| {
                column.metric == *metric && column.statistic == *statistic
            };
            judged.or_else(|| Some(self.judged.len() + FIRST.iter().position(is_it)?))
        };
        let (mut first, rest): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|at| rank(at).is_some());
        if first.is_empty() {
            return (rest, first);
        }
        first.sort_by_key(|at| rank(at));
        (first, rest)
    }

    /// All tables.
    pub fn tables(&self, options: &TableOptions, is_all: bool) -> Tables {
        let comparison = self.comparison;
        let (chosen, rest) = self.chosen(is_all);
        let (of_flows, of_variants): (Vec<usize>, Vec<usize>) =
            chosen.into_iter().partition(|at| self.rows.contains(comparison.columns[*at].subject.as_str()));
        let mut out = Tables { tables: Vec::new(), left_out: Vec::new(), is_marked: false, viewer: None };
        if !of_flows.is_empty() {
            let text = self.flows(&of_flows, options.width, is_all, &mut out);
            out.tables.push(("groups of flows".to_owned(), text));
        }
        if !of_variants.is_empty() {
            let text = self.variants(&of_variants, options.width, is_all, &mut out);
            let name = if of_flows.is_empty() { "the table" } else { "the table of the network" };
            out.tables.push((name.to_owned(), text));
            let seen = of_variants.iter().map(|at| &comparison.columns[*at]);
            out.viewer = seen
                .clone()
                .find(|column| viewers::is_seen(&column.metric) && column.objects != ["all flows"])
                .filter(|_| self.groups.len() > 1)
                .map(|column| column.subject.clone());
        }
        let mut titles: IndexSet<String> =
            rest.iter().map(|at| comparison.columns[*at].title.clone()).collect();
        titles.extend(std::mem::take(&mut out.left_out));
        out.left_out = titles.into_iter().collect();
        out
    }

    /// One row per variant.
    fn variants(&self, chosen: &[usize], width: usize, is_all: bool, out: &mut Tables) -> String {
        let comparison = self.comparison;
        let mut first = vec!["variant".to_owned(), String::new()];
        first.extend(comparison.variants.iter().map(|variant| variant.title()));
        let column = |at: &usize| {
            let column = &comparison.columns[*at];
            let places = (0..comparison.variants.len()).map(|place| (Some(*at), place));
            Cells {
                title: self.title(column),
                unit: column.shown_unit().to_owned(),
                is_needed: false,
                places: places.collect(),
            }
        };
        self.render(vec![first], chosen.iter().map(column).collect(), width, is_all, out)
    }

    /// One row per variant and group of flows.
    fn flows(&self, chosen: &[usize], width: usize, is_all: bool, out: &mut Tables) -> String {
        let comparison = self.comparison;
        let count = comparison.variants.len();
        let mut first = vec!["variant".to_owned(), String::new()];
        let mut second = vec!["flows".to_owned(), String::new()];
        // Flows that a variant does not have need no row, but each variant has one.
        let has_values = |place: usize, row: &str| {
            let of_row = |at: &&usize| comparison.columns[**at].subject == row;
            chosen.iter().filter(of_row).any(|at| comparison.value(*at, place).is_some())
        };
        let mut shown: Vec<(usize, &str)> = Vec::new();
        for (place, variant) in comparison.variants.iter().enumerate() {
            let rows = self.rows.iter().copied();
            let mut present: Vec<&str> = rows.filter(|row| has_values(place, row)).collect();
            if present.is_empty() {
                present.extend(self.rows.first());
            }
            for (at, row) in present.iter().enumerate() {
                shown.push((place, *row));
                first.push(if at == 0 { variant.title() } else { String::new() });
                let flows =
                    self.groups.iter().find(|group| group.name == *row).map_or(0, |group| group.flows.len());
                second.push(if flows > 1 { format!("{row} ({flows})") } else { (*row).to_owned() });
            }
        }
        let key = |at: usize| {
            let column = &comparison.columns[at];
            (&column.title, &column.metric, &column.part, column.statistic, &column.unit)
        };
        let mut keys: Vec<usize> = Vec::new();
        for at in chosen {
            if !keys.iter().any(|known| key(*known) == key(*at)) {
                keys.push(*at);
            }
        }
        let of_row = |like: usize, row: &str| {
            chosen.iter().copied().find(|at| key(*at) == key(like) && comparison.columns[*at].subject == row)
        };
        // Where not all columns fit, each row has its most important one.
        let is_needed = |like: &usize| {
            let first = |row: &&&str| keys.iter().find(|at| of_row(**at, row).is_some());
            self.rows.iter().any(|row| first(&row) == Some(like))
        };
        let column = |like: &usize| {
            let places = shown.iter().map(|(place, row)| (of_row(*like, row), *place)).collect();
            let column = &comparison.columns[*like];
            Cells {
                title: column.title.clone(),
                unit: column.shown_unit().to_owned(),
                is_needed: is_needed(like),
                places,
            }
        };
        let heads = if count > 1 { vec![first, second] } else { vec![second] };
        self.render(heads, keys.iter().map(column).collect(), width, is_all, out)
    }

    /// Renders columns of cells: columns beyond the width continue below, or are left out unless all are asked for.
    fn render(
        &self,
        heads: Vec<Vec<String>>,
        columns: Vec<Cells>,
        width: usize,
        is_all: bool,
        out: &mut Tables,
    ) -> String {
        let mut rendered: Vec<(Vec<String>, bool)> = Vec::new();
        for column in columns {
            let is_needed = column.is_needed;
            let (cells, has_signs) = self.cells(column);
            out.is_marked |= has_signs;
            rendered.push((cells, is_needed));
        }
        // Beside the cells there is a border.
        let start = heads.iter().map(|head| cell_width(head)).sum::<usize>() + 1;
        if !is_all {
            let mut used = start;
            let mut fits = vec![false; rendered.len()];
            for is_turn in [true, false] {
                for (at, (cells, _)) in
                    rendered.iter().enumerate().filter(|(_, (_, is_needed))| *is_needed == is_turn)
                {
                    let is_first = !fits.contains(&true);
                    fits[at] = is_first || used + cell_width(cells) <= width;
                    used += if fits[at] { cell_width(cells) } else { 0 };
                }
            }
            let left = rendered.iter().zip(&fits).filter(|(_, fits)| !**fits);
            out.left_out.extend(left.map(|((cells, _), _)| cells[0].clone()));
            let mut fits = fits.into_iter();
            rendered.retain(|_| fits.next().unwrap_or(false));
        }
        let mut text = String::new();
        let (mut used, mut group): (usize, Vec<&Vec<String>>) = (start, Vec::new());
        for (column, _) in &rendered {
            if !group.is_empty() && used + cell_width(column) > width {
                text.push_str(&table(&heads, &group));
                (used, group) = (start, Vec::new());
            }
            used += cell_width(column);
            group.push(column);
        }
        text + &table(&heads, &group)
    }

    /// The cells of a column, and whether any has a mark.
    fn cells(&self, Cells { title, unit, places, .. }: Cells) -> (Vec<String>, bool) {
        let comparison = self.comparison;
        let mark = |(at, place): &(Option<usize>, usize)| at.and_then(|at| comparison.mark(at, *place));
        let signs: Vec<&str> = places.iter().map(|cell| mark(cell).map_or("", Mark::sign)).collect();
        let has_signs = signs.iter().any(|sign| !sign.is_empty());
        let mut cells = vec![title, unit];
        cells.extend(places.iter().zip(&signs).map(|((at, place), sign)| {
            let value = at.and_then(|at| comparison.value(at, *place));
            let value = value.map_or_else(|| "–".to_owned(), |value| value.text());
            // The digits of a column stay below each other.
            if has_signs { format!("{value} {sign:1}") } else { value }
        }));
        (cells, has_signs)
    }
}

/// A column of a table.
struct Cells {
    title: String,
    unit: String,
    /// Whether a row would have no value without it.
    is_needed: bool,
    /// Of each row, the column of the comparison and the variant.
    places: Vec<(Option<usize>, usize)>,
}

/// Width of a column in characters, with padding and a border.
fn cell_width(cells: &[String]) -> usize {
    cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0) + 3
}

fn table(heads: &[Vec<String>], columns: &[&Vec<String>]) -> String {
    let mut table = new_table();
    let all = || heads.iter().chain(columns.iter().copied());
    let title = |cells: &Vec<String>| match cells[1].is_empty() {
        true => cells[0].clone(),
        false => format!("{}\n{}", cells[0], cells[1]),
    };
    table.set_header(all().map(title));
    for index in 2..heads[0].len() {
        table.add_row(all().map(|cells| &cells[index]));
    }
    align_right(&mut table, heads.len()..heads.len() + columns.len());
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;
    use crate::testing::{self, streaming};

    #[test]
    fn the_first_column_is_what_the_answer_judges_by() {
        let folder = tempfile::tempdir().unwrap();
        let scene = streaming::Scene { loads: 1, ..Default::default() };
        for results in [
            testing::stored(&folder.path().join("bulk"), &["tail-drop", "codel"], 3),
            streaming::stored(&folder.path().join("viewers"), scene, &["newreno", "newcwv"], 3),
        ] {
            let (comparison, found) = (Comparison::of(&results), answer(&results));
            let layout = Layout::of(&results, &comparison, &found.judged);
            let (chosen, _) = layout.chosen(false);
            let first = &comparison.columns[chosen[0]];
            assert!(!found.judged.is_empty(), "{}", found.text());
            assert!(found.judged[0].is_in(first), "{} but first {}", found.text(), first.title);
        }
    }
}
