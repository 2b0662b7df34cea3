//! Elements and attributes of an MPD needed for streaming (ISO/IEC 23009-1 §5.3); others are ignored.
//!
//! A missing attribute is `None`; its default or inherited value is resolved at its use.

use jettison_core::Duration;

use super::xml::{Element, Fault};
use jettison_sockets::FileError;

/// `MPD` (§5.3.1).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mpd {
    pub(super) line: usize,
    /// `@type`.
    pub(super) kind: Option<String>,
    /// `@mediaPresentationDuration`.
    pub(super) duration: Option<Duration>,
    pub(super) periods: Vec<Period>,
}

/// `Period` (§5.3.2).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Period {
    pub(super) line: usize,
    pub(super) id: Option<String>,
    /// Whether `@xlink:href` replaces the element's content.
    pub(super) is_link: bool,
    pub(super) start: Option<Duration>,
    pub(super) duration: Option<Duration>,
    pub(super) segments: SegmentInformation,
    pub(super) sets: Vec<AdaptationSet>,
}

/// `AdaptationSet` (§5.3.3).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AdaptationSet {
    pub(super) line: usize,
    pub(super) content_type: Option<String>,
    /// `ContentComponent@contentType` of each (§5.3.4).
    pub(super) component_types: Vec<Option<String>>,
    /// `EssentialProperty@schemeIdUri` of each (§5.8.4.8).
    pub(super) essential_properties: Vec<String>,
    pub(super) common: Common,
    pub(super) segments: SegmentInformation,
    pub(super) representations: Vec<Representation>,
}

/// `Representation` (§5.3.5).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Representation {
    pub(super) line: usize,
    pub(super) id: Option<String>,
    pub(super) is_link: bool,
    /// Bandwidth in bit/s.
    pub(super) bandwidth: Option<u64>,
    pub(super) dependency_id: Option<String>,
    /// Not in the standard's Representation, but written by some packagers.
    pub(super) content_type: Option<String>,
    pub(super) common: Common,
    pub(super) segments: SegmentInformation,
}

/// Attributes common to AdaptationSets and Representations (§5.3.7).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Common {
    pub(super) mime_type: Option<String>,
    pub(super) codecs: Option<String>,
    pub(super) width: Option<u64>,
    pub(super) height: Option<u64>,
    pub(super) frame_rate: Option<String>,
}

/// Segment information at one level (§5.3.9.1).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SegmentInformation {
    pub(super) base: Option<SegmentBase>,
    pub(super) list: Option<SegmentList>,
    pub(super) template: Option<SegmentTemplate>,
}

/// `SegmentBase` (§5.3.9.2).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SegmentBase {
    pub(super) initialization: Option<Initialization>,
}

/// `SegmentList` (§5.3.9.3).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SegmentList {
    pub(super) timescale: Option<u64>,
    /// Duration in units of the timescale.
    pub(super) duration: Option<u64>,
    pub(super) initialization: Option<Initialization>,
    pub(super) timeline: Option<Timeline>,
    /// `SegmentURL@mediaRange` of each segment.
    pub(super) media_ranges: Vec<Option<String>>,
}

/// `SegmentTemplate` (§5.3.9.4).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SegmentTemplate {
    pub(super) timescale: Option<u64>,
    pub(super) presentation_time_offset: Option<u64>,
    /// Duration in units of the timescale. The standard defines an integer; some packagers write fractions.
    pub(super) duration: Option<f64>,
    pub(super) start_number: Option<u64>,
    pub(super) end_number: Option<u64>,
    pub(super) initialization: Option<Initialization>,
    pub(super) timeline: Option<Timeline>,
}

/// `Initialization` (§5.3.9.2).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Initialization {
    pub(super) range: Option<String>,
}

/// `SegmentTimeline` (§5.3.9.6).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timeline {
    pub(super) entries: Vec<TimelineEntry>,
}

/// `S` of a SegmentTimeline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TimelineEntry {
    pub(super) t: Option<u64>,
    pub(super) d: Option<u64>,
    pub(super) r: Option<i64>,
}

impl Mpd {
    /// Parses an MPD.
    ///
    /// # Errors
    /// With the line at which the text is not an MPD.
    pub(super) fn parse(text: &str) -> Result<Mpd, FileError> {
        Ok(Mpd::of(&Element::root(text)?)?)
    }

    fn of(element: &Element) -> Result<Mpd, Fault> {
        Ok(Mpd {
            line: element.line,
            kind: element.string("type"),
            duration: element.duration("mediaPresentationDuration")?,
            periods: element.all("Period", Period::of)?,
        })
    }
}

impl Period {
    fn of(element: &Element) -> Result<Period, Fault> {
        Ok(Period {
            line: element.line,
            id: element.string("id"),
            is_link: element.is_link(),
            start: element.duration("start")?,
            duration: element.duration("duration")?,
            segments: SegmentInformation::of(element)?,
            sets: element.all("AdaptationSet", AdaptationSet::of)?,
        })
    }
}

