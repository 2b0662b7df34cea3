//! Window of recent frames.

/// State of the frames around the next one to be scored: the [`Window::OPEN`] frames from that one on, and the same
/// number before it as references.
#[derive(Debug, Clone)]
pub struct Window<F> {
    /// Frame n is at index n modulo the length.
    frames: Vec<F>,
    blank: F,
    first: u32,
}

impl<F: Clone> Window<F> {
    /// Maximum number of open frames: a frame overtaken by more than this is late.
    pub const OPEN: u32 = 128;

    /// Creates a window that starts at frame 0.
    pub(super) fn new(blank: F) -> Window<F> {
        Window { frames: vec![blank.clone(); 2 * Self::OPEN as usize], blank, first: 0 }
    }

    /// Returns the next frame to be scored.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Returns the frame after the last open one.
    pub fn end(&self) -> u32 {
        self.first.saturating_add(Self::OPEN)
    }

    /// Returns a frame that is open or in the window before.
    pub fn get(&self, number: u32) -> Option<&F> {
        let is_kept = number < self.end() && number >= self.first.saturating_sub(Self::OPEN);
        is_kept.then(|| &self.frames[number as usize % self.frames.len()])
    }

    /// Returns an open frame.
    pub fn open(&mut self, number: u32) -> Option<&mut F> {
        let length = self.frames.len();
        (self.first..self.end()).contains(&number).then(|| &mut self.frames[number as usize % length])
    }

    /// Advances the window by one frame, after the first open frame has been scored.
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
    fn frames_are_kept_while_later_ones_may_refer_to_them() {
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
