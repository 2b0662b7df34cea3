//! `#include`.
//!
//! `<core.p4>`, `<v1model.p4>` and `<psa.p4>` are always the built-in files, so a folder with p4c's includes in `-I` changes
//! nothing. `"core.p4"` is a file next to the including file or in an `-I` folder if one exists, else the built-in
//! file. Any other name is searched next to the including file (only with quotes), then in the `-I` folders in order.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::token::{Token, TokenKind};
use super::{MAX_DEPTH, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::library;
use crate::source::{FileId, Span};

impl Preprocessor<'_> {
    /// Executes `#include`: the file is read next.
    pub(super) fn include(&mut self, rest: &[Token], whole: Span) {
        let written = match self.included_name(rest) {
            Some(name) => Some(name),
            // The name may be a macro.
            None => {
                let replaced = self.replaced(rest.to_vec());
                match replaced.first().map(|token| token.kind) {
                    Some(TokenKind::String) => self.included_name(&replaced),
                    Some(TokenKind::Less) => {
                        let inner = replaced[1..].iter().take_while(|token| token.kind != TokenKind::Greater);
                        Some((inner.map(|token| self.text(*token)).collect(), false))
                    }
                    _ => None,
                }
            }
        };
        let Some((name, quoted)) = written else {
            let hint = "write `#include <core.p4>` or `#include \"headers.p4\"`";
            return self.report(Diagnostic::error(whole, "`#include` requires a file name").hint(hint));
        };
        if self.depth >= MAX_DEPTH {
            let text = format!("includes are nested deeper than {MAX_DEPTH} files at `{name}`");
            let hint =
                "if the file includes itself, add an include guard: `#ifndef X`, `#define X`, …, `#endif`";
            return self.report(Diagnostic::error(whole, text).hint(hint));
        }
        let found = match self.find(&name, quoted, whole.file) {
            Ok(found) => found,
            Err(error) => {
                let text = format!("cannot read `{name}`: {error}");
                return self.report(Diagnostic::error(whole, text));
            }
        };
        match found {
            Some(file) => self.open(file),
            None => self.report(missing(&name, whole)),
        }
    }

    /// File name of an `#include`, and whether it is in quotes.
    fn included_name(&self, tokens: &[Token]) -> Option<(String, bool)> {
        let first = *tokens.first()?;
        match first.kind {
            TokenKind::String => Some((self.text(first).trim_matches('"').to_owned(), true)),
            TokenKind::Less => {
                // Use the source text: as tokens, `a//b` would be a comment and `a-b.p4` several tokens.
                let text = &self.sources.file(first.span.file).text;
                let behind = text.get(first.span.end as usize..)?.split('\n').next()?;
                behind.split_once('>').map(|(name, _)| (name.trim().to_owned(), false))
            }
            _ => None,
        }
    }

    fn find(&mut self, name: &str, quoted: bool, from: FileId) -> io::Result<Option<FileId>> {
        let built_in = library::built_in(name);
        if let (Some(text), false) = (built_in, quoted) {
            return Ok(Some(self.built_in(name, text)));
        }
        let mut places: Vec<PathBuf> = Vec::new();
        let includer = self.sources.file(from).name.clone();
        if quoted && !includer.starts_with('<') {
            places.push(Path::new(&*includer).parent().unwrap_or(Path::new("")).join(name));
        }
        places.extend(self.options.include_dirs.iter().map(|folder| folder.join(name)));
        for place in places {
            let key = place.display().to_string();
            if let Some(&file) = self.found.get(&key) {
                return Ok(Some(file));
            }
            match self.options.loader.load(&place) {
                Ok(text) => {
                    let file = self.sources.add(&*key, text);
                    self.found.insert(key, file);
                    return Ok(Some(file));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(built_in.map(|text| self.built_in(name, text)))
    }

    fn built_in(&mut self, name: &str, text: &'static str) -> FileId {
        let key: Arc<str> = format!("<{name}>").into();
        if let Some(&file) = self.found.get(&*key) {
            return file;
        }
        let file = self.sources.add(key.clone(), text);
        self.found.insert(key.to_string(), file);
        file
    }
}

fn missing(name: &str, whole: Span) -> Diagnostic {
    let hint = match name {
        "pna.p4" | "tna.p4" | "t2na.p4" | "ubpf_model.p4" | "ebpf_model.p4" | "xdp_model.p4" => {
            "the architectures v1model and PSA are supported: `#include <v1model.p4>` or `#include <psa.p4>`"
        }
        _ => {
            "other files than the built-in `core.p4`, `v1model.p4` and `psa.p4` are searched next to the program and in the `-I` folders"
        }
    };
    Diagnostic::error(whole, format!("cannot find the include file `{name}`")).hint(hint)
}
