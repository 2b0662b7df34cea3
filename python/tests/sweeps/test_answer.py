"""The sentence of a sweep."""

from __future__ import annotations

from jettison.sweeps.answer import _difference


def test_differences_that_all_seeds_share_have_no_interval_of_chance():
    assert _difference({1: 5.0, 2: 6.0}, {1: 7.0, 2: 8.0}, "ms") == " (-2 ms, the same in all 2 seeds)"


def test_differences_have_their_interval_and_say_where_it_is_within_chance():
    assert _difference({1: 5.0, 2: 6.0, 3: 7.0}, {1: 7.0, 2: 7.9, 3: 9.1}, "ms") == " (-2 ± 0.25 ms, paired by seed)"
    found = _difference({1: 5.0, 2: 6.0}, {1: 4.0, 2: 8.0}, "ms")
    assert found.endswith(" ms, paired by seed, within chance)"), found
    assert _difference({1: 5.0}, {1: 4.0}, "ms") == " (one seed, so the difference may be chance)"
