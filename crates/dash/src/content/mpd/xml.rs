//! XML elements with their line numbers and typed access to their attributes.

use std::str::FromStr;

use jettison_core::Duration;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::duration::{DurationError, parse_duration};
use jettison_sockets::{FileError, Lines};

/// Maximum depth of nesting; an MPD has about eight levels.
const DEEPEST: usize = 64;

/// An element without its text, which an MPD does not need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// Local name.
    name: String,
    /// Line of its start tag, from 1.
    pub(super) line: usize,
    /// Names with their prefix, and values with resolved references.
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

/// Error in an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Line of the element.
    line: usize,
    /// Path from the root's child to the offending element, such as `Period[0].AdaptationSet[1].`.
    path: String,
    /// The offending attribute or child, and the error.
    message: String,
    /// Whether the value is malformed, as opposed to well-formed but too large.
    is_malformed: bool,
}

impl Fault {
    fn inside(mut self, step: &str) -> Fault {
        self.path.insert(0, '.');
        self.path.insert_str(0, step);
        self
    }
}

impl From<Fault> for FileError {
    fn from(fault: Fault) -> FileError {
        let Fault { line, path, message, is_malformed } = fault;
        let verdict = if is_malformed { "invalid MPD: " } else { "" };
        FileError::at(line, format!("{verdict}{path}{message}"))
    }
}

