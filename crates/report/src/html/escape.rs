//! Escaping of text in HTML.

use jettison_input::text::is_shown;

/// Escapes characters that are special in HTML elements and quoted attributes, and those that are not shown as themselves:
/// a bidirectional override in a name would reorder the line around it.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if matches!(c, '\n' | '\t') || is_shown(c) => out.push(c),
            c => out.extend(c.escape_unicode()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_becomes_text() {
        assert_eq!(super::escape(r#"<a href="x">'&'"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
    }

    #[test]
    fn what_is_not_shown_as_itself_is_escaped() {
        assert_eq!(super::escape("a\u{202e}b\u{1b}\nc é"), "a\\u{202e}b\\u{1b}\nc é");
    }
}
