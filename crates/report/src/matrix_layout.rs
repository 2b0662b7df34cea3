//! Where each variant stands in the matrices of a comparison.

use indexmap::IndexSet;

use crate::model::{Experiment, Variant};

/// Up to so many variants, the list is as easy to read.
const LIST: usize = 20;
/// With three or more axes there is a matrix for each combination of the further ones, up to so many; with more of them
/// the matrix has the means over them.
const MOST_SLICES: usize = 6;
/// Up to so many combinations of the further axes have columns in one large matrix beside that.
const MOST_COLUMNS: usize = 24;

/// The matrices that each metric has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The first axis against the second: one, or one for each combination of the further axes.
    pub grids: Vec<Grid>,
    /// Where that one has means over the further axes: what over, such as `12 values of profile`.
    pub means_over: Option<String>,
    /// All variants then, if it is not too wide: a column for each combination of the further axes, and one for their
    /// mean.
    pub whole: Option<Grid>,
}

/// The places of the variants in one matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    /// What all of it shares, such as `load: 5`; empty if that is nothing.
    pub title: String,
    /// Name of the axis whose values are the rows.
    pub row_axis: String,
    /// Name of the axis whose values are the columns.
    pub column_axis: String,
    /// Those values.
    pub columns: Vec<String>,
    /// The rows; in one group, or in one for each value of the axis named here.
    pub group_axis: String,
    /// The groups in order.
    pub groups: Vec<Group>,
}

/// Rows that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// What they share; empty if there is one group only.
    pub title: String,
    /// The rows in order.
    pub rows: Vec<Row>,
}

/// One row of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Its heading.
    pub title: String,
    /// The variants, by their places, whose mean stands in each column: mostly one, and none where there is none.
    pub cells: Vec<Vec<usize>>,
}

impl Grid {
    /// All rows, whatever their group.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

/// How the variants stand in matrices; `None` if there are few, or fewer than two axes.
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

/// Where the variants stand on the axes.
struct Places<'a> {
    axes: (&'a str, &'a str, &'a [&'a str]),
    rows: IndexSet<&'a str>,
    columns: IndexSet<&'a str>,
    /// Values on the further axes.
    combinations: IndexSet<Vec<&'a str>>,
    /// Of each variant, its place on the first axis, on the second, and among the combinations.
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

    /// The variants at those places, on the axes that are named.
    fn variants_at(&self, row: usize, column: usize, combination: Option<usize>) -> Vec<usize> {
        let is_there =
            |[r, c, f]: &[usize; 3]| *r == row && *c == column && combination.is_none_or(|at| at == *f);
        let all = self.of_variants.iter().enumerate();
        all.filter(|(_, places)| is_there(places)).map(|(variant, _)| variant).collect()
    }

    /// The variants whose mean over all combinations can stand for that row and column: none if one is missing.
    fn all_at(&self, row: usize, column: usize) -> Vec<usize> {
        let all = self.variants_at(row, column, None);
        if all.len() == self.combinations.len() { all } else { Vec::new() }
    }

    /// The first axis against the second under one combination of the others.
    fn slice(&self, combination: usize) -> Grid {
        let labels = self.axes.2.iter().zip(&self.combinations[combination]);
        let title = labels.map(|(axis, label)| format!("{axis}: {label}")).collect::<Vec<_>>().join(", ");
        self.grid(title, |row, column| self.variants_at(row, column, Some(combination)))
    }

    /// The first axis against the second, with the means over all others.
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

    /// A row for each pair of values on the first two axes, a column for each combination of the others and for their
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
    fn further_axes_make_a_matrix_each_up_to_six() {
        let three = layout(&experiment(&[("a", 3), ("b", 2), ("c", 6)])).unwrap();
        assert_eq!(three.grids.len(), 6);
        assert_eq!(three.grids[5].title, "c: c5");
        assert_eq!(three.grids[5].rows().next().unwrap().cells, [[5], [11]]);
    }

    #[test]
    fn more_than_six_make_one_of_their_means_and_one_of_all() {
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
    fn a_mean_over_fewer_than_the_others_is_none() {
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
