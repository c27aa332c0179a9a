"""The numbers in the table are those that were in the tensors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

from support.browser.by_hand import items_of, over_batch
from support.browser.oracle import Oracle
from support.browser.recorded import BATCH, HOSTILE_NAME, LENGTHS, SAMPLES, Kept, Key
from support.browser.viewer import Link, ShownRow, Viewer
from support.browser.written import HUGE, LONG, LONGER, value_at

STEP = 5
LAST = LENGTHS[STEP] - 1
VIEW: Link = {"tab": "tensors", "trial": "second", "rec": "forward", "type": "any_value", "step": STEP, "it": LAST}
BATCH_VIEWS = ["batch_mean", "batch_abs_max", "batch_std", *(f"sample_{k}" for k in range(SAMPLES))]


@pytest.fixture
def viewer(bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    """A page high enough for all rows of the largest tensor."""
    return visit(bundle, VIEW, viewport={"width": 1400, "height": 2200})


def _show(viewer: Viewer, node: str, aggregation: str, role: str | None = None, recording: str = "forward") -> list[ShownRow]:
    wanted = {**VIEW, "rec": recording, "node": node, "role": role or node, "agg": aggregation}
    viewer.go(wanted)
    viewer.wait_until_shown(wanted)
    return viewer.rows()


def _statistics(x: NDArray[np.float64], aggregation: str) -> dict[str, float]:
    """By the definition: first over the values of each sample, then over the batch. `x` is `[B, N]`."""
    return {item: float(_aggregate(numbers, aggregation)) for item, numbers in items_of(x).items()}


def _aggregate(numbers: NDArray[np.float64], aggregation: str) -> NDArray[np.float64]:
    """Over the first axis, the batch."""
    if aggregation.startswith("sample_"):
        return np.asarray(numbers[int(aggregation.removeprefix("sample_"))])
    if aggregation == "has_no_batch_dimension":
        return np.asarray(numbers[0])
    return np.asarray(over_batch(numbers)[BATCH_VIEWS.index(aggregation)])


def _assert_shows(rows: list[ShownRow], x: NDArray[np.float64], aggregation: str, tolerance: float = 2e-6) -> None:
    """All rows are those of `x`, `[B, N]`, as far as float32 goes."""
    expected = [*_statistics(x, aggregation).values(), *_aggregate(x, aggregation)]
    assert [row.item for row in rows] == ["mean", "abs_mean", "std", "abs_max"] + ["neuron"] * x.shape[1]
    np.testing.assert_allclose([float(row.exact) for row in rows], expected, rtol=tolerance, atol=1e-7)
    # Four digits are shown.
    np.testing.assert_allclose([float(row.value) for row in rows], expected, rtol=max(tolerance, 5.1e-4), atol=1e-7)


def test_every_aggregation_of_every_kind_of_tensor(viewer: Viewer, kept: Kept) -> None:
    for name, aggregation in product(["input", "output", "helper_2", "count", "picture", "half"], BATCH_VIEWS):
        node, role = ("helper", "final") if name == "helper_2" else (name, name)
        rows = _show(viewer, node, aggregation, role)
        tensor = kept[Key("second", STEP, "forward", LAST, name)].reshape(BATCH, -1)
        # Three digits are shown of a bfloat16, which has no more.
        _assert_shows(rows, tensor, aggregation, 5e-3 if name == "half" and "sample" in aggregation else 2e-6)


@pytest.mark.parametrize(
    ("node", "aggregation", "words"),
    [
        ("input", "batch_mean", "mean of samples"),
        ("input", "batch_abs_max", "largest of samples"),
        ("input", "batch_std", "std of samples"),
        ("input", "sample_0", ""),
        ("net.out.weight", "has_no_batch_dimension", ""),
    ],
)
def test_beside_a_statistic_stands_what_it_is_over(node: str, aggregation: str, words: str, viewer: Viewer) -> None:
    _show(viewer, node, aggregation)
    cells = viewer.element("values-table").locator("[role=row].statistic [role=cell]:nth-child(2)")
    assert set(cells.all_inner_texts()) == {words}


def test_a_parameter_has_no_batch_dimension(viewer: Viewer, kept: Kept) -> None:
    for name, recording in product(["net.out.weight", "net.mem.bias"], ["forward", "gradients"]):
        parameter = kept[Key("second", STEP, recording, -1, name)]
        rows = _show(viewer, name, "has_no_batch_dimension", recording=recording)
        statistics = _statistics(parameter.reshape(1, -1), "has_no_batch_dimension")
        shown = {row.item: float(row.exact) for row in rows if row.item in statistics}
        assert shown == pytest.approx(statistics, rel=2e-6)
        if parameter.ndim == 2:
            (svd,) = (float(row.exact) for row in rows if row.item == "svd")
            assert svd == pytest.approx(np.linalg.svd(parameter, compute_uv=False)[0], rel=1e-5)
        expect(viewer.element("selector-aggregation")).to_have_count(0)


def test_the_gradient_of_a_tensor(viewer: Viewer, kept: Kept) -> None:
    gradient = kept[Key("second", STEP, "gradients", LAST, "output")]
    for aggregation in ("batch_mean", "batch_std", "sample_2"):
        _assert_shows(_show(viewer, "output", aggregation, recording="gradients"), gradient, aggregation)
    expect(viewer.element("remark-gradient-absent")).to_have_count(0)


def test_an_absent_gradient_is_told_from_a_zero(viewer: Viewer) -> None:
    rows = _show(viewer, "half", "batch_mean", recording="gradients")
    assert {row.value for row in rows} == {"0"}
    expect(viewer.element("remark-gradient-absent")).to_have_text("No gradient (counted as zeros).")


def test_the_loss_is_a_single_value(viewer: Viewer, kept: Kept) -> None:
    (row,) = _show(viewer, "loss", "has_no_batch_dimension")
    assert row.item == "single_value"
    assert float(row.exact) == pytest.approx(float(kept[Key("second", STEP, "forward", LAST, "loss")]), rel=1e-6)


def test_values_that_can_be_checked_by_heart(viewer: Viewer) -> None:
    sample_1 = _show(viewer, "count", "sample_1")
    assert sample_1[-1] == ShownRow("neuron", "0", "1000", "1000")
    mean = _show(viewer, "count", "batch_mean")
    assert mean[-1].value == "2500"
    # helper_2 of sample 0 is [2, 3]; the mean of its mean over the samples is 2 + 11 / 2.
    statistics = {row.item: row.value for row in _show(viewer, "helper", "batch_mean", "final")}
    assert statistics["mean"] == "7.500"
    assert statistics["std"] == "0.7071"


def test_a_picture_is_labelled_by_its_indices(viewer: Viewer, kept: Kept) -> None:
    rows = _show(viewer, "picture", "sample_2")[4:]
    assert [row.place for row in rows] == [f"{i}, {j}, {k}" for i in range(2) for j in range(3) for k in range(4)]
    picture = kept[Key("second", STEP, "forward", LAST, "picture")]
    shown = {row.place: float(row.exact) for row in rows}
    assert shown["1, 2, 3"] == pytest.approx(picture[2, 1, 2, 3], rel=1e-6)
    assert viewer.summary()["shape"] == "6 × 2 × 3 × 4"


def test_what_is_not_finite_is_said(viewer: Viewer) -> None:
    sample = _show(viewer, HOSTILE_NAME, "sample_0")
    assert [row.value for row in sample] == ["NaN", "NaN", "NaN", "NaN", "NaN", "+inf", "-inf", "0"]
    assert [row.exact for row in sample][4:7] == ["NaN", "+inf", "-inf"]
    whole = _show(viewer, HOSTILE_NAME, "sample_1")
    assert [row.value for row in whole[4:]] == ["1"] * 4
    facts = [
        viewer.element(f"fact-{name}").inner_text() for name in ("nan", "positive-infinity", "negative-infinity", "zeros", "min", "max")
    ]
    assert facts == [*["1 (4.17 %)"] * 4, "0", "1"]


def _views(oracle: Oracle, step: int, iteration: int) -> Iterator[dict[str, str]]:
    """All views of an iteration."""
    for tensor in oracle.structure("second", step, iteration).tensors:
        for recording in ("forward", "gradients"):
            link = {**VIEW, "rec": recording, "step": step, "it": iteration, "node": tensor.node, "role": tensor.role}
            link_text = {key: str(value) for key, value in link.items()}
            place = oracle.place(link_text)
            for aggregation in [] if place is None else oracle.aggregations(link_text, place):
                yield {**link_text, "agg": aggregation}


def test_every_view_of_an_iteration_shows_what_the_recording_holds(viewer: Viewer, oracle: Oracle) -> None:
    views = list(_views(oracle, STEP, LAST)) + list(_views(oracle, STEP, 0))
    assert len(views) > 150
    for view in views:
        viewer.go(view)
        viewer.wait_until_shown(view)
        oracle.check_rows(viewer, view)


def _show_large(viewer: Viewer, node: str, aggregation: str) -> None:
    view: Link = {"trial": "long", "step": 0, "it": 0, "node": node, "role": node, "agg": aggregation}
    viewer.go(view)
    viewer.wait_until_shown(view)


def test_a_long_tensor_is_scrolled_to_its_end(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(large_bundle, {"trial": "long", "node": "long", "agg": "sample_1"})
    table = viewer.element("values-table")
    for sample in (1, 0):
        _show_large(viewer, "long", f"sample_{sample}")
        table.evaluate("table => { table.scrollTop = table.scrollHeight; }")
        viewer.page.wait_for_selector("[data-testid=value-row][data-index='199999']")
        rows = viewer.rows()
        assert len(rows) < 100
        assert rows[-1].place == f"{LONG[0] - 1}, {LONG[1] - 1}"
        assert float(rows[-1].exact) == value_at(199_999, sample)
        assert [float(row.exact) for row in rows] == [value_at(200_000 - len(rows) + k, sample) for k in range(len(rows))]


@pytest.mark.parametrize("way", ["bar", "keyboard", "index"])
def test_a_table_higher_than_an_element_can_be_is_scrolled_to_its_end(
    way: str, large_bundle: Path, open_again: Callable[..., Viewer]
) -> None:
    viewer = open_again(large_bundle, {"trial": "long", "node": "longer", "agg": "sample_1"})
    table = viewer.element("values-table")
    if way == "bar":
        table.evaluate("table => { table.scrollTop = table.scrollHeight; }")
    elif way == "keyboard":
        table.focus()
        viewer.page.keyboard.press("End")
    else:
        viewer.element("go-to-index").fill(str(LONGER - 1))
        viewer.element("go-to-index").press("Enter")
    last = viewer.page.locator(f"[data-testid=value-row][data-index='{LONGER - 1}']")
    expect(last).to_be_in_viewport()
    expect(last.get_by_test_id("value")).to_have_attribute("title", str(value_at(LONGER - 1, 1)))


def test_a_wrong_index_is_refused_in_words(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(large_bundle, {"trial": "long", "node": "long", "agg": "sample_1"})
    viewer.element("go-to-index").fill("200, 0")
    expect(viewer.page.get_by_text("an index is 0–199, 0–999")).to_be_visible()
    viewer.element("go-to-index").fill("1, 2")
    viewer.element("go-to-index").press("Enter")
    expect(viewer.page.locator("[data-testid=value-row][data-index='1002']")).to_be_in_viewport()


def test_integers_beyond_the_exact_range_of_floats_keep_every_digit(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(large_bundle, {"trial": "long", "node": "huge"})
    assert [row.value for row in viewer.rows()[4:]] == [str(number) for number in HUGE]


def test_counts_say_that_they_are_of_the_whole_batch(viewer: Viewer) -> None:
    for aggregation in ("sample_1", "batch_mean"):
        _show(viewer, "input", aggregation)
        expect(viewer.element("facts-of")).to_have_text(re.compile(r"^\d+ values, of all samples in the batch:$"))
    viewer.select_node("loss")
    expect(viewer.element("facts-of")).to_have_text("1 value:")
