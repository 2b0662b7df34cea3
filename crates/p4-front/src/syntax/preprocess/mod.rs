//! C preprocessor on tokens.
//!
//! The input is a stack of frames: the main file, its includes, and macro replacements. Directives are executed as they
//! are reached. Include depth and the number of processed tokens are bounded.

mod condition;
mod directive;
mod include;
mod macros;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::macros::Macro;
use super::lexer::lex;
use super::token::{Interner, Symbol, Token, TokenKind};
use super::{MAX_ERRORS, Options};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};

/// Maximum nesting depth of includes, and of macro arguments.
const MAX_DEPTH: usize = 64;

/// Maximum number of tokens processed in all files and macro replacements: far above that of any real program, and
/// about one second of work.
const MAX_WORK: u32 = 10_000_000;

/// Maximum number of tokens of a preprocessed program.
const MAX_TOKENS: usize = 2_000_000;

/// Macros that p4c's driver for BMv2 defines too.
const PREDEFINED: &str = "#define __TARGET_BMV2__\n#define __p4c__ 1\n#define __p4c_version__ \"1.2.5\"\n";

/// A preprocessed program.
pub(super) struct Preprocessed {
    /// Tokens, [`TokenKind::End`] last.
    pub(super) tokens: Vec<Token>,
    /// Texts of the tokens.
    pub(super) interner: Interner,
    /// Errors.
    pub(super) errors: Vec<Diagnostic>,
    /// Warnings.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Executes all directives of a program and expands its macros.
pub(super) fn preprocess(sources: &mut Sources, main: FileId, options: &Options) -> Preprocessed {
    let mut state = Preprocessor::new(sources, options);
    let mut given = String::from(PREDEFINED);
    for (name, value) in &options.defines {
        given.push_str(&format!("#define {name} {value}\n"));
    }
    let command_line = state.sources.add("<command line>", given);
    let mut tokens = Vec::new();
    for file in [command_line, main] {
        state.open(file);
        state.rest(&mut tokens);
    }
    let text = &state.sources.file(main).text;
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    tokens.push(Token {
        kind: TokenKind::End,
        symbol: state.interner.intern(""),
        span: Span { file: main, start: end, end },
        line_start: true,
        space_before: true,
        painted: false,
    });
    let (errors, warnings) = state.diagnostics.into_iter().partition(Diagnostic::is_error);
    Preprocessed { tokens, interner: state.interner, errors, warnings }
}

struct Preprocessor<'a> {
    sources: &'a mut Sources,
    options: &'a Options,
    interner: Interner,
    macros: FxHashMap<Symbol, Rc<Macro>>,
    /// Macros under expansion; they are not expanded again in their own replacement.
    active: FxHashSet<Symbol>,
    frames: Vec<Frame>,
    /// Number of files among the frames, plus macro arguments under expansion.
    depth: usize,
    work: u32,
    lexed: FxHashMap<FileId, Rc<[Token]>>,
    /// File of each include name that has been found.
    found: FxHashMap<String, FileId>,
    /// Offsets of the line starts of each file, for `__LINE__`.
    lines: FxHashMap<FileId, Vec<u32>>,
    diagnostics: Vec<Diagnostic>,
}

/// A source of tokens.
enum Frame {
    File(FileFrame),
    /// A macro's replacement, or tokens put back.
    Tokens {
        tokens: Vec<Token>,
        at: usize,
        of: Option<Symbol>,
    },
}

struct FileFrame {
    tokens: Rc<[Token]>,
    at: usize,
    conditionals: Vec<Conditional>,
}

/// An `#if` without its `#endif` so far.
struct Conditional {
    /// Position of the `#if`.
    opened: Span,
    /// Whether the surrounding text is live.
    parent_live: bool,
    /// Whether one of its branches has been live.
    branch_taken: bool,
    /// Whether the current branch is live.
    live: bool,
    /// Whether `#else` has been seen.
    else_seen: bool,
}

impl FileFrame {
    fn live(&self) -> bool {
        self.conditionals.last().is_none_or(|conditional| conditional.live)
    }
}

