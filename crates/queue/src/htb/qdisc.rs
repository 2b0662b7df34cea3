//! HTB for Linux: tc-htb(8).

use jettison_registry::ParameterError;
use serde_json::Value;

use super::HtbParameters;
use super::parameters::Tree;
use crate::tbf::tc_framing;
use crate::{Class, Limit, Qdisc, QdiscContext, tc_rate};

/// Minor number of the root class; that of class `n` of the list is `n + 2`.
const ROOT: u16 = 1;

pub(super) fn qdisc(parameters: HtbParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let tree = parameters.tree()?;
    let mut qdisc = Qdisc::new("htb").note_if(
        parameters.limit != Limit::UNLIMITED,
        "limit: Linux's htb has none for all classes together",
    );
    let default = if parameters.classes.is_empty() { ROOT } else { minor(tree.default) };
    // tc reads minor numbers as hexadecimal.
    qdisc = qdisc.option("default", format!("{default:x}"));
    qdisc.shapes = Some(parameters.rate);
    let framing = tc_framing(parameters.overhead, context)?;
    let mut options = vec!["rate".to_owned(), tc_rate(parameters.rate)];
    for name in ["burst", "cburst"] {
        options.extend([name.to_owned(), parameters.burst().get().to_string()]);
    }
    options.extend(framing.iter().cloned());
    let mut root = Class { minor: ROOT, options, ..Class::default() };
    if parameters.classes.is_empty() {
        root.child = Some(context.inner(&Value::from("tail-drop"))?);
    } else {
        root.classes = below(&parameters, &tree, 0, &framing, context)?;
    }
    qdisc.classes.push(root);
    for (number, class) in parameters.classes.iter().enumerate() {
        for (at, found) in class.matches.iter().enumerate() {
            let filters = found.filters(minor(number)).map_err(|error| {
                error.under(&at.to_string()).under("match").under(&number.to_string()).under("classes")
            })?;
            qdisc.filters.extend(filters);
        }
    }
    Ok(qdisc)
}

fn minor(number: usize) -> u16 {
    number as u16 + ROOT + 1
}

/// The classes below a parent: 0 for the root, `n + 1` for class `n`.
fn below(
    parameters: &HtbParameters,
    tree: &Tree,
    parent: usize,
    framing: &[String],
    context: &QdiscContext<'_>,
) -> Result<Vec<Class>, ParameterError> {
    let mut classes = Vec::new();
    for number in (0..parameters.classes.len()).filter(|number| tree.parents[*number] == parent) {
        let given = &parameters.classes[number];
        let mut options: Vec<String> = Vec::new();
        for (name, value) in [
            ("rate", tc_rate(given.rate)),
            ("ceil", tc_rate(given.ceil())),
            ("burst", given.burst.get().to_string()),
            ("cburst", given.cburst.get().to_string()),
            ("prio", given.prio.to_string()),
            ("quantum", given.quantum().get().to_string()),
        ] {
            options.extend([name.to_owned(), value]);
        }
        options.extend(framing.iter().cloned());
        let child = match tree.has_children[number] {
            true => None,
            false => {
                let tail_drop = Value::from("tail-drop");
                let inner = context.inner(given.queue.as_ref().unwrap_or(&tail_drop));
                Some(
                    inner
                        .map_err(|error| error.under("queue").under(&number.to_string()).under("classes"))?,
                )
            }
        };
        let classes_below = below(parameters, tree, number + 1, framing, context)?;
        classes.push(Class { minor: minor(number), options, child, classes: classes_below });
    }
    Ok(classes)
}
