//! Aliases: the shortest suffix of a name, at a dot, that no other object of its kind has (§6.3).

use crate::proto::info::{P4Info, Preamble};

/// Sets the alias of each object.
pub(super) fn set_aliases(info: &mut P4Info) {
    fn all<T>(objects: &mut [T], preamble: fn(&mut T) -> &mut Option<Preamble>) {
        let names: Vec<String> =
            objects.iter_mut().map(|object| preamble(object).clone().unwrap_or_default().name).collect();
        for (object, alias) in objects.iter_mut().zip(aliases(&names)) {
            if let Some(preamble) = preamble(object) {
                preamble.alias = alias;
            }
        }
    }
    all(&mut info.tables, |object| &mut object.preamble);
    all(&mut info.actions, |object| &mut object.preamble);
    all(&mut info.action_profiles, |object| &mut object.preamble);
    all(&mut info.counters, |object| &mut object.preamble);
    all(&mut info.direct_counters, |object| &mut object.preamble);
    all(&mut info.meters, |object| &mut object.preamble);
    all(&mut info.direct_meters, |object| &mut object.preamble);
    all(&mut info.controller_packet_metadata, |object| &mut object.preamble);
    all(&mut info.value_sets, |object| &mut object.preamble);
    all(&mut info.registers, |object| &mut object.preamble);
    all(&mut info.digests, |object| &mut object.preamble);
}

fn aliases(names: &[String]) -> Vec<String> {
    let is_suffix = |name: &str, suffix: &str| {
        name.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let alias = |name: &String| {
        let starts = name.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
        let mut suffixes = starts.map(|start| &name[start..]);
        let unique = |suffix: &&str| names.iter().filter(|other| is_suffix(other, suffix)).count() == 1;
        suffixes.find(unique).unwrap_or(name).to_owned()
    };
    names.iter().map(alias).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_the_shortest_unique_suffix() {
        let names = ["ingress.a.send", "egress.a.send", "ingress.drop", "NoAction", "x.NoAction"];
        let aliases = aliases(&names.map(str::to_owned));
        assert_eq!(aliases, ["ingress.a.send", "egress.a.send", "drop", "NoAction", "x.NoAction"]);
    }
}
