//! The page's templates, which hold its HTML, and the scripts and styles that go into it.

use std::fmt::Write;
use std::sync::LazyLock;

use jettison_plots::{Library, MODULES, Module, bundle};
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, Output, State};

use super::escape::escape;
use crate::error::ReportError;

/// Builds a list of names and contents of templates.
macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("templates/", $name)))),*]
    };
}

const TEMPLATES: &[(&str, &str)] = templates![
    "comparison.html",
    "drops.html",
    "events.html",
    "experiment.html",
    "head.html",
    "lateness.html",
    "load.html",
    "macros.html",
    "matrix.html",
    "objects.html",
    "page.html",
    "pictures.html",
    "provenance.html",
    "reproduction.html",
    "side_by_side.html",
    "values.html",
];

/// Builds a list of the page's own modules.
macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        [$(Module {
            path: concat!("report/", $name),
            source: include_str!(concat!("../../../../web/report/", $name)),
        }),*]
    };
}

const PAGE_MODULES: [Module; 5] = modules!["legend.js", "picture.js", "report.js", "rows.js", "spec.js"];

/// Script of the page, in one piece: a page in a file cannot load modules.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let modules: Vec<Module> = MODULES.iter().copied().chain(PAGE_MODULES).collect();
    bundle(&modules, "report/report.js")
});

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(format);
    environment.add_filter("breakable", breakable);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    }
    environment
});

/// The text of a template with these values.
pub(super) fn rendered(template: &str, values: Value) -> Result<String, ReportError> {
    let text = ENVIRONMENT.get_template(template).and_then(|template| template.render(values));
    text.map_err(|error| ReportError::Template(format!("{error:#}")))
}

/// HTML that is already escaped.
pub(super) fn safe(html: String) -> Value {
    Value::from_safe_string(html)
}

/// JSON for a `script` element, whose end it cannot contain.
pub(super) fn json(value: &impl serde::Serialize) -> Result<String, ReportError> {
    let json = serde_json::to_string(value).map_err(|error| ReportError::Template(error.to_string()))?;
    // Names may contain characters that reorder the text around them.
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c if c.is_ascii() || jettison_input::text::is_shown(c) => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    Ok(out)
}

/// Scripts and styles of a page, drawn with `library`.
pub(super) fn assets(library: Library) -> Value {
    minijinja::context! {
        has_library => library.exists(),
        library_script => safe(library.script.to_owned()),
        library_style => safe(library.style.to_owned()),
        script => safe(SCRIPT.clone()),
        style => safe(format!("{}{}", jettison_plots::STYLE, include_str!("../../../../web/report/style.css"))),
    }
}

/// Writes a value, escaped unless it is safe.
fn format(out: &mut Output<'_>, _: &State<'_, '_>, value: &Value) -> Result<(), minijinja::Error> {
    let written = match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(()),
        ValueKind::String if value.is_safe() => out.write_str(value.as_str().unwrap_or_default()),
        _ => out.write_str(&escape(&value.to_string())),
    };
    written.map_err(minijinja::Error::from)
}

/// A heading that may be broken after its punctuation.
fn breakable(text: &str) -> Value {
    let parts: Vec<String> = text.split_inclusive(['-', '+', '_', '/']).map(escape).collect();
    safe(parts.join("<wbr>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html/templates");
        let names = std::fs::read_dir(folder).unwrap();
        let mut files: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let known: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, files);
    }

    #[test]
    fn values_are_escaped_unless_they_are_safe() {
        let mut environment = ENVIRONMENT.clone();
        environment.add_template("test.html", "{{ a }}|{{ b }}|{{ c }}|{{ d|breakable }}").unwrap();
        let values =
            minijinja::context! { a => "<i>\u{202e}", b => safe("<b>".to_owned()), c => 1.5, d => "a<+b" };
        let text = environment.get_template("test.html").unwrap().render(values).unwrap();
        assert_eq!(text, "&lt;i&gt;\\u{202e}|<b>|1.5|a&lt;+<wbr>b");
    }

    #[test]
    fn json_cannot_end_its_element() {
        let text = json(&["</script>", "\u{202e}", "\u{1f600}", "µ"]).unwrap();
        assert_eq!(text, "[\"\\u003c/script\\u003e\",\"\\u202e\",\"\u{1f600}\",\"µ\"]");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap()[0], "</script>");
    }

    #[test]
    fn the_script_holds_all_modules_that_it_needs() {
        for name in ["report/report.js", "report/rows.js", "plots/plot.js", "plots/plain.js"] {
            assert!(SCRIPT.contains(&format!("modules[{name:?}] = ")), "{name}");
        }
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
    }
}
