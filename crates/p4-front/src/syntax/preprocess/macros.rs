//! Macro expansion.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::lexer;
use super::super::token::{Interner, Symbol, Token, TokenKind};
use super::{Frame, Preprocessor};
use crate::diagnostic::Diagnostic;

/// A macro.
pub(super) struct Macro {
    /// Parameters; `None` for an object-like macro.
    pub(super) parameters: Option<Vec<Symbol>>,
    /// Whether the last parameter takes all further arguments (`...`, available as `__VA_ARGS__`).
    pub(super) variadic: bool,
    /// Replacement.
    pub(super) body: Body,
}

/// Replacement of a macro.
pub(super) enum Body {
    Tokens(Vec<Token>),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
}

/// The macros that expand to their own position.
pub(super) fn built_in(interner: &mut Interner) -> FxHashMap<Symbol, Rc<Macro>> {
    [("__LINE__", Body::Line), ("__FILE__", Body::File)]
        .into_iter()
        .map(|(name, body)| {
            (interner.intern(name), Rc::new(Macro { parameters: None, variadic: false, body }))
        })
        .collect()
}

/// An argument of a macro: as written, and expanded on demand.
struct MacroArgument {
    written: Vec<Token>,
    replaced: Option<Vec<Token>>,
}

impl Preprocessor<'_> {
    /// Expands a token: returns it if it is not a macro, else pushes its replacement to be read next.
    pub(super) fn replace(&mut self, mut name: Token) -> Option<Token> {
        if name.painted {
            return Some(name);
        }
        let Some(definition) = self.macros.get(&name.symbol) else { return Some(name) };
        let definition = definition.clone();
        if self.active.contains(&name.symbol) {
            name.painted = true;
            return Some(name);
        }
        let mut tokens = match (&definition.body, &definition.parameters) {
            (Body::Line, _) => {
                let line = self.line(name.span).to_string();
                vec![self.made(TokenKind::Number, &line, name)]
            }
            (Body::File, _) => {
                let file = self.sources.file(name.span.file).name.replace('\\', "\\\\").replace('"', "\\\"");
                vec![self.made(TokenKind::String, &format!("\"{file}\""), name)]
            }
            (Body::Tokens(_), None) => self.substitute(&definition, &[], &mut [], name),
            (Body::Tokens(_), Some(parameters)) => {
                let next = self.read();
                match next {
                    Some(paren) if paren.kind == TokenKind::LeftParen => {}
                    other => {
                        if let Some(other) = other {
                            self.put_back(other);
                        }
                        return Some(name);
                    }
                }
                let mut arguments = self.arguments(&definition, parameters, name)?;
                self.substitute(&definition, parameters, &mut arguments, name)
            }
        };
        if let Some(first) = tokens.first_mut() {
            first.line_start = name.line_start;
            first.space_before = name.space_before;
        }
        // The extra unit charges for macros with an empty replacement.
        if self.spend(tokens.len() + 1, name.span) {
            self.active.insert(name.symbol);
            self.frames.push(Frame::Tokens { tokens, at: 0, of: Some(name.symbol) });
        }
        None
    }

    /// Parses the arguments of a macro call after the opening parenthesis; reports a mismatch and returns `None`.
    fn arguments(
        &mut self,
        definition: &Macro,
        parameters: &[Symbol],
        name: Token,
    ) -> Option<Vec<MacroArgument>> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let Some(token) = self.read() else {
                let text = format!("unterminated arguments of the macro `{}`", self.text(name));
                self.report(Diagnostic::error(name.span, text).hint("add the closing `)`"));
                return None;
            };
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth == 0 => break,
                TokenKind::RightParen => depth -= 1,
                TokenKind::Comma
                    if depth == 0 && !(definition.variadic && arguments.len() == parameters.len()) =>
                {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == parameters.len() {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters.len() {
            let (wanted, given) = (parameters.len(), arguments.len());
            let s = if wanted == 1 { "" } else { "s" };
            let text =
                format!("expected {wanted} argument{s} of the macro `{}`, found {given}", self.text(name));
            self.report(Diagnostic::error(name.span, text));
            return None;
        }
        Some(arguments.into_iter().map(|written| MacroArgument { written, replaced: None }).collect())
    }

    /// Substitutes the arguments into a macro's body and executes `#` and `##`.
    fn substitute(
        &mut self,
        definition: &Macro,
        parameters: &[Symbol],
        arguments: &mut [MacroArgument],
        name: Token,
    ) -> Vec<Token> {
        let Body::Tokens(body) = &definition.body else { return Vec::new() };
        let mut out: Vec<Token> = Vec::new();
        // Whether the last piece is the left operand of `##`, and whether it was empty.
        let (mut paste, mut empty) = (false, false);
        let mut at = 0;
        while at < body.len() {
            let token = body[at];
            if token.kind == TokenKind::HashHash && at > 0 {
                paste = true;
                at += 1;
                continue;
            }
            let parameter = |token: Token| parameters.iter().position(|&symbol| symbol == token.symbol);
            let quoted = match (token.kind, body.get(at + 1)) {
                (TokenKind::Hash, Some(&next)) => parameter(next),
                _ => None,
            };
            let mut piece = if let Some(which) = quoted {
                at += 1;
                vec![self.quote(&arguments[which].written, name)]
            } else if let Some(which) = parameter(token) {
                let pasted = paste || body.get(at + 1).is_some_and(|next| next.kind == TokenKind::HashHash);
                if pasted {
                    arguments[which].written.clone()
                } else {
                    self.replaced_argument(&mut arguments[which])
                }
            } else {
                vec![Token { span: name.span, line_start: false, ..token }]
            };
            at += 1;
            if !self.spend(piece.len(), name.span) {
                return Vec::new();
            }
            if let Some(first) = piece.first_mut() {
                first.space_before = token.space_before;
            }
            if paste && !empty && !piece.is_empty() {
                if let Some(left) = out.pop() {
                    let joined = self.paste(left, piece.remove(0), name);
                    out.extend(joined);
                }
                empty = false;
            } else {
                // An empty operand of `##` leaves the other operand unchanged.
                empty = piece.is_empty() && (!paste || empty);
            }
            paste = false;
            out.append(&mut piece);
        }
        out
    }

    fn replaced_argument(&mut self, argument: &mut MacroArgument) -> Vec<Token> {
        if let Some(replaced) = &argument.replaced {
            return replaced.clone();
        }
        let replaced = self.replaced(argument.written.clone());
        argument.replaced = Some(replaced.clone());
        replaced
    }

    /// Executes `#parameter`: the argument as a string.
    fn quote(&mut self, tokens: &[Token], name: Token) -> Token {
        let mut text = String::from("\"");
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 && (token.space_before || token.line_start) {
                text.push(' ');
            }
            let written = self.interner.text(token.symbol);
            match token.kind {
                TokenKind::String | TokenKind::Unknown => {
                    text.push_str(&written.replace('\\', "\\\\").replace('"', "\\\""));
                }
                _ => text.push_str(written),
            }
        }
        text.push('"');
        self.made(TokenKind::String, &text, name)
    }

    /// Executes `left ## right`.
    fn paste(&mut self, left: Token, right: Token, name: Token) -> Vec<Token> {
        let text = format!("{}{}", self.text(left), self.text(right));
        match lexer::single(&text) {
            Some(kind) if text.len() < 10_000 => {
                let made = self.made(kind, &text, name);
                vec![Token { space_before: left.space_before, ..made }]
            }
            _ => {
                let (left_text, right_text) = (self.text(left), self.text(right));
                let text = format!("joining `{left_text}` and `{right_text}` does not give a valid token");
                self.report(Diagnostic::error(name.span, text).hint("this macro joins them with `##`"));
                vec![left, right]
            }
        }
    }

    /// Creates a token without a position of its own.
    pub(super) fn made(&mut self, kind: TokenKind, text: &str, name: Token) -> Token {
        Token {
            kind,
            symbol: self.interner.intern(text),
            span: name.span,
            line_start: false,
            space_before: true,
            painted: false,
        }
    }
}
