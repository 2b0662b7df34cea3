//! Expands a document into variants: applies overrides in their order of precedence and checks the results.

use std::cell::RefCell;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use crate::baseline::{self, Baseline};
use crate::check::Checker;
use crate::defaults::{fill, queue_names};
use crate::deprecated;
use crate::error::{Place, ScenarioError};
use crate::gauges::NamedGauges;
use crate::input_cache::{FileUse, InputCache, NotCompiled};
use crate::inputs::{Contents, Files, InputHash};
use crate::names::hidden;
use crate::origin::{Origin, Origins};
use crate::overrides::{self, OverrideError};
use crate::p4_program::{P4Program, ProgramSource, read_or_known};
use crate::read;
use crate::registries::{Kind, ReadFile, Registries};
use crate::scenario::Variant;
use crate::schema::{Kinded, Link, LossChoice, Node, P4Router, Settings};
use crate::shorten::{Form, Shortened, shorten};
use crate::source::Document;
use crate::validate::Finding;
use crate::vary::{self, Arm, Axis};
use jettison_link::Share;
use jettison_registry::schema::{Aspect, Branch, Deprecated, Shape, walk};
use jettison_registry::{KeyPath, Step};

/// Keys of a file that no variant has.
const OF_THE_FILE: [&str; 3] = ["vary", "baseline", "quick"];

/// Loads a document, possibly twice (with and without `[quick]`), and collects all errors.
pub(crate) struct Loader<'a> {
    document: &'a Document,
    shape: Shape<'a>,
    registries: &'a Registries,
    inputs: InputCache<'a>,
    /// Files named by the variants so far.
    used: IndexSet<String>,
    /// Gauges named by the variants so far.
    gauges: NamedGauges,
    errors: Vec<ScenarioError>,
    warnings: Vec<ScenarioError>,
}

/// The result of loading.
pub(crate) struct Loaded {
    /// Axes and their labels; `None` if they are wrong.
    pub axes: Option<IndexMap<String, Vec<String>>>,
    pub variants: Vec<Variant>,
    /// The file with all overrides applied.
    pub tree: Value,
    /// What `--quick` shortened without a table.
    pub shortened: Shortened,
}

/// The file with the overrides common to all variants.
struct Base {
    tree: Value,
    origins: Origins,
    /// Values of options, which take precedence over axes: option, path, value.
    pinned: Vec<(String, KeyPath, Value)>,
}

impl Base {
    /// An equivalent scenario file: with the options' values and the remaining axes.
    fn to_tree(&self, axes: &[Axis], put: &dyn Fn(&mut Value, &KeyPath, Value), quick: bool) -> Value {
        let mut tree = self.tree.clone();
        let Some(table) = tree.as_object_mut() else { return tree };
        table.shift_remove("vary");
        if baseline::written(&self.tree).is_some_and(|name| Baseline::named(name, axes).is_err()) {
            table.shift_remove("baseline"); // its axis is pinned
        }
        if quick {
            table.shift_remove("quick");
        }
        let pinned: Vec<(KeyPath, Value)> =
            self.pinned.iter().map(|(_, path, value)| (path.clone(), value.clone())).collect();
        if !axes.is_empty() {
            let entries = axes.iter().map(|axis| axis.to_entry(&self.tree, put, &pinned)).collect();
            table.insert("vary".to_owned(), Value::Array(entries));
        }
        tree
    }
}

/// The result of a check.
struct Checked {
    findings: Vec<Finding>,
    /// The settings, as far as they are readable, and the tree that they were read from.
    read: Option<(Settings, Value)>,
    /// As in [`jettison_registry::schema::Walked`].
    chosen: Vec<(KeyPath, String)>,
    deprecated: Vec<Deprecated>,
    /// Files that it names or that its applications have read.
    files: IndexSet<String>,
}

