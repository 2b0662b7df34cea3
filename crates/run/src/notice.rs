//! What a user is told of a run beside its progress.

use std::fmt;
use std::path::PathBuf;

use crate::precision::{Precision, Widest};

/// Something that the user should know, as a sentence without a full stop.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// Some runs were finished earlier.
    Resuming {
        /// Their number.
        found: usize,
        /// The number of all runs.
        all: usize,
    },
    /// The output folder holds the results of exactly these runs.
    Complete(PathBuf),
    /// The output folder held the results of another scenario, which are replaced.
    Replacing {
        /// Name of the other scenario.
        name: String,
        /// The folder.
        folder: PathBuf,
    },
    /// A finished run was damaged and is repeated.
    Damaged {
        /// The variant and seed.
        run: String,
    },
    /// Runs are missing, and the same command does the rest.
    Interrupted {
        /// The number of finished runs.
        kept: usize,
        /// The number of all runs.
        all: usize,
        /// The store.
        store: PathBuf,
    },
    /// The end of the search for enough seeds.
    Precision {
        /// What was asked for.
        wanted: Precision,
        /// The widest interval.
        widest: Widest,
        /// The number of seeds.
        seeds: usize,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Resuming { found, all } => write!(f, "resuming: {found} of {all} runs found"),
            Notice::Complete(folder) => write!(
                f,
                "{} already holds the results of exactly these runs; nothing was run (--force runs them again)",
                folder.display()
            ),
            Notice::Replacing { name, folder } => write!(
                f,
                "replacing the results of another scenario, `{name}`, in {}; --out chooses another folder",
                folder.display()
            ),
            Notice::Damaged { run } => write!(f, "the stored record of {run} is damaged; repeating the run"),
            Notice::Interrupted { kept, all, store } => write!(
                f,
                "{kept} of {all} runs are kept in {}; the same command runs the rest",
                store.display()
            ),
            Notice::Precision { wanted, widest, seeds } => {
                let (limit, share) = (100.0 * wanted.share, 100.0 * widest.share);
                let reached = widest.share <= wanted.share;
                write!(f, "precision of {limit} % of {} ", wanted.name())?;
                f.write_str(if reached { "reached" } else { "not reached" })?;
                write!(f, " with {seeds} seeds")?;
                if !reached {
                    f.write_str(", the limit (--max-seeds)")?;
                }
                match share.is_finite() {
                    true => write!(f, "; the widest interval is ± {share:.2} %")?,
                    false => f.write_str("; there is no interval")?,
                }
                write!(f, " (of {} under {})", widest.object, widest.variant)
            }
        }
    }
}
