//! Syntax errors.

use super::super::token::TokenKind;
use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A syntax error.
pub(super) struct Fault(pub(super) Box<Diagnostic>);

impl Fault {
    pub(super) fn new(diagnostic: Diagnostic) -> Fault {
        Fault(Box::new(diagnostic))
    }

    /// Replaces the hint, unless the current one says that the program is P4_14.
    pub(super) fn hint(mut self, hint: &str) -> Fault {
        if self.0.hint.as_deref() != Some(P4_14_HINT) {
            self.0.hint = Some(hint.to_owned());
        }
        self
    }

    /// Sets the hint if there is none.
    pub(super) fn or_hint(mut self, hint: &str) -> Fault {
        self.0.hint.get_or_insert_with(|| hint.to_owned());
        self
    }
}

/// Keywords of P4_14 that P4_16 does not have.
const P4_14_KEYWORDS: [&str; 20] = [
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

/// Hint for programs in P4_14.
const P4_14_HINT: &str =
    "this looks like P4_14, but only P4_16 is supported; `p4test --std p4-14 --pp` of p4c translates it";

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
                Some('"') => Diagnostic::error(token.span, "unterminated string literal")
                    .hint("add the closing `\"` on the same line"),
                Some('/') => {
                    Diagnostic::error(token.span, "unterminated comment").hint("add the closing `*/`")
                }
                Some(c) => {
                    Diagnostic::error(token.span, format!("unexpected character `{}`", c.escape_default()))
                        .label("not part of any P4 token")
                }
                None => Diagnostic::error(token.span, "invalid token"),
            });
        }
        let found = self.found();
        let mut diagnostic = Diagnostic::error(token.span, format!("expected {what}, found {found}"));
        diagnostic = diagnostic.label(format!("expected {what}"));
        diagnostic.hint = hint.or_else(|| self.common_mistake(what).map(str::to_owned));
        Fault::new(diagnostic)
    }

    /// Description of the next token.
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
                P4_14_KEYWORDS.contains(&self.text(token)) && !self.scopes.is_known(self.text(token))
            })
        };
        if (0..4).any(|back| old(self.at.checked_sub(back))) {
            return Some(P4_14_HINT);
        }
        match token.kind {
            TokenKind::Assign => Some("use `==` to compare; `=` assigns"),
            TokenKind::PlusPlus => Some("`++` concatenates bits in P4; to increment, write `x = x + 1`"),
            TokenKind::Comma if what == "`;`" => {
                Some("write a separate declaration for each name; items of a table's lists end with `;`")
            }
            TokenKind::Semicolon if what.contains('`') => {
                Some("check for an unclosed parenthesis or brace before this")
            }
            TokenKind::Else => Some("an `if` takes one statement: enclose several in `{` and `}`"),
            TokenKind::RightBrace if what.contains("expression") => {
                Some("check for a missing expression before this `}`")
            }
            _ => None,
        }
    }

    /// Error for a missing `;`, placed after the previous token if the statement ends there.
    pub(super) fn expected_semicolon(&self) -> Fault {
        let next = self.token();
        if next.kind == TokenKind::Unknown {
            return self.expected("`;`");
        }
        if next.line_start || matches!(next.kind, TokenKind::RightBrace | TokenKind::End) {
            let text = format!("expected `;`, found {}", self.found());
            let label = "add `;` after this";
            return Fault::new(Diagnostic::error(self.last(), text).label(label));
        }
        self.expected("`;`")
    }

    pub(super) fn too_deep(&self) -> Fault {
        let text = "nesting is too deep";
        Fault::new(Diagnostic::error(self.span(), text).hint("split it with constants or variables"))
    }

    pub(super) fn too_complex(&self) -> Fault {
        let text = "nesting is too complex to parse";
        Fault::new(Diagnostic::error(self.span(), text).hint("split it with constants or variables"))
    }

    pub(super) fn unclosed(&self, open: Span) -> Fault {
        let text = format!("expected `}}`, found {}", self.found());
        Fault::new(Diagnostic::error(self.span(), text).related(open, "unclosed `{`"))
    }

    /// Error for a missing parameter list, with a hint about P4_14, which has none.
    pub(super) fn expected_parameters(&self) -> Fault {
        let fault = self.expected("`(` and parameters");
        if self.is(TokenKind::LeftBrace) { fault.hint(P4_14_HINT) } else { fault }
    }
}
