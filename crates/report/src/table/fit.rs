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

    /// The first lines of `text`, at most `room`; `what` names the text. A table that is cut keeps its last border.
    pub fn cut(text: &str, room: usize, what: &str) -> Fitted {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() <= room {
            return Fitted::whole(text.to_owned());
        }
        if room == 0 {
            return Fitted { text: String::new(), left_out: vec![what.to_owned()] };
        }
        let is_in_table = |line: &&str| line.starts_with('│');
        let end = lines.iter().find(|line| line.starts_with('└'));
        let mut kept = lines[..room].to_vec();
        if kept.last().is_some_and(is_in_table)
            && let Some(end) = end
        {
            // The border of the same table, whose width it has.
            let own = lines[room..].iter().find(|line| line.starts_with('└')).unwrap_or(end);
            kept.pop();
            kept.push(own);
        } else if kept.last().is_some_and(|line| line.starts_with('┌')) {
            kept.pop();
        }
        let more = lines.len() - kept.iter().filter(|line| !line.starts_with('└')).count();
        let left_out = vec![format!("{more} lines of {what}")];
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
        assert_eq!(fitted.left_out, ["3 lines of the table"]);
        assert_eq!(Fitted::cut(TABLE, 8, "the table"), Fitted::whole(TABLE.to_owned()));
        assert_eq!(Fitted::cut(TABLE, 7, "the table").left_out, ["2 lines of the table"]);
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
