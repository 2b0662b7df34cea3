//! The C preprocessor, on tokens.
//!
//! A stack of frames is read: the main file, what it includes, and what macros stand for. Directives are obeyed as
//! they are met. Everything that may grow (depth of includes, tokens gone through) is bounded.

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
use super::{MOST_ERRORS, Options};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};

/// How deep includes may be nested, and macros' arguments.
const DEEPEST: usize = 64;

/// The most tokens gone through, in all files and all that macros stand for: far more than any program has, and a
/// second's work.
const MOST_WORK: u32 = 10_000_000;

/// The most tokens of a program.
const MOST_TOKENS: usize = 2_000_000;

/// What p4c's driver for BMv2 defines as well.
const PREDEFINED: &str = "#define __TARGET_BMV2__\n#define __p4c__ 1\n#define __p4c_version__ \"1.2.5\"\n";

/// What is left of a program.
pub(super) struct Preprocessed {
    /// Its tokens, [`TokenKind::End`] last.
    pub(super) tokens: Vec<Token>,
    /// Their texts.
    pub(super) interner: Interner,
    /// Errors.
    pub(super) errors: Vec<Diagnostic>,
    /// Warnings.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Obeys all directives of a program and replaces its macros.
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
    /// The macros that are being replaced: they stay as they are in what they stand for.
    active: FxHashSet<Symbol>,
    frames: Vec<Frame>,
    /// Number of files among the frames, and of macros' arguments that are being replaced.
    depth: usize,
    work: u32,
    lexed: FxHashMap<FileId, Rc<[Token]>>,
    /// The file of each name that an include was found under.
    found: FxHashMap<String, FileId>,
    /// Where the lines of a file start, for `__LINE__`.
    lines: FxHashMap<FileId, Vec<u32>>,
    diagnostics: Vec<Diagnostic>,
}

/// What is being read.
enum Frame {
    File(FileFrame),
    /// What a macro stands for, or tokens put back.
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

/// An `#if` whose `#endif` is to come.
struct Conditional {
    /// Where it starts.
    opened: Span,
    /// Whether what is around it is read.
    outer: bool,
    /// Whether one of its branches was read, or is.
    taken: bool,
    /// Whether this branch is read.
    live: bool,
    /// Whether `#else` was met.
    last: bool,
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

    /// Goes on with a file.
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

    /// All that is still to be read, with macros replaced.
    fn rest(&mut self, out: &mut Vec<Token>) {
        while let Some(token) = self.next() {
            if out.len() >= MOST_TOKENS {
                self.stop(token.span, format!("the program has more than {MOST_TOKENS} tokens"));
                return;
            }
            out.push(token);
        }
    }

    /// The next token that no macro stands for.
    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.read()?;
            match self.replace(token) {
                None => {}
                Some(token) => return Some(token),
            }
        }
    }

    /// The next token as written. Obeys the directives on the way.
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

    /// A string may go on in the next lines (§6.4.3.3). Only where it is read is that known: a quotation mark in a
    /// part that `#if` leaves out means nothing.
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
        // What follows was taken for the start of another string.
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

    /// Puts a token back, so that it is read next.
    fn put_back(&mut self, token: Token) {
        self.frames.push(Frame::Tokens { tokens: vec![token], at: 0, of: None });
    }

    /// All of these tokens with macros replaced, as if nothing followed them.
    fn replaced(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let Some(&first) = tokens.first() else { return tokens };
        if self.depth >= DEEPEST {
            self.stop(first.span, "macros are used too deep in each other's arguments");
            return Vec::new();
        }
        self.depth += 1;
        let outer = std::mem::replace(&mut self.frames, vec![Frame::Tokens { tokens, at: 0, of: None }]);
        let mut out = Vec::new();
        self.rest(&mut out);
        // Where something stopped everything, it is stopped for good.
        if self.work <= MOST_WORK {
            self.frames = outer;
        }
        self.depth -= 1;
        out
    }

    fn end_of_file(&mut self) {
        if let Some(Frame::File(file)) = self.frames.pop() {
            self.depth -= 1;
            for open in file.conditionals {
                let text = "this condition has no `#endif`";
                self.report(Diagnostic::error(open.opened, text).hint("write `#endif` where it ends"));
            }
        }
    }

    /// Counts work; past the bound nothing more is read.
    fn spend(&mut self, work: usize, at: Span) -> bool {
        self.work = self.work.saturating_add(u32::try_from(work).unwrap_or(u32::MAX));
        if self.work > MOST_WORK {
            self.stop(at, format!("macros and includes give more than {MOST_WORK} tokens"));
        }
        self.work <= MOST_WORK
    }

    /// Reports what makes it senseless to go on, and ends the text here.
    fn stop(&mut self, at: Span, why: impl Into<String>) {
        if self.work < u32::MAX {
            self.diagnostics.push(Diagnostic::error(at, why));
        }
        self.frames.clear();
        self.work = u32::MAX;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn text(&self, token: Token) -> &str {
        self.interner.text(token.symbol)
    }

    /// The line of a place, from 1.
    fn line(&mut self, span: Span) -> usize {
        let sources = &self.sources;
        let lines = self.lines.entry(span.file).or_insert_with(|| {
            let text = &sources.file(span.file).text;
            text.match_indices('\n').map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect()
        });
        lines.partition_point(|&newline| newline < span.start) + 1
    }
}