impl AdaptationSet {
    fn of(element: &Element) -> Result<AdaptationSet, Fault> {
        Ok(AdaptationSet {
            line: element.line,
            content_type: element.string("contentType"),
            component_types: element.all("ContentComponent", |inner| Ok(inner.string("contentType")))?,
            essential_properties: element
                .all("EssentialProperty", |inner| Ok(inner.string("schemeIdUri").unwrap_or_default()))?,
            common: Common::of(element)?,
            segments: SegmentInformation::of(element)?,
            representations: element.all("Representation", Representation::of)?,
        })
    }
}

impl Representation {
    fn of(element: &Element) -> Result<Representation, Fault> {
        Ok(Representation {
            line: element.line,
            id: element.string("id"),
            is_link: element.is_link(),
            bandwidth: element.unsigned("bandwidth")?,
            dependency_id: element.string("dependencyId"),
            content_type: element.string("contentType"),
            common: Common::of(element)?,
            segments: SegmentInformation::of(element)?,
        })
    }
}

impl Common {
    fn of(element: &Element) -> Result<Common, Fault> {
        Ok(Common {
            mime_type: element.string("mimeType"),
            codecs: element.string("codecs"),
            width: element.unsigned("width")?,
            height: element.unsigned("height")?,
            frame_rate: element.string("frameRate"),
        })
    }
}

impl SegmentInformation {
    fn of(element: &Element) -> Result<SegmentInformation, Fault> {
        Ok(SegmentInformation {
            base: element.one("SegmentBase", SegmentBase::of)?,
            list: element.one("SegmentList", SegmentList::of)?,
            template: element.one("SegmentTemplate", SegmentTemplate::of)?,
        })
    }
}

impl SegmentBase {
    fn of(element: &Element) -> Result<SegmentBase, Fault> {
        Ok(SegmentBase { initialization: element.one("Initialization", Initialization::of)? })
    }
}

impl SegmentList {
    fn of(element: &Element) -> Result<SegmentList, Fault> {
        Ok(SegmentList {
            timescale: element.unsigned("timescale")?,
            duration: element.unsigned("duration")?,
            initialization: element.one("Initialization", Initialization::of)?,
            timeline: element.one("SegmentTimeline", Timeline::of)?,
            media_ranges: element.all("SegmentURL", |inner| Ok(inner.string("mediaRange")))?,
        })
    }
}

impl SegmentTemplate {
    fn of(element: &Element) -> Result<SegmentTemplate, Fault> {
        Ok(SegmentTemplate {
            timescale: element.unsigned("timescale")?,
            presentation_time_offset: element.unsigned("presentationTimeOffset")?,
            duration: element.decimal("duration")?,
            start_number: element.unsigned("startNumber")?,
            end_number: element.unsigned("endNumber")?,
            initialization: element.one("Initialization", Initialization::of)?,
            timeline: element.one("SegmentTimeline", Timeline::of)?,
        })
    }
}

impl Initialization {
    fn of(element: &Element) -> Result<Initialization, Fault> {
        Ok(Initialization { range: element.string("range") })
    }
}

impl Timeline {
    fn of(element: &Element) -> Result<Timeline, Fault> {
        Ok(Timeline { entries: element.all("S", TimelineEntry::of)? })
    }
}

