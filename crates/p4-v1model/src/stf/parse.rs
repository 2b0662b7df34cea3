//! Parser: text to statements.

use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::source::{FileId, Sources, Span};

use super::lexer::{Line, Token, lines, tokens};
use super::number::Number;
use super::script::Pattern;
use super::statement::{
    Argument, Call, Comparison, Index, KeyValue, Name, Relation, Statement, StatementKind, Test, Unit, Value,
};

/// Maximum port; 511 is the drop port.
const MAX_PORT: u16 = 510;

/// Maximum size of a packet in bytes.
const MAX_PACKET: usize = 65_535;

/// Parses a test.
///
/// # Errors
/// Every line that is malformed.
pub fn parse(sources: &Sources, file: FileId) -> Result<Test, Vec<Diagnostic>> {
    let mut test = Test::default();
    let mut errors = Vec::new();
    for line in lines(&sources.file(file).text, file) {
        match statement(line) {
            Ok(kind) => test.statements.push(Statement { kind, span: line.whole() }),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(test) } else { Err(errors) }
}

fn statement(line: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let (first, rest) = line.split_word();
    match first {
        "packet" => packet(line, rest),
        "expect" => expect(line, rest),
        "add" => add(rest),
        "setdefault" => set_default(rest),
        "check_counter" | "counter_read" => check_counter(rest),
        "register_read" => check_register(rest),
        "no_packet" | "wait" if !rest.text.is_empty() => {
            Err(Diagnostic::error(rest.whole(), format!("`{first}` takes no arguments")))
        }
        "no_packet" => Ok(StatementKind::NoPacket),
        "wait" => Ok(StatementKind::Wait),
        "remove" if rest.text == "all" => Ok(StatementKind::RemoveAll),
        "remove" => {
            Err(Diagnostic::error(line.whole(), "unsupported `remove`: only `remove all` is supported")
                .hint("to remove a single entry, split the test into two"))
        }
        "mirroring_get" => {
            let mut tokens = Tokens::new(rest);
            tokens.number()?;
            tokens.end().map(|()| StatementKind::MirroringGet)
        }
        // All supported commands of simple_switch_CLI contain an underscore.
        other if other.contains('_') => Ok(StatementKind::Command(line.text.to_owned())),
        other => {
            let span = line.span(0, first.len());
            Err(Diagnostic::error(span, format!("unknown statement `{other}`")).hint(
                "known statements are packet, expect, no_packet, add, setdefault, remove all, wait, check_counter, counter_read, \
                 register_read, register_write, register_reset, mirroring_add, mc_mgrp_create, mc_node_create, \
                 mc_node_associate, meter_set_rates, and other commands of simple_switch_CLI",
            ))
        }
    }
}

fn packet(line: Line<'_>, rest: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let (port, data) = port(line, rest)?;
    let Pattern { nibbles, .. } = pattern(data, false)?;
    if !nibbles.len().is_multiple_of(2) {
        return Err(
            Diagnostic::error(data.whole(), "odd number of hex digits").hint("a byte has two hex digits")
        );
    }
    if nibbles.is_empty() {
        return Err(Diagnostic::error(line.whole(), "missing packet data")
            .hint("write the bytes in hex: `packet 0 0a 1b 2c`"));
    }
    if nibbles.len() > 2 * MAX_PACKET {
        return Err(Diagnostic::error(
            line.whole(),
            format!("a packet must have at most {MAX_PACKET} bytes"),
        ));
    }
    let whole: Vec<u8> = nibbles.into_iter().flatten().collect();
    Ok(StatementKind::Packet { port, bytes: whole.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect() })
}

fn expect(line: Line<'_>, rest: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let (port, data) = port(line, rest)?;
    if data.text.is_empty() {
        return Ok(StatementKind::Expect { port, pattern: None });
    }
    Ok(StatementKind::Expect { port, pattern: Some(pattern(data, true)?) })
}

fn port<'a>(line: Line<'a>, rest: Line<'a>) -> Result<(u16, Line<'a>), Diagnostic> {
    let (word, data) = rest.split_word();
    if word.is_empty() {
        return Err(Diagnostic::error(line.whole(), "missing port")
            .hint("write `packet PORT hex` or `expect PORT hex`"));
    }
    let number = word.parse::<u16>().ok().filter(|port| *port <= MAX_PORT);
    match number {
        Some(port) => Ok((port, data)),
        None => Err(Diagnostic::error(rest.span(0, word.len()), format!("invalid port `{word}`"))
            .hint(format!("a port must be from 0 to {MAX_PORT}"))),
    }
}

