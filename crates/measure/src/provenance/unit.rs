//! Units: what an application waits for as a whole.

use std::fmt;

use jettison_wire::FlowId;

/// What an application waits for as a whole: a segment, a frame, a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit {
    /// The flow. Applications leave [`FlowId::NONE`], and their host sets it.
    pub flow: FlowId,
    /// What it is.
    pub kind: UnitKind,
    /// Its number within the flow, by kind: of the segment, the frame, the transfer. Where a flow has many sessions, the session
    /// is in the upper 32 bits ([`Unit::session`]).
    pub number: u64,
    /// Part of the unit of that number: the representation of a segment, the layer of a frame, the object of a page; 0 where
    /// there is one only.
    pub part: u32,
}

impl Unit {
    /// A unit of the flow of the application that names it.
    pub const fn new(kind: UnitKind, number: u64, part: u32) -> Unit {
        Unit { flow: FlowId::NONE, kind, number, part }
    }

    /// The unit as one of a flow.
    pub const fn of(self, flow: FlowId) -> Unit {
        Unit { flow, ..self }
    }

    /// The unit as one of a session of its flow, from 1.
    pub const fn in_session(self, session: u32) -> Unit {
        Unit { number: self.number & 0xffff_ffff | (session as u64) << 32, ..self }
    }

    /// The session of a flow with many; 0 of a flow with one.
    pub const fn session(&self) -> u32 {
        (self.number >> 32) as u32
    }
}

/// Makes the enum and its tables: `/// Description.` above `Variant = "name";`. Results hold names, so the order is free.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// Kind of a unit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum UnitKind {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl UnitKind {
            /// All kinds.
            pub const ALL: [UnitKind; [$(UnitKind::$variant),+].len()] = [$(UnitKind::$variant),+];

            /// The name in results.
            pub const fn name(self) -> &'static str {
                match self {
                    $(UnitKind::$variant => $name,)+
                }
            }

            /// The kind of that name.
            pub fn from_name(name: &str) -> Option<UnitKind> {
                match name {
                    $($name => Some(UnitKind::$variant),)+
                    _ => None,
                }
            }

            /// What the unit, its number and its part are.
            pub const fn description(self) -> &'static str {
                match self {
                    $(UnitKind::$variant => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

kinds! {
    /// A segment of a DASH session, by its number from 1 (0: initialization). Its part is the representation, plus 65,536 for audio.
    Segment = "segment";
    /// The manifest of a DASH session.
    Manifest = "manifest";
    /// A frame of a video, by its number from 0.
    Frame = "frame";
    /// A message: of a video by its frame, its part is the layer plus 256 times the cell; else by its number, its part is the stream.
    Message = "message";
    /// A request to a server. Its number and part are those of the unit that it asks for.
    Request = "request";
    /// A transfer of its own, by its number from 0.
    Response = "response";
    /// An object of a page, by the number of the page from 0. Its part is the object; the document is 0.
    Object = "object";
    /// The security handshake of a page's connection, by the number of the page.
    Handshake = "handshake";
    /// A sample of a haptic signal, by its number among those that were sent, from 0.
    Sample = "sample";
    /// An update of a game's server, by its number from 0.
    Update = "update";
    /// A command of a game's player, by its number from 0.
    Command = "command";
    /// A datagram of a load, by its number from 0.
    Datagram = "datagram";
    /// An echo request or its reply, by its number from 0.
    Echo = "echo";
    /// Feedback of a receiver to its sender: by the number of the packet that triggered it, or of the report.
    Report = "report";
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.number & 0xffff_ffff)?;
        if self.part > 0 {
            write!(f, ".{}", self.part)?;
        }
        match self.session() {
            0 => Ok(()),
            session => write!(f, " of session {session}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in UnitKind::ALL {
            assert_eq!(UnitKind::from_name(kind.name()), Some(kind));
            assert!(kind.description().ends_with('.'));
        }
        assert_eq!(UnitKind::from_name("picture"), None);
    }

    #[test]
    fn the_book_has_every_kind() {
        let rows: String = UnitKind::ALL
            .iter()
            .map(|kind| format!("| `{}` | {} |\n", kind.name(), kind.description()))
            .collect();
        let table = format!("<!-- unit kinds -->\n| unit | what |\n| --- | --- |\n{rows}<!-- end -->");
        assert!(
            include_str!("../../../../docs/src/appendix/results.md").contains(&table),
            "results.md must have:\n{table}"
        );
    }

    #[test]
    fn a_unit_is_shown_with_its_part_if_it_has_several() {
        assert_eq!(Unit::new(UnitKind::Segment, 7, 2).to_string(), "segment 7.2");
        assert_eq!(Unit::new(UnitKind::Echo, 7, 0).to_string(), "echo 7");
        let third = Unit::new(UnitKind::Segment, 7, 0).in_session(3);
        assert_eq!((third.to_string().as_str(), third.session()), ("segment 7 of session 3", 3));
    }
}
