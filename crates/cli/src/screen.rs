//! Output for people: at most 60 lines, unless they ask for more.

use std::cell::{Cell, RefCell};

use jettison_report::{Fitted, Results, TableOptions, comparison_table, wrapped};

use crate::options::ShowArguments;
use crate::output::{Failure, print, width};

/// Maximum number of lines of a command.
pub const LINES: usize = 60;
/// Lines for what was left out.
const LAST: usize = 2;
/// Maximum number of things left out that are named.
const NAMED: usize = 5;

/// What a command has printed so far.
#[derive(Debug)]
pub struct Screen {
    is_all: bool,
    used: Cell<usize>,
    left_out: RefCell<Vec<String>>,
}

impl Screen {
    /// An empty screen; `is_all` for one without a limit.
    pub fn new(is_all: bool) -> Screen {
        Screen { is_all, used: Cell::new(0), left_out: RefCell::new(Vec::new()) }
    }

    /// Lines that are left if `reserve` lines follow; none for any number.
    pub fn room(&self, reserve: usize) -> Option<usize> {
        (!self.is_all).then(|| (LINES - LAST).saturating_sub(self.used.get() + reserve))
    }

    /// Prints text as it is.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        self.used.set(self.used.get() + text.lines().count());
        print(text)
    }

    /// Prints text, and remembers what it leaves out.
    pub fn print_fitted(&self, fitted: Fitted) -> Result<(), Failure> {
        self.left_out.borrow_mut().extend(fitted.left_out);
        self.print(&fitted.text)
    }

    /// Prints as much of a text as fits in `room` lines.
    pub fn print_cut(&self, text: &str, room: Option<usize>, what: &str) -> Result<(), Failure> {
        self.print_fitted(match room {
            Some(room) => Fitted::cut(text, room, what),
            None => Fitted::whole(text.to_owned()),
        })
    }

    /// Prints the answer and table of results; `reserve` lines follow.
    pub fn comparison(&self, results: &Results, reserve: usize) -> Result<(), Failure> {
        let options = TableOptions { width: width(), lines: self.room(reserve) };
        self.print_fitted(comparison_table(results, &options))
    }

    /// Prints the paths of the results and the report.
    pub fn places(&self, results: &Results) -> Result<(), Failure> {
        let (folder, report) = (results.folder.display(), results.report());
        self.print(&format!("Results: {folder}\nReport:  {}\n", report.display()))
    }

    /// Says what was left out, and how to see it.
    pub fn end(self, how: &str) -> Result<(), Failure> {
        let mut left_out = self.left_out.into_inner();
        // What was cut in the middle (`3 of 8 rows of …`) before what is missing as a whole.
        left_out.sort_by_key(|what| !what.starts_with(|first: char| first.is_ascii_digit()));
        if left_out.is_empty() {
            return Ok(());
        }
        let named = match left_out.len() > NAMED {
            true => format!("{} and {} more", left_out[..NAMED].join(", "), left_out.len() - NAMED),
            false => left_out.join(", "),
        };
        print(wrapped(&format!("Left out: {named}; {how}"), width()))
    }
}

/// Results with what the user wants tables to show.
pub fn with_choice(mut results: Results, show: &ShowArguments) -> Results {
    let report = &mut results.manifest.experiment.report;
    if !show.columns.is_empty() {
        report.columns.clone_from(&show.columns);
    }
    report.flows |= show.flows;
    results
}
