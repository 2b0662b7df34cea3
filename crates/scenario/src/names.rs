//! Names: of the scenario, its objects, axes, labels and files.
//!
//! Names become parts of paths of results, keys of tables and lines on terminals, so that their characters and lengths are
//! limited.

use jettison_input::text::first_hidden;

/// Maximum length of the name of an object (node, queue, link, flow), of an axis, and of a folder in the scenario's name.
pub(crate) const LONGEST_NAME: usize = 100;
/// Maximum length of a label, in characters.
pub(crate) const LONGEST_LABEL: usize = 200;
/// Maximum length of the scenario's name with its folders.
pub(crate) const LONGEST_PATH: usize = 250;

/// Whether a name is usable in results, file names and dotted paths.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(fits)
}

/// The rest of `… must …` for a name that is too long.
pub(crate) fn too_long(name: &str, longest: usize) -> Option<String> {
    let length = name.chars().count();
    (length > longest).then(|| format!("have at most {longest} characters, got {length}"))
}

/// The rest of `… must …` for a text with a character that is not shown as itself.
pub(crate) fn hidden(text: &str) -> Option<String> {
    let found = first_hidden(text)?;
    Some(format!("have no control or invisible characters, got U+{:04X}", u32::from(found)))
}

/// The rest of `… must …` for a text that cannot be the name of an axis or a label.
pub(crate) fn wrong_label(text: &str, longest: usize) -> Option<String> {
    hidden(text).or_else(|| too_long(text, longest))
}
