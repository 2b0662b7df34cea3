//! Robustness: any program gives an elaborated program or diagnostics.

use proptest::prelude::*;

use super::{compile, program};

/// A program with every construct; the tests mutate its tokens.
fn everything() -> String {
    program(
        "bit<8> f(inout bit<8> x, in bit<8> y) { x = x + y; return x; }
         T id<T>(in T x) { return x; }
         control Sub(inout A a, in bit<8> q, out bit<8> r)(bit<8> n) {
             action s(inout bit<8> d, bit<8> e) { d = e; }
             table t { key = { a.a : exact; q : ternary; } actions = { s(a.b); NoAction; } const entries = { (1, 2 &&& 3) : s(4); } }
             apply { if (t.apply().hit) { exit; } r = n; }
         }
         parser Q(packet_in p, inout Headers h) { state start { p.extract(h.v, 16); transition accept; } }
         const bit<8> K = 4; const tuple<bit<8>, bool> TT = { 1, true };",
        "Q() q; value_set<bit<8>>(4) vs;
         state start { p.extract(h.s.next); q.apply(p, h); transition select(h.s.last.a, m.w) { (1, 2): accept; (vs, 3 &&& 5): two; default: reject; } }
         state two { p.extract(h.u.x); verify(m.f, error.Odd); bit<8> l = p.lookahead<bit<8>>(); transition select(l) { 1 .. 4: start; _: accept; } }",
        "Sub(3) sub; register<bit<8>>(4) r; bit<8> x; A l = { 1, 2, 3, true };
         action act(bit<8> d) { x = d; h.h.setInvalid(); }
         table tt { key = { m.m : lpm; h.h.isValid() : exact; } actions = { act; } default_action = act(K); size = 10; }",
        "sub.apply(h.h, m.m + 1, x); x = f(h.s[m.m].a, x) + id(x); h.h = l; h.u.y = { 5 }; h.u.x = l;
         switch (tt.apply().action_run) { act: { m.w = (bit<16>)x ++ 8w0 == 24w0 ? 16w1 : m.w; } default: { } }
         for (bit<8> i in 1 .. 3) { if (i == TT[0] && f(x, i) != 0 || m.f) { continue; } r.write((bit<32>)i, x); }
         switch (m.k) { Kind.One: { x[3:0] = x[7:4]; } 7: { m.p = (Port)x; } }
         Headers hh = { h = h.h, ... }; hh.s.push_front(1); hash(m.w, HashAlgorithm.crc16, 16w0, { h.h, m.m }, 32w9);
         clone_preserving_field_list(CloneType.I2E, 1, 2); m.f = h.h == l; mark_to_drop(sm);",
    )
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in text.chars() {
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        match words.last_mut() {
            Some(last) if joins(c) && joins(before) => last.push(c),
            Some(last) if c == '\n' => last.push(c),
            _ => words.push(c.to_string()),
        }
        before = c;
    }
    words
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn changed_programs_give_a_program_or_messages(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u8..4), 1..6)
    ) {
        let mut words = words(&everything());
        // The includes are not mutated; most mutants would fail there.
        let from = words.iter().position(|word| word == "header").expect("it has headers");
        for (at, other, what) in changes {
            let at = from + at.index(words.len() - from);
            let other = from + other.index(words.len() - from);
            match what {
                0 => { words.remove(at); }
                1 => words[at] = words[other].clone(),
                2 => words.swap(at, other),
                _ => words.insert(at, words[other].clone()),
            }
        }
        let text = words.concat();
        let (program, said, sources) = compile(&text);
        prop_assert!(program.is_some() || said.iter().any(|one| one.is_error()));
        prop_assert!(said.iter().all(|one| !one.render(&sources, false).is_empty()));
        if let Some(program) = program {
            super::sound::check(&program);
            prop_assert!(!program.to_string().is_empty());
        }
    }
}

#[test]
fn the_unmutated_program_is_valid() {
    super::elaborated(&everything());
}