impl TimelineEntry {
    fn of(element: &Element) -> Result<TimelineEntry, Fault> {
        Ok(TimelineEntry { t: element.unsigned("t")?, d: element.unsigned("d")?, r: element.integer("r")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Mpd::parse(text).expect_err("the text is refused").to_string()
    }

    #[test]
    fn elements_needed_for_streaming_are_read() {
        let mpd = Mpd::parse(
            r#"<MPD type="static" mediaPresentationDuration="PT1M">
  <Period id="p" start="PT5S" duration="PT55S">
    <SegmentBase><Initialization range="0-9"/></SegmentBase>
    <AdaptationSet contentType="video" mimeType="video/mp4" codecs="c" width="2" height="1" frameRate="25">
      <ContentComponent contentType="video"/><ContentComponent/>
      <EssentialProperty schemeIdUri="urn:x"/>
      <SegmentList timescale="3" duration="4"><SegmentTimeline/><SegmentURL mediaRange="1-2"/><SegmentURL/></SegmentList>
      <Representation id="r" bandwidth="7" dependencyId="q" frameRate="30">
        <SegmentTemplate timescale="10" presentationTimeOffset="1" duration="20.5" startNumber="2" endNumber="3">
          <SegmentTimeline><S t="1" d="2" r="-1"/><S/></SegmentTimeline></SegmentTemplate>
      </Representation>
    </AdaptationSet>
  </Period>
</MPD>"#,
        )
        .expect("it is an MPD");
        assert_eq!((mpd.kind.as_deref(), mpd.duration), (Some("static"), Some(Duration::from_secs(60))));
        let period = &mpd.periods[0];
        assert_eq!((period.line, period.id.as_deref(), period.is_link), (2, Some("p"), false));
        assert_eq!(
            period.start.zip(period.duration),
            Some((Duration::from_secs(5), Duration::from_secs(55)))
        );
        let range = Some(Initialization { range: Some("0-9".to_owned()) });
        assert_eq!(period.segments.base, Some(SegmentBase { initialization: range }));
        let set = &period.sets[0];
        assert_eq!((set.line, set.content_type.as_deref()), (4, Some("video")));
        assert_eq!(set.component_types, [Some("video".to_owned()), None]);
        assert_eq!(set.essential_properties, ["urn:x"]);
        assert_eq!((set.common.width, set.common.height), (Some(2), Some(1)));
        let list = set.segments.list.as_ref().expect("there is a list");
        assert_eq!((list.timescale, list.duration), (Some(3), Some(4)));
        assert_eq!(list.media_ranges, [Some("1-2".to_owned()), None]);
        assert_eq!(list.timeline, Some(Timeline { entries: Vec::new() }));
        let representation = &set.representations[0];
        assert_eq!((representation.line, representation.bandwidth), (8, Some(7)));
        assert_eq!(representation.dependency_id.as_deref(), Some("q"));
        assert_eq!(representation.common.frame_rate.as_deref(), Some("30"));
        assert_eq!(representation.common.width, None, "inheritance comes later");
        let template = representation.segments.template.as_ref().expect("there is a template");
        let entries = vec![
            TimelineEntry { t: Some(1), d: Some(2), r: Some(-1) },
            TimelineEntry { t: None, d: None, r: None },
        ];
        let wanted = SegmentTemplate {
            timescale: Some(10),
            presentation_time_offset: Some(1),
            duration: Some(20.5),
            start_number: Some(2),
            end_number: Some(3),
            initialization: None,
            timeline: Some(Timeline { entries }),
        };
        assert_eq!(*template, wanted);
    }

    #[test]
    fn other_elements_and_attributes_are_ignored() {
        let plain = r#"<MPD><Period><AdaptationSet><Representation id="a"/></AdaptationSet></Period></MPD>"#;
        let decorated = r#"<?xml version="1.0"?><!DOCTYPE MPD><MPD publishTime="yesterday" x:type="dynamic"><!-- <Period/> -->
            <ProgramInformation><Period duration="none"/></ProgramInformation>text<Period><BaseURL>http://example.org/</BaseURL>
            <AdaptationSet maxWidth="wide"><cenc:pssh><![CDATA[<Representation/>]]></cenc:pssh><Representation id="a"
            qualityRanking="-x"/></AdaptationSet></Period><UTCTiming/></MPD>"#;
        let ids = |text| {
            let mpd = Mpd::parse(text).expect("it is an MPD");
            let sets = mpd.periods.iter().flat_map(|period| &period.sets);
            let ids: Vec<_> = sets.flat_map(|set| &set.representations).map(|r| r.id.clone()).collect();
            (mpd.kind, mpd.periods.len(), ids)
        };
        assert_eq!(ids(decorated), ids(plain));
    }

    #[test]
    fn malformed_attributes_are_named_with_their_path() {
        let inside = |set: &str| {
            format!("<MPD>\n<Period><AdaptationSet/>\n<AdaptationSet>{set}</AdaptationSet></Period></MPD>")
        };
        let whole = "must be an integer in [0, 18446744073709551615], got";
        for (text, message) in [
            ("<MPD>\n<Period start=\"5 s\"/></MPD>".to_owned(), "line 2: invalid MPD: Period[0].@start must be a duration such as \"PT1M30.5S\", got `5 s`".to_owned()),
            ("<MPD>\n<Period/><Period duration=\"-PT5S\"/></MPD>".to_owned(), "line 2: invalid MPD: Period[1].@duration must be >= 0, got `-PT5S`".to_owned()),
            ("<MPD><Period start=\"P999999Y\"/></MPD>".to_owned(), "line 1: Period[0].@start must be a duration below 2^64 ns, got `P999999Y`".to_owned()),
            (
                inside("<Representation width=\"12.5\"/>"),
                format!("line 3: invalid MPD: Period[0].AdaptationSet[1].Representation[0].@width {whole} `12.5`"),
            ),
            (
                inside("\n<SegmentTemplate startNumber=\"\"/>"),
                format!("line 4: invalid MPD: Period[0].AdaptationSet[1].SegmentTemplate.@startNumber {whole} ``"),
            ),
            (
                inside("<SegmentTemplate duration=\"2s\"/>"),
                "line 3: invalid MPD: Period[0].AdaptationSet[1].SegmentTemplate.@duration must be a number, got `2s`".to_owned(),
            ),
            (
                inside("<SegmentList duration=\"2.5\"/>"),
                format!("line 3: invalid MPD: Period[0].AdaptationSet[1].SegmentList.@duration {whole} `2.5`"),
            ),
            (
                inside("<SegmentList><SegmentTimeline><S/>\n<S r=\"all\"/></SegmentTimeline></SegmentList>"),
                "line 4: invalid MPD: Period[0].AdaptationSet[1].SegmentList.SegmentTimeline.S[1].@r must be an integer, got `all`".to_owned(),
            ),
            (
                inside("<SegmentTemplate/>\n<SegmentTemplate/>"),
                "line 4: invalid MPD: Period[0].AdaptationSet[1].SegmentTemplate must occur at most once, found a second one".to_owned(),
            ),
        ] {
            assert_eq!(refusal(&text), message);
        }
    }
}
