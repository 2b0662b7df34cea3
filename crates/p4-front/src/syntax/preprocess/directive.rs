//! Directives.

use std::rc::Rc;

use super::super::token::{Token, TokenKind};
use super::macros::{Body, Macro};
use super::{Conditional, Frame, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Preprocessor<'_> {
    /// Executes the directive at the current position of the topmost frame, a file, and moves to the next line.
    pub(super) fn directive(&mut self) {
        let Some(Frame::File(file)) = self.frames.last_mut() else { return };
        let tokens = file.tokens.clone();
        let start = file.at;
        let length = tokens[start + 1..].iter().position(|token| token.line_start);
        let end = length.map_or(tokens.len(), |length| start + 1 + length);
        file.at = end;
        let live = file.live();
        if !self.spend(end - start, tokens[start].span) {
            return;
        }
        let line = &tokens[start + 1..end];
        let Some((&name, rest)) = line.split_first() else { return };
        let whole = tokens[start].span.to(line[line.len() - 1].span);
        let what = self.text(name).to_owned();
        match what.as_str() {
            "if" => self.open_condition(whole, live, |p| p.condition(rest, whole)),
            "ifdef" => self.open_condition(whole, live, |p| p.is_defined(rest, whole)),
            "ifndef" => self.open_condition(whole, live, |p| !p.is_defined(rest, whole)),
            "elif" => self.other_branch(whole, false, |p| p.condition(rest, whole)),
            "elifdef" => self.other_branch(whole, false, |p| p.is_defined(rest, whole)),
            "elifndef" => self.other_branch(whole, false, |p| !p.is_defined(rest, whole)),
            "else" => self.other_branch(whole, true, |_| true),
            "endif" => self.close_condition(whole),
            _ if !live => {}
            "define" => self.define(rest, whole),
            "undef" => match rest.first() {
                Some(name) if is_macro_name(*name) => {
                    self.macros.remove(&name.symbol);
                }
                _ => self.report(Diagnostic::error(whole, "`#undef` requires a macro name")),
            },
            "include" => self.include(rest, whole),
            "error" | "warning" => {
                let text =
                    rest.first().map_or("", |first| self.sources.text(first.span.to(whole_end(whole))));
                let text = text.trim().trim_matches('"');
                let text = if text.is_empty() { format!("`#{what}`") } else { format!("#{what}: {text}") };
                let make = if what == "error" { Diagnostic::error } else { Diagnostic::warning };
                self.report(make(whole, text).label("directive in the program"));
            }
            "line" | "pragma" | "ident" => {}
            // `# 12 "file"`, a line marker of a preprocessor.
            _ if name.kind == TokenKind::Number => {}
            _ => {
                let hint = "valid directives are define, undef, include, if, ifdef, ifndef, elif, else, endif, error, warning";
                self.report(Diagnostic::error(name.span, format!("unknown directive `#{what}`")).hint(hint));
            }
        }
    }

    /// Executes `#if`, `#ifdef` or `#ifndef`. The condition is not evaluated in text that is skipped anyway.
    fn open_condition(&mut self, opened: Span, parent_live: bool, holds: impl FnOnce(&mut Self) -> bool) {
        let live = parent_live && holds(self);
        if let Some(Frame::File(file)) = self.frames.last_mut() {
            file.conditionals.push(Conditional {
                opened,
                parent_live,
                branch_taken: live,
                live,
                else_seen: false,
            });
        }
    }

    /// Executes `#elif` or `#else` in their various forms.
    fn other_branch(&mut self, whole: Span, is_else: bool, holds: impl FnOnce(&mut Self) -> bool) {
        let Some(Frame::File(file)) = self.frames.last_mut() else { return };
        let Some(conditional) = file.conditionals.last_mut() else {
            let text = "this branch has no matching `#if`";
            return self.report(Diagnostic::error(whole, text));
        };
        if conditional.else_seen {
            let opened = conditional.opened;
            let diagnostic = Diagnostic::error(whole, "a branch after `#else`")
                .related(opened, "the conditional starts here");
            return self.report(diagnostic);
        }
        conditional.else_seen = is_else;
        conditional.live = false;
        if conditional.parent_live && !conditional.branch_taken && holds(self) {
            let Some(Frame::File(file)) = self.frames.last_mut() else { return };
            if let Some(conditional) = file.conditionals.last_mut() {
                (conditional.live, conditional.branch_taken) = (true, true);
            }
        }
    }

    fn close_condition(&mut self, whole: Span) {
        let Some(Frame::File(file)) = self.frames.last_mut() else { return };
        if file.conditionals.pop().is_none() {
            self.report(Diagnostic::error(whole, "this `#endif` has no matching `#if`"));
        }
    }

    fn is_defined(&mut self, rest: &[Token], whole: Span) -> bool {
        match rest.first() {
            Some(name) if is_macro_name(*name) => self.macros.contains_key(&name.symbol),
            _ => {
                self.report(Diagnostic::error(whole, "this directive requires a macro name"));
                false
            }
        }
    }

    fn define(&mut self, rest: &[Token], whole: Span) {
        let Some((&name, mut body)) = rest.split_first() else {
            return self.report(Diagnostic::error(whole, "`#define` requires a macro name"));
        };
        if !is_macro_name(name) || self.text(name) == "defined" {
            let text = format!("`{}` is not a valid macro name", self.text(name));
            return self.report(Diagnostic::error(name.span, text));
        }
        let (mut parameters, mut variadic) = (None, false);
        // As in C, only a parenthesis directly after the name starts parameters.
        if let Some((paren, inner)) = body.split_first()
            && paren.kind == TokenKind::LeftParen
            && !paren.space_before
        {
            let Some(close) = inner.iter().position(|token| token.kind == TokenKind::RightParen) else {
                return self
                    .report(Diagnostic::error(paren.span, "missing `)` after the macro's parameters"));
            };
            let mut names = Vec::new();
            let list = &inner[..close];
            for (at, part) in list.split(|token| token.kind == TokenKind::Comma).enumerate() {
                match part {
                    [] if at == 0 && list.is_empty() => {}
                    [one] if is_macro_name(*one) && !variadic => names.push(one.symbol),
                    [dots] if dots.kind == TokenKind::Dots && !variadic => {
                        variadic = true;
                        names.push(self.interner.intern("__VA_ARGS__"));
                    }
                    [one, dots] if is_macro_name(*one) && dots.kind == TokenKind::Dots && !variadic => {
                        variadic = true;
                        names.push(one.symbol);
                    }
                    _ => {
                        let span = part.first().map_or(paren.span, |token| token.span);
                        let text = "macro parameters must be names separated by commas";
                        return self.report(Diagnostic::error(span, text));
                    }
                }
            }
            body = &inner[close + 1..];
            parameters = Some(names);
        }
        for end in [body.first(), body.last()].into_iter().flatten() {
            if end.kind == TokenKind::HashHash {
                let text = "`##` requires an operand on both sides";
                return self.report(Diagnostic::error(end.span, text));
            }
        }
        let body = Body::Tokens(body.to_vec());
        self.macros.insert(name.symbol, Rc::new(Macro { parameters, variadic, body }));
    }
}

/// Whether the token can name a macro. Keywords are plain names to the preprocessor.
pub(super) fn is_macro_name(token: Token) -> bool {
    let kind = token.kind;
    // The enum declares the keywords between these two variants.
    kind == TokenKind::Identifier
        || (kind as u32 >= TokenKind::Abstract as u32 && kind as u32 <= TokenKind::Underscore as u32)
}

/// Empty span at the end of a span.
fn whole_end(span: Span) -> Span {
    Span { start: span.end, ..span }
}
