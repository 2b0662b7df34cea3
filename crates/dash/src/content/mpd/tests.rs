use super::*;
use crate::content::Picture;
use proptest::prelude::*;

const OPEN: Open = Open { encoder_buffer: Duration::from_secs(1), segment_duration: None };

/// Returns an MPD of two video representations with text inside, and around, the AdaptationSet.
fn mpd(period: &str, set: &str) -> String {
    format!(
        r#"<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT0H0M10.5S">
  <Period>{period}
    <AdaptationSet mimeType="video/mp4" frameRate="30000/1001">
      {set}
      <Representation id="high" bandwidth="2000000" width="1280" height="720" codecs="avc1.64001f"/>
      <Representation id="low" bandwidth="300000" width="426" height="240" frameRate="15"/>
    </AdaptationSet>
  </Period>
</MPD>
"#
    )
}

fn read_text(text: &str) -> Presentation {
    read(text.as_bytes(), OPEN).expect("the text is an MPD that can be streamed")
}

fn refusal(text: &str) -> String {
    let error = read(text.as_bytes(), OPEN).expect_err("the text is refused");
    error.in_file("city.mpd")
}

fn millis(set: &DraftSet) -> Vec<u64> {
    set.durations.iter().map(|duration| duration.as_millis()).collect()
}

