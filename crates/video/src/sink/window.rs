//! The frames that a viewer still knows.

/// The state of the frames about the next one to be scored: [`Window::OPEN`] from that one on, and as many before it, which
/// later ones may refer to.
#[derive(Debug, Clone)]
pub struct Window<F> {
    /// Frame n has place n modulo the length.
    frames: Vec<F>,
    blank: F,
    first: u32,
}

impl<F: Clone> Window<F> {
    /// Frames that may be open at once: what is overtaken by more is too late.
    pub const OPEN: u32 = 128;

    /// From frame 0 on.
    pub(super) fn new(blank: F) -> Window<F> {
        Window { frames: vec![blank.clone(); 2 * Self::OPEN as usize], blank, first: 0 }
    }

    /// The next frame to be scored.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The frame after the last open one.
    pub fn end(&self) -> u32 {
        self.first.saturating_add(Self::OPEN)
    }

    /// A frame that is open, or was shortly before.
    pub fn get(&self, number: u32) -> Option<&F> {
        let is_kept = number < self.end() && number >= self.first.saturating_sub(Self::OPEN);
        is_kept.then(|| &self.frames[number as usize % self.frames.len()])
    }

    /// An open frame.
    pub fn open(&mut self, number: u32) -> Option<&mut F> {
        let length = self.frames.len();
        (self.first..self.end()).contains(&number).then(|| &mut self.frames[number as usize % length])
    }

    /// The first open frame has been scored.
    pub(super) fn advance(&mut self) {
        let place = self.end() as usize % self.frames.len();
        self.frames[place].clone_from(&self.blank);
        self.first += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_known_for_as_long_as_later_ones_may_need_them() {
        let mut window = Window::new(0u32);
        assert_eq!((window.get(127), window.get(128)), (Some(&0), None));
        for number in 0..1_000 {
            *window.open(number).expect("it is open") = number + 1;
            window.advance();
        }
        assert_eq!(window.open(999), None, "it has been scored");
        assert_eq!((window.get(999), window.get(872), window.get(871)), (Some(&1_000), Some(&873), None));
        assert_eq!((window.get(1_000), window.get(1_127), window.get(1_128)), (Some(&0), Some(&0), None));
    }
}
