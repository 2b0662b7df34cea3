//! What is said of what cannot be read.

use super::super::token::TokenKind;
use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Why something cannot be read.
pub(super) struct Fault(pub(super) Box<Diagnostic>);

impl Fault {
    pub(super) fn new(diagnostic: Diagnostic) -> Fault {
        Fault(Box::new(diagnostic))
    }

    /// With a hint that fits better than a guess, but for that it is all another language.
    pub(super) fn hint(mut self, hint: &str) -> Fault {
        if self.0.hint.as_deref() != Some(OLD) {
            self.0.hint = Some(hint.to_owned());
        }
        self
    }

    /// With a hint, unless there is one.
    pub(super) fn hint_else(mut self, hint: &str) -> Fault {
        self.0.hint.get_or_insert_with(|| hint.to_owned());
        self
    }
}

/// The words of P4_14 that P4_16 does not have.
const OLD_WORDS: [&str; 20] = [
    "header_type",
    "metadata",
    "field_list",
    "field_list_calculation",
    "calculated_field",
    "parser_exception",
    "action_profile",
    "action_selector",
    "counter",
    "meter",
    "register",
    "reads",
    "primitive_action",
    "modify_field",
    "add_to_field",
    "extract",
    "set_metadata",
    "latest",
    "fields",
    "attributes",
];

/// What to say to those who write P4_14.
const OLD: &str = "this looks like P4_14; only P4_16 is read (p4c's `p4test --std p4-14 --pp` translates)";

impl Parser<'_> {
    pub(super) fn expected(&self, what: &str) -> Fault {
        self.expected_with(what, None)
    }

    pub(super) fn expected_name(&self, what: &str) -> Fault {
        let token = self.token();
        let is_word = self.text(token).starts_with(|c: char| c.is_ascii_alphabetic());
        let hint = is_word.then(|| format!("`{}` is a keyword: choose another name", self.text(token)));
        self.expected_with(what, hint)
    }

    fn expected_with(&self, what: &str, hint: Option<String>) -> Fault {
        let token = self.token();
        let text = self.text(token);
        if token.kind == TokenKind::Unknown {
            return Fault::new(match text.chars().next() {
                Some('"') => Diagnostic::error(token.span, "this string has no end")
                    .hint("close it with `\"` in the same line"),
                Some('/') => {
                    Diagnostic::error(token.span, "this comment has no end").hint("close it with `*/`")
                }
                Some(c) => Diagnostic::error(token.span, format!("the character `{}`", c.escape_default()))
                    .label("P4 has no use for it here"),
                None => Diagnostic::error(token.span, "this is no token"),
            });
        }
        let found = self.found();
        let mut diagnostic = Diagnostic::error(token.span, format!("expected {what}, found {found}"));
        diagnostic = diagnostic.label(format!("expected {what}"));
        diagnostic.hint = hint.or_else(|| self.common_mistake(what).map(str::to_owned));
        Fault::new(diagnostic)
    }

    /// What the next token is, in words.
    fn found(&self) -> String {
        let token = self.token();
        let text = self.text(token);
        match token.kind {
            TokenKind::End => "the end of the program".to_owned(),
            TokenKind::String => "a string".to_owned(),
            kind if kind.is_name() || kind == TokenKind::Number => format!("`{text}`"),
            _ if text.starts_with(|c: char| c.is_ascii_alphabetic()) => format!("the keyword `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    fn common_mistake(&self, what: &str) -> Option<&'static str> {
        let token = self.token();
        let old = |at: Option<usize>| {
            let token = at.and_then(|at| self.tokens.get(at));
            token.is_some_and(|&token| {
                OLD_WORDS.contains(&self.text(token)) && !self.scopes.is_known(self.text(token))
            })
        };
        if (0..4).any(|back| old(self.at.checked_sub(back))) {
            return Some(OLD);
        }
        match token.kind {
            TokenKind::Assign => Some("`==` compares, `=` assigns"),
            TokenKind::PlusPlus => Some("P4 joins bits with `++`; to count up, write `x = x + 1`"),
            TokenKind::Comma if what == "`;`" => Some(
                "each declaration has a type and a `;` of its own; lists in tables end their items with `;`",
            ),
            TokenKind::Semicolon if what.contains('`') => {
                Some("is a parenthesis or a brace not closed before this?")
            }
            TokenKind::Else => Some("an `if` takes one statement: put several in `{` and `}`"),
            TokenKind::RightBrace if what.contains("expression") => {
                Some("is something missing before this `}`?")
            }
            _ => None,
        }
    }

    /// A `;` is missing: what matters is where it should be.
    pub(super) fn expected_semicolon(&self) -> Fault {
        let next = self.token();
        if next.kind == TokenKind::Unknown {
            return self.expected("`;`");
        }
        if next.line_start || matches!(next.kind, TokenKind::RightBrace | TokenKind::End) {
            let text = format!("expected `;`, found {}", self.found());
            let label = "a `;` is missing behind this";
            return Fault::new(Diagnostic::error(self.last(), text).label(label));
        }
        self.expected("`;`")
    }

    pub(super) fn too_deep(&self) -> Fault {
        let text = "this is nested too deep";
        Fault::new(Diagnostic::error(self.span(), text).hint("name parts of it with constants or variables"))
    }

    pub(super) fn too_long(&self) -> Fault {
        let text = "this is nested in a way that takes too long to read";
        Fault::new(Diagnostic::error(self.span(), text).hint("name parts of it with constants or variables"))
    }

    pub(super) fn unclosed(&self, open: Span) -> Fault {
        let text = format!("expected `}}`, found {}", self.found());
        Fault::new(Diagnostic::error(self.span(), text).other(open, "of this `{`"))
    }

    /// What to say where P4_14 has no parameters.
    pub(super) fn expected_parameters(&self) -> Fault {
        let fault = self.expected("`(` and parameters");
        if self.is(TokenKind::LeftBrace) { fault.hint(OLD) } else { fault }
    }
}
