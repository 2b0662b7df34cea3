//! The ledger of a paper's claims (`scenarios/<paper>/claims.toml`): what the text states, and which rows test it.

use std::collections::BTreeSet;

use jettison_report::{ClaimRecord, ReproductionRow, Verdict};
use serde::Deserialize;

use super::paper::PaperError;

/// All claims of one paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// Title of the paper.
    pub paper: String,
    /// The claims, in the order of the text.
    #[serde(rename = "claim", default)]
    pub claims: Vec<Claim>,
}

/// One claim of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id, unique in the file, in kebab case.
    pub id: String,
    /// Its place in the text.
    pub section: String,
    /// What kind of claim it is.
    pub kind: Kind,
    /// The claim in one sentence, paraphrased.
    pub claim: String,
    /// The rows that test it, as `<experiment>: <figure>`; a figure that ends with `*` stands for all that begin so.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Rows of other readings of the text, or of a reading that it excludes: they belong to the claim and do not decide it.
    #[serde(default)]
    pub readings: Vec<String>,
    /// Why no row tests it, or not all of it.
    pub reason: Option<String>,
}

/// Kind of claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number in a sentence.
    Number,
    /// A figure.
    Figure,
    /// A table.
    Table,
    /// A comparison in words.
    Comparison,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::Figure => "figure",
            Kind::Table => "table",
            Kind::Comparison => "comparison",
        }
    }
}

impl Claims {
    /// Parses a ledger.
    pub fn parse(file: &str, text: &str) -> Result<Claims, PaperError> {
        let wrong = |message: String| PaperError { file: file.to_owned(), message };
        let claims: Claims = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let mut ids = BTreeSet::new();
        for claim in &claims.claims {
            claim.check().map_err(|message| wrong(format!("claim `{}`: {message}", claim.id)))?;
            if !ids.insert(claim.id.as_str()) {
                return Err(wrong(format!(
                    "claim `{}`: `id` must be unique, and another claim has it",
                    claim.id
                )));
            }
        }
        Ok(claims)
    }

    /// Names in `rows` that none of the existing rows (experiment and figure) has, each with its claim.
    pub fn unknown_rows(&self, existing: &[(&str, &str)]) -> Vec<String> {
        let is_known =
            |name: &str| existing.iter().any(|(experiment, figure)| names(name, experiment, figure));
        let unknown = |claim: &Claim| {
            let missing = claim.named().filter(|name| !is_known(name));
            missing.map(|name| format!("claim `{}`: unknown row `{name}`", claim.id)).collect::<Vec<_>>()
        };
        self.claims.iter().flat_map(unknown).collect()
    }

    /// Existing rows (experiment and figure) that no claim names.
    pub fn unclaimed<'a>(&self, existing: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let is_claimed = |(experiment, figure): &(&str, &str)| {
            self.claims.iter().flat_map(Claim::named).any(|name| names(name, experiment, figure))
        };
        existing.iter().filter(|row| !is_claimed(row)).copied().collect()
    }

    /// The verdict on each claim of `paper` from the rows of its experiments.
    pub fn judge(&self, paper: &str, rows: &[ReproductionRow]) -> Vec<ClaimRecord> {
        self.claims.iter().map(|claim| claim.judge(paper, rows)).collect()
    }

    /// The ledger as a Markdown table.
    pub fn markdown(&self) -> String {
        let tested = self.claims.iter().filter(|claim| !claim.rows.is_empty()).count();
        let (total, untested) = (self.claims.len(), self.claims.len() - tested);
        let mut out = format!("{total} claims: {tested} tested, {untested} untested.\n\n");
        out.push_str("| where | claim | kind | tested by |\n| --- | --- | --- | --- |\n");
        for claim in &self.claims {
            let mut by: Vec<String> = claim.rows.iter().map(|name| format!("`{name}`")).collect();
            if !claim.readings.is_empty() {
                let readings: Vec<String> = claim.readings.iter().map(|name| format!("`{name}`")).collect();
                by.push(format!("other readings: {}", readings.join(", ")));
            }
            by.extend(claim.reason.clone());
            let cells = [&claim.section, &claim.claim, claim.kind.name(), &by.join("<br>")].map(cell);
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        out
    }
}

