// The congestion controls of this folder. The loader has this list, and `jettison-cc` includes it.

/// A congestion control: one BPF object, which may register several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// Name for `jettison cc`.
    pub id: &'static str,
    /// The kernel's names, which are also those of the structs in the BPF object.
    pub names: &'static [&'static str],
    /// What it is.
    pub summary: &'static str,
}

/// All of them.
pub const CONTROLS: [Control; 3] = [
    Control {
        id: "newcwv",
        names: &["newcwv", "newcwv_paced"],
        summary: "congestion window validation (RFC 7661)",
    },
    Control { id: "dctcp", names: &["dctcp"], summary: "DCTCP (RFC 8257), for kernels without their own" },
    Control { id: "prague", names: &["prague"], summary: "Prague, the congestion control of L4S" },
];

impl Control {
    /// Finds a control by its name, or by one of the kernel's names.
    pub fn find(name: &str) -> Option<&'static Control> {
        CONTROLS.iter().find(|control| control.id == name || control.names.contains(&name))
    }
}
