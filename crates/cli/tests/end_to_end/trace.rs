//! `jettison trace info`.

use super::support::{Folder, keys};

#[test]
fn says_what_a_trace_offers() {
    let folder = Folder::new();
    folder.write("steps.down", "2\n4\n6\n6\n10\n");
    let printed = folder.jettison(&["trace", "info", "steps.down"]).ok();
    assert!(printed.starts_with("steps.down\n"), "{printed}");
    // 5 × 1,504 bytes every 10 ms, nothing from 6 to 10 ms, two at 6 ms.
    for part in
        ["5 of up to 1,504 bytes", "10 ms", "6.016 Mbit/s", "4 ms, from 6 ms on", "2 in a millisecond"]
    {
        assert!(printed.contains(part), "{part} is not in:\n{printed}");
    }
}

#[test]
fn json_has_the_same_figures() {
    let folder = Folder::new();
    folder.write("steps.down", "2\n4\n6\n6\n10\n");
    let records = folder.jettison(&["trace", "info", "steps.down", "--json"]).records();
    assert_eq!(records.len(), 1);
    let info = &records[0];
    assert_eq!(
        keys(info)[..3],
        ["opportunities", "period_s", "mean_mbit_s"],
        "the figures that everyone looks for come first"
    );
    assert_eq!(info["opportunities"], 5);
    assert_eq!(info["period_s"], 0.01);
    assert_eq!(info["mean_mbit_s"], 6.016);
    assert_eq!(info["longest_outage_s"], 0.004);
    assert_eq!(info["longest_outage_at_s"], 0.006);
    assert_eq!(info["most_in_a_millisecond"], 2);
}

#[test]
fn lines_may_end_as_they_do_on_windows() {
    let folder = Folder::new();
    folder.write("windows.down", "2\r\n4\r\n");
    let records = folder.jettison(&["trace", "info", "windows.down", "--json"]).records();
    assert_eq!(records[0]["opportunities"], 2);
}
