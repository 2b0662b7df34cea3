//! Components of a unit's delay.

/// Makes the enum and its tables: `/// Description.` above `Variant = "name";`.
macro_rules! components {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// What a unit waited for during a part of its delay.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Component {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Component {
            /// All components, in the order of a unit's way.
            pub const ALL: [Component; [$(Component::$variant),+].len()] = [$(Component::$variant),+];

            /// The name in results.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Component::$variant => $name,)+
                }
            }

            /// What the unit waited for.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Component::$variant => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

components! {
    /// A connection was being set up.
    Handshake = "handshake";
    /// The sending application had not written it yet.
    Application = "application";
    /// The sender's congestion window, or what regulates sending in recovery in its place, was full.
    Window = "window";
    /// The receive window of the peer was full.
    ReceiveWindow = "receive_window";
    /// The sender's pacer held it back.
    Pacing = "pacing";
    /// The sender waited for room in the queue of its own device.
    Device = "device";
    /// It was in a queue.
    Queue = "queue";
    /// An uplink had no grant.
    Grant = "grant";
    /// Its receiver slept.
    Sleep = "drx";
    /// A link transmitted it, from its first bit to its last.
    Serialisation = "serialisation";
    /// RLC sent it again.
    LinkRetransmission = "rlc_retransmission";
    /// HARQ decoded it later.
    Harq = "harq";
    /// PDCP waited for one before it.
    Reordering = "reordering";
    /// It was on a link, with the link's jitter.
    Propagation = "propagation";
    /// A switch processed it, before or behind the queue of its port.
    Processing = "processing";
    /// It was lost, and later packets had to arrive for the sender to notice.
    RetransmissionFast = "retransmission_fast";
    /// It was lost, and time had to pass after a later packet arrived (RACK; for messages RFC 9002's time threshold).
    RetransmissionRack = "retransmission_rack";
    /// It was lost or not acknowledged, until the sender probed for it (tail loss probe).
    RetransmissionProbe = "retransmission_tlp";
    /// It was lost, until the sender's retransmission timeout (for messages its probe timeout).
    RetransmissionTimeout = "retransmission_rto";
    /// It was lost, until its sender's kernel sent it again: why just then is not seen (live runs).
    Retransmission = "retransmission";
    /// An attempt failed or was given up, until it was repeated.
    Attempt = "attempt";
    /// It had arrived, but what precedes it in the connection had not; or others had their turn in the connection.
    HeadOfLine = "head_of_line";
    /// Its rest was missing.
    Reassembly = "reassembly";
    /// It was complete, but not what it depends on: lower layers, earlier frames.
    Dependency = "dependency";
    /// It waited in the playout buffer.
    Playout = "playout";
    /// It was in a host's kernel, or on its way between that and the router (live runs).
    Unseen = "unseen";
}

impl Component {
    /// The component of that name.
    pub fn from_name(name: &str) -> Option<Component> {
        Component::ALL.into_iter().find(|component| component.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_is_found_by_its_name() {
        for component in Component::ALL {
            assert_eq!(Component::from_name(component.name()), Some(component));
            assert!(component.description().ends_with('.'));
        }
        assert_eq!(Component::from_name("luck"), None);
    }
}
