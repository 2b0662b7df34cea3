//! Text of a limited number of lines.

/// Text, and what did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fitted {
    /// The lines.
    pub text: String,
    /// What was left out, in a few words each.
    pub left_out: Vec<String>,
}

impl Fitted {
    /// `text` as a whole.
    pub fn whole(text: String) -> Fitted {
        Fitted { text, left_out: Vec::new() }
    }

    /// The first lines of `text`, at most `room`; `what` names the text. A table that is cut keeps its last border, and all lines
    /// of each row that it keeps.
    pub fn cut(text: &str, room: usize, what: &str) -> Fitted {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() <= room {
            return Fitted::whole(text.to_owned());
        }
        if room == 0 {
            return Fitted { text: String::new(), left_out: vec![what.to_owned()] };
        }
        let mut kept = lines[..room].to_vec();
        let end = lines[room..].iter().find(|line| line.starts_with('└'));
        match (kept.last().is_some_and(|line| line.starts_with('│')), end) {
            (true, Some(end)) => {
                kept.pop();
                // A row whose further lines do not fit is left out as a whole, unless it is the first one.
                let whole = (1..=kept.len()).rev().find(|count| !continues(lines[*count]));
                if let Some(count) = whole.filter(|count| continues_after_head(&kept[..*count])) {
                    kept.truncate(count);
                }
                let rows = |lines: &[&str]| lines.iter().filter(|line| is_row(line)).count();
                let head = heading_rows(&kept);
                let is_rest_one_table =
                    lines[kept.len()..].iter().all(|line| line.starts_with(['│', '└'])) && head > 0;
                let left_out = match is_rest_one_table {
                    true => {
                        let (all, shown) = (rows(&lines) - head, rows(&kept) - head);
                        format!("{} of {all} rows of {what}", all - shown)
                    }
                    false => format!("{} lines of {what}", lines.len() - kept.len()),
                };
                kept.push(*end);
                return Fitted { text: joined(&kept), left_out: vec![left_out] };
            }
            _ if kept.last().is_some_and(|line| line.starts_with('┌')) => {
                kept.pop();
            }
            _ => {}
        }
        let left_out = vec![format!("{} lines of {what}", lines.len() - kept.len())];
        Fitted { text: joined(&kept), left_out }
    }

    /// Those parts that fit into `room` lines, each as a whole, in their order. A first part that does not fit is cut.
    pub fn parts(parts: &[(String, String)], room: usize) -> Fitted {
        let mut fitted = Fitted::default();
        let mut used = 0;
        let mut is_full = false;
        for (at, (name, text)) in parts.iter().enumerate() {
            let length = text.lines().count();
            if !is_full && used + length <= room {
                used += length;
                fitted.text.push_str(text);
                continue;
            }
            if at == 0 && room > 0 {
                let cut = Fitted::cut(text, room, name);
                used += cut.text.lines().count();
                fitted.text.push_str(&cut.text);
                fitted.left_out.extend(cut.left_out);
                continue;
            }
            // What follows is less important, and order matters to readers.
            is_full = true;
            fitted.left_out.push(name.clone());
        }
        fitted
    }
}

/// Whether a line of a table continues the row above it: its first cell is empty.
fn continues(line: &str) -> bool {
    line.starts_with('│') && line.chars().nth(2) == Some(' ')
}

/// Whether a line begins a row, or a line of the head.
fn is_row(line: &str) -> bool {
    line.starts_with('│') && !continues(line)
}

/// Number of rows in the head of the only table of some lines; 0 if there are several tables, or none.
fn heading_rows(lines: &[&str]) -> usize {
    let mut borders = lines.iter().enumerate().filter(|(_, line)| line.starts_with('╞'));
    match (borders.next(), borders.next()) {
        (Some((at, _)), None) => lines[..at].iter().filter(|line| is_row(line)).count(),
        _ => 0,
    }
}

/// Whether a row is left below the last head of some lines.
fn continues_after_head(lines: &[&str]) -> bool {
    lines.last().is_some_and(|line| line.starts_with('│')) && lines.iter().any(|line| line.starts_with('╞'))
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "┌──┐\n│ a│\n╞══╡\n│ 1│\n│ 2│\n│ 3│\n└──┘\nnote\n";

    #[test]
    fn a_table_that_is_cut_keeps_its_border() {
        let fitted = Fitted::cut(TABLE, 6, "the table");
        assert_eq!(fitted.text, "┌──┐\n│ a│\n╞══╡\n│ 1│\n│ 2│\n└──┘\n");
        assert_eq!(fitted.left_out, ["3 lines of the table"], "a row, the border and the note");
        assert_eq!(Fitted::cut(TABLE, 8, "the table"), Fitted::whole(TABLE.to_owned()));
        let alone = TABLE.trim_end_matches("note\n");
        assert_eq!(Fitted::cut(alone, 6, "the table").left_out, ["1 of 3 rows of the table"]);
    }

    #[test]
    fn rows_of_several_lines_are_not_cut_apart() {
        const ROWS: &str = "┌────┐\n│ a b│\n│   u│\n╞════╡\n│ 1 x│\n│   y│\n│ 2 x│\n│   y│\n└────┘\n";
        let fitted = Fitted::cut(ROWS, 8, "the table");
        assert_eq!(fitted.text, "┌────┐\n│ a b│\n│   u│\n╞════╡\n│ 1 x│\n│   y│\n└────┘\n");
        assert_eq!(fitted.left_out, ["1 of 2 rows of the table"]);
        // Better a part of the first row than none.
        assert_eq!(Fitted::cut(ROWS, 6, "the table").text.lines().count(), 6);
    }

    #[test]
    fn parts_that_do_not_fit_are_named() {
        let parts = ["one\n", "two\n2\n", "three\n"].map(|text| (text.trim().to_owned(), text.to_owned()));
        assert_eq!(Fitted::parts(&parts, 4).left_out, Vec::<String>::new());
        let fitted = Fitted::parts(&parts, 2);
        assert_eq!((fitted.text.as_str(), fitted.left_out.len()), ("one\n", 2), "no later part overtakes");
        let fitted = Fitted::parts(&[("t".to_owned(), TABLE.to_owned())], 5);
        assert_eq!((fitted.text.lines().count(), fitted.left_out.len()), (5, 1));
    }
}
