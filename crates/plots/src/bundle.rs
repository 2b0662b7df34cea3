//! Makes one classic script of modules, for a page in a single file: a browser loads no module from a file.
//!
//! Each module becomes a function that returns its exports. The modules use few forms of imports and exports, each on one line.

use std::fmt::Write;

/// A module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// Path with `/`, relative to a common folder.
    pub path: &'static str,
    /// Its source.
    pub source: &'static str,
}

/// One script of the modules that `entry` needs, itself last.
///
/// # Panics
/// If a module is missing, imports itself through others, or has an import or export of another form: the modules are embedded, and a
/// test bundles them.
pub fn bundle(modules: &[Module], entry: &str) -> String {
    let mut bundle = Bundle { modules, done: Vec::new(), open: Vec::new(), out: String::new() };
    bundle.out.push_str("(() => {\n\"use strict\";\nconst modules = {};\n");
    bundle.add(entry);
    bundle.out.push_str("})();\n");
    bundle.out
}

struct Bundle<'a> {
    modules: &'a [Module],
    done: Vec<String>,
    open: Vec<String>,
    out: String,
}

impl Bundle<'_> {
    fn add(&mut self, path: &str) {
        if self.done.iter().any(|done| done == path) {
            return;
        }
        assert!(!self.open.iter().any(|open| open == path), "{path} imports itself");
        let module = self.modules.iter().find(|module| module.path == path);
        let source = module.unwrap_or_else(|| panic!("no module {path}")).source;
        self.open.push(path.to_owned());
        let mut body = String::new();
        let mut exports = Vec::new();
        for line in source.lines() {
            if let Some(import) = line.strip_prefix("import ") {
                let (names, from) = import
                    .strip_suffix("\";")
                    .and_then(|import| import.split_once(" from \""))
                    .unwrap_or_else(|| panic!("{path}: {line}"));
                let from = resolved(path, from);
                self.add(&from);
                let names = names.strip_prefix("* as ").unwrap_or(names);
                let _ = writeln!(body, "const {names} = modules[{from:?}];");
            } else if let Some(declared) = line.strip_prefix("export ") {
                if declared == "{};" {
                    continue;
                }
                let mut words = declared.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                let kind = words.next().unwrap_or_default();
                assert!(["class", "const", "function"].contains(&kind), "{path}: {line}");
                exports.push(words.next().unwrap_or_default().to_owned());
                body.push_str(declared);
                body.push('\n');
            } else if !line.trim_start().starts_with("//") {
                body.push_str(line);
                body.push('\n');
            }
        }
        let _ = writeln!(
            self.out,
            "modules[{path:?}] = (() => {{\n{}return {{ {} }};\n}})();",
            without_comments(&body),
            exports.join(", ")
        );
        self.open.pop();
        self.done.push(path.to_owned());
    }
}

/// The path of a module as another imports it.
fn resolved(importer: &str, from: &str) -> String {
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The source without comments that begin a line, which hold types: a reader of the page does not need them.
fn without_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut is_comment = false;
    for line in source.lines() {
        let trimmed = line.trim_start();
        is_comment |= trimmed.starts_with("/**") && !trimmed.trim_end_matches("*/").contains("*/");
        if !is_comment && !trimmed.is_empty() {
            out.push_str(trimmed);
            out.push('\n');
        }
        if line.trim_end().ends_with("*/") {
            is_comment = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULES: &[Module] = &[
        Module {
            path: "page/main.js",
            source: "// Head.\nimport { add } from \"../lib/add.js\";\nimport * as format from \"../lib/format.js\";\n\
                     /**\n * @param {number} x\n */\nformat.show(add(1, 2));\n",
        },
        Module {
            path: "lib/add.js",
            source: "import { show } from \"./format.js\";\nexport function add(a, b) {\n  show(a);\n  return a + b;\n}\n",
        },
        Module {
            path: "lib/format.js",
            source: "export const show = (x) => x;\nexport class Wide {}\nexport {};\n",
        },
        Module { path: "lib/unused.js", source: "export const secret = 1;\n" },
    ];

    #[test]
    fn modules_come_before_those_that_import_them() {
        let script = bundle(MODULES, "page/main.js");
        let place = |text: &str| script.find(text).unwrap_or_else(|| panic!("no {text} in {script}"));
        let order = [
            "modules[\"lib/format.js\"] = (() => {\nconst show",
            "return { show, Wide };",
            "const { show } = modules[\"lib/format.js\"];\nfunction add",
            "return { add };",
            "const format = modules[\"lib/format.js\"];\nformat.show(add(1, 2));",
        ];
        assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{script}");
        assert_eq!(script.matches("const show =").count(), 1);
        assert!(!script.contains("secret") && !script.contains("@param") && !script.contains("Head."));
    }

    #[test]
    fn a_cycle_and_a_missing_module_are_faults() {
        let cycle = [
            Module { path: "a.js", source: "import { b } from \"./b.js\";\n" },
            Module { path: "b.js", source: "import { a } from \"./a.js\";\n" },
        ];
        assert!(std::panic::catch_unwind(|| bundle(&cycle, "a.js")).is_err());
        assert!(std::panic::catch_unwind(|| bundle(&cycle[..1], "a.js")).is_err());
    }

    #[test]
    fn comments_of_types_are_left_out() {
        let source = "/** @type {number} */\nlet a = 1;\nconst b = /** @type {any} */ (a);\n/**\n * Long.\n */\ncall(); /* kept */\n";
        assert_eq!(
            without_comments(source),
            "let a = 1;\nconst b = /** @type {any} */ (a);\ncall(); /* kept */\n"
        );
    }
}
