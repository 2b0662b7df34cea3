//! Declares a kind's modules and the list of their entries in one place.

/// Declares the modules of a kind's components, and a function that lists their entries in that order.
///
/// A new component is one file with an `entry()`, and one line in this list. (`cargo fmt` does not look for modules within macros;
/// `make fmt` formats every file.)
///
/// ```ignore
/// jettison_registry::components! {
///     /// All filters of this crate.
///     pub fn filters() -> Registry<Filter>;
///     mod ewma;
///     mod median;
/// }
/// ```
#[macro_export]
macro_rules! components {
    (
        $(#[$doc:meta])*
        $list_vis:vis fn $list:ident() -> Registry<$kind:ty>;
        $($(#[$attribute:meta])* $vis:vis mod $component:ident;)*
    ) => {
        $($(#[$attribute])* $vis mod $component;)*

        $(#[$doc])*
        $list_vis fn $list() -> $crate::Registry<$kind> {
            $crate::Registry::from([$($component::entry()),*])
        }
    };
}
