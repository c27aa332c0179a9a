"""Selections of trials, steps, samples and tensors as a user writes them."""

from __future__ import annotations

import pytest

from comgra_export.errors import ExportError
from comgra_export.exporter.output.destinations import make_target
from comgra_export.exporter.plan.selection import chosen_names, make_selection

STEPS = (0, 5, 10, 20, 40, 80, 100, 500, 501)


def steps(text: str | int | list[int]) -> set[float]:
    choice = make_selection(None, text, None, None, "float32").steps
    assert choice is not None
    return choice.of(STEPS)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("10", {10}),
        ("7", set()),
        ("10-80", {10, 20, 40, 80}),
        ("500-", {500, 501}),
        ("-10", {0, 5, 10}),
        ("first", {0}),
        ("last", {501}),
        ("first 2, last 2", {0, 5, 500, 501}),
        ("every 4th", {0, 40, 501}),
        ("every 3", {0, 20, 100}),
        ("0, 20-40 ,last", {0, 20, 40, 501}),
        ("first 100", set(STEPS)),
        (40, {40}),
        ([5, 80], {5, 80}),
    ],
)
def test_steps(text: str | int | list[int], chosen: set[float]) -> None:
    assert steps(text) == chosen


def test_evaluations() -> None:
    recorded = (-0.999999, -0.999998, 0, 1, 1.000001, 1.000002, 2)

    def chosen(given: str | float | list[float]) -> set[float]:
        choice = make_selection(None, given, None, None, "float32").steps
        assert choice is not None
        return choice.of(recorded)

    assert chosen("1") == chosen(1) == {1, 1.000001, 1.000002}
    assert chosen("0") == {-0.999999, -0.999998, 0}
    assert chosen(1.000002) == {1.000002}
    assert chosen([-0.999998, 2]) == {-0.999998, 2}


@pytest.mark.parametrize("text", ["", "-", "ten", "1-2-3", "every", "first last", "1;2", "every 10th of"])
def test_steps_that_are_not_understood_are_refused_with_the_syntax(text: str) -> None:
    with pytest.raises(ExportError, match="every 10th"):
        steps(text)


@pytest.mark.parametrize(
    ("text", "places"),
    [("2", (0, 1)), (2, (0, 1)), ("0", ()), ("9", (0, 1, 2)), ("8", (0, 1, 2)), ("8-8", (2,)), ("0,5-9", (0, 1, 2)), ("1,2", ())],
)
def test_samples(text: str | int, places: tuple[int, ...]) -> None:
    choice = make_selection(None, None, None, text, "float32").samples
    assert choice is not None
    assert choice.of((0, 5, 8)) == places


def test_samples_that_are_not_understood_are_refused() -> None:
    for text in ("first", "x", "1,,2"):
        with pytest.raises(ExportError, match="samples="):
            make_selection(None, None, None, text, "float32")


def test_patterns_choose_names_and_nodes_and_leave_out() -> None:
    selection = make_selection(None, None, "net.*, x", None, "float32")
    assert selection.has_values_of("net.weight", "w")
    assert selection.has_values_of("a", "x")
    assert not selection.has_values_of("a", "b")
    without = make_selection(None, None, ["!net.*"], None, "float32")
    assert not without.has_values_of("net.weight", "w")
    assert without.has_values_of("a", "b")


def test_a_pattern_without_a_match_names_what_there_is() -> None:
    assert chosen_names(("a*",), ("ab", "ac", "b"), "trial") == {"ab", "ac"}
    assert chosen_names(("a[1]",), ("a[1]", "a1"), "trial") == {"a[1]", "a1"}
    with pytest.raises(ExportError, match=r"There is no trial 'z\*'\. There are: ab, b\."):
        chosen_names(("ab", "z*"), ("b", "ab"), "trial")


def test_an_unknown_precision_names_the_known_ones() -> None:
    with pytest.raises(ExportError, match="float16"):
        make_selection(None, None, None, None, "int8")


@pytest.mark.parametrize(("size", "count"), [("25MB", 25_000_000), ("1.5 kB", 1500), (700, 700), ("2MiB", 2_097_152), ("1gb", 10**9)])
def test_sizes(size: int | str, count: int) -> None:
    assert make_target("a.html", "group", size, None).max_bytes == count


def test_sizes_that_are_not_understood_are_refused() -> None:
    for size in ("25 apples", "", "-3MB", 0, "MB"):
        with pytest.raises(ExportError, match="max_size"):
            make_target("a.html", "group", size, None)


def test_presets_give_a_size_and_a_shape() -> None:
    assert make_target(None, "group", None, "mail") == make_target("group.html", "group", "18MB", None)
    assert make_target(None, "group", None, "issue").max_bytes == 24_000_000
    assert make_target(None, "group", None, "pages").output == "group/"
    assert make_target("x.zip", "group", "3MB", "issue").max_bytes == 3_000_000
    for output, preset in (("x.zip", "mail"), ("x/", "issue"), ("x.html", "pages")):
        with pytest.raises(ExportError, match="does not suit"):
            make_target(output, "group", None, preset)
    with pytest.raises(ExportError, match="There are: issue, mail, pages"):
        make_target("x.html", "group", None, "paper")
