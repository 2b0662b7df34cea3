//! Layout of the variants in the matrices of a comparison.

use indexmap::IndexSet;

use crate::model::{Experiment, Variant};

/// Maximum number of variants shown as a list.
const LIST: usize = 20;
/// Maximum number of combinations of the further axes (from the third on) with a matrix each; beyond it, one matrix
/// shows means over them.
const MOST_SLICES: usize = 6;
/// Maximum number of combinations of the further axes with columns in one large matrix beside that.
const MOST_COLUMNS: usize = 24;

/// The matrices for each metric.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The first axis against the second: one grid, or one per combination of the further axes.
    pub grids: Vec<Grid>,
    /// Scope of the means if the grid shows means over the further axes, such as `12 values of profile`.
    pub means_over: Option<String>,
    /// All variants in that case, if not too wide: one column per combination of the further axes, and one for their
    /// mean.
    pub whole: Option<Grid>,
}

/// Places of the variants in one matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    /// Labels that all variants share, such as `load: 5`; empty if none.
    pub title: String,
    /// Name of the axis whose values are the rows.
    pub row_axis: String,
    /// Name of the axis whose values are the columns.
    pub column_axis: String,
    /// Values of that axis.
    pub columns: Vec<String>,
    /// Name of the axis whose values are the groups of rows; empty if there is one group.
    pub group_axis: String,
    /// The groups in order.
    pub groups: Vec<Group>,
}

/// A group of rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Label that the rows share; empty if there is one group only.
    pub title: String,
    /// The rows in order.
    pub rows: Vec<Row>,
}

/// A row of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Heading.
    pub title: String,
    /// Indices of the variants whose mean is in each column: usually one; empty for an empty cell.
    pub cells: Vec<Vec<usize>>,
}

impl Grid {
    /// All rows of all groups.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

/// The layout of the variants; `None` if there are few variants or fewer than two axes.
pub(crate) fn layout(experiment: &Experiment) -> Option<Layout> {
    let variants = &experiment.variants;
    let axes: Vec<&str> = variants.first()?.labels.keys().map(String::as_str).collect();
    let is_alike = |variant: &Variant| variant.labels.keys().eq(axes.iter().copied());
    let [rows, columns, further @ ..] = axes.as_slice() else { return None };
    if variants.len() <= LIST || !variants.iter().all(is_alike) {
        return None;
    }
    let places = Places::of(variants, rows, columns, further);
    if places.rows.len() < 2 || places.columns.len() < 2 {
        return None;
    }
    let combinations = places.combinations.len();
    if combinations <= MOST_SLICES {
        let grids = (0..combinations).map(|at| places.slice(at)).collect();
        return Some(Layout { grids, means_over: None, whole: None });
    }
    let means_over = match further {
        [only] => format!("{combinations} values of {only}"),
        _ => format!("{combinations} combinations of {}", further.join(", ")),
    };
    let whole = (combinations <= MOST_COLUMNS).then(|| places.whole());
    let grids = vec![places.means(format!("mean over {means_over}"))];
    Some(Layout { grids, means_over: Some(means_over), whole })
}

/// Places of the variants on the axes.
struct Places<'a> {
    axes: (&'a str, &'a str, &'a [&'a str]),
    rows: IndexSet<&'a str>,
    columns: IndexSet<&'a str>,
    /// Labels on the further axes.
    combinations: IndexSet<Vec<&'a str>>,
    /// Each variant's index on the first axis, on the second, and among the combinations.
    of_variants: Vec<[usize; 3]>,
}

