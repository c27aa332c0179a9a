"""The order in which the exporter leaves data out to fit a size."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from comgra_export.exporter.plan.usefulness import usefulness
from comgra_export.exporter.size.budget import Rung, choose_rung, ladder

RUNGS = ladder(4, 10, 3)


def test_the_most_useful_steps_are_the_ends_then_what_is_between() -> None:
    assert [sorted(range(9), key=usefulness(9).__getitem__)[:count] for count in (1, 2, 3, 5)] == [[0], [0, 8], [0, 8, 4], [0, 8, 4, 2, 6]]
    for count in range(20):
        assert sorted(usefulness(count)) == list(range(count))


def test_every_rung_keeps_no_more_than_the_one_before() -> None:
    assert RUNGS[0] == Rung()
    for before, after in pairwise(RUNGS):
        assert after != before
        assert after.rounded >= before.rounded
        assert after.rounded_parameters >= before.rounded_parameters
        assert (after.samples or 4) <= (before.samples or 4)
        assert after.without_flows >= before.without_flows
        for share in ("values", "aggregates", "parameters", "steps"):
            assert getattr(after, share) <= getattr(before, share)


def test_the_order() -> None:
    first: dict[str, Callable[[Rung], bool]] = {
        "rounded": lambda rung: rung.rounded,
        "samples": lambda rung: rung.samples is not None,
        "values": lambda rung: rung.values < 1,
        "aggregates": lambda rung: rung.aggregates < 1,
        "rounded parameters": lambda rung: rung.rounded_parameters,
        "parameters": lambda rung: rung.parameters < 1,
        "flows": lambda rung: rung.without_flows > 0,
        "steps": lambda rung: rung.steps < 1,
    }
    places = [next(place for place, rung in enumerate(RUNGS) if is_so(rung)) for is_so in first.values()]
    assert places == sorted(places)
    assert len(set(places)) == len(places)
    # Values are gone before aggregates are touched, and so on.
    assert all(rung.values == 0 for rung in RUNGS if rung.aggregates < 1)
    assert all(rung.aggregates == 0 for rung in RUNGS if rung.rounded_parameters)
    assert all(rung.parameters == 0 for rung in RUNGS if rung.histograms < 1)
    assert all(rung.histograms == 0 for rung in RUNGS if rung.without_flows)
    assert all(rung.without_flows == 3 for rung in RUNGS if rung.steps < 1)


def test_the_last_rung_keeps_the_first_step_of_every_type() -> None:
    for count in (1, 2, 10):
        kept = [RUNGS[-1].extent(place, count) is not None for place in range(count)]
        assert kept == [True] + [False] * (count - 1)


def test_the_first_rung_that_fits_is_chosen() -> None:
    sizes = {rung: 2000 - 10 * place for place, rung in enumerate(RUNGS)}
    for limit in (3000, 2000, 1995, 1700):
        chosen = choose_rung(RUNGS, sizes.__getitem__, limit)
        assert chosen is not None
        assert sizes[RUNGS[chosen]] <= limit
        assert chosen == 0 or sizes[RUNGS[chosen - 1]] > limit
    assert choose_rung(RUNGS, sizes.__getitem__, 2000, start=7) == 7
    assert choose_rung(RUNGS, sizes.__getitem__, 1) is None


def test_a_recording_of_one_step_without_samples_has_a_ladder() -> None:
    assert ladder(0, 0, 0)[-1].steps == 1
    assert ladder(1, 1, 0)[-1].extent(0, 1) is not None