impl Claim {
    fn check(&self) -> Result<(), String> {
        let is_kebab = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !self.id.split('-').all(is_kebab) {
            return Err("`id` must be in kebab case, such as `rtt-ired64-pi2`".to_owned());
        }
        if self.rows.is_empty() && self.reason.is_none() {
            return Err("`rows` or `reason` is required".to_owned());
        }
        match self.named().find(|name| !name.contains(": ")) {
            Some(name) => Err(format!("a row must be `<experiment>: <figure>`, got `{name}`")),
            None => Ok(()),
        }
    }

    /// All rows that it names.
    fn named(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().chain(&self.readings)
    }

    fn judge(&self, paper: &str, rows: &[ReproductionRow]) -> ClaimRecord {
        let mut tested = Vec::new();
        let mut verdict = Verdict::Untested;
        for name in &self.rows {
            let before = tested.len();
            for row in rows.iter().filter(|row| names(name, &row.experiment, &row.figure)) {
                tested.push(format!("{}: {}", row.experiment, row.figure));
                verdict = worse(verdict, row.verdict);
            }
            // Its experiment was not asked for, or did not begin.
            if tested.len() == before {
                tested.push(name.clone());
                verdict = worse(verdict, Verdict::NotRun);
            }
        }
        ClaimRecord {
            paper: paper.to_owned(),
            id: self.id.clone(),
            section: self.section.clone(),
            kind: self.kind.name().to_owned(),
            claim: self.claim.clone(),
            verdict,
            rows: tested,
            reason: self.reason.clone(),
        }
    }
}

fn worse(a: Verdict, b: Verdict) -> Verdict {
    if b.severity() > a.severity() { b } else { a }
}

