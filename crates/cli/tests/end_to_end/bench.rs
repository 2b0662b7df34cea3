//! `jettison bench`, as far as it measures nothing: figures are for `make bench`.

use super::support::Folder;

#[test]
fn list_names_the_benchmarks_and_their_groups() {
    let printed = Folder::new().jettison(&["bench", "--list"]).ok();
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    for name in ["tcp-codel-A", "udp-F"] {
        assert!(lines.contains(&vec![name, "foundation"]), "{printed}");
    }
    let of_group = Folder::new().jettison(&["bench", "--list", "foundation"]).ok();
    assert!(printed.contains(&of_group) && !of_group.is_empty());
}

#[test]
fn an_unknown_name_is_told_the_known_ones() {
    let said = Folder::new().jettison(&["bench", "nonsense"]).refused();
    assert!(said.starts_with("jettison: there is no benchmark `nonsense`; there are: "), "{said}");
    assert!(said.contains("tcp-codel-A") && said.contains("udp-F"), "{said}");
}