impl Element {
    /// Parses a text whose root element is an `MPD`.
    ///
    /// # Errors
    /// With the line at which the text is not well-formed XML, or not an MPD.
    pub(super) fn root(text: &str) -> Result<Element, FileError> {
        let mut lines = Lines::new(text.as_bytes());
        let mut reader = Reader::from_str(text);
        let mut root: Option<Element> = None;
        // Open elements, outermost first.
        let mut open: Vec<Element> = Vec::new();
        loop {
            let line = lines.at(offset(reader.buffer_position()));
            let event = reader.read_event().map_err(|error| {
                FileError::at(lines.at(offset(reader.error_position())), error.to_string())
            })?;
            let ended = match event {
                Event::Start(tag) => {
                    if open.is_empty() {
                        check_root(&tag, line, root.is_some())?;
                    }
                    if open.len() == DEEPEST {
                        let message = format!("elements must nest at most {DEEPEST} levels deep");
                        return Err(FileError::at(line, message));
                    }
                    open.push(Element::of(&tag, line)?);
                    None
                }
                Event::Empty(tag) => {
                    if open.is_empty() {
                        check_root(&tag, line, root.is_some())?;
                    }
                    Some(Element::of(&tag, line)?)
                }
                Event::End(_) => open.pop(),
                Event::Eof if !open.is_empty() => {
                    return Err(FileError::at(line, "unexpected end of file inside an element"));
                }
                Event::Eof => {
                    return root.ok_or_else(|| FileError::at(None, "must have a root element `MPD`"));
                }
                _ => None,
            };
            if let Some(element) = ended {
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => root = Some(element),
                }
            }
        }
    }

    fn of(tag: &BytesStart<'_>, line: usize) -> Result<Element, FileError> {
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| FileError::at(line, error.to_string()))?;
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| FileError::at(line, error.to_string()))?;
            let name: &str = attribute.key.as_ref();
            attributes.push((name.to_owned(), value.into_owned()));
        }
        let name = tag.local_name();
        let name: &str = name.as_ref();
        Ok(Element { name: name.to_owned(), line, attributes, children: Vec::new() })
    }

    /// Returns the value of an attribute.
    pub(super) fn text(&self, attribute: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(name, _)| name == attribute)?;
        Some(value)
    }

    /// Returns the value of an attribute, owned.
    pub(super) fn string(&self, attribute: &str) -> Option<String> {
        self.text(attribute).map(str::to_owned)
    }

    /// Returns whether the element is a reference to a remote element (`xlink:href`, with any prefix).
    pub(super) fn is_link(&self) -> bool {
        self.attributes.iter().any(|(name, _)| name.rsplit(':').next() == Some("href"))
    }

    /// Parses an attribute as a number.
    ///
    /// # Errors
    /// If the value is not `required`.
    fn number<N: FromStr>(&self, attribute: &str, required: &str) -> Result<Option<N>, Fault> {
        let Some(text) = self.text(attribute) else { return Ok(None) };
        let malformed = |_| self.fault(format!("@{attribute} must be {required}, got `{text}`"), true);
        text.trim().parse().map(Some).map_err(malformed)
    }

    /// Parses an attribute as `xs:unsignedLong`, which includes all narrower types.
    pub(super) fn unsigned(&self, attribute: &str) -> Result<Option<u64>, Fault> {
        self.number(attribute, "an integer in [0, 18446744073709551615]")
    }

    /// Parses an attribute as `xs:integer`.
    pub(super) fn integer(&self, attribute: &str) -> Result<Option<i64>, Fault> {
        self.number(attribute, "an integer")
    }

    /// Parses an attribute as `xs:double`.
    pub(super) fn decimal(&self, attribute: &str) -> Result<Option<f64>, Fault> {
        self.number(attribute, "a number")
    }

    /// Parses an attribute as `xs:duration`.
    pub(super) fn duration(&self, attribute: &str) -> Result<Option<Duration>, Fault> {
        let Some(text) = self.text(attribute) else { return Ok(None) };
        parse_duration(text).map(Some).map_err(|error| {
            let message = match error {
                DurationError::Malformed => {
                    format!("@{attribute} must be a duration such as \"PT1M30.5S\", got `{text}`")
                }
                DurationError::Negative => format!("@{attribute} must be >= 0, got `{text}`"),
                DurationError::OutOfRange => {
                    format!("@{attribute} must be a duration below 2^64 ns, got `{text}`")
                }
            };
            self.fault(message, error != DurationError::OutOfRange)
        })
    }

    /// Reads all children with a name.
    pub(super) fn all<T>(
        &self,
        name: &str,
        read: impl Fn(&Element) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let children = self.children.iter().filter(|child| child.name == name);
        let numbered =
            |(place, child)| read(child).map_err(|fault: Fault| fault.inside(&format!("{name}[{place}]")));
        children.enumerate().map(numbered).collect()
    }

    /// Reads the child with a name, which may occur at most once.
    pub(super) fn one<T>(
        &self,
        name: &str,
        read: impl Fn(&Element) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let mut children = self.children.iter().filter(|child| child.name == name);
        let Some(child) = children.next() else { return Ok(None) };
        if let Some(second) = children.next() {
            let message = format!("{name} must occur at most once, found a second one");
            return Err(second.fault(message, true));
        }
        read(child).map(Some).map_err(|fault| fault.inside(name))
    }

    fn fault(&self, message: String, is_malformed: bool) -> Fault {
        Fault { line: self.line, path: String::new(), message, is_malformed }
    }
}

