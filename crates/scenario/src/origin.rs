//! Where each value of a variant came from: the file, its `[quick]` table, an option, an axis of variation.

use crate::error::Place;
use crate::source::Document;
use jettison_registry::KeyPath;
use jettison_registry::schema::Aspect;

/// What wrote a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Origin {
    /// The file, at that place.
    File(KeyPath),
    /// An option, as written.
    Option(String),
}

/// One value laid over the file's own.
#[derive(Debug, Clone)]
struct Overlay {
    at: KeyPath,
    /// What named the place.
    path: Origin,
    /// What gave the value.
    value: Origin,
}

/// All that was laid over the file, in the order it was done.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    overlays: Vec<Overlay>,
}

impl Origins {
    /// Records that the value `at` was named by `path` and given by `value`.
    pub fn lay(&mut self, at: KeyPath, path: Origin, value: Origin) {
        self.overlays.push(Overlay { at, path, value });
    }

    /// What really wrote the key or value at `path`.
    pub fn trace(&self, path: &KeyPath, aspect: Aspect) -> (Origin, Aspect) {
        let mut path = path.clone();
        let mut aspect = aspect;
        for overlay in self.overlays.iter().rev() {
            if !path.starts_with(&overlay.at) {
                continue;
            }
            let rest = &path.steps()[overlay.at.steps().len()..];
            let named = rest.is_empty() && aspect == Aspect::Key;
            match if named { &overlay.path } else { &overlay.value } {
                Origin::Option(option) => return (Origin::Option(option.clone()), aspect),
                Origin::File(place) => {
                    path = place.join(rest);
                    // A path is a value of the file (`path = "…"`), except in [quick] where it is a key.
                    if named && overlay.path != overlay.value {
                        aspect = Aspect::Value;
                    }
                }
            }
        }
        (Origin::File(path), aspect)
    }

    /// Where a reader should look.
    pub fn place(&self, document: &Document, path: &KeyPath, aspect: Aspect) -> Place {
        match self.trace(path, aspect) {
            (Origin::Option(option), _) => Place::Option(option),
            (Origin::File(path), aspect) => document.place(&path, aspect),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> KeyPath {
        text.parse().unwrap()
    }

    #[test]
    fn the_last_word_is_the_origin() {
        let mut origins = Origins::default();
        let file = |text: &str| Origin::File(path(text));
        let option = Origin::Option("--set vary[0].values=[1]".to_owned());
        origins.lay(path("duration"), file("quick.duration"), file("quick.duration"));
        origins.lay(path("vary[0].values"), option.clone(), option.clone());
        origins.lay(path("links.a.queue"), file("vary[0].path"), file("vary[0].values[0]"));
        let value = |text: &str| origins.trace(&path(text), Aspect::Value).0;
        assert_eq!(value("duration"), file("quick.duration"));
        assert_eq!(value("links.a.queue.target"), option);
        assert_eq!(value("links.a.rate"), file("links.a.rate"));
        assert_eq!(origins.trace(&path("links.a.queue"), Aspect::Key), (file("vary[0].path"), Aspect::Value));
    }
}
