//! The origin of each value of a variant: the file, its `[quick]` table, an option, or an axis of comparison.

use crate::error::Place;
use crate::source::Document;
use jettison_registry::KeyPath;
use jettison_registry::schema::Aspect;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Origin {
    /// The file, at that path.
    File(KeyPath),
    /// An option, as written.
    Option(String),
}

/// A value that overrides the file's own.
#[derive(Debug, Clone, PartialEq)]
struct Overlay {
    at: KeyPath,
    /// Origin of the path.
    path: Origin,
    /// Origin of the value.
    value: Origin,
}

/// All overrides of a variant, in the order of application.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Origins {
    overlays: Vec<Overlay>,
}

impl Origins {
    /// Records an override at `at`, with the origins of its path and value.
    pub fn record(&mut self, at: KeyPath, path: Origin, value: Origin) {
        self.overlays.push(Overlay { at, path, value });
    }

    /// Follows overrides, newest first, to the origin of the key or value at `path`.
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

    /// The place to show to the user.
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
    fn the_newest_override_is_the_origin() {
        let mut origins = Origins::default();
        let file = |text: &str| Origin::File(path(text));
        let option = Origin::Option("--set vary[0].values=[1]".to_owned());
        origins.record(path("duration"), file("quick.duration"), file("quick.duration"));
        origins.record(path("vary[0].values"), option.clone(), option.clone());
        origins.record(path("links.a.queue"), file("vary[0].path"), file("vary[0].values[0]"));
        let value = |text: &str| origins.trace(&path(text), Aspect::Value).0;
        assert_eq!(value("duration"), file("quick.duration"));
        assert_eq!(value("links.a.queue.target"), option);
        assert_eq!(value("links.a.rate"), file("links.a.rate"));
        assert_eq!(origins.trace(&path("links.a.queue"), Aspect::Key), (file("vary[0].path"), Aspect::Value));
    }
}
