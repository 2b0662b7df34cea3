//! Test reports as text and as JUnit XML.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

use super::runner::{Outcome, Problem};
use jettison_p4_front::source::Sources;

/// A test that was run, or that could not be run.
#[derive(Debug, Clone)]
pub struct Case {
    /// Name of the program.
    pub program: String,
    /// Name of the test, with that of the machine if there are several.
    pub name: String,
    /// Description of the failure, in lines; `None` if the test passed.
    pub failure: Option<String>,
}

impl Case {
    /// Creates a case from the outcome of a run. The lines of a failure describe the first problem.
    pub fn of(program: &str, name: &str, outcome: &Outcome, sources: &Sources) -> Case {
        let failure = outcome.problems.first().map(|problem| {
            let mut text = problem.in_lines(sources);
            let more = outcome.problems.len() - 1;
            if more > 0 {
                text.push_str(&format!("and {more} more failing port{}\n", if more == 1 { "" } else { "s" }));
            }
            if !outcome.drops.is_empty() {
                let drops: Vec<String> =
                    outcome.drops.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
                text.push_str(&format!("dropped: {}\n", drops.join(", ")));
            }
            text
        });
        Case { program: program.to_owned(), name: name.to_owned(), failure }
    }

    /// Whether the test passed.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.failure {
            None => write!(f, "ok   {}", self.name),
            Some(failure) => {
                write!(f, "FAIL {}", self.name)?;
                failure.lines().try_for_each(|line| write!(f, "\n     {line}"))
            }
        }
    }
}

impl Problem {
    /// Lines with position, message and packets.
    pub fn in_lines(&self, sources: &Sources) -> String {
        let mut text = match self.span {
            None => String::new(),
            Some(span) => {
                format!("{}:{}: ", sources.file(span.file).name, sources.position(span).0)
            }
        };
        text.push_str(&self.message);
        text.push('\n');
        for line in &self.detail {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Cases as JUnit XML, with one suite per program.
pub fn junit(cases: &[Case]) -> String {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory cannot fail.
    let _: io::Result<()> = write(&mut out, cases);
    let mut text = String::from_utf8_lossy(&out.into_inner()).into_owned();
    text.push('\n');
    text
}

fn write(out: &mut Writer<Vec<u8>>, cases: &[Case]) -> io::Result<()> {
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let count = |cases: &[&Case]| {
        let failed = cases.iter().filter(|case| !case.passed()).count();
        [cases.len().to_string(), failed.to_string()]
    };
    let all: Vec<&Case> = cases.iter().collect();
    let [tests, failures] = count(&all);
    let suites = out.create_element("testsuites");
    let suites = suites.with_attributes([("tests", &*tests), ("failures", &*failures)]);
    suites.write_inner_content(|out| {
        let mut programs: Vec<&str> = Vec::new();
        for case in cases {
            if !programs.contains(&case.program.as_str()) {
                programs.push(&case.program);
            }
        }
        for program in programs {
            let own: Vec<&Case> = cases.iter().filter(|case| case.program == program).collect();
            let [tests, failures] = count(&own);
            let suite = out.create_element("testsuite");
            let program = printable(program);
            let suite =
                suite.with_attributes([("name", &*program), ("tests", &*tests), ("failures", &*failures)]);
            suite.write_inner_content(|out| own.iter().try_for_each(|case| write_case(out, case)))?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_case(out: &mut Writer<Vec<u8>>, case: &Case) -> io::Result<()> {
    let (name, program) = (printable(&case.name), printable(&case.program));
    let element =
        out.create_element("testcase").with_attributes([("name", &*name), ("classname", &*program)]);
    let Some(failure) = &case.failure else { return element.write_empty().map(drop) };
    let failure = printable(failure);
    let first = failure.lines().next().unwrap_or_default().to_owned();
    let written = element.write_inner_content(|out| {
        let inner = out.create_element("failure").with_attribute(("message", &*first));
        inner.write_text_content(BytesText::new(&failure)).map(drop)
    });
    written.map(drop)
}

/// Removes control characters, which XML cannot contain even as references.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '?' } else { c }).collect()
}
