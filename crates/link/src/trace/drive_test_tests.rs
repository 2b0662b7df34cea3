//! Tests of the drive-test reader.

use proptest::prelude::*;

use super::*;

const HEADING: &str = "Timestamp,Speed,DL_bitrate,UL_bitrate,State\n";

fn parse(text: &[u8], column: Column) -> Result<Grants, DriveTestError> {
    DriveTest::parse(text, column, Restarts::Interpolate).map(|test| test.grants)
}

fn read(rows: &str) -> Grants {
    parse(format!("{HEADING}{rows}").as_bytes(), Column::Downlink).unwrap()
}

fn refusal(text: &str) -> String {
    let error = parse(text.as_bytes(), Column::Downlink).unwrap_err();
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
    let grants = parse(text.as_bytes(), Column::Uplink).unwrap();
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

/// Rows of these rates in kbit/s, one each second.
fn each_second(kbit: &[u64]) -> String {
    let row = |(second, kbit): (usize, &u64)| format!("2019.12.16_13.40.{second:02},0,{kbit},{kbit},D\n");
    format!("{HEADING}{}", kbit.iter().enumerate().map(row).collect::<String>())
}

#[test]
fn restarts_of_downloads_are_interpolated_or_kept_and_outages_stay() {
    let mut rates = [40_000; 40];
    (rates[8], rates[9]) = (0, 1_000);
    rates[10] = 10_000;
    rates[22..27].fill(0);
    let text = each_second(&rates);
    let of = |column, handling| DriveTest::parse(text.as_bytes(), column, handling).unwrap();
    for column in [Column::Downlink, Column::Uplink] {
        let kept = of(column, Restarts::Keep);
        assert_eq!(seconds(&kept.grants), rates);
        let interpolated = of(column, Restarts::Interpolate);
        (rates[8], rates[9]) = (30_000, 20_000);
        assert_eq!(seconds(&interpolated.grants), rates);
        (rates[8], rates[9]) = (0, 1_000);
        for test in [kept, interpolated] {
            assert_eq!((test.restarts, test.restarting), (1, Duration::from_secs(2)));
        }
    }
}

#[test]
fn info_says_how_many_restarts_there_are() {
    use crate::trace::{Recording, TraceInfo};
    let mut rates = [40_000; 40];
    (rates[8], rates[20], rates[21]) = (0, 0, 0);
    let text = each_second(&rates);
    let info = |handling| {
        TraceInfo::of(&Recording::drive_test(text.as_bytes(), Column::Downlink, handling).unwrap())
    };
    let (usual, kept) = (info(Restarts::Interpolate), info(Restarts::Keep));
    assert!(
        usual.to_string().ends_with("restarts        2 of downloads, 3 s in total, interpolated"),
        "{usual}"
    );
    assert!(kept.to_string().ends_with("restarts        2 of downloads, 3 s in total, kept"), "{kept}");
    assert_eq!((usual.outages, kept.outages), (0, 2));
    let json = serde_json::to_value(&usual).unwrap();
    assert_eq!(json["download_restarts"], 2);
    assert_eq!(json["download_restarts_together_s"], 3.0);
    assert_eq!(json["download_restarts_are"], "interpolate");
}

#[test]
fn a_cell_keeps_restarts_on_request() {
    use crate::CellFile;
    let mut rates = [40_000; 20];
    rates[8] = 0;
    let text = each_second(&rates);
    let total = |json: serde_json::Value| {
        let cell: CellFile = serde_json::from_value(json).unwrap();
        cell.read(text.as_bytes()).unwrap().total()
    };
    let usual = total(serde_json::json!({"file": "a.csv"}));
    let kept = total(serde_json::json!({"file": "a.csv", "restarts": "keep"}));
    assert_eq!((usual, kept), (20 * 5_000_000, 19 * 5_000_000));
    let wrong = serde_json::json!({"file": "a.csv", "restarts": "maybe"});
    assert!(
        serde_json::from_value::<CellFile>(wrong)
            .unwrap_err()
            .to_string()
            .contains("unknown variant `maybe`")
    );
}

/// The recordings of the dataset, where they are; `JETTISON_DATA` names the folder of recordings.
#[test]
fn restarts_of_recordings_have_the_rhythm_of_downloads() {
    let Some(folder) = std::env::var_os("JETTISON_DATA") else { return };
    for (file, restarts) in [
        ("B_2019.12.16_13.40.04.csv", 122),
        ("B_2020.01.16_09.56.56.csv", 102),
        ("B_2020.02.13_13.57.29.csv", 196),
        ("B_2020.02.14_13.21.26.csv", 73),
    ] {
        let path = std::path::Path::new(&folder).join("networks/5g").join(file);
        let Ok(text) = std::fs::read(path) else { continue };
        let down = DriveTest::parse(&text, Column::Downlink, Restarts::Keep).unwrap();
        let up = DriveTest::parse(&text, Column::Uplink, Restarts::Keep).unwrap();
        assert_eq!((down.restarts, up.restarts), (restarts, 0), "{file}");
    }
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
        let _ = parse(&text, Column::Downlink);
    }

    #[test]
    fn rows_of_anything_are_read_or_refused_without_panic(rows in "[0-9._,D\n]{0,120}") {
        let _ = parse(format!("{HEADING}{rows}").as_bytes(), Column::Downlink);
    }
}