/// Parses hex digits in groups of any size, with `*` and a final `$` if `open`.
fn pattern(data: Line<'_>, open: bool) -> Result<Pattern, Diagnostic> {
    let mut pattern = Pattern { nibbles: Vec::with_capacity(data.text.len()), exact: false };
    for (at, c) in data.text.char_indices() {
        let wrong = |message: String| Err(Diagnostic::error(data.span(at, at + c.len_utf8()), message));
        if c.is_whitespace() {
            continue;
        }
        if pattern.exact {
            return wrong("unexpected text after `$`".to_owned());
        }
        match (c, c.to_digit(16)) {
            (_, Some(digit)) => pattern.nibbles.push(Some(digit as u8)),
            ('*', _) if open => pattern.nibbles.push(None),
            ('$', _) if open => pattern.exact = true,
            ('*', _) => return wrong("`*` is not allowed in an input packet".to_owned()),
            _ => return wrong(format!("invalid hex digit `{c}`")),
        }
    }
    Ok(pattern)
}

fn add(rest: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let mut tokens = Tokens::new(rest);
    let table = tokens.name("the name of a table")?;
    let mut priority = None;
    if let Some((Token::Word(word), span)) = tokens.peek()
        && word.starts_with(|c: char| c.is_ascii_digit())
        && !matches!(tokens.tokens.get(tokens.at + 1), Some((Token::Sign(":"), _)))
    {
        let value = Number::parse(word).and_then(|number| number.to_u32());
        let value = value.map_err(|_| Diagnostic::error(span, "priority must be a number below 2^32"))?;
        priority = Some((i64::from(value), span));
        tokens.at += 1;
    }
    let mut keys = Vec::new();
    let action = loop {
        let mut name = tokens.name("`key:value` or `action(...)`")?;
        // `h.isValid()` is a key, `drop()` an action.
        if tokens.next_are(&["(", ")", ":"]) {
            name.text.push_str("()");
            tokens.at += 2;
        }
        if !tokens.eat(":") {
            break tokens.call(name)?;
        }
        let (value, span) = tokens.value()?;
        keys.push(KeyValue { name, value, span });
    };
    let handle = if tokens.eat("=") { Some(tokens.name("a name for the entry")?) } else { None };
    tokens.end()?;
    Ok(StatementKind::Add { table, priority, keys, action, handle })
}

fn set_default(rest: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let mut tokens = Tokens::new(rest);
    let table = tokens.name("the name of a table")?;
    let name = tokens.name("an action")?;
    let action = tokens.call(name)?;
    tokens.end()?;
    Ok(StatementKind::SetDefault { table, action })
}

fn check_counter(rest: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let mut tokens = Tokens::new(rest);
    let counter = tokens.name("the name of a counter")?;
    let index = tokens.index()?;
    let mut unit = Unit::Packets;
    if let Some((Token::Word(word @ ("packets" | "bytes")), _)) = tokens.peek() {
        unit = if word == "bytes" { Unit::Bytes } else { Unit::Packets };
        tokens.at += 1;
    }
    let comparison = tokens.comparison()?;
    tokens.end()?;
    Ok(StatementKind::CheckCounter { counter, index, unit, comparison })
}

fn check_register(rest: Line<'_>) -> Result<StatementKind, Diagnostic> {
    let mut tokens = Tokens::new(rest);
    let register = tokens.name("the name of a register")?;
    if tokens.peek().is_none() {
        return Ok(StatementKind::CheckRegister { register, index: None, comparison: None });
    }
    let span = tokens.span();
    let Index::Number(index) = tokens.index()? else {
        return Err(Diagnostic::error(span, "expected a number"));
    };
    let (index, comparison) = (Some(index), tokens.comparison()?);
    tokens.end()?;
    Ok(StatementKind::CheckRegister { register, index, comparison })
}

/// Tokens of a line, and the current position.
struct Tokens<'a> {
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    /// Position of the end of the line.
    end: Span,
}