impl<'a> Loader<'a> {
    pub fn new(
        document: &'a Document,
        schema: &'a Value,
        registries: &'a Registries,
        files: &'a dyn Files,
    ) -> Loader<'a> {
        let inputs = InputCache::new(files);
        Loader {
            document,
            shape: Shape::new(schema),
            registries,
            inputs,
            used: IndexSet::new(),
            gauges: NamedGauges::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The hashes of the input files, in the order of first mention.
    pub fn hashes(&self) -> Vec<InputHash> {
        self.inputs.hashes(&self.used)
    }

    /// The contents of the input files.
    pub fn contents(&self) -> Contents {
        self.inputs.contents(&self.used)
    }

    /// All errors and all warnings of all loads.
    pub fn into_messages(self) -> (Vec<ScenarioError>, Vec<ScenarioError>) {
        (self.errors, self.warnings)
    }

    /// Whether nothing wrong has been found.
    pub fn is_free_of_errors(&self) -> bool {
        self.errors.is_empty()
    }

    /// Loads the document with those `--set` options.
    pub fn load(&mut self, options: &[String], form: Form) -> Loaded {
        let mut base =
            Base { tree: self.document.tree.clone(), origins: Origins::default(), pinned: Vec::new() };
        // The check of a variant removes these keys, so they are checked here.
        let whole = walk(&base.tree, self.shape);
        let outside = |finding: &Finding| {
            let first = finding.path.steps().first();
            matches!(first, Some(Step::Key(key)) if OF_THE_FILE.contains(&key.as_str()))
        };
        let findings: Vec<Finding> = whole.findings.into_iter().map(Finding::from).filter(outside).collect();
        self.report(&findings, &base.origins);
        // Later overrides win: the file, then `[quick]`, then options. Axes come between the last two, per variant.
        if form == Form::Table {
            self.apply_quick(&mut base);
        }
        for option in options {
            self.apply_override(&mut base, option);
        }
        let pinned: Vec<KeyPath> = base.pinned.iter().map(|(_, path, _)| path.clone()).collect();
        let axes = match findings.is_empty() {
            true => vary::read(&base.tree, &pinned),
            false => Err(Vec::new()),
        };
        match axes {
            Ok(axes) => {
                let shortened = self.shorten(&mut base, &axes, form);
                // Failures have been reported when the variants were made.
                let put = |tree: &mut Value, path: &KeyPath, value| drop(self.put(tree, path, value));
                let tree = base.to_tree(&axes, &put, form == Form::Table);
                Loaded { tree, shortened, ..self.variants(&base, &axes) }
            }
            Err(findings) => {
                // The rest of the file is checked nevertheless.
                self.report(&findings, &base.origins);
                self.variants(&base, &[]);
                Loaded {
                    axes: None,
                    variants: Vec::new(),
                    tree: Value::Null,
                    shortened: Shortened::default(),
                }
            }
        }
    }

    fn variants(&mut self, base: &Base, axes: &[Axis]) -> Loaded {
        self.check_replaced(base, axes);
        let mut variants: Vec<Variant> = Vec::new();
        let mut names = IndexSet::new();
        // The name of a variant keys its results and must be unique; labels may contain `,` and `=`.
        for arms in vary::combinations(axes) {
            let labels = axes.iter().zip(&arms).map(|(axis, arm)| (axis.name.clone(), arm.label.clone()));
            let labels: IndexMap<String, String> = labels.collect();
            let name = baseline::variant_name(axes, labels.values().map(String::as_str));
            if !names.insert(name.clone()) {
                let at = KeyPath::root().key("vary");
                let message = format!("variant names must be unique, got `{name}` twice");
                self.report(
                    &[Finding::value(&at, message, "give the values distinct labels")],
                    &base.origins,
                );
            }
            if let Some(variant) = self.variant(base, name, labels, &arms) {
                variants.push(variant);
            }
        }
        self.check_gauges(&variants);
        self.warn_of_equal_variants(&variants);
        if let Some(baseline) = self.baseline(base, axes) {
            baseline.assign(&mut variants);
        }
        let labels = |axis: &Axis| axis.arms.iter().map(|arm| arm.label.clone()).collect();
        let axes = axes.iter().map(|axis| (axis.name.clone(), labels(axis))).collect();
        Loaded { axes: Some(axes), variants, tree: Value::Null, shortened: Shortened::default() }
    }

    /// The baseline of the comparison; `None` if nothing varies.
    ///
    /// An option or `[quick]` may remove the label that the file names, together with its axis: the standard baseline is left.
    fn baseline(&mut self, base: &Base, axes: &[Axis]) -> Option<Baseline> {
        let standard = Baseline::standard(axes);
        let Some(name) = baseline::written(&base.tree) else { return standard };
        let error = match Baseline::named(name, axes) {
            Ok(baseline) => return Some(baseline),
            Err(error) => error,
        };
        let of_file = vary::read(&self.document.tree, &[]).unwrap_or_default();
        if Baseline::named(name, &of_file).is_err() {
            self.report(&[error], &base.origins);
        }
        standard
    }

    /// Checks the file's own values at the paths that axes override, which no variant contains.
    fn check_replaced(&mut self, base: &Base, axes: &[Axis]) {
        let arms = axes.iter().flat_map(|axis| &axis.arms);
        let targets = arms.flat_map(|arm| arm.settings(&base.tree)).map(|setting| setting.target);
        let targets: IndexSet<KeyPath> = targets.filter(|target| target.find(&base.tree).is_some()).collect();
        if targets.is_empty() {
            return;
        }
        let mut tree = base.tree.clone();
        let Checked { mut findings, chosen, .. } = self.check(&mut tree);
        // An error about a whole table may be due to the key that varies.
        let of_a_table = |finding: &Finding, target: &KeyPath| {
            target.starts_with(&finding.path) && chosen.iter().any(|(path, _)| *path == finding.path)
        };
        findings.retain(|finding| {
            targets.iter().any(|target| finding.path.starts_with(target) || of_a_table(finding, target))
        });
        self.report(&findings, &base.origins);
    }

    /// Checks that each named gauge exists in some variant. After errors the components are not known, so the check is
    /// skipped.
    fn check_gauges(&mut self, variants: &[Variant]) {
        let named = std::mem::take(&mut self.gauges);
        if self.errors.is_empty() {
            let contents = self.contents();
            for (finding, origins) in named.unknown(variants, &contents, &self.registries.gauges) {
                self.report(&[finding], origins);
            }
        }
    }

    fn variant(
        &mut self,
        base: &Base,
        name: String,
        labels: IndexMap<String, String>,
        arms: &[&Arm],
    ) -> Option<Variant> {
        let mut tree = base.tree.clone();
        let mut origins = base.origins.clone();
        for arm in arms {
            for setting in arm.settings(&tree) {
                match self.put(&mut tree, &setting.target, setting.value) {
                    Ok(()) => {
                        let value = Origin::File(setting.value_at);
                        origins.record(setting.target, Origin::File(setting.path_at), value);
                    }
                    Err(refusal) => self.refuse(&setting.path_at, refusal, &base.origins),
                }
            }
        }
        for (option, path, value) in base.pinned.iter().filter(|_| !arms.is_empty()) {
            // This succeeded in the base; it fails only if an axis has changed the table around it.
            match self.put(&mut tree, path, value.clone()) {
                Ok(()) => origins.record(
                    path.clone(),
                    Origin::Option(option.clone()),
                    Origin::Option(option.clone()),
                ),
                Err(refusal) => self.errors.push(option_error(option, refusal)),
            }
        }
        let checked = self.check(&mut tree);
        self.report(&checked.findings, &origins);
        for deprecated in &checked.deprecated {
            let place = origins.place(self.document, &deprecated.path, Aspect::Key);
            self.warnings.push(deprecated::warning(&tree, deprecated, place));
        }
        if let Some((settings, _)) = &checked.read {
            self.warn_of_total_loss(settings, &origins);
        }
        let (settings, mut effective) = checked.read.filter(|_| checked.findings.is_empty())?;
        for (path, definition) in &checked.chosen {
            self.fill_chosen(&mut effective, path, definition);
        }
        self.used.extend(checked.files);
        self.gauges.add(&settings, &origins);
        Some(Variant { name, labels, baseline: None, settings, effective, origins })
    }

    /// Warns of links that lose every packet, as `loss = 1` does where 1 % was meant.
    fn warn_of_total_loss(&mut self, settings: &Settings, origins: &Origins) {
        for (name, link) in &settings.links {
            let at = KeyPath::root().key("links").key(name);
            let own = link.reverse.as_ref().and_then(|reverse| reverse.loss.as_ref());
            let written = [(Some(&link.loss), at.key("loss")), (own, at.key("reverse").key("loss"))];
            for (loss, at) in written {
                let Some(LossChoice::Share(share)) = loss else { continue };
                if *share != Share::ONE {
                    continue;
                }
                let place = origins.place(self.document, &at, Aspect::Value);
                let message = format!("`{at}` is 100 %: the link loses every packet");
                let help = Some("for 1 %, write `loss = 0.01` or `loss = \"1 %\"`".to_owned());
                self.warnings.push(ScenarioError { place, message, help });
            }
        }
    }

    /// Warns of variants with equal settings: an option may set what they differ in.
    fn warn_of_equal_variants(&mut self, variants: &[Variant]) {
        let mut seen: IndexMap<String, &str> = IndexMap::new();
        for variant in variants {
            let Some(first) = seen.insert(variant.effective.to_string(), &variant.name) else { continue };
            let at = KeyPath::root().key("vary");
            let place = variant.origins.place(self.document, &at, Aspect::Key);
            let message = format!("variants `{first}` and `{}` have the same settings", variant.name);
            let help = Some("an option, or another axis, sets what they differ in".to_owned());
            return self.warnings.push(ScenarioError { place, message, help });
        }
    }

    /// Checks a tree; removes its axes, its baseline and its `[quick]` table.
    fn check(&mut self, tree: &mut Value) -> Checked {
        if let Some(table) = tree.as_object_mut() {
            OF_THE_FILE.into_iter().for_each(|key| drop(table.shift_remove(key)));
        }
        let walked = walk(tree, self.shape);
        let mut findings: Vec<Finding> = walked.findings.into_iter().map(Finding::from).collect();
        let mut read = read::settings(tree, self.shape, &mut findings);
        let mut unreadable = Vec::new();
        let mut files = IndexSet::new();
        for (path, format) in &walked.formats {
            let Some(file_use) = FileUse::of(format) else { continue };
            let Some(name) = path.find(tree).and_then(Value::as_str) else { continue };
            unreadable.extend(self.check_file(path, name, file_use));
            files.insert(name.to_owned());
        }
        // Checks across keys need typed settings, with the contents of files attached.
        if let Some((settings, _)) = &mut read {
            self.read_link_files(settings);
            findings.extend(self.read_programs(settings, &mut files));
            let (more, in_files) = Checker::check(settings, tree, &findings, self.registries);
            findings.extend(more);
            self.errors.extend(in_files);
        }
        for (path, definition) in &walked.chosen {
            // An unreadable file has been reported at its name.
            if !unreadable.iter().any(|finding: &Finding| finding.path.starts_with(path)) {
                findings.extend(self.check_chosen(tree, path, definition, &mut files));
            }
        }
        findings.extend(unreadable);
        Checked { findings, read, chosen: walked.chosen, deprecated: walked.deprecated, files }
    }

    /// Sets the value at `path`. What the path leads into may be a default that the file leaves out. On error the tree is
    /// unchanged.
    fn put(&self, tree: &mut Value, path: &KeyPath, value: Value) -> Result<(), OverrideError> {
        let mut changed = tree.clone();
        overrides::name_default(&mut changed, path, &self.registries.usual_transport.0);
        overrides::put(&mut changed, self.shape, path, value)?;
        *tree = changed;
        Ok(())
    }

    fn apply_quick(&mut self, base: &mut Base) {
        let at = KeyPath::root().key("quick");
        let Some(table) = base.tree.get("quick").and_then(Value::as_object).cloned() else { return };
        for (target, source, value) in overrides::leaves(&base.tree, &table) {
            let place = at.join(source.steps());
            match self.put(&mut base.tree, &target, value) {
                Ok(()) => base.origins.record(target, Origin::File(place.clone()), Origin::File(place)),
                Err(refusal) => self.refuse(&place, refusal, &Origins::default()),
            }
        }
    }

    /// Shortens the runs, except where an option or an axis sets the time or the seeds.
    fn shorten(&self, base: &mut Base, axes: &[Axis], form: Form) -> Shortened {
        if !matches!(form, Form::Shorter | Form::FewerSeeds) {
            return Shortened::default();
        }
        let varied: Vec<KeyPath> = axes
            .iter()
            .flat_map(|axis| &axis.arms)
            .flat_map(|arm| arm.settings(&base.tree))
            .map(|setting| setting.target)
            .collect();
        let set: Vec<KeyPath> = base.pinned.iter().map(|(_, path, _)| path.clone()).chain(varied).collect();
        let held = |key: &str| set.iter().any(|path| *path == KeyPath::root().key(key));
        let shortened = shorten(&mut base.tree, form, &held);
        for path in shortened.paths() {
            let origin = Origin::Option("--quick".to_owned());
            base.origins.record(path, origin.clone(), origin);
        }
        shortened
    }

    fn apply_override(&mut self, base: &mut Base, option: &str) {
        let shown = format!("--set {option}");
        let applied = overrides::read_option(option).and_then(|(path, value)| {
            let first = path.prefix(1);
            if first.last_key() == "quick" {
                return Err(OverrideError {
                    message: "`quick` cannot be set: it only holds values of other keys".to_owned(),
                    help: "set those keys".to_owned(),
                });
            }
            self.put(&mut base.tree, &path, value.clone())?;
            Ok((path, value))
        });
        match applied {
            Ok((path, value)) => {
                let origin = Origin::Option(shown.clone());
                base.origins.record(path.clone(), origin.clone(), origin);
                // An option that changes an axis is not pinned: its value is in the tree that the axes are read from.
                if path.prefix(1).last_key() != "vary" {
                    base.pinned.push((shown, path, value));
                }
            }
            Err(refusal) => self.errors.push(option_error(&shown, refusal)),
        }
    }

    /// Checks that the registry entry can be built from the table at `path`.
    fn check_chosen(
        &self,
        tree: &Value,
        path: &KeyPath,
        definition: &str,
        files: &mut IndexSet<String>,
    ) -> Option<Finding> {
        let value = path.find(tree)?;
        let named = || value.as_str().is_some_and(|name| queue_names(tree).iter().any(|queue| queue == name));
        if definition == "queue" && named() {
            // A [queues] entry is checked at its own table.
            return None;
        }
        let kinded = Kinded::from_value(value)?;
        let kind = self.kind(definition, &kinded.kind)?;
        let asked = RefCell::new(files);
        let read = |name: &str| {
            asked.borrow_mut().insert(name.to_owned());
            self.inputs.content(name).map_err(|message| format!("{message}; {}", self.inputs.advice()))
        };
        let error = (kind.check)(&kinded.parameters, ReadFile(&read)).err()?;
        Some(Finding::built(tree, path, &error))
    }

    /// Fills in the defaults of the entry at `path`, unless it cannot be built with them (some keys exclude each
    /// other).
    fn fill_chosen(&self, effective: &mut Value, path: &KeyPath, definition: &str) -> Option<()> {
        let definitions = self.shape.schema.get("$defs")?;
        let mut filled = path.find(effective)?.clone();
        let Branch::One(branch) = self.shape.at(definitions.get(definition)?).branch_for(&filled) else {
            return None;
        };
        deprecated::upgrade(&mut filled, branch);
        fill(&mut filled, branch, &[]);
        let kinded = Kinded::from_value(&filled).filter(|_| filled.is_object())?;
        let read = |name: &str| self.inputs.content(name);
        (self.kind(definition, &kinded.kind)?.check)(&kinded.parameters, ReadFile(&read)).ok()?;
        *path.find_mut(effective)? = filled;
        Some(())
    }

    fn kind(&self, definition: &str, id: &str) -> Option<&Kind> {
        match definition {
            "queue" | "queue-table" => self.registries.queue(id),
            "transport" => self.registries.transports.kind(id),
            "application" => self.registries.applications.kind(id),
            _ => None,
        }
    }

    /// Checks that the file can be read; errors in a trace or profile are reported at their line in that file.
    fn check_file(&mut self, path: &KeyPath, name: &str, file_use: FileUse) -> Option<Finding> {
        if let Some(problem) = hidden(name) {
            return Some(Finding::value(path, format!("`{path}` must {problem}"), "rename the file"));
        }
        let content = match self.inputs.content(name) {
            Ok(content) => content,
            Err(message) => return Some(Finding::value(path, message, self.inputs.advice())),
        };
        // Errors in a file have their place there.
        self.errors.extend(match file_use {
            FileUse::Trace => self.inputs.check_trace(name, &content, &self.registries.trace),
            FileUse::Profile => self.inputs.profile(name, &content).err(),
            FileUse::Distribution => self.inputs.distribution(name, &content).err(),
            // Other keys determine the format of a cell's file: `read_link_files` checks it.
            FileUse::Cell | FileUse::Input => None,
        });
        None
    }

    /// Attaches the valid profiles and grants to the links that name them.
    fn read_link_files(&mut self, settings: &mut Settings) {
        for cell in settings.links.values_mut().flat_map(Link::cells_mut) {
            // An unreadable file has been reported at its name.
            let Ok(content) = self.inputs.content(&cell.file.file) else { continue };
            match self.inputs.grants(&cell.file, &content) {
                Ok(grants) => cell.read = Some(grants),
                Err(error) => self.errors.push(error),
            }
        }
        for jitter in settings.links.values_mut().flat_map(Link::jitters_mut) {
            let Some(file) = jitter.table.clone() else { continue };
            let content = self.inputs.content(&file).ok();
            jitter.read = content.and_then(|content| self.inputs.distribution(&file, &content).ok());
        }
        for profile in settings.links.values_mut().flat_map(Link::profiles_mut) {
            let content = self.inputs.content(&profile.file).ok();
            profile.read = content.and_then(|content| self.inputs.profile(&profile.file, &content).ok());
        }
    }

    /// Compiles the programs of P4 routers and reads their files of commands. Errors in a file have their place there; the
    /// findings returned are of unreadable files.
    fn read_programs(&mut self, settings: &mut Settings, files: &mut IndexSet<String>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (name, node) in &mut settings.nodes {
            let Node::P4(router) = node else { continue };
            let at = KeyPath::root().key("nodes").key(name);
            let unreadable = |key, message| Finding::value(&at.key(key), message, self.inputs.advice());
            let P4Router { program, include, define, target, .. } = &**router;
            if program.is_empty() {
                // The schema check has reported it.
                continue;
            }
            let source = ProgramSource {
                program: program.clone(),
                include: include.clone(),
                define: define.clone(),
                target: (*target).into(),
            };
            let compiled = self.inputs.program(&source);
            files.extend(compiled.files);
            let program = match compiled.program {
                Ok(program) => program,
                Err(NotCompiled::Unreadable(message)) => {
                    findings.push(unreadable("program", message));
                    continue;
                }
                Err(NotCompiled::Wrong(errors)) => {
                    self.errors.extend(errors);
                    continue;
                }
            };
            let mut text = |file: &str| match jettison_p4_front::library::program(file) {
                Some((_, text)) => Ok((file.into(), text.into())),
                None => read_or_known(file, ReadFile(&|name| self.inputs.content(name))).map(|content| {
                    files.insert(file.to_owned());
                    (self.inputs.display(file).into(), String::from_utf8_lossy(&content).into())
                }),
            };
            let mut read = |key: &'static str, file: Option<&str>| {
                file.map(&mut text).transpose().unwrap_or_else(|message| {
                    findings.push(unreadable(key, message));
                    None
                })
            };
            let commands = read("commands", router.commands.as_deref());
            let entities = read("entities", router.entities.as_deref());
            router.read = Some(P4Program { program, commands, entities });
        }
        findings
    }

    fn refuse(&mut self, at: &KeyPath, refusal: OverrideError, origins: &Origins) {
        self.report(&[Finding::value(at, refusal.message, refusal.help)], origins);
    }

    fn report(&mut self, findings: &[Finding], origins: &Origins) {
        for finding in findings {
            let place = origins.place(self.document, &finding.path, finding.aspect);
            let (message, help) = (finding.message.clone(), finding.help.clone());
            self.errors.push(ScenarioError { place, message, help });
        }
    }
}

fn option_error(option: &str, refusal: OverrideError) -> ScenarioError {
    ScenarioError {
        place: Place::Option(option.to_owned()),
        message: refusal.message,
        help: Some(refusal.help),
    }
}
