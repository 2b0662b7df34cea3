//! Comparison of two results, with the differences of their configurations. A file is one of flent's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jettison_report::{FlentError, FlentResults, Mismatch, ReportError, Results, SideBySide};
use tempfile::TempDir;
use thiserror::Error;
use toml::Value;

/// Maximum number of differing settings to list.
const LISTED: usize = 12;

/// An error that prevents a comparison of two results.
#[derive(Debug, Error)]
pub enum CompareError {
    /// Both paths name the same folder.
    #[error("{} is given twice; name the folders of two results", .0.display())]
    SameFolder(PathBuf),
    /// One result cannot be read, or the page cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file is no result of flent.
    #[error(transparent)]
    Flent(#[from] FlentError),
    /// There is no room for a temporary folder.
    #[error("cannot make a temporary folder: {0}; check the disk that TMPDIR is on")]
    Temporary(std::io::Error),
}

/// Two results side by side, with the temporary folders of those that are files.
#[derive(Debug)]
pub struct Compared {
    /// The results.
    pub both: SideBySide,
    /// Removed with this value; the page reads series from them.
    _imports: Vec<TempDir>,
}

/// Reads one of the results: a folder of ours, or a file of flent's, which becomes a folder in `imports`.
fn read(path: &Path, imports: &mut Vec<TempDir>) -> Result<Results, CompareError> {
    if !path.is_file() {
        return Ok(Results::load(path)?);
    }
    let flent = FlentResults::read(path)?;
    let folder = TempDir::new().map_err(CompareError::Temporary)?;
    let mut results = flent.write(&folder.path().join("flent"))?;
    imports.push(folder);
    if !flent.left_out.is_empty() {
        let (file, left_out) = (path.display(), flent.left_out.join(", "));
        results.remarks.push(format!("{file}: no metric corresponds to these series: {left_out}"));
    }
    Ok(results)
}

/// Reads the results `a` and `b` for comparison: folders of ours, or files of flent's.
///
/// # Errors
/// If one of them holds no Jettison results or damaged ones, is a file that flent did not write, or both are the same.
pub fn compare(a: &Path, b: &Path) -> Result<Compared, CompareError> {
    let mut imports = Vec::new();
    let (of_a, of_b) = (read(a, &mut imports)?, read(b, &mut imports)?);
    if let (Ok(one), Ok(other)) = (a.canonicalize(), b.canonicalize())
        && one == other
    {
        return Err(CompareError::SameFolder(a.to_owned()));
    }
    let mut both = SideBySide::of(of_a, of_b);
    both.places = [a.to_owned(), b.to_owned()];
    let [in_a, in_b] = [&both.a, &both.b].map(|results| &results.manifest.experiment.configuration);
    // A file of flent's has no configuration.
    if !in_a.is_empty() && !in_b.is_empty() {
        both.warnings.extend(differing_settings(in_a, in_b));
    }
    Ok(Compared { both, _imports: imports })
}

/// The settings in which two configurations differ, one line each. A scenario's name and description are ignored.
fn differing_settings(a: &str, b: &str) -> Option<Mismatch> {
    if a == b {
        return None;
    }
    let text = "The settings differ".to_owned();
    let (Ok(in_a), Ok(in_b)) = (a.parse::<toml::Table>(), b.parse::<toml::Table>()) else {
        return Some(Mismatch { text, lines: Vec::new() });
    };
    let mut settings: BTreeMap<String, [Option<String>; 2]> = BTreeMap::new();
    for (side, table) in [in_a, in_b].into_iter().enumerate() {
        for (key, value) in table.iter().filter(|(key, _)| !["name", "description"].contains(&key.as_str())) {
            flatten(key, value, &mut |path, value| settings.entry(path).or_default()[side] = Some(value));
        }
    }
    let shown = |value: Option<String>| value.unwrap_or_else(|| "not set".to_owned());
    let mut differing: Vec<_> = settings.into_iter().filter(|(_, [a, b])| a != b).collect();
    // What only one has set is often a default of the other's.
    differing.sort_by_key(|(_, sides)| sides.iter().any(Option::is_none));
    let differing = differing.into_iter();
    let mut lines: Vec<String> =
        differing.map(|(path, [a, b])| format!("{path}: {} | {}", shown(a), shown(b))).collect();
    if lines.len() > LISTED {
        let more = lines.len() - LISTED;
        lines.truncate(LISTED);
        lines.push(format!("and {more} more"));
    }
    (!lines.is_empty()).then_some(Mismatch { text, lines })
}

/// Calls `take` for each value below `value`, with the path of its keys.
fn flatten(path: &str, value: &Value, take: &mut impl FnMut(String, String)) {
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, take))
        }
        Value::Array(items) if items.iter().any(Value::is_table) => {
            items.iter().enumerate().for_each(|(i, item)| flatten(&format!("{path}[{i}]"), item, take));
        }
        other => take(path.to_owned(), other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use jettison_report::{Experiment, Failure, Mode, RunKey, Variant, Writer, WriterOptions};

    use super::*;

    /// Results of an experiment whose only run failed, with that configuration.
    fn stored(folder: &Path, mode: Mode, configuration: &str) -> Results {
        let experiment = Experiment {
            name: "small".to_owned(),
            description: String::new(),
            mode,
            duration: Duration::from_secs(1),
            warm_up: Duration::ZERO,
            variants: vec![Variant { name: "base".to_owned(), labels: Default::default(), baseline: None }],
            seeds: vec![1],
            inputs: Vec::new(),
            bottleneck: None,
            report: Default::default(),
            figures: Vec::new(),
            styles: Default::default(),
            configuration: configuration.to_owned(),
        };
        let mut writer =
            Writer::create(folder, experiment, WriterOptions::default()).expect("the folder is new");
        let key = RunKey { variant: "base".to_owned(), seed: 1 };
        let failure = Failure { at: None, what: "made up".to_owned(), status: None };
        writer.add_failure(&key, failure).expect("the run is the experiment's");
        writer.finish(Default::default()).expect("the folder can be written")
    }

    #[test]
    fn a_simulated_and_a_live_result_of_one_scenario_need_no_warning() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        stored(&a, Mode::Simulated, "name = \"small\"\nseeds = 1\n");
        stored(&b, Mode::Live, "# Variant base\nseeds = 1\nname = \"small\"\n");
        let both = compare(&a, &b).unwrap().both;
        assert_eq!(both.warnings, []);
        assert_eq!((both.pairs.len(), both.rows.len()), (1, 0));
    }

    #[test]
    fn what_is_no_folder_of_ours_or_the_same_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let a = folder.path().join("a");
        stored(&a, Mode::Simulated, "");
        let again = folder.path().join("./a/../a");
        let error = compare(&a, &again).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{} is given twice; name the folders of two results", a.display())
        );
        for (one, other) in [(a.as_path(), folder.path()), (folder.path(), a.as_path())] {
            let error = compare(one, other).unwrap_err().to_string();
            assert!(error.contains("holds no Jettison results"), "{error}");
        }
    }

    #[test]
    fn settings_that_differ_are_listed_by_their_path() {
        let a = "seeds = [1, 2]\n[links.up]\nrate = \"5 Mbit/s\"\nqueue = { kind = \"codel\" }\n[[vary]]\npath = \"x\"\n";
        let b = "seeds = [1]\n[links.up]\nrate = \"5 Mbit/s\"\ndelay = \"4 ms\"\nqueue = { kind = \"red\" }\n[[vary]]\npath = \"y\"\n";
        let warning = differing_settings(a, b).unwrap();
        assert_eq!(
            warning.lines,
            [
                "links.up.queue.kind: \"codel\" | \"red\"",
                "seeds: [1, 2] | [1]",
                "vary[0].path: \"x\" | \"y\"",
                "links.up.delay: not set | \"4 ms\"",
            ]
        );
    }

    #[test]
    fn many_differing_settings_are_counted() {
        let table = |value: u32| (0..30).map(|i| format!("k{i:02} = {value}\n")).collect::<String>();
        let warning = differing_settings(&table(1), &table(2)).unwrap();
        assert_eq!(warning.lines.len(), LISTED + 1);
        assert_eq!(
            (warning.lines[0].as_str(), warning.lines[LISTED].as_str()),
            ("k00: 1 | 2", "and 18 more")
        );
        assert_eq!(differing_settings("name = 1", "name = 2\ndescription = \"x\""), None);
        assert!(differing_settings("not toml", "").is_some_and(|warning| warning.lines.is_empty()));
    }
}