fn check_root(tag: &BytesStart<'_>, line: usize, has_root: bool) -> Result<(), FileError> {
    if has_root {
        return Err(FileError::at(line, "unexpected content after the root element `MPD`"));
    }
    let name = tag.local_name();
    match name.as_ref() {
        "MPD" => Ok(()),
        name => Err(FileError::at(line, format!("the root element must be `MPD`, got `{name}`"))),
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Element {
        Element::root(text).expect("the text is well formed")
    }

    fn message(fault: Fault) -> String {
        FileError::from(fault).to_string()
    }

    #[test]
    fn elements_keep_their_lines_and_order() {
        let mpd = root("<MPD>\n<a/><b>\n<a\n x=\"1\"/></b>\n<a/></MPD>");
        let lines = mpd.all("a", |element| Ok(element.line)).expect("nothing is read");
        assert_eq!(lines, [2, 5], "children only");
        let inner = mpd.one("b", |b| b.all("a", |a| Ok((a.line, a.string("x"))))).expect("it is there");
        assert_eq!(inner, Some(vec![(3, Some("1".to_owned()))]));
    }

    #[test]
    fn prefixes_of_elements_are_dropped_and_those_of_attributes_are_not() {
        let mpd = root(r#"<m:MPD xmlns:m="urn:mpeg:dash:schema:mpd:2011"><m:a x:id="1"/></m:MPD>"#);
        let ids = mpd.all("a", |a| Ok((a.string("id"), a.string("x:id")))).expect("nothing is parsed");
        assert_eq!(ids, [(None, Some("1".to_owned()))]);
    }

    #[test]
    fn links_are_recognised_with_any_prefix() {
        for (attribute, is_link) in
            [("xlink:href", true), ("href", true), ("l:href", true), ("xlink:actuate", false)]
        {
            assert_eq!(root(&format!("<MPD {attribute}=\"x\"/>")).is_link(), is_link, "{attribute}");
        }
    }

    #[test]
    fn references_and_white_space_in_values_are_resolved() {
        let mpd = root("<MPD a=\"&lt;&#65;&amp;\" b=\" 7\n\"/>");
        assert_eq!(mpd.text("a"), Some("<A&"));
        assert_eq!(mpd.unsigned("b"), Ok(Some(7)));
        assert_eq!(mpd.unsigned("c"), Ok(None));
    }

    #[test]
    fn numbers_are_refused_outside_their_type() {
        let mpd =
            root("<MPD minus=\"-1\" most=\"18446744073709551616\" half=\"0.5\" empty=\"\" word=\"5x\"/>");
        for name in ["minus", "most", "half", "empty", "word"] {
            let text = mpd.text(name).expect("it is there").to_owned();
            let fault = mpd.unsigned(name).expect_err("it is no unsigned number");
            let wanted = format!(
                "line 1: invalid MPD: @{name} must be an integer in [0, 18446744073709551615], got `{text}`"
            );
            assert_eq!(message(fault), wanted);
        }
        assert_eq!(mpd.integer("minus"), Ok(Some(-1)));
        assert_eq!(mpd.decimal("half"), Ok(Some(0.5)));
        let fault = mpd.decimal("word").expect_err("it is no number");
        assert_eq!(message(fault), "line 1: invalid MPD: @word must be a number, got `5x`");
    }

    #[test]
    fn faults_name_the_path_to_the_element() {
        let mpd = root("<MPD><a/><a>\n<b d=\"x\"/></a></MPD>");
        let fault = mpd.all("a", |a| a.one("b", |b| b.unsigned("d"))).expect_err("it is no number");
        assert!(message(fault).starts_with("line 2: invalid MPD: a[1].b.@d must be"));
    }

    #[test]
    fn a_second_element_of_one_is_refused() {
        let mpd = root("<MPD><a/>\n<a/></MPD>");
        let fault = mpd.one("a", |_| Ok(())).expect_err("there are two");
        assert_eq!(message(fault), "line 2: invalid MPD: a must occur at most once, found a second one");
    }

    #[test]
    fn invalid_durations_are_refused_with_a_reason() {
        let mpd = root("<MPD a=\"5 s\" b=\"-PT5S\" c=\"P99999999999D\" d=\"PT5S\"/>");
        let said = |name| mpd.duration(name).map_err(message);
        let malformed = "line 1: invalid MPD: @a must be a duration such as \"PT1M30.5S\", got `5 s`";
        assert_eq!(said("a"), Err(malformed.to_owned()));
        assert_eq!(said("b"), Err("line 1: invalid MPD: @b must be >= 0, got `-PT5S`".to_owned()));
        assert_eq!(
            said("c"),
            Err("line 1: @c must be a duration below 2^64 ns, got `P99999999999D`".to_owned())
        );
        assert_eq!(said("d"), Ok(Some(Duration::from_secs(5))));
    }
}
