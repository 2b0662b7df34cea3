//! The bytes of an SDU that have come.

/// Disjoint ranges of bytes, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    /// Adds `from..to`.
    pub fn add(&mut self, from: u32, to: u32) {
        let at = self.0.partition_point(|(_, end)| *end < from);
        let (mut from, mut to) = (from, to);
        while let Some((start, end)) = self.0.get(at).copied().filter(|(start, _)| *start <= to) {
            (from, to) = (from.min(start), to.max(end));
            self.0.remove(at);
        }
        self.0.insert(at, (from, to));
    }

    /// Whether all of `0..bytes` is there.
    pub fn is_whole(&self, bytes: u32) -> bool {
        self.0.first().is_some_and(|(start, end)| *start == 0 && *end >= bytes)
    }

    /// Whether bytes are missing before the last one that came.
    pub fn has_gap(&self) -> bool {
        self.0.len() > 1 || self.0.first().is_some_and(|(start, _)| *start > 0)
    }

    /// What is missing of `0..bytes`.
    pub fn missing(&self, bytes: u32) -> impl Iterator<Item = (u32, u32)> {
        let ends = std::iter::once(0).chain(self.0.iter().map(|(_, end)| *end));
        let starts = self.0.iter().map(|(start, _)| *start).chain([bytes]);
        ends.zip(starts).filter(|(from, to)| from < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_leave_what_is_missing() {
        let mut got = Ranges::default();
        assert_eq!(got.missing(10).collect::<Vec<_>>(), [(0, 10)]);
        assert!(!got.has_gap());
        got.add(4, 6);
        assert!(got.has_gap());
        got.add(8, 10);
        assert_eq!(got.missing(10).collect::<Vec<_>>(), [(0, 4), (6, 8)]);
        got.add(0, 4);
        got.add(5, 8);
        assert_eq!(got, Ranges(vec![(0, 10)]));
        assert!(got.is_whole(10) && !got.has_gap());
    }
}