impl<'a> Preprocessor<'a> {
    fn new(sources: &'a mut Sources, options: &'a Options) -> Preprocessor<'a> {
        let mut interner = Interner::default();
        let macros = macros::built_in(&mut interner);
        Preprocessor {
            sources,
            options,
            interner,
            macros,
            active: FxHashSet::default(),
            frames: Vec::new(),
            depth: 0,
            work: 0,
            lexed: FxHashMap::default(),
            found: FxHashMap::default(),
            lines: FxHashMap::default(),
            diagnostics: Vec::new(),
        }
    }

    /// Pushes a file onto the stack.
    fn open(&mut self, file: FileId) {
        let tokens = match self.lexed.get(&file) {
            Some(tokens) => tokens.clone(),
            None => {
                let text = self.sources.file(file).text.clone();
                let tokens: Rc<[Token]> = lex(&text, 0, file, &mut self.interner).into();
                self.lexed.insert(file, tokens.clone());
                tokens
            }
        };
        self.depth += 1;
        self.frames.push(Frame::File(FileFrame { tokens, at: 0, conditionals: Vec::new() }));
    }

    /// Reads all remaining tokens, with macros expanded.
    fn rest(&mut self, out: &mut Vec<Token>) {
        while let Some(token) = self.next() {
            if out.len() >= MAX_TOKENS {
                self.stop(
                    token.span,
                    format!("the preprocessed program must have at most {MAX_TOKENS} tokens"),
                );
                return;
            }
            out.push(token);
        }
    }

    /// Reads the next token, with macros expanded.
    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.read()?;
            match self.replace(token) {
                None => {}
                Some(token) => return Some(token),
            }
        }
    }

    /// Reads the next token as written, executing directives on the way.
    fn read(&mut self) -> Option<Token> {
        loop {
            match self.frames.last_mut()? {
                Frame::Tokens { tokens, at, of } => match tokens.get(*at) {
                    Some(&token) => {
                        *at += 1;
                        return self.spend(1, token.span).then_some(token);
                    }
                    None => {
                        if let Some(of) = of.take() {
                            self.active.remove(&of);
                        }
                        self.frames.pop();
                    }
                },
                Frame::File(file) => match file.tokens.get(file.at) {
                    Some(token) if token.kind == TokenKind::Hash && token.line_start => self.directive(),
                    Some(&token) => {
                        file.at += 1;
                        let live = file.live();
                        if !self.spend(1, token.span) {
                            return None;
                        }
                        if live {
                            return Some(self.long_string(token));
                        }
                    }
                    None => self.end_of_file(),
                },
            }
        }
    }

    /// Completes a string that continues on the next lines (§6.4.3.3). This is only known where the token is read: a
    /// quotation mark in a skipped `#if` branch means nothing.
    fn long_string(&mut self, token: Token) -> Token {
        if token.kind != TokenKind::Unknown || !self.text(token).starts_with('"') {
            return token;
        }
        let text = self.sources.file(token.span.file).text.clone();
        let start = token.span.start as usize;
        let mut escaped = false;
        let length = text.as_bytes()[start + 1..].iter().position(|&byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        let Some(length) = length else { return token };
        let end = start + 1 + length + 1;
        // The lexer took the following text for the start of another string.
        let rest = lex(&text, end, token.span.file, &mut self.interner);
        if self.spend((text.len() - end) / 8, token.span)
            && let Some(Frame::File(file)) = self.frames.last_mut()
        {
            (file.tokens, file.at) = (rest.into(), 0);
        }
        Token {
            kind: TokenKind::String,
            symbol: self.interner.intern(&text[start..end]),
            span: Span { end: u32::try_from(end).unwrap_or(u32::MAX), ..token.span },
            ..token
        }
    }

    /// Puts a token back to be read next.
    fn put_back(&mut self, token: Token) {
        self.frames.push(Frame::Tokens { tokens: vec![token], at: 0, of: None });
    }

    /// Expands the macros in a list of tokens, as if nothing followed them.
    fn replaced(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let Some(&first) = tokens.first() else { return tokens };
        if self.depth >= MAX_DEPTH {
            self.stop(first.span, "macro arguments are nested too deep");
            return Vec::new();
        }
        self.depth += 1;
        let parent_live =
            std::mem::replace(&mut self.frames, vec![Frame::Tokens { tokens, at: 0, of: None }]);
        let mut out = Vec::new();
        self.rest(&mut out);
        // After the work limit, reading ends for good.
        if self.work <= MAX_WORK {
            self.frames = parent_live;
        }
        self.depth -= 1;
        out
    }

    fn end_of_file(&mut self) {
        if let Some(Frame::File(file)) = self.frames.pop() {
            self.depth -= 1;
            for open in file.conditionals {
                let text = "unterminated conditional directive";
                self.report(Diagnostic::error(open.opened, text).hint("add `#endif` at its end"));
            }
        }
    }

    /// Charges for work; beyond the limit, reading ends.
    fn spend(&mut self, work: usize, at: Span) -> bool {
        self.work = self.work.saturating_add(u32::try_from(work).unwrap_or(u32::MAX));
        if self.work > MAX_WORK {
            self.stop(at, format!("macros and includes must expand to at most {MAX_WORK} tokens"));
        }
        self.work <= MAX_WORK
    }

    /// Reports a fatal error and ends the input.
    fn stop(&mut self, at: Span, why: impl Into<String>) {
        if self.work < u32::MAX {
            self.diagnostics.push(Diagnostic::error(at, why));
        }
        self.frames.clear();
        self.work = u32::MAX;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn text(&self, token: Token) -> &str {
        self.interner.text(token.symbol)
    }

    /// Line of a position, from 1.
    fn line(&mut self, span: Span) -> usize {
        let sources = &self.sources;
        let lines = self.lines.entry(span.file).or_insert_with(|| {
            let text = &sources.file(span.file).text;
            text.match_indices('\n').map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect()
        });
        lines.partition_point(|&newline| newline < span.start) + 1
    }
}
