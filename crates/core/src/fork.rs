//! The scope in which a world is copied: what its parts learn while they are cloned, and how one of them refuses.
//!
//! A fork clones everything that a world owns. Two things cannot be said by [`Clone`] alone: with which draws the random
//! streams of the copy continue, and that a part cannot be copied. All parts of the copy learn of both from the scope
//! ([`forking`]), so that no container in between can forget to pass them on.
//!
//! A world with fresh draws runs in such a scope too ([`drawing`]): a stream that a part clones or derives only then, such as that
//! of a connection which opens after the fork, is not that of the original either.

use std::cell::{Cell, RefCell};

use sha2::{Digest, Sha256};

/// A part that cannot be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The port of the node whose queue it is, if it is part of a switch.
    pub port: Option<u16>,
    /// What cannot be copied, and why.
    pub reason: String,
}

thread_local! {
    // Constant and without a destructor: a clone of a random stream asks for it at no cost.
    static DRAW: Cell<u64> = const { Cell::new(0) };
    static SCOPE: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Scope {
    port: Option<u16>,
    refusal: Option<Refusal>,
}

/// Restores what was before a scope, also if the scope ends by a panic.
struct Outer {
    draw: u64,
    scope: Option<Option<Scope>>,
}

impl Drop for Outer {
    fn drop(&mut self) {
        DRAW.set(self.draw);
        if let Some(scope) = self.scope.take() {
            SCOPE.replace(scope);
        }
    }
}

/// Calls `make`, which clones a world or a part of one. Random streams that are cloned in it continue with draws of their own,
/// keyed by `draw`; 0 means the draws of the original. Fails if a part refuses ([`refuse`]): then the copy is not to be used.
///
/// # Errors
/// The first refusal.
pub fn forking<T>(draw: u64, make: impl FnOnce() -> T) -> Result<T, Refusal> {
    let outer = Outer { draw: DRAW.replace(draw), scope: Some(SCOPE.replace(Some(Scope::default()))) };
    let made = make();
    let refusal = SCOPE.with_borrow_mut(|scope| scope.as_mut().and_then(|scope| scope.refusal.take()));
    drop(outer);
    match refusal {
        None => Ok(made),
        Some(refusal) => Err(refusal),
    }
}

/// Calls `run`, which runs a world whose streams are keyed by `draw`. Streams that are cloned or derived in it are keyed by it too; 0
/// means no change.
pub fn drawing<T>(draw: u64, run: impl FnOnce() -> T) -> T {
    let _outer = Outer { draw: DRAW.replace(draw), scope: None };
    run()
}

/// The draw of a fork with fresh draws `next` of a world with the draw `draw`: 0 only if both are.
pub fn further(draw: u64, next: u64) -> u64 {
    if draw == 0 || next == 0 {
        return draw | next;
    }
    let mut hash = Sha256::new();
    hash.update(draw.to_le_bytes());
    hash.update(next.to_le_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let (first, _) = digest.as_chunks::<8>();
    u64::from_le_bytes(first[0]).max(1)
}

/// Reports from within a `clone` that the original cannot be copied; the clone is then only a placeholder, and [`forking`]
/// fails. Returns false, without effect, outside of a fork.
pub fn refuse(reason: impl Into<String>) -> bool {
    SCOPE.with_borrow_mut(|scope| {
        let Some(scope) = scope else { return false };
        let port = scope.port;
        scope.refusal.get_or_insert_with(|| Refusal { port, reason: reason.into() });
        true
    })
}

/// Calls `clone`, which clones the queue of a switch's port, so that a refusal in it names the port.
pub fn at_port<T>(port: u16, clone: impl FnOnce() -> T) -> T {
    let outer = SCOPE.with_borrow_mut(|scope| scope.as_mut().and_then(|scope| scope.port.replace(port)));
    let made = clone();
    SCOPE.with_borrow_mut(|scope| scope.iter_mut().for_each(|scope| scope.port = outer));
    made
}

/// The draw of the scope; 0 outside of one, and if random streams continue unchanged.
#[inline]
pub fn draw() -> u64 {
    DRAW.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_refusal_fails_the_fork() {
        let made = forking(0, || {
            at_port(3, || refuse("the first"));
            refuse("the second")
        });
        assert_eq!(made, Err(Refusal { port: Some(3), reason: "the first".into() }));
        assert_eq!(forking(0, || refuse("no port")).unwrap_err().port, None);
        assert!(!refuse("outside"));
        assert_eq!(forking(0, || 7), Ok(7));
    }

    #[test]
    fn a_scope_ends_with_its_call() {
        let outer = forking(5, || {
            assert_eq!(forking(6, draw), Ok(6));
            assert!(std::panic::catch_unwind(|| forking(7, || panic!("on purpose"))).is_err());
            draw()
        });
        assert_eq!((outer, draw()), (Ok(5), 0));
        // In a world's run there is nothing to refuse.
        assert_eq!(drawing(8, || (draw(), refuse("outside"))), (8, false));
        assert_eq!(draw(), 0);
    }

    #[test]
    fn a_fork_of_a_fork_has_a_draw_of_its_own() {
        assert_eq!([further(0, 0), further(0, 3), further(3, 0)], [0, 3, 3]);
        let twice = [further(3, 4), further(4, 3), further(3, 3)];
        assert!(twice.iter().all(|draw| ![0, 3, 4].contains(draw)));
        assert!(twice[0] != twice[1] && twice[1] != twice[2] && twice[0] != twice[2]);
    }
}
