//! Invalid scenario files: one message with file, line and remedy, exit status 2, nothing written.

use super::support::{Folder, SMALL, changed};

/// `run` refuses a file of that text with that message and leaves the folder as it was.
#[track_caller]
fn refuses(text: &str, message: &str) {
    let folder = Folder::new();
    folder.write("bad.toml", text);
    assert_eq!(folder.jettison(&["run", "bad.toml"]).refused(), message);
    assert_eq!(folder.names(""), ["bad.toml"]);
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_known_one() {
    refuses(&changed("warm_up", "warmup"), "bad.toml:3:1: unknown key `warmup`; did you mean `warm_up`?");
}

#[test]
fn an_unknown_key_of_a_discipline_is_named_too() {
    refuses(
        &changed("limit = \"20 packets\"", "limt = \"20 packets\""),
        "bad.toml:20:31: unknown key `links.bottleneck.queue.limt`; did you mean `limit`?",
    );
}

#[test]
fn the_message_about_a_wrong_unit_lists_the_valid_ones() {
    refuses(
        &changed("delay = \"4 ms\"", "delay = \"4 Mbit/s\""),
        "bad.toml:19:9: `links.bottleneck.delay`: `Mbit/s` is not a unit of a duration; use one of ns, us, ms, s, min",
    );
}

#[test]
fn the_message_about_a_missing_unit_shows_one() {
    refuses(
        &changed("delay = \"4 ms\"", "delay = 4"),
        "bad.toml:19:9: `links.bottleneck.delay` must be a duration with its unit (such as \"20 ms\"), got 4",
    );
}

#[test]
fn the_message_about_an_unknown_node_lists_the_known_ones() {
    refuses(
        &changed("between = [\"r\", \"b\"]", "between = [\"r\", \"nowhere\"]"),
        "bad.toml:17:17: unknown node `nowhere`; known: a, r, b",
    );
    refuses(&changed("to = \"b\"", "to = \"bb\""), "bad.toml:24:6: unknown node `bb`; did you mean `b`?");
}

#[test]
fn the_message_about_an_unreachable_destination_says_what_is_missing() {
    let island = "[nodes]\nisland = { kind = \"host\" }";
    refuses(
        &changed("to = \"b\"", "to = \"island\"").replacen("[nodes]", island, 1),
        "bad.toml:25:6: no path of links and routers from `a` to `island`; add the missing link to [links]",
    );
}

#[test]
fn the_message_about_a_zero_rate_shows_how_to_write_an_outage() {
    refuses(
        &changed("rate = \"5 Mbit/s\"", "rate = \"0 Mbit/s\""),
        "bad.toml:18:8: `links.bottleneck.rate` must be > 0, got 0 bit/s; for an outage, set the rate to zero and back in \
         `changes`",
    );
}

#[test]
fn a_duration_not_longer_than_the_warm_up_leaves_nothing_to_measure() {
    // Without [quick], whose duration would be too short as well.
    let (without_quick, _) = SMALL.split_once("[quick]").expect("the scenario has a [quick] table");
    for warm_up in ["2 s", "3 s"] {
        refuses(
            &without_quick.replace("warm_up = \"500 ms\"", &format!("warm_up = \"{warm_up}\"")),
            &format!(
                "bad.toml:2:12: `duration` must be longer than `warm_up` ({warm_up}), got 2 s; lengthen `duration` or \
                 shorten `warm_up`"
            ),
        );
    }
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_the_line() {
    let folder = Folder::new();
    folder.write("bad.toml", &changed("seeds = 2", "seeds = = 2"));
    let said = folder.jettison(&["run", "bad.toml"]).refused();
    assert!(said.starts_with("bad.toml:4:"), "{said}");
    assert_eq!((said.lines().count(), folder.names("")), (1, vec!["bad.toml".to_owned()]));
}

#[test]
fn the_line_of_an_error_is_shown_with_the_place_marked() {
    let folder = Folder::new();
    folder.write("bad.toml", &changed("limit = \"20 packets\"", "limt = \"20 packets\""));
    for command in ["run", "check"] {
        let said = folder.jettison(&[command, "bad.toml"]).refused_with_lines();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3, "{said}");
        assert!(
            lines[0].starts_with("bad.toml:20:31: unknown key") && lines[1].starts_with("  20 | queue = "),
            "{said}"
        );
        let from = lines[2].find('^').expect("the place is marked");
        assert_eq!((&lines[1][from..from + 4], &lines[2][from..]), ("limt", "^^^^"), "{said}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let said = Folder::new().jettison(&["run", "nothing.toml"]).refused();
    assert!(said.starts_with("nothing.toml: cannot be read: "), "{said}");
    assert!(said.ends_with("; name an existing scenario file"), "{said}");
}

#[test]
fn each_error_of_a_file_has_its_own_line() {
    let text = changed("warm_up", "warmup").replacen("to = \"b\"", "to = \"bb\"", 1);
    refuses(
        &text,
        "bad.toml:3:1: unknown key `warmup`; did you mean `warm_up`?\n\
         bad.toml:24:6: unknown node `bb`; did you mean `b`?",
    );
}

#[test]
fn an_option_with_an_unknown_key_is_quoted_as_written() {
    let folder = Folder::with_small();
    let set = |option: &str| folder.jettison(&["run", "small.toml", "--set", option]).refused();
    assert_eq!(
        set("links.bottleneck.rat=1 Mbit/s"),
        "--set links.bottleneck.rat=1 Mbit/s: unknown key `links.bottleneck.rat`; did you mean `links.bottleneck.rate`?"
    );
    assert_eq!(
        set("duration"),
        "--set duration: `duration` has no `=`; write --set path=value, such as --set \"links.bottleneck.rate=5 Mbit/s\""
    );
    assert_eq!(folder.names(""), ["small.toml"]);
}

#[test]
fn words_of_tc_are_answered_with_the_words_here() {
    let queue =
        |word: &str| changed("{ kind = \"tail-drop\", limit = \"20 packets\" }", &format!("\"{word}\""));
    let unknown = |word: &str| format!("unknown queue `{word}`, neither a [queues] entry nor a discipline");
    for (word, help) in [
        ("pfifo", "Linux's fifo is `tail-drop`"),
        ("prio", "Linux's prio is `priority`"),
        ("netem", "keys of the link"),
    ] {
        let folder = Folder::new();
        folder.write("bad.toml", &queue(word));
        let printed = folder.jettison(&["run", "bad.toml"]).refused();
        assert!(printed.contains(&unknown(word)) && printed.contains(help), "{printed}");
    }
}

#[test]
fn a_link_that_loses_every_packet_is_warned_of() {
    let folder = Folder::new();
    folder.write("lossy.toml", &changed("delay = \"4 ms\"", "delay = \"4 ms\"\nloss = 1"));
    let printed = folder.jettison(&["run", "lossy.toml", "--runs", "1"]).stderr;
    assert!(
        printed.contains(
            "warning: lossy.toml:20:8: `links.bottleneck.loss` is 100 %: the link loses every packet"
        ),
        "{printed}"
    );
    assert_eq!(printed.matches("100 %").count(), 1, "once for all variants: {printed}");
}