impl<'a> Places<'a> {
    fn of(variants: &'a [Variant], rows: &'a str, columns: &'a str, further: &'a [&'a str]) -> Places<'a> {
        let mut places = Places {
            axes: (rows, columns, further),
            rows: IndexSet::new(),
            columns: IndexSet::new(),
            combinations: IndexSet::new(),
            of_variants: Vec::with_capacity(variants.len()),
        };
        for variant in variants {
            let label = |axis: &str| variant.labels[axis].as_str();
            places.of_variants.push([
                places.rows.insert_full(label(rows)).0,
                places.columns.insert_full(label(columns)).0,
                places.combinations.insert_full(further.iter().map(|axis| label(axis)).collect()).0,
            ]);
        }
        places
    }

    /// The variants at these indices; `None` means all combinations.
    fn variants_at(&self, row: usize, column: usize, combination: Option<usize>) -> Vec<usize> {
        let is_there =
            |[r, c, f]: &[usize; 3]| *r == row && *c == column && combination.is_none_or(|at| at == *f);
        let all = self.of_variants.iter().enumerate();
        all.filter(|(_, places)| is_there(places)).map(|(variant, _)| variant).collect()
    }

    /// The variants whose mean over all combinations represents a row and column; empty if one is missing.
    fn all_at(&self, row: usize, column: usize) -> Vec<usize> {
        let all = self.variants_at(row, column, None);
        if all.len() == self.combinations.len() { all } else { Vec::new() }
    }

    /// The first axis against the second for one combination of the others.
    fn slice(&self, combination: usize) -> Grid {
        let labels = self.axes.2.iter().zip(&self.combinations[combination]);
        let title = labels.map(|(axis, label)| format!("{axis}: {label}")).collect::<Vec<_>>().join(", ");
        self.grid(title, |row, column| self.variants_at(row, column, Some(combination)))
    }

    /// The first axis against the second, with means over all others.
    fn means(&self, title: String) -> Grid {
        self.grid(title, |row, column| self.all_at(row, column))
    }

    fn grid(&self, title: String, cell: impl Fn(usize, usize) -> Vec<usize>) -> Grid {
        let row = |(at, title): (usize, &&str)| Row {
            title: (*title).to_owned(),
            cells: (0..self.columns.len()).map(|column| cell(at, column)).collect(),
        };
        Grid {
            title,
            row_axis: self.axes.0.to_owned(),
            column_axis: self.axes.1.to_owned(),
            columns: self.columns.iter().map(|label| (*label).to_owned()).collect(),
            group_axis: String::new(),
            groups: vec![Group {
                title: String::new(),
                rows: self.rows.iter().enumerate().map(row).collect(),
            }],
        }
    }

    /// One row per pair of values on the first two axes, one column per combination of the others and one for their
    /// mean.
    fn whole(&self) -> Grid {
        let cells = |row: usize, column: usize| -> Vec<Vec<usize>> {
            let each = (0..self.combinations.len()).map(|at| self.variants_at(row, column, Some(at)));
            each.chain([self.all_at(row, column)]).collect()
        };
        let group = |(row, title): (usize, &&str)| Group {
            title: (*title).to_owned(),
            rows: self
                .columns
                .iter()
                .enumerate()
                .map(|(column, title)| Row { title: (*title).to_owned(), cells: cells(row, column) })
                .collect(),
        };
        let titles = self.combinations.iter().map(|labels| labels.join(", "));
        Grid {
            title: String::new(),
            row_axis: self.axes.1.to_owned(),
            column_axis: self.axes.2.join(", "),
            columns: titles.chain(["mean".to_owned()]).collect(),
            group_axis: self.axes.0.to_owned(),
            groups: self.rows.iter().enumerate().map(group).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(axes: &[(&str, usize)]) -> Experiment {
        let mut labels = vec![indexmap::IndexMap::new()];
        for (axis, values) in axes {
            let with = |before: &indexmap::IndexMap<String, String>| {
                let before = before.clone();
                (0..*values).map(move |value| {
                    let mut labels = before.clone();
                    labels.insert((*axis).to_owned(), format!("{axis}{value}"));
                    labels
                })
            };
            labels = labels.iter().flat_map(with).collect();
        }
        let variant = |labels: indexmap::IndexMap<String, String>| Variant {
            name: labels.values().cloned().collect::<Vec<_>>().join(","),
            labels,
            baseline: None,
        };
        Experiment {
            variants: labels.into_iter().map(variant).collect(),
            ..crate::testing::experiment(&[], 1)
        }
    }

    #[test]
    fn two_axes_make_rows_and_columns() {
        let layout = layout(&experiment(&[("queue", 7), ("load", 3)])).unwrap();
        let [grid] = layout.grids.as_slice() else { panic!("{} grids", layout.grids.len()) };
        assert_eq!((grid.row_axis.as_str(), grid.rows().count()), ("queue", 7));
        assert_eq!(grid.columns, ["load0", "load1", "load2"]);
        assert_eq!(grid.rows().last().unwrap().cells, [[18], [19], [20]]);
        assert_eq!((&grid.title, &layout.means_over, &layout.whole), (&String::new(), &None, &None));
    }

    #[test]
    fn up_to_six_combinations_have_a_matrix_each() {
        let three = layout(&experiment(&[("a", 3), ("b", 2), ("c", 6)])).unwrap();
        assert_eq!(three.grids.len(), 6);
        assert_eq!(three.grids[5].title, "c: c5");
        assert_eq!(three.grids[5].rows().next().unwrap().cells, [[5], [11]]);
    }

    #[test]
    fn more_than_six_combinations_make_a_matrix_of_means_and_one_of_all() {
        let layout = layout(&experiment(&[("a", 3), ("b", 2), ("c", 7)])).unwrap();
        assert_eq!(layout.means_over.as_deref(), Some("7 values of c"));
        let [means] = layout.grids.as_slice() else { panic!("{} grids", layout.grids.len()) };
        assert_eq!(means.title, "mean over 7 values of c");
        assert_eq!(means.rows().nth(1).unwrap().cells[0], [14, 15, 16, 17, 18, 19, 20]);
        let whole = layout.whole.unwrap();
        assert_eq!((whole.group_axis.as_str(), whole.row_axis.as_str()), ("a", "b"));
        assert_eq!((whole.columns[0].as_str(), whole.columns[7].as_str()), ("c0", "mean"));
        let titles: Vec<&str> = whole.groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(titles, ["a0", "a1", "a2"]);
        let row = &whole.groups[1].rows[0];
        assert_eq!((row.title.as_str(), &row.cells[..2]), ("b0", [vec![14], vec![15]].as_slice()));
        assert_eq!(row.cells[7], means.rows().nth(1).unwrap().cells[0]);
    }

    #[test]
    fn a_mean_over_fewer_variants_is_left_empty() {
        let mut experiment = experiment(&[("a", 3), ("b", 2), ("c", 7)]);
        experiment.variants.remove(7 + 3);
        let layout = layout(&experiment).unwrap();
        let first = layout.grids[0].rows().next().unwrap();
        assert_eq!(first.cells[0].len(), 7);
        assert!(first.cells[1].is_empty());
        let whole = layout.whole.unwrap();
        let second = &whole.groups[0].rows[1].cells;
        assert!(second[3].is_empty() && second[7].is_empty() && second[2] == [9]);
    }

    #[test]
    fn too_many_for_columns_are_shown_as_means_alone() {
        let layout = layout(&experiment(&[("a", 2), ("b", 2), ("c", 5), ("d", 5)])).unwrap();
        assert_eq!(layout.means_over.as_deref(), Some("25 combinations of c, d"));
        assert_eq!((layout.grids.len(), layout.whole), (1, None));
    }

    #[test]
    fn a_short_list_and_a_single_axis_stay_lists() {
        assert!(layout(&experiment(&[("a", 10), ("b", 2)])).is_none());
        assert!(layout(&experiment(&[("a", 30)])).is_none());
        assert!(layout(&experiment(&[("a", 30), ("b", 1)])).is_none());
    }
}