impl<'a> Tokens<'a> {
    fn new(line: Line<'a>) -> Tokens<'a> {
        Tokens { tokens: tokens(&line), at: 0, end: line.span(line.text.len(), line.text.len()) }
    }

    fn peek(&self) -> Option<(Token<'a>, Span)> {
        self.tokens.get(self.at).copied()
    }

    /// Position of the next token, or of the end.
    fn span(&self) -> Span {
        self.peek().map_or(self.end, |(_, span)| span)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let there = self.next_are(&[sign]);
        self.at += usize::from(there);
        there
    }

    fn next_are(&self, signs: &[&str]) -> bool {
        let mut tokens = self.tokens[self.at.min(self.tokens.len())..].iter();
        signs.iter().all(|sign| matches!(tokens.next(), Some((Token::Sign(found), _)) if found == sign))
    }

    /// Error about the next token.
    fn wanted(&self, kind_name: &str) -> Diagnostic {
        match self.peek() {
            Some((_, span)) => Diagnostic::error(span, format!("expected {kind_name}")),
            None => Diagnostic::error(self.end, format!("expected {kind_name}, found the end of the line")),
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.eat(sign) { Ok(()) } else { Err(self.wanted(&format!("`{sign}`"))) }
    }

    fn end(&self) -> Result<(), Diagnostic> {
        match self.peek() {
            None => Ok(()),
            Some((_, span)) => Err(Diagnostic::error(span, "expected the end of the line")),
        }
    }

    fn name(&mut self, kind_name: &str) -> Result<Name, Diagnostic> {
        let Some((Token::Word(text), span)) = self.peek() else { return Err(self.wanted(kind_name)) };
        self.at += 1;
        Ok(Name { text: text.to_owned(), span })
    }

    fn number(&mut self) -> Result<(Number, Span), Diagnostic> {
        let Some((Token::Word(text), span)) = self.peek() else { return Err(self.wanted("a number")) };
        self.at += 1;
        let number = Number::parse(text).map_err(|message| Diagnostic::error(span, message))?;
        Ok((number, span))
    }

    fn value(&mut self) -> Result<(Value, Span), Diagnostic> {
        if let Some((Token::Word("*"), span)) = self.peek() {
            self.at += 1;
            return Ok((Value::Any, span));
        }
        let (first, span) = self.number()?;
        for sign in ["/", "&&&", "->", ".."] {
            if self.eat(sign) {
                let (second, last) = self.number()?;
                let value = match sign {
                    "/" => Value::Slash(first, second),
                    "&&&" => Value::Mask(first, second),
                    _ => Value::Range(first, second),
                };
                return Ok((value, span.to(last)));
            }
        }
        Ok((Value::Number(first), span))
    }

    /// Parses the arguments of an action; parentheses without arguments may be omitted.
    fn call(&mut self, name: Name) -> Result<Call, Diagnostic> {
        let mut arguments = Vec::new();
        if !self.eat("(") || self.eat(")") {
            return Ok(Call { name, arguments });
        }
        loop {
            let mut parameter = None;
            if matches!(self.tokens.get(self.at + 1), Some((Token::Sign(":"), _))) {
                parameter = Some(self.name("a parameter")?);
                self.at += 1;
            }
            let (value, last) = self.number()?;
            let span = parameter.as_ref().map_or(last, |name| name.span.to(last));
            arguments.push(Argument { name: parameter, value, span });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Call { name, arguments })
    }

    /// Parses `3`, `(3)` or `(entry)`.
    fn index(&mut self) -> Result<Index, Diagnostic> {
        let bracketed = self.eat("(");
        let is_number = matches!(self.peek(), Some((Token::Word(word), _))
            if word.starts_with(|c: char| c.is_ascii_digit()));
        let index = if is_number {
            let (number, span) = self.number()?;
            Index::Number(number.to_u32().map_err(|message| Diagnostic::error(span, message))?)
        } else {
            Index::Entry(self.name("a number, or the name of an entry")?)
        };
        if bracketed {
            self.expect(")")?;
        }
        Ok(index)
    }

    fn comparison(&mut self) -> Result<Option<Comparison>, Diagnostic> {
        let relations = [
            ("==", Relation::Equal),
            ("!=", Relation::Unequal),
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("<", Relation::Less),
            (">", Relation::Greater),
            ("=", Relation::Equal),
        ];
        for (sign, relation) in relations {
            if self.eat(sign) {
                let (number, span) = self.number()?;
                if !number.is_whole() || number.negative {
                    return Err(Diagnostic::error(span, "expected a number without `*` and sign"));
                }
                return Ok(Some(Comparison { relation, value: number.value }));
            }
        }
        Ok(None)
    }
}
