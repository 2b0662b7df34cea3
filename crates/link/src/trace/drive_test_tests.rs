//! Tests of the drive-test reader.

use proptest::prelude::*;

use super::*;

const HEADING: &str = "Timestamp,Speed,DL_bitrate,UL_bitrate,State\n";

fn read(rows: &str) -> Grants {
    Grants::parse_drive_test(format!("{HEADING}{rows}").as_bytes(), Column::Downlink).unwrap()
}

fn refusal(text: &str) -> String {
    let error = Grants::parse_drive_test(text.as_bytes(), Column::Downlink).unwrap_err();
    match error.line() {
        Some(line) => format!("line {line}: {error}"),
        None => error.to_string(),
    }
}

/// Kilobits per second, for each second.
fn seconds(grants: &Grants) -> Vec<u64> {
    let until = |second: u64| grants.granted_before(second * 1_000);
    (0..grants.period() / 1_000).map(|second| (until(second + 1) - until(second)) / 125).collect()
}

#[test]
fn a_row_is_the_rate_of_its_second() {
    let grants = read("2019.12.16_13.40.04,0,72,20,D\n2019.12.16_13.40.05,0,300,1,D\n");
    assert_eq!(seconds(&grants), [72, 300]);
    assert_eq!(grants.granted_before(10), 90, "spread evenly: 72 kbit/s are 9 bytes per millisecond");
}

#[test]
fn the_uplink_is_another_column() {
    let text = format!("{HEADING}2019.12.16_13.40.04,0,72,20,D\r\n");
    let grants = Grants::parse_drive_test(text.as_bytes(), Column::Uplink).unwrap();
    assert_eq!(seconds(&grants), [20]);
}

#[test]
fn the_last_row_of_a_second_holds() {
    let rows = "2019.12.16_13.40.04,0,72,0,D\n2019.12.16_13.40.04,0,8,0,D\n2019.12.16_13.40.05,0,3,0,I\n";
    assert_eq!(seconds(&read(rows)), [8, 3]);
}

#[test]
fn a_rate_holds_over_seconds_without_a_row_and_over_midnight() {
    let rows = "2020.02.28_23.59.58,0,72,0,D\n2020.02.29_00.00.01,0,5,0,D\n";
    assert_eq!(seconds(&read(rows)), [72, 72, 72, 5]);
    let year = "2020.12.31_23.59.59,0,1,0,D\n2021.01.01_00.00.00,0,2,0,D\n";
    assert_eq!(seconds(&read(year)), [1, 2]);
}

#[test]
fn fractions_of_a_kilobit_are_read() {
    assert_eq!(read("2019.12.16_13.40.04,0,0.4,0,D\n").total(), 50);
}

#[test]
fn each_mistake_is_named_with_its_line() {
    assert!(
        refusal("Timestamp,Speed,bitrate\n2019.12.16_13.40.04,0,72\n")
            .starts_with("line 1: column `DL_bitrate` required, found: Timestamp,Speed,bitrate")
    );
    assert!(refusal("DL_bitrate\n72\n").starts_with("line 1: column `Timestamp` required"));
    let with = |rows: &str| refusal(&format!("{HEADING}{rows}"));
    assert_eq!(
        with("2019.12.16_13.40.04,0,72,20\n"),
        "line 2: a row must have 5 fields, one per column, got 4"
    );
    assert!(
        with("2019.12.16_13.40.04,0,72,20,D\n\n2019.12.16_13.40.05,0,7,2,D\n")
            .starts_with("line 3: a row must have 5 fields")
    );
    for rate in ["-1", "", "-", "1e3", "inf", "NaN", "1.2.3", "1000000001"] {
        let said = with(&format!("2019.12.16_13.40.04,0,{rate},20,D\n"));
        assert_eq!(said, format!("line 2: rate must be 0 to 1000000000 kbit/s, got `{rate}`"));
    }
    for time in
        ["13:40:04", "2019.13.16_13.40.04", "2019.02.29_13.40.04", "2019.12.16_24.00.00", "a.b.c_1.2.3"]
    {
        let said = with(&format!("{time},0,1,20,D\n"));
        assert_eq!(said, format!("line 2: time must have the form 2019.12.16_13.40.04, got `{time}`"));
    }
    assert!(
        with("2019.12.16_13.40.04,0,72,20,D\n2019.12.16_13.40.03,0,72,20,D\n")
            .starts_with("line 3: rows must be in order of time: `2019.12.16_13.40.03` precedes")
    );
    assert!(with("2019.12.16_13.40.04,0,0,20,D\n").contains("must grant at least 1 byte"));
    assert!(with("2019.12.16_13.40.04,0,1,20,D\n2029.12.16_13.40.04,0,1,20,D\n").contains("at most"));
    assert!(with("").contains("found no row"));
    assert!(refusal("").contains("found no row"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_without_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Grants::parse_drive_test(&text, Column::Downlink);
    }

    #[test]
    fn rows_of_anything_are_read_or_refused_without_panic(rows in "[0-9._,D\n]{0,120}") {
        let _ = Grants::parse_drive_test(format!("{HEADING}{rows}").as_bytes(), Column::Downlink);
    }
}