#[test]
fn a_template_of_one_duration_fills_the_period() {
    // §5.3.9.5.3: the last segment ends with the Period.
    let text = mpd("", r#"<SegmentTemplate duration="8000" timescale="2000" media="$Number$.m4s"/>"#);
    let presentation = read_text(&text);
    let video = &presentation.draft.video;
    assert_eq!(millis(video), [4_000, 4_000, 2_500]);
    assert_eq!(presentation.draft.manifest, Some(text.len() as u64));
    assert_eq!(presentation.draft.audio, None);
    let low = &video.representations[0];
    assert_eq!((low.id.as_str(), low.bitrate), ("low", Rate::from_kbit(300)));
    assert_eq!(low.picture, Some(Picture { width: 426, height: 240, frame_rate: 15.0 }));
    assert_eq!(low.codec, "unknown");
    assert_eq!(low.sizes, Sizes::Drawn { buffer: Duration::from_secs(1) });
    let high = &video.representations[1];
    assert_eq!((high.id.as_str(), high.codec.as_str()), ("high", "avc1.64001f"));
    let rate = high.picture.map(|picture| picture.frame_rate);
    assert_eq!(rate, Some(30_000.0 / 1_001.0));
}

#[test]
fn end_numbers_and_fractions_of_durations_are_read() {
    let text =
        mpd("", r#"<SegmentTemplate duration="2002.5" timescale="1000" startNumber="3" endNumber="5"/>"#);
    let boundaries = read_text(&text).draft.video.durations;
    assert_eq!(boundaries, [Duration::from_micros(2_002_500); 3]);
}

#[test]
fn missing_attributes_are_inherited_from_the_set_or_the_period() {
    // §5.3.9.1: attributes are inherited one by one.
    let text = mpd(
        r#"<SegmentTemplate timescale="1000" duration="9000"/>"#,
        r#"<SegmentTemplate duration="5000"/>"#,
    );
    assert_eq!(millis(&read_text(&text).draft.video), [5_000, 5_000, 500]);
}

#[test]
fn a_timeline_repeats_and_its_end_is_the_periods() {
    // §5.3.9.6: @r counts repetitions; negative, it fills up to the next S or the end of the Period.
    let timeline = r#"<SegmentTemplate timescale="10" presentationTimeOffset="100"><SegmentTimeline>
        <S t="100" d="20" r="1"/><S d="10"/><S d="15" r="-1"/></SegmentTimeline></SegmentTemplate>"#;
    assert_eq!(
        millis(&read_text(&mpd("", timeline)).draft.video),
        [2_000, 2_000, 1_000, 1_500, 1_500, 1_500, 1_000]
    );
    let timeline = r#"<SegmentTemplate timescale="10"><SegmentTimeline>
        <S t="0" d="20" r="-1"/><S t="50" d="40"/></SegmentTimeline></SegmentTemplate>"#;
    assert_eq!(millis(&read_text(&mpd("", timeline)).draft.video), [2_000, 2_000, 1_000, 4_000]);
}

#[test]
fn rounding_of_ticks_to_nanoseconds_does_not_accumulate() {
    let timeline = r#"<SegmentTemplate timescale="3"><SegmentTimeline><S d="1" r="30"/></SegmentTimeline></SegmentTemplate>"#;
    let durations = read_text(&mpd("", timeline)).draft.video.durations;
    let total = durations.iter().copied().fold(Duration::ZERO, Duration::saturating_add);
    assert_eq!(total, Duration::from_nanos(31_000_000_000 / 3));
}

#[test]
fn byte_ranges_of_a_list_are_sizes() {
    let list = r#"<SegmentList duration="4" ><Initialization range="0-862"/>
        <SegmentURL mediaRange="863-1862"/><SegmentURL mediaRange="1863-1863"/><SegmentURL mediaRange="1864-3863"/>
        </SegmentList>"#;
    let video = read_text(&mpd("", list)).draft.video;
    assert_eq!(millis(&video), [4_000, 4_000, 2_500]);
    for representation in &video.representations {
        assert_eq!(representation.sizes, Sizes::Known(vec![1_000, 1, 2_000]));
        assert_eq!(representation.initialization, Some(863));
    }
    let without_ranges =
        r#"<SegmentList duration="4"><SegmentURL media="1"/><SegmentURL media="2"/></SegmentList>"#;
    let video = read_text(&mpd("", without_ranges)).draft.video;
    assert_eq!(millis(&video), [4_000, 4_000]);
    assert!(matches!(video.representations[0].sizes, Sizes::Drawn { .. }));
}

#[test]
fn files_with_an_index_need_the_length_of_their_segments() {
    let text = mpd("", r#"<SegmentBase indexRange="900-1000"><Initialization range="0-899"/></SegmentBase>"#);
    assert!(refusal(&text).contains("`segment_duration`"), "{}", refusal(&text));
    let open = Open { segment_duration: Some(Duration::from_secs(4)), ..OPEN };
    let video = read(text.as_bytes(), open).expect("the length is given").draft.video;
    assert_eq!(millis(&video), [4_000, 4_000, 2_500]);
    assert_eq!(video.representations[0].initialization, Some(900));
}

#[test]
fn the_first_sets_of_video_and_audio_are_streamed() {
    let template = r#"<SegmentTemplate duration="5"/>"#;
    let text = mpd(
        &format!(
            r#"{template}
    <AdaptationSet contentType="text"><Representation id="subtitles" bandwidth="1"/></AdaptationSet>
    <AdaptationSet contentType="image"><Representation id="thumbnails" bandwidth="9"/></AdaptationSet>
    <AdaptationSet contentType="video"><EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode" value="1"/>
        <Representation id="winding" bandwidth="7"/></AdaptationSet>
    <AdaptationSet lang="en"><SegmentTemplate duration="2"/>
        <Representation id="english" bandwidth="64000" mimeType="audio/mp4" codecs="mp4a.40.2"/></AdaptationSet>
    <AdaptationSet lang="de" contentType="audio"><Representation id="german" bandwidth="64000"/></AdaptationSet>"#
        ),
        "",
    );
    let presentation = read_text(&text);
    let audio = presentation.draft.audio.expect("there is audio");
    assert_eq!(audio.representations.len(), 1);
    assert_eq!(audio.representations[0].id, "english");
    assert_eq!(audio.representations[0].sizes, Sizes::Drawn { buffer: Duration::ZERO });
    assert_eq!(audio.durations.len(), 6, "its own template");
    assert_eq!(presentation.others, ["german", "subtitles", "thumbnails", "winding"]);
}

const TWO_PERIODS: &str = r#"<MPD mediaPresentationDuration="PT30S">
  <Period id="one" start="PT0S"><SegmentTemplate duration="4"/><AdaptationSet contentType="video">
    <Representation id="a" bandwidth="1000"/><Representation id="b" bandwidth="2000"/></AdaptationSet></Period>
  <Period start="PT10S"><SegmentTemplate duration="5"/><AdaptationSet contentType="video">
    <Representation id="b" bandwidth="2000"/><Representation id="a" bandwidth="1000"/></AdaptationSet></Period>
</MPD>"#;

#[test]
fn periods_with_the_same_representations_are_one_title() {
    // §5.3.2.1: a Period ends where the next one starts.
    let video = read_text(TWO_PERIODS).draft.video;
    assert_eq!(millis(&video), [4_000, 4_000, 2_000, 5_000, 5_000, 5_000, 5_000]);
    assert_eq!(video.representations[0].picture, None);
}

#[test]
fn other_periods_are_refused() {
    let other = TWO_PERIODS.replacen("id=\"b\" bandwidth=\"2000\"/><", "id=\"b\" bandwidth=\"2001\"/><", 1);
    let message = refusal(&other);
    assert!(
        message.starts_with("city.mpd:4: Period number 2 must offer the same Representations"),
        "{message}"
    );
    let audio = r#"<SegmentTemplate duration="5"/><AdaptationSet contentType="audio">
        <Representation id="c" bandwidth="10"/></AdaptationSet>"#;
    let message = refusal(&TWO_PERIODS.replacen(r#"<SegmentTemplate duration="5"/>"#, audio, 1));
    assert_eq!(message, "city.mpd:4: Period number 2: either all Periods must have audio or none");
}

#[test]
fn refusals_name_the_line_and_the_element() {
    let template = r#"<SegmentTemplate duration="5"/>"#;
    let good = mpd("", template);
    for (from, to, message) in [
        ("type=\"static\"", "type=\"dynamic\"", "city.mpd:2: must have @type=\"static\", got \"dynamic\""),
        (
            "mimeType=\"video/mp4\"",
            "mimeType=\"text/vtt\"",
            "city.mpd:3: Period number 1 has no AdaptationSet of contentType or mimeType video",
        ),
        (" bandwidth=\"300000\"", "", "city.mpd:7: Representation `low` has no @bandwidth"),
        (
            "\"300000\"",
            "\"0\"",
            "city.mpd:7: Representation `low` must have a @bandwidth in [1, 1000000000000], got 0",
        ),
        (
            "\"300000\"",
            "\"2000000\"",
            "city.mpd:7: Representation `low` must differ in id and @bandwidth from the others, got the @bandwidth of `high`",
        ),
        (
            "\"low\"",
            "\"high\"",
            "city.mpd:7: Representation `high` must differ in id and @bandwidth from the others, got the id of `high`",
        ),
        ("\"low\"", "\"a b\"", "city.mpd:7: Representation `a b` must have an @id of 1 to 200 characters"),
        ("id=\"low\" ", "", "city.mpd:7: Representation number 2 has no @id"),
        (
            "\"15\"",
            "\"15/0\"",
            "city.mpd:7: Representation `low` must have a @frameRate such as \"30\" or \"30000/1001\", got `15/0`",
        ),
        ("\"426\"", "\"0\"", "city.mpd:7: Representation `low` must have a @width in [1, 4294967295], got 0"),
        (
            "duration=\"5\"",
            "",
            "city.mpd:6: Representation `high` must have a SegmentTemplate with @duration or",
        ),
        (
            "duration=\"5\"",
            "duration=\"0\"",
            "city.mpd:6: Representation `high` must have a SegmentTemplate with a @duration > 0, got",
        ),
        (
            "duration=\"5\"",
            "duration=\"NaN\"",
            "city.mpd:6: Representation `high` must have a SegmentTemplate with a @duration > 0, got",
        ),
        (
            "duration=\"5\"",
            "duration=\"5\" timescale=\"0\"",
            "city.mpd:6: Representation `high` must have a @timescale > 0, got 0",
        ),
        (
            "duration=\"5\"",
            "duration=\"5\" timescale=\"9999999\"",
            "city.mpd:6: Representation `high` must have at most 100000 segments, got 20999998",
        ),
        ("PT0H0M10.5S", "PT0S", "city.mpd:3: Period number 1 must have a length > 0, got 0 s"),
        ("PT0H0M10.5S", "P3Y", "city.mpd:2: @mediaPresentationDuration must be at most"),
        (
            "PT0H0M10.5S",
            "P99999999999Y",
            "city.mpd:2: @mediaPresentationDuration must be a duration below 2^64 ns, got `P99999999999Y`",
        ),
        ("PT0H0M10.5S", "ten seconds", "city.mpd:2: invalid MPD: @mediaPresentationDuration"),
        (
            " mediaPresentationDuration=\"PT0H0M10.5S\"",
            "",
            "city.mpd:6: Representation `high` must be in a Period of known length",
        ),
        ("<Period>", "<Period xlink:href=\"x\">", "city.mpd:3: Period number 1: unsupported: remote element"),
        (
            "id=\"low\"",
            "id=\"low\" dependencyId=\"high\"",
            "city.mpd:7: Representation `low` depends on another one",
        ),
        (
            "\"300000\"",
            "\"-1\"",
            "city.mpd:7: invalid MPD: Period[0].AdaptationSet[0].Representation[1].@bandwidth",
        ),
        ("</Period>", "", "city.mpd:10: ill-formed document: expected `</Period>`, but `</MPD>` was found"),
        ("</Period>\n</MPD>", "</Period>", "city.mpd:10: unexpected end of file inside an element"),
        ("</MPD>", "</MPD><MPD/>", "city.mpd:10: unexpected content after the root element"),
        ("\"low\"", "\"low\" id=\"other\"", "city.mpd:7: "),
        ("\"low\"", "\"&nobody;\"", "city.mpd:7: "),
    ] {
        assert!(good.contains(from), "{from}");
        let said = refusal(&good.replacen(from, to, 1));
        assert!(said.starts_with(message), "{to}: {said}");
    }
    assert_eq!(refusal(""), "city.mpd: must have a root element `MPD`");
    assert_eq!(refusal("<html/>"), "city.mpd:1: the root element must be `MPD`, got `html`");
    assert_eq!(refusal("<MPD/>"), "city.mpd:1: must have at least one Period");
    let error = read(b"<MPD>\n\xff</MPD>", OPEN).expect_err("it is not UTF-8");
    assert_eq!(error.in_file("city.mpd"), "city.mpd:2: must be UTF-8 text");
}

#[test]
fn a_single_video_representation_is_refused() {
    let good = mpd("", r#"<SegmentTemplate duration="5"/>"#);
    let low = good.lines().find(|line| line.contains("\"low\"")).expect("there is a low one");
    let message = refusal(&good.replacen(low, "", 1));
    assert!(
        message.starts_with("city.mpd:4: the AdaptationSet of video must have at least 2 Representations for adaptation, got 1"),
        "{message}"
    );
}

#[test]
fn invalid_timelines_are_refused() {
    for (timeline, message) in [
        ("", "must have a SegmentTimeline with a segment"),
        (r#"<S t="0"/>"#, "S number 1 must have @d > 0"),
        (r#"<S d="10"/><S t="2" d="10"/>"#, "S number 2 must not overlap the previous one"),
        (r#"<S d="10"/><S t="20" d="10"/>"#, "S number 2 must not start after a gap"),
        (r#"<S d="1" r="-1"/><S d="1"/>"#, "S number 1 repeats until the next one, which must have @t"),
        (r#"<S t="99" d="1" r="-1"/>"#, "S number 1 must repeat until a time after its start"),
        (r#"<S d="1" r="9223372036854775807"/>"#, "must have at most 100000 segments"),
        (r#"<S d="18446744073709551615" r="9223372036854775807"/>"#, "must have at most 100000 segments"),
        (r#"<S d="18446744073709551615"/>"#, "must last at most"),
        (r#"<S t="18446744073709551615" d="5" r="-1"/>"#, "must repeat until a time after its start"),
    ] {
        let template =
            format!("<SegmentTemplate><SegmentTimeline>{timeline}</SegmentTimeline></SegmentTemplate>");
        let said = refusal(&mpd("", &template));
        assert!(said.contains(message), "{timeline}: {said}");
    }
}

#[test]
fn invalid_lists_are_refused() {
    for (list, message) in [
        (r#"duration="4">"#, "must have a SegmentList with a SegmentURL"),
        (r#"><SegmentURL/><SegmentURL/>"#, "must have a SegmentList with @duration"),
        (
            r#"duration="9"><SegmentURL/><SegmentURL/><SegmentURL/>"#,
            "must have a SegmentList within its Period, got 3 segments of 9 s",
        ),
        (
            r#"duration="9"><SegmentURL mediaRange="7-3"/>"#,
            "must have byte ranges such as \"0-862\" of at most 1 TB, got `7-3`",
        ),
        (
            r#"><SegmentTimeline><S d="2" r="1"/></SegmentTimeline><SegmentURL/>"#,
            "as its SegmentTimeline has segments (2), got 1",
        ),
    ] {
        let said = refusal(&mpd("", &format!("<SegmentList {list}</SegmentList>")));
        assert!(said.contains(message), "{list}: {said}");
    }
}

#[test]
fn representations_that_do_not_align_are_refused() {
    let own = |id, d| {
        format!(
            r#"<Representation id="{id}" bandwidth="{d}"><SegmentTemplate duration="{d}" timescale="10"/></Representation>"#
        )
    };
    let text = |a, b| {
        format!(
            r#"<MPD mediaPresentationDuration="PT9S"><Period><AdaptationSet contentType="video">{}{}</AdaptationSet></Period></MPD>"#,
            own("a", a),
            own("b", b)
        )
    };
    assert!(
        refusal(&text(20, 40)).contains("`b` has 3 segments instead of 5 as in `a`"),
        "{}",
        refusal(&text(20, 40))
    );
    assert!(
        refusal(&text(20, 22)).contains("`b` has a segment number 3 that is not aligned with `a`"),
        "{}",
        refusal(&text(20, 22))
    );
    assert_eq!(read_text(&text(40, 41)).draft.video.durations.len(), 3);
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    for inside in ["<Period>", "<AdaptationSet>", "<a>"] {
        let message = refusal(&format!("<MPD>{}", inside.repeat(200_000)));
        assert_eq!(message, "city.mpd:1: elements must nest at most 64 levels deep");
    }
}

#[test]
fn a_byte_order_mark_is_accepted() {
    let text = mpd("", r#"<SegmentTemplate duration="5"/>"#);
    assert_eq!(read_text(&format!("\u{feff}{text}")).draft.video, read_text(&text).draft.video);
}

/// Attributes and elements of an MPD, with values at and beyond their valid ranges.
fn odd_mpd() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "0",
        "1",
        "-1",
        "5",
        "30000/1001",
        "PT10S",
        "PT0.000000001S",
        "P999999999Y",
        "18446744073709551615",
        "1e300",
        "-1e300",
        "NaN",
        "inf",
        "a",
        "",
        "0-9",
        "9-0",
        "static",
        "video",
        "2024-02-30T25:61:61Z",
        "2024-W60-9T00:00:00+99:99",
        "video/mp4",
    ]);
    let name = prop::sample::select(vec![
        "id",
        "bandwidth",
        "width",
        "frameRate",
        "duration",
        "timescale",
        "startNumber",
        "endNumber",
        "presentationTimeOffset",
        "t",
        "d",
        "r",
        "start",
        "mediaRange",
        "range",
        "contentType",
        "mimeType",
        "mediaPresentationDuration",
        "publishTime",
        "type",
    ]);
    let attributes = prop::collection::btree_map(name, value, 0..6)
        .prop_map(|map| map.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect::<String>());
    let element = prop::sample::select(vec![
        "Period",
        "AdaptationSet",
        "Representation",
        "SegmentTemplate",
        "SegmentTimeline",
        "S",
        "SegmentList",
        "SegmentURL",
        "SegmentBase",
        "Initialization",
        "BaseURL",
        "ContentComponent",
        "EventStream",
        "Event",
    ]);
    let leaf = (element.clone(), attributes.clone()).prop_map(|(name, inside)| format!("<{name}{inside}/>"));
    let tree = leaf.prop_recursive(6, 60, 6, move |inner| {
        (element.clone(), attributes.clone(), prop::collection::vec(inner, 0..6))
            .prop_map(|(name, inside, children)| format!("<{name}{inside}>{}</{name}>", children.concat()))
    });
    prop::collection::vec(tree, 0..4).prop_map(|children| format!("<MPD>{}</MPD>", children.concat()))
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, OPEN);
    }

    #[test]
    fn any_elements_are_read_or_refused(text in odd_mpd(), by_index: bool) {
        let segment_duration = by_index.then_some(Duration::from_secs(2));
        if let Ok(presentation) = read(text.as_bytes(), Open { segment_duration, ..OPEN }) {
            let video = &presentation.draft.video;
            prop_assert!(video.durations.iter().all(|duration| !duration.is_zero()));
        }
    }

    /// A valid MPD with a piece of it replaced: if it is accepted, it can be streamed.
    #[test]
    fn a_damaged_mpd_is_read_or_refused(
        from in 0usize..900,
        length in 0usize..40,
        piece in prop::sample::select(vec!["", "0", "9999999999999", "\"", "<", ">", "&", "/", "-", "PT", "\u{0}", "é", "<!--", "]]>"]),
    ) {
        let timeline = r#"<SegmentTemplate timescale="10"><SegmentTimeline><S t="0" d="20" r="-1"/></SegmentTimeline></SegmentTemplate>"#;
        let mut text = mpd("", timeline).into_bytes();
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        text.splice(from..to, piece.bytes());
        if let Ok(presentation) = read(&text, OPEN) {
            let video = presentation.draft.video;
            prop_assert!(!video.durations.is_empty() && video.durations.len() <= MOST_SEGMENTS);
            prop_assert!(video.representations.windows(2).all(|two| two[0].bitrate < two[1].bitrate));
        }
    }
}