/// Whether the `name` in a claim is that of a row, or of several with it.
fn names(name: &str, experiment: &str, figure: &str) -> bool {
    let Some((of, wanted)) = name.split_once(": ") else { return false };
    of == experiment
        && match wanted.strip_suffix('*') {
            Some(start) => figure.starts_with(start),
            None => figure == wanted,
        }
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{Paper, rows_of};

    const LEDGER: &str = r#"
paper = "A tiny paper"

[[claim]]
id = "rate"
section = "2, Fig. 1"
kind = "number"
claim = "The link carries 5 Mbit/s."
rows = ["small: rate", "small: rates of*"]

[[claim]]
id = "speed-of-switch"
section = "3"
kind = "comparison"
claim = "The switch is faster | than others."
reason = "Hardware of the testbed."
"#;

    fn ledger() -> Claims {
        Claims::parse("claims.toml", LEDGER).unwrap()
    }

    /// A row without runs, with another verdict.
    fn row(figure: &str, verdict: Verdict) -> ReproductionRow {
        let text = format!(
            "paper='p'\nexperiment='e'\n[[row]]\nfigure='{figure}'\nmetric='m'\nunit='x'\nvalue=1.0\nexact='text'\n\
            ours={{variant='a',object='o',metric='m'}}\n"
        );
        let row = rows_of(("tiny", "small"), &Paper::parse("f", &text).unwrap(), &[]).remove(0);
        ReproductionRow { verdict, ..row }
    }

    fn verdict(rows: &[ReproductionRow]) -> Verdict {
        ledger().judge("tiny", rows)[0].verdict
    }

    #[test]
    fn a_claim_has_the_worst_verdict_of_its_rows() {
        use Verdict::*;
        let judged = |a, b| verdict(&[row("rate", a), row("rates of two", b)]);
        let worst_first = [Contradicts, NotRun, Weaker, Stronger, SameDirection, Agrees, NoValue];
        for (index, worst) in worst_first.into_iter().enumerate() {
            for other in worst_first.into_iter().skip(index) {
                assert_eq!(judged(worst, other), worst);
                assert_eq!(judged(other, worst), worst);
            }
        }
        let all = ledger()
            .judge("tiny", &[row("rate", Agrees), row("rates of two", Agrees), row("other", Contradicts)]);
        assert_eq!((all[0].verdict, all[1].verdict), (Agrees, Untested));
        assert_eq!(all[0].rows, ["small: rate", "small: rates of two"]);
        assert_eq!(all[1].reason.as_deref(), Some("Hardware of the testbed."));
    }

    #[test]
    fn rows_of_other_readings_belong_to_a_claim_and_do_not_decide_it() {
        let text = LEDGER.replace("rates of*\"]", "rates of*\"]\nreadings = [\"small: another*\"]");
        let ledger = Claims::parse("claims.toml", &text).unwrap();
        let rows = [
            row("rate", Verdict::Agrees),
            row("rates of a", Verdict::Agrees),
            row("another", Verdict::Contradicts),
        ];
        assert_eq!(ledger.judge("tiny", &rows)[0].verdict, Verdict::Agrees);
        let existing = [("small", "rate"), ("small", "rates of a"), ("small", "another")];
        assert_eq!(ledger.unclaimed(&existing), []);
        assert_eq!(ledger.unknown_rows(&existing[..2]), ["claim `rate`: unknown row `small: another*`"]);
        assert!(
            ledger.markdown().contains("`small: rates of*`<br>other readings: `small: another*` |"),
            "{}",
            ledger.markdown()
        );
    }

    #[test]
    fn a_claim_whose_experiment_did_not_begin_is_not_run() {
        assert_eq!(verdict(&[]), Verdict::NotRun);
        assert_eq!(verdict(&[row("rate", Verdict::Agrees)]), Verdict::NotRun);
        assert_eq!(verdict(&[row("rate", Verdict::Contradicts)]), Verdict::Contradicts);
    }

    #[test]
    fn names_of_rows_and_rows_without_a_claim_are_found() {
        let existing = [("small", "rate"), ("small", "delay"), ("large", "rates of two")];
        assert_eq!(ledger().unknown_rows(&existing), ["claim `rate`: unknown row `small: rates of*`"]);
        assert_eq!(ledger().unclaimed(&existing), [("small", "delay"), ("large", "rates of two")]);
    }

    #[test]
    fn the_ledger_is_a_table() {
        assert_eq!(
            ledger().markdown(),
            "2 claims: 1 tested, 1 untested.\n\n\
             | where | claim | kind | tested by |\n\
             | --- | --- | --- | --- |\n\
             | 2, Fig. 1 | The link carries 5 Mbit/s. | number | `small: rate`<br>`small: rates of*` |\n\
             | 3 | The switch is faster \\| than others. | comparison | Hardware of the testbed. |\n"
        );
    }

    #[test]
    fn mistakes_in_a_ledger_are_refused() {
        let refused = |from: &str, to: &str| {
            let text = LEDGER.replacen(from, to, 1);
            Claims::parse("claims.toml", &text).unwrap_err().to_string()
        };
        for (from, to, message) in [
            (
                "speed-of-switch",
                "rate",
                "claims.toml: claim `rate`: `id` must be unique, and another claim has it",
            ),
            (
                "\"rate\"",
                "\"Rate 1\"",
                "claims.toml: claim `Rate 1`: `id` must be in kebab case, such as `rtt-ired64-pi2`",
            ),
            (
                "reason = \"Hardware of the testbed.\"",
                "",
                "claims.toml: claim `speed-of-switch`: `rows` or `reason` is required",
            ),
            (
                "small: rate\"",
                "small\"",
                "claims.toml: claim `rate`: a row must be `<experiment>: <figure>`, got `small`",
            ),
        ] {
            assert_eq!(refused(from, to), message);
        }
        assert!(refused("section", "sektion").contains("sektion"));
        assert!(refused("\"number\"", "\"digit\"").contains("digit"));
    }
}
